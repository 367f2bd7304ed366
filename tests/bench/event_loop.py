"""How long the event loop is held while pictures are asked for at once: `python -m tests.bench.event_loop`."""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bot.discord.messages.gallery import GalleryMessages
from bot.jobs.workers import Workers
from tests.bot.captains import by_typing, place, play
from tests.sea import Sea

PICTURES = 20
MOST_S = 0.050


class Hold(NamedTuple):
    """One callback of the event loop."""

    seconds: float
    processor_seconds: float


def held(pictures: int = PICTURES) -> list[Hold]:
    """All callbacks while so many pictures, and a film, were asked for at once, the longest first.

    Of a game of four galleys a side in its third round; pictures and texts are laid out as messages, but not sent.
    """
    workers = Workers(1)
    try:
        with tempfile.TemporaryDirectory() as folder:
            return asyncio.run(_measure(f"sqlite+aiosqlite:///{Path(folder) / 'games.sqlite'}", workers, pictures))
    finally:
        workers.close()


async def _measure(database: str, workers: Workers, pictures: int) -> list[Hold]:
    sea = Sea(database, workers, itertools.count(1))
    async with sea.open():
        await sea.begin(sea.bela, galleys="4")
        captains = (sea.anna, sea.bela)
        await place(sea, captains)
        await play(sea, captains, by_typing, rounds=2)
        gallery = GalleryMessages(sea.bot.services.reader)
        await gallery.film(sea.anna.id, "en", 1)  # warm
        with _watched() as holds:
            await asyncio.gather(
                *(gallery.table(sea.anna.id, "en", 1, *_wish(number)) for number in range(pictures)),
                gallery.film(sea.anna.id, "hu", 1, form="gif"),
            )
    return sorted(holds, reverse=True)


def _wish(number: int) -> tuple[Any, Any]:
    return ((None, None), ("table", "whole"), ("round", "action"), ("table", "fleet"))[number % 4]


@contextmanager
def _watched() -> Iterator[list[Hold]]:
    """Time every callback of the event loop."""
    holds: list[Hold] = []
    run = asyncio.events.Handle._run

    def timed(handle: asyncio.events.Handle) -> None:
        start, used = time.perf_counter(), time.thread_time()
        run(handle)
        holds.append(Hold(time.perf_counter() - start, time.thread_time() - used))

    asyncio.events.Handle._run = timed  # type: ignore[method-assign]
    try:
        yield holds
    finally:
        asyncio.events.Handle._run = run  # type: ignore[method-assign]


def main() -> None:
    holds = held()
    longest, busiest = holds[0], max(hold.processor_seconds for hold in holds)
    sys.stdout.write(
        f"{PICTURES} pictures and a film at once: {len(holds)} callbacks; the longest held the event loop for "
        f"{longest.seconds * 1e3:.1f} ms ({busiest * 1e3:.1f} ms of processor time); goal {MOST_S * 1e3:.0f} ms\n"
    )
    if busiest > MOST_S:
        sys.exit("the event loop was held too long")


if __name__ == "__main__":
    main()

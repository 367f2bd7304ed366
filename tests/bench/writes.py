"""How long writers wait for each other: `python -m tests.bench.writes`, with the store's turns and without them.

Eight writers at once store as much as a step does; each waits until it is on the disk. Prints how long the median
and the slowest one in a hundred took, and how many gave up because the database was held by others all the time.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from bot.store import NotWritten, Store
from bot.store.models.pace import Pace
from bot.store.models.subjects import MissingPermissionSubject
from bot.store.queries.games import NewGameRow
from rules.core.protocol import Setup

WRITERS = 8
TRANSACTIONS = 40
"""By each writer."""
STATEMENTS = 17
"""Of one transaction, as many as a step has."""


class Waits(NamedTuple):
    """What the writers met."""

    took_s: list[float]
    """By each transaction, sorted."""
    gave_up: int


async def waits(folder: Path, *, turns: bool) -> Waits:
    """What the writers met."""
    store = await Store.open(f"sqlite+aiosqlite:///{folder / f'turns-{turns}.sqlite'}")
    if not turns:
        store._writer_queue = nullcontext()
    async with store.write() as tx:
        opening = NewGameRow(
            setup=Setup(system="any", teams=(0, 1)),
            pace=Pace(seconds=60),
            name="a game",
            locale="en",
            guild_id=1,
            channel_id=2,
            host_id=3,
            seed="00",
            created_at=0,
        )
        game_id = await tx.games.add(opening)
    took: list[float] = []
    gave_up: list[int] = []

    async def write(writer: int) -> None:
        for _ in range(TRANSACTIONS):
            began = time.perf_counter()
            try:
                async with store.write() as tx:
                    for number in range(STATEMENTS):
                        await tx.messages.request(game_id, MissingPermissionSubject(f"{writer}/{number}"), now=0)
            except NotWritten:
                gave_up.append(writer)
            took.append(time.perf_counter() - began)

    await asyncio.gather(*map(write, range(WRITERS)))
    await store.close()
    return Waits(sorted(took), len(gave_up))


async def main() -> None:
    """Measure both and print them."""
    with tempfile.TemporaryDirectory() as folder:
        found = {turns: await waits(Path(folder), turns=turns) for turns in (False, True)}
    figures = {
        "median": {turns: statistics.median(took.took_s) for turns, took in found.items()},
        "p99": {turns: took.took_s[len(took.took_s) * 99 // 100] for turns, took in found.items()},
        "longest": {turns: took.took_s[-1] for turns, took in found.items()},
    }
    for name, by_turns in figures.items():
        ratio = by_turns[True] / by_turns[False]
        sys.stdout.write(
            f"{name:<8} {by_turns[False]:7.3f} s without, {by_turns[True]:7.3f} s with turns: x {ratio:.2f}\n"
        )


if __name__ == "__main__":
    asyncio.run(main())

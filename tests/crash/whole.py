"""The whole bot, as `war-galley run`, with another Discord: `main` with REST GATEWAY [HOLDS] as arguments.

HOLDS is a file for how long, at most, one callback has held the event loop since SIGUSR1: seconds, and seconds of
processor time. The environment may ask for more:

- FIRST_PAUSE_S: how long the bot waits before it tries again for the first time
- HELD_PICTURES: a folder of named pipes (`begun`, `go_on`); each picture waits for a word
- MAX_FILE_BYTES: no file may grow beyond so many bytes
- MIGRATIONS, SERVES_FROM: a later version has these migrations, and its tables serve bots from that one on
- SAME_DICE: all that is left to chance is the same in every run
- STEPS_TAKE_S: seconds between the claim of a game and its rules
- TERMS_S: seconds after which a lobby, an idle game and a pause end: three numbers
- STOPS_BEFORE: the bot stops itself, by SIGSTOP, before it sends the message of this key, which it has counted as tried
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bot.cli.main import app
from tests.bot.fake_jobs import held


@contextmanager
def _held(file: Path) -> Iterator[None]:
    longest = busiest = 0.0
    run = asyncio.events.Handle._run

    def timed(handle: asyncio.events.Handle) -> None:
        nonlocal longest, busiest
        start, used = time.perf_counter(), time.thread_time()
        run(handle)
        longest = max(longest, time.perf_counter() - start)
        busiest = max(busiest, time.thread_time() - used)

    def forget(*_: object) -> None:
        nonlocal longest, busiest
        longest = busiest = 0.0

    signal.signal(signal.SIGUSR1, forget)
    asyncio.events.Handle._run = timed  # type: ignore[method-assign]
    try:
        yield
    finally:
        file.write_text(f"{longest} {busiest}")


def _disturb() -> None:
    from bot.discord import identifying  # noqa: PLC0415
    from bot.discord.app import WarGalley  # noqa: PLC0415
    from bot.discord.delivery.sender import MessageSender  # noqa: PLC0415
    from bot.jobs import showing  # noqa: PLC0415
    from bot.lifecycle.steps.runner import StepRunner  # noqa: PLC0415

    wishes = os.environ
    if pipes := wishes.get("HELD_PICTURES"):
        for job in ("draw_state", "draw_plan"):
            setattr(showing, job, partial(held, job, f"{pipes}/begun", f"{pipes}/go_on"))
    if wishes.get("SAME_DICE"):
        made_with(WarGalley, chance=lambda: hashlib.sha256(b"always the same game").hexdigest())
    if seconds := wishes.get("FIRST_PAUSE_S"):
        identifying.FIRST_PAUSE_S = float(seconds)  # type: ignore[misc]
    if seconds := wishes.get("STEPS_TAKE_S"):
        carried_out = StepRunner._resolve

        async def slowly(*args: Any) -> Any:
            await asyncio.sleep(float(seconds))
            return await carried_out(*args)

        StepRunner._resolve = slowly  # type: ignore[method-assign]
    if terms_s := wishes.get("TERMS_S"):
        _shorten_terms(*map(int, terms_s.split()))
    if stops := wishes.get("STOPS_BEFORE"):
        deliver, left = MessageSender.deliver, [stops]

        async def after_a_stop(own: Any, message: Any, *args: Any) -> Any:
            if message.key in left:
                left.remove(message.key)
                os.kill(os.getpid(), signal.SIGSTOP)
            return await deliver(own, message, *args)

        MessageSender.deliver = after_a_stop  # type: ignore[method-assign]


def _shorten_terms(lobby_s: int, idle_s: int, pause_s: int) -> None:
    from bot.config import BotSettings  # noqa: PLC0415
    from bot.lifecycle.process import terms  # noqa: PLC0415
    from bot.store.queries.games import Terms  # noqa: PLC0415

    short = Terms(lobby_s=lobby_s, idle_s=idle_s, pause_s=pause_s)
    BotSettings.terms = property(lambda _: short)  # type: ignore[assignment]
    terms.CHECK_INTERVAL_S = min(lobby_s, idle_s, pause_s)  # type: ignore[misc]  # no term is shorter


def made_with(kind: type, **arguments: Any) -> None:
    """Give each new object of a class these arguments, whatever the bot gives it."""
    make = kind.__init__  # type: ignore[misc]

    def made(own: Any, *args: Any, **named: Any) -> None:
        make(own, *args, **{**named, **arguments})

    kind.__init__ = made  # type: ignore[misc]


def _as_a_later_version(migrations: Path, serves_from: str) -> None:
    from bot.store.engine import revisions, upgrading  # noqa: PLC0415

    for module in (revisions, upgrading):
        module.VERSIONS_FOLDER = migrations / "versions"  # type: ignore[attr-defined]
    revisions.OLDEST_COMPATIBLE = serves_from  # type: ignore[misc]


def use_another_discord(rest: str, gateway: str, disturb: Callable[[], None]) -> None:
    """Use another Discord, once the bot has set its workers going: it loads discord.py only then, and they never do."""
    from bot.jobs.workers import Workers  # noqa: PLC0415

    warm = Workers.warm_up

    def then(*args: Any) -> None:
        warm(*args)
        import discord  # noqa: PLC0415
        import yarl  # noqa: PLC0415
        from discord.gateway import DiscordWebSocket  # noqa: PLC0415

        disturb()
        discord.http.Route.BASE = rest
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)

    Workers.warm_up = then  # type: ignore[assignment,method-assign]


def main() -> None:
    if most := os.environ.get("MAX_FILE_BYTES"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), resource.RLIM_INFINITY))
    use_another_discord(sys.argv[1], sys.argv[2], _disturb)
    if migrations := os.environ.get("MIGRATIONS"):
        _as_a_later_version(Path(migrations), os.environ["SERVES_FROM"])
    with _held(Path(sys.argv[3] if len(sys.argv) > 3 else "/dev/null")):
        app(["run"])

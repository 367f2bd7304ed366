"""The whole bot, as `war-galley run`, with another Discord: `main` with REST GATEWAY [HOLDS] as arguments.

HOLDS is a file for how long, at most, one callback has held the event loop since SIGUSR1: seconds, and seconds of
processor time. With a folder of named pipes in HELD_PICTURES (`begun`, `go_on`) each picture waits for a word. With a
folder in MIGRATIONS, and a number in SERVES_FROM, it is of a later version, whose tables serve bots from that one on.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bot.cli.main import app
from tests.bot.fake_jobs import held


@contextmanager
def _held(file: Path) -> Iterator[None]:
    """Time every callback of the event loop, and write the longest down."""
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


def _hold_pictures(pipes: Path) -> None:
    """Let no picture of a message be finished before a word is written into a pipe."""
    from bot.jobs import showing  # noqa: PLC0415

    for job in ("draw_state", "draw_plan"):
        setattr(showing, job, partial(held, job, str(pipes / "begun"), str(pipes / "go_on")))


def _disturb() -> None:
    """Do what a test's environment asks for.

    FIRST_PAUSE_S: how long it waits before it tries again for the first time. SAME_DICE: all that is left to chance
    is the same in every run. STEPS_TAKE_S: seconds between the claim of a game and its rules. STOPS_BEFORE: the bot
    stops itself, by SIGSTOP, before it brings the message of this key to Discord, which it has counted as tried.
    """
    from bot.discord import identifying  # noqa: PLC0415
    from bot.discord.app import WarGalley  # noqa: PLC0415
    from bot.discord.delivery.sender import MessageSender  # noqa: PLC0415
    from bot.lifecycle.steps.runner import StepRunner  # noqa: PLC0415

    if os.environ.get("SAME_DICE"):
        made = WarGalley.__init__

        def with_the_same_dice(bot: WarGalley, *given: Any, **named: Any) -> None:
            made(bot, *given, **{**named, "chance": lambda: hashlib.sha256(b"always the same game").hexdigest()})

        WarGalley.__init__ = with_the_same_dice  # type: ignore[method-assign]
    if seconds := os.environ.get("FIRST_PAUSE_S"):
        identifying.FIRST_PAUSE_S = float(seconds)  # type: ignore[misc]
    if seconds := os.environ.get("STEPS_TAKE_S"):
        carried_out = StepRunner._resolve

        async def slowly(*given: Any) -> Any:
            await asyncio.sleep(float(seconds))
            return await carried_out(*given)

        StepRunner._resolve = slowly  # type: ignore[method-assign]
    if stops := os.environ.get("STOPS_BEFORE"):
        deliver, left = MessageSender.deliver, [stops]

        async def after_a_stop(own: Any, message: Any, *given: Any) -> Any:
            if message.key in left:
                left.remove(message.key)
                os.kill(os.getpid(), signal.SIGSTOP)
            return await deliver(own, message, *given)

        MessageSender.deliver = after_a_stop  # type: ignore[method-assign]


def _as_a_later_version(migrations: Path, serves_from: str) -> None:
    """Have other migrations, and say from which of them on bots can work with the tables."""
    from bot.store.engine import revisions, upgrading  # noqa: PLC0415

    for module in (revisions, upgrading):
        module.VERSIONS_FOLDER = migrations / "versions"  # type: ignore[attr-defined]
    revisions.OLDEST_COMPATIBLE = serves_from  # type: ignore[misc]


def _elsewhere(rest: str, gateway: str) -> None:
    """Use another Discord, once the bot has set its workers going: it loads discord.py only then, and they never do."""
    from bot.jobs.workers import Workers  # noqa: PLC0415

    warm = Workers.warm_up

    def then(*given: Any) -> None:
        warm(*given)
        import discord  # noqa: PLC0415
        import yarl  # noqa: PLC0415
        from discord.gateway import DiscordWebSocket  # noqa: PLC0415

        if pipes := os.environ.get("HELD_PICTURES"):
            _hold_pictures(Path(pipes))
        _disturb()
        discord.http.Route.BASE = rest
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)

    Workers.warm_up = then  # type: ignore[assignment,method-assign]


def main() -> None:
    """Run the bot; with MAX_FILE_BYTES no file may grow beyond so many bytes."""
    if most := os.environ.get("MAX_FILE_BYTES"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), resource.RLIM_INFINITY))
    _elsewhere(sys.argv[1], sys.argv[2])
    if migrations := os.environ.get("MIGRATIONS"):
        _as_a_later_version(Path(migrations), os.environ["SERVES_FROM"])
    with _held(Path(sys.argv[3] if len(sys.argv) > 3 else "/dev/null")):
        app(["run"])

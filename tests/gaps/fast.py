"""The bot as `war-galley run`, in a world in which a minute passes in two seconds: `main` with REST GATEWAY.

The machine's clock runs fast, and so does the clock that nobody sets; what the bot waits for by them is shorter.
It starts where `BEGAN` says: the seconds of the machine's own uptime at which it was `EPOCH`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, Final

from bot.cli.main import app
from bot.lifecycle.process.pulse import uptime

SPEED: Final = 30
EPOCH: Final = 1_790_000_000
BEGAN: Final = "GAPS_BEGAN"


def up() -> float:
    """Return the fast seconds since the world began; they pass while a process is stopped, too."""
    return (uptime() - float(os.environ[BEGAN])) * SPEED


def now() -> datetime:
    return datetime.fromtimestamp(EPOCH + up(), UTC)


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds / SPEED)


def main() -> None:
    from bot.jobs.workers import Workers  # noqa: PLC0415

    warm = Workers.warm_up

    def then(*given: Any) -> None:
        warm(*given)  # workers never load Discord
        import discord  # noqa: PLC0415
        import yarl  # noqa: PLC0415
        from discord.gateway import DiscordWebSocket  # noqa: PLC0415

        from bot.discord.app import WarGalley  # noqa: PLC0415
        from bot.discord.delivery import signs  # noqa: PLC0415
        from bot.lifecycle.process import scheduler  # noqa: PLC0415

        discord.http.Route.BASE = sys.argv[1]
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(sys.argv[2])
        made, signed = WarGalley.__init__, signs.DiscordPulse.__init__
        for module in (signs, scheduler):
            module.asyncio = SimpleNamespace(**{**vars(asyncio), "sleep": _sleep})  # type: ignore[attr-defined]

        def with_a_fast_clock(bot: WarGalley, *given: Any, **named: Any) -> None:
            made(bot, *given, **{**named, "clock": now})

        def with_fast_signs(own: Any, *given: Any, **named: Any) -> None:
            signed(own, *given, **{**named, "up": up})

        WarGalley.__init__ = with_a_fast_clock  # type: ignore[method-assign]
        signs.DiscordPulse.__init__ = with_fast_signs  # type: ignore[method-assign]

    Workers.warm_up = then  # type: ignore[assignment,method-assign]
    app(["run"])

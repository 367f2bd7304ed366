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
from typing import Final

from bot.cli.main import app
from bot.lifecycle.process.pulse import uptime
from tests.crash.whole import made_with, use_another_discord

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


def _run_fast() -> None:
    from bot.discord.app import WarGalley  # noqa: PLC0415
    from bot.discord.delivery import signs  # noqa: PLC0415
    from bot.lifecycle.process import scheduler  # noqa: PLC0415

    for module in (signs, scheduler):
        module.asyncio = SimpleNamespace(**{**vars(asyncio), "sleep": _sleep})  # type: ignore[attr-defined]
    made_with(WarGalley, clock=now)
    made_with(signs.DiscordPulse, up=up)


def main() -> None:
    use_another_discord(sys.argv[1], sys.argv[2], _run_fast)
    app(["run"])

"""Where time stands still, a burst of edits would never be over: it is let pass."""

from __future__ import annotations

import simcord

from bot.discord.app import WarGalley


async def let_pass(env: simcord.Env) -> None:
    """Let as much time pass as the edits that pause now wait for."""
    while isinstance(env.bot, WarGalley) and (seconds := await env.bot.pausing()):
        await env.advance_time(seconds)

"""Lets time pass for edits that wait: in the sandbox time stands still, and they would wait for ever."""

from __future__ import annotations

import simcord

from bot.discord.app import WarGalley


async def advance_paused_edits(env: simcord.Env) -> None:
    """Let as much time pass as the waiting edits need."""
    while isinstance(env.bot, WarGalley) and (seconds := await env.bot.seconds_until_paused_edits()):
        await env.advance_time(seconds)

"""Advances the sandbox's clock, which otherwise stands still, for rate-limited edits."""

from __future__ import annotations

import simcord

from bot.discord.app import WarGalley


async def advance_paused_edits(env: simcord.Env) -> None:
    while isinstance(env.bot, WarGalley) and (seconds := await env.bot.seconds_until_paused_edits()):
        await env.advance_time(seconds)

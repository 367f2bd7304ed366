"""Channels in which a game can be played: those where the bot has all required permissions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import discord
from discord import Interaction

from bot.discord.delivery.threads import REQUIRED_PERMISSIONS
from bot.errors import Refusal
from bot.texts.style import Markup


def require_usable_channel(interaction: Interaction[Any]) -> tuple[discord.Guild, int]:
    """Return the server and the id of the current channel if games can be played in it. Raises `Refusal`."""
    guild, channel = interaction.guild, interaction.channel
    if guild is None or channel is None:
        raise Refusal("guild_only")
    if isinstance(channel, discord.Thread):
        # Threads and posts of forums have no threads of their own.
        other_channel = next(_usable_channels(guild, interaction.user), None)
        if other_channel:
            raise Refusal("not_here_but", channel=Markup(f"<#{other_channel.id}>"))
        raise Refusal("not_here")
    missing = _missing_permissions(interaction.app_permissions)
    if missing:
        raise Refusal("no_send", permission=missing[0], channel=Markup(f"<#{channel.id}>"))
    return guild, channel.id


def find_usable_channel(interaction: Interaction[Any], allowed: Collection[int]) -> tuple[discord.Guild, int]:
    """Like `require_usable_channel`, but return another channel that the user may write in if this one is unusable.

    If `allowed` is not empty, only those channels count. Raises `Refusal`.
    """
    guild, channel = interaction.guild, interaction.channel
    if guild is None or channel is None:
        raise Refusal("play_where")
    try:
        _, this_channel_id = require_usable_channel(interaction)
        if not allowed or this_channel_id in allowed:
            return guild, this_channel_id
    except Refusal:
        pass  # look for another channel
    parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
    usable_ids = [
        usable.id for usable in _usable_channels(guild, interaction.user) if not allowed or usable.id in allowed
    ]
    if usable_ids:
        return guild, parent_id if parent_id in usable_ids else usable_ids[0]
    if allowed:
        raise Refusal("other_channels", channels=Markup(" ".join(f"<#{allowed_id}>" for allowed_id in allowed)))
    return require_usable_channel(interaction)


def greeting_channel(guild: discord.Guild) -> discord.TextChannel | None:
    """Return the server's system channel if the bot may write there, else the first such text channel, or None."""
    channels = [*([guild.system_channel] if guild.system_channel else []), *guild.text_channels]
    return next((channel for channel in channels if _may_write(channel.permissions_for(guild.me))), None)


def _may_write(permissions: discord.Permissions) -> bool:
    return permissions.view_channel and permissions.send_messages


def _missing_permissions(permissions: discord.Permissions) -> list[str]:
    return [name for name in REQUIRED_PERMISSIONS if not getattr(permissions, name)]


def _usable_channels(guild: discord.Guild, user: discord.User | discord.Member) -> Iterator[discord.TextChannel]:
    # Of somebody who came without their membership only the bot's own permissions can be asked.
    for channel in guild.text_channels:
        bot_permissions = channel.permissions_for(guild.me)
        user_permissions = channel.permissions_for(user) if isinstance(user, discord.Member) else bot_permissions
        if not _missing_permissions(bot_permissions) and _may_write(user_permissions):
            yield channel

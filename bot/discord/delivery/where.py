"""Where on a server a game can be told: a channel in which we may do all that it takes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import discord
from discord import Interaction

from bot.discord.delivery.threads import REQUIRED_PERMISSIONS
from bot.errors import Refusal
from bot.texts.style import Markup


def require_usable_channel(interaction: Interaction[Any]) -> tuple[discord.Guild, int]:
    """The server, and the channel in it by its id, in which a game can be told. Raises `Refusal`."""
    guild, channel = interaction.guild, interaction.channel
    if guild is None or channel is None:
        raise Refusal("guild_only")
    if isinstance(channel, discord.Thread):
        # Threads and posts of forums have no threads of their own.
        if there := next(_other_usable_channels(guild, interaction.user), None):
            raise Refusal("not_here_but", channel=Markup(f"<#{there.id}>"))
        raise Refusal("not_here")
    lacking = _missing_permissions(interaction.app_permissions)
    if lacking:
        where = f"<#{channel.id}>"
        raise Refusal("no_send", permission=lacking[0], channel=Markup(where))
    return guild, channel.id


def find_usable_channel(interaction: Interaction[Any], allowed: Collection[int]) -> tuple[discord.Guild, int]:
    """As `require_usable_channel`, but if it isn't possible here, another channel that the user sees and may write in.

    Only one of those `allowed` on the server, if there are any. Raises `Refusal`.
    """
    guild, channel = interaction.guild, interaction.channel
    if guild is None or channel is None:
        raise Refusal("play_where")
    try:
        found = require_usable_channel(interaction)[1]
        if not allowed or found in allowed:
            return guild, found
    except Refusal:
        pass  # another will do
    parent = channel.parent_id if isinstance(channel, discord.Thread) else None
    others = [one.id for one in _other_usable_channels(guild, interaction.user) if not allowed or one.id in allowed]
    if others:
        return guild, parent if parent in others else others[0]
    if allowed:
        raise Refusal("other_channels", channels=Markup(" ".join(f"<#{one}>" for one in allowed)))
    return require_usable_channel(interaction)


def greeting_channel(guild: discord.Guild) -> discord.TextChannel | None:
    """The channel in which a server is greeted: that for its own messages, else the first in which we may write."""
    every = [*([guild.system_channel] if guild.system_channel else []), *guild.text_channels]
    return next((one for one in every if _may_write(one.permissions_for(guild.me))), None)


def _may_write(ours: discord.Permissions) -> bool:
    return ours.view_channel and ours.send_messages


def _missing_permissions(ours: discord.Permissions) -> list[str]:
    return [name for name in REQUIRED_PERMISSIONS if not getattr(ours, name)]


def _other_usable_channels(guild: discord.Guild, user: discord.User | discord.Member) -> Iterator[discord.TextChannel]:
    """Text channels that somebody can see and write in, as we can."""
    for channel in guild.text_channels:
        ours = channel.permissions_for(guild.me)
        his = channel.permissions_for(user) if isinstance(user, discord.Member) else ours
        if not _missing_permissions(ours) and his.view_channel and his.send_messages:
            yield channel

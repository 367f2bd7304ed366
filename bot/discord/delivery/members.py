"""Asks Discord who is a member of which server, and remembers it for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import discord

from bot.discord.delivery.refusals import REQUEST_ERRORS, DiscordRefusal
from bot.services.access import Membership

MEMORY_S: Final = 300
"""Seconds for which an answer is believed: who has just come or gone waits no longer, and requests stay few."""
FAILURE_MEMORY_S: Final = 30
"""Seconds for which Discord is not asked again after it gave no answer."""
REQUEST_TIMEOUT_S: Final = 2.0
"""Seconds to wait: the user must get an answer within three."""
MAX_REMEMBERED: Final = 10_000
"""Answers that are remembered at once."""


class MemberLookup:
    """What users are on servers of ours."""

    def __init__(
        self, client: discord.Client, now: Callable[[], int], read: Callable[[BaseException], DiscordRefusal]
    ) -> None:
        """`now` tells the seconds of Unix time, `read` understands a refusal and counts it."""
        self._client = client
        self._clock = now
        self._read = read
        self._cache: dict[tuple[int, int], tuple[int, Membership | None]] = {}
        """When an answer came, and the answer, by server and user."""

    async def __call__(self, guild_id: int, user_id: int) -> Membership | None:
        """What a user is on a server; None if that cannot be found out just now."""
        guild = self._client.get_guild(guild_id)
        if guild and self._client.intents.members and (member := guild.get_member(user_id)):
            return _membership(member)
        came, known = self._cache.get((guild_id, user_id), (0, None))
        if 0 <= self._clock() - came < (MEMORY_S if known else FAILURE_MEMORY_S):
            return known
        found = await self._request_membership(guild_id, user_id)
        if len(self._cache) >= MAX_REMEMBERED:
            self._cache.pop(next(iter(self._cache)))
        self._cache.pop((guild_id, user_id), None)
        self._cache[guild_id, user_id] = (self._clock(), found)
        return found

    def forget_member(self, guild_id: int, user_id: int) -> None:
        """Somebody has left a server."""
        self._cache.pop((guild_id, user_id), None)

    async def _request_membership(self, guild_id: int, user_id: int) -> Membership | None:
        try:
            async with asyncio.timeout(REQUEST_TIMEOUT_S):
                member = await fetch_member(self._client, guild_id, user_id, self._read)
                return _membership(member) if member else "none"
        except REQUEST_ERRORS as error:
            self._read(error)
            return None  # it cannot be said just now


async def fetch_member(
    client: discord.Client, guild_id: int, user_id: int, read: Callable[[BaseException], DiscordRefusal]
) -> discord.Member | None:
    """A member of a server, as Discord knows them now: who has left may be remembered. None: not there.

    Of several bots, each remembers only the servers of its own shards. Raises what discord.py does: `discord.Forbidden`
    or `discord.NotFound` where the bot itself isn't on the server. `read` understands a refusal and counts it.
    """
    guild = client.get_guild(guild_id) or await client.fetch_guild(guild_id, with_counts=False)
    try:
        return await guild.fetch_member(user_id)
    except discord.NotFound as error:
        read(error)
        return None


def _membership(member: discord.Member) -> Membership:
    return "manager" if member.guild_permissions.manage_guild else "member"

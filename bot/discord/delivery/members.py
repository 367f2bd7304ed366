"""Membership of users in servers, asked from Discord and cached for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import discord

from bot.discord.delivery.refusals import REQUEST_ERRORS, ParseRefusal
from bot.services.access import Membership

MEMORY_S: Final = 300
"""Seconds for which an answer is cached. Changes show after that time at most, and requests stay few."""
FAILURE_MEMORY_S: Final = 30
"""Seconds without another request after Discord gave no answer."""
REQUEST_TIMEOUT_S: Final = 2.0
MAX_REMEMBERED: Final = 10_000


class MemberLookup:
    def __init__(self, client: discord.Client, now: Callable[[], int], parse_refusal: ParseRefusal) -> None:
        """`now` returns Unix seconds."""
        self._client = client
        self._clock = now
        self._parse_refusal = parse_refusal
        self._cache: dict[tuple[int, int], tuple[int, Membership | None]] = {}
        """Maps a server and a user to the Unix time of an answer and the answer."""

    async def __call__(self, guild_id: int, user_id: int) -> Membership | None:
        """Return what a user is on a server, or None if Discord cannot tell at present."""
        guild = self._client.get_guild(guild_id)
        if guild and self._client.intents.members and (member := guild.get_member(user_id)):
            return _membership(member)
        answered_at, cached = self._cache.get((guild_id, user_id), (0, None))
        if 0 <= self._clock() - answered_at < (MEMORY_S if cached else FAILURE_MEMORY_S):
            return cached
        membership = await self._request_membership(guild_id, user_id)
        if len(self._cache) >= MAX_REMEMBERED:
            self._cache.pop(next(iter(self._cache)))
        self._cache.pop((guild_id, user_id), None)
        self._cache[guild_id, user_id] = (self._clock(), membership)
        return membership

    def forget_member(self, guild_id: int, user_id: int) -> None:
        self._cache.pop((guild_id, user_id), None)

    async def _request_membership(self, guild_id: int, user_id: int) -> Membership | None:
        try:
            async with asyncio.timeout(REQUEST_TIMEOUT_S):
                member = await fetch_member(self._client, guild_id, user_id, self._parse_refusal)
                return _membership(member) if member else "none"
        except REQUEST_ERRORS as error:
            self._parse_refusal(error)
            return None  # unknown


async def fetch_member(
    client: discord.Client, guild_id: int, user_id: int, parse_refusal: ParseRefusal
) -> discord.Member | None:
    """Return a member of a server as Discord knows them now, or None if they are not on it.

    The cache may hold users who have left, and each process caches only the servers of its own shards. Raises what
    discord.py does: `discord.Forbidden` or `discord.NotFound` if the bot itself is not on the server.
    """
    guild = client.get_guild(guild_id) or await client.fetch_guild(guild_id, with_counts=False)
    try:
        return await guild.fetch_member(user_id)
    except discord.NotFound as error:
        parse_refusal(error)
        return None


def _membership(member: discord.Member) -> Membership:
    return "manager" if member.guild_permissions.manage_guild else "member"

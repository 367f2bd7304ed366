"""Limits identifies: new sessions with Discord's gateway, of which a bot may start about 1,000 in 24 hours.

Discord ends all sessions of a bot that exceeds the limit and resets its token (topics/gateway, "Session Start Limit").
The bot therefore asks how many remain before each session and keeps a reserve. If its sessions end soon after they
begin, it waits longer before each new one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

import discord

from bot.discord.delivery.refusals import REQUEST_ERRORS

log = logging.getLogger(__name__)

FIRST_PAUSE_S: Final = 30.0
MAX_PAUSE_S: Final = 900.0
MIN_REMAINING: Final = 50
"""Identifies reserved for the host, who may have to start the bot by hand."""
MAX_WITHOUT_PAUSE: Final = 3  # identifies of one shard


class TooFewIdentifies(ConnectionError):
    def __init__(self, remaining: int, reset_after_s: float) -> None:
        super().__init__(f"{remaining} identifies remain")
        self.remaining = remaining
        self.reset_after_s = reset_after_s


class UnreadableResponse(Exception):
    """The response is not from Discord's API, but perhaps from the login page of a network."""


class Backoff:
    def __init__(self) -> None:
        self._pause_s = FIRST_PAUSE_S

    def next_pause_s(self) -> float:
        """Return the pause before the next attempt, and double the one after it."""
        pause_s = self._pause_s
        self._pause_s = min(2 * pause_s, MAX_PAUSE_S)
        return pause_s

    def reset(self) -> None:
        self._pause_s = FIRST_PAUSE_S


class _ShardHistory:
    def __init__(self) -> None:
        self.next_allowed_at = 0.0  # seconds of the event loop's clock
        self._last_identify_at = float("-inf")
        self._count_in_succession = 0
        self._backoff = Backoff()

    def record_identify(self, now: float) -> None:
        """Note an identify at `now`. After `MAX_WITHOUT_PAUSE` in succession, the next must wait longer and longer."""
        if now - self._last_identify_at > MAX_PAUSE_S:
            self._count_in_succession = 0
            self._backoff.reset()
        self._last_identify_at = now
        self._count_in_succession += 1
        pause_s = self._backoff.next_pause_s() if self._count_in_succession >= MAX_WITHOUT_PAUSE else 0.0
        self.next_allowed_at = now + pause_s


class IdentifyLimiter:
    def __init__(self, limits: Callable[[], Awaitable[discord.SessionStartLimits]]) -> None:
        """`limits` asks Discord how many identifies remain."""
        self._limits = limits
        self._shards: dict[int | None, _ShardHistory] = {}  # by shard; None: a bot without shards

    async def raise_unless_enough(self) -> None:
        """Raise `TooFewIdentifies` unless more than the reserve remain.

        Raises `UnreadableResponse`, `GatewayNotFound` or one of `REQUEST_ERRORS` if Discord does not tell how many do.
        """
        try:
            limits = await self._limits()
        except (LookupError, TypeError) as error:
            raise UnreadableResponse from error
        if limits.remaining < MIN_REMAINING:
            raise TooFewIdentifies(limits.remaining, limits.reset_after / 1000)

    async def take_turn(self, shard_id: int | None) -> None:
        """Wait until a shard may identify, and record that it does."""
        loop = asyncio.get_running_loop()
        shard = self._shards.setdefault(shard_id, _ShardHistory())
        await asyncio.sleep(shard.next_allowed_at - loop.time())
        await self._wait_until_enough_remain()
        shard.record_identify(loop.time())

    async def _wait_until_enough_remain(self) -> None:
        while True:
            try:
                return await self.raise_unless_enough()
            except TooFewIdentifies as error:
                extra = {"remaining": error.remaining, "seconds": int(error.reset_after_s)}
                log.warning("too few connections to Discord remain", extra=extra)
                pause_s = min(max(error.reset_after_s, 1.0), MAX_PAUSE_S)
            except (UnreadableResponse, discord.GatewayNotFound, *REQUEST_ERRORS) as error:
                log.warning("Discord does not say how many connections remain", extra={"why": repr(error)})
                pause_s = FIRST_PAUSE_S
            await asyncio.sleep(pause_s)

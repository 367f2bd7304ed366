"""Signs that captains can reach the bot through Discord: heartbeats of the gateway, and answers to requests."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final, NamedTuple, Protocol

from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.lifecycle.process.pulse import MAX_INTERVAL_S, AliveSpan, uptime
from bot.lifecycle.process.tenure import LeaseLost
from bot.store import NotWritten

log = logging.getLogger(__name__)

MAX_SIGN_AGE_S: Final = 90
"""After the last sign captains are taken to reach the bot for as long."""
_SAMPLE_INTERVAL_S: Final = 10
"""Between two looks whether the gateway has acknowledged another heartbeat."""
_MAX_RESPONSE_AGE_S: Final = 30
"""If the last answer to a request is older, Discord is asked for one."""
_RESPONSE_TIMEOUT_S: Final = 10
"""Seconds for which that answer is waited for."""


class DiscordClient(Protocol):
    """The part of a Discord client that signs of life need."""

    def heartbeat_latencies(self) -> Mapping[int, float]:
        """Return by shard how long the gateway took to acknowledge the last heartbeat, in seconds."""

    async def application_info(self) -> object:
        """Ask Discord for something small."""


class _SignOfLife(NamedTuple):
    uptime_s: float
    """When it came, by a clock that nobody sets."""
    unix_time: int
    """When the sign came, in Unix seconds by the machine's clock."""


class DiscordPulse:
    """Knows when captains could last reach the bot: presses come through the gateway, and are answered by requests.

    So both must work. Where presses come over HTTP, an answer to a request is enough.
    """

    max_interval_s: Final = MAX_INTERVAL_S

    def __init__(
        self, client: DiscordClient, now: Callable[[], int], *, over_http: bool, up: Callable[[], float] = uptime
    ) -> None:
        """`now`: Unix seconds. `up`: seconds by a clock that nobody sets, and that never stops."""
        self._client = client
        self._now = now
        self._up = up
        self._over_http = over_http
        self._answer: _SignOfLife | None = None
        self._heard: dict[int, _SignOfLife] = {}
        self._latencies: dict[int, float] = {}

    def _make_sign(self) -> _SignOfLife:
        return _SignOfLife(self._up(), self._now())

    def note_response(self, status: int) -> None:
        """Note that Discord answered a request with a status of HTTP.

        Only success counts: refusals may come from Cloudflare, which stands before Discord.
        """
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            self._answer = self._make_sign()

    def note_gateway_message(self, shard: int) -> None:
        """The gateway has said something to a shard."""
        self._heard[shard] = self._make_sign()

    async def keep_listening(self) -> None:
        """Notice heartbeats for as long as the bot runs: discord.py tells only how long the last one took."""
        while True:
            self._sample_heartbeats()
            await asyncio.sleep(_SAMPLE_INTERVAL_S)

    def _sample_heartbeats(self) -> None:
        for shard, latency in self._client.heartbeat_latencies().items():
            if math.isfinite(latency) and latency != self._latencies.get(shard):
                self._latencies[shard] = latency
                self.note_gateway_message(shard)

    async def refresh(self) -> None:
        """Ask Discord for an answer if the last one is old."""
        self._sample_heartbeats()
        if self._answer is not None and 0 <= self._up() - self._answer.uptime_s < _MAX_RESPONSE_AGE_S:
            return
        try:
            await asyncio.wait_for(self._client.application_info(), _RESPONSE_TIMEOUT_S)
        except (*REQUEST_ERRORS, LeaseLost, NotWritten) as error:
            log.debug("Discord gives no sign of life", extra={"why": str(error)})
        else:
            self.note_response(HTTPStatus.OK)

    def alive_span(self, shard: int) -> AliveSpan | None:
        """Return when captains could last reach the bot; None if that is too long ago."""
        sign = self._last_sign(shard)
        if sign is None or not 0 <= self._up() - sign.uptime_s <= MAX_SIGN_AGE_S:
            return None
        return AliveSpan(sign.unix_time, sign.unix_time)

    def _last_sign(self, shard: int) -> _SignOfLife | None:
        """Return the last sign that captains of a shard could reach the bot; None if there is none.

        If presses come over HTTP, an answer to a request is the only sign. Otherwise a heartbeat is needed, too, and
        the older one of both counts.
        """
        heard = self._heard.get(shard)
        if self._over_http:
            return self._answer
        return min(heard, self._answer) if heard and self._answer else None

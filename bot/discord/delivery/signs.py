"""Signs that captains can reach the bot through Discord: heartbeats of the gateway, and responses to requests."""

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
"""Seconds after the last sign of life for which captains count as able to reach the bot."""
_SAMPLE_INTERVAL_S: Final = 10
_MAX_RESPONSE_AGE_S: Final = 30
_RESPONSE_TIMEOUT_S: Final = 10


class DiscordClient(Protocol):
    def heartbeat_latencies(self) -> Mapping[int, float]: ...

    async def application_info(self) -> object: ...


class _SignOfLife(NamedTuple):
    uptime_s: float  # of a monotonic clock
    unix_time: int


class DiscordPulse:
    """Knows when captains could last reach the bot.

    Presses come through the gateway and are answered by requests, so both must work. Where presses come over HTTP, a
    response to a request is enough.
    """

    max_interval_s: Final = MAX_INTERVAL_S

    def __init__(
        self, client: DiscordClient, now: Callable[[], int], *, over_http: bool, monotonic: Callable[[], float] = uptime
    ) -> None:
        """`now` returns Unix seconds, `monotonic` those of a clock that is never set."""
        self._client = client
        self._now = now
        self._monotonic = monotonic
        self._over_http = over_http
        self._last_response: _SignOfLife | None = None  # when Discord last answered a request
        self._last_heartbeats: dict[int, _SignOfLife] = {}  # the gateway's, by shard
        self._latencies: dict[int, float] = {}  # seconds, of the last heartbeat by shard

    def _make_sign(self) -> _SignOfLife:
        return _SignOfLife(self._monotonic(), self._now())

    def note_response(self, status: int) -> None:
        """Note that Discord answered a request with an HTTP status.

        Only success counts: refusals may come from Cloudflare, which stands in front of Discord.
        """
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            self._last_response = self._make_sign()

    def note_gateway_message(self, shard: int) -> None:
        self._last_heartbeats[shard] = self._make_sign()

    async def keep_listening(self) -> None:
        """Sample heartbeats forever, because discord.py exposes only the latency of the last one."""
        while True:
            self._sample_heartbeats()
            await asyncio.sleep(_SAMPLE_INTERVAL_S)

    def _sample_heartbeats(self) -> None:
        for shard, latency in self._client.heartbeat_latencies().items():
            if math.isfinite(latency) and latency != self._latencies.get(shard):
                self._latencies[shard] = latency
                self.note_gateway_message(shard)

    async def refresh(self) -> None:
        self._sample_heartbeats()
        response = self._last_response
        if response and 0 <= self._monotonic() - response.uptime_s < _MAX_RESPONSE_AGE_S:
            return
        try:
            await asyncio.wait_for(self._client.application_info(), _RESPONSE_TIMEOUT_S)
        except (*REQUEST_ERRORS, LeaseLost, NotWritten) as error:
            log.debug("Discord gives no sign of life", extra={"why": str(error)})
        else:
            self.note_response(HTTPStatus.OK)

    def alive_span(self, shard: int) -> AliveSpan | None:
        """Return when captains of a shard could last reach the bot; None if that is more than `MAX_SIGN_AGE_S` ago."""
        sign = self._last_sign(shard)
        if sign is None or not 0 <= self._monotonic() - sign.uptime_s <= MAX_SIGN_AGE_S:
            return None
        return AliveSpan(sign.unix_time, sign.unix_time)

    def _last_sign(self, shard: int) -> _SignOfLife | None:
        """Return the last sign that captains of a shard could reach the bot; None if there is none.

        If presses come over HTTP, only a response to a request counts. Otherwise a heartbeat is also needed, and the
        older of both counts.
        """
        heartbeat = self._last_heartbeats.get(shard)
        if self._over_http:
            return self._last_response
        if heartbeat is None or self._last_response is None:
            return None
        return min(heartbeat, self._last_response)

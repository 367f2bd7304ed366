"""Presses, commands and forms over HTTP, for bots behind a load balancer. Off by default.

Discord sends interactions either through the gateway or to one address, and signs what it sends to an address.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, cast
from weakref import WeakSet

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from bot.discord.app import WarGalley
from bot.store import NotWritten

log = logging.getLogger(__name__)

INTERACTIONS_PATH: Final = "/interactions"
MAX_BODY_BYTES: Final = 2**20
"""Bytes of a body that are read; Discord's are some kilobytes, with a large panel some tens of them."""
BODY_TIMEOUT_S: Final = 3.0
"""Seconds for a request's head to arrive, and for its body: after as many Discord stops waiting for an answer."""
MAX_CONNECTIONS: Final = 200
"""Connections at once: a load balancer keeps some tens, and a process may often open 1024 files."""
_IDLE_TIMEOUT_S: Final = 75.0
"""Seconds for which a connection is kept between requests: longer than load balancers keep theirs, often 60."""
MAX_CLOCK_SKEW_S: Final = 15
"""Seconds by which the time of a signature may differ from ours, either way."""
REPLAY_WINDOW_S: Final = 2.0 * MAX_CLOCK_SKEW_S + BODY_TIMEOUT_S
"""How long an interaction is remembered: as long as its signature can be shown again, and a little longer."""
_PING_TYPE: Final = 1


class NoPublicKey(Exception):
    """Discord names no usable public key for the application."""


class _RequestRefused(Exception):
    """What comes is not taken."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.reason = status, why


class _InteractionHeader(msgspec.Struct):
    """What every interaction has; the rest is discord.py's to read."""

    id: str
    type: int
    token: str
    application_id: str


@asynccontextmanager
async def serve_interactions(bot: WarGalley, host: str, port: int) -> AsyncIterator[str]:
    """Take interactions while the block lasts; yields their address. The bot must be logged in.

    Raises `OSError` if the port is taken, and `NoPublicKey`.
    """
    visitors = _ConnectionLimiter()
    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[visitors.note_request])
    app.router.add_post(INTERACTIONS_PATH, _InteractionHandler(bot, _public_key(bot)).handle)
    # What is signed are the bytes as they come.
    runner = web.AppRunner(
        app, access_log=None, auto_decompress=False, keepalive_timeout=_IDLE_TIMEOUT_S, shutdown_timeout=BODY_TIMEOUT_S
    )
    await runner.setup()
    server, listening = cast("web.Server", runner.server), None
    try:
        listening = await asyncio.get_running_loop().create_server(
            lambda: _LimitedProtocol(visitors, server), host, port
        )
        address = "http://{}:{}{}".format(*listening.sockets[0].getsockname()[:2], INTERACTIONS_PATH)
        log.info("interactions are taken", extra={"address": address})
        yield address
    finally:
        if listening:
            listening.close()
        await runner.cleanup()


class _ConnectionLimiter:
    """Who has connected to one listener: aiohttp bounds neither how many they are nor how long one says nothing."""

    def __init__(self) -> None:
        self._active: WeakSet[asyncio.BaseTransport] = WeakSet()
        """Connections on which a request has come whole, but for its body."""

    @web.middleware
    async def note_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Remember that a request has come."""
        if request.transport:
            self._active.add(request.transport)
        return await handler(request)

    def accept_connection(self, transport: asyncio.Transport, server: web.Server) -> None:
        """Hand a connection on, unless there are too many."""
        if len(server.connections) >= MAX_CONNECTIONS:
            transport.abort()
            return
        handler = server()
        transport.set_protocol(handler)
        handler.connection_made(transport)
        asyncio.get_running_loop().call_later(BODY_TIMEOUT_S, self._close_if_silent, transport)

    def _close_if_silent(self, transport: asyncio.Transport) -> None:
        if transport not in self._active:
            transport.abort()


class _LimitedProtocol(asyncio.Protocol):
    """What a new connection meets first."""

    def __init__(self, visitors: _ConnectionLimiter, server: web.Server) -> None:
        self._limiter, self._server = visitors, server

    def connection_made(self, made: asyncio.BaseTransport) -> None:
        self._limiter.accept_connection(cast("asyncio.Transport", made), self._server)


def _public_key(bot: WarGalley) -> VerifyKey:
    """The key that Discord signs with. Raises `NoPublicKey`."""
    try:
        return VerifyKey(bytes.fromhex(bot.application.verify_key if bot.application else ""))
    except ValueError as unusable:
        raise NoPublicKey from unusable


class _InteractionHandler:
    """Lets in what Discord has signed just now, once."""

    def __init__(self, bot: WarGalley, key: VerifyKey) -> None:
        self._bot = bot
        self._key = key
        self._seen_ids: dict[str, float] = {}
        """Until when each interaction is remembered, the oldest first."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Take one interaction; it is answered like any other, by a request to Discord."""
        try:
            payload = await self._read_verified(request)
        except _RequestRefused as refused:
            self._bot.metrics.count_interaction(refused.reason)
            log.debug("interaction not taken", extra={"why": refused.reason, "status": refused.status})
            return web.Response(status=refused.status)
        if payload["type"] == _PING_TYPE:
            self._bot.metrics.count_interaction("ping")
            return web.json_response({"type": _PING_TYPE})
        self._bot.metrics.count_interaction("taken")
        taken = web.Response(status=202)
        # Discord must have this answer before ours to the interaction, which says that it needs no other.
        # Where it has hung up meanwhile, the press counts all the same, as one does that the gateway has brought.
        with suppress(ConnectionError):
            await taken.prepare(request)
            await taken.write_eof()
        self._bot.handle_http_interaction(payload)
        return taken

    async def _read_verified(self, request: web.Request) -> dict[str, Any]:
        """The interaction. Raises `_RequestRefused`."""
        try:
            async with asyncio.timeout(BODY_TIMEOUT_S):
                body = await request.read()
        except TimeoutError:
            raise _RequestRefused(408, "too slow") from None
        except web.HTTPRequestEntityTooLarge:
            raise _RequestRefused(413, "too large") from None
        stamp = request.headers.get("X-Signature-Timestamp", "")
        if not self._is_signed(stamp, body, request.headers.get("X-Signature-Ed25519", "")):
            raise _RequestRefused(401, "forged")
        if abs(time.time() - int(stamp)) > MAX_CLOCK_SKEW_S:
            raise _RequestRefused(401, "of another time")
        try:
            payload: dict[str, Any] = json.loads(body)
            known = msgspec.convert(payload, _InteractionHeader)
        except (ValueError, RecursionError):
            raise _RequestRefused(400, "no interaction") from None
        if known.type != _PING_TYPE:
            await self._refuse_repeated(known.id)
        return payload

    def _is_signed(self, stamp: str, body: bytes, signature: str) -> bool:
        """Whether Discord has signed this body at the time it says."""
        if not (stamp.isascii() and stamp.isdecimal() and len(stamp) <= len("9999999999")):
            return False
        try:
            self._key.verify(stamp.encode() + body, bytes.fromhex(signature))
        except (BadSignatureError, ValueError):
            return False
        return True

    async def _refuse_repeated(self, interaction: str) -> None:
        """See to it that neither we nor another bot take it again. Raises `_RequestRefused`."""
        now = time.monotonic()
        for old in [number for number, until in self._seen_ids.items() if until <= now]:
            del self._seen_ids[old]
        if interaction in self._seen_ids:
            raise _RequestRefused(409, "known")
        self._seen_ids[interaction] = now + REPLAY_WINDOW_S
        try:
            first = await self._bot.claim_once(f"interaction:{interaction}", REPLAY_WINDOW_S)
        except NotWritten:
            del self._seen_ids[interaction]
            raise _RequestRefused(503, "database away") from None
        if not first:
            raise _RequestRefused(409, "known")

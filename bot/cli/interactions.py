"""Receive interactions over HTTP, for bots behind a load balancer. Off by default.

Discord sends interactions either through the gateway or to one address, and signs those it sends to an address.
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
BODY_TIMEOUT_S: Final = 3.0
"""Time limit for a request's head and for its body. Discord waits no longer for an answer."""
MAX_CONNECTIONS: Final = 200
"""Maximum number of connections. A load balancer keeps some tens, and a process may often open 1024 files."""
_IDLE_TIMEOUT_S: Final = 75.0
"""Lifetime of an idle connection. Load balancers keep theirs for less, often 60 s."""
MAX_CLOCK_SKEW_S: Final = 15
REPLAY_WINDOW_S: Final = 2.0 * MAX_CLOCK_SKEW_S + BODY_TIMEOUT_S
"""Time for which an interaction's id is remembered, slightly longer than its signature is valid."""
_PING_TYPE: Final = 1


class NoPublicKey(Exception):
    """Discord returns no usable public key for the application."""


class _RequestRefused(Exception):
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status  # HTTP status of the response
        self.reason = why


class _InteractionHeader(msgspec.Struct):
    id: str  # of the interaction
    type: int  # as Discord numbers them; `_PING_TYPE` is a ping
    token: str  # with which the bot answers
    application_id: str


@asynccontextmanager
async def serve_interactions(bot: WarGalley, host: str, port: int) -> AsyncIterator[str]:
    """Receive interactions until the block ends. Yields the address. The bot must be logged in.

    Raises `OSError` if the port is taken, and `NoPublicKey`.
    """
    limiter = _ConnectionLimiter()
    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[limiter.note_request])
    app.router.add_post(INTERACTIONS_PATH, _InteractionHandler(bot, _public_key(bot)).handle)
    # The signature covers the bytes as received, so they must not be decompressed.
    runner = web.AppRunner(
        app, access_log=None, auto_decompress=False, keepalive_timeout=_IDLE_TIMEOUT_S, shutdown_timeout=BODY_TIMEOUT_S
    )
    await runner.setup()
    server = cast("web.Server", runner.server)
    listener: asyncio.Server | None = None
    try:
        listener = await asyncio.get_running_loop().create_server(lambda: _LimitedProtocol(limiter, server), host, port)
        bound_host, bound_port = listener.sockets[0].getsockname()[:2]
        address = f"http://{bound_host}:{bound_port}{INTERACTIONS_PATH}"
        log.info("interactions are taken", extra={"address": address})
        yield address
    finally:
        if listener:
            listener.close()
        await runner.cleanup()


class _ConnectionLimiter:
    """Limits the number of connections and how long they may be silent, which aiohttp does not."""

    def __init__(self) -> None:
        self._active: WeakSet[asyncio.BaseTransport] = WeakSet()  # connections that have sent a request

    @web.middleware
    async def note_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.transport:
            self._active.add(request.transport)
        return await handler(request)

    def accept_connection(self, transport: asyncio.Transport, server: web.Server) -> None:
        """Give a new connection to the server, or abort it if there are too many. A silent one is closed soon."""
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
    def __init__(self, limiter: _ConnectionLimiter, server: web.Server) -> None:
        self._limiter, self._server = limiter, server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._limiter.accept_connection(cast("asyncio.Transport", transport), self._server)


def _public_key(bot: WarGalley) -> VerifyKey:
    try:
        return VerifyKey(bytes.fromhex(bot.application.verify_key if bot.application else ""))
    except ValueError as error:
        raise NoPublicKey from error


class _InteractionHandler:
    def __init__(self, bot: WarGalley, key: VerifyKey) -> None:
        self._bot = bot
        self._key = key
        self._seen_ids: dict[str, float] = {}
        """When each interaction's id may be forgotten (monotonic seconds), oldest first."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Receive one interaction. The bot answers it by a request to Discord, not in this response."""
        try:
            payload = await self._read_verified(request)
        except _RequestRefused as refusal:
            self._bot.metrics.count_interaction(refusal.reason)
            log.debug("interaction not taken", extra={"why": refusal.reason, "status": refusal.status})
            return web.Response(status=refusal.status)
        if payload["type"] == _PING_TYPE:
            self._bot.metrics.count_interaction("ping")
            return web.json_response({"type": _PING_TYPE})
        self._bot.metrics.count_interaction("taken")
        response = web.Response(status=202)
        # Discord needs this response before the bot answers the interaction. If Discord has hung up, the interaction
        # still counts, like one from the gateway.
        with suppress(ConnectionError):
            await response.prepare(request)
            await response.write_eof()
        self._bot.handle_http_interaction(payload)
        return response

    async def _read_verified(self, request: web.Request) -> dict[str, Any]:
        """Return a new interaction that Discord has signed. Raises `_RequestRefused`."""
        try:
            async with asyncio.timeout(BODY_TIMEOUT_S):
                body = await request.read()
        except TimeoutError:
            raise _RequestRefused(408, "too slow") from None
        except web.HTTPRequestEntityTooLarge:
            raise _RequestRefused(413, "too large") from None
        timestamp = request.headers.get("X-Signature-Timestamp", "")
        if not self._is_signed(timestamp, body, request.headers.get("X-Signature-Ed25519", "")):
            raise _RequestRefused(401, "forged")
        if abs(time.time() - int(timestamp)) > MAX_CLOCK_SKEW_S:
            raise _RequestRefused(401, "of another time")
        try:
            payload: dict[str, Any] = json.loads(body)
            header = msgspec.convert(payload, _InteractionHeader)
        except (ValueError, RecursionError):
            raise _RequestRefused(400, "no interaction") from None
        if header.type != _PING_TYPE:
            await self._refuse_repeated(header.id)
        return payload

    def _is_signed(self, timestamp: str, body: bytes, signature: str) -> bool:
        """Return whether Discord has signed the body and its time, which is then a number of seconds."""
        if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= len("9999999999")):
            return False
        try:
            self._key.verify(timestamp.encode() + body, bytes.fromhex(signature))
        except (BadSignatureError, ValueError):
            return False
        return True

    async def _refuse_repeated(self, interaction_id: str) -> None:
        """Raise `_RequestRefused` if this or another bot has already received the interaction."""
        now = time.monotonic()
        expired_ids = [seen_id for seen_id, until in self._seen_ids.items() if until <= now]
        for expired_id in expired_ids:
            del self._seen_ids[expired_id]
        if interaction_id in self._seen_ids:
            raise _RequestRefused(409, "known")
        self._seen_ids[interaction_id] = now + REPLAY_WINDOW_S
        try:
            is_first = await self._bot.claim_once(f"interaction:{interaction_id}", REPLAY_WINDOW_S)
        except NotWritten:
            del self._seen_ids[interaction_id]
            raise _RequestRefused(503, "database away") from None
        if not is_first:
            raise _RequestRefused(409, "known")

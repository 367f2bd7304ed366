"""discord.py's HTTP client and webhook adapter, asking before each call whether Discord would refuse it.

Both delegate accepted calls to the simulated Discord. A refused call goes through discord.py's own code, over a session
whose responses are refusals: it waits, retries and raises there as with the real Discord.
"""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self, cast

import aiohttp
from discord import File
from discord.http import HTTPClient, Route
from discord.webhook.async_ import AsyncWebhookAdapter
from msgspec import Struct
from multidict import CIMultiDict
from yarl import URL

from bot.sandbox.strict import FILES_KEY, AlteredAnswer, ApiCall, CallGuard, DiscordError

_API_PREFIX = "/api/v"
_NO_SESSION: Any = None
"""The session argument of trace events; the bot's trace ignores it."""


class RetryAccepted(Exception):
    """A call that was refused at first is accepted now."""


class CallDesk(Struct, frozen=True):
    """Decides on calls, and knows how the simulated Discord carries out those with an `AlteredAnswer`."""

    guard: CallGuard
    trace: aiohttp.TraceConfig | None
    """The trace by which the bot hears of its requests, for those that are refused."""
    substitute: Callable[[ApiCall, AlteredAnswer], Any]
    """Carries out what an answer says; returns the response in place of the call's own, or None."""
    on_accepted: Callable[[ApiCall, Any], None]
    """Receives each accepted call and its response."""


class RefusedCallSession:
    """Stands for the aiohttp session of one refused call; asks again at each further try."""

    def __init__(self, desk: CallDesk, call: ApiCall, refusal: DiscordError) -> None:
        self._desk = desk
        self._call = call
        self._first: DiscordError | None = refusal

    def request(self, method: str, url: str, **_: object) -> RefusalResponse:
        """Return the refusal. Raises `RetryAccepted` once there is none."""
        refusal = self._first or self._desk.guard.decide(self._call)
        self._first = None
        if refusal is None:
            raise RetryAccepted
        return RefusalResponse(refusal, self._desk.trace, method, URL(url))


class RefusalResponse:
    """An aiohttp response that holds a refusal, and sends the trace events of its request."""

    def __init__(self, refusal: DiscordError, trace: aiohttp.TraceConfig | None, method: str, url: URL) -> None:
        self.status = refusal.status
        self.reason = HTTPStatus(refusal.status).phrase
        self.headers = CIMultiDict(refusal.all_headers())
        self._body = refusal.body()
        self._trace, self._method, self._url = trace, method, url
        self._context: Any = trace.trace_config_ctx() if trace else None

    async def text(self, encoding: str = "utf-8") -> str:
        """Return the body."""
        if self._trace:
            part = aiohttp.TraceResponseChunkReceivedParams(self._method, self._url, self._body.encode(encoding))
            await self._trace.on_response_chunk_received.send(_NO_SESSION, self._context, part)
        return self._body

    async def __aenter__(self) -> Self:
        """Send the trace events of a request that starts and ends."""
        if self._trace:
            self._trace.freeze()
            empty: CIMultiDict[str] = CIMultiDict()
            start = aiohttp.TraceRequestStartParams(self._method, self._url, empty)
            await self._trace.on_request_start.send(_NO_SESSION, self._context, start)
            end = aiohttp.TraceRequestEndParams(self._method, self._url, empty, cast("aiohttp.ClientResponse", self))
            await self._trace.on_request_end.send(_NO_SESSION, self._context, end)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


_refused_session: ContextVar[RefusedCallSession] = ContextVar("refused call")


class RefusingSession:
    """An aiohttp session that answers with the refusal of the current task's call, from `_refused_session`."""

    closed = False

    def request(self, method: str, url: str, **_: object) -> RefusalResponse:
        """Answer the call that is being made in this task."""
        return _refused_session.get().request(method, url)


class StrictClient(HTTPClient):
    """An HTTP client that delegates accepted calls to the client of a simulated Discord."""

    def __init__(self, inner: HTTPClient, desk: CallDesk, max_ratelimit_timeout: float | None) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(loop, http_trace=desk.trace, max_ratelimit_timeout=max_ratelimit_timeout)
        self.inner = inner
        self._desk = desk

    async def request(
        self,
        route: Route,
        *,
        files: Sequence[File] | None = None,
        form: Any = None,  # noqa: ANN401 - as discord.py passes it
        **given: Any,  # noqa: ANN401 - other arguments
    ) -> Any:  # noqa: ANN401 - any JSON
        """Make a request. Raises what discord.py raises if it is refused."""
        call = _make_call(route.method, route.url, given.get("json"), form, files)
        if refusal := self._desk.guard.decide(call):
            token = _refused_session.set(RefusedCallSession(self._desk, call, refusal))
            try:
                return await super().request(route, files=files, form=form, **given)
            except RetryAccepted:
                pass
            finally:
                _refused_session.reset(token)
        special = self._desk.guard.answer_for(call)
        response = self._desk.substitute(call, special) if special else None
        if response is None:
            response = await self.inner.request(route, files=files, form=form, **given)
            self._desk.on_accepted(call, response)
        return response

    async def static_login(self, token: str) -> Any:  # noqa: ANN401 - as discord.py has it
        """Log in."""
        self.token = token
        return await self.inner.static_login(token)

    async def close(self) -> None:
        """Close the connection."""
        await self.inner.close()

    async def get_from_cdn(self, url: str) -> bytes:
        """Return an uploaded file."""
        return await self.inner.get_from_cdn(url)


class StrictAdapter(AsyncWebhookAdapter):
    """A webhook adapter, for answers to interactions, that delegates accepted calls in the same way."""

    def __init__(self, inner: AsyncWebhookAdapter, desk: CallDesk) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # discord.py's own
        self.inner = inner
        self._desk = desk

    async def request(self, route: Route, session: Any, **given: Any) -> Any:  # noqa: ANN401 - as discord.py has it
        """Make a request. Raises what discord.py raises if it is refused."""
        call = _make_call(route.method, route.url, given.get("payload"), given.get("multipart"), given.get("files"))
        if refusal := self._desk.guard.decide(call):
            try:
                refused: Any = RefusedCallSession(self._desk, call, refusal)
                return await super().request(route, refused, **given)
            except RetryAccepted:
                pass
        special = self._desk.guard.answer_for(call)
        if special:
            self._desk.substitute(call, special)
            if special.drops_uploads:
                body = {key: value for key, value in call.body.items() if key != FILES_KEY}
                given = {**given, "payload": body, "multipart": None, "files": None}
        response = await self.inner.request(route, session, **given)
        self._desk.on_accepted(call, response)
        return response


def _make_call(method: str, url: str, body: Any, form: Any, files: Sequence[File] | None) -> ApiCall:  # noqa: ANN401 - any JSON
    """Return a request as the rules read it."""
    path = url.partition("?")[0].partition(_API_PREFIX)[2]
    for field in form or ():
        if field["name"] == "payload_json":
            body = json.loads(field["value"])
    if files and isinstance(body, Mapping):
        body = {**body, FILES_KEY: {file.filename: _file_size(file) for file in files}}
    return ApiCall(method, path[path.index("/") :], body)


def _file_size(file: File) -> int:
    """Return a file's size in bytes."""
    at = file.fp.tell()
    size = file.fp.seek(0, io.SEEK_END)
    file.fp.seek(at)
    return size - at

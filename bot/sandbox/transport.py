"""An HTTP client and a webhook adapter for discord.py that refuse the calls that Discord would refuse.

Both delegate accepted calls to the simulated Discord. A refused call goes through discord.py's own code, with a session
whose responses are refusals, so that it waits, retries and raises as with the real Discord.
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
"""The session argument of trace events, which the bot's trace ignores."""


class RetryAccepted(Exception):
    """An error that ends discord.py's retries, because the refused call is accepted now."""


class CallHooks(Struct, frozen=True):
    guard: CallGuard
    trace: aiohttp.TraceConfig | None  # discord.py's observer of requests; None: there is none
    substitute: Callable[[ApiCall, AlteredAnswer], Any]
    """Carries out an `AlteredAnswer`; returns the response, or None to make the call itself."""
    on_accepted: Callable[[ApiCall, Any], None]  # called with each accepted call and its response


class RefusedCallSession:
    """Stands in for the aiohttp session of one refused call; asks the guard again at each retry."""

    def __init__(self, hooks: CallHooks, call: ApiCall, refusal: DiscordError) -> None:
        self._hooks = hooks
        self._call = call
        self._first_refusal: DiscordError | None = refusal  # None once it has been given

    def request(self, method: str, url: str, **_: object) -> RefusalResponse:
        refusal = self._first_refusal or self._hooks.guard.decide(self._call)
        self._first_refusal = None
        if refusal is None:
            raise RetryAccepted
        return RefusalResponse(refusal, self._hooks.trace, method, URL(url))


class RefusalResponse:
    """An aiohttp response with a refusal, which also sends the trace events of its request."""

    def __init__(self, refusal: DiscordError, trace: aiohttp.TraceConfig | None, method: str, url: URL) -> None:
        self.status = refusal.status
        self.reason = HTTPStatus(refusal.status).phrase
        self.headers = CIMultiDict(refusal.all_headers())
        self._body = refusal.body()
        self._trace, self._method, self._url = trace, method, url
        self._context: Any = trace.trace_config_ctx() if trace else None

    async def text(self, encoding: str = "utf-8") -> str:
        if self._trace:
            part = aiohttp.TraceResponseChunkReceivedParams(self._method, self._url, self._body.encode(encoding))
            await self._trace.on_response_chunk_received.send(_NO_SESSION, self._context, part)
        return self._body

    async def __aenter__(self) -> Self:
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
    """An aiohttp session that returns the refusal of the current task's call, from `_refused_session`."""

    closed = False

    def request(self, method: str, url: str, **_: object) -> RefusalResponse:
        return _refused_session.get().request(method, url)


class StrictClient(HTTPClient):
    def __init__(self, inner: HTTPClient, hooks: CallHooks, max_ratelimit_timeout: float | None) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(loop, http_trace=hooks.trace, max_ratelimit_timeout=max_ratelimit_timeout)
        self.inner = inner
        self._hooks = hooks

    async def request(
        self,
        route: Route,
        *,
        files: Sequence[File] | None = None,
        form: Any = None,  # noqa: ANN401 - as discord.py passes it
        **options: Any,  # noqa: ANN401 - other arguments
    ) -> Any:  # noqa: ANN401 - any JSON
        """Carry out a call of the bot as Discord would, or refuse it."""
        call = _make_call(route.method, route.url, options.get("json"), form, files)
        refusal = self._hooks.guard.decide(call)
        if refusal:
            token = _refused_session.set(RefusedCallSession(self._hooks, call, refusal))
            try:
                return await super().request(route, files=files, form=form, **options)
            except RetryAccepted:
                pass
            finally:
                _refused_session.reset(token)
        altered_answer = self._hooks.guard.answer_for(call)
        response = self._hooks.substitute(call, altered_answer) if altered_answer else None
        if response is None:
            response = await self.inner.request(route, files=files, form=form, **options)
            self._hooks.on_accepted(call, response)
        return response

    async def static_login(self, token: str) -> Any:  # noqa: ANN401 - as discord.py has it
        self.token = token
        return await self.inner.static_login(token)

    async def close(self) -> None:
        await self.inner.close()

    async def get_from_cdn(self, url: str) -> bytes:
        return await self.inner.get_from_cdn(url)


class StrictAdapter(AsyncWebhookAdapter):
    """A webhook adapter, for responses to interactions, that delegates accepted calls to a simulated Discord."""

    def __init__(self, inner: AsyncWebhookAdapter, hooks: CallHooks) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # discord.py's own
        self.inner = inner
        self._hooks = hooks

    async def request(self, route: Route, session: Any, **options: Any) -> Any:  # noqa: ANN401 - as discord.py has it
        call = _make_call(
            route.method, route.url, options.get("payload"), options.get("multipart"), options.get("files")
        )
        refusal = self._hooks.guard.decide(call)
        if refusal:
            try:
                refusing_session: Any = RefusedCallSession(self._hooks, call, refusal)
                return await super().request(route, refusing_session, **options)
            except RetryAccepted:
                pass
        altered_answer = self._hooks.guard.answer_for(call)
        if altered_answer:
            self._hooks.substitute(call, altered_answer)
            if altered_answer.drops_uploads:
                body = {key: value for key, value in call.body.items() if key != FILES_KEY}
                options = {**options, "payload": body, "multipart": None, "files": None}
        response = await self.inner.request(route, session, **options)
        self._hooks.on_accepted(call, response)
        return response


def _make_call(method: str, url: str, body: Any, form: Any, files: Sequence[File] | None) -> ApiCall:  # noqa: ANN401 - any JSON
    path = url.partition("?")[0].partition(_API_PREFIX)[2]
    for field in form or ():
        if field["name"] == "payload_json":
            body = json.loads(field["value"])
    if files and isinstance(body, Mapping):
        body = {**body, FILES_KEY: {file.filename: _file_size(file) for file in files}}
    return ApiCall(method, path[path.index("/") :], body)


def _file_size(file: File) -> int:
    position = file.fp.tell()
    size = file.fp.seek(0, io.SEEK_END)
    file.fp.seek(position)
    return size - position

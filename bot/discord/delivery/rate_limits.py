"""Reading Discord's responses before discord.py does, which retries by itself after every 429.

discord.py takes each 429 for a rate limit that passes within `retry_after` seconds. It waits and retries up to five
times, even for presses, and fails with a `KeyError` if the body has no `retry_after`. Some of Discord's codes have
status 429 without being such limits (30046: an old message was edited too often). `Client(http_trace=…)` is the public
hook by which a response can end a request: the request raises what the trace raises.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, Final

import aiohttp
import discord

from bot.discord.delivery.refusals import KIND_BY_CODE, RefusalKind

MAX_RATE_LIMIT_WAIT_S: Final = 30.0
"""Seconds that one request waits for a rate limit. Longer waits are left to the outbox."""


def make_http_trace(
    count_status: Callable[[int], None], before_request: Callable[[str], Awaitable[None]]
) -> aiohttp.TraceConfig:
    """Return a trace that counts each response by status and ends requests that should not be retried.

    `before_request` is awaited with the path of each request before it is sent.
    """

    async def on_start(_session: object, _context: object, request: aiohttp.TraceRequestStartParams) -> None:
        await before_request(request.url.path)

    async def on_end(_session: object, context: SimpleNamespace, request: aiohttp.TraceRequestEndParams) -> None:
        context.response = request.response
        count_status(request.response.status)

    async def on_body(
        _session: object, context: SimpleNamespace, part: aiohttp.TraceResponseChunkReceivedParams
    ) -> None:
        response: aiohttp.ClientResponse = context.response
        refusal = final_refusal(response, part.chunk) if response.status == 429 else None
        if refusal:
            raise refusal  # discord.py would wait and retry

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(on_start)
    trace.on_request_end.append(on_end)
    trace.on_response_chunk_received.append(on_body)
    return trace


def final_refusal(response: aiohttp.ClientResponse, body: bytes) -> discord.HTTPException | discord.RateLimited | None:
    """Return the error of a request whose response is this 429; None if discord.py may retry it after `retry_after`."""
    try:
        answer: Any = json.loads(body)
    except ValueError:
        return discord.HTTPException(response, body.decode(errors="replace"))  # a page of Cloudflare's
    wait_s = answer.get("retry_after") if isinstance(answer, dict) else None
    if not isinstance(wait_s, int | float) or KIND_BY_CODE.get(answer.get("code")) is RefusalKind.OLD_EDITS:
        return discord.HTTPException(response, answer if isinstance(answer, dict) else str(answer))
    is_from_discord = "Via" in response.headers  # else from Cloudflare, which stands in front of Discord
    return discord.RateLimited(wait_s) if is_from_discord and wait_s > MAX_RATE_LIMIT_WAIT_S else None

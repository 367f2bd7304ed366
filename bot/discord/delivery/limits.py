"""Reads Discord's answers before discord.py does, which asks again by itself after every 429.

discord.py takes each 429 for a rate limit that passes within `retry_after` seconds: it waits and asks up to five times,
for presses however long that is, and fails with a `KeyError` if the body has no `retry_after`. Some of Discord's codes
come with status 429 and are no such limits (30046: an old message was edited too often). `Client(http_trace=…)` is the
public place where a request can be ended by its answer: what a trace raises, the request raises.
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
"""How long one request waits where Discord asks for patience; the outbox waits for all that takes longer."""


def make_http_trace(count: Callable[[int], None], before: Callable[[str], Awaitable[None]]) -> aiohttp.TraceConfig:
    """Return a trace that counts every answer by its status and ends requests that no waiting helps.

    `before` each request it is waited until it may be made, by its path.
    """

    async def starts(_session: object, _context: object, request: aiohttp.TraceRequestStartParams) -> None:
        await before(request.url.path)

    async def ended(_session: object, context: SimpleNamespace, request: aiohttp.TraceRequestEndParams) -> None:
        context.response = request.response
        count(request.response.status)

    async def read(_session: object, context: SimpleNamespace, part: aiohttp.TraceResponseChunkReceivedParams) -> None:
        response: aiohttp.ClientResponse = context.response
        if response.status == 429 and (refusal := final_refusal(response, part.chunk)):
            raise refusal

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(starts)
    trace.on_request_end.append(ended)
    trace.on_response_chunk_received.append(read)
    return trace


def final_refusal(response: aiohttp.ClientResponse, body: bytes) -> discord.HTTPException | discord.RateLimited | None:
    """Return what a request whose answer is this 429 raises; None if it is made again after `retry_after`."""
    try:
        said: Any = json.loads(body)
    except ValueError:
        return discord.HTTPException(response, body.decode(errors="replace"))  # Cloudflare's page
    wait_s = said.get("retry_after") if isinstance(said, dict) else None
    if not isinstance(wait_s, int | float) or KIND_BY_CODE.get(said.get("code")) is RefusalKind.OLD_EDITS:
        return discord.HTTPException(response, said if isinstance(said, dict) else str(said))
    by_discord = "Via" in response.headers
    return discord.RateLimited(wait_s) if by_discord and wait_s > MAX_RATE_LIMIT_WAIT_S else None

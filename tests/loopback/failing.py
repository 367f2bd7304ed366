"""Answers of Discord, and of proxies before it, that refuse or delay a request."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

Failing = Callable[[], web.Response]


def as_json(status: int, body: dict[str, Any], **headers: str) -> Failing:
    """Answer as Discord's API does; discord.py takes a 429 for Discord's own only with a header `Via`."""
    return lambda: web.Response(
        status=status, body=json.dumps(body).encode(), content_type="application/json", headers=headers
    )


def as_text(status: int, text: str, kind: str = "text/plain", **headers: str) -> Failing:
    """Answer as Cloudflare or another proxy does."""
    return lambda: web.Response(status=status, text=text, content_type=kind, headers=headers)


UNAUTHORIZED = as_json(401, {"message": "401: Unauthorized", "code": 0})
BANNED_BY_CLOUDFLARE = as_text(429, "error code: 1015", **{"Retry-After": "40"})
BLOCKED_BY_CLOUDFLARE = as_text(403, "error code: 1020")
OUT_OF_ORDER = as_text(503, "<html>\n<body>503 Service Unavailable</body></html>", "text/html")
LOGIN_PAGE = as_text(200, "<html>\n<body>Welcome to the hotel</body></html>", "text/html")


def rate_limited(seconds: float) -> Failing:
    """Answer that the bot has used up its requests."""
    body = {"message": "You are being rate limited.", "retry_after": seconds, "global": True}
    return as_json(429, body, Via="1.1 google")

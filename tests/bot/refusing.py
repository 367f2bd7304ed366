"""A Discord that refuses what a test says: by method and path, and by what the request holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from tests.sea import Sea


class Refusing:
    """Refuses requests of the bot as long as it is `on`, and counts them."""

    def __init__(
        self, sea: Sea, patch: pytest.MonkeyPatch, method: str, part: str, *, status: int, code: int, times: int = 10**6
    ) -> None:
        self.on = True
        self.count = 0
        self.holding: Callable[[str, int], bool] = lambda *_: True
        """Whether a request is refused, by its body as text and the bytes of its files."""
        real = sea.bot.http.request

        async def request(route: Any, *, files: Any = None, form: Any = None, **given: Any) -> Any:
            body = json.dumps(given.get("json"), ensure_ascii=False, default=str)
            for field in form or ():
                body += str(field["value"]) if field["name"] == "payload_json" else ""
            size = sum(len(file.fp.getbuffer()) for file in files or ())
            meant = self.on and route.method == method and part in route.url and self.holding(body, size)
            if meant and self.count < times:
                self.count += 1
                response: Any = SimpleNamespace(status=status, reason="")
                kinds: dict[int, Any] = {403: discord.Forbidden, 404: discord.NotFound}
                raise kinds.get(status, discord.HTTPException)(
                    response, {"code": code, "message": "refused by the test"}
                )
            if form is not None:
                given["form"] = form
            if files is not None:
                given["files"] = files
            return await real(route, **given)

        patch.setattr(sea.bot.http, "request", request)

"""Orders to the simulated Discord to refuse requests: by method and path, and by what the request holds."""

from __future__ import annotations

import json
from collections.abc import Callable

from bot.sandbox.strict import FILES_KEY, ApiCall, DiscordError, ScriptedRefusal
from bot.sandbox.strict.values import rate_limited
from tests.sea import Sea


class Refusing:
    """Refuses and counts the bot's requests while it is `on`. Discord's 429 may lack its `retry_after`."""

    def __init__(
        self,
        sea: Sea,
        method: str,
        part: str,
        *,
        status: int,
        code: int,
        times: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        self.holding: Callable[[str, int], bool] = lambda *_: True
        """Whether a request is refused, by its body as text and the bytes of its files."""
        refusal = DiscordError(status=status, code=code, message="refused by the test")
        if status == 429:
            refusal = rate_limited(retry_after, json_code=code)
        self._order: ScriptedRefusal = sea.env.guard.add_scripted(method, part, refusal, times=times)
        self._order.predicate = self._holds

    @property
    def on(self) -> bool:
        return self._order.is_active

    @on.setter
    def on(self, on: bool) -> None:
        self._order.is_active = on

    @property
    def count(self) -> int:
        return self._order.count

    def _holds(self, call: ApiCall) -> bool:
        body = {key: value for key, value in call.body.items() if key != FILES_KEY} if call.body else None
        return self.holding(json.dumps(body, ensure_ascii=False, default=str), sum(call.files.values()))

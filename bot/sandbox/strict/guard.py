"""Decides on each call to one simulated server, and logs refusals."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from bot.sandbox.strict.rules import limits
from bot.sandbox.strict.state import ServerState
from bot.sandbox.strict.table import count_call, find_answer_of_call, find_error_of_call
from bot.sandbox.strict.values import AlteredAnswer, ApiCall, DiscordError

LOGGER_NAME: Final = "refusals"
"""A logger of its own, because refusals of a simulated Discord are not log lines of the bot."""
_MAX_BODY_CHARS: Final = 400
log = logging.getLogger(LOGGER_NAME)


class ScriptedRefusal(Struct, kw_only=True):
    """An instruction of a test script to refuse certain calls."""

    method: str  # `*` for all
    path_part: str  # which the path of the call contains
    refusal: DiscordError  # the answer to matching calls
    predicate: Callable[[ApiCall], bool] = lambda _: True  # a further condition
    times: int | None = None  # how many more calls it refuses; None: all
    is_active: bool = True  # False switches it off
    count: int = 0  # how many calls it has refused

    def matches(self, call: ApiCall) -> bool:
        return (
            self.is_active
            and self.times != 0
            and self.method in {"*", call.method}
            and self.path_part in call.path
            and self.predicate(call)
        )


class LoggedRefusal(Struct, frozen=True):
    call: str  # method, path and the beginning of the body
    refusal: DiscordError
    expected: bool  # whether a script ordered or expected the refusal

    def __str__(self) -> str:
        rule = self.refusal.rule or "ordered"
        return f"{rule}: {self.refusal.status} {self.refusal.code or '-'} {self.call}"


class CallGuard:
    def __init__(self, state: ServerState) -> None:
        self.state = state
        self.scripted: list[ScriptedRefusal] = []  # orders of a test, tried first
        self.expected: set[str] = set()  # names of rules whose refusals are no errors
        self.refused: list[LoggedRefusal] = []  # all refusals so far

    def add_scripted(
        self, method: str, part: str, refusal: DiscordError, *, times: int | None = None
    ) -> ScriptedRefusal:
        """Refuse matching calls from now on, before any rule decides, `times` times or always."""
        scripted_refusal = ScriptedRefusal(method=method, path_part=part, refusal=refusal, times=times)
        self.scripted.append(scripted_refusal)
        return scripted_refusal

    def decide(self, call: ApiCall) -> DiscordError | None:
        """Return the refusal of a call and log it, or count the accepted call and return None."""
        scripted_refusal = next((scripted for scripted in self.scripted if scripted.matches(call)), None)
        if scripted_refusal:
            scripted_refusal.count += 1
            scripted_refusal.times = None if scripted_refusal.times is None else scripted_refusal.times - 1
        refusal = scripted_refusal.refusal if scripted_refusal else find_error_of_call(call, self.state)
        if refusal is None:
            count_call(call, self.state)
            return None
        limits.count_refused(refusal, self.state)
        is_expected = scripted_refusal is not None or refusal.rule in self.expected
        entry = LoggedRefusal(_describe_call(call), refusal, is_expected)
        self.refused.append(entry)
        log.log(logging.DEBUG if entry.expected else logging.ERROR, "Discord refuses a call: %s", entry)
        return refusal

    def answer_for(self, call: ApiCall) -> AlteredAnswer | None:
        return find_answer_of_call(call, self.state)

    @property
    def unexpected(self) -> list[LoggedRefusal]:
        return [entry for entry in self.refused if not entry.expected]


def _describe_call(call: ApiCall) -> str:
    body: Any = call.body
    return f"{call} {json.dumps(body, ensure_ascii=False, default=str)[:_MAX_BODY_CHARS]}"

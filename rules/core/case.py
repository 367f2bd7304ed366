"""Test cases in JSON for games without a case notation of their own: a setup, one step, and the result."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder
from rules.core.parsing import decode_checked
from rules.core.protocol import Setup


class SetupCase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The start of a game and, optionally, its first step."""

    ruleset: str
    setup: Setup
    seed: str = "00"  # seed of the dice, in hex
    answers: dict[str, str] = {}
    """Answers by request id. A missing answer is that of a missed deadline."""

    def __post_init__(self) -> None:
        bytes.fromhex(self.seed)


def adjudicate_case(game: Any, data: bytes) -> dict[str, Any]:  # noqa: ANN401 - a `Ruleset`, which is made from this
    """Begin a game, carry out its first step if the case has answers, and return events, pending requests and result.

    Raises `OrderError` if the case is unreadable or the rules refuse its setup or an answer.
    """
    case = decode_checked(data, SetupCase, "json", "bad_json", piece="case")
    step = game.start(case.setup, Dice(seed=case.seed))
    if case.answers:
        requests = [request for request in game.pending_requests(step.state) if not (request.ahead or request.battle)]
        if unknown := sorted({*case.answers} - {request.id for request in requests}):
            raise IllegalOrder("not_asked", "", piece=unknown[0], asked=", ".join(request.id for request in requests))
        answers = {
            request.id: game.parse_answer(step.state, request, case.answers[request.id])
            if request.id in case.answers
            else game.default_answer(step.state, request)
            for request in requests
            if request.id in case.answers or not request.optional
        }
        step = game.resolve(step.state, answers)
    return {
        "events": msgspec.to_builtins(step.events),
        "pending": [msgspec.to_builtins(request) for request in game.pending_requests(step.state)],
        "result": msgspec.to_builtins(game.result(step.state)),
    }

"""One JSON case in, one result out, for games that have no notation of their own for cases."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder
from rules.core.parsing import decode_checked
from rules.core.protocol import Setup


class SetupCase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game as it begins, and one step of it."""

    ruleset: str
    """The game's name, as in its setup."""
    setup: Setup
    seed: str = "00"
    """Of its dice, as hex."""
    answers: dict[str, str] = {}
    """By request. Who is not named gives the answer of a missed deadline."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for a seed that is no hex."""
        bytes.fromhex(self.seed)


def adjudicate_case(game: Any, data: bytes) -> dict[str, Any]:  # noqa: ANN401 - a `Ruleset`, which is made from this
    """Begin a game, and carry out its first step if there are answers: the events, what is asked then, and the result.

    Raises `OrderError` for what cannot be read, for a setup or an answer that the rules refuse.
    """
    case = decode_checked(data, SetupCase, "json", "bad_json", piece="case")
    step = game.start(case.setup, Dice(seed=case.seed))
    if case.answers:
        asked = [request for request in game.pending_requests(step.state) if not (request.ahead or request.battle)]
        if strange := sorted({*case.answers} - {request.id for request in asked}):
            raise IllegalOrder("not_asked", "", piece=strange[0], asked=", ".join(request.id for request in asked))
        given = {
            request.id: game.parse_answer(step.state, request, case.answers[request.id])
            if request.id in case.answers
            else game.default_answer(step.state, request)
            for request in asked
            if request.id in case.answers or not request.optional
        }
        step = game.resolve(step.state, given)
    return {
        "events": msgspec.to_builtins(step.events),
        "pending": [msgspec.to_builtins(request) for request in game.pending_requests(step.state)],
        "result": msgspec.to_builtins(game.result(step.state)),
    }

"""A hint is true: all that it orders is possible as far as anybody can know, and guesses are called guesses."""

import random

import pytest

from bot.jobs import drafts, stored
from rules.core.protocol import Draft
from rules.core.registry import RULESETS
from tests.laws.hints import REFUSED, is_avoidable
from tests.laws.length import times
from tests.laws.play import tape

POSITIONS = times(8, 1000)
"""Of each game, from games that were played at random."""
OF_A_GAME = times(3, 20)
ORDERS = ("orders", "act")
"""Requests that are answered with what ships do."""


@pytest.mark.parametrize("system", list(REFUSED))
def test_a_hint_holds_nothing_that_the_rules_refuse(system: str) -> None:
    rules, rng, looked, number = RULESETS[system], random.Random(system), 0, 0
    while looked < POSITIONS:
        game = tape(system, number)
        moments = [(turn.before, request) for turn in game.turns for request in turn.requests if request.kind in ORDERS]
        for state, request in rng.sample(moments, min(OF_A_GAME, len(moments))):
            hint = drafts.compute_hint(system, stored.encode(state), request, f"{looked:032x}")
            answer = rules.parse_answer(state, request, hint.answer)
            assert rules.format_answer(request, answer) == hint.answer
            for text in rules.draft_warnings(state, request, Draft(hint.answer)):
                if text.key == "warn.aground.house":
                    continue  # burning houses is a raid's goal, though it costs something
                # By land and among friends to fire at nobody may be all that is left to do.
                assert text.key == "warn.fire", (number, request.id, hint)
                assert not is_avoidable(state, request, answer, text.params["galley"]), (number, request.id, hint)
            assert not list(REFUSED[system](state, request, answer, hint.odds)), (number, request.id, hint)
            looked += 1
        number += 1

"""Attack: the button under a hint puts other orders into the draft than those that the hint shows."""

from __future__ import annotations

import pytest

from bot.work import drafts
from bot.work.stored import encode
from rules.dice import Dice
from rules.protocol import EMPTY, Setup
from rules.registry import RULESETS
from tests.sea import ABEAM


@pytest.mark.parametrize("level", ["deckhand", "admiral"])
def test_the_hint_that_is_taken_is_the_hint_that_was_shown(level: str) -> None:
    rules = RULESETS["matchbox"]
    setup = Setup(system="matchbox", teams=(0, 1), options={"captain": level}, position=ABEAM)
    state = rules.start(setup, Dice(seed="00")).state
    body, mine = encode(state), rules.pending(state)[0]
    assert mine.kind == "orders"
    for number in range(8):
        whims = f"{number:032x}"
        shown = drafts.hint("matchbox", body, mine, whims).answer
        taken = drafts.take("matchbox", body, mine, EMPTY, whims).draft.text
        assert taken == drafts.amend("matchbox", body, mine, EMPTY, shown).draft.text

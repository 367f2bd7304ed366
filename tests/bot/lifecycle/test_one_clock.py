"""All that a captain is asked in the middle of a turn shares one clock: questions don't add up to days."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from bot.presenters.asked import PendingRequest
from rules.squadrons.interface.flow.requests import DECISION_TIMEOUT_S
from tests.bot.captains import in_words, play, wanted
from tests.laws.invariants_squadrons import MELEE
from tests.sea import Sea

ASKS = "pass\ndoctrine all: avoid=ask fire=ask retract=ask order=ask"
SLOW_S = 50 * 60  # that the slow captain takes for each question


class Slow:
    """Answers as the computer does, for one captain late; notes the seconds that the questions of each round took."""

    def __init__(self, slow: Any) -> None:
        self.slow = slow
        self.waited: Counter[int] = Counter()
        self.missed = 0

    async def answer(self, sea: Sea, who: Any, pending: PendingRequest) -> None:
        """Answer, and want to be asked everything."""
        row = pending.row
        if who is self.slow and row.body.within:
            assert row.deadline is not None
            takes = min(SLOW_S, row.deadline - sea.bot.services.now())
            self.waited[row.body.round] += takes
            await sea.env.advance_time(takes)
            await sea.settle()
            again = await sea.asked(who)
            if again is None or again.row.id != row.id:
                self.missed += 1
                return
        await sea.write(who, ASKS if row.body.kind == "orders" else in_words(pending, wanted(pending)))
        if (again := await sea.asked(who)) and again.row.id == row.id:
            await sea.press(who, sea.reply(who), "seal")
        await sea.settle()


MANY = {"battle": "100", "strict": "both"}
AMONG_OTHERS = {"order": "squadron"}


@pytest.mark.parametrize(("options", "position"), [(MANY, ""), (AMONG_OTHERS, MELEE)])
async def test_all_questions_of_a_turn_have_two_hours_together(
    sea: Sea, options: dict[str, str], position: str
) -> None:
    """Also where other orders are asked for between them."""
    chosen = {"system": "squadrons", "sides": "first", **options}
    await (sea.begin_at(position, sea.bela, **chosen) if position else sea.begin(sea.bela, **chosen))
    captains = Slow(sea.anna)
    await play(sea, [sea.bela, sea.anna], captains.answer, rounds=5 if position else 1)
    assert max(captains.waited.values()) <= DECISION_TIMEOUT_S, captains.waited
    assert captains.missed
    assert not [row["missed"] for row in sea.rows("seats")["seats"] if row["missed"]], "that is no absence"

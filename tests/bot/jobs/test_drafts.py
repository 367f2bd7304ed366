"""Drafts of long texts: what a message repeats costs a worker no more than once."""

from __future__ import annotations

import pytest

from bot.jobs import drafts
from bot.jobs.stored import encode
from rules.chance.dice import Dice
from rules.core.protocol import EMPTY_DRAFT, Setup
from rules.core.registry import RULESETS
from rules.squadrons.interface.drafts import sheets

GAME = RULESETS["squadrons"]


def test_repeat_costs_no_more_than_once(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = Setup(system="squadrons", teams=(0, 1), options={"battle": "400", "sides": "first"})
    state = GAME.start(setup, Dice(seed="00")).state
    own = [ship.id for ship in state.position.ships if ship.id[0] == "B"]
    mine, theirs = GAME.pending_requests(state)
    text = "\n".join(f"{name} {'CM'[number % 2]}\n{name}: F S P" for number, name in enumerate(own, 1))
    first = GAME.parse_answer(state, mine, text)
    state = GAME.resolve(state, {mine.id: first, theirs.id: GAME.parse_answer(state, theirs, "pass")}).state
    asked, body = GAME.pending_requests(state)[0], encode(state)
    taken: list[str] = []
    again = sheets.repeat_last

    def counted(context: sheets.OrderContext, draft: sheets.OrderDraft) -> sheets.OrderDraft:
        taken.append("repeat")
        return again(context, draft)

    monkeypatch.setattr(sheets, "repeat_last", counted)
    once = drafts.type_text("squadrons", body, asked, EMPTY_DRAFT, "repeat")
    least = len(taken)
    assert least
    assert drafts.type_text("squadrons", body, asked, EMPTY_DRAFT, "repeat\n" * 140) == once
    assert len(taken) == 2 * least

"""Drafts of long texts, and answers in a captain's place: neither costs nor carries out more than it should."""

from __future__ import annotations

import pytest

from bot.jobs import drafts, play
from bot.jobs.stored import encode
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Setup
from rules.core.registry import RULESETS
from rules.squadrons.engine.sea import fleets
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
    request, body = GAME.pending_requests(state)[0], encode(state)
    taken: list[str] = []
    again = sheets.repeat_last

    def counted(context: sheets.OrderContext, draft: sheets.OrderDraft) -> sheets.OrderDraft:
        taken.append("repeat")
        return again(context, draft)

    monkeypatch.setattr(sheets, "repeat_last", counted)
    once = drafts.type_text("squadrons", body, request, EMPTY_DRAFT, drafts.TypedText("repeat", {}))
    least = len(taken)
    assert least
    assert drafts.type_text("squadrons", body, request, EMPTY_DRAFT, drafts.TypedText("repeat\n" * 140, {})) == once
    assert len(taken) == 2 * least


def test_a_default_that_the_rules_refuse_is_not_carried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when fewer galleys could be built than the stock fleet has: no record fails for what nobody chose."""
    options = {"battle": "400", "fleet": "points", "sides": "first"}
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice(seed="00")).state
    requests = {request.id: None for request in GAME.pending_requests(state)}
    assert play.carry_out_answers("squadrons", encode(state), requests).pending
    monkeypatch.setattr(fleets, "MAX_GALLEYS", fleets.MAX_GALLEYS - 1)
    with pytest.raises(OrderError, match="too_many_ships"):
        play.carry_out_answers("squadrons", encode(state), requests)

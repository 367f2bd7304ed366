"""What the rules answer in a captain's place is carried out only if it would hold when the game is verified."""

from __future__ import annotations

import pytest

from bot.work import play
from bot.work.stored import encode
from rules.dice import Dice
from rules.errors import OrderError
from rules.protocol import Setup
from rules.registry import RULESETS
from rules.squadrons.table.sea import fleets

GAME = RULESETS["squadrons"]


def test_a_default_that_the_rules_refuse_is_not_carried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when fewer galleys could be built than the stock fleet has: no record fails for what nobody chose."""
    options = {"battle": "400", "fleet": "points", "sides": "first"}
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice(seed="00")).state
    asked = {request.id: None for request in GAME.pending(state)}
    assert play.carry_out_answers("squadrons", encode(state), asked).pending
    monkeypatch.setattr(fleets, "MAX_GALLEYS", fleets.MAX_GALLEYS - 1)
    with pytest.raises(OrderError, match="too_many_ships"):
        play.carry_out_answers("squadrons", encode(state), asked)

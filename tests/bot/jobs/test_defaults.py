"""What the rules answer in a captain's place is carried out only if it would hold when the game is verified."""

from __future__ import annotations

import pytest

from bot.jobs import play
from bot.jobs.stored import encode
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Setup
from rules.core.registry import RULESETS
from rules.squadrons.engine.sea import fleets

GAME = RULESETS["squadrons"]


def test_a_default_that_the_rules_refuse_is_not_carried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when fewer galleys could be built than the stock fleet has: no record fails for what nobody chose."""
    options = {"battle": "400", "fleet": "points", "sides": "first"}
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice(seed="00")).state
    asked = {request.id: None for request in GAME.pending_requests(state)}
    assert play.carry_out_answers("squadrons", encode(state), asked).pending
    monkeypatch.setattr(fleets, "MAX_GALLEYS", fleets.MAX_GALLEYS - 1)
    with pytest.raises(OrderError, match="too_many_ships"):
        play.carry_out_answers("squadrons", encode(state), asked)

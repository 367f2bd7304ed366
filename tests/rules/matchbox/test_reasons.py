"""Why the first mate orders what he orders."""

from __future__ import annotations

import pytest

from rules.dice import Dice
from rules.protocol import Setup
from rules.registry import RULESETS
from rules.view import Text

GAME = RULESETS["matchbox"]
ACROSS = "900x600 ; A1:south 6-6+2/6 @450,110^0 ; B1:north 5-5+3/5 @480,300^90"
BESIDE = "900x600 ; A1:south 5-5+3/5 @400,290^0 ; B1:north 5-5+3/5 @475,290^0"
OFF = "900x600 ; A1:south 5-5+3/5 @450,110^0 ; B1:north 5-5+3/5 @450,490^180"
OUT_OF_REACH = "1600x900 ; A1:south 5-5+3/5 @450,110^0 ; B1:north 5-5+3/5 @450,800^180"
AFAR = "900x600 ; A1:south 2-6+0/6 @450,110^0 ; B1:north 5-5+3/5 @480,500^180"


def why(position: str, orders: str) -> Text:
    state = GAME.at(position)
    request = GAME.pending(state)[0]
    return GAME.reason(GAME.view(state, 0), GAME.parse(state, request, orders))


@pytest.mark.parametrize(
    ("position", "orders", "key"),
    [
        (ACROSS, "A1 FFFFF", "meet"),
        (ACROSS, "A1 RRRFF", "away"),
        (BESIDE, "A1 XFFFF", "fire"),
        (AFAR, "A1 FF", "nearer"),
        (AFAR, "A1 ZZFF", "mend"),
        (OFF, "A1 XXFFF", "wait"),
        (OFF, "A1 FFFFF", "nearer"),
        (OUT_OF_REACH, "A1 XXFFF", "nearer"),
    ],
)
def test_the_weightiest_reason_is_given(position: str, orders: str, key: str) -> None:
    assert why(position, orders).key == f"reason.{key}"


def test_a_ram_counts_its_run_and_its_step() -> None:
    found = why(ACROSS, "A1 FFFFF").params
    # The wreck's side lies 172.5 mm ahead, a little less than four matches.
    assert found == {"galley": "A1", "foe": "B1", "step": 4, "run": 4}


def test_a_view_of_another_game_is_refused() -> None:
    other = RULESETS["forts"]
    elsewhere = other.start(Setup(system="forts", teams=(0, 1)), Dice(seed="0" * 64)).state
    state = GAME.at(AFAR)
    answer = GAME.parse(state, GAME.pending(state)[0], "A1 FF")
    with pytest.raises(TypeError):
        GAME.reason(other.view(elsewhere, 0), answer)

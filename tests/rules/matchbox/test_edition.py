"""A state names the edition of the rules by which its game began, so that the game goes on by it."""

from collections import Counter

import msgspec
import pytest

from rules.dice import Dice
from rules.matchbox.table import points
from rules.matchbox.table.state import State
from rules.protocol import Setup
from tests.rules.matchbox.play import GAME, SEED, orders

POSITION = "1200x800 ; A1:south 6-6+2/6 @600,330^40 ; B1:north 5-5+3/5 @650,400^90"
"""A1 will lie 0.0000002 mm deep in B1's side (W14), along which B1 slides all the same (MB-5.5)."""


def test_a_game_keeps_its_edition():
    start = GAME.start(Setup(system="matchbox", teams=(0, 1), position=POSITION, edition=1), Dice(SEED)).state
    assert msgspec.json.decode(msgspec.json.encode(start))["edition"] == 1
    assert msgspec.json.decode(msgspec.json.encode(start), type=State) == start
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**msgspec.to_builtins(start), "edition": 99}, State)


def test_a_break_out_goes_on_with_the_fleet_with_which_it_began():
    options = {"scenario": "break-out", "deployment": "ready"}
    before = Setup(system="matchbox", teams=(0, 1), options=options)
    today = GAME.dated(before)
    assert today.edition == 3

    def south(setup: Setup) -> Counter[str]:
        state = GAME.start(setup, Dice(SEED)).state
        return Counter(points.of(galley).text for galley in state.galleys if galley.side == "south")

    assert south(before) == south(msgspec.structs.replace(today, edition=1)) == {"6": 3}
    assert south(today) == {"5s": 2, "6": 1, "4f": 1}
    plain = Setup(system="matchbox", teams=(0, 1), options={"points": "36"})
    assert GAME.dated(plain) == plain, "nothing is written down that the options say"


def test_galleys_in_contact_slide_along_each_other():
    start = GAME.start(Setup(system="matchbox", teams=(0, 1), position=POSITION), Dice(SEED)).state
    after = GAME.resolve(start, orders(start, A="A1 FFFXX", B="B1 XXXFF")).state
    (ship,) = (galley for galley in after.galleys if galley.id == "B1")
    assert ship.pose.x_mm == pytest.approx(740.0)

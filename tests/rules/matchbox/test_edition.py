"""A state names the edition of the rules by which its game began, so that the game goes on by it."""

from collections import Counter

import msgspec
import pytest

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.matchbox.engine import points
from rules.matchbox.engine.state import NEWEST_EDITION, State
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
    today = GAME.with_edition(before)
    assert today.edition == NEWEST_EDITION

    def south(setup: Setup) -> Counter[str]:
        state = GAME.start(setup, Dice(SEED)).state
        return Counter(points.build_of_galley(galley).text for galley in state.galleys if galley.side == "south")

    assert south(before) == south(msgspec.structs.replace(today, edition=1)) == {"6": 3}
    assert south(today) == {"5s": 2, "6": 1, "4f": 1}


def test_fleets_go_on_with_the_prices_with_which_the_game_began():
    def begun(points: str, *, dated: bool) -> State:
        setup = Setup(system="matchbox", teams=(0, 1), options={"points": points})
        return GAME.start(GAME.with_edition(setup) if dated else setup, Dice(SEED)).state

    def price(state: State) -> int:
        return points.build_cost(points.parse_build("4"), state.edition)

    assert [price(begun("36", dated=dated)) for dated in (False, True)] == [12, 13]
    for former, costs in (("usual", 10), ("30", 11)):  # lobbies of that time say which edition is theirs
        assert {price(begun(former, dated=dated)) for dated in (False, True)} == {costs}
    plain = Setup(system="matchbox", teams=(0, 1))
    assert GAME.with_edition(plain) == plain, "nothing hangs on it"


def test_galleys_in_contact_slide_along_each_other():
    start = GAME.start(Setup(system="matchbox", teams=(0, 1), position=POSITION), Dice(SEED)).state
    after = GAME.resolve(start, orders(start, A="A1 FFFXX", B="B1 XXXFF")).state
    (ship,) = (galley for galley in after.galleys if galley.id == "B1")
    assert ship.pose.x_mm == pytest.approx(740.0)

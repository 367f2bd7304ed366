"""Counts of captains' moves, shots and sinkings, and the expected results of their dice."""

import hashlib
import math

import pytest

from rules.chance.dice import Dice
from rules.core.protocol import Event, Setup
from rules.forts.engine import counting
from rules.forts.engine.events import MoveUndone, ShipMoved, ShipSunk, ShotFired, TurnBegan, WindRolled
from rules.forts.game import Forts
from rules.interface.statistics import DiceLuck, Statistics, SuccessRate, add_statistics
from tests.laws.length import times

RULES = Forts()
NEAR_AND_FAR = (
    "two_forts 7 white wind - 3 white=west BB/BB ; wBB@G4 1 s3 ; wGA@F4 0 s2 ; rBB@R6 0 ; rGA@G6 0 ; rBR@F5 0"
)


NOTHING = Statistics(counts={"turns": 0, "sunk": 0, "lost": 0, "captured": 0})


def tally(*events: Event) -> dict[int, Statistics]:
    start = RULES.start(Setup(system=RULES.name, teams=(0, 1), options={"colours": "first"}), Dice(seed="5eed"))
    assert start.state.seats == (0, 1)
    return counting.count_statistics(start.state, events)


def happened(captain: Statistics) -> dict[str, int]:
    """Return the counts that are not 0."""
    return {key: n for key, n in captain.counts.items() if n}


def shot(need: int, die: int, **fields: object) -> ShotFired:
    where = {"start": "D5", "end": "D6", "distance": 1, "plunging": need == 5, "left": 2}
    return ShotFired(**{"by": "wBB", "to": "rGA", "need": need, "die": die, "hit": die >= need, **where, **fields})


def test_a_move_that_was_taken_back_is_none():
    sailed = ShipMoved(ship="wFR", start="D5", end="D6", path=("D5", "D6"), steps=1)
    counts = tally(sailed, sailed, MoveUndone(ship="wFR", start="D6", end="D5"))
    assert counts[0].orders == {"sail.FR": 1}
    assert counts[1] == NOTHING
    assert tally(sailed, MoveUndone(ship="wFR", start="D6", end="D5"))[0].orders == {}


@pytest.mark.parametrize(("need", "chance"), [(2, 5 / 6), (3, 4 / 6), (5, 2 / 6)])
def test_a_shot_owes_as_many_sixths_as_there_are_faces_that_hit(need, chance):
    counts = tally(shot(need, 6), shot(need, 1))[0]
    assert counts.rates["shots"] == SuccessRate(1, 2)
    assert counts.orders == {"shoot.BB": 2}
    luck = counts.luck["shots"]
    assert (luck.got, luck.expected) == (1, pytest.approx(2 * chance))
    assert luck.variance == pytest.approx(2 * chance * (1 - chance))


def test_wind_is_counted_for_the_captain_who_rolled_it():
    rolled = WindRolled(turn=1, seat=0, colour="white", die=3, wind="wind")
    later_wind = WindRolled(turn=2, seat=1, colour="red", die=0, wind="wind")
    counts = tally(TurnBegan(turn=1, seat=0, colour="white", ships=()), rolled, later_wind)
    assert counts[0].luck == {"wind": DiceLuck(1, pytest.approx(4 / 6), pytest.approx(2 / 9), 1)}
    assert happened(counts[0]) == {"turns": 1}
    assert counts[1] == NOTHING


def test_a_sinking_is_counted_for_both():
    counts = tally(ShipSunk(ship="rGA", by="wBB", hex="D6", flagship=False))
    assert happened(counts[0]) == {"sunk": 1}
    assert happened(counts[1]) == {"lost": 1}


def test_many_shots_and_winds_give_what_they_owe_and_would_show_it_if_that_were_wrong():
    counts = add_statistics(captain for number in range(times(600, 6000)) for captain in _broadside(number).values())
    assert counts.rates["shots"].tries == 5 * times(600, 6000)
    for key in ("shots", "wind"):
        luck = counts.luck[key]
        for factor in (0.85, 1.0, 1.15):
            off = abs(luck.got - factor * luck.expected)
            assert (off < 4 * math.sqrt(luck.variance)) == (factor == 1.0), key


def _broadside(number: int) -> dict[int, Statistics]:
    """Play a player-turn with shots at a near and a farther ship, up to the wind of the next."""
    setup = Setup(system=RULES.name, teams=(0, 1), position=NEAR_AND_FAR, options={"colours": "first"})
    step = RULES.start(setup, Dice(seed=hashlib.sha256(b"%d" % number).hexdigest()))
    (request,) = (request for request in RULES.pending_requests(step.state) if request.kind == "act")
    done = RULES.resolve(step.state, {request.id: RULES.parse_answer(step.state, request, "BB*GA; GA*BR; end")})
    return counting.count_statistics(done.state, (*step.events, *done.events))

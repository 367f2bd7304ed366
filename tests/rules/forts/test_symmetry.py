"""A board turned by half, with the colours swapped, plays the same player-turn."""

import random

import pytest
from msgspec import structs

from rules.forts.table import fire, notation, sailing, turn
from rules.forts.table.boards import TWO_FORTS, half_turn
from rules.forts.table.case import Listed, tell
from rules.forts.table.state import CODES, End, Move, Shots, Target
from rules.forts.table.turn import Play
from tests.laws.length import times
from tests.rules.forts.sea_room import position, turned

CASES = times(150, 10_000)
SWAP = {"white": "red", "red": "white", "draw": "draw", None: None}
FORTS = {"west": "east", "east": "west"}
NAMES = {"w": "r", "r": "w"}


def plan(rng, of):
    """Actions of any temper, many of them possible."""
    found = []
    for ship in rng.sample(of.ships, len(of.ships)):
        if ship.colour == of.active:
            reach = list(sailing.ways(of, ship))
            targets = tuple(Target(rng.choice(CODES), rng.randrange(3)) for _ in range(rng.randrange(1, 3)))
            found += rng.sample([Move(ship.code, rng.choice(reach or ["K1"])), Shots(ship.code, targets)], 2)
    return (*found, End()) if rng.random() < 0.5 else tuple(found)


def mirrored(action):
    return structs.replace(action, hex=half_turn(TWO_FORTS, action.hex)) if isinstance(action, Move) else action


def played(of, actions, dice):
    play = turn.open_turn(Play(position=of, cup=Listed(tuple(dice))))
    for action in actions:
        if play.winner or play.ended:
            break
        if turn.hindrance(play.position, action) is None:
            play = turn.carry_out(play, action)
    return play if play.winner else turn.close_turn(play)


def seen_mirrored(told):
    """An event of the turned board as it would be told of the other."""
    back = dict(told)
    for field in ("ship", "by", "to", "from"):
        if field in back:
            value = back[field]
            back[field] = NAMES[value[0]] + value[1:] if value[1:] in CODES else half_turn(TWO_FORTS, value)
    if "fort" in back:
        back["fort"] = FORTS[back["fort"]]
    if back["type"] == "scored":
        back["white"], back["red"] = back["red"], back["white"]
    return back


@pytest.mark.parametrize("seed", range(CASES))
def test_a_turned_board_plays_the_same(seed):
    rng = random.Random(seed)
    one = position(rng)
    other = turned(one)
    assert notation.parse(notation.write(one)) == one
    assert notation.parse(notation.write(other)) == other
    todo, dice = plan(rng, one), [rng.randrange(1, 7) for _ in range(8)]
    there, back = played(one, todo, dice), played(other, tuple(map(mirrored, todo)), dice)
    told = [seen_mirrored(tell(event)) for event in back.events]
    assert told == [tell(event) for event in there.events]
    assert back.winner == SWAP[there.winner]
    assert back.position == turned(there.position)


@pytest.mark.parametrize("seed", range(20))
def test_reach_and_fire_are_the_same_on_a_turned_board(seed):
    one = position(random.Random(seed))
    other = turned(one)
    for ship in one.ships:
        twin = next(each for each in other.ships if each.colour != ship.colour and each.code == ship.code)
        steps = {half_turn(TWO_FORTS, label): len(way) for label, way in sailing.ways(one, ship).items()}
        assert {label: len(way) for label, way in sailing.ways(other, twin).items()} == steps
        lines = {(line.to[1:], line.fire, line.need, line.distance) for line in fire.lines(one, ship)}
        assert {(line.to[1:], line.fire, line.need, line.distance) for line in fire.lines(other, twin)} == lines

"""A board turned by half, with the colours swapped, plays the same player-turn."""

import random

import pytest
from msgspec import structs

from rules.forts.engine import fire, notation, sailing, turn
from rules.forts.engine.boards import TWO_FORTS, opposite_hex
from rules.forts.engine.case import ListedDice, event_to_json
from rules.forts.engine.state import CODES, EndOrder, MoveOrder, ShootOrder, Target
from rules.forts.engine.turn import TurnInProgress
from tests.laws.length import times
from tests.rules.forts.sea_room import position, turned

CASES = times(150, 10_000)
SWAP = {"white": "red", "red": "white", "draw": "draw", None: None}
FORTS = {"west": "east", "east": "west"}
NAMES = {"w": "r", "r": "w"}


def plan(rng, of):
    """Return random actions, many of them possible."""
    actions_drawn = []
    for ship in rng.sample(of.ships, len(of.ships)):
        if ship.colour == of.active_colour:
            reach = list(sailing.shortest_ways(of, ship))
            targets = tuple(Target(rng.choice(CODES), rng.randrange(3)) for _ in range(rng.randrange(1, 3)))
            actions_drawn += rng.sample(
                [MoveOrder(ship.code, rng.choice(reach or ["K1"])), ShootOrder(ship.code, targets)], 2
            )
    return (*actions_drawn, EndOrder()) if rng.random() < 0.5 else tuple(actions_drawn)


def mirrored(action):
    return structs.replace(action, hex=opposite_hex(TWO_FORTS, action.hex)) if isinstance(action, MoveOrder) else action


def played(of, actions, dice):
    play = turn.open_turn(TurnInProgress(position=of, dice_source=ListedDice(tuple(dice))))
    for action in actions:
        if play.winner or play.is_over:
            break
        if turn.find_hindrance(play.position, action) is None:
            play = turn.carry_out(play, action)
    return play if play.winner else turn.close_turn(play)


def seen_mirrored(event):
    """Map an event of the turned board to the other."""
    back = dict(event)
    for field in ("ship", "by", "to", "from"):
        if field in back:
            value = back[field]
            back[field] = NAMES[value[0]] + value[1:] if value[1:] in CODES else opposite_hex(TWO_FORTS, value)
    if "fort" in back:
        back["fort"] = FORTS[back["fort"]]
    if back["type"] == "scored":
        back["white"], back["red"] = back["red"], back["white"]
    return back


@pytest.mark.parametrize("seed", range(CASES))
def test_a_turned_board_plays_the_same(seed):
    rng = random.Random(seed)
    board = position(rng)
    other = turned(board)
    assert notation.parse_position(notation.format_position(board)) == board
    assert notation.parse_position(notation.format_position(other)) == other
    todo, dice = plan(rng, board), [rng.randrange(1, 7) for _ in range(8)]
    there, back = played(board, todo, dice), played(other, tuple(map(mirrored, todo)), dice)
    events = [seen_mirrored(event_to_json(event)) for event in back.events]
    assert events == [event_to_json(event) for event in there.events]
    assert back.winner == SWAP[there.winner]
    assert back.position == turned(there.position)


@pytest.mark.parametrize("seed", range(20))
def test_reach_and_fire_are_the_same_on_a_turned_board(seed):
    board = position(random.Random(seed))
    other = turned(board)
    for ship in board.ships:
        twin = next(each for each in other.ships if each.colour != ship.colour and each.code == ship.code)
        steps = {opposite_hex(TWO_FORTS, label): len(way) for label, way in sailing.shortest_ways(board, ship).items()}
        assert {label: len(way) for label, way in sailing.shortest_ways(other, twin).items()} == steps
        lines = {(line.to[1:], line.fire, line.need, line.distance) for line in fire.fire_lines(board, ship)}
        assert {(line.to[1:], line.fire, line.need, line.distance) for line in fire.fire_lines(other, twin)} == lines

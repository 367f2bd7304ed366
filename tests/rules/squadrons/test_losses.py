"""Scores of hulls, ships that go down together, and successors of a lost leader."""

import pytest

from rules.chance.dice import ListedDice
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import Doctrines
from rules.squadrons.engine.phases.aftermath import victory
from rules.squadrons.engine.phases.combat import sinking
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Leader, Position, Ship, id_sort_key


def ship(name, code="5", place="1512N", **fields):
    at = grid.parse_place(place)
    return Ship(id=name, code=code, bow=at.bow, facing=at.facing, **fields)


def play(*ships, dice=(), **fields):
    lying = tuple(sorted(ships, key=lambda ship: id_sort_key(ship.id)))
    position = Position(width=44, height=28, turn=3, phase="H", ships=lying, **{"target": 18, **fields})
    return TurnInProgress(position, ListedDice(dice), Doctrines())


def events_of(now, kind):
    return [event for event in now.events if isinstance(event, kind)]


@pytest.mark.parametrize(
    ("fields", "worth"),
    [
        ({}, 0),
        ({"rammed": "R1"}, 8),
        ({"status": "sunk"}, 8),
        ({"aground": 2}, 8),
        ({"held": "CAP"}, 9),
        ({"held": "CAP", "rammed": "R1"}, 9),
        ({"held": "CAP0", "rammed": "R1"}, 8),
        ({"held": "REC"}, 0),
        ({"held": "REC", "rammed": "R1"}, 8),
        ({"status": "exited", "rammed": "R1"}, 0),
    ],
)
def test_a_hull_is_scored_once(fields, worth):
    assert victory.hull_points(ship("B1", **fields)) == worth
    assert victory.victory_points(play(ship("B1", **fields), bonus=(3, 0)).position) == (3, worth)


def test_all_that_hang_on_a_ship_go_down_with_her_then_leaders_are_replaced():
    now = play(
        ship("B1", rammed="R1", squadron=1),
        ship("B2", place="1713N", squadron=1),
        ship("B3", place="1913N", squadron=1),
        ship("R1", place="1613N"),
        ship("R2", place="1814N"),
        grapples=(("B2", "R1"), ("B2", "R2")),
        fouls=(("R1", "B1"),),
        leaders=(Leader(id="BL1", name="Steady", ship="B2", tried=True),),
    )
    sinking.sink_with_linked(now, "B1", "sinks", "SQ-22.9")
    assert [(event.ship, event.cause) for event in events_of(now, events.ShipSunk)] == [
        ("B1", "sinks"),
        ("B2", "chain"),
        ("R1", "chain"),
        ("R2", "chain"),
    ]
    assert now.position.leaders == (Leader(id="BL1", name="Steady", ship="B3", reduced="perm", tried=True),)
    assert now.position.lost == (2, None)
    assert (now.position.grapples, now.position.fouls) == ((), ())
    assert now.ship_now("B1") == ship("B1", status="sunk")


@pytest.mark.parametrize(
    ("squadron", "to"), [((1, 1, 1), "B2"), ((1, 2, 1), "B3"), ((1, 2, 0), None), ((0, 0, 0), None)]
)
def test_a_deputy_is_found_on_the_nearest_galley_of_the_squadron_without_a_leader(squadron, to):
    own, near, far = squadron
    now = play(
        ship("B1", squadron=own),
        ship("B2", place="1712N", squadron=near),
        ship("B3", place="2212N", squadron=far),
        ship("B4", place="1412N", squadron=own),
        leaders=(Leader(id="BL1", name="Bold", ship="B1"), Leader(id="BL2", name="SqC", ship="B4")),
    )
    sinking.sink_with_linked(now, "B1", "burnt", "SQ-20.5")
    assert events_of(now, events.LeaderLost)[0].to == to
    assert [leader.ship for leader in now.position.leaders if leader.id == "BL1"] == ([to] if to else [])

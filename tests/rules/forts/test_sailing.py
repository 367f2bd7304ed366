"""Where ships may sail, against a search of another kind."""

import random

import pytest

from rules.forts.engine import sailing
from rules.forts.engine.boards import all_hexes, sea_hexes
from rules.geometry import hexes
from tests.rules.forts.sea_room import position


@pytest.mark.parametrize("seed", range(40))
def test_ways_are_the_shortest(seed):
    """Distances relaxed until nothing changes, as Bellman and Ford do, over the whole sea."""
    where = position(random.Random(seed))
    taken = {all_hexes(where.board)[ship.hex] for ship in where.ships}
    for ship in where.ships:
        start = all_hexes(where.board)[ship.hex]
        water = (set(sea_hexes(where.board)) - taken) | {start}
        steps = {start: 0}
        changed = True
        while changed:
            changed = False
            for here in water:
                best = min((steps[n] + 1 for n in hexes.neighbours(here) if n in steps), default=None)
                if best is not None and best < steps.get(here, 99):
                    steps[here] = best
                    changed = True
        expected = {
            sea_hexes(where.board)[here]: count for here, count in steps.items() if 0 < count <= ship.ship_class.wind
        }
        found = sailing.shortest_ways(where, ship)
        assert {label: len(way) - 1 for label, way in found.items()} == expected
        for label, way in found.items():
            assert (way[0], way[-1]) == (ship.hex, label)
        assert list(found) == sorted(found, key=lambda label: len(found[label]))

"""Lines of fire between all hexes of the board, against plain geometry in fractions."""

import random
from itertools import combinations, islice

import pytest

from rules.forts.engine import fire, sailing
from rules.forts.engine.boards import TWO_FORTS, all_hexes, hex_labels, opposite_hex, sea_hexes
from rules.forts.interface import placing
from rules.geometry import hexes
from rules.geometry.hexes import Hex
from tests.laws.length import times
from tests.rules.forts.sea_room import position
from tests.rules.outlines import met

SHIPS = (
    *placing.placed_fleet("white", placing.default_placement(TWO_FORTS.west)),
    *placing.placed_fleet("red", placing.default_placement(TWO_FORTS.east)),
)


def stops(start, end, taken):
    """Return labels of blocking hexes by geometry: crossed and barred ones, and pairs of which both are; off the board,
    ``."""
    a, b = all_hexes(TWO_FORTS)[start], all_hexes(TWO_FORTS)[end]
    crossed, pairs = met(b.q - a.q, b.r - a.r)
    name = hex_labels(TWO_FORTS)

    def barred(here):
        return Hex(a.q + here.q, a.r + here.r) not in sea_hexes(TWO_FORTS) or name[a.q + here.q, a.r + here.r] in taken

    blocking = [here for here in crossed if barred(here)]
    blocking += [here for pair in pairs if all(map(barred, pair)) for here in pair]
    return sorted(name.get((a.q + here.q, a.r + here.r), "") for here in blocking)


EVERY = times(9, 1)
"""Of so many pairs of hexes one is tried: a fourth of them has 413 of the 420 ways from one hex to another."""


@pytest.mark.slow
def test_what_lies_between_and_blocks_is_what_geometry_says_for_pairs_from_all_over_the_board():
    for start, end in islice(combinations(all_hexes(TWO_FORTS), 2), 0, None, EVERY):
        a, b = all_hexes(TWO_FORTS)[start], all_hexes(TWO_FORTS)[end]
        line = hexes.line_between(a, b)
        crossed, pairs = met(b.q - a.q, b.r - a.r)
        assert [(here.q - a.q, here.r - a.r) for here in line.crossed] == crossed
        assert [{(here.q - a.q, here.r - a.r) for here in pair} for pair in line.pairs] == pairs
        taken = {ship.hex for ship in SHIPS}
        by = [stop.hex for stop in fire.find_blockers(TWO_FORTS, SHIPS, start, end)]
        assert sorted(by) == stops(start, end, taken), (start, end)
        assert sorted(stop.hex for stop in fire.find_blockers(TWO_FORTS, SHIPS, end, start)) == sorted(by)


def test_lines_of_fire_are_the_same_after_a_half_turn():
    for start, end in combinations(sea_hexes(TWO_FORTS).values(), 2):
        if fire.hex_distance(TWO_FORTS, start, end) <= 3:
            by = {
                stop.hex and opposite_hex(TWO_FORTS, stop.hex) for stop in fire.find_blockers(TWO_FORTS, (), start, end)
            }
            turned = fire.find_blockers(TWO_FORTS, (), opposite_hex(TWO_FORTS, start), opposite_hex(TWO_FORTS, end))
            assert {stop.hex for stop in turned} == by


@pytest.mark.slow
def test_every_blocker_says_what_it_is():
    for start, end in combinations(all_hexes(TWO_FORTS), 2):
        for stop in fire.find_blockers(TWO_FORTS, SHIPS, start, end):
            ship = next((ship.id for ship in SHIPS if ship.hex == stop.hex), None)
            fort = stop.hex in (TWO_FORTS.west.fort, TWO_FORTS.east.fort)
            kind = "ship" if ship else "fort" if fort else "land" if stop.hex in TWO_FORTS.land else "edge"
            assert (stop.kind, stop.ship) == (kind, ship)


def test_no_gun_reaches_a_start_hex_in_the_first_player_turn():
    """NB-01.13: even a frigate, the fastest, with the longest range."""
    for start in TWO_FORTS.west.start:
        for end in TWO_FORTS.east.start:
            assert fire.hex_distance(TWO_FORTS, start, end) > 5 + 3


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
        ways = sailing.shortest_ways(where, ship)
        assert {label: len(way) - 1 for label, way in ways.items()} == expected
        for label, way in ways.items():
            assert (way[0], way[-1]) == (ship.hex, label)
        assert list(ways) == sorted(ways, key=lambda label: len(ways[label]))

"""Hexes: labels, neighbours, and what lies between, against plain geometry."""

from itertools import product

import pytest

from rules.geometry import hexes
from rules.geometry.hexes import Hex
from tests.rules.outlines import met

FAR = 6


@pytest.mark.slow
def test_what_lies_between_two_hexes_is_what_geometry_says():
    """In all directions as far as fleets shoot; a game tries it for its whole board."""
    for q, r in product(range(-FAR, FAR + 1), range(-FAR, FAR + 1)):
        line = hexes.line_between(Hex(0, 0), Hex(q, r))
        assert (list(line.crossed), [frozenset(pair) for pair in line.pairs]) == met(q, r), (q, r)


@pytest.mark.parametrize("to", [Hex(3, -1), Hex(-2, 5), Hex(4, 4), Hex(-7, 2)])
def test_the_way_back_runs_through_the_same_hexes(to):
    there, back = hexes.line_between(Hex(0, 0), to), hexes.line_between(to, Hex(0, 0))
    assert there.crossed == back.crossed[::-1]
    assert {frozenset(pair) for pair in there.pairs} == {frozenset(pair) for pair in back.pairs}


@pytest.mark.parametrize("lower", ["odd", "even"])
def test_labels_and_columns_are_read_as_they_are_written(lower):
    for column, row in product(range(26), range(99)):
        here = hexes.hex_at(column, row, lower)
        assert hexes.column_and_row(here, lower) == (column, row)
        assert hexes.parse_label(hexes.format_label(here, lower), lower) == here


@pytest.mark.parametrize("lower", ["odd", "even"])
def test_neighbours_touch_in_the_picture(lower):
    """The centres of neighbours, and of no others, are one height of a hex apart; lower columns lie lower."""
    grid = [hexes.hex_at(column, row, lower) for column, row in product(range(5), range(5))]
    for a, b in product(grid, grid):
        (ax, ay), (bx, by) = hexes.hex_centre(a, 10.0), hexes.hex_centre(b, 10.0)
        touching = abs(((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 - 300**0.5) < 1e-9
        assert touching == (b in hexes.neighbours(a)) == (hexes.hex_distance(a, b) == 1)
    first, second = (hexes.hex_centre(hexes.hex_at(column, 0, lower), 10.0)[1] for column in (0, 1))
    assert (second > first) == (lower == "odd")


@pytest.mark.parametrize("label", ["", "A0", "A01", "a1", "AA1", "A100", "5D", "D5 ", "Ä1", "D５"])
def test_other_labels_are_none(label):
    with pytest.raises(ValueError, match="no hex"):
        hexes.parse_label(label, "odd")


@pytest.mark.parametrize("here", [Hex(-1, 3), Hex(26, 0), Hex(0, -1), Hex(0, 99)])
def test_hexes_beyond_the_letters_have_no_label(here):
    with pytest.raises(ValueError, match="no label"):
        hexes.format_label(here, "odd")

"""The grid against the rulebook's examples (SQ-04) and its own laws."""

import pytest

from rules.geometry import hexes
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import FACING_NAMES, HexPose


def lies(text):
    """Return a ship's place, as in `2319-2320`."""
    bow, stern = map(grid.parse_hex, text.split("-"))
    return HexPose(bow, grid.direction_to(stern, bow))


def names(hexes_of):
    return [grid.hex_label(here) for here in hexes_of]


def test_examples_of_the_rulebook():
    assert str(lies("2319-2320")) == "2319N"
    assert grid.hex_label(grid.next_hex(grid.parse_hex("2319"), 1)) == "2419"
    assert grid.hex_label(grid.next_hex(grid.parse_hex("4022"), 1)) == "4121"
    target = lies("2912-2913")
    around = grid.adjacent_hexes(target.bow, target.facing, 2)
    assert names(around.midships) == ["2813", "3013"]
    assert names(around.bow_flanks) == ["2812", "3012"]
    assert names(around.stern_flanks) == ["2814", "3014"]
    line = lies("2811-2910")
    assert FACING_NAMES[line.facing] == "SW"
    assert grid.hex_label(line.hex_ahead) == "2711"
    assert sorted(names(grid.adjacent_hexes(line.bow, line.facing, 2).midships)) == ["2810", "2911"]
    anastrophe = lies("1818-1917")
    around = grid.adjacent_hexes(anastrophe.bow, anastrophe.facing, 2)
    assert (names(around.midships)[0], names(around.stern_flanks)) == ("1918", ["2018", "1916"])
    assert grid.hex_label(around.stern) == "2017"


@pytest.mark.parametrize("facing", range(6))
@pytest.mark.parametrize("label", ["1010", "1110"])
@pytest.mark.parametrize("size", [1, 2])
def test_what_lies_beside_a_ship(label, facing, size):
    place = HexPose(grid.parse_hex(label), facing)
    own = place.covered_hexes(size)
    around = grid.adjacent_hexes(*place, size)
    assert set(around.all_neighbours) == {there for here in own for there in grid.neighbours(here)} - set(own)
    assert len(around.all_neighbours) == len(set(around.all_neighbours)) == {1: 6, 2: 8}[size]
    assert all(grid.hex_distance(own, (there,)) == 1 for there in around.all_neighbours)
    sides = grid.flank_hexsides(*place, size)
    assert {there for _, there in sides} == set(around.all_flanks)
    assert len(sides) == {1: 4, 2: 8}[size]


def test_labels_and_neighbours_agree():
    for x in range(1, 45):
        for y in range(1, 29):
            here = grid.hex_at(x, y)
            assert grid.parse_hex(grid.hex_label(here)) == here
            assert grid.column_and_row(here) == (x, y)
            for number, there in enumerate(grid.neighbours(here)):
                assert grid.direction_to(here, there) == number
                assert grid.direction_to(there, here) == (number + 3) % 6
                assert hexes.hex_distance(here, there) == 1


def test_what_is_no_hex_or_place():
    for text in ("", "123", "12345", "12a4", "A1"):
        with pytest.raises(ValueError, match="no hex"):
            grid.parse_hex(text)
    with pytest.raises(ValueError, match="no place"):
        grid.parse_place("1512X")
    assert grid.direction_to(grid.parse_hex("0101"), grid.parse_hex("0303")) is None
    assert grid.parse_place("1512NW") == HexPose(grid.parse_hex("1512"), 5)

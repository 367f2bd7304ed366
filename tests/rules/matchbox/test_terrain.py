"""Which pieces of land may lie on a table together, and what a refusal says (MX-1.3 to 1.5)."""

from __future__ import annotations

import pytest

from rules.errors import IllegalOrder
from rules.matchbox.table import terrain
from rules.matchbox.table.terrain import Piece


def block(west: float, south: float, east: float, north: float, kind: str = "island") -> Piece:
    return Piece(kind, ((west, south), (east, south), (east, north), (west, north)))


MIDDLE = block(500, 350, 700, 450)


@pytest.mark.parametrize(
    ("pieces", "rule", "said"),
    [
        ([MIDDLE] * 41, "MX-1.4", {"code": "too_many_pieces", "piece": "41", "most": 40}),
        ([block(50, 350, 100, 450)], "MX-1.5", {"code": "land_near_edge", "piece": "75,400", "gap_mm": 50}),
        ([block(500, 60, 700, 160)], "MX-1.5", {"code": "land_near_edge", "piece": "600,110", "gap_mm": 60}),
        ([block(1000, 350, 1120, 450)], "MX-1.5", {"code": "land_near_edge", "gap_mm": 80, "least_mm": 90}),
        ([block(500, 600, 700, 730)], "MX-1.5", {"code": "land_near_edge", "gap_mm": 70, "least_mm": 90}),
        ([MIDDLE, block(780, 350, 900, 450)], "MX-1.5", {"code": "land_too_close", "gap_mm": 80, "least_mm": 90}),
        ([block(500, 0, 520, 800, "mole")], "MX-1.5", {"code": "water_in_pieces", "piece": "", "parts": 2}),
    ],
    ids=["too many", "west", "south", "east", "north", "too close", "parted water"],
)
def test_what_leaves_no_room_is_refused_with_the_numbers(pieces, rule, said):
    with pytest.raises(IllegalOrder) as refused:
        terrain.check(pieces, 1200.0, 800.0)
    fault = refused.value.fault
    told = {"code": fault.code, "piece": fault.piece, **fault.params}
    assert (fault.rule, {key: told[key] for key in said}) == (rule, said)


def test_room_of_just_two_matches_is_enough_and_reefs_may_lie_anywhere():
    terrain.check([MIDDLE, block(790, 350, 900, 450), block(90, 350, 200, 450)], 1200.0, 800.0)
    terrain.check([MIDDLE, block(700, 450, 720, 500), block(0, 0, 20, 800, "reef")], 1200.0, 800.0)

"""Pieces of land that may lie on a table together, and refusals of others (MX-1.3 to 1.5)."""

import math

import pytest

from rules.core.errors import IllegalOrder, OrderError
from rules.matchbox.engine import notation, terrain
from rules.matchbox.engine.terrain import LandPiece


def block(west: float, south: float, east: float, north: float, kind: str = "island") -> LandPiece:
    return LandPiece(kind, ((west, south), (east, south), (east, north), (west, north)))


def net(across: int, up: int) -> list[LandPiece]:
    """Return reefs that cross, each pair four times."""
    lying = [block(100, 100 + 20 * n, 1100, 110 + 20 * n, "reef") for n in range(up)]
    return [*lying, *(block(200 + 20 * n, 50, 210 + 20 * n, 700, "reef") for n in range(across))]


MIDDLE = block(500, 350, 700, 450)
OFF = ((1100, 5), (1200.5, 5), (1150, 60))
BOW_TIE = ((10, 10), (60, 60), (60, 10), (10, 60))
TWICE = ((10, 10), (60, 10), (60, 10.0009), (60, 60), (10, 60))
CLOSED = ((10, 10), (60, 10), (60, 60), (10, 60), (10, 10))


@pytest.mark.parametrize(
    ("pieces", "rule", "said"),
    [
        (
            [LandPiece("reef", ((1, 1), (50, 1)))],
            "MX-1.4",
            {"code": "corners_of_land", "piece": "reef 1", "given": 2, "least": 3, "most": 40},
        ),
        (
            [MIDDLE, LandPiece("mole", OFF)],
            "MX-1.3",
            {"code": "land_off_table", "piece": "mole 2", "x_mm": 1200.5, "y_mm": 5},
        ),
        ([LandPiece("reef", BOW_TIE)], "MX-1.3", {"code": "land_crosses_itself", "piece": "reef 1"}),
        ([LandPiece("mole", TWICE)], "MX-1.3", {"code": "corner_twice", "piece": "mole 1", "x_mm": 60, "y_mm": 10}),
        ([LandPiece("reef", CLOSED)], "MX-1.3", {"code": "corner_twice", "piece": "reef 1", "x_mm": 10, "y_mm": 10}),
        (
            [block(0, 0, 39.9, 10)],
            "MX-1.3",
            {"code": "land_too_small", "piece": "island 1", "area_mm2": 399, "least_mm2": 400},
        ),
        ([MIDDLE] * 41, "MX-1.4", {"code": "too_many_pieces", "piece": "41", "most": 40}),
        (net(11, 10), "MX-1.4", {"code": "too_many_crossings", "piece": "", "given": 440, "most": 400}),
        ([block(50, 350, 100, 450)], "MX-1.5", {"code": "land_near_edge", "piece": "island 1 (75,400)", "gap_mm": 50}),
        ([block(500, 60, 700, 160)], "MX-1.5", {"code": "land_near_edge", "piece": "island 1 (600,110)", "gap_mm": 60}),
        ([block(1000, 350, 1120, 450)], "MX-1.5", {"code": "land_near_edge", "gap_mm": 80, "least_mm": 90}),
        ([block(500, 600, 700, 730)], "MX-1.5", {"code": "land_near_edge", "gap_mm": 70, "least_mm": 90}),
        (
            [MIDDLE, block(780, 350, 900, 450)],
            "MX-1.5",
            {"code": "land_too_close", "piece": "island 2 (840,400)", "gap_mm": 80},
        ),
        ([block(500, 0, 520, 800, "mole")], "MX-1.5", {"code": "water_in_pieces", "piece": "", "parts": 2}),
    ],
)
def test_what_leaves_no_room_is_refused_with_the_numbers(pieces, rule, said):
    with pytest.raises(IllegalOrder) as refused:
        terrain.check_pieces(pieces, 1200.0, 800.0)
    fault = refused.value.fault
    facts = {"code": fault.code, "piece": fault.piece, **fault.params}
    assert (fault.rule, {key: facts[key] for key in said}) == (
        rule,
        pytest.approx(said) if "area_mm2" in said else said,
    )


def test_room_of_just_two_matches_is_enough_and_reefs_may_lie_anywhere():
    terrain.check_pieces([MIDDLE, block(790, 350, 900, 450), block(90, 350, 200, 450)], 1200.0, 800.0)
    terrain.check_pieces([MIDDLE, block(700, 450, 720, 500), block(0, 0, 20, 800, "reef")], 1200.0, 800.0)


def test_what_just_keeps_the_rules_may_lie_there():
    """The table's edges, 400 mm², forty pieces, three and forty corners, 400 crossings included."""
    terrain.check_pieces(net(10, 10), 1200.0, 800.0)
    terrain.check_pieces([block(0, 0, 40, 10), block(1160, 790, 1200, 800)], 1200.0, 800.0)
    terrain.check_pieces([LandPiece("reef", ((0, 0), (40, 0), (0, 20)))] * 40, 1200.0, 800.0)
    ring = tuple((600 + 200 * math.sin(n * math.tau / 40), 400 + 200 * math.cos(n * math.tau / 40)) for n in range(40))
    terrain.check_pieces([LandPiece("island", ring)], 1200.0, 800.0)
    with pytest.raises(IllegalOrder):
        terrain.check_pieces([LandPiece("island", (*ring, (601, 600)))], 1200.0, 800.0)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("rock: 500,360 600,330 690,380", "bad_land"),
        ("island 500 360, 600 330", "bad_land"),
        ("A1:south 6-6+2/6 @600,80^0", "map_with_galleys"),
    ],
)
def test_what_is_no_land_on_a_map_is_refused_as_that(line, code):
    with pytest.raises(OrderError) as refused:
        notation.parse_map(f"1200x800\n# mine\n{line}")
    assert refused.value.fault.code == code


def test_a_map_may_be_written_in_hungarian_words():
    english, hungarian = "island:300,360 380,330 450,380", "Zátony: 600,300 700,300 650,380"
    land = notation.parse_map(f"1200x800\n{english}\n{hungarian}").land
    assert [piece.kind for piece in land] == ["island", "reef"]

"""Vessels of all kinds on one crowded table, with land or without (MX-0.3, 1.8, 2.1)."""

import math
import random
from itertools import combinations

import numpy as np
import pytest
import shapely
from msgspec import structs
from shapely import Polygon

from rules.chance.dice import Dice
from rules.geometry import boxes
from rules.matchbox.ai import foresight
from rules.matchbox.engine import hull, movement, notation, orders, shore, volley
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.kinds import KINDS
from rules.matchbox.engine.meeting import sliding_limits
from rules.matchbox.engine.path import path_of_order
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea, load_maps
from rules.matchbox.engine.state import PROMOTION_LETTERS, Galley, OrderList
from tests.laws.length import times

DEEP_MM = 1e-5
SMALL = Sea(600.0, 450.0)


def test_captains_expect_something_of_the_largest_volley_that_any_vessel_fires() -> None:
    begun = Galley(
        id="A1", seat=0, side="south", holes=4, port=4, starboard=4, masts=4, pose=Pose(0.0, 0.0, 0.0), crew="m"
    )
    most = max(
        volley.volley_size(structs.replace(begun, holes=holes, masts=masts, vessel=name), 1.0)
        for name, kind in KINDS.items()
        for holes, masts in kind.masts_by_holes.items()
    )
    assert most > len(foresight.HIT_CHANCES) - 1
    expected = foresight.expected_hits(np.arange(most + 1), np.zeros(most + 1, bool))
    assert (np.diff(expected) > 0).all()


def squadron(rng: random.Random, sea: Sea, count: int) -> tuple[Galley, ...]:
    """Draw vessels of both sides near each other, clear of land and of each other."""
    east, north = rng.uniform(100, sea.width_mm - 100), rng.uniform(100, sea.height_mm - 100)
    vessels: list[Galley] = []
    while len(vessels) < count:
        name = rng.choice(tuple(KINDS))
        holes, masts = rng.choice(tuple(KINDS[name].masts_by_holes.items()))
        x, y = (round(rng.gauss(middle, 120), 3) for middle in (east, north))
        side = len(vessels) % 2
        vessel = Galley(
            id=f"{'AB'[side]}{len(vessels) // 2 + 1}",
            seat=side,
            side=("south", "north")[side],
            holes=holes,
            port=rng.randint(1, holes),
            starboard=rng.randint(1, holes),
            masts=rng.randint(0, masts),
            pose=Pose(x, y, float(rng.randrange(0, 360, rng.choice((30, 1))))),
            vessel=None if name == "galley" else name,
            crew="".join(letter for letter in PROMOTION_LETTERS if rng.random() < 0.15),
            burning=rng.random() < 0.1,
        )
        own = hull.hull_of(vessel)
        clear = all(boxes.separation(own, hull.hull_of(vessel)) >= 0 for vessel in vessels)
        if (
            clear
            and hull.is_on_table(own, sea)
            and not (sea.shore and sea.shore.touches_hull(Polygon(boxes.box_corners(own))))
        ):
            vessels.append(vessel)
    return tuple(vessels)


def order_list(rng: random.Random, vessel: Galley) -> OrderList:
    drawn = ""
    while short := orders.addable_orders(vessel, drawn):
        if not orders.short_fault(vessel, drawn) and rng.random() < 0.3:
            break
        letters = short.removesuffix("ZZ")
        drawn += "ZZ" if short.endswith("ZZ") and (not letters or rng.random() < 0.1) else rng.choice(letters)
    drawn = drawn.replace("X", "G", rng.randint(0, 1))
    return OrderList(vessel.id, drawn, ((0, 0),) * drawn.count("ZZ"))


@pytest.mark.parametrize("share", range(5))
def test_hulls_of_any_size_never_overlap_nor_leave_the_table_on_their_way(share):
    rng = random.Random(share)
    for _ in range(times(5, 400)):
        vessels = squadron(rng, SMALL, 6)
        limits = {
            (a.id, b.id): sliding_limits(boxes.separation(hull.hull_of(a), hull.hull_of(b)))
            for a, b in combinations(vessels, 2)
            if hull.hull_gap_mm(a, b) <= hull.CONTACT_MM
        }
        ways = movement.move_all(vessels, {vessel.id: rng.choice("FLR") for vessel in vessels}, SMALL, limits)
        for t in [n / 40 for n in range(41)]:
            hulls = [way.path.hull_at(min(t, way.fraction) if way.fraction < 1 else t) for way in ways.values()]
            assert all(hull.is_on_table(shape, SMALL) for shape in hulls)
            assert min(boxes.separation(a, b) for a, b in combinations(hulls, 2)) >= -DEEP_MM - hull.MAX_SLIDE_MM


def test_a_long_stern_that_swings_out_stops_at_a_hull_beside_it():
    """Wherever the middle of a hull of that kind lies: half her own length behind the prow."""
    heavy, beside = notation.parse_position(
        "1200x800 ; A1:south 8-8+4/8h @600,300^0 ; B1:north 5-5+3/5 @678.2,167.3^90"
    ).galleys
    ways = movement.move_all([heavy, beside], {"A1": "L", "B1": ""}, Sea(1200.0, 800.0))
    assert 0 < ways["A1"].fraction < 1
    assert boxes.separation(ways["A1"].path.hull_at(ways["A1"].fraction), hull.hull_of(beside)) == pytest.approx(
        0, abs=1e-6
    )


def moves_at_all(sea: Sea, vessels: tuple[Galley, ...], number: int) -> bool:
    """Return if some order moves a vessel within two rounds in which nobody else does anything (MX-1.11, 1.12, 0.4)."""
    start = vessels[number].pose
    for order in "FLR":
        lying = vessels
        for _ in range(2):
            lists = [OrderList(vessels[number].id, order)]
            outcome = rounds.run_round(sea, lying, lists, {}, Dice("00"), {}, options=["boarding"])
            lying = outcome.galleys
            now = next((each.pose for each in lying if each.id == vessels[number].id), None)
            if now is None or math.hypot(now.x_mm - start.x_mm, now.y_mm - start.y_mm) >= 0.5:
                return True
    return False


@pytest.mark.parametrize("name", load_maps())
def test_no_vessel_is_stuck_for_good(name):
    """From where random rounds have brought her, some order moves each vessel within two rounds.

    Land and the table's edge hold none. Only between them and another hull that lies still may she have no room.
    """
    rng, sea = random.Random(f"stuck {name}"), load_maps()[name]
    for number in range(times(1, 60)):
        vessels = squadron(rng, sea, 8)
        for round_number in range(times(4, 8)):
            lists = [order_list(rng, vessel) for vessel in vessels]
            drops = {f"{vessel.id}@{step}": (sea.width_mm / 2, 0.0) for vessel in vessels for step in range(1, 6)}
            dice = Dice(f"{number:02x}{round_number:02x}")
            vessels = rounds.run_round(sea, vessels, lists, {}, dice, {}, aims=drops, options=["boarding"]).galleys
        for place, vessel in enumerate(vessels):
            beside = [each for each in vessels if each is not vessel and hull.hull_gap_mm(each, vessel) < 0.2]
            free = moves_at_all(sea, vessels, place) or (beside and moves_at_all(sea, (vessel,), 0))
            assert free, (notation.format_position(sea, vessels), vessel.id)


@pytest.mark.parametrize("name", load_maps())
def test_whoever_moves_beside_land_keeps_off_it(name: str) -> None:
    """No hull of any kind comes nearer than 0.04 mm, whatever she does beside it (MX-1.8)."""
    rng, sea, stopped = random.Random(f"beside {name}"), load_maps()[name], 0
    corners = shapely.get_coordinates(sea.shore.pieces).tolist()
    for kind in KINDS.values():
        for _ in range(times(8, 200)):
            x, y = rng.choice(corners)
            pose = Pose(x + rng.uniform(-90, 90), y + rng.uniform(-90, 90), rng.uniform(0, 360))
            before = float(sea.shore.hull_gaps([boxes.box_corners(kind.make_box(pose))])[0])
            if before < 0.04 or not hull.is_on_table(kind.make_box(pose), sea):
                continue
            for order in "FLR":
                path = path_of_order(pose, order, sea, kind)
                instant = shore.land_stop(path, sea.shore)
                stopped += instant is not None
                end = hull.round_kept_pose(path.end if instant is None else path.pose_at(instant))
                assert sea.shore.hull_gaps([boxes.box_corners(kind.make_box(end))])[0] >= 0.04, (
                    pose,
                    order,
                    kind.letter,
                )
    assert stopped > 3


@pytest.mark.parametrize("name", load_maps())
def test_rounds_on_every_map_end_with_hulls_apart_and_off_land(name):
    """Whatever happens, nobody is nearer to land than 0.04 mm, unless she was before."""
    rng, sea = random.Random(name), load_maps()[name]
    for number in range(times(2, 200)):
        vessels = squadron(rng, sea, 8)
        before = {
            vessel.id: float(sea.shore.hull_gaps([boxes.box_corners(hull.hull_of(vessel))])[0]) for vessel in vessels
        }
        lists = [order_list(rng, vessel) for vessel in vessels]
        position = notation.format_position(sea, vessels)
        assert notation.parse_position(position).galleys == vessels
        drops = {f"{vessel.id}@{step}": (sea.width_mm / 2, 0.0) for vessel in vessels for step in range(1, 6)}
        outcome = rounds.run_round(sea, vessels, lists, {}, Dice(f"{number:02x}"), {}, aims=drops, options=["boarding"])
        for galley in outcome.galleys:
            own = hull.hull_of(galley)
            assert hull.is_on_table(own, sea), (position, lists)
            assert sea.shore.hull_gaps([boxes.box_corners(own)])[0] >= min(0.04, before[galley.id] - 0.002), (
                position,
                lists,
            )
        for a, b in combinations(outcome.galleys, 2):
            assert hull.overlap_mm(a, b) == 0, (position, lists)
        again = rounds.run_round(sea, vessels, lists, {}, Dice(f"{number:02x}"), {}, aims=drops, options=["boarding"])
        assert again == outcome

"""A captain's own plan: cut to what the orders can reach, seen from the captain's side, and read in one way."""

from io import BytesIO
from random import Random

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image
from shapely.geometry import Polygon, box

import render
from render.commission import Commission
from render.drawing.canvas import Canvas
from render.drawing.style import EMBER
from render.drawing.viewport import contains_points
from render.marks.sighting import edge_crossing
from render.matchbox import marks, painter
from render.matchbox import window as aiming
from render.matchbox.names import Coin, place_names, ship_label
from render.matchbox.painter import make_canvas
from render.matchbox.window import plan_sight, shown_window
from rules.matchbox.engine.hull import hull_corners, hull_middle
from rules.matchbox.engine.kinds import GALLEY
from rules.matchbox.engine.pose import Pose
from rules.matchbox.interface.view import PlannedMove
from tests.pictures import positions

pytestmark = pytest.mark.game("matchbox")


def commission_of(view, **fields) -> Commission:
    return Commission(view=view, kind="plan", crop="action", **fields)


def canvas_for(view):
    commission = commission_of(view)
    return make_canvas(commission, shown_window(commission, ()), commission.width)


def planned(view, orders: str):
    """The view with orders for the galley in hand."""
    ship = next(ship for ship in view.galleys if ship.id == view.current_galley)
    matches, ghosts = positions.lay(ship, orders)
    return replace(view, planned_moves=(PlannedMove(galley=ship.id, orders=orders, matches=matches, ghosts=ghosts),))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("orders", ["", "FF", "FFFFF"])
def test_an_enemy_who_is_too_far_away_for_a_useful_picture_is_pointed_at_from_its_edge(seat, orders):
    view = positions.lined_up(seat)
    view = planned(view, orders) if orders else view
    seen = plan_sight(commission_of(view))
    west, south, east, north = seen.window
    assert east - west < 0.75 * view.width_mm, "the galley is larger than on the whole table"
    assert north - south <= 0.581 * (east - west), "buttons are seen below it"
    assert seen.foe.id == "BA"[seat] + "1"
    assert not seen.is_foe_shown
    canvas = canvas_for(view)
    (x, y), way = edge_crossing(canvas, seen.foe)
    assert way == pytest.approx((0, -1)), "straight ahead is up"
    assert canvas.to_pixels(seen.foe.start)[0] == pytest.approx(x)
    assert 0 < y < 20


def test_the_nearest_enemy_is_in_the_picture_if_galleys_stay_large_enough_for_a_phone():
    far, near = Pose(450.0, 250.0, 180.0), Pose(450.0, 75.0, 0.0)
    ships = [replace(ship, pose=pose) for ship, pose in zip(positions.duel()[:3:2], (near, far), strict=True)]
    view = positions.view_of(ships, width_mm=900.0, height_mm=600.0, seat=0, current_galley="A1", round=1)
    seen = plan_sight(commission_of(view))
    assert seen.foe.id == "B1"
    assert seen.is_foe_shown
    assert seen.window[3] - seen.window[1] <= 0.581 * (seen.window[2] - seen.window[0]), "buttons are seen below it"
    assert 400 / (seen.window[2] - seen.window[0]) * GALLEY.length_mm >= 36


def test_no_galley_is_cut_by_the_edge_of_a_plan_if_there_is_room_for_her():
    chance, cut = Random(8), 0
    for seed in range(60):
        ships = positions.fleet(seed, each=chance.randint(1, 3))
        seen = plan_sight(commission_of(positions.view_of(ships, seat=0, current_galley="A1"))).window
        inside = [[contains_points(seen, [corner]) for corner in hull_corners(ship.pose)] for ship in ships]
        cut += sum(any(some) and not all(some) for some in inside)
    assert cut < 6


def test_a_plan_shows_the_viewers_other_galleys_with_their_orders_as_long_as_hulls_stay_large():
    def placed(*places):
        ships = [replace(ship, pose=pose) for ship, pose in zip(positions.fleet(1, each=2)[:3], places, strict=True)]
        ships = [replace(ship, seat=seat) for ship, seat in zip(ships, (0, 0, 1), strict=True)]
        return positions.view_of(ships, width_mm=1600.0, height_mm=900.0, seat=0, current_galley=ships[0].id)

    foe = Pose(300.0, 850.0, 180.0)
    near, far = (placed(Pose(300.0, 200.0, 0.0), Pose(east, 200.0, 0.0), foe) for east in (700.0, 1500.0))
    other = near.galleys[1]
    assert contains_points(plan_sight(commission_of(near)).window, hull_corners(other.pose, other.kind))
    view = planned(replace(near, current_galley=other.id), "FFFFF")
    ends = [corner for pose in view.planned_moves[0].ghosts for corner in hull_corners(pose, other.kind)]
    assert contains_points(plan_sight(commission_of(replace(view, current_galley=near.current_galley))).window, ends)
    west, _, east, _ = plan_sight(commission_of(far)).window
    assert east - west < 800


def test_the_ring_of_reach_after_at_most_two_orders_is_not_cut_by_the_border():
    chance = Random(3)
    for seed in range(40):
        size = positions.TABLES[seed % 4]
        ships = positions.fleet(seed, size=size)[:1]
        view = positions.view_of(ships, width_mm=size[0], height_mm=size[1], seat=0, current_galley="A1")
        orders = "".join(chance.choices("FLRX", k=seed % 3))
        view = planned(view, orders) if orders else view
        west, south, east, north = shown_window(commission_of(view), ())
        pose = view.planned_moves[0].ghosts[-1] if view.planned_moves else ships[0].pose
        if ships[0].masts and box(0, 0, *size).contains(Polygon(hull_corners(pose))):
            for x, y in marks.outer_range(pose, ships[0].kind, size):
                assert west < x < east
                assert south < y < north


@pytest.mark.parametrize("seat", [0, 1])
def test_a_plan_is_seen_from_its_captains_own_side(seat):
    view = positions.lined_up(seat)
    ship = next(ship for ship in view.galleys if ship.id == view.current_galley)
    canvas = canvas_for(view)
    start, ahead, left = (
        canvas.to_pixels(hull_middle(pose))
        for pose in (ship.pose, positions.lay(ship, "F")[1][0], positions.lay(ship, "L")[1][0])
    )
    assert ahead[1] < start[1], "forward is up"
    assert left[0] < start[0], "a turn to the left goes left"
    assert canvas.to_picture_heading(ship.pose.heading_deg) == 0
    assert max(y for _, y in map(canvas.to_pixels, hull_corners(ship.pose))) > canvas.image.height / 2, (
        "his own edge is below"
    )


def test_what_everybody_sees_has_north_up_for_every_seat():
    view, events = positions.a_round()
    drawn = {seat: render.draw_still(replace(view, seat=seat), events, width=400).data for seat in (None, 0, 1)}
    assert len(set(drawn.values())) == 1


def test_what_somebody_asks_for_is_seen_from_their_side():
    view, events = positions.a_round()
    seen = {}
    for beside in (None, 0, 1):
        commission = Commission(view=view, events=events, kind="round", width=240, viewpoint_seat=beside)
        seen[beside] = make_canvas(commission, shown_window(commission, ()), 240).turned
    assert seen == {None: False, 0: view.sides[0] == "north", 1: view.sides[1] == "north"}
    assert len(set(seen.values())) == 2


def test_the_south_has_the_mirror_image_of_what_the_north_has():
    poses = {seat: positions.lined_up(seat) for seat in (0, 1)}
    boxes = {seat: shown_window(commission_of(view), ()) for seat, view in poses.items()}
    (west, south, east, north), turned = boxes[0], boxes[1]
    assert (east - west, north - south) == pytest.approx((turned[2] - turned[0], turned[3] - turned[1]))


def test_the_aim_of_the_north_glows_where_that_of_the_south_does():
    view = positions.asked("aim")
    seen = shown_window(commission_of(view), ())
    blank = Image.new("RGB", (600, round(600 * (seen[3] - seen[1]) / (seen[2] - seen[0]))), (90, 60, 40))
    lit = []
    for turned in (False, True):
        canvas = Canvas(blank, seen, 600, turned=turned)
        aiming.draw_glow(canvas, view.aim_map)
        lit.append(np.asarray(canvas.image, float))
    south, north = lit[0], lit[1][::-1, ::-1]
    assert np.abs(south - north).mean() < 0.02 * np.abs(south - np.asarray(blank, float)).mean() + 0.5
    assert np.abs(south - lit[1]).mean() > 5 * np.abs(south - north).mean()


def test_numbers_of_orders_stand_on_coins_and_ranges_have_their_unit():
    names = painter._draw_plan(canvas_for(positions.a_plan()), positions.a_plan())
    coins = [name.key for name in names if isinstance(name, Coin)]
    ranges = [name.key for name in names if not isinstance(name, Coin)]
    assert coins == ["1", "2", "3–4", "5", "3"], "who fires stays where she is"
    assert sorted(ranges) == ["135 mm", "45 mm", "90 mm"]


def test_sixteen_galleys_have_names_and_plates_that_never_overlap():
    for seed in range(12):
        ships = positions.fleet(seed, size=(2400.0, 1000.0), each=4, seats=4)
        view = positions.view_of(ships, width_mm=2400.0, height_mm=1000.0, sides=("south", "north") * 2)
        canvas = make_canvas(Commission(view=view), (0.0, 0.0, 2400.0, 1000.0), 1600)
        placed = place_names(canvas, [ship_label(canvas, ship, badge=True) for ship in ships], ships, ())
        assert {name.key for name, _ in placed} == {ship.id for ship in ships}
        assert sum(name.smaller is not None for name, _ in placed) >= 15, "with their plates"
        boxes = [box(*where) for _, where in placed]
        assert all(a.intersection(b).area == 0 for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_galley_that_has_sunk_is_ringed_in_the_picture_of_her_round_alone():
    view, events = positions.a_round()

    def embers(*events_seen) -> int:
        commission = Commission(view=view, events=events_seen)
        seen = shown_window(commission, ())
        with Image.open(BytesIO(render.draw_still(view, events_seen).data)) as image:
            pixels = np.asarray(image.convert("RGB"), float)
        x, y = make_canvas(commission, seen, 1600).to_pixels(hull_middle(view.lost[0].pose))
        part = pixels[round(y) + 64 - 60 : round(y) + 64 + 60, round(x) - 60 : round(x) + 60]
        return int((np.abs(part - np.array(EMBER)).max(axis=2) < 30).sum())

    (began, *_), sank = events, [event for event in events if event.__struct_config__.tag == "Sank"]
    assert embers() == 0
    assert embers(replace(began, galleys=(*view.galleys, view.lost[0])), *sank) > 500


def test_a_small_map_shows_the_whole_table_only_where_a_part_is_seen():
    view = positions.lined_up(0)
    commission = Commission(view=view, kind="plan", crop="whole")
    assert painter._draw_inset(make_canvas(commission, shown_window(commission, ()), 1600), view, []) == []
    canvas = canvas_for(view)
    [taken] = painter._draw_inset(canvas, view, [])
    assert box(0, 0, canvas.image.width, canvas.image.height).contains(Polygon(taken.shape))
    x, y = canvas.to_pixels((500.0, 80.0))
    assert not Polygon(taken.shape).intersects(box(x - 1, y - 1, x + 1, y + 1)), "it is laid where nothing is"

"""Where enemies may get to in a round: whatever their orders, and whichever ship stops them, none leaves it."""

from itertools import product
from random import Random

import pytest
from msgspec import structs
from shapely.geometry import MultiPoint, Polygon

from rules.chance.dice import Dice
from rules.core.protocol import Draft
from rules.core.view import Text
from rules.matchbox.engine import orders, path, reach
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.events import ShipBackedOff, ShipMoved
from rules.matchbox.engine.hull import hull_corners
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, OrderList, StandingOrders
from rules.matchbox.game import Matchbox
from tests.laws.length import times
from tests.rules.matchbox.play import begin
from tests.rules.matchbox.sea_room import fleet

TABLE = Sea(900.0, 600.0)
GAME = Matchbox()


def course(chance: Random, ship: Galley) -> str:
    """Draw legal orders, most of them moves."""
    drawn = ""
    for letter in chance.choices("FFLRLRX", k=8):
        if not orders.list_fault(ship, drawn + letter):
            drawn += letter
    return drawn


@pytest.mark.parametrize("size", [TABLE, Sea(420.0, 300.0)])
@pytest.mark.slow
def test_nobody_leaves_it_in_rounds_as_crowded_as_can_be(size):
    chance = Random(20)
    for number in range(times(10, 2000)):
        ships = fleet(chance, 8, size)
        shapes = {ship.id: Polygon(reach.reach_outline(ship, TABLE)).buffer(0.01) for ship in ships}
        lists = [OrderList(ship.id, course(chance, ship)) for ship in ships]
        done = rounds.run_round(
            TABLE, ships, lists, {0: StandingOrders(), 1: StandingOrders()}, Dice(f"{number:064x}"), {}
        )
        assert not done.decisions
        for event in done.events:
            if isinstance(event, ShipMoved):
                way = path.path_of_order(event.start, event.order, TABLE)
                poses = [way.pose_at(event.part * part / 6) for part in range(7)] + [event.end]
            elif isinstance(event, ShipBackedOff):
                poses = [event.end]
            else:
                continue
            assert all(shapes[event.galley].covers(Polygon(hull_corners(pose))) for pose in poses), event


@pytest.mark.parametrize("prow", [(450.0, 300.0, 10.0), (450.0, 61.0, 0.0), (870.0, 300.0, 185.0)])
@pytest.mark.slow
def test_it_is_no_larger_than_it_must_be(prow):
    ship = structs.replace(fleet(Random(1), 1, TABLE)[0], holes=6, port=6, starboard=6, pose=Pose(*prow))
    shape = Polygon(reach.reach_outline(ship, TABLE))
    free = list(hull_corners(ship.pose))
    for drawn in product("FLR", repeat=5):
        pose = ship.pose
        for order in drawn:
            way = path.path_of_order(pose, order, TABLE)
            free += [corner for part in range(1, 4) for corner in hull_corners(way.pose_at(part / 3))]
            pose = way.end
    reached = MultiPoint(free).convex_hull
    assert shape.buffer(0.01).covers(reached)
    assert shape.area < 1.35 * reached.area


def test_a_galley_that_cannot_move_stays_about_where_she_is():
    ship = structs.replace(fleet(Random(1), 1, TABLE)[0], port=0, pose=Pose(450.0, 300.0, 0.0))
    assert reach.max_moves(ship) == 0
    west, south, east, north = Polygon(reach.reach_outline(ship, TABLE)).bounds
    assert (west, east, north) == pytest.approx((432.5, 467.5, 300.0), abs=12)
    assert south == pytest.approx(240 - 45, abs=12), "she may back off"


def test_looking_at_it_changes_no_orders_and_is_told_in_words_too():
    state = begin(position="1200x800 ; A1:south 6-6+2/6 @600,300^0 ; B1:north 3-5+3/5 @600,480^180").state
    request = GAME.pending_requests(state)[0]
    draft = GAME.type_text(state, request, Draft(), "A1 FF")
    assert GAME.view(state, 0, draft).reaches == ()
    (look,) = [
        o for g in GAME.draft_choices(state, request, draft).groups for o in g.options if o.token == "look.reach"
    ]
    assert (look.draft, look.is_chosen) == (draft.text, False)
    on = Draft(look.draft, look.focus)
    assert GAME.type_text(state, request, draft, look.focus) == on, "it may be typed, too"
    view = GAME.view(state, 0, on)
    assert [(reach.galley, reach.max_distance_mm) for reach in view.reaches] == [("B1", 135.0)]
    assert {"galley": "B1", "far_mm": 135.0} in [line.params for line in view.plan_lines]
    legend = Text("line.reach")
    assert legend in GAME.draft_choices(state, request, on).lines
    assert legend not in GAME.draft_choices(state, request, draft).lines
    options = {o.token: o for g in GAME.draft_choices(state, request, on).groups for o in g.options}
    assert options["look.reach"].is_chosen
    assert GAME.view(state, 0, Draft(options["order.F"].draft, options["order.F"].focus)).reaches, "it stays on"
    assert options["look.reach"].focus == "A1"
    assert GAME.view(state, 1, Draft()).reaches == ()
    assert GAME.view(state, None).reaches == ()

"""Every kind of picture of Biremes … Oh My!: of many positions, of every event, and in motion."""

import itertools

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import ImageChops

import render
from render.commission import Commission
from render.drawing.viewport import bounds_of
from render.ramspeed.badges import PLATE_BY_EVENT
from render.ramspeed.film import film_frames, pose_between
from render.ramspeed.marks import point_ahead, ship_corners
from render.ramspeed.painter import group_acts, shown_window
from render.ramspeed.scene import make_canvas
from rules.chance.dice import Dice
from rules.core.protocol import Draft, Setup
from rules.ramspeed import GAME
from rules.ramspeed.engine import events as happened
from rules.ramspeed.engine.state import Link
from rules.ramspeed.interface.view import Pose, pose_of
from rules.ramspeed.retelling import VisibleState, split_moments, visible_event_types
from tests.pictures import ramspeed_positions as positions
from tests.pictures.golden import opened, unlike
from tests.pictures.positions import NAMES

pytestmark = pytest.mark.game("ramspeed")

KINDS = ("table", "plan", "attacks", "round")
FILM = 700_000
"""The most that the film of a usual turn weighs, in bytes."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("crop", ["whole", "action"])
def test_every_kind_is_drawn_of_random_positions(kind, crop):
    for seed, count in enumerate((1, 9, 24)):
        view = positions.crowd(seed, count)
        picture = render.draw_still(view, kind=kind, crop=crop, names=NAMES, caption="árvíztűrő", width=500)
        assert opened(picture).width == 500


def test_every_event_is_drawn_alone_and_in_its_turn():
    view, events = positions.a_turn()
    samples = {type(event): event for event in (*events, *positions.others())}
    assert samples.keys() >= visible_event_types() | PLATE_BY_EVENT.keys()
    begun = events[0]
    for event in samples.values():
        for kind in ("attacks", "round"):
            opened(render.draw_still(view, (begun, event), kind=kind, names=NAMES, width=300))
        opened(render.draw_still(view, (event,), names=NAMES, width=300))


def test_the_water_in_which_a_captain_places_ships_is_marked():
    view = positions.placing()
    (own,) = [zone for zone in view.zones if zone.is_own]
    assert own.box == (4.0, 1.0, 32.0, 7.0)
    pictures = [
        opened(render.draw_still(seen, kind="plan", names=NAMES, width=500)) for seen in (view, replace(view, zones=()))
    ]
    assert ImageChops.difference(*(picture.convert("RGB") for picture in pictures)).getbbox()
    turned = next(ship for ship in view.position.ships if ship.id == "A3")
    assert (turned.x, turned.y, turned.heading) == (17.0, 5.0, 30)


def test_a_boarding_leaves_the_crews_that_its_event_has():
    ships = (
        positions.ship("A1", "T", 10, 10, 0, crew=10),
        positions.ship("A2", "T", 10.6, 10, 0, crew=7),
        positions.ship("C1", "T", 11.2, 10, 0, crew=9),
    )
    links = (Link(a="A1", b="C1", kind="grapple"), Link(a="A2", b="C1", kind="grapple"))
    view = positions.view_of(positions.sea(ships, links))
    fought = happened.MeleeFought(
        ships=("A1", "A2", "C1"), strengths=(17, 9), dice=((1, 1), (2, 3)), inflicted=(2, 5), crews=(6, 6, 7)
    )
    (act,) = split_moments(view, (happened.TurnBegan(turn=6, ships=ships, links=links), fought))
    assert {name: ship.crew for name, ship in act.after.ships.items()} == {"A1": 6, "A2": 6, "C1": 7}


def test_a_turn_is_told_from_where_the_view_has_it_if_its_events_do_not_say():
    view, events = positions.a_turn()
    began, *turn, later = events
    assert isinstance(began, happened.TurnBegan)
    assert isinstance(later, happened.TurnBegan)
    shown_acts = [act for act in split_moments(view, turn) if act.has_visible_event]
    for more in (events, (*turn, later, *positions.rolled())):
        assert [act for act in split_moments(view, more) if act.has_visible_event] == shown_acts
    # Fires of the next turn are rolled before anybody is asked again, and shown with this one.
    *_, last = split_moments(view, (*turn, later, happened.FireFought(ship="R1", die=2, markers=2)))
    assert last.kind == "fires"
    assert last.after.ships["R1"].fire == 2
    assert last.before == VisibleState.from_position(view.position)


def test_what_happened_and_what_may_be_ordered_is_seen():
    view, events = positions.a_turn()
    bare = render.draw_still(view, width=800)
    assert unlike(bare.data, render.draw_still(view, events, width=800).data)[1] > 12
    for own in (positions.ordering(), positions.ordering(None)):
        plain = render.draw_still(
            replace(own, lines=(), attack_previews=(), reach=None, current_ship=None), kind="plan", width=800
        )
        assert unlike(plain.data, render.draw_still(own, kind="plan", width=800).data)[1] > 12


def test_why_an_enemy_is_out_of_reach_is_seen():
    own = positions.ordering()
    legal = replace(own, attack_previews=tuple(aim for aim in own.attack_previews if aim.fault is None))
    assert len(legal.attack_previews) < len(own.attack_previews)
    pictures = [render.draw_still(each, kind="plan", width=800, crop="whole").data for each in (own, legal)]
    assert unlike(*pictures)[1] > 8


def test_a_crop_of_a_plan_shows_all_that_the_ship_in_hand_may_do():
    view = positions.ordering()
    west, south, east, north = shown_window(Commission(view=view, kind="plan", crop="action"), ())
    start = view.reach.start
    points = [point_ahead(start._replace(heading=start.heading + veer), far) for veer, far in view.reach.fan]
    points += [
        p
        for ship in view.position.ships
        if ship.id in ("A1", "A2", "S1", "S2")
        for p in ship_corners("T", pose_of(ship))
    ]
    for x, y in points:
        assert west < x < east
        assert south < y < north
    assert east - west < view.position.width


def test_no_ship_is_cut_by_the_edge_of_a_crop():
    for seed in range(60):
        view = positions.crowd(seed, 4 + seed % 20)
        ids = [ship.id for ship in view.position.ships]
        for focus in ((), tuple(ids[:2]), (ids[0],)):
            west, south, east, north = shown_window(Commission(view=view, crop="action", focus=focus), ())
            assert west >= 0 <= south
            assert east <= 60.001
            assert north <= 40.001
            for ship in view.position.ships:
                a, b, c, d = bounds_of(ship_corners(ship.code, pose_of(ship)))
                inside = west <= max(a, 0) and south <= max(b, 0) and min(c, 60) <= east and min(d, 40) <= north
                outside = c < west or a > east or d < south or b > north
                assert inside or outside


def test_a_plan_is_seen_from_the_side_on_which_its_captain_began():
    cove, skerries = positions.opening("cove"), positions.opening("skerries")
    for view, seat, turned in ((cove, 0, False), (cove, 1, True), (skerries, 0, False), (skerries, 1, False)):
        own = replace(view, seat=seat)
        table_window = (0.0, 0.0, view.position.width, view.position.height)
        canvas = make_canvas(Commission(view=own, kind="plan", width=300), table_window, 300)
        assert canvas.turned == turned
        assert not make_canvas(Commission(view=own, kind="table", width=300), table_window, 300).turned
        for ship in view.position.ships:
            mine = (ship.side0 == view.position.seats[seat].side) == (view is cove)
            if view is cove:
                assert (canvas.to_pixels((ship.x, ship.y))[1] > canvas.image.height * 0.5) == mine


@pytest.mark.parametrize("size", [(4, 3), (20, 999), (999, 20), (999, 999)])
def test_tables_of_any_strange_size_are_drawn_and_no_picture_is_too_large(size):
    """A host's own scenario may have any size that the notation can write."""
    width, height = map(float, size)
    part = (0.1, 0.9)
    land = ((*((width * x, height * 0.1) for x in part), *((width * x, height * 0.3) for x in part[::-1])),)
    ships = [
        positions.ship("R1", "V", width / 2, height / 2, 0),
        positions.ship("C1", "T", width * 0.8, height * 0.8, 9),
    ]
    where = positions.sea(ships, width=width, height=height, board="open", land=land, exit=True)
    view = positions.view_of(where, seat=0, position_before=where)
    ram = happened.ShipRammed(
        by="C1", to="R1", heading=3, run=3, zone="oblique", modifier=1, dice=(3, 4), total=8, result="dead",
        x=width / 2, y=height / 2 - 0.5,
    )  # fmt: skip
    for kind, crop in itertools.product(("table", "plan", "round"), ("whole", "action")):
        picture = render.draw_still(view, (ram,), kind=kind, crop=crop, width=400)
        assert opened(picture).height <= 2 * picture.width


def test_attacks_and_turns_are_offered_only_if_there_are_any():
    view, events = positions.a_turn()
    assert render.has_content(view, events, "attacks")
    assert render.has_content(view, events, "round")
    assert render.has_content(view, (), "table")
    quiet = (events[0], *positions.rolled())
    assert not render.has_content(view, quiet, "attacks")
    assert not render.has_content(view, quiet, "round")


def test_a_turn_of_many_acts_has_pages_enough():
    view, events = positions.a_turn()
    stirring = [act for act in split_moments(view, events) if act.has_visible_event]
    pages = group_acts(stirring * 4, 7)
    assert len(pages) == 7
    assert [act for page in pages for act in page] == stirring * 4
    assert [len(page) for page in group_acts(stirring, 7)] == [1, 1, 1, 2, 1, 1, 1]


def test_a_turn_is_filmed_within_its_weight():
    view, events = positions.a_turn()
    picture = render.draw_film(view, events, names=NAMES, caption="7")
    assert picture is not None
    assert not picture.reduced
    assert len(picture.data) <= FILM
    small = render.draw_film(view, events, names=NAMES, caption="7", form="gif", width=320)
    assert small is not None
    assert len(small.data) <= FILM


def test_a_film_moves_and_ends_with_the_sea_as_it_is():
    view, events = positions.a_turn()
    commission = Commission(view=view, events=events, kind="round", width=400)
    reel = film_frames(commission)
    assert 8_000 <= sum(frame.ms for frame in reel) <= 12_100
    shots = [np.asarray(frame.image, dtype=np.int16) for frame in reel]
    assert sum(np.abs(a - b).max() > 30 for a, b in itertools.pairwise(shots)) > 30
    brisk = film_frames(Commission(view=view, events=events, kind="round", width=300, pace="brisk"))
    assert sum(frame.ms for frame in brisk) < sum(frame.ms for frame in reel) / 1.5


def test_ships_pivot_and_go_straight_and_never_slide():
    start = Pose(10.0, 10.0, 0)
    veered = positions.moved(start, 4, 25)
    way = [pose_between(start, veered, i / 10) for i in range(11)]
    assert way[0] == start
    assert way[-1].heading == 25
    assert (way[-1].x, way[-1].y) == pytest.approx(veered[:2])
    assert all(pose.heading == 25 for pose in way if pose[:2] != start[:2])
    turned_last = Pose(10.0, 13.0, 270)
    way = [pose_between(start, turned_last, i / 10) for i in range(11)]
    assert all(pose.heading == 0 for pose in way if pose.y < 12.99)
    assert way[-1].heading == 270


@pytest.mark.parametrize("sides", ["first", "second"])
def test_ships_that_are_placed_move_in_their_captains_picture_as_the_button_says(sides):
    setup = Setup(system="ramspeed", teams=(0, 1), options={"scenario": "artemisium", "sides": sides})
    state = GAME.start(setup, Dice(seed="5eed")).state
    turned = set()
    for request in GAME.pending_requests(state):
        view = GAME.view(state, request.seat)
        table = (0.0, 0.0, view.position.width, view.position.height)
        canvas = make_canvas(Commission(view=view, kind="plan", width=300), table, 300)
        turned.add(canvas.turned)
        before = GAME.computer_answer(view, request, "5eed").places[0]
        choices = GAME.draft_choices(state, request, Draft(""))
        options = [option for group in choices.groups for option in group.options if option.fault is None]
        drafts = {option.token: option.draft for option in options}
        assert len({"shift.left", "shift.right"} & drafts.keys()) == 2
        for way, right, down in (("left", -1, 0), ("right", 1, 0), ("up", 0, -1), ("down", 0, 1)):
            if f"shift.{way}" not in drafts:  # beyond the water where the ships may lie
                continue
            after = GAME.parse_answer(state, request, drafts[f"shift.{way}"]).places[0]
            (x, y), (x_after, y_after) = (canvas.to_pixels((place.x, place.y)) for place in (before, after))
            assert (np.sign(x_after - x), np.sign(y_after - y)) == (right, down)
    assert turned == {False, True}

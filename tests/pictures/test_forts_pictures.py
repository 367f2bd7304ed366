"""Every kind of picture of Naval Battle: of many positions, of every event, of whole games, and in motion."""

import itertools
from typing import get_args

import numpy as np
import pytest
from msgspec.structs import replace

import render
from render.commission import Commission
from render.drawing.marking import record_marks
from render.drawing.viewport import PLAN_MAX_TALL_ASPECT
from render.forts.film import film_frames
from render.forts.marks import hex_of_label
from render.forts.painter import is_flagship, plan_sight, shown_window
from render.forts.ships import LIVERIES
from render.registry import PAINTERS
from render.seas.hexmap import hex_centre
from rules.forts.engine import boards
from rules.forts.engine import events as happened
from rules.forts.retelling import split_moments, wind_of
from tests.laws.play import tape
from tests.pictures import forts_positions as positions
from tests.pictures.golden import opened, unlike
from tests.pictures.positions import NAMES

pytestmark = pytest.mark.game("forts")

KINDS = ("table", "plan", "volley", "round")


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_is_drawn(kind):
    view, events = positions.a_turn()
    events += positions.ceremonies()
    assert {type(event) for event in events} == set(get_args(happened.GameEvent))
    for event in events:
        opened(render.draw_still(view, [event], kind=kind, width=300))
    opened(render.draw_still(view, events, kind=kind, width=300))


def test_what_happened_and_what_may_be_ordered_is_seen():
    view, events = positions.a_turn()
    bare = render.draw_still(view, width=800)
    assert unlike(bare.data, render.draw_still(view, events, width=800).data)[0] > 0.3
    for own in (positions.ordering(), positions.ordering(None), positions.planning()):
        plain = render.draw_still(own, width=800)
        assert unlike(plain.data, render.draw_still(own, kind="plan", width=800).data)[1] > 12


def test_the_wind_of_a_turn_is_shown_beside_the_compass():
    view, _ = positions.a_turn()
    pictures = [render.draw_still(replace(view, wind=wind), width=400) for wind in (None, "wind", "calm")]
    for picture, other in itertools.combinations(pictures, 2):
        images = [
            np.asarray(opened(each).convert("RGB").crop((280, 260, 400, 289)), dtype=float) for each in (picture, other)
        ]
        assert np.abs(images[0] - images[1]).mean() > 2


def test_a_crop_shows_all_among_which_a_captain_may_choose():
    for current in ("wBB", "wGA", "wFR", "wBR"):
        view = positions.ordering(current)
        reach = next(each for each in view.reaches if each.ship == current)
        lines = [line.end for line in view.fire_lines if line.by == current]
        west, south, east, north = shown_window(Commission(view=view, kind="plan", crop="action"), ())
        for label in (*reach.hexes, *lines):
            x, y = hex_centre(hex_of_label(label))
            assert west + 0.9 < x < east - 0.9
            assert south + 0.8 < y < north - 0.8


def test_a_plan_shows_the_nearest_enemy_or_points_at_her_across_a_larger_chart():
    start = (positions.ship("wBR", "C7"), positions.ship("rBR", "S5"), positions.ship("rGA", "R5"))
    seen = plan_sight(Commission(view=positions.ordering("wBR", start), kind="plan", crop="action"))
    assert seen.foe.id == "rGA"
    assert seen.is_foe_shown, "all of the usual chart fits"
    wide = replace(boards.TWO_FORTS, columns=26)
    far = positions.view_of((*start[:1], positions.ship("rBR", "Z5")), board=wide, seat=0, current_ship="wBR")
    seen = plan_sight(Commission(view=far, kind="plan", crop="action"))
    assert (seen.foe.id, seen.is_foe_shown) == ("rBR", False)
    plan = opened(render.draw_still(far, kind="plan", crop="action", names=NAMES, width=640)).convert("RGB")
    red = np.abs(np.asarray(plan, float) - np.array(LIVERIES["red"].base)).max(axis=2) < 24
    below = plan.height // 8  # the captains' names
    assert red[below:, plan.width * 3 // 4 :].sum() > 100, "an arrow at the eastern edge"
    assert red[below:, : plan.width // 2].sum() < 20


def test_ships_outside_a_plan_are_on_a_small_map_or_have_arrows_and_flagships_have_arrows():
    seen = set()
    for number in range(3):
        game = tape("forts", number)
        turns = [turn for turn in game.turns if turn.before.phase == "actions"]
        for turn in turns[:: max(1, len(turns) // 3)]:
            request = next(request for request in turn.requests if request.kind == "act")
            view = game.rules.view(turn.before, request.seat)
            commission = Commission(view=view, kind="plan", crop="action", width=400)
            west, south, east, north = plan_sight(commission).window
            middles = {each: hex_centre(hex_of_label(each.hex)) for each in view.ships}
            outside = [each for each, (x, y) in middles.items() if not (west < x < east and south < y < north)]
            with record_marks() as recorder:
                PAINTERS[type(view)].paint(commission)
            drawn = {"inset", "signpost"} & set(recorder.samples)
            assert drawn or not outside
            assert "signpost" in drawn or not any(is_flagship(view, each) for each in outside)
            seen |= drawn
    assert seen == {"inset", "signpost"}


def test_a_plan_as_wide_as_the_chart_is_no_taller_than_a_phone_has_room_for():
    places = {"wBB": "D5", "wGA": "D6", "wFR": "C5", "wBR": "G9", "rBR": "M4", "rGA": "O5", "rFR": "N5", "rBB": "N8"}
    view = positions.ordering("wBB", tuple(positions.ship(name, label) for name, label in places.items()))
    west, south, east, north = shown_window(Commission(view=view, kind="plan", crop="action"), ())
    assert plan_sight(Commission(view=view, kind="plan", crop="action")).is_foe_shown
    assert north - south <= PLAN_MAX_TALL_ASPECT * (east - west)


def test_berths_are_drawn_large_in_every_kind_of_picture():
    west, _, east, _ = shown_window(Commission(view=positions.placing(), kind="plan", crop="whole"), ())
    assert east - west < 16


def test_no_ship_is_cut_by_the_edge_of_a_crop():
    for seed in range(60):
        view = positions.view_of(positions.fleets(seed))
        for focus in ((), ("wBB", "rFR"), ("rGA",)):
            commission = Commission(view=view, crop="action", focus=focus)
            west, south, east, north = shown_window(commission, ())
            for ship in view.ships:
                x, y = hex_centre(hex_of_label(ship.hex))
                inside = west + 0.9 < x < east - 0.9 and south + 0.8 < y < north - 0.8
                outside = not (west - 1 < x < east + 1 and south - 1 < y < north + 1)
                assert inside or (focus and ship.id not in focus and outside)


def test_only_the_last_turn_that_stirs_is_told():
    view, events = positions.a_turn()
    later = happened.TurnBegan(turn=10, seat=1, colour="red", ships=view.ships)
    rolled = happened.WindRolled(turn=10, seat=1, colour="red", die=1, wind="calm")
    assert split_moments(view, (*events, later, rolled)) == split_moments(view, events)
    assert wind_of((*events, later, rolled)) == events[1]
    shot = events[5]
    moments = split_moments(view, (*events, later, rolled, shot))
    assert [act.deed_events for act in moments] == [(shot,)]


def test_a_move_taken_back_is_not_told_unless_it_was_told_before():
    view, events = positions.a_turn()
    sailed, undone = events[7], events[8]
    assert isinstance(undone, happened.MoveUndone)
    assert split_moments(view, (sailed, undone)) == ()
    (moment,) = split_moments(view, (undone,))
    assert moment.before.ships["wFR"].hex == "E4"
    assert moment.after.ships["wFR"].hex == "E3"
    assert not render.has_content(view, (undone,), "round")


def test_shots_and_turns_are_offered_only_if_there_are_any():
    view, events = positions.a_turn()
    assert render.has_content(view, events, "volley")
    assert render.has_content(view, events, "round")
    assert render.has_content(view, (), "table")
    assert not render.has_content(view, events[:2], "volley")
    assert not render.has_content(view, events[:2], "round")


def test_a_film_moves_and_ends_with_the_sea_as_it_is():
    view, events = positions.a_turn()
    commission = Commission(view=view, events=events, kind="round", width=640)
    reel = film_frames(commission)
    assert 4_000 <= sum(frame.ms for frame in reel) <= 12_100
    shots = [np.asarray(frame.image, dtype=np.int16) for frame in reel]
    assert sum(np.abs(a - b).max() > 30 for a, b in itertools.pairwise(shots)) > 30
    brisk = film_frames(Commission(view=view, events=events, kind="round", width=320, pace="brisk"))
    assert sum(frame.ms for frame in brisk) < sum(frame.ms for frame in reel) / 1.5
    last, still = reel[-1].image, opened(render.draw_still(view, width=640)).convert("RGB")
    assert last.size == still.size
    gap = np.abs(np.asarray(last, dtype=float) - np.asarray(still, dtype=float)).mean()
    assert gap < 4

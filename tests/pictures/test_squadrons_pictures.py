"""Every kind of picture of the fleet game: of many positions, of every event, of one's own plan alone, in motion."""

import itertools
from typing import get_args

import numpy as np
import pytest
from msgspec.structs import replace

import render
from render.commission import Commission
from render.seas.hexmap import hex_centre
from render.squadrons.film import film_frames
from render.squadrons.painter import group_acts, weightiest_acts
from render.squadrons.plates import PLATE_BY_EVENT
from render.squadrons.scene import _is_far_astern, plan_sight, position_grid, shown_window
from rules.squadrons.engine.changes import visible_event_types
from rules.squadrons.engine.events import (
    CaptainConceded,
    DoubleActivated,
    FleetDeployed,
    FleetsRevealed,
    GameEvent,
    InitiativeRolled,
    InitiativeWon,
    PointsRewarded,
    ScoreCounted,
    SetUpRolled,
    ShipMoved,
    ShotFired,
    SidesDrawn,
    TurnBegan,
    WindChanged,
)
from rules.squadrons.engine.sea.grid import parse_hex
from rules.squadrons.engine.sea.state import RuleOptions, Wind
from rules.squadrons.interface.preview.view import Overlay
from rules.squadrons.retelling import split_moments
from tests.pictures import squadrons_positions as positions
from tests.pictures.golden import opened, unlike
from tests.pictures.positions import NAMES

KINDS = ("table", "plan", "attacks", "round")
FILM = 1_500_000
"""The most that the film of a usual turn weighs, in bytes."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("crop", ["whole", "action"])
def test_every_kind_is_drawn_of_random_positions(kind, crop):
    for seed, count in enumerate((1, 9, 60)):
        land = tuple(parse_hex(label) for label in ("1010", "1011", "1110", "0101"))
        view = positions.crowd(seed, count, land=land if seed else ())
        picture = render.draw_still(view, kind=kind, crop=crop, names=NAMES, caption="árvíztűrő", width=500)
        assert opened(picture).width == 500


@pytest.mark.parametrize("kind", ["table", "plan", "round"])
@pytest.mark.parametrize("direction", range(6))
def test_the_wind_stands_on_the_sea_as_an_arrow_with_its_strength(kind, direction):
    def drawn(wind):
        where = replace(view.position, wind=wind, options=RuleOptions(wind=wind is not None))
        happened = (TurnBegan(turn=4, position=where), ShipMoved(ship="B1", step="F", to="0305N", mp=1))
        return render.draw_still(
            replace(view, position=where), happened if kind == "round" else (), kind=kind, names=NAMES, width=400
        )

    view = positions.in_the_wind()
    pictures = [drawn(wind) for wind in (None, Wind(1, direction), Wind(2, direction), Wind(1, (direction + 1) % 6))]
    calm, breeze, strong, turned = (np.asarray(opened(picture).convert("RGB"), dtype=int) for picture in pictures)
    for other in (calm, strong, turned):
        rows, columns = np.nonzero(np.abs(breeze - other).sum(axis=2) > 60)
        # it differs by a sign's face, and nowhere else
        assert len(rows) > 8
        assert max(np.ptp(rows), np.ptp(columns)) <= 48


def test_land_is_not_drawn_as_water():
    view = positions.in_the_wind()
    images = [
        np.asarray(opened(render.draw_still(each, names=NAMES, width=400, crop="whole")).convert("RGB"), dtype=int)
        for each in (view, replace(view, position=replace(view.position, land=())))
    ]
    is_green_or_sand = [(image[..., 0] > image[..., 2] + 20) for image in images]
    assert is_green_or_sand[0].sum() > is_green_or_sand[1].sum() + 500


def test_every_event_is_drawn_alone_and_in_its_turn():
    view, events = positions.a_turn()
    samples = [*{type(event): event for event in events}.values(), *positions.others()]
    assert {type(event) for event in samples} >= visible_event_types() | PLATE_BY_EVENT.keys()
    for number, event in enumerate(samples):
        for kind in (("attacks", "round")[number % 2],):
            opened(render.draw_still(view, (events[0], event), kind=kind, names=NAMES, width=200))
        opened(render.draw_still(view, (event,), names=NAMES, width=200))


def test_every_event_that_there_is_can_be_told():
    view, events = positions.a_turn()
    known = {type(event) for event in (*events, *positions.others())}
    quiet = {FleetDeployed, FleetsRevealed, SetUpRolled, WindChanged, InitiativeWon}
    quiet |= {DoubleActivated, PointsRewarded, SidesDrawn, CaptainConceded}
    assert known | quiet >= set(get_args(GameEvent)) - {type(None)}
    assert split_moments(view, events)


def test_a_turn_is_told_ship_by_ship_in_order_and_leads_to_how_things_stand():
    view, events = positions.a_turn()
    moments = split_moments(view, events)
    for moment, other in itertools.pairwise(moments):
        assert moment.after == other.before
    assert moments[-1].after == view.position
    assert [(act.activation_number, act.kind, act.acting_ship) for act in moments if act.has_visible_event] == [
        (1, "attack", "B1"),
        (1, "attack", "B4"),
        (1, "attack", "B6"),
        (2, "attack", "R7"),
        (2, "move", "R8"),
        (2, "board", ""),
        (3, "move", "B15"),
        (0, "attack", ""),
    ]


def test_the_next_turn_that_begins_is_not_told_with_the_last_one():
    view, events = positions.a_turn()
    later = TurnBegan(turn=5, position=replace(view.position, turn=5))
    shown_acts = split_moments(view, events)
    assert split_moments(view, (*events, later)) == shown_acts
    assert split_moments(view, (*events, later, InitiativeRolled(side="B", die=3, total=5))) == shown_acts


def test_what_happened_and_what_is_ordered_is_seen():
    view, events = positions.a_turn()
    bare = render.draw_still(view, width=800)
    assert unlike(bare.data, render.draw_still(view, events, width=800).data)[1] > 12
    own = positions.ordering()
    plain = replace(own, overlay=Overlay())
    picture = render.draw_still(plain, kind="plan", width=800).data
    speeds = tuple((ship.id, "M") for ship in plain.position.ships if ship.id[0] == "B")
    hasty = replace(plain, overlay=Overlay(speeds=speeds))
    assert unlike(picture, render.draw_still(hasty, kind="plan", width=800).data)[1] > 2
    for part in ("tracks", "reachable_hexes", "threatened_hexes", "attack_previews"):
        current = "B4" if part in ("reachable_hexes", "attack_previews") else None
        some = replace(plain, overlay=Overlay(**{part: getattr(own.overlay, part)}, current_ship=current))
        assert unlike(picture, render.draw_still(some, kind="plan", width=800).data)[1] > 8, part


def test_a_draft_is_seen_in_its_owners_plan_alone():
    """No pixel of a public picture depends on somebody's draft."""
    view, events = positions.a_turn()
    own = positions.ordering()
    drafted = replace(view, overlay=own.overlay)
    for kind, crop in itertools.product(("table", "round", "attacks"), ("whole", "action")):
        pictures = [render.draw_still(each, events, kind=kind, crop=crop, width=400).data for each in (view, drafted)]
        assert pictures[0] == pictures[1], kind
    films = [render.draw_film(each, events, width=240) for each in (view, drafted)]
    assert films[0] is not None
    assert films[1] is not None
    assert films[0].data == films[1].data


def test_a_crop_of_a_plan_shows_ones_own_ships_and_what_they_can_reach():
    view = positions.ordering()
    for own in (view, replace(view, overlay=replace(view.overlay, current_ship=None))):
        west, south, east, north = shown_window(Commission(view=own, kind="plan", crop="action"), ())
        hand = own.position.ships_by_id[own.overlay.current_ship] if own.overlay.current_ship else None
        wanted = [
            at for each in own.overlay.reachable_hexes if hand and not _is_far_astern(hand, at := parse_hex(each.hex))
        ]
        mine = [ship for ship in own.position.ships if ship.side == "B"]
        wanted += [here for ship in mine for here in ship.hexes if own.overlay.current_ship in (None, ship.id)]
        for x, y in map(hex_centre, wanted):
            assert west < x < east
            assert south < y < north
        assert east - west < 60


def test_the_first_plan_is_cropped_to_ones_own_ships_with_an_arrow_to_the_nearest_enemy():
    own = [positions.ship(f"B{n}", "3", f"{4 + 2 * n:02d}16N") for n in range(1, 6)]
    enemies = [positions.ship(f"R{n}", "3", f"{6 + 2 * n:02d}05S") for n in range(1, 5)]
    view = positions.view_of(positions.sea([*own, *enemies], width=22, height=20), side="B", seat=0)
    seen = plan_sight(Commission(view=view, kind="plan", crop="action"))
    west, south, east, north = seen.window
    assert east - west < 20, "hexes are more than 25 pixels high on a phone"
    assert north - south <= 0.581 * (east - west), "buttons are seen below it"
    assert (seen.foe.id, seen.is_foe_shown) == ("R1", False)
    near = positions.sea([*own, positions.ship("R1", "3", "1212S")], width=22, height=20)
    seen = plan_sight(Commission(view=positions.view_of(near, side="B", seat=0), kind="plan", crop="action"))
    assert seen.is_foe_shown, "who may be reached in this turn is shown"
    west, south, east, north = seen.window
    assert north - south <= 0.581 * (east - west), "buttons are seen below it, too"


def test_no_ship_is_cut_by_the_edge_of_a_crop():
    for seed in range(40):
        view = positions.crowd(seed, 4 + seed)
        ids = [ship.id for ship in view.position.ships]
        for focus in ((), tuple(ids[:2]), (ids[0],)):
            west, south, east, north = shown_window(Commission(view=view, crop="action", focus=focus), ())
            for ship in view.position.ships:
                spots = [hex_centre(here) for here in ship.hexes]
                inside = all(west + 0.8 <= x <= east - 0.8 and south + 0.7 <= y <= north - 0.7 for x, y in spots)
                outside = all(x < west - 0.8 or x > east + 0.8 or y < south - 0.7 or y > north + 0.7 for x, y in spots)
                assert inside or outside, (seed, focus, ship.id)


@pytest.mark.parametrize("size", [(4, 4), (99, 20), (20, 99)])
def test_maps_of_any_strange_size_are_drawn_and_no_picture_is_too_large(size):
    view = positions.crowd(1, 4, size)
    for kind, crop in itertools.product(("table", "plan", "round"), ("whole", "action")):
        opened(render.draw_still(view, kind=kind, crop=crop, width=400))


def test_attacks_and_turns_are_offered_only_if_there_are_any():
    view, events = positions.a_turn()
    assert render.has_content(view, events, "attacks")
    assert render.has_content(view, events, "round")
    assert render.has_content(view, (), "table")
    quiet = (*events[:3], ScoreCounted(blue=1, red=2))
    assert not render.has_content(view, quiet, "attacks")
    assert not render.has_content(view, quiet, "round")
    moves = (*events[:3], ShipMoved(ship="B1", step="F", to="1618N", mp=1))
    assert not render.has_content(view, moves, "attacks")
    assert render.has_content(view, moves, "round")


def test_a_turn_of_many_activations_has_pages_enough():
    view, events = positions.a_turn()
    stirring = [act for act in split_moments(view, events) if act.has_visible_event]
    assert [len(page) for page in group_acts(stirring, 6)] == [3, 3, 1, 1]
    many = [act for _ in range(6) for act in stirring]
    pages = group_acts(many, 5)
    assert len(pages) == 5
    assert [act for page in pages for act in page] == many


def test_a_turn_is_filmed_within_its_weight_and_ends_with_the_sea_as_it_is():
    view, events = positions.a_turn()
    picture = render.draw_film(view, events, names=NAMES, caption="4", width=480)
    assert picture is not None
    assert not picture.reduced
    assert len(picture.data) <= FILM
    reel = film_frames(Commission(view=view, events=events, kind="round", width=320))
    assert 6_000 <= sum(frame.ms for frame in reel) <= 12_100
    shots = [np.asarray(frame.image, dtype=np.int16) for frame in reel]
    assert sum(np.abs(a - b).max() > 30 for a, b in itertools.pairwise(shots)) > 25
    brisk = film_frames(Commission(view=view, events=events, kind="round", width=240, pace="brisk"))
    assert sum(frame.ms for frame in brisk) < sum(frame.ms for frame in reel) / 1.5


def test_turns_of_a_whole_games_film_are_seen_near_by_and_all_in_one_size():
    table_window = position_grid(positions.a_turn()[0].position).whole_window
    sizes = []
    for view, events in (positions.a_turn(), (positions.view_of(positions.battle(30)), ())):
        west, south, east, north = shown_window(
            Commission(view=view, kind="round", pace="brisk"), split_moments(view, events)
        )
        assert table_window[0] <= west < east <= table_window[2]
        assert all(west < hex_centre(here)[0] < east for ship in view.position.ships for here in ship.hexes)
        sizes.append((east - west, (north - south) / (east - west)))
    (near, shape), (wide, other) = sizes
    assert near < wide <= table_window[2] - table_window[0]
    assert shape == pytest.approx(other, abs=1e-9), "films whose frames differ in height can't be put end to end"


def test_a_long_turn_is_hurried():
    view, events = positions.a_turn()
    before = positions.battle(30)
    moves = []
    for ship in before.ships:
        place = ship.place
        for far in range(1, 4):
            place = place._replace(bow=place.hex_ahead)
            moves.append(ShipMoved(ship=ship.id, step="F", to=str(place), mp=far))
    reel = film_frames(
        Commission(view=positions.view_of(before, position_before=before), events=moves, kind="round", width=240)
    )
    assert sum(frame.ms for frame in reel) <= 12_100
    assert len(reel) < 200
    assert render.draw_film(view, ()) is None
    assert render.draw_film(view, events[:3]) is None


def test_a_wide_battle_is_shown_at_one_go_with_what_did_most_near_by():
    view, events = positions.a_turn()
    stirring = [act for act in split_moments(view, events) if act.has_visible_event]
    assert [act.acting_ship for act in weightiest_acts(stirring, 3)] == ["B1", "", ""]
    assert [act.acting_ship for act in weightiest_acts(stirring, 4)] == ["B1", "B4", "", ""]
    wide = positions.battle(30)
    far = [ShipMoved(ship=name, step="F", to=to, mp=1) for name, to in (("B1", "0818N"), ("B30", "3718N"))]
    shot = ShotFired(by="B1", target="R1", reaction=False, range=2, m=2, flame=False, drm=0, die=5, result="D")
    for kind in ("round", "attacks"):
        picture = render.draw_still(
            positions.view_of(wide, position_before=wide), (*far, shot), kind=kind, crop="action", width=600
        )
        assert opened(picture).width == 600
        assert picture.height < picture.width

"""The painter of the fleet game.

A turn has pages: close-ups of its activations, in order, and the sea as it is now. A battle too wide for close-ups is
shown as a whole, above close-ups of its most important rolls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from PIL import Image

from render.commission import Commission, PictureKind
from render.drawing.canvas import Rect
from render.drawing.pages import lay_out_pages, merge_lightest, page_width
from render.drawing.viewport import PlanSight
from render.marks import sighting
from render.marks.labels import Label, Obstacle, UpperLayer
from render.seas.hexmap import HexCanvas, hex_centre
from render.squadrons import marks
from render.squadrons.ids import write_ids
from render.squadrons.liveries import LIVERIES
from render.squadrons.marks import side_of
from render.squadrons.plan import draw_plan, position_at_speeds
from render.squadrons.plates import dice_labels
from render.squadrons.scene import (
    act_hexes,
    add_edge,
    add_edge_and_legend,
    add_legend,
    draw_attacks,
    draw_overview,
    draw_ships,
    draw_traces,
    hull_obstacles,
    make_canvas,
    plan_sight,
    ship_boxes,
    shown_window,
    window_around,
)
from render.squadrons.wind import lay_wind
from rules.core.protocol import Event
from rules.geometry.hexes import Hex
from rules.squadrons import retelling
from rules.squadrons.engine import events
from rules.squadrons.interface.preview.view import FleetView
from rules.squadrons.retelling import StoryMoment

_MAX_PAGES: Final = 4
"""Includes the last page, the sea as it is now. A still with more pages would exceed its size limit."""
_MIN_PAGE_WIDTH: Final = 17.0  # in edges of a hex
_PAGE_ASPECT: Final = 0.56  # height as a part of the width
_MAX_PAGE_WIDTH: Final = 42.0
"""A turn that needs more edges across is shown as a whole, with details."""
_MIN_WHOLE_ASPECT: Final = 0.3  # of the whole of a wide battle
_DETAILS_PER_ROW: Final = 3
_MAX_DETAILS: Final = 6  # close-ups of attacks
_DETAIL_ASPECT: Final = 0.72  # of a close-up
_MIN_DETAIL_WIDTH: Final = 13.0  # in edges of a hex
_MAX_DETAIL_WIDTH: Final = 20.0  # wider acts have no close-up
_MAX_PAGE_DICE: Final = 12  # the most important rolls


def draw_sheet(commission: Commission[FleetView], moments: Sequence[StoryMoment]) -> Image.Image:
    """Draw pages two abreast, the last one the sea as it is now; or the whole of a wide battle above details."""
    if not _is_wide(commission, moments):
        return _draw_pages(commission, [*group_acts(moments, _MAX_PAGES - 1), ()])
    weighty = weightiest_acts(moments, _DETAILS_PER_ROW)
    images = [_draw_whole(commission, moments)]
    if weighty:
        images.append(_lay_out_details(commission, weighty))
    return add_legend(commission, lay_out_pages(images, commission.width, per_row=1), with_wind=True)


def draw_details(commission: Commission[FleetView], moments: Sequence[StoryMoment]) -> Image.Image:
    """Draw close-ups of attacks, two abreast; of a wide battle only the most important ones."""
    attacks = [moment for moment in moments if moment.has_attack]
    close_attacks = weightiest_acts(attacks, _MAX_DETAILS)
    if not close_attacks or not _is_wide(commission, attacks):
        return _draw_pages(commission, group_acts(attacks, _MAX_PAGES))
    return add_legend(commission, _lay_out_details(commission, close_attacks), with_wind=True)


def weightiest_acts(moments: Sequence[StoryMoment], max_count: int) -> list[StoryMoment]:
    """Return the most important acts, in order, without those spread too wide for a close-up."""
    weights = {id(moment): max((_event_worth(event) for event in moment.events), default=0) for moment in moments}
    close_moments = [
        moment for moment in moments if weights[id(moment)] and _affected_width(moment) <= _MAX_DETAIL_WIDTH
    ]
    heaviest = sorted(close_moments, key=lambda moment: -weights[id(moment)])[:max_count]
    return [moment for moment in close_moments if any(moment is heavy_act for heavy_act in heaviest)]


def _event_worth(event: Event) -> int:
    """Return an event's importance for a report. An event without effect has at most 1."""
    worth = _EVENT_WORTH.get(type(event), 0)
    has_effect = getattr(event, "ok", True) and getattr(event, "result", "") not in _IDLE_RESULTS
    return worth if has_effect else min(1, worth)


def _affected_hexes(moment: StoryMoment) -> set[Hex]:
    """Return the hexes of the ships that an act affects. Ships lost in the act count where they were before."""
    ships = [moment.after.ships_by_id[name] for name in moment.ship_ids]
    lost_ships = [moment.before.ships_by_id[ship.id] for ship in ships if not ship.is_afloat]
    return {here for ship in (*ships, *lost_ships) if ship.is_afloat for here in ship.hexes}


def _affected_width(moment: StoryMoment) -> float:
    xs = [hex_centre(here)[0] for here in _affected_hexes(moment)]
    return max(xs) - min(xs) if xs else 0.0


def _is_wide(commission: Commission[FleetView], moments: Sequence[StoryMoment]) -> bool:
    west, _, east, _ = shown_window(
        replace(commission, crop="action"), moments, max_aspect=_PAGE_ASPECT, min_width=_MIN_PAGE_WIDTH
    )
    return east - west > _MAX_PAGE_WIDTH


def _draw_whole(commission: Commission[FleetView], moments: Sequence[StoryMoment]) -> Image.Image:
    position = commission.view.position
    shown_hexes = {here for moment in moments for here in act_hexes(moment)}
    box = window_around(
        position,
        shown_hexes,
        ship_boxes(position, moments),
        max_aspect=_PAGE_ASPECT,
        min_width=_MIN_PAGE_WIDTH,
        min_aspect=_MIN_WHOLE_ASPECT,
    )
    canvas = make_canvas(commission, _widen_to_page(box), commission.width, slim=True)
    draw_traces(canvas, moments)
    draw_ships(canvas, position)
    for moment in moments:
        draw_attacks(canvas, moment)
    write_ids(canvas, position, replace(commission, crop="whole"))
    return add_edge(commission, canvas, slim=True)


def _lay_out_details(commission: Commission[FleetView], moments: Sequence[StoryMoment]) -> Image.Image:
    width = page_width(commission.width, _DETAILS_PER_ROW)
    whole = shown_window(replace(commission, crop="whole"), moments)
    images = []
    for moment in moments:
        box = _page_window(commission, _affected_hexes(moment), whole, _DETAIL_ASPECT, min_width=_MIN_DETAIL_WIDTH)
        images.append(add_edge(commission, _draw_page(commission, (moment,), box, width), slim=True))
    return lay_out_pages(images, commission.width, per_row=_DETAILS_PER_ROW)


def group_acts(moments: Sequence[StoryMoment], max_pages: int) -> list[tuple[StoryMoment, ...]]:
    """Group acts into pages: those of one activation together, and if there are too many, the lightest neighbours."""
    pages = [tuple(page) for _, page in groupby(moments, key=lambda moment: moment.activation_number)]
    return merge_lightest(pages, max_pages, _page_weight)


def _page_weight(page: Sequence[StoryMoment]) -> float:
    return sum(1.0 if moment.kind == "move" else 3.0 for moment in page)  # an attack counts as three moves


def _draw_pages(commission: Commission[FleetView], pages: Sequence[tuple[StoryMoment, ...]]) -> Image.Image:
    width = page_width(commission.width, min(2, len(pages)))
    all_moments = [moment for page in pages for moment in page]
    box = _widen_to_page(shown_window(commission, all_moments, max_aspect=_PAGE_ASPECT, min_width=_MIN_PAGE_WIDTH))
    aspect = (box[3] - box[1]) / (box[2] - box[0])
    images = []
    for page in pages:
        page_hexes = {here for moment in page for here in act_hexes(moment)}
        canvas = _draw_page(commission, page, _page_window(commission, page_hexes, box, aspect), width)
        images.append(add_edge(commission, canvas, slim=True))
    return add_legend(commission, lay_out_pages(images, commission.width), with_wind=True)


def _widen_to_page(box: Rect) -> Rect:
    west, south, east, north = box
    extra = max(0.0, (north - south) / _PAGE_ASPECT - (east - west)) / 2
    return west - extra, south, east + extra, north


def _page_window(
    commission: Commission[FleetView],
    page_hexes: set[Hex],
    whole: Rect,
    aspect: float,
    *,
    min_width: float = _MIN_PAGE_WIDTH,
) -> Rect:
    """Return a window of a page's shape around its hexes; `whole` without hexes, or if the window would be as wide."""
    if not page_hexes:
        return whole
    position = commission.view.position
    # Details may cut ships. Otherwise they would grow too wide among many ships.
    ships = ship_boxes(position, ()) if min_width == _MIN_PAGE_WIDTH else []
    west, south, east, north = window_around(position, page_hexes, ships, max_aspect=aspect, min_width=min_width)
    width = max(east - west, (north - south) / aspect)
    if width >= whole[2] - whole[0]:
        return whole
    left = min(max((west + east - width) / 2, whole[0]), whole[2] - width)
    height = width * aspect
    low = min(max((south + north - height) / 2, whole[1]), whole[3] - height)
    return left, low, left + width, low + height


def _draw_page(commission: Commission[FleetView], page: Sequence[StoryMoment], box: Rect, width: int) -> HexCanvas:
    canvas = make_canvas(commission, box, width, slim=True)
    position = page[-1].after if page else commission.view.position
    draw_traces(canvas, page)
    draw_ships(canvas, position)
    for moment in page:
        draw_attacks(canvas, moment)
    labels = [label for moment in page for label in dice_labels(canvas, moment)]
    concerned = {name for moment in page for name in moment.ship_ids}
    write_ids(canvas, position, commission, sorted(labels, key=_roll_rank)[:_MAX_PAGE_DICE], concerned=concerned)
    return canvas


def _roll_rank(label: Label) -> int:
    """Return the rank of a roll by its label's key, which ends with the event's name; 0 is the most important."""
    return next((i for i, name in enumerate(_ROLL_ORDER) if label.key.endswith(name)), len(_ROLL_ORDER))


_ROLL_ORDER: Final = (
    "Boarded",
    "Rammed",
    "Sunk",
    "Raked",
    "Grappled",
    "Ignited",
    "SinkRolled",
    "Fired",
    "Avoided",
    "Unfouled",
)
"""Endings of labels' keys, the most important rolls first."""
_IDLE_RESULTS: Final = ("collision", "repulsed", "-")  # results of attacks that had no effect
_EVENT_WORTH: Final[dict[type[Event], int]] = {  # importance for a report; other events have none
    events.ShipBoarded: 6,
    events.ShipSunk: 6,
    events.ShipRammed: 5,
    events.ShipRaked: 4,
    events.ShipGrounded: 4,
    events.ShipGrappled: 3,
    events.IgnitionRolled: 3,
    events.ShotFired: 1,
}


def paint(commission: Commission[FleetView]) -> Image.Image:
    moments = [
        moment for moment in retelling.split_moments(commission.view, commission.events) if moment.has_visible_event
    ]
    if commission.kind == "round" and moments:
        return draw_sheet(commission, moments)
    if commission.kind == "attacks" and any(moment.has_attack for moment in moments):
        return draw_details(commission, moments)
    sight = plan_sight(commission) if commission.kind == "plan" else None
    position = commission.view.position
    upper_layer = UpperLayer()
    canvas = make_canvas(commission, sight.window if sight else shown_window(commission, moments), commission.width)
    if sight:
        position = position_at_speeds(commission.view)
        upper_layer = draw_plan(canvas, commission.view)
    else:
        draw_traces(canvas, moments)
    hulls = hull_obstacles(canvas, position)
    sign = [] if sight else lay_wind(canvas, position, hulls)  # below the ships, which matter more
    draw_ships(canvas, position)
    upper_layer.draw_marks()
    selected = position.ships_by_id.get(commission.view.overlay.current_ship or "") if sight else None
    if selected is not None and selected.is_afloat:
        marks.draw_selected(canvas, selected)
    others = [*upper_layer.obstacles, *sign]
    if not sight:
        for moment in moments:
            draw_attacks(canvas, moment)
    else:
        others += _draw_surroundings(canvas, commission.view, sight, [*hulls, *others])
        others += lay_wind(canvas, position, [*hulls, *others])  # the small map is larger, and goes first
    write_ids(canvas, position, commission, upper_layer.labels, others=others)
    return add_edge_and_legend(commission, canvas)


def _draw_surroundings(
    canvas: HexCanvas, view: FleetView, sight: PlanSight, obstacles: Sequence[Obstacle]
) -> list[Obstacle]:
    """Draw arrows to what is outside the plan, and a small map. Returns obstacles."""
    posts = []
    for landmark in sight.landmarks_outside:
        ship = view.position.ships_by_id[landmark.id]
        words = sighting.hexes_words(canvas, ship.id, landmark)
        posts.append(sighting.Signpost(landmark, LIVERIES[side_of(ship)], words, 60 * ship.facing))
    arrows = sighting.draw_signposts(canvas, posts, obstacles)
    return [*arrows, *draw_overview(canvas, view.position, [*obstacles, *arrows])]


def has_content(view: FleetView, events: Sequence[Event], kind: PictureKind) -> bool:
    if kind == "attacks":
        return any(moment.has_attack for moment in retelling.split_moments(view, events))
    return kind != "round" or any(moment.has_visible_event for moment in retelling.split_moments(view, events))

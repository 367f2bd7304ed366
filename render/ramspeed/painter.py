"""The painter of Biremes … Oh My!, and the part of the sea that a picture shows.

A turn has pages: a close-up for each attack and boarding; consecutive moves share a page.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil, hypot, inf
from typing import Final

from PIL import Image

from render.commission import Commission, PictureKind
from render.drawing.canvas import Canvas, Point, Rect
from render.drawing.outlines import note_window
from render.drawing.pages import lay_out_pages, merge_lightest, page_width
from render.drawing.style import FULL_WIDTH, MIN_SELECTED_PART
from render.drawing.viewport import (
    PLAN_MAX_TALL_ASPECT,
    PlanSight,
    Viewport,
    bounds_of,
    choose_sight,
    nearest_foe,
    pad_to_aspect,
    ship_landmarks,
)
from render.marks import sighting
from render.marks.labels import Obstacle, UpperLayer
from render.ramspeed import scene
from render.ramspeed.liveries import livery_of
from render.ramspeed.marks import draw_zone, ship_corners, veered_point
from render.ramspeed.plan import draw_plan
from render.ramspeed.scene import (
    MARGIN_PX,
    add_edge,
    add_edge_and_legend,
    add_legend,
    draw_attacks,
    draw_overview,
    draw_ships,
    draw_traces,
    draw_water,
    draw_wrecks,
    hull_obstacles,
    make_canvas,
    write_badges,
)
from rules.core.protocol import Event
from rules.ramspeed import retelling
from rules.ramspeed.engine.geometry.hulls import measured_distance
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.interface.view import SeaView, pose_of
from rules.ramspeed.retelling import StoryMoment, VisibleState, count_losses

_WINDOW_MARGIN_IN = 1.1
_MIN_WIDTH_IN = 15.0
_MAX_WIDTH_IN = 23.0
"""A plan grows no wider than this to show the nearest enemy. A phone then shows a trireme 40 px long."""
_WINDOW_STEP_IN = 2.0
"""Edges of plans' windows lie at multiples of this, so that a drawn sea can be reused."""
_MIN_ASPECT, _MAX_ASPECT = 0.55, 0.82  # height as a part of the width
_MAX_TABLE_ASPECT, _MIN_TABLE_ASPECT = 1.4, 0.3
_ENEMY_DISTANCE_IN = 10.5
"""Enemies nearer than this are shown even if they cannot be attacked, because the plan shows why."""
_SHIP_DISTANCE_IN = 5.0  # ships nearer than this to a planned pose are shown, too


def shown_window(
    commission: Commission[SeaView], moments: Sequence[StoryMoment], max_aspect: float = _MAX_ASPECT
) -> Rect:
    """Return west, south, east and north of a picture, in inches. Its edge cuts no ship.

    `max_aspect` is the greatest height as a part of the width, unless the whole table is shown.
    """
    if commission.kind == "plan":
        return plan_sight(commission).window
    position = commission.view.position
    points = list(_shown_points(commission, moments)) if commission.crop == "action" else []
    viewport = replace(_VIEWPORT, whole=table_window(position), max_aspect=max_aspect)
    boxes = [bounds_of(points)] if points else []
    return note_window(viewport.fit_window(boxes, _ship_boxes(position), commission.kept_window))


def plan_sight(commission: Commission[SeaView]) -> PlanSight:
    """Return the window around the current ship, all it may do, and the nearest enemy; or around all ships."""
    view = commission.view
    position = view.position
    ships = {ship.id: ship for ship in position.ships if ship.is_afloat}
    points = list(_planned_points(view, ships)) if commission.crop == "action" else []
    points += [corner for zone in view.zones if zone.is_own for corner in ((zone.box[0], zone.box[1]), zone.box[2:])]
    players = dict(zip(position.players, view.seats, strict=True))
    own_ships = [ship for ship in ships.values() if view.seat is not None and players[ship.owner] == view.seat]
    enemies = position.enemies(own_ships[0]) if own_ships else ()
    foe = nearest_foe(own_ships, view.current_ship, enemies, gap=measured_distance, middle=_middle, hull=_hull)
    attackable_ids = {preview.target for preview in view.attack_previews if preview.fault is None}
    named_ships = [ship for ship in ships.values() if ship.id in commission.named | attackable_ids]
    named = ship_landmarks(own_ships, view.current_ship, named_ships, gap=measured_distance, middle=_middle, hull=_hull)
    viewport = replace(_VIEWPORT, whole=table_window(position, PLAN_MAX_TALL_ASPECT), step=_WINDOW_STEP_IN)
    ordered_lines = [line for line in view.lines if line.ship in ships and line.courses]
    boxes_at_end = [bounds_of(ship_corners(ships[line.ship].code, line.courses[0].path[-1])) for line in ordered_lines]
    pieces = [*_ship_boxes(position), *boxes_at_end]
    current = ships.get(view.current_ship or "")
    boxes = [bounds_of(points)] if points else []
    if current is None:
        return choose_sight(viewport, boxes, pieces, foe, max_width=_MAX_WIDTH_IN, named=named)
    inner_part = 1 - 2 * MARGIN_PX / FULL_WIDTH
    max_width = current.ship_class.length * inner_part / MIN_SELECTED_PART
    wishes = list(_boxes_nearby(view, ships, current)) if boxes else []
    viewport = replace(viewport, max_width=max_width)
    return choose_sight(viewport, boxes, pieces, foe, max_width=max_width, named=named, wishes=wishes)


def _middle(ship: Ship) -> Point:
    return ship.x, ship.y


def _hull(ship: Ship) -> tuple[Point, ...]:
    return ship_corners(ship.code, pose_of(ship))


def _ship_boxes(position: Position) -> list[Rect]:
    return [bounds_of(ship_corners(ship.code, pose_of(ship))) for ship in position.ships if ship.is_afloat]


def table_window(position: Position, max_aspect: float = _MAX_TABLE_ASPECT) -> Rect:
    """Return a window with the whole table, and space beyond it if the table is very long or tall."""
    return pad_to_aspect((0.0, 0.0, position.width, position.height), _MIN_TABLE_ASPECT, max_aspect)


_VIEWPORT: Final = Viewport(
    whole=(0.0, 0.0, 0.0, 0.0),
    margin=_WINDOW_MARGIN_IN,
    min_width=_MIN_WIDTH_IN,
    min_aspect=_MIN_ASPECT,
    max_aspect=_MAX_ASPECT,
)


def _shown_points(commission: Commission[SeaView], moments: Sequence[StoryMoment]) -> Iterable[Point]:
    view = commission.view
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    shown_moments = [
        moment
        for moment in moments
        if moment.has_visible_event and (commission.kind == "round" or moment.kind != "move")
    ]
    if commission.kind in ("round", "attacks") and shown_moments:
        return (point for moment in shown_moments for point in act_points(moment))
    focus = set(commission.focus) & ships.keys() or set(ships)  # all ships if none is asked for
    return _ship_points(ships, focus, moments)


def act_points(moment: StoryMoment) -> list[Point]:
    ships = [fleet.ships[name] for name in moment.ship_ids for fleet in (moment.before, moment.after)]
    return [corner for ship in ships if ship.is_afloat for corner in ship_corners(ship.code, pose_of(ship))]


def _ship_points(ships: Mapping[str, Ship], focus: Container[str], moments: Iterable[StoryMoment]) -> Iterable[Point]:
    for name, ship in ships.items():
        if name in focus:
            yield from ship_corners(ship.code, pose_of(ship))
    for moment in moments:
        for name in moment.moved_ships & ships.keys():
            if name in focus:
                yield from ship_corners(ships[name].code, pose_of(moment.before.ships[name]))


def _planned_points(view: SeaView, ships: dict[str, Ship]) -> Iterable[Point]:
    """Yield points of the current ship, her orders and what these name; without a current ship, of all ships."""
    current = ships.get(view.current_ship or "")
    shown_ids = set(ships) if current is None else {current.id}
    for line in view.lines:
        if line.ship not in ships or (current is not None and line.ship != current.id):
            continue
        for course in line.courses[:1]:
            for pose in course.path:
                yield from ship_corners(ships[line.ship].code, pose)
            shown_ids |= {name for name in (course.target, course.shot, course.transfer) if name}
    for name in shown_ids & ships.keys():
        yield from _hull(ships[name])


def _boxes_nearby(view: SeaView, ships: dict[str, Ship], current: Ship) -> Iterable[Rect]:
    """Yield boxes of what the current ship may do, and of ships near her, the most important first."""
    distances = {name: hypot(ship.x - current.x, ship.y - current.y) for name, ship in ships.items()}
    possible = {preview.target for preview in view.attack_previews if preview.fault is None}
    barred = {preview.target for preview in view.attack_previews} - possible
    lines = [line for line in view.lines if line.ship == current.id]
    poses = [pose for line in lines for course in line.courses for pose in course.path]
    named_ids = {name for line in lines for course in line.courses for name in (course.target, course.shot) if name}
    near_ids = {
        name
        for name, ship in ships.items()
        if any(hypot(ship.x - pose.x, ship.y - pose.y) < _SHIP_DISTANCE_IN for pose in (*poses, pose_of(current)))
    }
    barred_ids = {name for name in barred if distances.get(name, inf) < _ENEMY_DISTANCE_IN}
    yield from (bounds_of(_hull(ships[name])) for name in _by_distance(possible | named_ids, distances))
    yield from (bounds_of(ship_corners(current.code, pose)) for pose in poses)
    if view.reach is not None:
        start = view.reach.start
        yield bounds_of([*_hull(current), *(veered_point(start, veer, distance) for veer, distance in view.reach.fan)])
    yield from (
        bounds_of(_hull(ships[name])) for group in (barred_ids, near_ids) for name in _by_distance(group, distances)
    )


def _by_distance(names: Iterable[str], distances: Mapping[str, float]) -> list[str]:
    """Return those of the names that have a distance, the nearest first."""
    return sorted((name for name in names if name in distances), key=lambda name: distances[name])


_MAX_PAGES: Final = 6
"""Includes the last page, the sea as it is now. A still with more pages would exceed its size limit."""
_MIN_PAGE_WIDTH_IN: Final = 11.0
_MAX_PAGE_WIDTH_IN: Final = 17.0
"""A page that needs more inches across shows the whole turn's window."""
_MARGIN_IN: Final = 1.3  # around a page's acts
_PAGE_ASPECT: Final = 0.6  # height as a part of the width


def draw_sheet(commission: Commission[SeaView], moments: Sequence[StoryMoment]) -> Image.Image:
    """Draw pages two abreast, the last of them the sea as it is now."""
    width = page_width(commission.width)
    whole_window = shown_window(commission, moments, _PAGE_ASPECT)
    pages = group_acts(moments, _MAX_PAGES - 1)
    inner = width - 2 * scene.margin_px(commission.width)
    height = round(inner * (whole_window[3] - whole_window[1]) / (whole_window[2] - whole_window[0]))
    close_pages = [page for page in pages if _page_width(page, height / inner) <= _MAX_PAGE_WIDTH_IN]
    page_windows = _PageWindows(commission, close_pages, whole_window, (inner, height))
    canvases: list[Canvas] = []
    for page in pages:
        canvas = (
            page_windows.canvas_about(page) if page in close_pages else make_canvas(commission, whole_window, width)
        )
        canvases.append(_draw_page(commission, canvas, page))
    canvases.append(_draw_page(commission, make_canvas(commission, whole_window, width), ()))
    images = [add_edge(commission, canvas) for canvas in canvases]
    return add_legend(commission, lay_out_pages(images, commission.width), canvases[-1])


def group_acts(moments: Sequence[StoryMoment], max_pages: int) -> list[tuple[StoryMoment, ...]]:
    """Group acts into pages: consecutive moves on one page, and if there are too many, the lightest neighbours."""
    pages: list[tuple[StoryMoment, ...]] = []
    for moment in moments:
        if pages and moment.kind == "move" and all(other.kind == "move" for other in pages[-1]):
            pages[-1] = (*pages[-1], moment)
        else:
            pages.append((moment,))
    return merge_lightest(pages, max_pages, _page_weight)


def _page_weight(page: Sequence[StoryMoment]) -> float:
    """Return how much a page contains: acts (an attack counts as two moves) and inches across."""
    return 8.0 * sum(1.0 if moment.kind in ("move", "fires") else 2.0 for moment in page) + _page_width(page, 1.0)


def _page_points(page: Sequence[StoryMoment]) -> list[Point]:
    return [point for moment in page for point in act_points(moment)]


def _page_width(page: Sequence[StoryMoment], aspect: float) -> float:
    """Return the inches across that a page must show if its height is `aspect` times its width."""
    points = _page_points(page)
    if not points:
        return inf
    west, south, east, north = bounds_of(points)
    return max(east - west + 2 * _MARGIN_IN, (north - south + 2 * _MARGIN_IN) / aspect)


class _PageWindows:
    """Windows of one size around each page's acts, cut from one painted sea."""

    def __init__(
        self,
        commission: Commission[SeaView],
        pages: Sequence[tuple[StoryMoment, ...]],
        turn_window: Rect,
        size: tuple[int, int],
    ) -> None:
        self.commission = commission
        self.size = size
        self.table = table_window(commission.view.position)  # the window of the whole table
        aspect = size[1] / size[0]
        boxes = [bounds_of(points) for page in pages if (points := _page_points(page))]
        self.width_in = min(
            max([_MIN_PAGE_WIDTH_IN, *(_page_width(page, aspect) for page in pages)]), turn_window[2] - turn_window[0]
        )
        self.height_in = self.width_in * aspect
        self.scale = size[0] / self.width_in  # pixels an inch
        windows = [self.window_about(box) for box in boxes]
        if not windows:
            return
        west, south = min(box[0] for box in windows), min(box[1] for box in windows)
        east, north = max(box[2] for box in windows), max(box[3] for box in windows)
        self.corner = (west, north)  # of the painted sea
        # Rounded up, with a spare pixel for rounding at the edges.
        pixels = (ceil((east - west) * self.scale) + 1, ceil((north - south) * self.scale) + 1)
        box = (west, north - pixels[1] / self.scale, west + pixels[0] / self.scale, north)
        self.ground = draw_water(pixels, box, commission.view.position, commission.width)

    def window_about(self, box: Rect) -> Rect:  # within the table's window
        west = min(max((box[0] + box[2] - self.width_in) / 2, self.table[0]), self.table[2] - self.width_in)
        south = min(max((box[1] + box[3] - self.height_in) / 2, self.table[1]), self.table[3] - self.height_in)
        return west, south, west + self.width_in, south + self.height_in

    def canvas_about(self, page: Sequence[StoryMoment]) -> Canvas:
        west, _, _, north = self.window_about(bounds_of(_page_points(page)))
        # The window moves to whole pixels of the painted sea.
        left = round((west - self.corner[0]) * self.scale)
        top = round((self.corner[1] - north) * self.scale)
        left, top = min(left, self.ground.width - self.size[0]), min(top, self.ground.height - self.size[1])
        west = self.corner[0] + left / self.scale
        north = self.corner[1] - top / self.scale
        box = (west, north - self.size[1] / self.scale, west + self.width_in, north)
        return Canvas(
            self.ground.crop((left, top, left + self.size[0], top + self.size[1])), box, self.commission.width
        )


def _draw_page(commission: Commission[SeaView], canvas: Canvas, page: Sequence[StoryMoment]) -> Canvas:
    fleet = page[-1].after if page else VisibleState.from_position(commission.view.position)
    draw_traces(canvas, page)
    draw_wrecks(canvas, fleet)
    draw_ships(canvas, fleet)
    labels = [label for moment in page for label in draw_attacks(canvas, moment, dice=True)]
    concerned = {name for moment in page for name in moment.ship_ids} if page else None
    write_badges(canvas, fleet, commission.view, labels, losses=count_losses(page), concerned=concerned)
    return canvas


def paint(commission: Commission[SeaView]) -> Image.Image:
    moments = retelling.split_moments(commission.view, commission.events)
    visible_moments = [moment for moment in moments if moment.has_visible_event]
    if commission.kind == "round" and visible_moments:
        return draw_sheet(commission, visible_moments)
    canvas = make_canvas(commission, shown_window(commission, moments), commission.width)
    for zone in commission.view.zones:
        draw_zone(canvas, zone)
    fleet = VisibleState.from_position(commission.view.position)
    upper_layer = UpperLayer()
    if commission.kind == "plan":
        upper_layer = draw_plan(canvas, commission.view, fleet)
    elif commission.kind in ("table", "attacks"):
        draw_traces(canvas, visible_moments)
    draw_wrecks(canvas, fleet)
    draw_ships(canvas, fleet, selected=commission.view.current_ship if commission.kind == "plan" else None)
    upper_layer.draw_marks()
    labels = list(upper_layer.labels)
    if commission.kind in ("table", "attacks"):
        labels += [
            label
            for moment in visible_moments
            for label in draw_attacks(canvas, moment, dice=commission.kind == "attacks")
        ]
    others = list(upper_layer.obstacles)
    if commission.kind == "plan":
        others += _draw_surroundings(canvas, commission, fleet, [*hull_obstacles(canvas, fleet), *others])
    write_badges(
        canvas,
        fleet,
        commission.view,
        labels,
        losses=count_losses(moments) if commission.kind != "plan" else {},
        others=others,
    )
    return add_edge_and_legend(commission, canvas)


def _draw_surroundings(
    canvas: Canvas, commission: Commission[SeaView], fleet: VisibleState, obstacles: Sequence[Obstacle]
) -> list[Obstacle]:
    """Draw arrows to what is outside the plan, and a small map. Returns obstacles."""
    posts = []
    for landmark in plan_sight(commission).landmarks_outside:
        ship = fleet.ships[landmark.id]
        livery = livery_of(fleet.side_of(ship), ship.nation)
        words = (ship.id, f'{landmark.distance:.3g}"')
        posts.append(sighting.Signpost(landmark, livery, words, canvas.to_picture_heading(ship.heading)))
    arrows = sighting.draw_signposts(canvas, posts, obstacles)
    return [*arrows, *draw_overview(canvas, commission.view, fleet, [*obstacles, *arrows])]


def has_content(view: SeaView, events: Sequence[Event], kind: PictureKind) -> bool:
    if kind == "attacks":
        return any(moment.kind in ("attack", "shot", "melee") for moment in retelling.split_moments(view, events))
    return kind != "round" or any(moment.has_visible_event for moment in retelling.split_moments(view, events))

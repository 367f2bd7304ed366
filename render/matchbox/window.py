"""The part of the table that a picture shows, and a plan to drop a volley.

Expected hits are a glow over the table, with numbered points to choose from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil, dist, inf
from typing import Final, Literal

import numpy as np
from PIL import Image, ImageChops

from render.commission import Commission
from render.drawing.canvas import Canvas, Point, Rect, cut_dust
from render.drawing.marking import marking, shows
from render.drawing.outlines import note_window
from render.drawing.style import CHALK, EMBER, FLAME, MIN_SELECTED_PART, NAME_SIZE, SOOT, Colour
from render.drawing.viewport import (
    PLAN_MAX_ASPECT,
    PLAN_MAX_TALL_ASPECT,
    PlanSight,
    Viewport,
    bounds_of,
    choose_sight,
    nearest_foe,
    pad_to_aspect,
    ship_landmarks,
)
from render.marks.labels import Obstacle
from render.matchbox import marks
from render.seas import table_top
from rules.matchbox.engine import aim
from rules.matchbox.engine.events import (
    FireShipStruck,
    PartsLost,
    ShipGrappled,
    ShipMoved,
    ShipRammed,
    ShipSunk,
    VolleyDropped,
)
from rules.matchbox.engine.hull import hull_corners, hull_gap_mm, hull_middle
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley
from rules.matchbox.interface.view import TableView
from rules.matchbox.retelling import StoryMoment

_NUMBER_SIZE: Final = round(NAME_SIZE * 0.9)
_DUST_LEVELS: Final = [round(255 - 0.16 * (255 - level)) for level in range(256)]  # dust, made fainter


def shown_points(volley: aim.AimedVolley) -> list[Point]:
    """Return what a plan to drop a volley must show, in mm: the points of aim, and both galleys' corners."""
    points = [(x, y) for _, x, y in aim.aim_points(volley.target)]
    for ship in (volley.firer, volley.target):
        points += hull_corners(ship.pose, ship.kind)
    return points


@shows("aim")
def draw_glow(canvas: Canvas, aim_map: aim.AimMap) -> None:
    """Draw light where hits are expected, and soot where the volley would be spoiled."""
    # Points far below the best are not worth choosing and stay dark.
    hits = np.clip(aim_map.expected_hits / max(1e-9, float(aim_map.expected_hits.max())) * 1.7 - 0.7, 0, 1)
    map_window = _MapWindow(canvas, aim_map)
    # Dust hides the steps that smooth light would have in the few colours of a still.
    for values, colour, strength in ((aim_map.misfire, SOOT, 0.55), (hits, EMBER, 0.6), (hits**3, FLAME, 0.75)):
        rows = values.T[:, ::-1] if canvas.turned else values.T[::-1]
        levels = (np.clip(rows, 0, 1) * 255 * strength).astype(np.uint8)
        coarse_mask = Image.fromarray(levels)
        mask = coarse_mask.resize(map_window.size, Image.Resampling.BILINEAR, box=map_window.map_rect(coarse_mask.size))
        # Most of the mask is empty, because the light is near one point.
        if box := mask.getbbox():
            corner = map_window.corner[0] + box[0], map_window.corner[1] + box[1]
            lit_mask = mask.crop(box)
            canvas.lay_colour(
                colour, corner, ImageChops.multiply(lit_mask, cut_dust(*corner, lit_mask.size).point(_DUST_LEVELS))
            )


class _MapWindow:
    """The part of a map of aim that a picture shows."""

    def __init__(self, canvas: Canvas, aim_map: aim.AimMap) -> None:
        ends = (
            canvas.to_pixels((float(aim_map.xs[0]), float(aim_map.ys[-1]))),
            canvas.to_pixels((float(aim_map.xs[-1]), float(aim_map.ys[0]))),
        )
        (left, right), (top, bottom) = map(sorted, zip(*ends, strict=True))
        self.whole = (left, top, right - left, bottom - top)  # left, top, width and height of all the map, in pixels
        self.corner = (max(0, ceil(left)), max(0, ceil(top)))
        end = min(canvas.image.width, int(right)), min(canvas.image.height, int(bottom))
        self.size = (max(1, end[0] - self.corner[0]), max(1, end[1] - self.corner[1]))

    def map_rect(self, cells: tuple[int, int]) -> Rect:  # of the visible part, in cells of the map
        left, top, width, height = self.whole
        across, down = cells[0] / width, cells[1] / height
        x, y = (self.corner[0] - left) * across, (self.corner[1] - top) * down
        return x, y, min(cells[0], x + self.size[0] * across), min(cells[1], y + self.size[1] * down)


def draw_points(canvas: Canvas, volley: aim.AimedVolley, aim_map: aim.AimMap) -> list[Obstacle]:
    """Draw the best points with rings, and the numbered points. Returns the obstacles that names must avoid."""
    obstacles: list[Obstacle] = []
    size = round(_NUMBER_SIZE * canvas.px)
    modes: tuple[tuple[Literal["safe", "steady"], float, Colour], ...] = (
        ("safe", 30.0, CHALK),
        ("steady", 42.0, FLAME),
    )
    for mode, radius, colour in modes:
        spot = canvas.to_pixels(aim.best_point(aim_map, mode))
        with marking(canvas, f"aim_{mode}"):
            canvas.draw_ring(spot, radius * canvas.px, colour, 6 * canvas.px)
        half_side = radius * canvas.px
        square = tuple(
            (spot[0] + half_side * a, spot[1] + half_side * b) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        )
        obstacles.append(Obstacle(square, 90))
    for number, x, y in aim.aim_points(volley.target):
        if 0 <= x <= volley.sea.width_mm and 0 <= y <= volley.sea.height_mm:
            at = canvas.to_pixels((x, y))
            with marking(canvas, "aim_point"):
                canvas.draw_centred_text(at, number, size, CHALK)
            corners = ((-0.6, -0.5), (0.6, -0.5), (0.6, 0.5), (-0.6, 0.5))
            obstacles.append(Obstacle(tuple((at[0] + size * a, at[1] + size * b) for a, b in corners), 60))
    return obstacles


_MARGIN_MM = 46.0
_MIN_WIDTH_MM = 380.0
_MAX_WIDTH_MM = 1100.0
"""Greatest width to which a crop grows while no galley is current. A phone then shows a hull 22 px long."""
_ENEMY_DISTANCE_MM = 330.0
"""Enemies and friends are shown if their middle is nearer than this to a pose of a planned galley."""
_FRIEND_DISTANCE_MM = 160.0
_MAX_ASPECT, _MIN_ASPECT = 0.8, 0.45  # of a crop: height as a part of the width
_MAX_TABLE_ASPECT, _MIN_TABLE_ASPECT = 1.6, 0.25


def shown_window(commission: Commission[TableView], moments: Sequence[StoryMoment]) -> Rect:
    """Return west, south, east and north of a picture, in mm."""
    if commission.kind == "plan":
        return plan_sight(commission).window
    points = list(_shown_points(commission, moments)) if commission.crop == "action" else []
    viewport = _viewport(commission.view, _MAX_TABLE_ASPECT)
    return note_window(viewport.fit_window([bounds_of(points)] if points else [], kept=commission.kept_window))


def plan_sight(commission: Commission[TableView]) -> PlanSight:
    """Return the window around the current galley's course, the viewer's other galleys and the nearest enemy.

    It is the whole table while galleys are placed, or if no crop was requested.
    """
    view = commission.view
    viewport = _viewport(view, PLAN_MAX_TALL_ASPECT)
    own_galleys = [ship for ship in _current_galleys(view) if ship.seat == view.seat]
    enemies = [ship for ship in view.galleys if view.seat is not None and ship.side != view.sides[view.seat]]
    foe = nearest_foe(own_galleys, view.current_galley, enemies, gap=hull_gap_mm, middle=_middle, hull=_corners)
    named_galleys = [ship for ship in view.galleys if ship.id in commission.named]
    named = ship_landmarks(
        own_galleys, view.current_galley, named_galleys, gap=hull_gap_mm, middle=_middle, hull=_corners
    )
    if view.shot_to_aim:
        # The numbered points of aim are shown even if a closer view was requested.
        window = replace(viewport, max_aspect=PLAN_MAX_ASPECT).fit_window([bounds_of(shown_points(view.shot_to_aim))])
        return PlanSight(window, foe, tuple(named))
    # While galleys are placed, the picture shows their strip, which is as wide as the table.
    if commission.crop == "whole" or view.strip or not view.galleys:
        return PlanSight(viewport.whole, foe)
    selected = next((ship for ship in view.galleys if ship.id == view.current_galley), None)
    max_width = selected.kind.length_mm / MIN_SELECTED_PART if selected else _MAX_WIDTH_MM
    boxes = [bounds_of(_course_points(view))]
    wishes = [*_boxes_nearby(view), *_other_galleys(view)]
    hulls = [bounds_of(hull_corners(ship.pose, ship.kind)) for ship in view.galleys]
    viewport = replace(viewport, max_width=max_width)
    return choose_sight(viewport, boxes, hulls, foe, max_width=max_width, named=named, wishes=wishes)


def _middle(ship: Galley) -> Point:
    return hull_middle(ship.pose, ship.kind)


def _corners(ship: Galley) -> tuple[Point, ...]:
    return hull_corners(ship.pose, ship.kind)


def _viewport(view: TableView, max_table_aspect: float) -> Viewport:
    """Return the limits of a table's windows; `max_table_aspect` applies to the window of all of it."""
    rim = table_top.RIM_MM
    return Viewport(
        whole=pad_to_aspect(
            (-rim, -rim, view.width_mm + rim, view.height_mm + rim), _MIN_TABLE_ASPECT, max_table_aspect
        ),
        margin=_MARGIN_MM,
        min_width=_MIN_WIDTH_MM,
        max_width=_MAX_WIDTH_MM,
        min_aspect=_MIN_ASPECT,
        max_aspect=_MAX_ASPECT,
    )


def _other_galleys(view: TableView) -> list[Rect]:
    """Return the boxes of the viewer's other galleys: first of those with orders, with their courses."""
    courses = {plan.galley: plan.ghosts for plan in view.planned_moves}
    others = [ship for ship in view.galleys if ship.seat == view.seat and ship.id != view.current_galley]
    ships_with_orders = [ship for ship in others if courses.get(ship.id)]
    boxes = [bounds_of(hull_corners(pose, ship.kind)) for ship in ships_with_orders for pose in courses[ship.id]]
    return [*boxes, *(bounds_of(hull_corners(ship.pose, ship.kind)) for ship in others)]


def _current_galleys(view: TableView) -> list[Galley]:
    """Return the current galley, or all of the viewer's, or for a viewer without galleys all galleys."""
    ships = {ship.id: ship for ship in view.galleys}
    current = ships.get(view.current_galley)
    if current:
        return [current]
    own_galleys = [ship for ship in view.galleys if ship.seat == view.seat]
    return own_galleys or list(view.galleys)


def _shown_points(commission: Commission[TableView], moments: Sequence[StoryMoment]) -> Iterable[Point]:
    """Yield the points that a picture must show: of galleys in focus, or of all that took part, or of all."""
    view = commission.view
    focus = set(commission.focus)
    involved = focus or {name for moment in moments for event in moment.events for name in _ships_of_event(event)}
    for ship in view.galleys:
        if not involved or ship.id in involved:
            yield from hull_corners(ship.pose, ship.kind)
    for moment in moments:
        for ship in moment.after_movement.galleys.values():
            if not involved or ship.id in involved:
                yield from hull_corners(ship.pose, ship.kind)
        for shot in moment.events_of(VolleyDropped):
            if not focus or {shot.by, shot.to} & focus:
                yield from ((drop.x_mm, drop.y_mm) for drop in shot.drops if drop.on_table)


def _planned_poses(view: TableView) -> list[Pose]:
    """Return the poses of the current galley now and after each step; without one, those of the viewer's galleys."""
    courses = {plan.galley: plan.ghosts for plan in view.planned_moves}
    return [pose for ship in _current_galleys(view) for pose in (ship.pose, *courses.get(ship.id, ()))]


def _course_points(view: TableView) -> Iterator[Point]:
    """Yield points of the current galley's course and of the galleys that a decision is about."""
    kinds = {ship.id: ship.kind for ship in view.galleys}
    kind = kinds[_current_galleys(view)[0].id]
    for pose in _planned_poses(view):
        yield from hull_corners(pose, kind)
    choices = set(view.first_decision.choices) if view.first_decision else set()
    for ship in view.galleys:
        if ship.id in choices:
            yield from hull_corners(ship.pose, ship.kind)


def _boxes_nearby(view: TableView) -> Iterator[Rect]:
    """Yield boxes of galleys near the current galley's course, the nearest first, and of her range from its end."""
    poses = _planned_poses(view)
    distances: dict[str, float] = {}
    for ship in view.galleys:
        is_friend = view.seat is not None and ship.side == view.sides[view.seat]
        distance = min(dist(hull_middle(ship.pose, ship.kind), hull_middle(pose)) for pose in poses)
        if distance < (_FRIEND_DISTANCE_MM if is_friend else _ENEMY_DISTANCE_MM):
            distances[ship.id] = distance
    for ship in sorted(view.galleys, key=lambda ship: distances.get(ship.id, inf)):
        if ship.id in distances:
            yield bounds_of(hull_corners(ship.pose, ship.kind))
    current = next((ship for ship in view.galleys if ship.id == view.current_galley), None)
    if current and current.masts:
        west, south, east, north = bounds_of(
            marks.outer_range(poses[-1], current.kind, (view.width_mm, view.height_mm))
        )
        spare = 0.9 * _MARGIN_MM  # the ring needs hardly any space around it
        yield west + spare, south + spare, east - spare, north - spare


def _ships_of_event(event: object) -> tuple[str, ...]:
    match event:
        case VolleyDropped() | ShipRammed():
            return event.by, event.to
        case ShipGrappled() | FireShipStruck():
            return event.by, event.galley
        case ShipMoved() | PartsLost() | ShipSunk():
            return (event.galley,)
        case _:
            return ()

"""The part of the table that a picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import dist

from render.commission import Commission
from render.drawing.canvas import Point, Rect
from render.drawing.viewport import (
    PLAN_MAX_ASPECT,
    PLAN_MAX_TALL_ASPECT,
    PlanSight,
    Viewport,
    bounds_of,
    choose_sight,
    nearest_foe,
    pad_to_aspect,
    width_of,
)
from render.matchbox import aim as aiming
from render.matchbox import marks
from render.seas import table_top
from rules.matchbox.engine.events import PartsLost, ShipMoved, ShipRammed, ShipSunk, VolleyDropped
from rules.matchbox.engine.hull import hull_corners, hull_gap_mm, hull_middle
from rules.matchbox.engine.incidents import FireShipStruck, ShipGrappled
from rules.matchbox.engine.state import Galley
from rules.matchbox.interface.view import TableView
from rules.matchbox.retelling import StoryMoment

_MARGIN_MM = 48.0
_MIN_WIDTH_MM = 380.0
_MAX_WIDTH_MM = 1100.0
"""Greatest width to which a crop grows to show the nearest enemy. A phone then shows a hull 17 px long."""
_MAX_FLEET_WIDTH_MM = 800.0
_ENEMY_DISTANCE_MM = 330.0
"""Enemies and friends are shown if their middle is nearer than this to a pose of a planned galley."""
_FRIEND_DISTANCE_MM = 160.0
_MAX_ASPECT, _MIN_ASPECT = 0.8, 0.45
_MAX_TABLE_ASPECT, _MIN_TABLE_ASPECT = 1.6, 0.25


def shown_window(commission: Commission[TableView], acts: Sequence[StoryMoment]) -> Rect:
    """Return west, south, east and north of a picture, in mm."""
    if commission.kind == "plan":
        return plan_sight(commission).window
    points = list(_shown_points(commission, acts)) if commission.crop == "action" else []
    return _viewport(commission.view, _MAX_TABLE_ASPECT).show([bounds_of(points)] if points else [])


def plan_sight(commission: Commission[TableView]) -> PlanSight:
    """Return the window around the current galley's course, the viewer's other galleys and the nearest enemy.

    It is the whole table while galleys are placed, or if no crop was requested.
    """
    view = commission.view
    viewport = _viewport(view, PLAN_MAX_TALL_ASPECT)
    foe = nearest_foe(
        [ship for ship in _current_galleys(view) if ship.seat == view.seat],
        view.current_galley,
        [ship for ship in view.galleys if view.seat is not None and ship.side != view.sides[view.seat]],
        gap=hull_gap_mm,
        middle=lambda ship: hull_middle(ship.pose, ship.kind),
        hull=lambda ship: hull_corners(ship.pose, ship.kind),
    )
    if view.shot_to_aim:
        # The numbered points of aim are shown even if a closer view was requested.
        return PlanSight(
            replace(viewport, max_aspect=PLAN_MAX_ASPECT).show([bounds_of(aiming.shown_points(view.shot_to_aim))]), foe
        )
    # While galleys are placed, the picture shows their strip, which is as wide as the table.
    if commission.crop == "whole" or view.strip or not view.galleys:
        return PlanSight(viewport.whole, foe)
    boxes = _add_other_galleys(view, [bounds_of(_planned_points(view))], viewport)
    hulls = [bounds_of(hull_corners(ship.pose, ship.kind)) for ship in view.galleys]
    return choose_sight(viewport, boxes, hulls, foe, _MAX_WIDTH_MM)


def _viewport(view: TableView, tallest: float) -> Viewport:
    """Return how windows of a table are chosen; `tallest` is the greatest aspect of the whole table's window."""
    rim = table_top.RIM_MM
    return Viewport(
        whole=pad_to_aspect((-rim, -rim, view.width_mm + rim, view.height_mm + rim), _MIN_TABLE_ASPECT, tallest),
        margin=_MARGIN_MM,
        min_width=_MIN_WIDTH_MM,
        max_width=_MAX_WIDTH_MM,
        min_aspect=_MIN_ASPECT,
        max_aspect=_MAX_ASPECT,
    )


def _add_other_galleys(view: TableView, boxes: list[Rect], viewport: Viewport) -> list[Rect]:
    """Return `boxes` and those of the viewer's other galleys with their courses, if the window stays narrow enough."""
    courses = {plan.galley: plan.ghosts for plan in view.planned_moves}
    others = [ship for ship in view.galleys if ship.seat == view.seat and ship.id != view.current_galley]
    ordered = [ship for ship in others if courses.get(ship.id)]
    low = replace(viewport, max_aspect=PLAN_MAX_TALL_ASPECT)
    for ships, most in ((ordered, _MAX_WIDTH_MM), (others, _MAX_FLEET_WIDTH_MM)):
        poses = [(pose, ship.kind) for ship in ships for pose in (ship.pose, *courses.get(ship.id, ()))]
        all_boxes = [*boxes, *(bounds_of(hull_corners(pose, kind)) for pose, kind in poses)]
        boxes = all_boxes if width_of(low.show(all_boxes)) <= most else boxes
    return boxes


def _current_galleys(view: TableView) -> list[Galley]:
    """Return the current galley, or all of the viewer's, or for a viewer without galleys all galleys."""
    ships = {ship.id: ship for ship in view.galleys}
    current = ships.get(view.current_galley)
    return [current] if current else [ship for ship in view.galleys if ship.seat == view.seat] or list(view.galleys)


def _shown_points(commission: Commission[TableView], acts: Sequence[StoryMoment]) -> Iterable[Point]:
    view, focus = commission.view, set(commission.focus)
    involved = focus or {name for act in acts for event in act.events for name in _ships_of_event(event)}
    for ship in view.galleys:
        if not involved or ship.id in involved:
            yield from hull_corners(ship.pose, ship.kind)
    for act in acts:
        for ship in act.after_movement.galleys.values():
            if not involved or ship.id in involved:
                yield from hull_corners(ship.pose, ship.kind)
        for shot in act.events_of(VolleyDropped):
            if not focus or {shot.by, shot.to} & focus:
                yield from ((drop.x_mm, drop.y_mm) for drop in shot.drops if drop.on_table)


def _planned_points(view: TableView) -> Iterator[Point]:
    """Yield points of the current galley's course, of its range from the course's end, and of galleys near it."""
    planned = _current_galleys(view)
    current = next((ship for ship in planned if ship.id == view.current_galley), None)
    courses = {plan.galley: plan.ghosts for plan in view.planned_moves}
    poses = [pose for ship in planned for pose in (ship.pose, *courses.get(ship.id, ()))]
    for ship in planned:
        for pose in (ship.pose, *courses.get(ship.id, ())):
            yield from hull_corners(pose, ship.kind)
    if current:
        yield from marks.outer_range(poses[-1], planned[-1].kind, (view.width_mm, view.height_mm))
    choices = set(view.first_decision.choices) if view.first_decision else set()
    for ship in view.galleys:
        near = min(dist(hull_middle(ship.pose, ship.kind), hull_middle(pose)) for pose in poses)
        limit = (
            _FRIEND_DISTANCE_MM if view.seat is not None and ship.side == view.sides[view.seat] else _ENEMY_DISTANCE_MM
        )
        if near < limit or ship.id in choices:
            yield from hull_corners(ship.pose, ship.kind)


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

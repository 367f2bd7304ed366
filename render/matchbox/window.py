"""The part of the table that a picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import dist

from render.commission import Commission
from render.drawing.canvas import Point, Rect
from render.marks import sighting
from render.marks.sighting import Foe, PlanSight
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
    whole = _table_window(commission.view.width_mm, commission.view.height_mm)
    points = list(_shown_points(commission, acts)) if commission.crop == "action" else []
    return _fit_window(points, whole, _MAX_ASPECT) if points else whole


def plan_sight(commission: Commission[TableView]) -> PlanSight:
    """Return the window around the current galley's course, the viewer's other galleys and the nearest enemy.

    It is the whole table while galleys are placed, or if no crop was requested.
    """
    view = commission.view
    whole, foe = _table_window(view.width_mm, view.height_mm, sighting.PLAN_MAX_TALL_ASPECT), nearest_foe(view)
    if view.shot_to_aim:
        # The numbered points of aim are shown even if a closer view was requested.
        return PlanSight(_fit_window(list(aiming.shown_points(view.shot_to_aim)), whole, sighting.PLAN_MAX_ASPECT), foe)
    # While galleys are placed, the picture shows their strip, which is as wide as the table.
    if commission.crop == "whole" or view.strip or not view.galleys:
        return PlanSight(whole, foe)
    points = _add_other_galleys(view, list(_planned_points(view)), whole)
    sight = _choose_sight(points, whole, foe)
    # Galleys that the edge would cut are included if the window stays narrow enough.
    cut = [
        point for ship in view.galleys if _is_cut(sight.window, ship) for point in hull_corners(ship.pose, ship.kind)
    ]
    wider = _choose_sight([*points, *cut], whole, foe) if cut else sight
    return wider if wider.window[2] - wider.window[0] <= _MAX_WIDTH_MM else sight


def _choose_sight(points: list[Point], whole: Rect, foe: Foe | None) -> PlanSight:
    return sighting.choose_sight(
        lambda enemy, tallest: _fit_window([*points, *(enemy.hull if enemy else ())], whole, tallest),
        foe,
        _MAX_WIDTH_MM,
    )


def _add_other_galleys(view: TableView, points: list[Point], whole: Rect) -> list[Point]:
    """Return `points` and those of the viewer's other galleys with their courses, if the window stays narrow enough."""
    courses = {plan.galley: plan.ghosts for plan in view.planned_moves}
    others = [ship for ship in view.galleys if ship.seat == view.seat and ship.id != view.current_galley]
    ordered = [ship for ship in others if courses.get(ship.id)]
    for ships, most in ((ordered, _MAX_WIDTH_MM), (others, _MAX_FLEET_WIDTH_MM)):
        poses = [(pose, ship.kind) for ship in ships for pose in (ship.pose, *courses.get(ship.id, ()))]
        all_points = [*points, *(corner for pose, kind in poses for corner in hull_corners(pose, kind))]
        west, _, east, _ = _fit_window(all_points, whole, sighting.PLAN_MAX_TALL_ASPECT)
        points = all_points if east - west <= most else points
    return points


def _is_cut(window: Rect, ship: Galley) -> bool:
    inside = [sighting.contains_points(window, [corner]) for corner in hull_corners(ship.pose, ship.kind)]
    return any(inside) and not all(inside)


def nearest_foe(view: TableView) -> Foe | None:
    """Return the enemy nearest to the current galley, or without one to any of the viewer's galleys."""
    if view.seat is None:
        return None
    own_ships = [ship for ship in _current_galleys(view) if ship.seat == view.seat]
    pairs = [(ship, enemy) for ship in own_ships for enemy in view.galleys if enemy.side != ship.side]
    if not pairs:
        return None
    ship, enemy = min(pairs, key=lambda pair: hull_gap_mm(*pair))
    gap = hull_gap_mm(ship, enemy)
    return Foe(
        enemy.id,
        hull_middle(enemy.pose, enemy.kind),
        tuple(hull_corners(enemy.pose, enemy.kind)),
        hull_middle(ship.pose, ship.kind),
        gap,
    )


def _current_galleys(view: TableView) -> list[Galley]:
    """Return the current galley, or all of the viewer's, or for a viewer without galleys all galleys."""
    ships = {ship.id: ship for ship in view.galleys}
    current = ships.get(view.current_galley)
    return [current] if current else [ship for ship in view.galleys if ship.seat == view.seat] or list(view.galleys)


def _fit_window(points: Sequence[Point], whole: Rect, tallest: float) -> Rect:
    west, east = min(x for x, _ in points) - _MARGIN_MM, max(x for x, _ in points) + _MARGIN_MM
    south = max(min(y for _, y in points) - _MARGIN_MM, whole[1])
    north = min(max(y for _, y in points) + _MARGIN_MM, whole[3])
    width = max(east - west, _MIN_WIDTH_MM, (north - south) / tallest)
    height = max(north - south, width * _MIN_ASPECT)
    if width >= whole[2] - whole[0]:
        return whole
    height = min(height, whole[3] - whole[1])
    left = min(max((west + east - width) / 2, whole[0]), whole[2] - width)
    low = min(max((south + north - height) / 2, whole[1]), whole[3] - height)
    return tuple(round(edge, 1) for edge in (left, low, left + width, low + height))  # type: ignore[return-value]


def _table_window(width_mm: float, height_mm: float, tallest: float = _MAX_TABLE_ASPECT) -> Rect:
    rim = table_top.RIM_MM
    width, height = width_mm + 2 * rim, height_mm + 2 * rim
    aside, above = max(0.0, height / tallest - width) / 2, max(0.0, width * _MIN_TABLE_ASPECT - height) / 2
    return -rim - aside, -rim - above, width_mm + rim + aside, height_mm + rim + above


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

"""The part of the sea that a picture shows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from math import hypot
from typing import Final

from render.commission import Commission
from render.drawing.canvas import Point, Rect
from render.drawing.viewport import (
    PLAN_MAX_TALL_ASPECT,
    PlanSight,
    Viewport,
    bounds_of,
    choose_sight,
    nearest_foe,
    pad_to_aspect,
)
from render.ramspeed.marks import point_ahead, pose_of, ship_corners
from rules.ramspeed.engine.geometry.hulls import measured_distance
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.interface.view import Pose, SeaView
from rules.ramspeed.retelling import StoryMoment

_MARGIN_IN = 1.1
_MIN_WIDTH_IN = 15.0
_MAX_WIDTH_IN = 23.0
"""A plan grows no wider than this to show the nearest enemy. A phone then shows a trireme 40 px long."""
_WINDOW_STEP_IN = 2.0
"""Edges of plans' windows lie at multiples of this, so that a drawn sea can be reused."""
_MIN_ASPECT, _MAX_ASPECT = 0.55, 0.82
_MAX_TABLE_ASPECT, _MIN_TABLE_ASPECT = 1.4, 0.3
_ENEMY_DISTANCE_IN = 10.5
"""Enemies nearer than this are shown even if they cannot be attacked, because the plan shows why."""
_SHIP_DISTANCE_IN = 5.0


def shown_window(commission: Commission[SeaView], acts: Sequence[StoryMoment], tallest: float = _MAX_ASPECT) -> Rect:
    """Return west, south, east and north of a picture, in inches. Its edge cuts no ship.

    `tallest` is the greatest height as a part of the width, unless the whole table is shown.
    """
    if commission.kind == "plan":
        return plan_sight(commission).window
    position = commission.view.position
    points = list(_shown_points(commission, acts)) if commission.crop == "action" else []
    viewport = replace(_VIEWPORT, whole=table_window(position), max_aspect=tallest)
    return viewport.show([bounds_of(points)] if points else [], _ship_boxes(position))


def plan_sight(commission: Commission[SeaView]) -> PlanSight:
    """Return the window around the current ship, all it may do, and the nearest enemy; or around all ships."""
    view, position = commission.view, commission.view.position
    ships = {ship.id: ship for ship in position.ships if ship.is_afloat}
    points = list(_planned_points(view, ships)) if commission.crop == "action" else []
    players = dict(zip(position.players, view.seats, strict=True))
    own_ships = [ship for ship in ships.values() if view.seat is not None and players[ship.owner] == view.seat]
    foe = nearest_foe(
        own_ships,
        view.current_ship,
        position.enemies(own_ships[0]) if own_ships else (),
        gap=measured_distance,
        middle=lambda ship: (ship.x, ship.y),
        hull=lambda ship: ship_corners(ship.code, pose_of(ship)),
    )
    viewport = replace(_VIEWPORT, whole=table_window(position, PLAN_MAX_TALL_ASPECT), step=_WINDOW_STEP_IN)
    orders = [line for line in view.lines if line.ship in ships and line.courses]
    ordered = [bounds_of(ship_corners(ships[line.ship].code, line.courses[0].path[-1])) for line in orders]
    pieces = [*_ship_boxes(position), *ordered]
    return choose_sight(viewport, [bounds_of(points)] if points else [], pieces, foe, _MAX_WIDTH_IN)


def _ship_boxes(position: Position) -> list[Rect]:
    return [bounds_of(ship_corners(ship.code, pose_of(ship))) for ship in position.ships if ship.is_afloat]


def table_window(position: Position, tallest: float = _MAX_TABLE_ASPECT) -> Rect:
    """Return a window with the whole table, and space beyond it if the table is very long or tall."""
    return pad_to_aspect((0.0, 0.0, position.width, position.height), _MIN_TABLE_ASPECT, tallest)


_VIEWPORT: Final = Viewport(
    whole=(0.0, 0.0, 0.0, 0.0),
    margin=_MARGIN_IN,
    min_width=_MIN_WIDTH_IN,
    min_aspect=_MIN_ASPECT,
    max_aspect=_MAX_ASPECT,
)


def _shown_points(commission: Commission[SeaView], acts: Sequence[StoryMoment]) -> Iterable[Point]:
    view = commission.view
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    deeds = [act for act in acts if act.has_visible_event and (commission.kind == "round" or act.kind != "move")]
    if commission.kind in ("round", "attacks") and deeds:
        return (point for act in deeds for point in act_points(act))
    focus = set(commission.focus) & ships.keys() or set(ships)
    return _ship_points(ships, focus, acts)


def act_points(act: StoryMoment) -> list[Point]:
    ships = [fleet.ships[name] for name in act.ship_ids for fleet in (act.before, act.after)]
    return [corner for ship in ships if ship.is_afloat for corner in ship_corners(ship.code, pose_of(ship))]


def _ship_points(ships: Mapping[str, Ship], focus: Container[str], acts: Iterable[StoryMoment]) -> Iterable[Point]:
    for name, ship in ships.items():
        if name in focus:
            yield from ship_corners(ship.code, pose_of(ship))
    for act in acts:
        for name in act.moved_ships & ships.keys():
            if name in focus:
                yield from ship_corners(ships[name].code, pose_of(act.before.ships[name]))


def _planned_points(view: SeaView, ships: dict[str, Ship]) -> Iterable[Point]:
    """Yield points of the current ship and all it may do, or of all ships and their orders; and of ships nearby."""
    poses: list[tuple[Ship, Pose]] = []
    named: set[str] = set()
    current = ships.get(view.current_ship or "")
    lines = [line for line in view.lines if current is None or line.ship == current.id]
    for line in lines:
        for course in line.courses if current else line.courses[:1]:
            if line.ship in ships:
                poses += [(ships[line.ship], pose) for pose in course.path]
            named |= {name for name in (course.target, course.shot, course.transfer) if name}
    if current is None:
        poses += [(ship, pose_of(ship)) for ship in ships.values()]
    else:
        poses.append((current, pose_of(current)))
        starts = {name: hypot(ship.x - current.x, ship.y - current.y) for name, ship in ships.items()}
        named |= {
            aim.target
            for aim in view.attack_previews
            if aim.fault is None or starts.get(aim.target, _ENEMY_DISTANCE_IN) < _ENEMY_DISTANCE_IN
        }
        if view.reach is not None:
            start = view.reach.start
            poses.append((current, start))
            yield from (
                point_ahead(start._replace(heading=start.heading + veer), distance) for veer, distance in view.reach.fan
            )
    for ship, pose in poses:
        yield from ship_corners(ship.code, pose)
    for name, ship in ships.items():
        near = any(hypot(ship.x - pose.x, ship.y - pose.y) < _SHIP_DISTANCE_IN for _, pose in poses)
        if name in named or near:
            yield from ship_corners(ship.code, pose_of(ship))

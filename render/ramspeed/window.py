"""The part of the sea that a picture shows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from math import ceil, floor, hypot

from render.commission import Commission
from render.drawing.canvas import Point, Rect
from render.marks import sighting
from render.marks.sighting import Foe, PlanSight
from render.ramspeed.marks import bounds_of, point_ahead, pose_of, ship_corners
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
    """Return west, south, east and north of a picture, in inches.

    `tallest` is the greatest height as a part of the width, unless the whole table is shown.
    """
    if commission.kind == "plan":
        return plan_sight(commission).window
    points = list(_shown_points(commission, acts)) if commission.crop == "action" else []
    return _window_around(commission.view, points, tallest, 0.0)


def plan_sight(commission: Commission[SeaView]) -> PlanSight:
    """Return the window around the current ship, all it may do, and the nearest enemy; or around all ships."""
    view = commission.view
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    points = list(_planned_points(view, ships)) if commission.crop == "action" else []

    def fitted(foe: Foe | None, tallest: float) -> Rect:
        return _window_around(view, [*points, *(foe.hull if foe and points else ())], tallest, _WINDOW_STEP_IN)

    return sighting.choose_sight(fitted, nearest_foe(view), _MAX_WIDTH_IN)


def nearest_foe(view: SeaView) -> Foe | None:
    """Return the enemy nearest to the current ship, or without one to any of the viewer's ships."""
    ships = [ship for ship in view.position.ships if ship.is_afloat]
    players = dict(zip(view.position.players, view.seats, strict=True))
    own_ships = [ship for ship in ships if view.seat is not None and players[ship.owner] == view.seat]
    candidates = [ship for ship in own_ships if ship.id == view.current_ship] or own_ships
    pairs = [(ship, enemy) for ship in candidates for enemy in view.position.enemies(ship)]
    if not pairs:
        return None
    ship, enemy = min(pairs, key=lambda pair: measured_distance(*pair))
    return Foe(
        enemy.id,
        (enemy.x, enemy.y),
        tuple(ship_corners(enemy.code, pose_of(enemy))),
        (ship.x, ship.y),
        measured_distance(ship, enemy),
    )


def _window_around(view: SeaView, points: list[Point], tallest: float, step: float) -> Rect:
    """Return a window around points whose edge cuts no ship; the whole table without points."""
    position = view.position
    whole = table_window(position, sighting.PLAN_MAX_TALL_ASPECT if step else _MAX_TABLE_ASPECT)
    if not points:
        return whole
    box = _fit_window(bounds_of(points), whole, tallest, step)
    # Ships and ordered poses that the edge would cut are included whole.
    ships = {ship.id: ship for ship in position.ships if ship.is_afloat}
    hulls = [ship_corners(ship.code, pose_of(ship)) for ship in ships.values()]
    ordered = [line for line in view.lines if step and line.ship in ships and line.courses]
    hulls += [ship_corners(ships[line.ship].code, line.courses[0].path[-1]) for line in ordered]
    while cut := [hull for hull in hulls if _is_cut(box, bounds_of(hull))]:
        points += [corner for hull in cut for corner in hull]
        larger = _fit_window(bounds_of(points), whole, tallest, step)
        if larger == box:
            break
        box = larger
    return box


def table_window(position: Position, tallest: float = _MAX_TABLE_ASPECT) -> Rect:
    """Return a window with the whole table, and space beyond it if the table is very long or tall."""
    aside = max(0.0, position.height / tallest - position.width) / 2
    above = max(0.0, position.width * _MIN_TABLE_ASPECT - position.height) / 2
    return -aside, -above, position.width + aside, position.height + above


def _fit_window(bounds: Rect, whole: Rect, tallest: float, step: float) -> Rect:
    west, south, east, north = bounds
    if step:
        west, south, east, north = floor(west / step), floor(south / step), ceil(east / step), ceil(north / step)
        west, south, east, north = west * step, south * step, east * step, north * step
    width = max(east - west + 2 * _MARGIN_IN, _MIN_WIDTH_IN, (north - south + 2 * _MARGIN_IN) / tallest)
    height = max(north - south + 2 * _MARGIN_IN, width * min(_MIN_ASPECT, tallest))
    if height >= whole[3] - whole[1] or (width >= (whole[2] - whole[0]) * 0.94 and not step):
        return whole
    if width >= (whole[2] - whole[0]) * 0.94:
        width = whole[2] - whole[0]
        height = min(max(north - south + 2 * _MARGIN_IN, width * _MIN_ASPECT), whole[3] - whole[1])
    left = min(max((west + east - width) / 2, whole[0]), whole[2] - width)
    low = min(max((south + north - height) / 2, whole[1]), whole[3] - height)
    return round(left, 2), round(low, 2), round(left + width, 2), round(low + height, 2)


def _is_cut(box: Rect, hull: Rect) -> bool:
    inside = hull[0] >= box[0] and hull[1] >= box[1] and hull[2] <= box[2] and hull[3] <= box[3]
    meets = hull[0] < box[2] and hull[2] > box[0] and hull[1] < box[3] and hull[3] > box[1]
    return meets and not inside


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

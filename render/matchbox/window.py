"""How much of the table a picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import dist

from render import ground, sighting
from render.canvas import Box, Point
from render.commission import Commission
from render.matchbox import aim as aiming
from render.matchbox import marks
from render.sighting import Foe, Sight
from rules.matchbox.desk.view import TableView
from rules.matchbox.retelling import Act
from rules.matchbox.table.events import Lost, Moved, Rammed, Sank, VolleyDropped
from rules.matchbox.table.hull import corners, gap_mm, middle
from rules.matchbox.table.incidents import Grappled, Torched
from rules.matchbox.table.state import Galley

_AROUND_MM = 48.0
_LEAST_MM = 380.0
"""No crop shows less of the table than this across."""
_MOST_MM = 1100.0
"""No crop is made wider than this across to show the nearest enemy: on a phone a hull is 17 pixels long then."""
_ROOMY_MM = 800.0
"""The same to show those of the viewer's galleys that have no orders yet."""
_NEAR_MM = 330.0
"""Enemies whose middle is nearer than this to that of a planned galley are shown with it."""
_BESIDE_MM = 160.0
"""The same of friends, who might be in her way."""
_TALLEST, _FLATTEST = 0.8, 0.45
"""Heights of a crop's window as parts of its width."""
_TABLE_TALLEST, _TABLE_FLATTEST = 1.6, 0.25
"""The same of a whole table; about one that is longer more of the floor is seen."""


def window(asked: Commission[TableView], acts: Sequence[Act]) -> Box:
    """West, south, east and north of what is shown, in mm."""
    if asked.kind == "plan":
        return sight(asked).window
    whole = _whole(asked.view.width_mm, asked.view.height_mm)
    points = list(_seen(asked, acts)) if asked.crop == "action" else []
    return _fitted(points, whole, _TALLEST) if points else whole


def sight(asked: Commission[TableView]) -> Sight:
    """What a plan shows: the course of the galley in hand, the viewer's others, and the enemy nearest to her.

    Or the whole table.
    """
    view = asked.view
    whole, foe = _whole(view.width_mm, view.height_mm, sighting.PLAN_TALLER), nearest(view)
    if view.aimed:
        # The numbers among which a captain picks an aim need room, even if a closer view was asked for.
        return Sight(_fitted(list(aiming.seen(view.aimed)), whole, sighting.PLAN_TALLEST), foe)
    # While galleys are set down, their strip is of interest, and that is as wide as the table.
    if asked.crop == "whole" or view.zone or not view.galleys:
        return Sight(whole, foe)
    points = _with_others(view, list(_planned(view)), whole)
    seen = _chosen(points, whole, foe)
    # No galley is cut by the edge, if there is room for all of her.
    cut = [point for ship in view.galleys if _is_cut(seen.window, ship) for point in corners(ship.pose, ship.kind)]
    wider = _chosen([*points, *cut], whole, foe) if cut else seen
    return wider if wider.window[2] - wider.window[0] <= _MOST_MM else seen


def _chosen(points: list[Point], whole: Box, foe: Foe | None) -> Sight:
    return sighting.choose(
        lambda enemy, tallest: _fitted([*points, *(enemy.hull if enemy else ())], whole, tallest), foe, _MOST_MM
    )


def _with_others(view: TableView, points: list[Point], whole: Box) -> list[Point]:
    """The points of the galley in hand, and of the viewer's others with their courses, as far as she stays large."""
    courses = {plan.galley: plan.ghosts for plan in view.plans}
    others = [ship for ship in view.galleys if ship.seat == view.seat and ship.id != view.current]
    ordered = [ship for ship in others if courses.get(ship.id)]
    for ships, most in ((ordered, _MOST_MM), (others, _ROOMY_MM)):
        poses = [(pose, ship.kind) for ship in ships for pose in (ship.pose, *courses.get(ship.id, ()))]
        every = [*points, *(corner for pose, kind in poses for corner in corners(pose, kind))]
        west, _, east, _ = _fitted(every, whole, sighting.PLAN_TALLER)
        points = every if east - west <= most else points
    return points


def _is_cut(window: Box, ship: Galley) -> bool:
    inside = [sighting.holds(window, [corner]) for corner in corners(ship.pose, ship.kind)]
    return any(inside) and not all(inside)


def nearest(view: TableView) -> Foe | None:
    """The enemy nearest to the galley in hand, or else to any of the viewer's."""
    if view.seat is None:
        return None
    own = [ship for ship in _in_hand(view) if ship.seat == view.seat]
    pairs = [(ship, enemy) for ship in own for enemy in view.galleys if enemy.side != ship.side]
    if not pairs:
        return None
    ship, enemy = min(pairs, key=lambda pair: gap_mm(*pair))
    gap = gap_mm(ship, enemy)
    return Foe(
        enemy.id,
        middle(enemy.pose, enemy.kind),
        tuple(corners(enemy.pose, enemy.kind)),
        middle(ship.pose, ship.kind),
        gap,
    )


def _in_hand(view: TableView) -> list[Galley]:
    """The galley in hand, or all of the viewer's; of nobody's all that there are."""
    ships = {ship.id: ship for ship in view.galleys}
    hand = ships.get(view.current)
    return [hand] if hand else [ship for ship in view.galleys if ship.seat == view.seat] or list(view.galleys)


def _fitted(points: Sequence[Point], whole: Box, tallest: float) -> Box:
    """A window of a good shape about some points, within the table."""
    west, east = min(x for x, _ in points) - _AROUND_MM, max(x for x, _ in points) + _AROUND_MM
    south = max(min(y for _, y in points) - _AROUND_MM, whole[1])
    north = min(max(y for _, y in points) + _AROUND_MM, whole[3])
    wide = max(east - west, _LEAST_MM, (north - south) / tallest)
    high = max(north - south, wide * _FLATTEST)
    if wide >= whole[2] - whole[0]:
        return whole
    high = min(high, whole[3] - whole[1])
    left = min(max((west + east - wide) / 2, whole[0]), whole[2] - wide)
    low = min(max((south + north - high) / 2, whole[1]), whole[3] - high)
    return tuple(round(edge, 1) for edge in (left, low, left + wide, low + high))  # type: ignore[return-value]


def _whole(width_mm: float, height_mm: float, tallest: float = _TABLE_TALLEST) -> Box:
    rim = ground.RIM_MM
    wide, high = width_mm + 2 * rim, height_mm + 2 * rim
    aside, above = max(0.0, high / tallest - wide) / 2, max(0.0, wide * _TABLE_FLATTEST - high) / 2
    return -rim - aside, -rim - above, width_mm + rim + aside, height_mm + rim + above


def _seen(asked: Commission[TableView], acts: Sequence[Act]) -> Iterable[Point]:
    """Points that must be within the window, in mm."""
    view, focus = asked.view, set(asked.focus)
    involved = focus or {name for act in acts for event in act.events for name in _concerned(event)}
    for ship in view.galleys:
        if not involved or ship.id in involved:
            yield from corners(ship.pose, ship.kind)
    for act in acts:
        for ship in act.moved.galleys.values():
            if not involved or ship.id in involved:
                yield from corners(ship.pose, ship.kind)
        for shot in act.of(VolleyDropped):
            if not focus or {shot.by, shot.to} & focus:
                yield from ((drop.x_mm, drop.y_mm) for drop in shot.drops if drop.on_table)


def _planned(view: TableView) -> Iterator[Point]:
    """The course of the galley in hand, what she could fire at from its end, and anything near it."""
    own = _in_hand(view)
    hand = next((ship for ship in own if ship.id == view.current), None)
    courses = {plan.galley: plan.ghosts for plan in view.plans}
    poses = [pose for ship in own for pose in (ship.pose, *courses.get(ship.id, ()))]
    for ship in own:
        for pose in (ship.pose, *courses.get(ship.id, ())):
            yield from corners(pose, ship.kind)
    if hand:
        yield from marks.reach(poses[-1], own[-1].kind, (view.width_mm, view.height_mm))
    asked_about = set(view.question.choices) if view.question else set()
    for ship in view.galleys:
        near = min(dist(middle(ship.pose, ship.kind), middle(pose)) for pose in poses)
        limit = _BESIDE_MM if view.seat is not None and ship.side == view.sides[view.seat] else _NEAR_MM
        if near < limit or ship.id in asked_about:
            yield from corners(ship.pose, ship.kind)


def _concerned(event: object) -> tuple[str, ...]:
    match event:
        case VolleyDropped() | Rammed():
            return event.by, event.to
        case Grappled() | Torched():
            return event.by, event.galley
        case Moved() | Lost() | Sank():
            return (event.galley,)
        case _:
            return ()

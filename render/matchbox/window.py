"""How much of the table a picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import dist

from render import ground
from render.canvas import Box, Point
from render.commission import Commission
from render.matchbox import aim as aiming
from render.matchbox.story import Act
from rules.matchbox.desk.view import TableView
from rules.matchbox.table.events import Lost, Moved, Rammed, Sank, VolleyDropped
from rules.matchbox.table.hull import corners, middle

_AROUND_MM = 48.0
_LEAST_MM = 380.0
"""No crop shows less of the table than this across."""
_NEAR_MM = 330.0
"""Galleys that come nearer than this to a plan are shown with it."""
_TALLEST, _FLATTEST = 0.8, 0.45
"""Heights of a crop's window as parts of its width."""
_TABLE_TALLEST, _TABLE_FLATTEST = 1.6, 0.25
"""The same of a whole table; about one that is longer more of the floor is seen."""


def window(asked: Commission[TableView], told: Sequence[Act]) -> Box:
    """West, south, east and north of what is shown, in mm."""
    view = asked.view
    whole = _whole(view.width_mm, view.height_mm)
    volley = view.aimed if asked.kind == "plan" else None
    # The numbers among which a captain picks his aim need room, whatever was asked for.
    points = aiming.seen(volley) if volley else list(_seen(asked, told)) if asked.crop == "action" else []
    if not points:
        return whole
    west, east = min(x for x, _ in points) - _AROUND_MM, max(x for x, _ in points) + _AROUND_MM
    south, north = min(y for _, y in points) - _AROUND_MM, max(y for _, y in points) + _AROUND_MM
    wide = max(east - west, _LEAST_MM, (north - south) / _TALLEST)
    high = max(north - south, wide * _FLATTEST)
    if wide >= whole[2] - whole[0]:
        return whole
    high = min(high, whole[3] - whole[1])
    left = min(max((west + east - wide) / 2, whole[0]), whole[2] - wide)
    low = min(max((south + north - high) / 2, whole[1]), whole[3] - high)
    return tuple(round(edge, 1) for edge in (left, low, left + wide, low + high))  # type: ignore[return-value]


def _whole(width_mm: float, height_mm: float) -> Box:
    rim = ground.RIM_MM
    wide, high = width_mm + 2 * rim, height_mm + 2 * rim
    aside, above = max(0.0, high / _TABLE_TALLEST - wide) / 2, max(0.0, wide * _TABLE_FLATTEST - high) / 2
    return -rim - aside, -rim - above, width_mm + rim + aside, height_mm + rim + above


def _seen(asked: Commission[TableView], told: Sequence[Act]) -> Iterable[Point]:
    """Points that must be within the window, in mm."""
    view, focus = asked.view, set(asked.focus)
    involved = focus or {
        name for act in told for event in act.events for name in _concerned(event) if asked.kind != "plan"
    }
    if asked.kind == "plan" and not focus:
        involved = _planned(view)
    ships = [ship for ship in view.galleys if not involved or ship.id in involved]
    for ship in ships:
        yield from corners(ship.pose)
    if asked.kind == "plan":
        for plan in view.plans:
            if plan.galley in involved:
                for pose in plan.ghosts:
                    yield from corners(pose)
    for act in told:
        for ship in act.moved.values():
            if not involved or ship.id in involved:
                yield from corners(ship.pose)
        for shot in act.of(VolleyDropped):
            if not focus or {shot.by, shot.to} & focus:
                yield from ((drop.x_mm, drop.y_mm) for drop in shot.drops if drop.on_table)


def _planned(view: TableView) -> set[str]:
    """The viewer's galleys, and those that they may come near to."""
    own = {ship.id for ship in view.galleys if ship.seat == view.seat}
    spots = [middle(ship.pose) for ship in view.galleys if ship.id in own]
    spots += [middle(pose) for plan in view.plans for pose in plan.ghosts]
    near = {ship.id for ship in view.galleys if any(dist(middle(ship.pose), spot) < _NEAR_MM for spot in spots)}
    return own | near


def _concerned(event: object) -> tuple[str, ...]:
    match event:
        case VolleyDropped() | Rammed():
            return event.by, event.to
        case Moved() | Lost() | Sank():
            return (event.galley,)
        case _:
            return ()

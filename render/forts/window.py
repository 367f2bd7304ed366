"""The part of the chart that a picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from render.commission import Commission
from render.drawing.canvas import Rect
from render.drawing.viewport import PlanSight, Viewport, choose_sight, nearest_foe
from render.forts.marks import hex_of_label
from render.seas.hexmap import HexGrid, hex_centre, hex_outline, hexes_box
from rules.forts.engine import fire
from rules.forts.engine.boards import LOWER_COLUMNS, SIDES, Board
from rules.forts.engine.events import ShipMoved, ShotFired
from rules.forts.interface.view import HexView
from rules.forts.retelling import StoryMoment
from rules.geometry.hexes import Hex

_MIN_WIDTH_EDGES: Final = 13.0
_MAX_WIDTH_EDGES: Final = 33.0
"""Greatest width to which a crop grows to show the nearest enemy. It is the whole usual chart."""
_MIN_ASPECT, _MAX_ASPECT = 0.5, 0.72
_MARGIN, _PLAN_MARGIN, _WINDOW_STEP = 0.9, 0.4, 1.5
"""Edges of plans' windows lie at multiples of this, so that a drawn chart can be reused."""


@lru_cache(maxsize=8)
def grid_of(board: Board) -> HexGrid:
    land = frozenset(hex_of_label(label) for label in (*board.land, board.west.fort, board.east.fort))
    return HexGrid(board.columns, (board.rows_even, board.rows_odd), LOWER_COLUMNS, land)


def shown_window(commission: Commission[HexView], acts: Sequence[StoryMoment]) -> Rect:
    """Return west, south, east and north of a picture, in edges of a hex."""
    if commission.kind == "plan":
        return plan_sight(commission).window
    visible = _shown_hexes(commission, acts) if commission.crop == "action" else ()
    return _viewport(commission.view).show(_boxes(visible), _piece_boxes(commission.view, acts))


def plan_sight(commission: Commission[HexView]) -> PlanSight:
    """Return the window around the current ship, its reach and the nearest enemy, or the whole chart."""
    view = commission.view
    # The hexes in which a captain may place ships are shown even if a closer view was requested.
    visible = _planned_hexes(view) if commission.crop == "action" or view.start_hexes else ()
    own_colour = None if view.seat is None else view.colours[view.seat]
    foe = nearest_foe(
        [ship for ship in view.ships if ship.colour == own_colour],
        view.current_ship,
        [ship for ship in view.ships if ship.colour != own_colour],
        gap=lambda ship, enemy: fire.hex_distance(view.board, ship.hex, enemy.hex),
        middle=lambda ship: hex_centre(hex_of_label(ship.hex)),
        hull=lambda ship: hex_outline(hex_of_label(ship.hex)),
    )
    viewport = _viewport(view, 0.0 if view.start_hexes else _WINDOW_STEP)
    return choose_sight(viewport, _boxes(visible), _piece_boxes(view, ()), foe, _MAX_WIDTH_EDGES)


def _viewport(view: HexView, step: float = 0.0) -> Viewport:
    return Viewport(
        whole=grid_of(view.board).whole_window,
        margin=_PLAN_MARGIN if step else _MARGIN,
        min_width=_MIN_WIDTH_EDGES,
        min_aspect=_MIN_ASPECT,
        max_aspect=_MAX_ASPECT,
        step=step,
    )


def _boxes(visible: Iterable[Hex]) -> list[Rect]:
    return [hexes_box([here]) for here in visible]


def _piece_boxes(view: HexView, acts: Sequence[StoryMoment]) -> list[Rect]:
    ships = [*view.ships, *(ship for act in acts for sea in (act.before, act.after) for ship in sea.ships.values())]
    labels = {ship.hex for ship in ships} | {view.board.harbour_of(side).fort for side in SIDES}
    return _boxes(map(hex_of_label, labels))


def _planned_hexes(view: HexView) -> set[Hex]:
    """Return the hexes that a captain chooses among: where the current ship may sail and fire, or may be placed."""
    current = next((ship for ship in view.ships if ship.id == view.current_ship), None)
    if current is not None:
        labels = {current.hex}
        labels |= {label for reach in view.reaches if reach.ship == current.id for label in reach.hexes}
        labels |= {line.end for line in view.fire_lines if line.by == current.id}
    else:
        labels = set(view.start_hexes) or {ship.hex for ship in view.ships}
    return {hex_of_label(label) for label in labels}


def _shown_hexes(commission: Commission[HexView], acts: Sequence[StoryMoment]) -> set[Hex]:
    view, focus = commission.view, set(commission.focus)
    labels = {ship.hex for ship in view.ships if ship.id in focus}
    deeds = [deed for act in acts for deed in act.deed_events]
    labels |= {label for deed in deeds if isinstance(deed, ShotFired) for label in (deed.start, deed.end)}
    if commission.kind != "volley":
        labels |= {label for deed in deeds if isinstance(deed, ShipMoved) for label in deed.path}
    return {hex_of_label(label) for label in labels or {ship.hex for ship in view.ships}}

"""The part of the chart that a picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from render.commission import Commission
from render.drawing.canvas import Rect
from render.forts.marks import hex_of_label
from render.marks import sighting
from render.marks.sighting import Foe, PlanSight
from render.seas.hexmap import HexGrid, fit_window, hex_centre, hex_outline
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
_WINDOW_STEP: Final = 1.5
"""Edges of plans' windows lie at multiples of this, so that a drawn chart can be reused."""


@lru_cache(maxsize=8)
def grid_of(board: Board) -> HexGrid:
    land = frozenset(hex_of_label(label) for label in (*board.land, board.west.fort, board.east.fort))
    return HexGrid(board.columns, (board.rows_even, board.rows_odd), LOWER_COLUMNS, land)


def shown_window(commission: Commission[HexView], acts: Sequence[StoryMoment]) -> Rect:
    """Return west, south, east and north of a picture, in edges of a hex."""
    if commission.kind == "plan":
        return plan_sight(commission).window
    visible = _shown_hexes(commission, acts) if commission.crop == "action" else set()
    return _window_around(commission.view, visible, _piece_hexes(commission.view, acts))


def plan_sight(commission: Commission[HexView]) -> PlanSight:
    """Return the window around the current ship, its reach and the nearest enemy, or the whole chart."""
    view = commission.view
    # The hexes in which a captain may place ships are shown even if a closer view was requested.
    visible = _planned_hexes(view) if commission.crop == "action" or view.start_hexes else set()
    places, step = _piece_hexes(view, ()), 0.0 if view.start_hexes else _WINDOW_STEP

    def fitted(foe: Foe | None, tallest: float) -> Rect:
        enemy = {hex_of_label(ship.hex) for ship in view.ships if foe and visible and ship.id == foe.id}
        return _window_around(view, visible | enemy, places, step, _MAX_ASPECT if view.start_hexes else tallest)

    return sighting.choose_sight(fitted, nearest_foe(view), _MAX_WIDTH_EDGES)


def nearest_foe(view: HexView) -> Foe | None:
    """Return the enemy nearest to the current ship, or without one to any of the viewer's ships."""
    own_colour = None if view.seat is None else view.colours[view.seat]
    own_ships = [ship for ship in view.ships if ship.colour == own_colour]
    candidates = [ship for ship in own_ships if ship.id == view.current_ship] or own_ships
    pairs = [(ship, enemy) for ship in candidates for enemy in view.ships if own_colour and enemy.colour != own_colour]
    if not pairs:
        return None
    ship, enemy = min(pairs, key=lambda pair: fire.hex_distance(view.board, pair[0].hex, pair[1].hex))
    distance = fire.hex_distance(view.board, ship.hex, enemy.hex)
    return Foe(
        enemy.id,
        hex_centre(hex_of_label(enemy.hex)),
        hex_outline(hex_of_label(enemy.hex)),
        hex_centre(hex_of_label(ship.hex)),
        distance,
    )


def _window_around(
    view: HexView, visible: set[Hex], places: set[Hex], step: float = 0.0, tallest: float = _MAX_ASPECT
) -> Rect:
    """Return a window around hexes whose edge cuts no ship or fort; the whole chart without hexes."""
    grid, shown_hexes = grid_of(view.board), set(visible)
    box = fit_window(grid, shown_hexes, least=_MIN_WIDTH_EDGES, flattest=_MIN_ASPECT, tallest=tallest, step=step)
    while cut := {place for place in places - shown_hexes if shown_hexes and _is_cut(box, place)}:
        shown_hexes |= cut
        box = fit_window(grid, shown_hexes, least=_MIN_WIDTH_EDGES, flattest=_MIN_ASPECT, tallest=tallest, step=step)
    return box


def _piece_hexes(view: HexView, acts: Sequence[StoryMoment]) -> set[Hex]:
    ships = [*view.ships, *(ship for act in acts for sea in (act.before, act.after) for ship in sea.ships.values())]
    return {hex_of_label(view.board.harbour_of(side).fort) for side in SIDES} | {
        hex_of_label(ship.hex) for ship in ships
    }


def _is_cut(box: Rect, place: Hex) -> bool:
    (x, y), (west, south, east, north) = hex_centre(place), box
    inside = west + 1 <= x <= east - 1 and south + 0.9 <= y <= north - 0.9
    return not inside and west - 1 < x < east + 1 and south - 1 < y < north + 1


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

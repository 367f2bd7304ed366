"""How much of the chart a picture shows."""

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

_MIN_WIDTH: Final = 13.0
"""Edges of a hex: no crop shows less across."""
_MAX_WIDTH: Final = 33.0
"""No crop is made wider than this across to show the nearest enemy: all of the usual chart."""
_MIN_ASPECT, _MAX_ASPECT = 0.5, 0.72
_WINDOW_STEP: Final = 1.5
"""Edges of plans' windows lie at multiples of this: a chart that was drawn is used again."""


@lru_cache(maxsize=8)
def grid_of(board: Board) -> HexGrid:
    """The hexes of a board; forts stand on land."""
    land = frozenset(hex_of_label(label) for label in (*board.land, board.west.fort, board.east.fort))
    return HexGrid(board.columns, (board.rows_even, board.rows_odd), LOWER_COLUMNS, land)


def shown_window(asked: Commission[HexView], acts: Sequence[StoryMoment]) -> Rect:
    """West, south, east and north of what is shown."""
    if asked.kind == "plan":
        return plan_sight(asked).window
    seen = _shown_hexes(asked, acts) if asked.crop == "action" else set()
    return _window_around(asked.view, seen, _piece_hexes(asked.view, acts))


def plan_sight(asked: Commission[HexView]) -> PlanSight:
    """What a plan shows: the ship in hand, where she may sail, and the enemy nearest to her; or the whole chart."""
    view = asked.view
    # The hexes among which a captain berths ships need room, even if a closer view was asked for.
    seen = _planned_hexes(view) if asked.crop == "action" or view.start_hexes else set()
    places, step = _piece_hexes(view, ()), 0.0 if view.start_hexes else _WINDOW_STEP

    def fitted(foe: Foe | None, tallest: float) -> Rect:
        enemy = {hex_of_label(ship.hex) for ship in view.ships if foe and seen and ship.id == foe.id}
        return _window_around(view, seen | enemy, places, step, _MAX_ASPECT if view.start_hexes else tallest)

    return sighting.choose_sight(fitted, nearest_foe(view), _MAX_WIDTH)


def nearest_foe(view: HexView) -> Foe | None:
    """The enemy nearest to the ship in hand, or else to any of the viewer's."""
    mine = None if view.seat is None else view.colours[view.seat]
    own = [ship for ship in view.ships if ship.colour == mine]
    hand = [ship for ship in own if ship.id == view.current_ship] or own
    pairs = [(ship, enemy) for ship in hand for enemy in view.ships if mine and enemy.colour != mine]
    if not pairs:
        return None
    ship, enemy = min(pairs, key=lambda pair: fire.hex_distance(view.board, pair[0].hex, pair[1].hex))
    away = fire.hex_distance(view.board, ship.hex, enemy.hex)
    return Foe(
        enemy.id,
        hex_centre(hex_of_label(enemy.hex)),
        hex_outline(hex_of_label(enemy.hex)),
        hex_centre(hex_of_label(ship.hex)),
        away,
    )


def _window_around(
    view: HexView, seen: set[Hex], places: set[Hex], step: float = 0.0, tallest: float = _MAX_ASPECT
) -> Rect:
    """A window about hexes in which no ship or fort is cut by the edge; the whole chart if there are none."""
    grid, wanted = grid_of(view.board), set(seen)
    box = fit_window(grid, wanted, least=_MIN_WIDTH, flattest=_MIN_ASPECT, tallest=tallest, step=step)
    while cut := {place for place in places - wanted if wanted and _is_cut(box, place)}:
        wanted |= cut
        box = fit_window(grid, wanted, least=_MIN_WIDTH, flattest=_MIN_ASPECT, tallest=tallest, step=step)
    return box


def _piece_hexes(view: HexView, acts: Sequence[StoryMoment]) -> set[Hex]:
    """Where forts stand, and where ships lie and have lain."""
    ships = [*view.ships, *(ship for act in acts for sea in (act.before, act.after) for ship in sea.ships.values())]
    return {hex_of_label(view.board.harbour_of(side).fort) for side in SIDES} | {
        hex_of_label(ship.hex) for ship in ships
    }


def _is_cut(box: Rect, place: Hex) -> bool:
    (x, y), (west, south, east, north) = hex_centre(place), box
    inside = west + 1 <= x <= east - 1 and south + 0.9 <= y <= north - 0.9
    return not inside and west - 1 < x < east + 1 and south - 1 < y < north + 1


def _planned_hexes(view: HexView) -> set[Hex]:
    """Hexes among which a captain picks: where the ship in hand may sail and fire, or where ships may lie."""
    current = next((ship for ship in view.ships if ship.id == view.current_ship), None)
    if current is not None:
        labels = {current.hex}
        labels |= {label for reach in view.reaches if reach.ship == current.id for label in reach.hexes}
        labels |= {line.end for line in view.fire_lines if line.by == current.id}
    else:
        labels = set(view.start_hexes) or {ship.hex for ship in view.ships}
    return {hex_of_label(label) for label in labels}


def _shown_hexes(asked: Commission[HexView], acts: Sequence[StoryMoment]) -> set[Hex]:
    """Hexes that a crop must show."""
    view, focus = asked.view, set(asked.focus)
    labels = {ship.hex for ship in view.ships if ship.id in focus}
    deeds = [deed for act in acts for deed in act.deed_events]
    labels |= {label for deed in deeds if isinstance(deed, ShotFired) for label in (deed.start, deed.end)}
    if asked.kind != "volley":
        labels |= {label for deed in deeds if isinstance(deed, ShipMoved) for label in deed.path}
    return {hex_of_label(label) for label in labels or {ship.hex for ship in view.ships}}

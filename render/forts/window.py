"""How much of the chart a picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from render import sighting
from render.canvas import Box
from render.commission import Commission
from render.forts.marks import here
from render.hexmap import Grid, centre, outline, window
from render.sighting import Foe, Sight
from rules.forts.desk.view import HexView
from rules.forts.retelling import Act
from rules.forts.table import fire
from rules.forts.table.boards import LOWER, SIDES, Board
from rules.forts.table.events import Sailed, ShotFired
from rules.hexes import Hex

_LEAST: Final = 13.0
"""Edges of a hex: no crop shows less across."""
_MOST: Final = 33.0
"""No crop is made wider than this across to show the nearest enemy: all of the usual chart."""
_FLATTEST, _TALLEST = 0.5, 0.72
_STEP: Final = 1.5
"""Edges of plans' windows lie at multiples of this: a chart that was drawn is used again."""


@lru_cache(maxsize=8)
def grid_of(board: Board) -> Grid:
    """The hexes of a board; forts stand on land."""
    land = frozenset(here(label) for label in (*board.land, board.west.fort, board.east.fort))
    return Grid(board.columns, (board.rows_even, board.rows_odd), LOWER, land)


def window_of(asked: Commission[HexView], acts: Sequence[Act]) -> Box:
    """West, south, east and north of what is shown."""
    if asked.kind == "plan":
        return sight(asked).window
    seen = _seen(asked, acts) if asked.crop == "action" else set()
    return _around(asked.view, seen, _places(asked.view, acts))


def sight(asked: Commission[HexView]) -> Sight:
    """What a plan shows: the ship in hand, where she may sail, and the enemy nearest to her; or the whole chart."""
    view = asked.view
    # The hexes among which a captain berths ships need room, even if a closer view was asked for.
    seen = _planned(view) if asked.crop == "action" or view.start else set()
    places, step = _places(view, ()), 0.0 if view.start else _STEP

    def fitted(foe: Foe | None, tallest: float) -> Box:
        enemy = {here(ship.hex) for ship in view.ships if foe and seen and ship.id == foe.id}
        return _around(view, seen | enemy, places, step, _TALLEST if view.start else tallest)

    return sighting.choose(fitted, nearest(view), _MOST)


def nearest(view: HexView) -> Foe | None:
    """The enemy nearest to the ship in hand, or else to any of the viewer's."""
    mine = None if view.seat is None else view.colours[view.seat]
    own = [ship for ship in view.ships if ship.colour == mine]
    hand = [ship for ship in own if ship.id == view.current] or own
    pairs = [(ship, enemy) for ship in hand for enemy in view.ships if mine and enemy.colour != mine]
    if not pairs:
        return None
    ship, enemy = min(pairs, key=lambda pair: fire.distance(view.board, pair[0].hex, pair[1].hex))
    away = fire.distance(view.board, ship.hex, enemy.hex)
    return Foe(enemy.id, centre(here(enemy.hex)), outline(here(enemy.hex)), centre(here(ship.hex)), away)


def _around(view: HexView, seen: set[Hex], places: set[Hex], step: float = 0.0, tallest: float = _TALLEST) -> Box:
    """A window about hexes in which no ship or fort is cut by the edge; the whole chart if there are none."""
    grid, wanted = grid_of(view.board), set(seen)
    box = window(grid, wanted, least=_LEAST, flattest=_FLATTEST, tallest=tallest, step=step)
    while cut := {place for place in places - wanted if wanted and _is_cut(box, place)}:
        wanted |= cut
        box = window(grid, wanted, least=_LEAST, flattest=_FLATTEST, tallest=tallest, step=step)
    return box


def _places(view: HexView, acts: Sequence[Act]) -> set[Hex]:
    """Where forts stand, and where ships lie and have lain."""
    ships = [*view.ships, *(ship for act in acts for sea in (act.before, act.after) for ship in sea.ships.values())]
    return {here(view.board.harbour(side).fort) for side in SIDES} | {here(ship.hex) for ship in ships}


def _is_cut(box: Box, place: Hex) -> bool:
    (x, y), (west, south, east, north) = centre(place), box
    inside = west + 1 <= x <= east - 1 and south + 0.9 <= y <= north - 0.9
    return not inside and west - 1 < x < east + 1 and south - 1 < y < north + 1


def _planned(view: HexView) -> set[Hex]:
    """Hexes among which a captain picks: where the ship in hand may sail and fire, or where ships may lie."""
    current = next((ship for ship in view.ships if ship.id == view.current), None)
    if current is not None:
        labels = {current.hex}
        labels |= {label for reach in view.reach if reach.ship == current.id for label in reach.hexes}
        labels |= {line.end for line in view.fire if line.by == current.id}
    else:
        labels = set(view.start) or {ship.hex for ship in view.ships}
    return {here(label) for label in labels}


def _seen(asked: Commission[HexView], acts: Sequence[Act]) -> set[Hex]:
    """Hexes that a crop must show."""
    view, focus = asked.view, set(asked.focus)
    labels = {ship.hex for ship in view.ships if ship.id in focus}
    deeds = [deed for act in acts for deed in act.deeds]
    labels |= {label for deed in deeds if isinstance(deed, ShotFired) for label in (deed.start, deed.end)}
    if asked.kind != "volley":
        labels |= {label for deed in deeds if isinstance(deed, Sailed) for label in deed.path}
    return {here(label) for label in labels or {ship.hex for ship in view.ships}}

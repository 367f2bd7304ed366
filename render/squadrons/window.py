"""The part of the sea that a picture shows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from math import cos, radians, sin

from render.commission import Commission
from render.drawing.canvas import Point, Rect
from render.marks import sighting
from render.marks.sighting import Foe, PlanSight
from render.seas.hexmap import HEX_HEIGHT, HexGrid, fit_window, hex_centre, hex_outline
from rules.geometry.hexes import Hex
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose, parse_hex, parse_place
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview.view import FleetView
from rules.squadrons.retelling import StoryMoment

_MIN_WIDTH_EDGES = 15.0
_MAX_WIDTH_EDGES = 29.0
"""Greatest width to which a plan grows to show the nearest enemy. A phone then shows hexes 19 px high."""
_MIN_ASPECT, _MAX_ASPECT = 0.5, 0.85
_WINDOW_STEP = 1.5
"""Edges of plans' windows lie at multiples of this, so that a drawn sea can be reused."""
_ENEMY_DISTANCE = 3
"""Enemies at most this many hexes from the viewer's ships, or from where they may go, are shown."""


@lru_cache(maxsize=8)
def map_grid(width: int, height: int, land: tuple[Hex, ...]) -> HexGrid:
    return HexGrid(width, (height, height), grid.LOWER_COLUMNS, frozenset(land))


def position_grid(position: Position) -> HexGrid:
    return map_grid(position.width, position.height, position.land)


def shown_window(
    commission: Commission[FleetView],
    acts: Sequence[StoryMoment],
    *,
    tallest: float = _MAX_ASPECT,
    least: float = _MIN_WIDTH_EDGES,
) -> Rect:
    """Return west, south, east and north of a picture. Its edge cuts no ship, except in a plan of a tall map."""
    if commission.kind == "plan":
        return plan_sight(commission).window
    hex_grid, view = position_grid(commission.view.position), commission.view
    if commission.kind == "round" and commission.pace != "calm":
        return _scene_window(commission, acts)
    visible = set(_shown_hexes(commission, acts)) if commission.crop == "action" else set()
    return window_around(hex_grid, visible, ship_hexes(view.position, acts), tallest=tallest, least=least)


def _scene_window(commission: Commission[FleetView], acts: Sequence[StoryMoment]) -> Rect:
    """Return the window of one turn in a whole game's film, in the map's shape, which all turns share.

    It shows only where ships are: on the whole map they would be specks on a phone.
    """
    hex_grid = position_grid(commission.view.position)
    west, south, east, north = hex_grid.whole_window
    shape = (north - south) / (east - west)
    ships = ship_hexes(commission.view.position, acts)
    occupied = {here for hull in ships for here in hull}
    west, south, east, _ = window_around(hex_grid, occupied, ships, tallest=shape, flattest=shape)
    return west, south, east, south + shape * (east - west)


def plan_sight(commission: Commission[FleetView]) -> PlanSight:
    """Return the window around the current ship and all it may do, or all own ships, and the nearest enemy."""
    view = commission.view
    # The hexes in which a captain may place ships are shown even if a closer view was requested.
    visible = _planned_hexes(view) if commission.crop == "action" or view.overlay.start_hexes else set()
    by_id = {ship.id: ship for ship in view.position.ships}

    def fitted(foe: Foe | None, tallest: float) -> Rect:
        return _plan_window(view, visible | set(by_id[foe.id].hexes if foe and visible else ()), tallest)

    return sighting.choose_sight(fitted, nearest_foe(view), _MAX_WIDTH_EDGES)


def nearest_foe(view: FleetView) -> Foe | None:
    """Return the enemy nearest to the current ship, or without one to any of the viewer's ships."""
    ships = [ship for ship in view.position.ships if ship.is_afloat]
    own_ships = [ship for ship in ships if ship.side == view.side]
    candidates = [ship for ship in own_ships if ship.id == view.overlay.current_ship] or own_ships
    pairs = [(ship, enemy) for ship in candidates for enemy in ships if enemy.side != ship.side]
    if not pairs:
        return None
    ship, enemy = min(pairs, key=lambda pair: grid.hex_distance(pair[0].hexes, pair[1].hexes))
    hull = tuple(corner for here in enemy.hexes for corner in hex_outline(here))
    return Foe(enemy.id, _ship_middle(enemy), hull, _ship_middle(ship), grid.hex_distance(ship.hexes, enemy.hexes))


def _ship_middle(ship: Ship) -> Point:
    spots = [hex_centre(here) for here in ship.hexes]
    return sum(x for x, _ in spots) / len(spots), sum(y for _, y in spots) / len(spots)


def _plan_window(view: FleetView, visible: set[Hex], tallest: float) -> Rect:
    """Return a window around hexes that leaves room for a panel's buttons; the whole map without hexes.

    If the window would be too tall, it shows only a part of the map's height, or some space beside the map.
    """
    hex_grid = position_grid(view.position)
    box = window_around(hex_grid, visible, ship_hexes(view.position, ()), tallest=tallest, step=_WINDOW_STEP)
    west, south, east, north = box
    if visible and north - south > tallest * (east - west):
        ys = [hex_centre(here)[1] for here in visible]
        height = max(max(ys) - min(ys) + 4.0, tallest * (east - west))
        low = min(max((max(ys) + min(ys) - height) / 2, south), max(south, north - height))
        south, north = round(low, 2), round(min(low + height, north), 2)
    aside = max(0.0, (north - south) / tallest - (east - west)) / 2
    return round(west - aside, 2), south, round(east + aside, 2), north


def window_around(
    hex_grid: HexGrid,
    visible: set[Hex],
    ships: Iterable[Sequence[Hex]],
    *,
    tallest: float = _MAX_ASPECT,
    least: float = _MIN_WIDTH_EDGES,
    flattest: float = _MIN_ASPECT,
    step: float = 0.0,
) -> Rect:
    """Return a window around hexes, enlarged until its edge cuts no ship; the whole map without hexes."""
    flattest = min(flattest, tallest)
    box = fit_window(hex_grid, visible, least=least, flattest=flattest, tallest=tallest, step=step)
    if not visible:
        return box
    hulls, shown_hexes = list(ships), set(visible)
    while True:
        touched = [hull for hull in hulls if any(_touches_hex(box, here) for here in hull)]
        cut = {here for hull in touched for here in hull if not _contains_hex(box, here)}
        if cut <= shown_hexes:
            return box
        shown_hexes |= cut
        larger = fit_window(hex_grid, shown_hexes, least=least, flattest=flattest, tallest=tallest, step=step)
        if larger == box:
            return box
        box = larger


def ship_hexes(position: Position, acts: Sequence[StoryMoment]) -> list[tuple[Hex, ...]]:
    """Return the hexes of all ships, now and before the acts."""
    hulls = {ship.hexes for ship in position.ships if ship.is_afloat}
    for act in acts:
        hulls |= {ship.hexes for name in act.ship_ids if (ship := act.before.ships_by_id[name]).is_afloat}
    return list(hulls)


def _contains_hex(box: Rect, here: Hex) -> bool:
    (x, y), (west, south, east, north) = hex_centre(here), box
    return west + 0.9 <= x <= east - 0.9 and south + 0.8 <= y <= north - 0.8


def _touches_hex(box: Rect, here: Hex) -> bool:
    (x, y), (west, south, east, north) = hex_centre(here), box
    return west - 0.9 < x < east + 0.9 and south - 0.8 < y < north + 0.8


def act_hexes(act: StoryMoment) -> set[Hex]:
    ships = [sea.ships_by_id[name] for name in act.ship_ids for sea in (act.before, act.after)]
    return {here for ship in ships if ship.is_afloat for here in ship.hexes}


def _shown_hexes(commission: Commission[FleetView], acts: Sequence[StoryMoment]) -> Iterable[Hex]:
    view = commission.view
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    deeds = [act for act in acts if act.has_visible_event and (commission.kind == "round" or act.has_attack)]
    if commission.kind in ("round", "attacks") and deeds:
        return (here for act in deeds for here in act_hexes(act))
    focus = set(commission.focus) & ships.keys() or set(ships)
    return (here for name in focus for here in ships[name].hexes)


def _planned_hexes(view: FleetView) -> set[Hex]:
    """Return the hexes that a plan must show: ships with all that they may do, targets, and enemies nearby."""
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    current = ships.get(view.overlay.current_ship or "")
    own_ships = [ship for ship in ships.values() if ship.side == view.side]
    planned_ships = [current] if current else own_ships or list(ships.values())
    planned = {parse_hex(label) for label in view.overlay.start_hexes}
    planned |= {here for ship in planned_ships for here in ship.hexes}
    planned |= _track_hexes(view, ships, {ship.id for ship in planned_ships})
    if current:
        planned |= _reached_hexes(view, current)
    enemies = _near_enemies(view, ships, current, tuple(planned))
    return planned | {here for name in enemies for here in ships[name].hexes}


def _track_hexes(view: FleetView, ships: Mapping[str, Ship], names: Container[str]) -> set[Hex]:
    """Return the hexes of some ships' planned courses and of the ships that they attack."""
    tracks = [track for track in view.overlay.tracks if track.ship in names and track.ship in ships]
    places = [(parse_place(place), track) for track in tracks for place in (*track.places, *track.alternative)]
    targets = [name for track in tracks for _, name in track.attacks if name in ships]
    return {here for place, track in places for here in place.covered_hexes(ships[track.ship].size)} | {
        here for name in targets for here in ships[name].hexes
    }


def _reached_hexes(view: FleetView, current: Ship) -> set[Hex]:
    """Return the hexes that the current ship may reach, and those ahead as far as its speed could take it."""
    reachable = (parse_hex(entry.hex) for entry in view.overlay.reachable_hexes)
    ahead = _hexes_ahead(current, 0 if view.position.is_immobile(current) else current.printed_speed)
    steps = {parse_place(entry.to).bow for entry in view.overlay.next_steps if entry.to and not entry.rule}
    return {*ahead, *steps, *(here for here in reachable if not _is_far_astern(current, here))}


def _near_enemies(
    view: FleetView, ships: Mapping[str, Ship], current: Ship | None, planned: tuple[Hex, ...]
) -> set[str]:
    """Return enemies that the current ship may attack, and those near the planned hexes and not far from the ship."""
    enemies = [ship for ship in ships.values() if ship.side != view.side]
    near = {ship.id for ship in enemies if grid.hex_distance(ship.hexes, planned) <= _ENEMY_DISTANCE}
    if current is None:
        return near
    legal = {entry.target for entry in view.overlay.attack_previews if not entry.rule and entry.target in ships}
    return legal | {name for name in near if grid.hex_distance(ships[name].hexes, current.hexes) <= 2 * _ENEMY_DISTANCE}


def _is_far_astern(ship: Ship, at: Hex) -> bool:
    """Return whether a hex is more than two hexes behind the bow. Such hexes matter little and would cost width."""
    (x, y), (bow_x, bow_y) = hex_centre(at), hex_centre(ship.bow)
    angle = radians(60 * ship.facing)
    return (x - bow_x) * sin(angle) + (y - bow_y) * cos(angle) < -2.0 * HEX_HEIGHT


def _hexes_ahead(ship: Ship, hex_count: int) -> Iterable[Hex]:
    for turn in (0, 1, 5):
        place = HexPose(ship.bow, (ship.facing + turn) % 6)
        for _ in range(hex_count):
            place = HexPose(place.hex_ahead, place.facing)
        yield place.bow

"""How much of the sea a picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

_MIN_WIDTH = 15.0
"""Edges of a hex: no crop shows less across."""
_MAX_WIDTH = 29.0
"""No crop of a plan is made wider than this across to show the nearest enemy: hexes are 19 pixels high on a phone."""
_MIN_ASPECT, _MAX_ASPECT = 0.5, 0.85
_WINDOW_STEP = 1.5
"""Edges of plans' windows lie at multiples of this: a sea that was drawn is used again."""
_ENEMY_DISTANCE = 3
"""Hexes: enemies nearer than this to one's own ships, or to where they may go, are shown with them."""


@lru_cache(maxsize=8)
def map_grid(width: int, height: int, land: tuple[Hex, ...]) -> HexGrid:
    """The hexes of a map."""
    return HexGrid(width, (height, height), grid.LOWER_COLUMNS, frozenset(land))


def position_grid(position: Position) -> HexGrid:
    """The hexes of a position's map."""
    return map_grid(position.width, position.height, position.land)


def shown_window(
    asked: Commission[FleetView],
    acts: Sequence[StoryMoment],
    *,
    tallest: float = _MAX_ASPECT,
    least: float = _MIN_WIDTH,
) -> Rect:
    """West, south, east and north of what is shown; no ship is cut by the edge."""
    if asked.kind == "plan":
        return plan_sight(asked).window
    of, view = position_grid(asked.view.position), asked.view
    if asked.kind == "round" and asked.pace != "calm":
        return _scene_window(asked, acts)
    seen = set(_shown_hexes(asked, acts)) if asked.crop == "action" else set()
    return window_around(of, seen, ship_hexes(view.position, acts), tallest=tallest, least=least)


def _scene_window(asked: Commission[FleetView], acts: Sequence[StoryMoment]) -> Rect:
    """What a turn of a whole game's film shows: where ships are, in a window of the map's own shape, as all turns have.

    In all of a map ships would be specks on a phone.
    """
    of = position_grid(asked.view.position)
    west, south, east, north = of.whole_window
    shape = (north - south) / (east - west)
    ships = ship_hexes(asked.view.position, acts)
    seen = {here for hull in ships for here in hull}
    west, south, east, _ = window_around(of, seen, ships, tallest=shape, flattest=shape)
    return west, south, east, south + shape * (east - west)


def plan_sight(asked: Commission[FleetView]) -> PlanSight:
    """What a plan shows: the ship in hand with all that she may do, or all of the viewer's, and the nearest enemy."""
    view = asked.view
    # The hexes among which a captain places ships need room, even if a closer view was asked for.
    seen = set(_planned_hexes(view)) if asked.crop == "action" or view.overlay.start_hexes else set()
    by_id = {ship.id: ship for ship in view.position.ships}

    def fitted(foe: Foe | None, tallest: float) -> Rect:
        return _plan_window(view, seen | set(by_id[foe.id].hexes if foe and seen else ()), tallest)

    return sighting.choose_sight(fitted, nearest_foe(view), _MAX_WIDTH)


def nearest_foe(view: FleetView) -> Foe | None:
    """The enemy nearest to the ship in hand, or else to any of the viewer's."""
    ships = [ship for ship in view.position.ships if ship.is_afloat]
    own = [ship for ship in ships if ship.side == view.side]
    hand = [ship for ship in own if ship.id == view.overlay.current_ship] or own
    pairs = [(ship, enemy) for ship in hand for enemy in ships if enemy.side != ship.side]
    if not pairs:
        return None
    ship, enemy = min(pairs, key=lambda pair: grid.hex_distance(pair[0].hexes, pair[1].hexes))
    hull = tuple(corner for here in enemy.hexes for corner in hex_outline(here))
    return Foe(enemy.id, _ship_middle(enemy), hull, _ship_middle(ship), grid.hex_distance(ship.hexes, enemy.hexes))


def _ship_middle(ship: Ship) -> Point:
    spots = [hex_centre(here) for here in ship.hexes]
    return sum(x for x, _ in spots) / len(spots), sum(y for _, y in spots) / len(spots)


def _plan_window(view: FleetView, seen: set[Hex], tallest: float) -> Rect:
    """A window about hexes that is no taller than leaves room for a panel's buttons; all of the map if there are none.

    Of a tall map that must be seen all across only a part is shown, and if there is no help some of what lies beyond.
    """
    of = position_grid(view.position)
    box = window_around(of, seen, ship_hexes(view.position, ()), tallest=tallest, step=_WINDOW_STEP)
    west, south, east, north = box
    if seen and north - south > tallest * (east - west):
        ys = [hex_centre(here)[1] for here in seen]
        high = max(max(ys) - min(ys) + 4.0, tallest * (east - west))
        low = min(max((max(ys) + min(ys) - high) / 2, south), max(south, north - high))
        south, north = round(low, 2), round(min(low + high, north), 2)
    aside = max(0.0, (north - south) / tallest - (east - west)) / 2
    return round(west - aside, 2), south, round(east + aside, 2), north


def window_around(
    of: HexGrid,
    seen: set[Hex],
    ships: Iterable[Sequence[Hex]],
    *,
    tallest: float = _MAX_ASPECT,
    least: float = _MIN_WIDTH,
    flattest: float = _MIN_ASPECT,
    step: float = 0.0,
) -> Rect:
    """A window about hexes, grown until no ship is cut by its edge; all of the map if there are none."""
    flattest = min(flattest, tallest)
    box = fit_window(of, seen, least=least, flattest=flattest, tallest=tallest, step=step)
    if not seen:
        return box
    hulls, wanted = list(ships), set(seen)
    while True:
        met = [hull for hull in hulls if any(_touches_hex(box, here) for here in hull)]
        cut = {here for hull in met for here in hull if not _contains_hex(box, here)}
        if cut <= wanted:
            return box
        wanted |= cut
        larger = fit_window(of, wanted, least=least, flattest=flattest, tallest=tallest, step=step)
        if larger == box:
            return box
        box = larger


def ship_hexes(position: Position, acts: Sequence[StoryMoment]) -> list[tuple[Hex, ...]]:
    """Hexes of all ships, as they lie and as they lay."""
    found = {ship.hexes for ship in position.ships if ship.is_afloat}
    for act in acts:
        found |= {ship.hexes for name in act.ship_ids if (ship := act.before.ships_by_id[name]).is_afloat}
    return list(found)


def _contains_hex(box: Rect, here: Hex) -> bool:
    (x, y), (west, south, east, north) = hex_centre(here), box
    return west + 0.9 <= x <= east - 0.9 and south + 0.8 <= y <= north - 0.8


def _touches_hex(box: Rect, here: Hex) -> bool:
    (x, y), (west, south, east, north) = hex_centre(here), box
    return west - 0.9 < x < east + 0.9 and south - 0.8 < y < north + 0.8


def act_hexes(act: StoryMoment) -> set[Hex]:
    """Hexes of the ships that an act is about, before it and after it."""
    some = [sea.ships_by_id[name] for name in act.ship_ids for sea in (act.before, act.after)]
    return {here for ship in some if ship.is_afloat for here in ship.hexes}


def _shown_hexes(asked: Commission[FleetView], acts: Sequence[StoryMoment]) -> Iterable[Hex]:
    """Hexes that a crop must show."""
    view = asked.view
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    deeds = [act for act in acts if act.has_visible_event and (asked.kind == "round" or act.has_attack)]
    if asked.kind in ("round", "attacks") and deeds:
        return (here for act in deeds for here in act_hexes(act))
    focus = set(asked.focus) & ships.keys() or set(ships)
    return (here for name in focus for here in ships[name].hexes)


def _planned_hexes(view: FleetView) -> Iterable[Hex]:
    """The ship in hand with all that she may do, or all own ships and where they are ordered; and anything nearby."""
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    found: set[Hex] = {parse_hex(label) for label in view.overlay.start_hexes}
    hand = ships.get(view.overlay.current_ship or "")
    mine = [ship for ship in ships.values() if ship.side == view.side]
    shown = [hand] if hand else mine or list(ships.values())
    for ship in shown:
        found |= set(ship.hexes)
        found |= set(_hexes_ahead(ship, 0 if hand is None or view.position.is_immobile(ship) else ship.printed_speed))
    for track in view.overlay.tracks:
        if track.ship in ships and track.ship in {ship.id for ship in shown}:
            size = ships[track.ship].size
            places = map(parse_place, (*track.places, *track.alternative))
            found |= {here for place in places for here in place.covered_hexes(size)}
            found |= {here for _, name in track.attacks if name in ships for here in ships[name].hexes}
    found |= {
        at for each in view.overlay.reachable_hexes if hand and not _is_far_astern(hand, at := parse_hex(each.hex))
    }
    found |= (
        {parse_place(each.to).bow for each in view.overlay.next_steps if each.to and not each.rule} if hand else set()
    )
    legal = {each.target for each in view.overlay.attack_previews if not each.rule} if hand else set()
    near = {
        ship.id
        for ship in ships.values()
        if ship.side != view.side and grid.hex_distance(ship.hexes, tuple(found)) <= _ENEMY_DISTANCE
    }
    near = (
        near
        if hand is None
        else {name for name in near if grid.hex_distance(ships[name].hexes, hand.hexes) <= 2 * _ENEMY_DISTANCE}
    )
    return (here for here in found | {here for name in legal | near if name in ships for here in ships[name].hexes})


def _is_far_astern(ship: Ship, at: Hex) -> bool:
    """Whether a hex lies more than a hex or two behind a ship: little of where she may go, and it would cost width."""
    (x, y), (bow_x, bow_y) = hex_centre(at), hex_centre(ship.bow)
    turn = radians(60 * ship.facing)
    return (x - bow_x) * sin(turn) + (y - bow_y) * cos(turn) < -2.0 * HEX_HEIGHT


def _hexes_ahead(ship: Ship, far: int) -> Iterable[Hex]:
    """Hexes straight ahead of her bow, and a fan of her turns."""
    for turn in (0, 1, 5):
        place = HexPose(ship.bow, (ship.facing + turn) % 6)
        for _ in range(far):
            place = HexPose(place.hex_ahead, place.facing)
        yield place.bow

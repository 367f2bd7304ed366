"""Places that galleys can reach or be attacked from, cached for computer captains who examine hundreds of places."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from rules.geometry import hexes
from rules.geometry.hexes import Hex
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship

MAX_COUNTED_TURNS: Final = 2  # with this many Bow/flank entries, speed adds nothing to a ram (SQ-13.5)


class ReachedPlace(NamedTuple):
    bow: Hex
    facing: int
    turns: int  # moves with a turn on the way, at most `MAX_COUNTED_TURNS`

    @property
    def place(self) -> HexPose:
        return HexPose(self.bow, self.facing)


ReachLayer = dict[ReachedPlace, str]
"""Places reached with a number of movement points, with their moves as one letter each."""


@lru_cache(maxsize=16)
def sea_hexes(width: int, height: int, land: tuple[Hex, ...]) -> frozenset[Hex]:
    all_hexes = (grid.hex_at(column, row) for column in range(1, width + 1) for row in range(1, height + 1))
    return frozenset(all_hexes) - frozenset(land)


def free_hexes(position: Position, ship: Ship) -> frozenset[Hex]:
    taken = {here for here, there in position.ships_by_hex.items() if there.id != ship.id}
    return sea_hexes(position.width, position.height, position.land) - taken


def layers_ahead(ship: Ship, points: int, open_sea: Collection[Hex]) -> list[ReachLayer]:
    """Return the places that a ship can row to with 0, 1, … `points` movement points, through `open_sea` only."""
    layers: list[ReachLayer] = [{ReachedPlace(ship.bow, ship.facing, 0): ""}]
    for _ in range(points):
        layers.append(_next_layer(layers[-1], open_sea))
    return layers


def _next_layer(layer: ReachLayer, open_sea: Collection[Hex]) -> ReachLayer:
    places: ReachLayer = {}
    for (bow, facing, turns), codes in layer.items():
        turns_after_turn = min(MAX_COUNTED_TURNS, turns + 1)
        for code, new_facing, new_bow in _moves_ahead(bow, facing):
            if new_bow in open_sea:
                place = new_bow, new_facing, turns if code == "F" else turns_after_turn
                if place not in places:
                    places[ReachedPlace(*place)] = codes + code
    return places


def reach_layers(position: Position, ship: Ship, points: int) -> tuple[ReachLayer, ...]:
    """Like `layers_ahead`, but cached by the ships within reach, the only ones that matter."""
    # the radius is equal at both speeds, so that the cache shares the shorter paths
    radius = max(points, ship.max_speed)
    taken_hexes = frozenset(
        here
        for here, other in position.ships_by_hex.items()
        if other.id != ship.id and hexes.hex_distance(ship.bow, here) <= radius
    )
    sea = sea_hexes(position.width, position.height, position.land)
    return _layers_among(ship.place, points, taken_hexes, sea)


@lru_cache(maxsize=512)
def _layers_among(place: HexPose, points: int, taken: frozenset[Hex], sea: frozenset[Hex]) -> tuple[ReachLayer, ...]:
    if not points:
        return ({ReachedPlace(*place, 0): ""},)
    shorter_layers = _layers_among(place, points - 1, taken, sea)
    return (*shorter_layers, _next_layer(shorter_layers[-1], sea - taken))


@lru_cache(maxsize=32768)
def _moves_ahead(bow: Hex, facing: int) -> tuple[tuple[str, int, Hex], ...]:
    facings = ((code, (facing + turn) % 6) for code, turn in moves.TURN_OF_MOVE_AHEAD.items())
    return tuple((code, new_facing, grid.next_hex(bow, new_facing)) for code, new_facing in facings)


def free_points(position: Position, ship: Ship) -> int:
    """Return the movement points with which a galley can row ahead freely; 0 if she cannot."""
    if position.is_immobile(ship) or ship.is_crippled:
        return 0
    return moves.movement_allowance(position, ship)


def ram_places_of(target: Ship) -> tuple[tuple[Hex, int], ...]:  # SQ-13.2
    return ram_places_at(target.place, target.ship_class.size)


@lru_cache(maxsize=16384)
def ram_places_at(place: HexPose, size: int) -> tuple[tuple[Hex, int], ...]:
    target_hexes = place.covered_hexes(size)
    return tuple(
        (bow, facing)
        for bow in grid.adjacent_hexes(*place, size).all_flanks
        for here in target_hexes
        if (facing := grid.direction_to(bow, here)) is not None
    )


def rake_places(target: Ship) -> Iterator[tuple[Hex, int]]:  # SQ-14.1
    for here in target.adjacent_hexes.midships:
        yield here, target.facing
        yield here, (target.facing + 3) % 6


def distances_from(position: Position, goals: Collection[Hex]) -> dict[Hex, int]:
    """Return each hex's distance from the nearest goal, ignoring ships but not land."""
    sea = sea_hexes(position.width, position.height, position.land)
    distances = dict.fromkeys(goals, 0)
    frontier = list(distances)
    while frontier:
        next_frontier = []
        for here in frontier:
            for there in grid.neighbours(here):
                if there in sea and there not in distances:
                    distances[there] = distances[here] + 1
                    next_frontier.append(there)
        frontier = next_frontier
    return distances

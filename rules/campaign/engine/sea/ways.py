"""Shortest ways over the seas: where galleys flee, and where they slip away to (CA-8.6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from rules.campaign.engine.sea.maps import sea_map
from rules.campaign.engine.sea.state import Position

Route = tuple[str, ...]
"""Codes of the places that are rowed to, one after the other; empty: they lie there already."""


@cache
def shortest_routes(name: str, captains: int, start: str) -> dict[str, Route]:
    """The shortest way from a place to each other one; of equal ones the one whose places are first by code.

    Nobody rows through a port (CA-8.6).
    """
    places = sea_map(name, captains).places
    found: dict[str, Route] = {start: ()}
    edge = [start]
    while edge:
        after = []
        # Ways of one length stand in the order of their codes, so that whichever reaches a place first is the one.
        for code in edge:
            if places[code].is_port and code != start:
                continue
            for other in places[code].legs:
                if other not in found:
                    found[other] = (*found[code], other)
                    after.append(other)
        edge = after
    return found


def nearest_port(position: Position, start: str, ports: Iterable[str]) -> str:
    """The nearest of these ports, of equally near ones the first by code."""
    known = shortest_routes(position.map, len(position.captains), start)
    return min(ports, key=lambda port: (len(known[port]), port))


def route_to_refuge(position: Position, captain: str, start: str, besieged: Collection[str]) -> Route:
    """The way from a place to the captain's nearest own port that isn't besieged, else any, else the sea at home.

    The place where they are is no refuge (CA-8.6).
    """
    own = [port for port in position.ports_of(captain) if port != start]
    goal = position.sea_map.sea_before(position.home_city(captain))
    if own:
        goal = nearest_port(position, start, [port for port in own if port not in besieged] or own)
    return shortest_routes(position.map, len(position.captains), start)[goal]


def routes_to_water(position: Position, captain: str, start: str, legs: int) -> tuple[Route, ...]:
    """Ways of so many legs at most to ports with water for a captain's crews, the shortest first (CA-11.1, CA-11.3).

    None for a captain without ports, whose crews need none of them.
    """
    if not position.ports_of(captain):
        return ()
    friends = {"", *(other for other in position.captains if position.is_spared(captain, other))}
    near = shortest_routes(position.map, len(position.captains), start).items()
    ports = position.sea_map.places
    found = [way for end, way in near if ports[end].is_port and position.ports.get(end, "") in friends]
    return tuple(sorted((way for way in found if len(way) <= legs), key=lambda way: (len(way), way)))

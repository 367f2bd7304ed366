"""Shortest routes over the sea, for flight and slipping away (CA-8.6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from rules.campaign.engine.sea.maps import sea_map
from rules.campaign.engine.sea.state import Position

Route = tuple[str, ...]  # codes of the places to row to, one after the other; empty: already there


@cache
def shortest_routes(name: str, captains: int, start: str) -> dict[str, Route]:
    """Return the shortest route from a place to each other one; of equal routes the first by codes.

    Routes do not pass through ports (CA-8.6).
    """
    places = sea_map(name, captains).places
    routes: dict[str, Route] = {start: ()}
    outermost = [start]
    while outermost:
        next_places = []
        # routes of one length are in the order of codes, so the first to reach a place is the one to keep
        for code in outermost:
            if places[code].is_port and code != start:
                continue
            for other in places[code].legs:
                if other not in routes:
                    routes[other] = (*routes[code], other)
                    next_places.append(other)
        outermost = next_places
    return routes


def nearest_port(position: Position, start: str, ports: Iterable[str]) -> str:
    routes = shortest_routes(position.map, len(position.captains), start)
    return min(ports, key=lambda port: (len(routes[port]), port))


def route_to_refuge(position: Position, captain: str, start: str, besieged: Collection[str]) -> Route:
    """Return the route to the nearest own port that is not besieged, else to any, else to the sea at home.

    The present place is no refuge (CA-8.6).
    """
    own_ports = [port for port in position.ports_of(captain) if port != start]
    goal = position.sea_map.sea_before(position.home_city(captain))
    if own_ports:
        goal = nearest_port(position, start, [port for port in own_ports if port not in besieged] or own_ports)
    return shortest_routes(position.map, len(position.captains), start)[goal]


def routes_to_water(position: Position, captain: str, start: str, legs: int) -> tuple[Route, ...]:
    """Return routes of at most `legs` to ports with water, the shortest first (CA-11.1, CA-11.3).

    The result is empty for a captain without ports, whose crews do not need water.
    """
    if not position.ports_of(captain):
        return ()
    friends = {"", *(other for other in position.captains if position.is_spared(captain, other))}
    routes_by_place = shortest_routes(position.map, len(position.captains), start).items()
    places = position.sea_map.places
    routes = [route for end, route in routes_by_place if places[end].is_port and position.ports.get(end, "") in friends]
    return tuple(sorted((route for route in routes if len(route) <= legs), key=lambda route: (len(route), route)))

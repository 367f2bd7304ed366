"""The sight of captains over the sea (CA-12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from rules.campaign.engine.sea.state import Galley, Position
from rules.core.protocol import Seat
from rules.core.sides import seat_of

CaptainLetter = Annotated[str, Meta(examples=["A"])]


class SeenGalleys(Struct, frozen=True):
    """A captain's galleys in one place, as counted by another (CA-12.2)."""

    captain: CaptainLetter  # letter of the captain who commands them
    galleys: int  # the number of galleys
    engaged: int  # how many of them are in a battle
    lame: int = -1  # number of lame galleys; -1: unknown


def visible_places(position: Position, captain: str, galleys: Iterable[Galley]) -> frozenset[str]:
    """Return the codes of the places that a captain's side sees (CA-12.1)."""
    side = position.captains_of_side(captain)
    occupied = {galley.place for galley in galleys if galley.captain in side}
    occupied |= {port for port, owner in position.ports.items() if owner in side}
    places = position.sea_map.places
    return frozenset(occupied.union(*(places[code].legs for code in occupied)))


def seats_seeing(position: Position, place: str, galleys: Iterable[Galley]) -> tuple[Seat, ...]:
    """Return the seats of the captains who see a place (CA-12.1)."""
    near = {place, *position.sea_map.places[place].legs}
    lookouts = {galley.captain for galley in galleys if galley.place in near}
    lookouts |= {owner for port, owner in position.ports.items() if port in near}
    teams = {position.team_of(captain) for captain in lookouts}
    return tuple(seat_of(captain) for captain in position.captains if position.team_of(captain) in teams)


def seen_galleys(position: Position, captain: str, galleys: Iterable[Galley]) -> dict[str, tuple[SeenGalleys, ...]]:
    """Return other captains' galleys in the places that a captain sees, by code (CA-12.2)."""
    galleys = tuple(galleys)
    allies = position.captains_of_side(captain)
    visible = visible_places(position, captain, galleys)
    own_places = {galley.place for galley in galleys if galley.captain in allies}
    fleets_by_place: dict[str, dict[str, list[Galley]]] = {}
    for galley in galleys:
        if galley.captain != captain and galley.place in visible:
            fleets_by_place.setdefault(galley.place, {}).setdefault(galley.captain, []).append(galley)
    return {
        place: tuple(
            SeenGalleys(
                captain=other,
                galleys=len(fleet),
                engaged=sum(bool(galley.battle) for galley in fleet),
                lame=sum(galley.is_lame for galley in fleet) if place in own_places else -1,
            )
            for other, fleet in sorted(fleets_by_place[place].items())
        )
        for place in sorted(fleets_by_place)
    }


def largest_enemy_fleet(
    position: Position, captain: str, groups_by_place: Mapping[str, Iterable[SeenGalleys]], place: str
) -> int:
    """Return the number of galleys of the largest enemy fleet in sight that is in a place, or one leg from it."""
    return max(
        sum(
            group.galleys - group.engaged
            for group in groups_by_place.get(code, ())
            if not position.is_spared(captain, group.captain)
        )
        for code in (place, *position.sea_map.places[place].legs)
    )


def visible_sieges(position: Position, captain: str, galleys: Iterable[Galley]) -> dict[str, tuple[str, int]]:
    """Return the sieges of ports that a captain sees (CA-12.3)."""
    visible = visible_places(position, captain, galleys)
    return {port: siege for port, siege in position.sieges.items() if port in visible}

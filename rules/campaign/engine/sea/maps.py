"""Sea maps: ports, seas, the legs between them, and the captains' homes (CA-1.1)."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from msgspec import Struct

from rules.core.errors import IllegalOrder, UnreadableOrder

MAP_NAMES: Final = ("ring", "gulf", "east")  # CA-1.1: the available maps
CITY_WORTH: Final = 3


class Place(Struct, frozen=True, kw_only=True):
    code: str  # short name, such as `PIR`
    worth: int = 0  # CA-1.2: 1 village, 2 town, 3 city, 0 sea
    x: float  # east of the western edge, in the units of `SeaMap.size`
    y: float  # north of the southern edge, in the units of `SeaMap.size`
    legs: tuple[str, ...]  # codes of the adjacent places

    @property
    def is_port(self) -> bool:
        return self.worth > 0


class Home(Struct, frozen=True, array_like=True):
    """A captain's first city, the village named with it, and laurels of old fame (CA-1.4, CA-13.2)."""

    city: str  # code of the city
    village: str  # code of the village
    fame: int = 0  # laurels that the captain begins with


class SeaMap(Struct, frozen=True, kw_only=True):
    name: str  # one of `MAP_NAMES`
    size: tuple[float, float]  # width and height, in units of its own
    places: dict[str, Place]  # all ports and seas, by code
    homes: tuple[Home, ...]  # in the order of seats, unless a lot decides

    @property
    def total_worth(self) -> int:
        return sum(place.worth for place in self.places.values())

    def are_adjacent(self, place: str, other: str) -> bool:
        return other in self.places[place].legs

    def seas_of_port(self, port: str) -> tuple[str, ...]:
        return self.places[port].legs

    def ports_on_sea(self, sea: str) -> tuple[str, ...]:
        return tuple(code for code in self.places[sea].legs if self.places[code].is_port)

    def sea_before(self, home: str) -> str:
        """Return the first sea by code of a home's seas (CA-8.6)."""
        return self.seas_of_port(home)[0]


class _MapPlace(Struct, frozen=True, forbid_unknown_fields=True):
    at: tuple[float, float]  # coordinates on the map
    legs: list[str]  # codes of adjacent places
    worth: int = 0  # as in `Place`


class _PlaceMap(Struct, frozen=True, forbid_unknown_fields=True):
    size: tuple[float, float]  # width and height, in units of its own
    homes: dict[str, list[Home]]  # homes by the number of captains
    ports: dict[str, _MapPlace]  # ports by code
    seas: dict[str, _MapPlace]  # seas by code


class _SectorPlace(Struct, frozen=True, forbid_unknown_fields=True):
    radius: float  # distance from the middle of the map
    turn: float  # angle, as a part of a sector
    legs: list[str]  # kinds of adjacent places (`code` in `_load_sector_map`)
    worth: int = 0  # as in `Place`


class _SectorMap(Struct, frozen=True, forbid_unknown_fields=True):
    size: tuple[float, float]  # width and height, in units of its own
    middle: tuple[float, float]  # coordinates of the hub
    homes: list[str]  # codes of the captains' cities, one a sector
    centre: dict[str, _MapPlace]  # places that belong to no sector
    sector: dict[str, _SectorPlace]  # places of each sector, by kind


@cache
def sea_map(name: str, captains: int) -> SeaMap:
    """Return the map of this name for a number of captains.

    Raises `UnreadableOrder` for an unknown map, `IllegalOrder` for a number that it does not allow (CA-1.1).
    """
    if name not in MAP_NAMES:
        raise UnreadableOrder("no_such_map", piece=name, expected=", ".join(MAP_NAMES))
    text = (files("rules.campaign.engine") / "data" / f"{name}.toml").read_bytes()
    new_map = _load_sector_map(name, text, captains) if name == "ring" else _load_place_map(name, text, captains)
    check_map(new_map)
    return new_map


def check_map(new_map: SeaMap) -> None:
    """Refuse a map that cannot be played on. Raises `ValueError` with the place.

    Legs join two seas, or a sea and a port. Every place can be reached. Homes are cities, each with a village.
    """
    places = new_map.places
    for place in places.values():
        for other in place.legs:
            if other not in places or other == place.code or place.code not in places[other].legs:
                raise ValueError(f"{place.code}: no leg to {other}")
            if place.is_port and places[other].is_port:
                raise ValueError(f"{place.code}: no leg joins two ports")
        if not 0 <= place.worth <= CITY_WORTH or not place.legs:
            raise ValueError(f"{place.code}: worth {place.worth}, legs {place.legs}")
    first_place = next(iter(places))
    reached, to_visit = {first_place}, [first_place]
    while to_visit:
        new_places = {*places[to_visit.pop()].legs} - reached
        reached |= new_places
        to_visit += sorted(new_places)
    if reached != {*places}:
        raise ValueError(f"{min({*places} - reached)}: cut off")
    uses = Counter(code for home in new_map.homes for code in (home.city, home.village))
    for home in new_map.homes:
        worths = places[home.city].worth, places[home.village].worth
        if worths != (CITY_WORTH, 1) or uses[home.city] + uses[home.village] != 2:
            raise ValueError(f"{home.city}: no home")


def _build_map(
    name: str, size: tuple[float, float], map_places: dict[str, _MapPlace], homes: tuple[Home, ...]
) -> SeaMap:
    """Return a map from its places; a leg may be listed at either end."""
    legs: dict[str, set[str]] = {code: {*map_place.legs} for code, map_place in map_places.items()}
    for code, map_place in map_places.items():
        for other in map_place.legs:
            legs.setdefault(other, set()).add(code)
    places = {
        code: Place(
            code=code,
            worth=map_places[code].worth,
            x=map_places[code].at[0],
            y=map_places[code].at[1],
            legs=tuple(sorted(legs[code])),
        )
        for code in sorted(map_places)
    }
    return SeaMap(name=name, size=size, places=places, homes=homes)


def _refuse_captain_count(name: str, captains: int, least: int, most: int) -> None:
    if not least <= captains <= most:
        raise IllegalOrder("wrong_captains", "CA-1.1", piece=name, captains=captains, least=least, most=most)


def _load_place_map(name: str, text: bytes, captains: int) -> SeaMap:
    map_data = msgspec.toml.decode(text, type=_PlaceMap)
    captain_counts = sorted(map(int, map_data.homes))
    _refuse_captain_count(name, captains, captain_counts[0], captain_counts[-1])
    return _build_map(name, map_data.size, {**map_data.ports, **map_data.seas}, tuple(map_data.homes[str(captains)]))


def _load_sector_map(name: str, text: bytes, captains: int) -> SeaMap:
    map_data = msgspec.toml.decode(text, type=_SectorMap)
    _refuse_captain_count(name, captains, 3, len(map_data.homes))

    def code(kind: str, sector: int) -> str:
        """Return the code of a place of this kind, seen from a sector; each `-` at the end means one sector back."""
        if kind in map_data.centre:
            return kind
        number = (sector - kind.count("-") - 1) % captains + 1
        return map_data.homes[number - 1] if kind == "home" else f"{kind.rstrip('-')}{number}"

    places = dict(map_data.centre)
    for sector in range(1, captains + 1):
        for kind, place in map_data.sector.items():
            angle = 2 * math.pi * (sector + place.turn) / captains
            x = map_data.middle[0] + place.radius * math.sin(angle)
            y = map_data.middle[1] + place.radius * math.cos(angle)
            legs = [code(leg, sector) for leg in place.legs]
            places[code(kind, sector)] = _MapPlace((round(x, 1), round(y, 1)), legs, place.worth)
    homes = tuple(Home(map_data.homes[sector - 1], f"V{sector}") for sector in range(1, captains + 1))
    return _build_map(name, map_data.size, places, homes)

"""Free battles: fleets for points, the ready fleets, and where a side's ships may be placed (RS-22.5, RS-22.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Final, NamedTuple, cast

import msgspec
from msgspec import Struct, structs

from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.notation.scenarios import is_wide
from rules.ramspeed.engine.state import Box, Position, Ring, Ship, Situation, Zone
from rules.ramspeed.engine.tables import CLASS_CODES, CLASSES, CONSTANTS, ClassCode, Nation

MAX_BEACH_ANGLE_DEG: Final = 20  # greatest angle off the line to the beach of a ship that lies on it
_BEACH_GAP: Final = 0.1  # inches between a beached ship and the land in a line abreast
_FRONT_PART: Final = 2 / 3  # part of a zone's depth that a line abreast leaves behind it
_MAX_SPACING_IN: Final = 3.5  # between the middles of two ships in a line abreast


class _ZoneFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    box: Box
    heading: int
    beach: int | None = None


class _SituationFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    first: _ZoneFacts
    second: _ZoneFacts


class _FreeBattleFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    table: tuple[float, float]
    turn_limit: int
    land: tuple[Ring, ...]
    max_ships: int  # of a side
    budgets: tuple[int, ...]  # points that a host may set
    situations: Mapping[Situation, _SituationFacts]
    fleets: Mapping[str, str]  # ready fleets: ships of which the last kind is repeated


SEA: Final = msgspec.toml.decode(files(__package__).joinpath("data", "free.toml").read_bytes(), type=_FreeBattleFacts)

# --- fleets ------------------------------------------------------------------------------------------------------


class FleetShip(NamedTuple):
    code: ClassCode
    nation: Nation


class FleetLimits(Struct, frozen=True, kw_only=True):
    """Limits of the fleet that one captain may bring."""

    points: int  # to spend
    max_ships: int
    nations: tuple[Nation, ...]  # from which the captain may choose; the first is that of the side


def captain_share(points: int, captains: int, number: int) -> int:
    """Return the points of a side's captain, from 0; the first gets what cannot be shared evenly (RS-22.5)."""
    return points // captains + (points % captains if number == 0 else 0)


def fleet_cost(fleet: Iterable[FleetShip]) -> int:
    return sum(CLASSES[ship.code].value for ship in fleet)


def sort_fleet(fleet: Iterable[FleetShip], nations: Sequence[Nation]) -> tuple[FleetShip, ...]:
    """Return ships by class, the largest first, then by nation."""

    def place(ship: FleetShip) -> tuple[int, int]:
        return -CLASS_CODES.index(ship.code), nations.index(ship.nation)

    return tuple(sorted(fleet, key=place))


def ready_fleet(limits: FleetLimits, name: str) -> tuple[FleetShip, ...]:
    """Return a ready fleet, which spends as many points as its captain's ships can."""

    def fits(code: ClassCode) -> bool:
        spent = sum(CLASSES[own].value for own in codes)
        return len(codes) < limits.max_ships and spent + CLASSES[code].value <= limits.points

    *codes, most = cast("list[ClassCode]", SEA.fleets[name].split())
    for code in (most, *reversed(CLASS_CODES)):
        while fits(code):
            codes.append(code)
    # with as many ships as allowed, points that are left make ships larger
    for number, code in enumerate(codes):
        points_left = limits.points - sum(CLASSES[own].value for own in codes)
        affordable = [other for other in CLASS_CODES if CLASSES[other].value <= CLASSES[code].value + points_left]
        codes[number] = affordable[-1]
    nation = limits.nations[0]
    return sort_fleet((FleetShip(code, nation) for code in codes), limits.nations)


def fitting_fleets(limits: FleetLimits) -> dict[str, tuple[FleetShip, ...]]:
    """Return the ready fleets of which a captain can bring all kinds, by name; of equal ones the first."""
    fleets: dict[str, tuple[FleetShip, ...]] = {}
    for name, pattern in SEA.fleets.items():
        codes = cast("list[ClassCode]", pattern.split())
        if len(codes) <= limits.max_ships and sum(CLASSES[code].value for code in codes) <= limits.points:
            fleet = ready_fleet(limits, name)
            fleets |= {} if fleet in fleets.values() else {name: fleet}
    return fleets


def stock_fleet(limits: FleetLimits) -> tuple[FleetShip, ...]:
    return ready_fleet(limits, next(iter(SEA.fleets)))


def make_ships(fleet: Sequence[FleetShip], letter: str, *, owner: str, side: str) -> tuple[Ship, ...]:
    """Return the ships of a chosen fleet, numbered from 1, still without places. Roman quinqueremes have a corvus."""
    return tuple(
        Ship(
            id=f"{letter}{number}",
            code=code,
            owner=owner,
            side0=side,
            nation=nation,
            crew=CLASSES[code].crew_max,
            corvus=code == CLASS_CODES[-1] and nation == "roman",
        )
        for number, (code, nation) in enumerate(fleet, 1)
    )


# --- zones -------------------------------------------------------------------------------------------------------


def situation_zones(situation: Situation, first: Sequence[str], second: Sequence[str]) -> tuple[Zone, ...]:
    """Return the zones of the captains of both sides, a strip of their side's zone each (RS-22.5)."""
    facts = SEA.situations[situation]
    return tuple(
        Zone(player=player, box=box_part(side.box, len(players), number), heading=side.heading, beach=side.beach)
        for side, players in ((facts.first, first), (facts.second, second))
        for number, player in enumerate(players)
    )


def box_part(box: Box, parts: int, number: int) -> Box:
    """Return one of the equal strips across the longer side of a box, from 0."""
    west, south, east, north = box
    if is_wide(box):
        width = (east - west) / parts
        return west + number * width, south, west + (number + 1) * width, north
    height = (north - south) / parts
    return west, south + number * height, east, south + (number + 1) * height


def line_abreast(zone: Zone, ships: Sequence[Ship]) -> tuple[Ship, ...]:
    """Return the ships side by side in a zone, with the same heading, or with their sterns on the beach (RS-22.6)."""
    west, south, east, north = zone.box
    forward = hulls.forward_vector(zone.heading)
    middle_x, middle_y = (west + east) / 2, (south + north) / 2
    is_north_south = abs(forward.y) > abs(forward.x)
    width = east - west if is_north_south else north - south
    depth = north - south if is_north_south else east - west
    spacing = min(_MAX_SPACING_IN, width / max(1, len(ships)))
    placed = []
    for number, ship in enumerate(ships):
        across = (number - (len(ships) - 1) / 2) * spacing
        half_length = ship.ship_class.length / 2
        # from the middle of the zone towards the enemy
        ahead = min(depth * _FRONT_PART, depth - half_length) - depth / 2
        if zone.beach is not None:
            ahead = half_length + _BEACH_GAP - depth / 2
        x = middle_x + (across if is_north_south else forward.x * ahead)
        y = middle_y + (forward.y * ahead if is_north_south else across)
        place = hulls.round_place(x), hulls.round_place(y)
        is_beached = zone.beach is not None
        placed.append(structs.replace(ship, x=place[0], y=place[1], heading=zone.heading, beached=is_beached))
    return tuple(placed)


class PlaceFault(NamedTuple):
    code: str  # of the refusal
    rule: str
    other: str = ""  # the ship in the way


def place_fault(position: Position, zone: Zone, ship: Ship, others: Iterable[Ship]) -> PlaceFault | None:
    """Return why a ship may not lie where she is placed, or None (RS-22.6)."""
    hull = hulls.hull_of(ship)
    if not hulls.is_on_table(hull, position.width, position.height).all():
        return PlaceFault("place_edge", "RS-22.6")
    for number, ring in enumerate(position.land):
        if hulls.do_overlap(hull, hulls.land_shape(ring)).any():
            return PlaceFault("place_land", "RS-22.6", str(number + 1))
    for other in others:
        if other.id != ship.id and hulls.do_overlap(hull, hulls.hull_of(other)).any():
            return PlaceFault("place_ship", "RS-22.6", other.id)
    if not hulls.is_in_box(hull, zone.box):
        return PlaceFault("place_outside", "RS-22.6")
    if zone.beach is not None and not _lies_on_beach(position, zone.beach, ship):
        return PlaceFault("place_beach", "RS-22.6")
    return None


def _lies_on_beach(position: Position, beach: int, ship: Ship) -> bool:
    """Return whether the ship lies bow or stern towards the beach, touching it."""
    angle = abs(hulls.signed_degrees(ship.heading - beach))
    if min(angle, 180 - angle) > MAX_BEACH_ANGLE_DEG:
        return False
    hull = hulls.hull_of(ship)
    distances = [float(hulls.hull_distances(hull, hulls.land_shape(ring))[0]) for ring in position.land]
    return min(map(hulls.round_inches, distances), default=CONSTANTS.adjacent + 1) <= CONSTANTS.adjacent

"""Scenarios as TOML: a table, its land and both fleets (RS-22)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, Literal, get_args

from msgspec import Struct

from rules.core.errors import UnreadableOrder, decode_checked
from rules.ramspeed.engine.state import Box, Captain, Position, Ring, Ship, Zone, id_sort_key
from rules.ramspeed.engine.tables import CLASSES, CONSTANTS, ClassCode, Nation

_DATA_FOLDER: Final = files("rules.ramspeed.engine").joinpath("data")
_SHIP_PATTERN: Final = re.compile(  # `A1 T 4 9 90 corvus`
    r"([A-Z]{1,2}[0-9]{1,2}) ([BTQV]) ([0-9]{1,3}(?:\.[0-9]{1,3})?) ([0-9]{1,3}(?:\.[0-9]{1,3})?) ([0-9]{1,3})"
    r"((?: (?:corvus|beached))*)"
)


class ScenarioSide(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str  # such as `Athens`
    nation: Nation
    ships: tuple[str, ...]  # id, class, x, y and heading of each ship, then optionally `corvus` or `beached`
    zone: Box | None = None  # where its captains may place the ships (RS-22.6); None: they lie where `ships` says


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str  # name of the scenario
    table: tuple[float, float]  # width and height in inches
    turn_limit: int = CONSTANTS.turn_limit  # number of the last turn
    edge: Literal["wall", "exit"] = "wall"  # whether ships may leave (RS-06.2)
    land: tuple[Ring, ...] = ()  # corners of each piece, in inches
    sides: tuple[ScenarioSide, ScenarioSide]


@lru_cache
def load_scenario(text: str) -> Scenario:
    """Parse a scenario in TOML. Raises `UnreadableOrder` with the field.

    `positions.check_position` checks where its ships lie.
    """
    scenario = decode_checked(text, Scenario, "toml", "bad_toml")
    for number, fleet in enumerate(scenario.sides):
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,31}", fleet.name):
            raise UnreadableOrder("bad_scenario", piece=f"sides[{number}].name", expected="a letter, letters, digits")
        if not fleet.ships:
            raise UnreadableOrder("bad_scenario", piece=f"sides[{number}].ships", expected="a ship")
        for ship_number, ship_text in enumerate(fleet.ships):
            if not _SHIP_PATTERN.fullmatch(ship_text):
                field = f"sides[{number}].ships[{ship_number}]"
                raise UnreadableOrder("bad_scenario", piece=field, expected="A1 T 4 9 90")
    if scenario.sides[0].name == scenario.sides[1].name:
        raise UnreadableOrder("bad_scenario", piece="sides[1].name", expected="another name")
    return scenario


def scenario_ships(scenario: Scenario, seats: Sequence[Captain]) -> tuple[Ship, ...]:
    """Return the ships of both sides, dealt to their players. Raises `KeyError` if a side has no player.

    They are dealt in turn, or where they are placed in zones, to each player some that follow each other.
    """
    ships = []
    for fleet in scenario.sides:
        players = [captain.player for captain in seats if captain.side == fleet.name]
        if not players:
            raise KeyError(fleet.name)
        for number, match in enumerate(_matched_ships(fleet)):
            turn = number if fleet.zone is None else number * len(players) // len(fleet.ships)
            name, letter, x, y, heading, words = match.groups()
            code: ClassCode = letter  # type: ignore[assignment] # the pattern knows all four
            ships.append(
                Ship(
                    id=name,
                    code=code,
                    owner=players[turn % len(players)],
                    side0=fleet.name,
                    nation=fleet.nation,
                    x=float(x),
                    y=float(y),
                    heading=int(heading),
                    crew=CLASSES[code].crew_max,
                    corvus="corvus" in words,
                    beached="beached" in words,
                )
            )
    return tuple(sorted(ships, key=lambda ship: id_sort_key(ship.id)))


def _matched_ships(fleet: ScenarioSide) -> list[re.Match[str]]:
    """Return the parsed ships of a side; in a zone in their order across its longer side."""
    matches: list[re.Match[str]] = []
    for ship_text in fleet.ships:
        match = _SHIP_PATTERN.fullmatch(ship_text)
        if not match:
            raise UnreadableOrder("bad_scenario", piece=ship_text, expected="A1 T 4 9 90")
        matches.append(match)
    if fleet.zone is None:
        return matches
    group = 3 if is_wide(fleet.zone) else 4  # east or north
    return sorted(matches, key=lambda match: float(match[group]))


def is_wide(box: Box) -> bool:
    west, south, east, north = box
    return east - west >= north - south


def scenario_zones(scenario: Scenario, position: Position) -> tuple[Zone, ...]:
    """Return the zones of all captains who place their ships; allies share their side's zone between their ships."""
    zones: list[Zone] = []
    for fleet in scenario.sides:
        if fleet.zone is None:
            continue
        axis = 0 if is_wide(fleet.zone) else 1
        low, high = fleet.zone[axis], fleet.zone[axis + 2]
        players = [captain.player for captain in position.seats if captain.side == fleet.name]
        places = [sorted((ship.x, ship.y)[axis] for ship in position.ships_of(player)) for player in players]
        # between two captains in the middle between their nearest ships
        cuts = [low, *((before[-1] + after[0]) / 2 for before, after in pairwise(places)), high]
        for number, player in enumerate(players):
            box = list(fleet.zone)
            box[axis], box[axis + 2] = cuts[number], cuts[number + 1]
            heading = position.ships_of(player)[0].heading
            zones.append(Zone(player=player, box=(box[0], box[1], box[2], box[3]), heading=heading))
    return tuple(zones)


def scenario_position(scenario: Scenario, seats: Sequence[Captain]) -> Position:
    width, height = scenario.table
    return Position(
        width=width,
        height=height,
        board=scenario.id if _is_own(scenario) else "open",
        exit=scenario.edge == "exit",
        land=scenario.land,
        limit=scenario.turn_limit,
        seats=tuple(seats),
        ships=scenario_ships(scenario, seats),
    )


def _is_own(scenario: Scenario) -> bool:
    """Return whether a position may refer to the scenario by name; hosts may have changed its size or land."""
    own = SCENARIOS.get(scenario.id)
    return own is not None and (own.table, own.land, own.edge) == (scenario.table, scenario.land, scenario.edge)


def _read_scenario(name: str) -> Scenario:
    return load_scenario(_DATA_FOLDER.joinpath("scenarios", f"{name}.toml").read_text("utf-8"))


ScenarioName = Literal["skerries", "corvus", "cove", "artemisium"]
SCENARIOS: Final[dict[str, Scenario]] = {name: _read_scenario(name) for name in get_args(ScenarioName)}
EXAMPLE_SCENARIO: Final = _DATA_FOLDER.joinpath("example.toml").read_text("utf-8")


def begins_in_the_north(board: str, side: str) -> bool:
    """Return whether a side of a built-in scenario begins north of the other, more than east or west of it.

    Its captains see the table from there, with south up.
    """
    if board not in SCENARIOS:
        return False
    fleet_middles: dict[bool, list[float]] = {}  # x and y at the start, by whether it is this side's fleet
    for fleet in SCENARIOS[board].sides:
        positions = [ship.split()[2:4] for ship in fleet.ships]  # such as `A1 T 12.5 30 180`
        fleet_middles[fleet.name == side] = [
            sum(map(float, part)) / len(positions) for part in zip(*positions, strict=True)
        ]
    if len(fleet_middles) < 2:
        return False
    x, y = fleet_middles[True]
    other_x, other_y = fleet_middles[False]
    return y - other_y > abs(x - other_x)

"""Scenarios: a table, its land, and both sides' fleets, as TOML (RS part 9)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal, get_args

import msgspec
from msgspec import Struct

from rules.core.errors import UnreadableOrder
from rules.ramspeed.engine.state import Captain, Position, Ring, Ship, id_sort_key
from rules.ramspeed.engine.tables import CLASSES, CONSTANTS, ClassCode, Nation

_DATA_FOLDER: Final = files("rules.ramspeed.engine").joinpath("data")
_SHIP_PATTERN: Final = re.compile(
    r"([A-Z]{1,2}[0-9]{1,2}) ([BTQV]) ([0-9]{1,3}(?:\.[0-9]{1,3})?) ([0-9]{1,3}(?:\.[0-9]{1,3})?) ([0-9]{1,3})"
    r"((?: (?:corvus|beached))*)"
)


class ScenarioSide(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One side of a scenario."""

    name: str
    nation: Nation
    ships: tuple[str, ...]
    """Id, class, x, y and heading; then perhaps `corvus` or `beached`."""


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a game begins."""

    id: str
    table: tuple[float, float]
    """Width and height in inches."""
    turn_limit: int = CONSTANTS.turn_limit
    edge: Literal["wall", "exit"] = "wall"
    """Whether ships may leave (RS-06.2)."""
    land: tuple[Ring, ...] = ()
    sides: tuple[ScenarioSide, ScenarioSide]


@lru_cache
def load_scenario(text: str) -> Scenario:
    """A scenario from TOML. Raises `UnreadableOrder` naming the field and what was expected.

    `scenario_position` finds whether its ships lie where they may.
    """
    try:
        scenario = msgspec.toml.decode(text, type=Scenario)
    except (msgspec.MsgspecError, ValueError) as wrong:
        message, _, where = str(wrong).partition(" - at ")
        piece = where.strip("`").removeprefix("$.") or "scenario"
        raise UnreadableOrder("bad_scenario", piece=piece, expected=message[:200]) from wrong
    for number, fleet in enumerate(scenario.sides):
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,31}", fleet.name):
            raise UnreadableOrder("bad_scenario", piece=f"sides[{number}].name", expected="a letter, letters, digits")
        if not fleet.ships:
            raise UnreadableOrder("bad_scenario", piece=f"sides[{number}].ships", expected="a ship")
        for place, written in enumerate(fleet.ships):
            if not _SHIP_PATTERN.fullmatch(written):
                where = f"sides[{number}].ships[{place}]"
                raise UnreadableOrder("bad_scenario", piece=where, expected="A1 T 4 9 90")
    if scenario.sides[0].name == scenario.sides[1].name:
        raise UnreadableOrder("bad_scenario", piece="sides[1].name", expected="another name")
    return scenario


def scenario_ships(scenario: Scenario, seats: Sequence[Captain]) -> tuple[Ship, ...]:
    """The ships of both sides; those of a side go to its players in turn. Raises `KeyError` for a side without any."""
    made = []
    for fleet in scenario.sides:
        players = [captain.player for captain in seats if captain.side == fleet.name]
        if not players:
            raise KeyError(fleet.name)
        for number, written in enumerate(fleet.ships):
            found = _SHIP_PATTERN.fullmatch(written)
            if not found:
                raise UnreadableOrder("bad_scenario", piece=written, expected="A1 T 4 9 90")
            name, letter, x, y, heading, words = found.groups()
            code: ClassCode = letter  # type: ignore[assignment] # the pattern knows all four
            made.append(
                Ship(
                    id=name,
                    code=code,
                    owner=players[number % len(players)],
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
    return tuple(sorted(made, key=lambda ship: id_sort_key(ship.id)))


def scenario_position(scenario: Scenario, seats: Sequence[Captain]) -> Position:
    """How a game of a scenario begins, with these players at the table."""
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
    """Whether its name says in a position all that it does here: a host may have changed the size or the land."""
    own = SCENARIOS.get(scenario.id)
    return own is not None and (own.table, own.land, own.edge) == (scenario.table, scenario.land, scenario.edge)


def _read_scenario(name: str) -> Scenario:
    return load_scenario(_DATA_FOLDER.joinpath("scenarios", f"{name}.toml").read_text("utf-8"))


ScenarioName = Literal["skerries", "corvus", "cove"]
SCENARIOS: Final[dict[str, Scenario]] = {name: _read_scenario(name) for name in get_args(ScenarioName)}
"""The game's own, by name; the first is the one that new players meet."""
EXAMPLE_SCENARIO: Final = _DATA_FOLDER.joinpath("example.toml").read_text("utf-8")
"""An example for hosts who write their own."""

"""Classes, leaders, fleets, scenarios and combat tables, read from `data/*.toml`."""

from __future__ import annotations

from importlib.resources import files
from typing import Final, Literal, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")
FireEffect = Literal["out", "burns", "depleted", "spread", "burnt"]


class ShipClass(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Printed ratings of a class of galleys (SQ-02). Speeds are hexes for an activation (SQ-02.1, SQ-02.4)."""

    size: Literal[1, 2]  # hexes that she covers
    cruise: int  # hexes
    max: int  # hexes
    ram: tuple[int, int]  # ram attack at cruise and at max; 0 without a ram
    asterisk: bool = False  # she may perform an anastrophe (SQ-02.3)
    rd: int  # ram defence, also the victory points for her loss
    m: int  # manpower
    crew: int  # quality of the crew, 1 to 4
    engines: bool = False  # letter E: missiles have +1
    towers: bool = False  # she has towers
    tremiola: bool = False  # she is a tremiola (SQ-08)
    cost: int  # points in a bought fleet
    source: str  # where the ratings come from; for readers of the data only


class LeaderRatings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    initiative: int  # added to the Initiative die
    range: int  # hexes within which ships follow the leader


class LeaderKind(LeaderRatings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    admiral: bool  # False: a Squadron Commander
    reduced: LeaderRatings  # ratings on a new ship (SQ-05.17)


class FleetSize(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stock fleet and its map, by the points that a fleet may cost (SQ-23, SQ-23.6)."""

    squadron_commanders: int  # number that comes free
    target: int  # victory points that win
    map: tuple[int, int]  # columns and rows
    ships: dict[str, int]  # number of ships of each class
    leaders: tuple[str, ...]  # keys of `LEADERS`


class ExitPoints(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    side: Literal["B", "R"]  # the side that scores
    row: int  # map row over which ships leave
    points: int  # victory points for each ship


class ScenarioWind(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    changes: bool  # whether it is rolled for in each later turn; else it stays for the whole battle
    strength: int
    toward: str  # the direction toward which it blows, such as `NE`


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    map: tuple[int, int]  # columns and rows
    target: int  # victory points that win
    limit: int  # the last turn
    exits: ExitPoints | None = None  # None: nobody scores by leaving
    wind: ScenarioWind | None = None  # None: there is no wind (SQ-08.0)
    land: tuple[str, ...] = ()  # labels of hexes of land
    teaches: bool = False  # whether panels explain the rules turn by turn, for a first game
    uneven: bool = False  # whether one side has the better chances, so that people play a match (docs/balance.md)
    ships: tuple[str, ...]  # ships as `position_text` writes them, without the speed
    leaders: tuple[str, ...]  # leaders as `position_text` writes them, without `lead`


class NeedGrid(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A grid of lowest rolls that succeed; 0 means no attempt is possible."""

    provenance: str  # where the numbers come from; for readers of the data only
    rows: tuple[tuple[int, ...], ...]  # rolls by row, then by column


class RamGrid(NeedGrid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A grid by ram attack from 1 and ram defence, which `columns` lists."""

    columns: tuple[int, ...]  # ram defences


class FatigueGrid(NeedGrid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A grid by adjusted die from 1 and Crew from 1."""

    anastrophe: int  # row that counts after an anastrophe, without a die


class MissileRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column for manpower up to `m`, with the lowest dice for a Depletion (`d`) and for a fire, too (`df`)."""

    m: int  # highest manpower of this column
    d: int  # lowest adjusted die for a Depletion
    df: int  # lowest adjusted die for a Depletion and a fire


class MissileTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    provenance: str  # where the numbers come from
    rows: tuple[MissileRow, ...]  # from the least manpower


class CrewNeeds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lowest adjusted dice that succeed. Item n of each tuple is for a ship whose crew has the quality n."""

    provenance: str  # where the numbers come from
    grapple: tuple[int, ...]  # to hold an enemy
    cut: tuple[int, ...]  # to get free of grapples
    unfoul: tuple[int, ...]  # to separate from a rammed ship


class DoubleActivationTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Highest die for Double Activation, by Initiative from 0."""

    provenance: str  # where the numbers come from
    rows: tuple[int, ...]  # by the Admiral's Initiative


class ConfusionTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    provenance: str  # where the numbers come from
    cruise: int  # lowest die that sets all ships to cruise
    half: int  # lowest die that halves all allowances, too


class FirefightTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Effects by die from 1."""

    provenance: str  # where the numbers come from
    rows: tuple[FireEffect, ...]  # by the die, from 1


class WindTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes of strength and direction, by 2d6 from 2."""

    provenance: str  # where the numbers come from
    rows: tuple[tuple[int, int], ...]  # change of strength, then hexsides clockwise
    start: int  # strength at the start of a game
    most: int  # greatest strength


class MinimumDice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    provenance: str  # where the numbers come from
    fouled: int  # a rammer is fouled with her victim, by the ram's dice less her Crew
    sinks: int  # a rammed ship sinks
    transfer: int  # a leader reaches the other ship
    ignite: int  # flame missiles start a fire
    pots: int  # firepots start a fire
    spread: int  # a fire spreads to a linked ship
    withdraw: int  # a side that lost its only Admiral withdraws
    wrecked: int  # a ship aground breaks up


class Tables(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    ram: RamGrid
    rake: NeedGrid  # by Crew of the raker and of the target, from 0
    board: NeedGrid  # by manpower of the defender from 0 and of the attackers from 1
    fatigue: FatigueGrid
    missile: MissileTable
    by_crew: CrewNeeds
    double: DoubleActivationTable
    confusion: ConfusionTable
    firefight: FirefightTable
    wind: WindTable
    need: MinimumDice


def _read_table(name: str, kind: type[T]) -> T:
    return msgspec.toml.decode(files("rules.squadrons.engine").joinpath("data", name).read_bytes(), type=kind)


CLASSES: Final = _read_table("classes.toml", dict[str, ShipClass])
CLASS_CODES: Final = (
    "L",
    "RL",
    "T",
    "2",
    "L2",
    "3",
    "3v",
    "3g",
    "cat3",
    "4",
    "4m",
    "4T",
    "5",
    "5m",
    "5g",
    "5T",
    "6",
    "7",
    "8",
    "10",
    "Trm",
)
"""Classes that have names in the catalogues, `kind_of.<code>`."""
LEADERS: Final = _read_table("leaders.toml", dict[str, LeaderKind])
FLEETS: Final = _read_table("fleets.toml", dict[str, FleetSize])
SCENARIOS: Final = _read_table("scenarios.toml", dict[str, Scenario])
TABLES: Final = _read_table("tables.toml", Tables)


def ram_need(ra: int, rd: int) -> int:
    """Return the lowest adjusted 2d6 that rams; 0 if no attempt is possible (SQ-13.4)."""
    table = TABLES.ram
    if ra < 1:
        return 0
    row = table.rows[min(ra, len(table.rows)) - 1]
    first_column, last_column = table.columns[0], table.columns[-1]
    return row[min(max(rd, first_column), last_column) - first_column]


def rake_need(crew: int, target: int) -> int:  # SQ-14.5
    return TABLES.rake.rows[min(crew, 4)][min(target, 4)]


def board_need(attackers: int, defender: int) -> int:
    """Return the lowest adjusted 2d6 that captures, by manpower; 0 if no attempt is possible (SQ-17.5).

    Beyond the table only the difference counts.
    """
    rows = TABLES.board.rows
    if attackers < 1:
        return 0
    is_beyond_table = attackers > len(rows[0]) or defender >= len(rows)
    if is_beyond_table:
        return _need_by_difference(attackers - defender)
    return rows[defender][attackers - 1]


def _need_by_difference(more: int) -> int:
    """Return the lowest roll that captures with this many more men; 0 if no attempt is possible."""
    if more >= 5:
        return 2
    return {4: 3, 3: 4, 2: 6}.get(more, 8 - more) if more >= -4 else 0


def fatigue_level(adjusted: int, crew: int) -> int:
    """Return the result of a fatigue die: 0 for none, else 2 to 4 (SQ-01.6, SQ-09.3)."""
    rows = TABLES.fatigue.rows
    return rows[min(max(adjusted, 1), len(rows)) - 1][min(max(crew, 1), 4) - 1]


def missile_result(m: int, adjusted: int) -> Literal["-", "D", "D/F"]:
    """Return the result of a missile die: `D` is a Depletion, `D/F` also a possible fire (SQ-19.8)."""
    row = next(row for row in TABLES.missile.rows if m <= row.m)
    return "D/F" if adjusted >= row.df else "D" if adjusted >= row.d else "-"

"""The classes, leaders, fleets, scenarios and combat tables, from `data/*.toml` beside this module (SQ section 6)."""

from __future__ import annotations

from importlib.resources import files
from typing import Final, Literal, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")
FireEffect = Literal["out", "burns", "depleted", "spread", "burnt"]


class ShipClass(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The printed ratings of a class of galleys (6.D). Speeds in hexes an activation (SQ-02.1, SQ-02.4)."""

    size: Literal[1, 2]
    """Hexes."""
    cruise: int
    max: int
    ram: tuple[int, int]
    """Ram attack, cruise and max; 0: none."""
    asterisk: bool = False
    """May make an anastrophe (SQ-02.3)."""
    rd: int
    """Ram defence; also the victory points that her loss brings."""
    m: int
    """Manpower."""
    crew: int
    engines: bool = False
    """E: missiles at +1."""
    towers: bool = False
    """T."""
    tremiola: bool = False
    """Sails by SQ-08.5."""
    cost: int
    """Of building one, in points."""
    source: str


class LeaderRatings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a leader can do."""

    initiative: int
    range: int
    """Hexes."""


class LeaderKind(LeaderRatings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of leader (6.E)."""

    admiral: bool
    reduced: LeaderRatings


class FleetSize(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A size of fleet (6.F; SQ-23.6)."""

    squadron_commanders: int
    """How many come free, besides the Admiral."""
    target: int
    """Victory points."""
    map: tuple[int, int]
    """Columns and rows."""
    ships: dict[str, int]
    """The stock fleet, by class."""
    leaders: tuple[str, ...]
    """Of the stock fleet, the Admiral first."""


class ExitPoints(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points for ships of a side that leave the map over a row."""

    side: Literal["B", "R"]
    row: int
    points: int


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fixed small battle (6.G); ships and leaders in the notation of 10.1."""

    map: tuple[int, int]
    target: int
    limit: int
    exits: ExitPoints | None = None
    ships: tuple[str, ...]
    leaders: tuple[str, ...]


class NeedGrid(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A grid of needs; 0: no attempt."""

    provenance: str
    rows: tuple[tuple[int, ...], ...]


class RamGrid(NeedGrid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By RA from 1, and the RD of a column."""

    columns: tuple[int, ...]


class FatigueGrid(NeedGrid, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By the adjusted die from 1, and Crew from 1."""

    anastrophe: int


class MissileRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of the Missile Table."""

    m: int
    """For so much manpower at most."""
    d: int
    df: int


class MissileTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The Missile Table."""

    provenance: str
    rows: tuple[MissileRow, ...]


class CrewNeeds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Least adjusted dice, by Crew from 0."""

    provenance: str
    grapple: tuple[int, ...]
    cut: tuple[int, ...]
    unfoul: tuple[int, ...]


class DoubleActivationTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Double Activation: most on the die, by Initiative from 0."""

    provenance: str
    rows: tuple[int, ...]


class ConfusionTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Orders Confusion: least on the die."""

    provenance: str
    cruise: int
    half: int


class FirefightTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By the die from 1."""

    provenance: str
    rows: tuple[FireEffect, ...]


class WindTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By 2d6 from 2: change of strength and of direction."""

    provenance: str
    rows: tuple[tuple[int, int], ...]
    start: int
    most: int


class MinimumDice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Least numbers that do it."""

    provenance: str
    fouled: int
    sinks: int
    transfer: int
    ignite: int
    pots: int
    spread: int
    withdraw: int
    wrecked: int


class Tables(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All combat tables and constants."""

    ram: RamGrid
    rake: NeedGrid
    board: NeedGrid
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
"""The classes whose names stand in the catalogues, as `kind_of.<code>`."""
LEADERS: Final = _read_table("leaders.toml", dict[str, LeaderKind])
FLEETS: Final = _read_table("fleets.toml", dict[str, FleetSize])
"""By points."""
SCENARIOS: Final = _read_table("scenarios.toml", dict[str, Scenario])
TABLES: Final = _read_table("tables.toml", Tables)


def ram_need(ra: int, rd: int) -> int:
    """The lowest adjusted 2d6 that rams; 0: no attempt (SQ-13.4)."""
    table = TABLES.ram
    if ra < 1:
        return 0
    row = table.rows[min(ra, len(table.rows)) - 1]
    return row[min(max(rd, table.columns[0]), table.columns[-1]) - table.columns[0]]


def rake_need(crew: int, target: int) -> int:
    """The lowest adjusted 2d6 that rakes, by both Crews (SQ-14.5)."""
    return TABLES.rake.rows[min(crew, 4)][min(target, 4)]


def board_need(attackers: int, defender: int) -> int:
    """The lowest adjusted 2d6 that captures, by manpower; 0: no attempt (SQ-17.5).

    Beyond the table the rule of 6.A holds: only the difference counts.
    """
    rows = TABLES.board.rows
    if attackers < 1:
        return 0
    over = max(attackers - len(rows[0]), defender - len(rows) + 1, 0)
    if over:
        return _index_by_difference(attackers - defender)
    return rows[defender][attackers - 1]


def _index_by_difference(more: int) -> int:
    if more >= 5:
        return 2
    return {4: 3, 3: 4, 2: 6}.get(more, 8 - more) if more >= -4 else 0


def fatigue_level(adjusted: int, crew: int) -> int:
    """What comes of a fatigue die; 0: nothing, else 2 to 4 (SQ-01.6, SQ-09.3)."""
    rows = TABLES.fatigue.rows
    return rows[min(max(adjusted, 1), len(rows)) - 1][min(max(crew, 1), 4) - 1]


def missile_result(m: int, adjusted: int) -> Literal["-", "D", "D/F"]:
    """What comes of a missile die (SQ-19.8)."""
    row = next(row for row in TABLES.missile.rows if m <= row.m)
    return "D/F" if adjusted >= row.df else "D" if adjusted >= row.d else "-"

"""The tables and constants of `data/tables.toml`, in inches and whole degrees (RS part 5)."""

from __future__ import annotations

from importlib.resources import files
from typing import Final, Literal, get_args

import msgspec
from msgspec import Struct

ClassCode = Literal["B", "T", "Q", "V"]  # Bireme, trireme, quadreme and quinquereme, in order of size
Nation = Literal["greek", "persian", "athenian", "spartan", "roman", "carthaginian", "pirate", "other"]
CLASS_CODES: Final[tuple[ClassCode, ...]] = get_args(ClassCode)
NATIONS: Final[tuple[Nation, ...]] = get_args(Nation)


class ShipClass(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The size and abilities of a class (Table T1)."""

    rank: int
    crew_max: int
    fwd: float
    back: float
    turn: int  # limit of a stationary turn
    turn_and_move: bool  # whether a turn up to 90 and half a move fit in one activation (RS-05.7)
    ram_min: float
    ram_bonus: float
    swipe_min: float
    burn_limit: int  # fire markers that sink the ship (RS-15.3)
    length: float
    beam: float
    taper: float
    value: int  # victory points (RS-20.3)


class Constants(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    gap: float
    adjacent: float
    transfer: float
    flank_margin: float
    overlap_min: float
    bow_on_max: int
    oblique_max: int
    dodge_pivot: int
    veer_max: int
    opening_turn_max: int
    slip: float
    slip_turn_max: int
    drift: float
    past_min: float
    missile_range: float
    missile_crew: int
    prize_crew: int
    quiet_limit: int
    turn_limit: int
    halved: float


class DepthLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Depths below which an overlap or contact is ignored (RS-01.7, RS-01.8)."""

    overlap: float
    meets: float


class MinimumDice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lowest die that succeeds."""

    quick_turn: int
    draw: int
    extinguish: int
    ignite: int
    spread_ram: int
    spread_link: int
    docking: int


class ExtinguishBonus(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bonus of a large crew when it fights a fire (RS-15.2)."""

    crew: int
    bonus: int


class RamModifiers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    immobile: int
    oblique: int
    short_run: float
    short: int
    long_run: float
    long: int


class RamTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The minimum total of each result of a ram (T2), and the modifiers (T3)."""

    sunk: int
    stuck: int
    dead: int
    immobilised: int
    matrix: dict[ClassCode, tuple[int, int, int, int]]
    """Modifiers by the attacker's class, then by the target's class in order of size."""
    modifiers: RamModifiers


class SwipeModifiers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    larger: int
    smaller: int


class SwipeDistance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether the run of an oar swipe has a minimum or a maximum (A-03)."""

    mode: Literal["min", "max"]


class SwipeTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The minimum total of each result of an oar swipe (T4), and its modifiers."""

    bank: int
    immobilised: int
    modifiers: SwipeModifiers
    distance: SwipeDistance


class GrappleTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Modifiers of the grappler's die (T6)."""

    target_larger: int
    target_smaller: int
    corvus: int


class MeleeRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Casualty dice of a side with at least this strength (RS-11.4)."""

    least: int
    dice: int
    bonus: int
    short_of: int = 0  # the strength below which each missing man takes 1 off the casualties


class NationTraits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Modifiers of a nation's ships (T7)."""

    ram: int = 0
    swipe: int = 0
    melee: int = 0
    melee_against: Nation | Literal[""] = ""  # the only enemy nation for which the melee bonus applies; empty: all


class ShipScore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points for a hostile ship, as a multiple of its value (RS-20.3)."""

    sunk: int
    captured: int


class Tables(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    classes: dict[ClassCode, ShipClass]
    constants: Constants
    depth: DepthLimits
    need: MinimumDice
    extinguish: ExtinguishBonus
    ram: RamTable
    swipe: SwipeTable
    grapple: GrappleTable
    melee: tuple[MeleeRow, ...]  # rows in descending order of strength
    nations: dict[Nation, NationTraits]
    matchups: dict[str, tuple[Nation, Nation]]  # the opposing nations by a die (RS-22.2)
    score: ShipScore


TABLES: Final = msgspec.toml.decode(files(__package__).joinpath("data", "tables.toml").read_bytes(), type=Tables)
CLASSES: Final = TABLES.classes
CONSTANTS: Final = TABLES.constants

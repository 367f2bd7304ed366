"""The tables and constants, from `data/tables.toml` beside this file: inches and whole degrees (RS part 5)."""

from __future__ import annotations

from importlib.resources import files
from typing import Final, Literal, get_args

import msgspec
from msgspec import Struct

ClassCode = Literal["B", "T", "Q", "V"]
"""Bireme, trireme, quadreme, quinquereme; in order of size."""
Nation = Literal["greek", "persian", "athenian", "spartan", "roman", "carthaginian", "pirate", "other"]
CLASS_CODES: Final[tuple[ClassCode, ...]] = get_args(ClassCode)
NATIONS: Final[tuple[Nation, ...]] = get_args(Nation)


class ShipClass(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ships of a class are and can do (Table T1)."""

    rank: int
    crew_max: int
    fwd: float
    back: float
    turn: int
    """Limit of a stationary turn."""
    turn_and_move: bool
    """May turn up to 90 and move up to half in one activation (RS-05.7)."""
    ram_min: float
    ram_bonus: float
    swipe_min: float
    burn_limit: int
    """Fire markers that sink her (RS-15.3)."""
    length: float
    beam: float
    taper: float
    value: int
    """Victory points (RS-20.3)."""


class Constants(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Single numbers of the rules; `tables.toml` says what each is."""

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
    """What is too little to count (RS-01.7, RS-01.8)."""

    overlap: float
    meets: float


class MinimumDice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The least die that does it."""

    quick_turn: int
    draw: int
    extinguish: int
    ignite: int
    spread_ram: int
    spread_link: int
    docking: int


class ExtinguishBonus(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a large crew adds to the die that puts a fire out (RS-15.2)."""

    crew: int
    bonus: int


class RamModifiers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The other modifiers of a ram (T3)."""

    immobile: int
    oblique: int
    short_run: float
    short: int
    long_run: float
    long: int


class RamTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Least total of each result of a ram (T2), and its modifiers (T3)."""

    sunk: int
    stuck: int
    dead: int
    immobilised: int
    matrix: dict[ClassCode, tuple[int, int, int, int]]
    """By the attacker's class, for a target of each class in order of size."""
    modifiers: RamModifiers


class SwipeModifiers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Modifiers of an oar swipe (T5)."""

    larger: int
    smaller: int


class SwipeDistance(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the run of an oar swipe is limited (A-03)."""

    mode: Literal["min", "max"]


class SwipeTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Least total of each result of an oar swipe (T4), and its modifiers."""

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
    """Casualty dice of a side at least so strong (RS-11.4)."""

    least: int
    dice: int
    bonus: int
    short_of: int = 0
    """What the strength falls short of this is taken off."""


class NationTraits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a nation's ships add (T7)."""

    ram: int = 0
    swipe: int = 0
    melee: int = 0
    melee_against: Nation | Literal[""] = ""
    """The melee bonus holds only against ships of this nation."""


class ShipScore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a hostile ship brings, in her value (RS-20.3)."""

    sunk: int
    captured: int


class Tables(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of it."""

    classes: dict[ClassCode, ShipClass]
    constants: Constants
    depth: DepthLimits
    need: MinimumDice
    extinguish: ExtinguishBonus
    ram: RamTable
    swipe: SwipeTable
    grapple: GrappleTable
    melee: tuple[MeleeRow, ...]
    """From the strongest down."""
    nations: dict[Nation, NationTraits]
    matchups: dict[str, tuple[Nation, Nation]]
    """The opponents by a die (RS-22.2)."""
    score: ShipScore


TABLES: Final = msgspec.toml.decode(files(__package__).joinpath("data", "tables.toml").read_bytes(), type=Tables)
CLASSES: Final = TABLES.classes
CONSTANTS: Final = TABLES.constants

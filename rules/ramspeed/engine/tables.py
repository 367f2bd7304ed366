"""The tables and constants of `data/tables.toml`, in inches and whole degrees."""

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

    rank: int  # order of size, 1 for the smallest
    crew_max: int  # men of a full crew
    fwd: float  # inches ahead in one activation
    back: float  # inches astern
    turn: int  # most degrees of a turn on the spot
    turn_and_move: bool  # whether a turn up to 90 and half a move fit in one activation (RS-05.7)
    ram_min: float  # least run of a ram, inches
    ram_bonus: float  # inches that a ram may run beyond `fwd`
    swipe_min: float  # least run of an oar swipe, inches
    burn_limit: int  # fire markers that sink the ship (RS-15.3)
    length: float  # inches
    beam: float  # inches, with oars
    taper: float  # inches of the bow that narrow to the tip
    value: int  # victory points (RS-20.3)


class Constants(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    gap: float  # inches that plain moves and drifts keep from other hulls
    adjacent: float  # inches within which hulls touch
    transfer: float  # inches to the farthest partner of a transfer of crew
    flank_margin: float  # inches off either end that are not part of a flank
    overlap_min: float  # inches that two hulls alongside must overlap
    bow_on_max: int  # degrees, greatest angle of bow on and stern on
    oblique_max: int  # degrees, greatest angle of an oblique approach
    dodge_pivot: int  # degrees of a quick turn
    veer_max: int  # degrees of a pivot before a move ahead
    opening_turn_max: int  # degrees of a bireme that turns and moves
    slip: float  # inches ahead or astern after a grapple that failed
    slip_turn_max: int  # degrees of a turn instead
    drift: float  # inches of a crewless fireship in a player-turn
    past_min: float  # inches of an oar swipe beyond the target
    missile_range: float  # inches
    missile_crew: int  # least crew of a shooter
    prize_crew: int  # least crew of a prize
    quiet_limit: int  # turns without an attack that end the game
    turn_limit: int  # last turn if a scenario names none
    halved: float  # share of the allowance with one bank left


class DepthLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Depths below which an overlap or contact is ignored (RS-01.7, RS-01.8)."""

    overlap: float  # depth of an overlap, in inches
    meets: float  # distance at which two hulls already touch at the start, in inches


class MinimumDice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lowest die that succeeds."""

    quick_turn: int  # the target of a swipe or grapple turns away
    draw: int  # the target of a swipe draws in its oars
    extinguish: int  # a crew puts its fire out
    ignite: int  # a fire missile sets its target alight
    spread_ram: int  # fire spreads after a ram or drift
    spread_link: int  # fire spreads along a link
    docking: int  # a ship that docks with a burning one catches fire


class ExtinguishBonus(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bonus of a large crew when it fights a fire (RS-15.2)."""

    crew: int  # least crew that gets the bonus
    bonus: int  # added to the die


class RamModifiers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    immobile: int  # target cannot move
    oblique: int  # oblique approach
    short_run: float  # inches; a run up to this has `short`
    short: int  # modifier of a short run
    long_run: float  # inches; a run from this on has `long`
    long: int  # modifier of a long run


class RamTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The minimum total of each result of a ram (T2), and the modifiers (T3)."""

    sunk: int  # the target sinks
    stuck: int  # the rammer is stuck in it
    dead: int  # it loses all its oars
    immobilised: int  # it cannot move for a while
    matrix: dict[ClassCode, tuple[int, int, int, int]]
    """Modifiers by the attacker's class, then by the target's class in order of size."""
    modifiers: RamModifiers


class SwipeModifiers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    larger: int  # attacker of a larger class than the target
    smaller: int  # attacker of a smaller class


class SwipeTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The minimum total of each result of an oar swipe (T4), and its modifiers."""

    bank: int  # the target loses a bank of oars
    immobilised: int  # the target is immobilised
    modifiers: SwipeModifiers


class GrappleTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Modifiers of the grappler's die (T6)."""

    target_larger: int  # added if the target's class is larger than the grappler's
    target_smaller: int  # added if it is smaller
    corvus: int  # added if the grappler has a corvus


class MeleeRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Casualty dice of a side with at least this strength (RS-11.4)."""

    least: int  # strength of the side in men
    dice: int  # number of dice
    bonus: int  # added to the casualties
    short_of: int = 0  # the strength below which each missing man takes 1 off the casualties


class CommandTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lowest die of each result for a ship that is far from her flagship (RS-22.4); below: she charges."""

    radius: float  # inches from the flagship within which ships obey without a die
    obeys: int
    moves: int  # she may not attack
    waits: int  # she does nothing


class NationTraits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Modifiers of a nation's ships (T7)."""

    ram: int = 0  # added to rolls of its rams
    swipe: int = 0  # added to rolls of its swipes
    melee: int = 0  # added to the casualties that it inflicts
    melee_against: Nation | Literal[""] = ""  # the only enemy nation for which the melee bonus applies; empty: all


class ShipScore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points for a hostile ship, as a multiple of its value (RS-20.3)."""

    sunk: int  # factor for a ship that sank or has no crew
    captured: int  # factor for a captured ship


class Tables(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    classes: dict[ClassCode, ShipClass]
    constants: Constants
    depth: DepthLimits  # of overlaps
    need: MinimumDice  # lowest dice that succeed
    extinguish: ExtinguishBonus
    ram: RamTable
    swipe: SwipeTable
    grapple: GrappleTable
    melee: tuple[MeleeRow, ...]  # rows in descending order of strength
    nations: dict[Nation, NationTraits]
    matchups: dict[str, tuple[Nation, Nation]]  # the opposing nations by a die; `other` is a naval power (RS-22.2)
    naval_powers: dict[str, Nation]  # which naval power it is, by a second die
    score: ShipScore
    command: CommandTable


TABLES: Final = msgspec.toml.decode(files(__package__).joinpath("data", "tables.toml").read_bytes(), type=Tables)
CLASSES: Final = TABLES.classes
CONSTANTS: Final = TABLES.constants

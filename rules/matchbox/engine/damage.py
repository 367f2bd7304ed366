"""The effect of a blow: legal splits, choices among them, sinking and reorganizing (MB-7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import structs

from rules.core import blows
from rules.core.blows import BlowSide, PartCounts
from rules.matchbox.engine.state import Galley, SinkRule


def legal_splits(galley: Galley, n: int, facing: BlowSide) -> tuple[PartCounts, ...]:
    """Return all legal ways to lose `n` parts (MB-7.1), port splits first; empty: the galley sinks."""
    return blows.legal_splits((galley.port, galley.starboard, galley.masts), n, facing)


def choose_split(options: Sequence[PartCounts], galley: Galley, kind: Literal["seaworthy", "fighting"]) -> PartCounts:
    """Return the split that a captain's standing orders prefer."""
    return blows.choose_split(options, (galley.port, galley.starboard, galley.masts), kind)


def apply_loss(galley: Galley, split: PartCounts) -> Galley:
    port, starboard, masts = split
    return structs.replace(
        galley, port=galley.port - port, starboard=galley.starboard - starboard, masts=galley.masts - masts
    )


def is_sinking(galley: Galley, sinks: SinkRule = "one_side") -> bool:
    """Return whether no oar is left on one of the sides, or on both if the game says so (MB-7.2)."""
    oars = (galley.port, galley.starboard)
    return not any(oars) if sinks == "both_sides" else not all(oars)


def sink_reason(galley: Galley) -> Literal["port", "starboard", "both"]:
    """Return the sides without oars of a galley that sinks (MB-7.2)."""
    if galley.port or galley.starboard:
        return "starboard" if galley.port else "port"
    return "both"


def repair_by_carpenters(galley: Galley) -> Galley:
    """Return the galley after its carpenters, if any, repaired an oar, once in a game (MX-4.5).

    They repair the side with fewer oars that has a free hole, or port if both are equal.
    """
    sides = (galley.port, galley.starboard)
    free = [side for side in (0, 1) if sides[side] < galley.holes]
    if "c" not in galley.crew or galley.worn or not free:
        return galley
    port = min(free, key=lambda side: sides[side]) == 0
    return structs.replace(galley, port=galley.port + port, starboard=galley.starboard + (not port), worn=True)


def seatings(galley: Galley) -> tuple[tuple[int, int], ...]:
    """Return all ways to seat the remaining oars as port and starboard, ordered by port (MB-7.3).

    A single oar stays where it is, because no side may be left empty.
    """
    oars = galley.port + galley.starboard
    if oars < 2:
        return ((galley.port, galley.starboard),)
    return tuple((port, oars - port) for port in range(max(1, oars - galley.holes), min(galley.holes, oars - 1) + 1))


def reseat(galley: Galley, wanted_oars: tuple[int, int]) -> tuple[int, int]:
    """Return port and starboard oars after a `ZZ`, as close as possible to those wanted; (0, 0): even (MB-7.3)."""
    oars = galley.port + galley.starboard
    odd_to_port = oars % 2 if galley.port > galley.starboard else 0
    port_oars = wanted_oars[0] if wanted_oars != (0, 0) else oars // 2 + odd_to_port
    return min(seatings(galley), key=lambda bench: abs(bench[0] - port_oars))

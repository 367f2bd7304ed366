"""What a blow costs: the legal splits, the standing choices among them, sinking and reorganizing (MB-7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import structs

from rules.core import blows
from rules.core.blows import BlowSide, PartCounts
from rules.matchbox.engine.state import Galley


def legal_splits(galley: Galley, n: int, facing: BlowSide) -> tuple[PartCounts, ...]:
    """All legal ways to lose `n` (MB-7.1), those of port before those of starboard; empty: the galley sinks."""
    return blows.legal_splits((galley.port, galley.starboard, galley.masts), n, facing)


def choose_split(options: Sequence[PartCounts], galley: Galley, kind: Literal["seaworthy", "fighting"]) -> PartCounts:
    """The split that a captain's standing orders choose (MB part 10)."""
    return blows.choose_split(options, (galley.port, galley.starboard, galley.masts), kind)


def apply_loss(galley: Galley, split: PartCounts) -> Galley:
    """The galley after a loss."""
    port, starboard, masts = split
    return structs.replace(
        galley, port=galley.port - port, starboard=galley.starboard - starboard, masts=galley.masts - masts
    )


def is_sinking(galley: Galley) -> bool:
    """Whether no oar is left on either one side (MB-7.2)."""
    return min(galley.port, galley.starboard) <= 0


def repair_by_carpenters(galley: Galley) -> Galley:
    """The galley when her carpenters, if she has any, have brought an oar back: once in a game (MX-4.5).

    On the side with fewer oars that has a hole free; on port if they are equal.
    """
    sides = (galley.port, galley.starboard)
    free = [side for side in (0, 1) if sides[side] < galley.holes]
    if "c" not in galley.crew or galley.worn or not free:
        return galley
    port = min(free, key=lambda side: sides[side]) == 0
    return structs.replace(galley, port=galley.port + port, starboard=galley.starboard + (not port), worn=True)


def seatings(galley: Galley) -> tuple[tuple[int, int], ...]:
    """All ways to seat the oars now left, as port and starboard, by port (MB-7.3)."""
    oars = galley.port + galley.starboard
    return tuple((port, oars - port) for port in range(max(1, oars - galley.holes), min(galley.holes, oars - 1) + 1))


def reseat(galley: Galley, wish: tuple[int, int]) -> tuple[int, int]:
    """Port and starboard oars after a `ZZ`: the wish as nearly as may be; (0, 0): as even as may be (MB-7.3)."""
    oars = galley.port + galley.starboard
    odd_to_port = oars % 2 if galley.port > galley.starboard else 0
    wanted = wish[0] if wish != (0, 0) else oars // 2 + odd_to_port
    return min(seatings(galley), key=lambda bench: abs(bench[0] - wanted))

"""The damage of a blow to a galley's oars and masts: legal splits, and the choice among them (MB-7.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

PartCounts = tuple[int, int, int]  # port oars, starboard oars and masts
BlowSide = Literal["port", "starboard", "either"]
"""The side that takes most of the damage (MB-5.12). With `either` the captain chooses."""


def legal_splits(left: PartCounts, n: int, facing: BlowSide) -> tuple[PartCounts, ...]:
    """Return all legal ways to lose `n` parts (MB-7.1), port splits first; empty: the galley sinks."""
    port, starboard, masts = left
    port_splits = _splits_of_side(port, starboard, masts, n) if facing != "starboard" else ()
    starboard_splits = _splits_of_side(starboard, port, masts, n) if facing != "port" else ()
    splits = [(facing_oars, other_oars, masts) for facing_oars, other_oars, masts in port_splits]
    splits += [(other_oars, facing_oars, masts) for facing_oars, other_oars, masts in starboard_splits]
    return tuple(dict.fromkeys(splits))


def _splits_of_side(facing_oars: int, other_oars: int, masts: int, n: int) -> Iterator[PartCounts]:
    """Yield splits as lost oars of the facing side, of the other side, and lost masts (MB-7.1 a to c)."""
    for facing_lost in range(1, min(facing_oars, n) + 1):
        for other_lost in range(min(facing_lost, other_oars, n - facing_lost) + 1):
            masts_lost = n - facing_lost - other_lost
            takes_required_mast = masts_lost > 0 or n < 3 or masts == 0
            if masts_lost <= min(facing_lost, masts) and takes_required_mast:
                yield facing_lost, other_lost, masts_lost


def choose_split(options: Sequence[PartCounts], left: PartCounts, kind: Literal["seaworthy", "fighting"]) -> PartCounts:
    """Return the split that a captain's standing orders prefer."""

    def worth(split: PartCounts) -> tuple[int, ...]:
        port, starboard, masts = (before - lost for before, lost in zip(left, split, strict=True))
        weaker = min(port, starboard)
        most_important, next_important = (weaker, masts) if kind == "seaworthy" else (masts, weaker)
        lost_from_stronger = split[0] if left[0] >= left[1] else split[1]
        return most_important, next_important, port + starboard, lost_from_stronger

    return max(options, key=worth)

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
    to_port = _splits_of_side(port, starboard, masts, n) if facing != "starboard" else ()
    to_starboard = _splits_of_side(starboard, port, masts, n) if facing != "port" else ()
    both = [*((f, o, m) for f, o, m in to_port), *((o, f, m) for f, o, m in to_starboard)]
    return tuple(dict.fromkeys(both))


def _splits_of_side(facing: int, other: int, masts: int, n: int) -> Iterator[PartCounts]:
    """Yield splits as oars of the facing side, oars of the other side, and masts (MB-7.1 a to c)."""
    for f in range(1, min(facing, n) + 1):
        for o in range(min(f, other, n - f) + 1):
            m = n - f - o
            if m <= min(f, masts) and (m or n < 3 or not masts):
                yield f, o, m


def choose_split(options: Sequence[PartCounts], left: PartCounts, kind: Literal["seaworthy", "fighting"]) -> PartCounts:
    """Return the split that a captain's standing orders prefer (MB part 10)."""

    def worth(split: PartCounts) -> tuple[int, ...]:
        port, starboard, masts = (have - lost for have, lost in zip(left, split, strict=True))
        weaker = min(port, starboard)
        first, second = (weaker, masts) if kind == "seaworthy" else (masts, weaker)
        from_stronger = split[0] if left[0] >= left[1] else split[1]
        return first, second, port + starboard, from_stronger

    return max(options, key=worth)

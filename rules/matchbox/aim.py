"""The aim map: how a volley of dropped matches fares, by the point over which it is dropped (MB-6.5 to 6.9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rules.matchbox.state import Galley, LaidMatch


def best_aim(
    firer: Galley,
    target: Galley,
    galleys: Sequence[Galley],
    lying: Sequence[LaidMatch],
    table: tuple[float, float],
    count: int,
    kind: Literal["steady", "safe"],
) -> tuple[float, float]:
    """Find the best point (x, y, in mm, on a 10 mm grid) to drop `count` matches over (MB part 10)."""
    raise NotImplementedError

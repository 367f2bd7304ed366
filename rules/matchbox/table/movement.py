"""Movement of one order step: all at once, and galleys stop where they meet (MB-5.2 to 5.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct

from rules import geometry
from rules.geometry import Extent
from rules.matchbox.table import hull, path, shore
from rules.matchbox.table.meeting import FREE, Limits, meeting, strays_mm
from rules.matchbox.table.path import Path
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.sea import Sea
from rules.matchbox.table.state import Galley
from rules.plane import Land

SAME_INSTANT: Final = 1e-9
"""Meetings no farther apart than this part of a step are one: 0.05 millionths of a millimetre of the way."""


class Way(Struct, frozen=True, gc=False):
    """What became of one galley's move."""

    path: Path
    part: float
    """Of the path gone before another hull or land stopped it; 1 if nothing did."""
    end: Pose
    ashore: bool = False
    """Land stopped it (MX-1.8)."""

    @property
    def gained_mm(self) -> float:
        """How far the prow got."""
        return self.path.length_mm * self.part


def go(
    galleys: Sequence[Galley],
    steps: Mapping[str, str],
    sea: Sea,
    limits: Mapping[tuple[str, str], Limits] | None = None,
) -> dict[str, Way]:
    """Move all galleys at once; `steps` gives what each does in this step. Ways by galley id.

    Where two hulls would begin to overlap both stop, and the others go on (MB-5.5). Land stops each on its own way, in
    one sequence with these stops (MX-1.8). `limits` gives pairs, in galley
    order, that may come nearer than `FREE` says: who touches another may slide along her.
    """
    near_enough = limits or {}
    paths = {galley.id: path.ordered(galley.pose, steps[galley.id], sea, galley.kind) for galley in galleys}
    moving = {galley: one for galley, one in paths.items() if not one.still}
    ways = {galley: Way(one, 1.0, one.end) for galley, one in paths.items()}
    near = [(a, b) for a, b in _near_pairs(paths) if a in moving or b in moving]
    meetings = {
        (a, b): t
        for a, b in near
        if (t := meeting(paths[a], paths[b], limits=near_enough.get((a, b), FREE))) is not None
    }
    landfalls = _landfalls(moving, sea.shore) if sea.land else {}
    current = dict(paths)
    while meetings or landfalls:
        now = min((*meetings.values(), *landfalls.values()))
        met = {galley for pair, t in meetings.items() if t <= now + SAME_INSTANT for galley in pair}
        ashore = {galley for galley, t in landfalls.items() if t <= now + SAME_INSTANT}
        met |= ashore
        for galley in met & moving.keys():
            here = paths[galley].pose(now)
            ways[galley] = Way(paths[galley], now, here, galley in ashore)
            current[galley] = Path(here, here, kind=paths[galley].kind)
            del moving[galley]
            landfalls.pop(galley, None)
        meetings = {pair: t for pair, t in meetings.items() if not met.intersection(pair)}
        for a, b in near:
            if (a in met) != (b in met) and (a in moving or b in moving):
                t_met = meeting(current[a], current[b], now, near_enough.get((a, b), FREE))
                if t_met is not None:
                    meetings[a, b] = t_met
    return ways


def _landfalls(moving: Mapping[str, Path], land: Land | None) -> dict[str, float]:
    """When land stops each galley, if nothing stops it before (MX-1.8)."""
    if not land:
        return {}
    return {galley: t for galley, one in moving.items() if (t := shore.stop(one, land)) is not None}


def _near_pairs(paths: Mapping[str, Path]) -> list[tuple[str, str]]:
    """Pairs of galleys, in galley order, that can come near each other, whether or not others stop them."""
    waters = [(galley, _waters(of)) for galley, of in paths.items()]
    return [(a, b) for (a, of_a), (b, of_b) in combinations(waters, 2) if geometry.overlap(of_a, of_b)]


def _waters(of: Path) -> Extent:
    """All that a hull can be over in a step, wherever it is stopped."""
    x, y = of.first[:2]
    reach = of.kind.reach_mm + hull.NOISE_MM + strays_mm(of)
    if of.sea:
        return x - reach, y - reach, x + reach, y + reach
    to_x, to_y = of.last[:2]
    return min(x, to_x) - reach, min(y, to_y) - reach, max(x, to_x) + reach, max(y, to_y) + reach

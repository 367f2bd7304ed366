"""Land and the hulls beside it: where it stops them, and how they come off it again (MX-1.8 to 1.15)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from shapely import Point

from rules import geometry
from rules.blows import Facing
from rules.geometry import Box, Extent, Outline, Pair
from rules.matchbox.table import hull
from rules.matchbox.table.path import Path
from rules.plane import Land, Segment

KEEP_MM: Final = 0.05
"""MX-1.8: no hull comes nearer to land."""
NEAR_MM: Final = 0.1
"""MX-1.10, 1.11: land so near to the bow is what a bow in contact is among hulls."""
ROUNDING_MM: Final = 1e-6
"""MX-1.8: what is left to rounding."""
FINEST: Final = 2.0**-22
"""The shortest part of a turn that is searched. In it a corner that passes another at 0.05 mm comes nearer by no more
than (0.03 mm)² / 0.05 mm × `FINEST`, far below a millionth."""
_EQUALLY_MM: Final = 0.01
"""MX-1.10: bow corners so nearly as far from land are equally far."""
_CLOSE_MM: Final = 3 * KEEP_MM
_SECTIONS: Final = 32
REEF_RUN: Final[Mapping[str, float]] = {"light": math.inf, "normal": 2, "deep": 1}
"""MX-1.15: from which forward of an unbroken run on a reef costs, by draught."""
SHRUNK_MM: Final = 0.05
"""MX-1.15: how much smaller all round the hull is that meets a reef."""


def stop(path: Path, land: Land) -> float | None:
    """The instant at which land stops a hull on its way through a step; None: it does not (MX-1.8).

    In a turn she keeps the heading that she has reached, and nothing is hurt (MX-1.9).
    """
    if path.still:
        return None
    waters = _waters(path)
    edges = land.edges_in(waters)
    if not edges:
        return None
    start = geometry.corners(path.first)
    edges = _near(start, geometry.corners(path.last), edges, KEEP_MM + _bend_mm(path, 1.0))
    if not edges:
        return None
    gap = float(land.gaps([start], waters)[0])
    keep = min(KEEP_MM, gap) - min(ROUNDING_MM, gap / 2)
    if path.turn_deg:
        within = _in_turn(path, edges, keep) if gap else None
        return _last_off(path, land, waters, keep, within) if within else None
    return land.stop(start, (path.end.x_mm - path.start.x_mm, path.end.y_mm - path.start.y_mm), keep)


def _waters(path: Path) -> Extent:
    """What holds all that the hull can be over, and what is so near that it must stop."""
    (west, south, east, north), (to_west, to_south, to_east, to_north) = map(hull.extent, (path.first, path.last))
    reach = KEEP_MM + _bend_mm(path, 1.0)
    return (
        min(west, to_west) - reach,
        min(south, to_south) - reach,
        max(east, to_east) + reach,
        max(north, to_north) + reach,
    )


def _bend_mm(path: Path, width: float) -> float:
    """No point of a hull strays farther from its straight, even way from one instant to another, `width` later.

    The prow goes straight and evenly, and other points turn about it. Where the table's edge may push her, only this is
    known: no point is faster than twice as fast as it would be.
    """
    turn, reach = math.radians(abs(path.turn_deg)), path.kind.prow_reach_mm
    if path.sea:
        return (path.length_mm + turn * reach) * width
    return reach * (turn * width) ** 2 / 8


def _in_turn(path: Path, edges: Sequence[Segment], keep: float) -> tuple[float, float] | None:
    """The first of all stretches, each `FINEST` long, at whose end a turning hull is nearer to land than `keep`.

    By bracketing: the edges that a straight line surely keeps far enough off all through a stretch of time are left
    out in it; where any are left it is halved, the earlier half first.
    """
    stack = [(0.0, geometry.corners(path.first), 1.0, geometry.corners(path.last), edges)]
    while stack:
        low, at_low, high, at_high, edges = stack.pop()
        width = high - low
        near = _near(at_low, at_high, edges, keep + _bend_mm(path, width))
        if not near:
            continue
        if width <= FINEST:
            if min(_gap_mm(at_high, edge) for edge in near) < keep:
                return low, high
            continue
        between = (low + high) / 2
        (at_between,) = path.outlines([between])
        stack.extend(((between, at_between, high, at_high, near), (low, at_low, between, at_between, near)))
    return None


def _near(low: Outline, high: Outline, edges: Sequence[Segment], margin: float) -> list[Segment]:
    """The edges that no line, of those tried, parts by `margin` from all corners of a hull at two instants."""
    corners = (*low, *high)
    xs, ys = zip(*corners, strict=True)
    west, south, east, north = min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin
    axes: list[tuple[float, float, float, float]] = []
    near = []
    for edge in edges:
        (ax, ay), (bx, by) = edge
        if (ax >= east and bx >= east) or (ax <= west and bx <= west):
            continue
        if (ay >= north and by >= north) or (ay <= south and by <= south):
            continue
        axes = axes or [_reach(*way, corners, margin) for way in _ways(low, high)]
        if any(
            (ax * x + ay * y >= most and bx * x + by * y >= most)
            or (ax * x + ay * y <= least and bx * x + by * y <= least)
            for x, y, least, most in axes
        ):
            continue
        # The line of the edge itself; then the one across the shortest way to it at the beginning.
        _, _, least, most = _reach(by - ay, ax - bx, corners, margin)
        if not least < ax * (by - ay) + ay * (ax - bx) < most:
            continue
        if margin > _CLOSE_MM:  # too coarse a look for that: most edges are parted by their own lines, or not at all
            near.append(edge)
            continue
        (x, y), (to_x, to_y) = _shortest(low, edge)
        _, _, _, most = _reach(to_x - x, to_y - y, corners, margin)
        if min(ax * (to_x - x) + ay * (to_y - y), bx * (to_x - x) + by * (to_y - y)) >= most > -math.inf:
            continue
        near.append(edge)
    return near


def _ways(low: Outline, high: Outline) -> Iterator[Pair]:
    """The headings of a hull at two instants, and what is abeam of them; longer than nothing."""
    for port, starboard, quarter, _ in (low, high) if low[0] != high[0] else (low,):
        yield starboard[0] - port[0], starboard[1] - port[1]
        yield starboard[0] - quarter[0], starboard[1] - quarter[1]


def _reach(x: float, y: float, corners: Sequence[Pair], margin: float) -> tuple[float, float, float, float]:
    """A way, and from where to where along it, times its length, corners reach with a margin."""
    along = [at_x * x + at_y * y for at_x, at_y in corners]
    spare = margin * math.hypot(x, y)
    return x, y, min(along) - spare, max(along) + spare


def _gap_mm(outline: Outline, edge: Segment) -> float:
    """How far a hull is off an edge of the land that does not cross its own edges."""
    (x, y), (to_x, to_y) = _shortest(outline, edge)
    return math.hypot(to_x - x, to_y - y)


def _shortest(outline: Outline, edge: Segment) -> Segment:
    """The shortest way from a hull's outline to an edge that does not cross it: it begins or ends at a corner."""
    start, end = edge
    ways = [(corner, _foot(corner, start, end)) for corner in outline]
    for one, other in zip(outline, (*outline[1:], outline[0]), strict=True):
        ways += [(_foot(point, one, other), point) for point in edge]
    return min(ways, key=_square)


def _foot(point: Pair, start: Pair, end: Pair) -> Pair:
    """The point of a segment nearest to another."""
    way_x, way_y = end[0] - start[0], end[1] - start[1]
    part = ((point[0] - start[0]) * way_x + (point[1] - start[1]) * way_y) / (way_x * way_x + way_y * way_y)
    if part <= 0:
        return start
    return end if part >= 1 else (start[0] + part * way_x, start[1] + part * way_y)


def _square(way: Segment) -> float:
    (x, y), (to_x, to_y) = way
    return (to_x - x) ** 2 + (to_y - y) ** 2


def off_the_way(start: Box, end: Box, land: Land, margin: float) -> bool:
    """Whether land is surely farther than that off a hull on its straight way from one place to another."""
    west, south, east, north = hull.extent(start)
    to_west, to_south, to_east, to_north = hull.extent(end)
    edges = land.edges_in(
        (
            min(west, to_west) - margin,
            min(south, to_south) - margin,
            max(east, to_east) + margin,
            max(north, to_north) + margin,
        )
    )
    return not edges or not _near(geometry.corners(start), geometry.corners(end), edges, margin)


def _last_off(path: Path, land: Land, waters: Extent, keep: float, within: tuple[float, float]) -> float:
    """The last instant at which the hull is far enough off, between one at which it is and one at which it is not."""
    low, high = within
    while high - low > 1e-13:
        instants = np.linspace(low, high, _SECTIONS + 1)
        first = int(np.argmax(land.gaps(path.outlines(instants[1:].tolist()), waters) < keep))
        low, high = float(instants[first]), float(instants[first + 1])
    return low


# --- aground, reefs, sight -------------------------------------------------------------------------------------------


def bow_gap_mm(own: Box, land: Land) -> float:
    """How far land is from the bow edge (MX-1.10); infinite if it surely is too far to matter."""
    port, starboard = geometry.corners(own)[:2]
    return (
        math.inf
        if land.surely_off(port, starboard, NEAR_MM + hull.NOISE_MM)
        else float(land.edge_gaps(port, starboard))
    )


def bow_ashore(own: Box, land: Land) -> bool:
    """Whether land is so near the bow edge that she is aground, or backs off (MX-1.10, 1.11)."""
    return bow_gap_mm(own, land) <= NEAR_MM + hull.NOISE_MM


def runs_aground(before: Box, after: Box, land: Land) -> bool:
    """Whether land lies at the bow after a move, and did not before it (MX-1.10)."""
    return bow_ashore(after, land) and not bow_ashore(before, land)


def facing(own: Box, land: Land) -> Facing:
    """The side that a grounding hurts: that of the bow corner nearer to land (MX-1.10)."""
    port, starboard = (land.gap(Point(corner)) for corner in geometry.corners(own)[:2])
    if abs(port - starboard) <= _EQUALLY_MM + hull.NOISE_MM:
        return "either"
    return "port" if port < starboard else "starboard"


def over(own: Box, reefs: Land) -> bool:
    """Whether a hull, a little smaller than it is, meets a reef (MX-1.15)."""
    if not reefs.near(hull.extent(own)):
        return False
    shrunk = own._replace(half_length=own.half_length - SHRUNK_MM, half_width=own.half_width - SHRUNK_MM)
    return bool(reefs.gaps([geometry.corners(shrunk)])[0] == 0)

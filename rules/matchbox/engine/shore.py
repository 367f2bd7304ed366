"""Land and hulls: where land stops them, groundings, reefs and coming clear (MX-1.8 to 1.15)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from shapely import Point

from rules.core.blows import BlowSide
from rules.geometry import boxes
from rules.geometry.boxes import Box, Outline, Pair
from rules.geometry.plane import Land, Segment
from rules.matchbox.engine import hull
from rules.matchbox.engine.kinds import VesselKind
from rules.matchbox.engine.path import Path
from rules.matchbox.engine.pose import Pose

MIN_SHORE_GAP_MM: Final = 0.05  # no hull comes nearer to land (MX-1.8)
BOW_CONTACT_MM: Final = 0.1  # land this near to the bow counts as contact (MX-1.10, 1.11)
MIN_WRITTEN_GAP_MM: Final = 0.045
"""Rounding a pose to 0.001 never brings a hull nearer to land. Otherwise repeated rounding would move it ashore."""
_ROUNDING_OFFSETS: Final = sorted(product((-1, 0, 1), repeat=3), key=lambda by: (sum(map(abs, by)), by))
"""Alternative roundings of a pose beside land, in thousandths, smallest change first."""
ROUNDING_TOLERANCE_MM: Final = 1e-6  # tolerance for rounding (MX-1.8)
MIN_INTERVAL: Final = 2.0**-22
"""The shortest part of a turn that is searched. In it a corner that passes another at 0.05 mm approaches by at most
(0.03 mm)² / 0.05 mm × `MIN_INTERVAL`, far below a millionth."""
_EQUAL_MM: Final = 0.01  # bow corners whose distances from land differ by no more are equally far (MX-1.10)
_CLOSE_MM: Final = 3 * MIN_SHORE_GAP_MM  # with a greater margin, the last test of `_edges_near` rarely helps
_INSTANT_TOLERANCE: Final = 1e-13  # precision of instants, as part of a step
_LIMIT_TOLERANCE_MM: Final = 1e-11  # precision of the gap at the last instant
_MAX_NEWTON_STEPS: Final = 50  # two to five steps are usually enough
REEF_RUN_BY_DRAUGHT: Final[Mapping[str, float]] = {"light": math.inf, "normal": 2, "deep": 1}
"""Length of an unbroken forward run from which a reef does damage, by draught (MX-1.15)."""
REEF_SHRINK_MM: Final = 0.05  # by how much a hull is shrunk on each side for contact with reefs (MX-1.15)


def land_stop(path: Path, land: Land) -> float | None:
    """Return the instant at which land stops a hull in a step, or None (MX-1.8).

    In a turn the hull keeps the heading that it has reached, without damage (MX-1.9).
    """
    if path.is_still:
        return None
    first = path.first_hull
    # in a turn corners stray from the straight line between their first and last place
    stray_mm = _max_bend_mm(path, 1.0) if path.turn_deg or path.sea else 0.0
    edges = edges_in_the_way(first, path.last_hull, land, MIN_SHORE_GAP_MM + stray_mm)
    if not edges:
        return None
    corners = boxes.box_corners(first)
    gap = min(_outline_gap_mm(corners, edge) for edge in edges)
    if not gap:
        return None  # a hull that already touches land is not stopped
    # A hull that begins nearer than the least gap may go on at the gap that it has.
    min_gap = min(MIN_SHORE_GAP_MM, gap) - min(ROUNDING_TOLERANCE_MM, gap / 2)
    if path.turn_deg:
        interval = _turning_stop(path, edges, min_gap)
        return _last_clear_instant(path, edges, min_gap, interval) if interval else None
    way = path.end.x_mm - path.start.x_mm, path.end.y_mm - path.start.y_mm
    stops = [t for edge in edges if (t := _straight_stop(corners, way, edge, min_gap)) is not None]
    return min(stops, default=None)


def _straight_stop(start: Outline, way: Pair, edge: Segment, min_gap: float) -> float | None:
    """Return when a hull that goes straight comes within `min_gap` of an edge, or None.

    Newton's method cannot overshoot, because the distance of two convex shapes is a convex function of uniform straight
    motion.
    """
    t = 0.0
    for _ in range(_MAX_NEWTON_STEPS):
        shift_x, shift_y = t * way[0], t * way[1]
        (x, y), (to_x, to_y) = _shortest_segment([(x + shift_x, y + shift_y) for x, y in start], edge)
        gap = math.hypot(to_x - x, to_y - y)
        nearing = (to_x - x) * way[0] + (to_y - y) * way[1]
        if nearing <= 0:
            return None
        step = (gap - min_gap) * gap / nearing
        if step <= _INSTANT_TOLERANCE:
            return t
        t += step
        if t > 1:
            return None
    return t


def _max_bend_mm(path: Path, width: float) -> float:
    """Return how far any point of a hull may stray from uniform straight motion in an interval of this width.

    The prow goes straight and uniformly, and other points turn about it. Where the table's edge may push the hull, the
    bound uses that no point moves more than twice as fast as it would otherwise.
    """
    turn, reach = math.radians(abs(path.turn_deg)), path.kind.prow_reach_mm
    if path.sea:
        return (path.length_mm + turn * reach) * width
    return reach * (turn * width) ** 2 / 8


def _turning_stop(path: Path, edges: Sequence[Segment], min_gap: float) -> tuple[float, float] | None:
    """Return the first interval, `MIN_INTERVAL` long, at whose end a turning hull is nearer to land than `min_gap`.

    An interval is skipped if a straight line surely keeps each edge far enough away all through it, and halved
    otherwise. The first width to try is predicted from the closing speed.
    """
    low, at_low = 0.0, boxes.box_corners(path.first_hull)
    while low < 1.0:
        clear_for = min(_clear_duration(path, low, at_low, edge, min_gap) for edge in edges)
        width = min(1.0 - low, max(MIN_INTERVAL, clear_for))
        while True:
            high = low + width
            (at_high,) = path.outlines_at([high])
            near_edges = _edges_near(at_low, at_high, edges, min_gap + _max_bend_mm(path, high - low))
            if not near_edges:
                break
            if width <= MIN_INTERVAL:
                if min(_outline_gap_mm(at_high, edge) for edge in near_edges) < min_gap:
                    return low, high
                break
            width = max(width / 2, MIN_INTERVAL)
        low, at_low = high, at_high
    return None


def _clear_duration(path: Path, t: float, outline: Outline, edge: Segment, min_gap: float) -> float:
    """Estimate how long a hull stays farther than `min_gap` from an edge at the current closing speed."""
    (x, y), (to_x, to_y) = _shortest_segment(outline, edge)
    start, end, turn = path.start, path.end, math.radians(path.turn_deg)
    way_x, way_y = end.x_mm - start.x_mm, end.y_mm - start.y_mm
    # The velocity of the nearest point of the hull, in mm per step: that of the prow, and the turn about it.
    rate_x = way_x + turn * (y - start.y_mm - t * way_y)
    rate_y = way_y - turn * (x - start.x_mm - t * way_x)
    gap = math.hypot(to_x - x, to_y - y)
    spare = max(0.0, gap - min_gap)
    nearing = (rate_x * (to_x - x) + rate_y * (to_y - y)) / gap  # the closing speed
    bend = _max_bend_mm(path, 1.0)
    if path.sea:
        return spare / (max(0.0, nearing) + bend)
    # The solution of 2 × bend × t² + nearing × t = spare.
    return (math.sqrt(nearing * nearing + 8 * bend * spare) - nearing) / (4 * bend)


def _edges_near(
    low: Outline, high: Outline, edges: Sequence[Segment], margin: float, *, turns: bool = True
) -> list[Segment]:
    """Return edges that no tested line separates by `margin` from all corners of a hull at two instants."""
    # First try the outline's bounding box, then lines along the hull's edges, which all edges share.
    corners = (*low, *high)
    xs, ys = zip(*corners, strict=True)
    west, south, east, north = min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin
    axes: list[tuple[float, float, float, float]] = []  # a direction (x, y), and bounds of the corners along it
    near_edges = []
    for edge in edges:
        (ax, ay), (bx, by) = edge
        if (ax >= east and bx >= east) or (ax <= west and bx <= west):
            continue
        if (ay >= north and by >= north) or (ay <= south and by <= south):
            continue
        axes = axes or [
            _projection(*direction, corners, margin)
            for direction in _separating_directions((low, high) if turns else (low,))
        ]
        if any(
            (ax * x + ay * y >= most and bx * x + by * y >= most)
            or (ax * x + ay * y <= least and bx * x + by * y <= least)
            for x, y, least, most in axes
        ):
            continue
        # Try the line of the edge itself, then the one perpendicular to the shortest segment to it at the start.
        _, _, least, most = _projection(by - ay, ax - bx, corners, margin)
        if not least < ax * (by - ay) + ay * (ax - bx) < most:
            continue
        if margin > _CLOSE_MM:
            near_edges.append(edge)
            continue
        (x, y), (to_x, to_y) = _shortest_segment(low, edge)
        _, _, _, most = _projection(to_x - x, to_y - y, corners, margin)
        if min(ax * (to_x - x) + ay * (to_y - y), bx * (to_x - x) + by * (to_y - y)) >= most > -math.inf:
            continue
        near_edges.append(edge)
    return near_edges


def _separating_directions(outlines: Iterable[Outline]) -> Iterator[Pair]:
    for bow_port, bow_starboard, stern_starboard, _ in outlines:
        yield bow_starboard[0] - bow_port[0], bow_starboard[1] - bow_port[1]
        yield bow_starboard[0] - stern_starboard[0], bow_starboard[1] - stern_starboard[1]


def _projection(x: float, y: float, corners: Sequence[Pair], margin: float) -> tuple[float, float, float, float]:
    """Return a direction and the range that corners with a margin cover along it, times its length."""
    along = [at_x * x + at_y * y for at_x, at_y in corners]
    spare = margin * math.hypot(x, y)
    return x, y, min(along) - spare, max(along) + spare


def _outline_gap_mm(outline: Outline, edge: Segment) -> float:  # distance of a hull from an edge that does not cross it
    (x, y), (to_x, to_y) = _shortest_segment(outline, edge)
    return math.hypot(to_x - x, to_y - y)


def _shortest_segment(outline: Sequence[Pair], edge: Segment) -> Segment:
    """Return the shortest segment from a hull to an edge of land that does not meet it: first its end on the hull."""
    # A corner of the hull or an end of the edge is nearest, so all of these are tried.
    (ax, ay), (bx, by) = edge
    way_x, way_y = bx - ax, by - ay
    square = way_x * way_x + way_y * way_y
    least_square, shortest = math.inf, (outline[0], edge[0])
    # This is the hottest function about land, so it avoids calls of `min` and `max`.
    for x, y in outline:
        fraction = ((x - ax) * way_x + (y - ay) * way_y) / square
        if not 0.0 <= fraction <= 1.0:
            fraction = 1.0 if fraction > 0.0 else 0.0
        to_x, to_y = ax + fraction * way_x, ay + fraction * way_y
        square_distance = (to_x - x) ** 2 + (to_y - y) ** 2
        if square_distance < least_square:
            least_square, shortest = square_distance, ((x, y), (to_x, to_y))
    (port_x, port_y), (starboard_x, starboard_y), _, (x, y) = outline
    along_x, along_y, across_x, across_y = port_x - x, port_y - y, starboard_x - port_x, starboard_y - port_y
    # The length of a bow edge alone is 0.
    along, across = along_x * along_x + along_y * along_y or 1.0, across_x * across_x + across_y * across_y
    for to_x, to_y in edge:
        ahead = ((to_x - x) * along_x + (to_y - y) * along_y) / along
        if not 0.0 <= ahead <= 1.0:
            ahead = 1.0 if ahead > 0.0 else 0.0
        abeam = ((to_x - x) * across_x + (to_y - y) * across_y) / across
        if not 0.0 <= abeam <= 1.0:
            abeam = 1.0 if abeam > 0.0 else 0.0
        at_x, at_y = x + ahead * along_x + abeam * across_x, y + ahead * along_y + abeam * across_y
        square_distance = (to_x - at_x) ** 2 + (to_y - at_y) ** 2
        if square_distance < least_square:
            least_square, shortest = square_distance, ((at_x, at_y), (to_x, to_y))
    return shortest


def edges_in_the_way(start: Box, end: Box, land: Land, margin: float) -> list[Segment]:
    """Return edges of land that may come within `margin` of a hull on its way to another place.

    The way must be straight, or bent by no more than the margin allows.
    """
    reach = math.hypot(end.x - start.x, end.y - start.y) / 2 + math.hypot(start.half_length, start.half_width) + margin
    if land.distance_bound((start.x + end.x) / 2, (start.y + end.y) / 2) > reach:
        return []
    west, south, east, north = hull.hull_extent(start, margin)
    to_west, to_south, to_east, to_north = hull.hull_extent(end, margin)
    edges = land.edges_within((min(west, to_west), min(south, to_south), max(east, to_east), max(north, to_north)))
    if not edges:
        return []
    turns = start[2:4] != end[2:4]
    return _edges_near(boxes.box_corners(start), boxes.box_corners(end), edges, margin, turns=turns)


def edges_gap_mm(own: Box, edges: Sequence[Segment]) -> float:
    """Return the distance of a hull from the nearest edge; 0 if it meets one, infinite if there are none."""
    if any(boxes.segment_meets_box(start, end, own) for start, end in edges):
        return 0.0
    outline = boxes.box_corners(own)
    return min((_outline_gap_mm(outline, edge) for edge in edges), default=math.inf)


def side_gaps(own: Box, edges: Sequence[Segment]) -> Pair:
    """Return the distances of the port and starboard sides from the nearest edge that does not cross the hull."""
    bow_port, bow_starboard, stern_starboard, stern_port = boxes.box_corners(own)
    port, starboard = (bow_port, stern_port), (bow_starboard, stern_starboard)
    least_port, least_starboard = math.inf, math.inf
    for edge in edges:
        least_port = min(least_port, _segment_gap(port, edge))
        least_starboard = min(least_starboard, _segment_gap(starboard, edge))
    return least_port, least_starboard


def _segment_gap(a: Segment, b: Segment) -> float:
    """Return the distance of two segments that do not cross, ignoring the edge's start, where another ends."""
    return min(_point_gap(a[0], b), _point_gap(a[1], b), _point_gap(b[1], a))


def _point_gap(point: Pair, segment: Segment) -> float:
    (x, y), ((ax, ay), (bx, by)) = point, segment
    way_x, way_y = bx - ax, by - ay
    fraction = ((x - ax) * way_x + (y - ay) * way_y) / (way_x * way_x + way_y * way_y)
    fraction = min(1.0, max(0.0, fraction))
    return math.hypot(x - ax - fraction * way_x, y - ay - fraction * way_y)


def _last_clear_instant(path: Path, edges: Sequence[Segment], min_gap: float, within: tuple[float, float]) -> float:
    """Return the last instant within an interval at which all edges are at least `min_gap` away from a hull."""

    def spare(t: float) -> float:
        (outline,) = path.outlines_at([t])
        return min(_outline_gap_mm(outline, edge) for edge in edges) - min_gap

    low, high = within
    at_low, at_high = spare(low), spare(high)
    while high - low > _INSTANT_TOLERANCE:
        # False position with the Illinois rule: the value of an end that does not move is halved.
        between = low + (high - low) * min(0.99, max(0.01, at_low / (at_low - at_high)))
        at_between = spare(between)
        if at_between < 0:
            high, at_high, at_low = between, at_between, at_low / 2
        else:
            low, at_low, at_high = between, at_between, at_high / 2
            if at_between < _LIMIT_TOLERANCE_MM:
                break
    return low


def round_pose_ashore(pose: Pose, kind: VesselKind, land: Land | None) -> Pose:
    """Return the pose rounded to 0.001, but beside land no nearer than `MIN_WRITTEN_GAP_MM` (MX-1.8)."""
    rounded = hull.round_pose(pose)
    if not land:
        return rounded
    box = kind.make_box(pose)
    edges = edges_in_the_way(box, box, land, MIN_SHORE_GAP_MM)
    min_gap = min(MIN_WRITTEN_GAP_MM, edges_gap_mm(box, edges))
    if not edges:
        return rounded
    for x, y, turn in _ROUNDING_OFFSETS:
        candidate = Pose(rounded.x_mm + x * 0.001, rounded.y_mm + y * 0.001, rounded.heading_deg + turn * 0.001)
        if edges_gap_mm(kind.make_box(hull.round_pose(candidate)), edges) >= min_gap:
            return hull.round_pose(candidate)
    return rounded


# --- aground, reefs, sight -------------------------------------------------------------------------------------------


def is_land_at_bow(own: Box, land: Land) -> bool:
    """Return whether land is in contact with the bow edge (MX-1.10, 1.11)."""
    x, y, ux, uy, half_length, half_width = own
    bow_x, bow_y = x + half_length * ux, y + half_length * uy
    max_gap = BOW_CONTACT_MM + hull.LENGTH_TOLERANCE_MM
    if land.distance_bound(bow_x, bow_y) > half_width + max_gap:
        return False
    bow = Box(bow_x, bow_y, ux, uy, 0.0, half_width)
    return edges_gap_mm(bow, land.edges_within(hull.hull_extent(bow, max_gap))) <= max_gap


def runs_aground(before: Box, after: Box, land: Land) -> bool:
    """Return whether land is at the bow after a move and was not before (MX-1.10)."""
    return is_land_at_bow(after, land) and not is_land_at_bow(before, land)


def grounded_side(own: Box, land: Land) -> BlowSide:
    """Return the side that a grounding damages: that of the bow corner nearer to land (MX-1.10)."""
    port, starboard = (land.distance_to(Point(corner)) for corner in boxes.box_corners(own)[:2])
    if abs(port - starboard) <= _EQUAL_MM + hull.LENGTH_TOLERANCE_MM:
        return "either"
    return "port" if port < starboard else "starboard"


def meets_reef(own: Box, reefs: Land) -> bool:
    """Return whether a slightly shrunk hull meets a reef (MX-1.15)."""
    if not reefs.may_reach(hull.hull_extent(own)):
        return False
    shrunk = own._replace(half_length=own.half_length - REEF_SHRINK_MM, half_width=own.half_width - REEF_SHRINK_MM)
    return bool(reefs.hull_gaps([boxes.box_corners(shrunk)])[0] == 0)

"""Plane geometry of islands, reefs, tapered hulls, lines of fire and zones, built on shapely.

Conventions are those of `rules.geometry.boxes`, which has closed forms for boxes. Edges belong to a shape, so touching
counts as meeting. Many shapes are handled in bulk, because making a polygon takes ten times as long as a query.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise, product
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from shapely import LineString, MultiPolygon, Polygon, STRtree

from rules.geometry.boxes import Extent, Pair

Floats = NDArray[np.float64]
Ring = tuple[Pair, ...]
Segment = tuple[Pair, Pair]
Bools = NDArray[np.bool_]

LENGTH_TOLERANCE: Final = 1e-6
"""Shorter distances and thinner overlaps count as none. It is far above floating-point noise on tables of some thousand
units, and far below the 0.001 to which games store positions."""
_BOUND_CELL: Final = 8.0  # side of the squares for which distance bounds are cached
_BOUND_BLOCK_CELLS: Final = 24
"""Squares along each axis that are computed together, because a bulk query is much cheaper."""
_MITRE_LIMIT: Final = 1e3
"""Limit for corners moved inwards, in multiples of the overlap. No land has corners that sharp."""


def hull_corners(
    length: float, beam: float, x: ArrayLike, y: ArrayLike, heading_deg: ArrayLike, *, taper: float = 0.0
) -> Floats:
    """Return corners of hulls around the middles (x, y), clockwise: shape (..., 4, 2), or (..., 5, 2) with a taper.

    `taper` is the length over which the bow narrows to the ram's tip, which then is the first corner. Without a taper,
    the first corner is the port bow. Arguments broadcast like numpy arrays. Sine and cosine are exact at quarter turns.
    """
    ahead, abeam = length / 2, beam / 2
    if taper:
        outline = [(ahead, 0.0), (ahead - taper, abeam), (-ahead, abeam), (-ahead, -abeam), (ahead - taper, -abeam)]
    else:
        outline = [(ahead, -abeam), (ahead, abeam), (-ahead, abeam), (-ahead, -abeam)]
    along, across = np.array(outline).T  # of each corner: forward and to starboard from the middle
    xs, ys, heading = (
        values[..., None] for values in np.broadcast_arrays(x, y, np.asarray(heading_deg, dtype=np.float64))
    )
    sin, cos = _exact_sine(heading), _exact_sine(heading + 90.0)
    return np.stack((xs + along * sin + across * cos, ys + along * cos - across * sin), axis=-1)


def hull_polygon(length: float, beam: float, x: float, y: float, heading_deg: float, *, taper: float = 0.0) -> Polygon:
    """Return one hull as a polygon. For many, use `shapely.polygons(hull_corners(...))`."""
    return shapely.polygons(hull_corners(length, beam, x, y, heading_deg, taper=taper))


def _polygon_corners(polygon: Polygon) -> Floats:
    return np.asarray(shapely.get_coordinates(polygon)[:-1])


def _land_polygon(number: int, ring: Sequence[Pair]) -> Polygon:
    """Return the polygon of an outline. Raises `ValueError` with its number if it is invalid."""
    if len(ring) < 3:
        raise ValueError(f"piece {number} has fewer than three corners")
    if not np.isfinite(ring).all():
        raise ValueError(f"a corner of piece {number} is nowhere")
    piece = Polygon(ring)
    if not (piece.is_valid and piece.area > 0):
        raise ValueError(f"the outline of piece {number} crosses or touches itself, or holds no area")
    return piece


def _is_convex(polygon: Polygon) -> bool:
    corners = _polygon_corners(polygon)
    edges = np.roll(corners, -1, axis=0) - corners
    turns = edges[:, 0] * np.roll(edges[:, 1], -1) - edges[:, 1] * np.roll(edges[:, 0], -1)
    return bool((turns >= 0).all() or (turns <= 0).all())


def _ray_spans(ray: LineString, shape: shapely.Geometry) -> list[tuple[float, float]]:
    # Where a ray from the origin is inside a shape: pairs of distances, the nearest first.
    inside = shapely.get_parts(shapely.intersection(ray, shape))
    ends = [np.hypot(*shapely.get_coordinates(part).T) for part in inside if not shapely.is_empty(part)]
    return sorted((float(part.min()), float(part.max())) for part in ends)


def _edge_separates(corners: Ring, start: Pair, end: Pair, reach: float) -> bool:
    """Return whether the line through an edge of a piece keeps a segment at least `reach` away from the piece."""
    (sx, sy), (tx, ty) = start, end
    for number, (bx, by) in enumerate(corners):
        ax, ay = corners[number - 1]
        way_x, way_y = bx - ax, by - ay
        min_offset = reach * math.hypot(way_x, way_y)
        # How far points are from the edge's line, times the edge's length; the sign tells the side.
        at_start, at_end = (sx - ax) * way_y - (sy - ay) * way_x, (tx - ax) * way_y - (ty - ay) * way_x
        on_one_side = (at_start > 0) == (at_end > 0)
        if on_one_side and abs(at_start) > min_offset and abs(at_end) > min_offset:
            corner_offsets = [(x - ax) * way_y - (y - ay) * way_x for x, y in corners]
            if (
                min(at_start, at_end) - max(corner_offsets) > min_offset
                or min(corner_offsets) - max(at_start, at_end) > min_offset
            ):
                return True
    return False


def _segment_meets_piece(corners: Ring, off: Sequence[float], start: Pair, end: Pair, limit: float) -> bool | None:
    """Return whether a segment and a piece have a common point; None: too close to decide.

    `off` holds the distances of the corners from the segment's line, times its length, and `limit` is such a product
    below which a corner is too close.
    """
    (sx, sy), (tx, ty) = start, end
    start_is_inside = False
    for number, (bx, by) in enumerate(corners):
        (ax, ay), off_a, off_b = corners[number - 1], off[number - 1], off[number]
        way_x, way_y = bx - ax, by - ay
        tolerance = LENGTH_TOLERANCE * math.hypot(way_x, way_y)
        # How far the segment's ends are from the edge's line, times the edge's length; the sign tells the side.
        at_start, at_end = (sx - ax) * way_y - (sy - ay) * way_x, (tx - ax) * way_y - (ty - ay) * way_x
        if min(off_a, off_b) <= limit and max(off_a, off_b) >= -limit:  # the edge reaches the segment's line
            if min(abs(off_a), abs(off_b)) <= limit:
                return None
            if min(at_start, at_end) <= tolerance and max(at_start, at_end) >= -tolerance:
                return True if min(abs(at_start), abs(at_end)) > tolerance else None
        # Toggle if the edge crosses the ray that runs east from the segment's start.
        if (ay > sy) != (by > sy):
            start_is_inside ^= (at_start < 0) == (by > ay)
    return start_is_inside


def _fraction_to_strip(points: Floats, shift: Floats, starts: Floats, ends: Floats, reach: float) -> float:
    """Return the fraction of a motion after which any point first comes within `reach` of a segment, beside it.

    All `points` move by `shift`. Segments run from `starts` to `ends`, and the circles around their ends do not count.
    Infinite: never.
    """
    along = ends - starts
    length = np.hypot(along[:, 0], along[:, 1])
    along /= length[:, None]
    offsets = points[:, None] - starts[None]
    place = offsets[..., 0] * along[:, 0] + offsets[..., 1] * along[:, 1]
    across = offsets[..., 0] * along[:, 1] - offsets[..., 1] * along[:, 0]
    rate, across_rate = along @ shift, along[:, 1] * shift[0] - along[:, 0] * shift[1]
    enter_a, leave_a = _interval_within(place, rate, 0.0, length)
    enter_b, leave_b = _interval_within(across, across_rate, -reach, reach)
    enter, leave = np.maximum(enter_a, enter_b), np.minimum(leave_a, leave_b)
    first = enter[(enter <= leave) & (enter >= 0)]
    return float(first.min(initial=math.inf))


def _interval_within(place: Floats, rate: Floats, low: float, high: Floats | float) -> tuple[Floats, Floats]:
    with np.errstate(divide="ignore", invalid="ignore"):
        at_low, at_high = (low - place) / rate, (high - place) / rate
    is_constant = np.broadcast_to(rate == 0, place.shape)
    inside = (place >= low) & (place <= high)
    enter = np.where(is_constant, np.where(inside, -math.inf, math.inf), np.minimum(at_low, at_high))
    leave = np.where(is_constant, np.where(inside, math.inf, -math.inf), np.maximum(at_low, at_high))
    return enter, leave


def _fraction_to_circle(points: Floats, shift: Floats, middles: Floats, reach: float) -> float:
    """Return the fraction of `shift` at which a point first comes within `reach` of a middle; infinite: never."""
    offsets = points[:, None] - middles[None]
    square = float(shift @ shift)
    half_b = offsets @ shift
    discriminant = half_b * half_b - square * ((offsets * offsets).sum(axis=2) - reach * reach)
    meets = (discriminant >= 0) & (half_b < 0)
    enter = (-half_b[meets] - np.sqrt(discriminant[meets])) / square if square else np.empty(0)
    return float(enter[enter >= 0].min(initial=math.inf))


def _exact_sine(angle_deg: Floats) -> Floats:  # sine, exact at whole quarter turns
    quarters = np.round(angle_deg / 90.0)
    exact = np.where(quarters % 2 == 0, 0.0, np.where(quarters % 4 == 1, 1.0, -1.0))
    return np.where(quarters * 90.0 == angle_deg, exact, np.sin(np.radians(angle_deg)))


class Land:
    """Polygons, such as a table's islands, that may touch and overlap.

    Creating one costs as much as hundreds of queries, so reuse it.
    """

    def __init__(self, rings: Iterable[Sequence[Pair]]) -> None:
        """Store the outlines of the pieces, in either direction, closed or not.

        Raises `ValueError` with the number, from 0, of the first piece with fewer than three corners, without area, or
        with an outline that crosses or touches itself.
        """
        self.pieces = tuple(_land_polygon(number, ring) for number, ring in enumerate(rings))
        self.shape: Polygon | MultiPolygon = shapely.union_all(self.pieces) if self.pieces else MultiPolygon()
        shapely.prepare(self.shape)
        self._distance_bounds: dict[float, dict[float, float]] = {}
        """Cached distance bounds by column and row. Two dict look-ups are faster than one with a tuple."""

    def touches_hull(self, hull: Polygon) -> bool:
        return bool(self.shape.intersects(hull))

    def bars_line(self, line: LineString, most: float = 0.0) -> bool:
        """Return whether a line of fire runs over land, or along its edge, for longer than `most`."""
        return bool(self.shape.intersects(line) and self.shape.intersection(line).length > most)

    def distance_to(self, shape: shapely.Geometry) -> float:
        """Return the shortest distance to a hull, an edge or a point; 0 if they touch, infinite without land."""
        return float(self.shape.distance(shape)) if self.pieces else math.inf

    def contains(self, x: ArrayLike, y: ArrayLike) -> Bools:
        """Return whether points, as arrays or numbers, are on land or on its edge."""
        return np.asarray(shapely.intersects_xy(self.shape, x, y))

    def distance_bound(self, x: float, y: float) -> float:
        """Return a lower bound of a point's distance from land, at most 12 units too low, and negative close to land.

        After the first query nearby it is the fastest of all queries, so try it first.
        """
        try:
            return self._distance_bounds[x // _BOUND_CELL][y // _BOUND_CELL]
        except KeyError:
            self._cache_distance_bounds(x // _BOUND_CELL, y // _BOUND_CELL)
            return self._distance_bounds[x // _BOUND_CELL][y // _BOUND_CELL]

    def is_surely_clear(self, start: Pair, end: Pair) -> bool:
        """Return whether distance bounds prove that a segment does not touch land. False proves nothing."""
        (x, y), (to_x, to_y) = start, end
        way_x, way_y = (to_x - x) / 6, (to_y - y) / 6
        sixth, bound = math.hypot(way_x, way_y), self.distance_bound
        return (
            bound(x + 3 * way_x, y + 3 * way_y) > sixth
            and bound(x + way_x, y + way_y) > sixth
            and bound(x + 5 * way_x, y + 5 * way_y) > sixth
        )

    def _cache_distance_bounds(self, column: float, row: float) -> None:
        """Compute the bounds of `distance_bound` for the block of cells that contains a cell, and store them."""
        columns, rows = (
            [index // _BOUND_BLOCK_CELLS * _BOUND_BLOCK_CELLS + number for number in range(_BOUND_BLOCK_CELLS)]
            for index in (column, row)
        )
        middles = shapely.points((np.array(list(product(columns, rows))) + 0.5) * _BOUND_CELL)
        gaps = shapely.distance(self.shape, middles) if self.pieces else np.full(len(middles), math.inf)
        # No point of a cell is farther from its middle than half its diagonal.
        bounds = gaps - (_BOUND_CELL * math.sqrt(0.5) + LENGTH_TOLERANCE)
        bounds_by_column = bounds.reshape(_BOUND_BLOCK_CELLS, _BOUND_BLOCK_CELLS).tolist()
        for index, column_bounds in zip(columns, bounds_by_column, strict=True):
            self._distance_bounds.setdefault(index, {}).update(zip(rows, column_bounds, strict=True))

    def may_reach(self, extent: Extent) -> bool:
        """Return whether the bounds of any piece overlap an extent."""
        west, south, east, north = extent
        for (piece_west, piece_south, piece_east, piece_north), _ in self._outlines:
            if piece_west <= east and piece_east >= west and piece_south <= north and piece_north >= south:
                return True
        return False

    def edges_within(self, extent: Extent) -> list[Segment]:
        """Return edges of the united land whose bounds overlap an extent."""
        west, south, east, north = extent
        return [
            edge
            for (part_west, part_south, part_east, part_north), edges in self._edge_extents
            if part_west <= east and part_east >= west and part_south <= north and part_north >= south
            for (edge_west, edge_south, edge_east, edge_north), edge in edges
            if edge_west <= east and edge_east >= west and edge_south <= north and edge_north >= south
        ]

    def is_surely_beyond(self, start: Pair, end: Pair, margin: float = 0.0) -> bool:
        """Return whether a separating line proves that a segment is farther than `margin` from land.

        False proves nothing. It is much faster than `edge_gaps`, which returns the distance.
        """
        return next(self._pieces_near_segment(start, end, margin + LENGTH_TOLERANCE), None) is None

    def touches_segment(self, start: Pair, end: Pair) -> bool:
        """Return whether a segment of positive length has a common point with land."""
        limit = LENGTH_TOLERANCE * math.hypot(end[0] - start[0], end[1] - start[1])
        for corners, corner_offsets in self._pieces_near_segment(start, end, LENGTH_TOLERANCE):
            meets = _segment_meets_piece(corners, corner_offsets, start, end, limit)
            if meets is None:
                return bool(self.distance_to(LineString((start, end))) == 0)
            if meets:
                return True
        return False

    def _pieces_near_segment(self, start: Pair, end: Pair, reach: float) -> Iterator[tuple[Ring, list[float]]]:
        """Yield pieces that no separating line keeps `reach` away from a segment.

        Each comes with its corners' distances from the segment's line, times the segment's length.
        """
        (ax, ay), (bx, by) = start, end
        west, south, east, north = min(ax, bx) - reach, min(ay, by) - reach, max(ax, bx) + reach, max(ay, by) + reach
        way_x, way_y = bx - ax, by - ay
        min_offset = reach * math.hypot(way_x, way_y)
        for (piece_west, piece_south, piece_east, piece_north), corners in self._outlines:
            if piece_west > east or piece_east < west or piece_south > north or piece_north < south:
                continue
            corner_offsets = [(x - ax) * way_y - (y - ay) * way_x for x, y in corners]
            is_on_one_side = min(corner_offsets) > min_offset or max(corner_offsets) < -min_offset
            if not (is_on_one_side or _edge_separates(corners, start, end, reach)):
                yield corners, corner_offsets

    def parts_within(self, extent: Extent) -> tuple[tuple[float, float], ...]:
        """Return the west and east bounds of each part of the land inside an extent."""
        inside = shapely.get_parts(shapely.intersection(self.shape, shapely.box(*extent)))
        return tuple(
            (float(west), float(east)) for west, _, east, _ in shapely.bounds(inside[~shapely.is_empty(inside)])
        )

    def hull_gaps(self, outlines: ArrayLike) -> Floats:
        """Return the shortest distances from land to many hulls, given by corners of shape (..., corners, 2)."""
        return np.asarray(shapely.distance(self.shape, shapely.polygons(outlines)))

    def edge_gaps(self, starts: ArrayLike, ends: ArrayLike) -> Floats:
        """Return the shortest distances from land to many segments. Both arrays have shape (..., 2)."""
        return np.asarray(shapely.distance(self.shape, shapely.linestrings(np.stack((starts, ends), axis=-2))))

    def hides_line(self, start: Pair, end: Pair, most: float) -> bool:
        """Return whether the line between two points runs in land, or along its edge, for longer than `most`."""
        return not self.is_surely_beyond(start, end) and self.bars_line(LineString((start, end)), most)

    def fraction_to_land(self, corners: Sequence[Pair], shift: Pair, min_gap: float) -> float | None:
        """Return the fraction of a straight way after which a convex hull comes nearer to land than `min_gap`, or None.

        The hull must begin farther away than that. The closed form compares corners of the hull with corners and edges
        of the land, and edges of the hull with corners of the land.
        """
        hull, motion = np.asarray(corners, dtype=np.float64), np.asarray(shift, dtype=np.float64)
        starts, ends = self._edges
        swept = np.concatenate((hull, hull + motion))
        low, high = swept.min(axis=0) - min_gap, swept.max(axis=0) + min_gap
        is_near = (np.minimum(starts, ends) <= high).all(axis=1) & (np.maximum(starts, ends) >= low).all(axis=1)
        if not is_near.any():
            return None
        starts, ends = starts[is_near], ends[is_near]
        fraction = min(
            _fraction_to_strip(hull, motion, starts, ends, min_gap),
            _fraction_to_strip(starts, -motion, hull, np.roll(hull, -1, axis=0), min_gap),
            _fraction_to_circle(hull, motion, starts, min_gap),
            _fraction_to_circle(hull, motion, ends, min_gap),
        )
        return fraction if fraction <= 1.0 else None

    def distance_to_land(self, hull: Polygon, direction: Pair, reach: float, depth: float = LENGTH_TOLERANCE) -> float:
        """Return how far a convex hull can go along a unit vector before land stops it, at most `reach`.

        Only land that it would overlap by more than `depth` stops it, so grazing does not. `depth` is the shortest
        shift that separates the two. A hull that begins in contact can go on until it overlaps that much.
        """
        start = _polygon_corners(hull)
        end = start + np.multiply(reach, direction)
        swept = shapely.multipoints(np.concatenate((start, end))).convex_hull
        near_parts = self._tree.query(swept, predicate="intersects")
        if not len(near_parts):
            return reach
        # The hull cannot be in the Minkowski sum of the convex land parts and the reflected hull. So the moving hull
        # becomes a point on a ray.
        parts, owner = shapely.get_coordinates(self._parts[near_parts], return_index=True)
        sums = (parts[:, None] - start).reshape(-1, 2)
        barred = shapely.union_all(shapely.convex_hull(shapely.multipoints(sums, indices=np.repeat(owner, len(start)))))
        west, south, east, north = barred.bounds
        beyond = reach + math.hypot(east - west, north - south)
        ray = LineString([(0.0, 0.0), (beyond * direction[0], beyond * direction[1])])
        deep_spans = _ray_spans(ray, shapely.buffer(barred, -depth, join_style="mitre", mitre_limit=_MITRE_LIMIT))
        for enters, leaves in _ray_spans(ray, barred):
            stops = [begin for begin, _ in deep_spans if enters <= begin <= leaves]
            if stops:
                return min(reach, enters if enters > LENGTH_TOLERANCE else stops[0])
        return reach

    @cached_property
    def _outlines(self) -> tuple[tuple[Extent, Ring], ...]:
        """The bounds and corners of each piece, as plain numbers because arrays are slow for single queries."""
        return tuple((piece.bounds, tuple(map(tuple, _polygon_corners(piece).tolist()))) for piece in self.pieces)

    @cached_property
    def _edges(self) -> tuple[Floats, Floats]:  # starts and ends of the united land's edges
        rings = [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(self.shape))]
        empty = np.empty((0, 2))
        return (
            np.concatenate([empty, *(ring[:-1] for ring in rings)]),
            np.concatenate([empty, *(ring[1:] for ring in rings)]),
        )

    @cached_property
    def _edge_extents(self) -> tuple[tuple[Extent, tuple[tuple[Extent, Segment], ...]], ...]:
        # The bounds of each part of the land, with its edges and their bounds.
        edges_by_part = []
        for part in shapely.get_parts(self.shape):
            rings = [shapely.get_coordinates(ring).tolist() for ring in shapely.get_rings(part)]
            edges = [((ax, ay), (bx, by)) for ring in rings for (ax, ay), (bx, by) in pairwise(ring)]
            extents = [(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])) for a, b in edges]
            edges_by_part.append((part.bounds, tuple(zip(extents, edges, strict=True))))
        return tuple(edges_by_part)

    @cached_property
    def _parts(self) -> NDArray[Any]:  # convex polygons that make up the land
        convex = [piece for piece in self.pieces if _is_convex(piece)]
        concave = [piece for piece in self.pieces if not _is_convex(piece)]
        triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(concave)) if concave else []
        return np.array([*convex, *triangles], dtype=object)

    @cached_property
    def _tree(self) -> STRtree:
        return STRtree(self._parts)


@lru_cache(maxsize=16)
def land_of(rings: tuple[Ring, ...]) -> Land:
    """Return the land with these outlines, cached. Raises `ValueError` like `Land`."""
    return Land(rings)

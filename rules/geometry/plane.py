"""Plane geometry of what is no box: islands, reefs and moles, tapered hulls, lines of fire, zones; built on shapely.

Lengths, bearings and axes are those of `rules.geometry.boxes`, which has the closed forms for boxes. Edges belong to
the shape: what touches, meets. Shapes are asked about in bulk where there are many: making a polygon takes ten times as
long as asking about it.
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
"""The corners of an outline."""
Segment = tuple[Pair, Pair]
Bools = NDArray[np.bool_]

LENGTH_TOLERANCE: Final = 1e-6
"""In units of length: no way is shorter, no overlap thinner. Far above the noise of floating point on tables of some
thousand units, far below the 0.001 to which games store places."""
_SOUNDING_CELL: Final = 8.0
"""Soundings are taken in squares of this side."""
_SOUNDING_BLOCK_CELLS: Final = 24
"""So many squares each way are sounded together: asking about one point takes as long as asking about twenty."""
_MITRE_LIMIT: Final = 1e3
"""Of a corner moved inwards, in overlaps: sharper ones are cut off. No land has any so sharp."""


def hull_corners(
    length: float, beam: float, x: ArrayLike, y: ArrayLike, heading_deg: ArrayLike, *, taper: float = 0.0
) -> Floats:
    """Corners of hulls around the middles (x, y), clockwise: shape (..., 4, 2) without a taper, (..., 5, 2) with one.

    A taper is the length of the bow over which the hull narrows to the ram's tip, which then is the first corner;
    without one the first is the bow's port corner. Numbers and arrays of them may be mixed, as numpy broadcasts them.
    At whole quarter turns sine and cosine are exact.
    """
    ahead, abeam = length / 2, beam / 2
    if taper:
        own = [(ahead, 0.0), (ahead - taper, abeam), (-ahead, abeam), (-ahead, -abeam), (ahead - taper, -abeam)]
    else:
        own = [(ahead, -abeam), (ahead, abeam), (-ahead, abeam), (-ahead, -abeam)]
    along, across = np.array(own).T
    xs, ys, heading = (one[..., None] for one in np.broadcast_arrays(x, y, np.asarray(heading_deg, dtype=np.float64)))
    sin, cos = _exact_sine(heading), _exact_sine(heading + 90.0)
    return np.stack((xs + along * sin + across * cos, ys + along * cos - across * sin), axis=-1)


def hull_polygon(length: float, beam: float, x: float, y: float, heading_deg: float, *, taper: float = 0.0) -> Polygon:
    """One hull, as `hull_corners` has it. Of many hulls `shapely.polygons(hull_corners(...))` makes all at once."""
    return shapely.polygons(hull_corners(length, beam, x, y, heading_deg, taper=taper))


def _polygon_corners(polygon: Polygon) -> Floats:
    return np.asarray(shapely.get_coordinates(polygon)[:-1])


def _land_polygon(number: int, ring: Sequence[Pair]) -> Polygon:
    """The polygon of an outline. Raises `ValueError` naming its number if there is none."""
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
    ways = np.roll(corners, -1, axis=0) - corners
    turned = ways[:, 0] * np.roll(ways[:, 1], -1) - ways[:, 1] * np.roll(ways[:, 0], -1)
    return bool((turned >= 0).all() or (turned <= 0).all())


def _ray_spans(ray: LineString, shape: shapely.Geometry) -> list[tuple[float, float]]:
    """From where to where, along a ray from the origin, it runs in a shape; in order."""
    inside = shapely.get_parts(shapely.intersection(ray, shape))
    ends = [np.hypot(*shapely.get_coordinates(one).T) for one in inside if not shapely.is_empty(one)]
    return sorted((float(one.min()), float(one.max())) for one in ends)


def _edge_separates(corners: Ring, start: Pair, end: Pair, reach: float) -> bool:
    """Whether the line through an edge of a piece keeps a segment so far off all of it."""
    (sx, sy), (tx, ty) = start, end
    for number, (bx, by) in enumerate(corners):
        ax, ay = corners[number - 1]
        way_x, way_y = bx - ax, by - ay
        least = reach * math.hypot(way_x, way_y)
        at_start, at_end = (sx - ax) * way_y - (sy - ay) * way_x, (tx - ax) * way_y - (ty - ay) * way_x
        if (at_start > 0) == (at_end > 0) and abs(at_start) > least < abs(at_end):
            off = [(x - ax) * way_y - (y - ay) * way_x for x, y in corners]
            if min(at_start, at_end) - max(off) > least or min(off) - max(at_start, at_end) > least:
                return True
    return False


def _segment_meets_piece(corners: Ring, off: Sequence[float], start: Pair, end: Pair, least: float) -> bool | None:
    """Whether a segment has a point in common with a piece; None: it is too near to call.

    `off` says how far the corners are off the segment's line, times its length, and `least` how little of that is too
    near.
    """
    (sx, sy), (tx, ty) = start, end
    holds = False
    for number, (bx, by) in enumerate(corners):
        (ax, ay), off_a, off_b = corners[number - 1], off[number - 1], off[number]
        way_x, way_y = bx - ax, by - ay
        near = LENGTH_TOLERANCE * math.hypot(way_x, way_y)
        at_start, at_end = (sx - ax) * way_y - (sy - ay) * way_x, (tx - ax) * way_y - (ty - ay) * way_x
        if not (min(off_a, off_b) > least or max(off_a, off_b) < -least):
            if min(abs(off_a), abs(off_b)) <= least:
                return None
            if not (min(at_start, at_end) > near or max(at_start, at_end) < -near):
                return True if min(abs(at_start), abs(at_end)) > near else None
        # Whether the edge crosses the ray that goes east from the segment's beginning.
        if (ay > sy) != (by > sy):
            holds ^= (at_start < 0) == (by > ay)
    return holds


def _fraction_to_strip(points: Floats, way: Floats, starts: Floats, ends: Floats, reach: float) -> float:
    """The first part of its way at which some point comes within `reach` of some segment, straight beside it."""
    along = ends - starts
    length = np.hypot(along[:, 0], along[:, 1])
    along /= length[:, None]
    off = points[:, None] - starts[None]
    place = off[..., 0] * along[:, 0] + off[..., 1] * along[:, 1]
    aside = off[..., 0] * along[:, 1] - off[..., 1] * along[:, 0]
    rate, drift = along @ way, along[:, 1] * way[0] - along[:, 0] * way[1]
    enter_a, leave_a = _interval_within(place, rate, 0.0, length)
    enter_b, leave_b = _interval_within(aside, drift, -reach, reach)
    enter, leave = np.maximum(enter_a, enter_b), np.minimum(leave_a, leave_b)
    first = enter[(enter <= leave) & (enter >= 0)]
    return float(first.min(initial=math.inf))


def _interval_within(place: Floats, rate: Floats, low: float, high: Floats | float) -> tuple[Floats, Floats]:
    """From when to when places that move at a rate lie between two limits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (low - place) / rate, (high - place) / rate
    still = np.broadcast_to(rate == 0, place.shape)
    inside = (place >= low) & (place <= high)
    enter = np.where(still, np.where(inside, -math.inf, math.inf), np.minimum(one, other))
    leave = np.where(still, np.where(inside, math.inf, -math.inf), np.maximum(one, other))
    return enter, leave


def _fraction_to_circle(points: Floats, way: Floats, middles: Floats, reach: float) -> float:
    """The first part of its way at which some point comes within `reach` of some other."""
    off = points[:, None] - middles[None]
    square = float(way @ way)
    half = off @ way
    root = half * half - square * ((off * off).sum(axis=2) - reach * reach)
    meets = (root >= 0) & (half < 0)
    enter = (-half[meets] - np.sqrt(root[meets])) / square if square else np.empty(0)
    return float(enter[enter >= 0].min(initial=math.inf))


def _exact_sine(angle_deg: Floats) -> Floats:
    """The sine, exact at whole quarter turns."""
    quarters = np.round(angle_deg / 90.0)
    exact = np.where(quarters % 2 == 0, 0.0, np.where(quarters % 4 == 1, 1.0, -1.0))
    return np.where(quarters * 90.0 == angle_deg, exact, np.sin(np.radians(angle_deg)))


class Land:
    """Polygons that may touch and overlap, such as the islands of a table: one piece for all that is asked.

    Keep it to ask more than once: making one takes as long as hundreds of questions.
    """

    def __init__(self, rings: Iterable[Sequence[Pair]]) -> None:
        """Take the outlines of the pieces, each of three corners or more, in either direction, closed or not.

        Raises `ValueError` naming the number of the first piece, from 0, whose outline crosses or touches itself, or
        holds no area, or is no outline.
        """
        self.pieces = tuple(_land_polygon(number, ring) for number, ring in enumerate(rings))
        self.shape: Polygon | MultiPolygon = shapely.union_all(self.pieces) if self.pieces else MultiPolygon()
        """All pieces in one; an island of several pieces has no borders inside."""
        shapely.prepare(self.shape)
        self._soundings: dict[float, dict[float, float]] = {}
        """Those taken so far, by column and row: two looks take less time than one by both."""

    def touches_hull(self, hull: Polygon) -> bool:
        """Whether a hull touches or overlaps land."""
        return bool(self.shape.intersects(hull))

    def bars_line(self, line: LineString, most: float = 0.0) -> bool:
        """Whether a line of fire runs over land, or along its edge, for longer than `most`; a touch bars nothing."""
        if not self.shape.intersects(line):
            return False
        return bool(self.shape.intersection(line).length > most)

    def distance_to(self, shape: shapely.Geometry) -> float:
        """Shortest distance between land and a hull, an edge or a point; 0 if they touch, infinite without land."""
        return float(self.shape.distance(shape)) if self.pieces else math.inf

    def contains(self, x: ArrayLike, y: ArrayLike) -> Bools:
        """Whether points lie on land, its edge included: of arrays of them, or of one."""
        return np.asarray(shapely.intersects_xy(self.shape, x, y))

    def distance_bound(self, x: float, y: float) -> float:
        """No land is nearer to a point than this; less than it is by 12 units at most, and below 0 close to land.

        The soonest answered of all questions, once its surroundings are known: so ask it first.
        """
        try:
            return self._soundings[x // _SOUNDING_CELL][y // _SOUNDING_CELL]
        except KeyError:
            self._compute_soundings(x // _SOUNDING_CELL, y // _SOUNDING_CELL)
            return self._soundings[x // _SOUNDING_CELL][y // _SOUNDING_CELL]

    def is_surely_clear(self, start: Pair, end: Pair) -> bool:
        """Whether soundings on a segment surely find no land on it. False says nothing."""
        (x, y), (to_x, to_y) = start, end
        way_x, way_y = (to_x - x) / 6, (to_y - y) / 6
        sixth, sounding = math.hypot(way_x, way_y), self.distance_bound
        return (
            sounding(x + 3 * way_x, y + 3 * way_y) > sixth
            and sounding(x + way_x, y + way_y) > sixth
            and sounding(x + 5 * way_x, y + 5 * way_y) > sixth
        )

    def _compute_soundings(self, column: float, row: float) -> None:
        """Take the soundings of a place, and of those about it."""
        columns, rows = (
            [one // _SOUNDING_BLOCK_CELLS * _SOUNDING_BLOCK_CELLS + number for number in range(_SOUNDING_BLOCK_CELLS)]
            for one in (column, row)
        )
        middles = shapely.points((np.array(list(product(columns, rows))) + 0.5) * _SOUNDING_CELL)
        gaps = shapely.distance(self.shape, middles) if self.pieces else np.full(len(middles), math.inf)
        least = (
            (gaps - (_SOUNDING_CELL * math.sqrt(0.5) + LENGTH_TOLERANCE))
            .reshape(_SOUNDING_BLOCK_CELLS, _SOUNDING_BLOCK_CELLS)
            .tolist()
        )
        for one, found in zip(columns, least, strict=True):
            self._soundings.setdefault(one, {}).update(zip(rows, found, strict=True))

    def may_reach(self, extent: Extent) -> bool:
        """Whether some piece reaches into an extent, as far as the pieces' own extents tell."""
        west, south, east, north = extent
        for (piece_west, piece_south, piece_east, piece_north), _ in self._outlines:
            if piece_west <= east and piece_east >= west and piece_south <= north and piece_north >= south:
                return True
        return False

    def edges_within(self, extent: Extent) -> list[Segment]:
        """The edges of the land, as one piece, that reach into an extent, as far as their own extents tell."""
        west, south, east, north = extent
        return [
            edge
            for (part_west, part_south, part_east, part_north), edges in self._edge_extents
            if part_west <= east and part_east >= west and part_south <= north and part_north >= south
            for (edge_west, edge_south, edge_east, edge_north), edge in edges
            if edge_west <= east and edge_east >= west and edge_south <= north and edge_north >= south
        ]

    def is_surely_beyond(self, start: Pair, end: Pair, margin: float = 0.0) -> bool:
        """Whether a segment is surely farther off land than that: one of the lines tried parts it so from each piece.

        False says nothing. Far sooner answered than `edge_gaps`, which knows how far.
        """
        return next(self._pieces_near_segment(start, end, margin + LENGTH_TOLERANCE), None) is None

    def touches_segment(self, start: Pair, end: Pair) -> bool:
        """Whether a segment, longer than nothing, has a point in common with land."""
        least = LENGTH_TOLERANCE * math.hypot(end[0] - start[0], end[1] - start[1])
        for corners, off in self._pieces_near_segment(start, end, LENGTH_TOLERANCE):
            surely = _segment_meets_piece(corners, off, start, end, least)
            if surely is None:
                return bool(self.distance_to(LineString((start, end))) == 0)
            if surely:
                return True
        return False

    def _pieces_near_segment(self, start: Pair, end: Pair, reach: float) -> Iterator[tuple[Ring, list[float]]]:
        """The pieces that no line, of those tried, parts by that from a segment; with how far corners are off its line.

        Times its length, that is.
        """
        (ax, ay), (bx, by) = start, end
        west, south, east, north = min(ax, bx) - reach, min(ay, by) - reach, max(ax, bx) + reach, max(ay, by) + reach
        way_x, way_y = bx - ax, by - ay
        least = reach * math.hypot(way_x, way_y)
        for (piece_west, piece_south, piece_east, piece_north), corners in self._outlines:
            if piece_west > east or piece_east < west or piece_south > north or piece_north < south:
                continue
            off = [(x - ax) * way_y - (y - ay) * way_x for x, y in corners]
            if min(off) > least or max(off) < -least or _edge_separates(corners, start, end, reach):
                continue
            yield corners, off

    def parts_within(self, extent: Extent) -> tuple[tuple[float, float], ...]:
        """The west and east end of each part of the land that lies in an extent."""
        inside = shapely.get_parts(shapely.intersection(self.shape, shapely.box(*extent)))
        return tuple(
            (float(west), float(east)) for west, _, east, _ in shapely.bounds(inside[~shapely.is_empty(inside)])
        )

    def hull_gaps(self, outlines: ArrayLike) -> Floats:
        """Shortest distances between land and many hulls, given by their corners: (..., corners, 2)."""
        return np.asarray(shapely.distance(self.shape, shapely.polygons(outlines)))

    def edge_gaps(self, starts: ArrayLike, ends: ArrayLike) -> Floats:
        """Shortest distances between land and many segments: both (..., 2)."""
        return np.asarray(shapely.distance(self.shape, shapely.linestrings(np.stack((starts, ends), axis=-2))))

    def hides_line(self, start: Pair, end: Pair, most: float) -> bool:
        """Whether the line between two points runs within land, or along its edge, for longer than `most`."""
        return not self.is_surely_beyond(start, end) and self.bars_line(LineString((start, end)), most)

    def fraction_to_land(self, corners: Sequence[Pair], shift: Pair, keep: float) -> float | None:
        """The part of a straight way that a convex hull can go before it comes nearer to land than `keep`, or None.

        It must be farther off than that at the beginning. None: nothing stops it. In closed form: the first to come so
        near are a corner of the hull and a corner or edge of the land, or an edge of the hull and a corner of the land.
        """
        hull, way = np.asarray(corners, dtype=np.float64), np.asarray(shift, dtype=np.float64)
        starts, ends = self._edges
        swept = np.concatenate((hull, hull + way))
        low, high = swept.min(axis=0) - keep, swept.max(axis=0) + keep
        near = (np.minimum(starts, ends) <= high).all(axis=1) & (np.maximum(starts, ends) >= low).all(axis=1)
        if not near.any():
            return None
        starts, ends = starts[near], ends[near]
        found = min(
            _fraction_to_strip(hull, way, starts, ends, keep),
            _fraction_to_strip(starts, -way, hull, np.roll(hull, -1, axis=0), keep),
            _fraction_to_circle(hull, way, starts, keep),
            _fraction_to_circle(hull, way, ends, keep),
        )
        return found if found <= 1.0 else None

    def distance_to_land(self, hull: Polygon, direction: Pair, reach: float, depth: float = LENGTH_TOLERANCE) -> float:
        """How far a convex hull can go along a unit vector until it meets land; `reach` if nothing stops it before.

        Only land that it would overlap by more than `depth` (the shortest shift that parts the two) if it went on
        stops it; what it merely grazes does not. If it meets land where it is, it can go until it overlaps so much.
        """
        start = _polygon_corners(hull)
        end = start + np.multiply(reach, direction)
        swept = shapely.multipoints(np.concatenate((start, end))).convex_hull
        near = self._tree.query(swept, predicate="intersects")
        if not len(near):
            return reach
        # Where the hull's origin cannot be: each convex part of the land grown by the hull, which is turned by half
        # (their Minkowski sum). So a hull on its way becomes a point on a ray.
        parts, owner = shapely.get_coordinates(self._parts[near], return_index=True)
        sums = (parts[:, None] - start).reshape(-1, 2)
        barred = shapely.union_all(shapely.convex_hull(shapely.multipoints(sums, indices=np.repeat(owner, len(start)))))
        west, south, east, north = barred.bounds
        beyond = reach + math.hypot(east - west, north - south)
        ray = LineString([(0.0, 0.0), (beyond * direction[0], beyond * direction[1])])
        deep = _ray_spans(ray, shapely.buffer(barred, -depth, join_style="mitre", mitre_limit=_MITRE_LIMIT))
        for first, last in _ray_spans(ray, barred):
            stops = [begin for begin, _ in deep if first <= begin <= last]
            if stops:
                return min(reach, first if first > LENGTH_TOLERANCE else stops[0])
        return reach

    @cached_property
    def _outlines(self) -> tuple[tuple[Extent, Ring], ...]:
        """West, south, east and north ends of each piece, and its corners: few, and asked about singly.

        For which arrays are slow.
        """
        return tuple((one.bounds, tuple(map(tuple, _polygon_corners(one).tolist()))) for one in self.pieces)

    @cached_property
    def _edges(self) -> tuple[Floats, Floats]:
        """Both ends of all edges of the land as one piece."""
        rings = [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(self.shape))]
        empty = np.empty((0, 2))
        return (
            np.concatenate([empty, *(ring[:-1] for ring in rings)]),
            np.concatenate([empty, *(ring[1:] for ring in rings)]),
        )

    @cached_property
    def _edge_extents(self) -> tuple[tuple[Extent, tuple[tuple[Extent, Segment], ...]], ...]:
        """The edges of each part of the land as one piece, with their extents; plain numbers, as `_outlines` are."""
        found = []
        for part in shapely.get_parts(self.shape):
            rings = [shapely.get_coordinates(ring).tolist() for ring in shapely.get_rings(part)]
            edges = [((ax, ay), (bx, by)) for ring in rings for (ax, ay), (bx, by) in pairwise(ring)]
            extents = [(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])) for a, b in edges]
            found.append((part.bounds, tuple(zip(extents, edges, strict=True))))
        return tuple(found)

    @cached_property
    def _parts(self) -> NDArray[Any]:
        """The land cut into convex parts."""
        whole = [piece for piece in self.pieces if _is_convex(piece)]
        cut = [piece for piece in self.pieces if not _is_convex(piece)]
        triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(cut)) if cut else []
        return np.array([*whole, *triangles], dtype=object)

    @cached_property
    def _tree(self) -> STRtree:
        return STRtree(self._parts)


@lru_cache(maxsize=16)
def land_of(rings: tuple[Ring, ...]) -> Land:
    """The land with these outlines, made once for all who ask. Raises `ValueError` as `Land` does."""
    return Land(rings)

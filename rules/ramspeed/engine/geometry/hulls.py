"""Hulls on the table: overlaps, distances, and how far a hull can go until it meets another (RS-01).

All shapes are convex. A hull that moves in a straight line is reduced to a point on a ray, and each obstacle to the
Minkowski sum of itself and the reversed hull. The sides of that sum are parallel to the sides of both shapes, so the
ray is clipped by half-planes. Functions take many hulls at once, such as those of all veers of an aim. Corners come
from `rules.geometry.plane`, distances from Shapely.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from rules.geometry.plane import hull_corners
from rules.ramspeed.engine.state import Box, Position, Ring, Ship
from rules.ramspeed.engine.tables import CLASS_CODES, CLASSES, TABLES, ClassCode

ApproachZone = Literal["dead_on", "oblique", "bow_on", "stern_on"]
ROUNDING_TOLERANCE: Final = 1e-6  # inches added before a number is cut, far above floating point errors


class UnitVector(NamedTuple):
    x: float  # east
    y: float  # north


def floor_inches(inches: float) -> float:
    """Cut to 0.01 inch (RS-01.4)."""
    return math.floor(100 * (inches + ROUNDING_TOLERANCE)) / 100


def round_inches(inches: float) -> float:
    """Round to 0.01 inch (RS-01.4)."""
    return floor_inches(inches + 0.005)


def round_place(inches: float) -> float:
    """Round a coordinate to 0.001 inch, as positions are stored (RS-01.4)."""
    return math.floor(1000 * (inches + 0.0005 + ROUNDING_TOLERANCE)) / 1000


@lru_cache(maxsize=720)
def forward_vector(heading: int) -> UnitVector:
    """Return the unit vector of a heading, exact at quarter turns (RS-01.1)."""
    if heading % 90 == 0:
        north, east = UnitVector(0.0, 1.0), UnitVector(1.0, 0.0)
        south, west = UnitVector(0.0, -1.0), UnitVector(-1.0, 0.0)
        return (north, east, south, west)[heading // 90 % 4]
    angle = math.radians(heading % 360)
    return UnitVector(math.sin(angle), math.cos(angle))


def signed_degrees(degrees: int) -> int:
    """Return the equivalent angle above -180 and up to 180."""
    positive = degrees % 360
    return positive - 360 if positive > 180 else positive


def bearing_deg(from_x: float, from_y: float, to_x: float, to_y: float) -> int:
    """Return the bearing from one point to another in whole degrees, half rounded up (RS-21)."""
    return math.floor(math.degrees(math.atan2(to_x - from_x, to_y - from_y)) + 0.5 + ROUNDING_TOLERANCE) % 360


Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_MIN_RATE: Final = 1e-12  # a hull that approaches a side more slowly moves along it
_TOUCH_TOLERANCE: Final = 1e-9
"""Distance at which a passing ray touches a hull: far above floating point errors, far below measured distances."""
_MEASURING_ERROR: Final = 0.01  # inches by which a distance may exceed its measured value
DEPTH_LIMITS: Final = TABLES.depth


class Hulls(NamedTuple):
    corners: Floats  # shape (n, k, 2), clockwise
    normals: Floats  # shape (n, k, 2): the normal of the side that begins at each corner
    supports: Floats  # shape (n, k): the offset of each side along its normal

    def select(self, which: Bools) -> Hulls:
        return Hulls(self.corners[which], self.normals[which], self.supports[which])


_ShipPose = tuple[ClassCode, float, float, int]  # class, x and y (inches), heading


class Obstacles(NamedTuple):
    """Shapes that may be in the way: ships first, by id, then land."""

    names: tuple[str, ...]  # ids of the ships; land has none
    shapes: Hulls  # of ships, then of land


def _make_hulls(corners: Floats) -> Hulls:
    sides = np.roll(corners, -1, axis=-2) - corners
    normals = np.stack((-sides[..., 1], sides[..., 0]), axis=-1)  # outward, as corners are clockwise
    normals /= np.hypot(sides[..., 0], sides[..., 1])[..., None]
    return Hulls(corners, normals, (normals * corners).sum(axis=-1))


def _hulls_by_heading(code: ClassCode) -> Hulls:
    kind = CLASSES[code]
    return _make_hulls(hull_corners(kind.length, kind.beam, 0.0, 0.0, np.arange(360), taper=kind.taper))


_HULLS_AT_ORIGIN: Final = {code: _hulls_by_heading(code) for code in CLASS_CODES}
"""The hulls of a class around the origin, by heading (RS-01.2)."""
RADIUS_BY_CODE: Final = {code: float(np.hypot(*shape.corners[0].T).max()) for code, shape in _HULLS_AT_ORIGIN.items()}
"""Distance from the middle of a class's hull to its farthest corner, in inches."""


def hulls_at(code: ClassCode, x: ArrayLike, y: ArrayLike, headings: ArrayLike) -> Hulls:
    """Return hulls of a class, one per heading, around a common middle or one middle each."""
    which = np.asarray(headings) % 360
    corners, normals, support = (field[which] for field in _HULLS_AT_ORIGIN[code])
    middle = np.empty((len(which), 1, 2))
    middle[:, 0, 0], middle[:, 0, 1] = x, y
    return Hulls(corners + middle, normals, support + (normals * middle).sum(axis=-1))


@lru_cache(maxsize=4096)
def single_hull(code: ClassCode, x: float, y: float, heading: int) -> Hulls:
    return hulls_at(code, x, y, [heading])


def hull_of(ship: Ship) -> Hulls:
    return single_hull(ship.code, ship.x, ship.y, ship.heading)


@lru_cache(maxsize=256)
def _land_hulls(rings: tuple[Ring, ...]) -> Hulls:
    corner_count = max(map(len, rings))
    shapes = [_make_hulls(np.array(_to_clockwise(ring), dtype=np.float64)) for ring in rings]
    return _stack_hulls([Hulls(*(each[None] for each in shape)) for shape in shapes], corner_count)


def land_shape(ring: Ring) -> Hulls:
    return _land_hulls((ring,))


def _to_clockwise(ring: Ring) -> Ring:
    signed_area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1], strict=True))
    return ring if signed_area < 0 else ring[::-1]


def _stack_hulls(shapes: Sequence[Hulls], corners: int) -> Hulls:
    """Combine outlines in one array; repeat the first corner and side of those with fewer corners."""
    fields = []
    for number in range(3):
        padded = []
        for shape in shapes:
            values = shape[number]
            missing = corners - values.shape[1]
            padded.append(np.concatenate([values, *[values[:, :1]] * missing], axis=1) if missing else values)
        fields.append(np.concatenate(padded))
    return Hulls(*fields)


_NO_HULLS: Final = Hulls(np.empty((0, 5, 2)), np.empty((0, 5, 2)), np.empty((0, 5)))


class _OutlineExtents(NamedTuple):
    shapes: Hulls
    min_xy: Floats  # least x and y of each shape, (n, 2)
    max_xy: Floats  # greatest x and y of each shape, (n, 2)


@lru_cache(maxsize=64)
def _all_obstacles(poses: tuple[_ShipPose, ...], rings: tuple[Ring, ...]) -> _OutlineExtents:
    shapes = [single_hull(*pose) for pose in poses]
    corners = 5  # of a ship's hull
    if rings:
        land = _land_hulls(rings)
        corners = max(corners, land.corners.shape[1])
        shapes.append(land)
    stacked = _stack_hulls(shapes, corners) if shapes else _NO_HULLS
    return _OutlineExtents(stacked, stacked.corners.min(axis=1), stacked.corners.max(axis=1))


def find_obstacles(
    position: Position, *, without: Iterable[str] = (), near: Hulls | None = None, reach: float = 0.0
) -> Obstacles:
    """Return land and ships afloat except `without` (RS-06.4); with `near`, only what may be within `reach`."""
    excluded = set(without)
    ships = [ship for ship in position.ships if ship.is_afloat]
    all_shapes = _all_obstacles(tuple([(ship.code, ship.x, ship.y, ship.heading) for ship in ships]), position.land)
    if near is None:
        is_included = np.ones(len(all_shapes.min_xy), dtype=np.bool_)
    else:
        is_included = _may_be_met(near, all_shapes, reach)
    for number, ship in enumerate(ships):
        if ship.id in excluded:
            is_included[number] = False
    names = tuple([ship.id for ship, included in zip(ships, is_included.tolist(), strict=False) if included])
    return Obstacles(names, all_shapes.shapes.select(is_included))


def turning_extent(ship: Ship) -> Hulls:
    """Return the bounding square of the circle that a turning ship covers; it has corners only."""
    radius = RADIUS_BY_CODE[ship.code]
    low, high = (ship.x - radius, ship.y - radius), (ship.x + radius, ship.y + radius)
    return Hulls(np.array([[low, high]]), np.empty((1, 0, 2)), np.empty((1, 0)))


def _may_be_met(hulls: Hulls, others: _OutlineExtents, reach: float) -> Bools:
    low, high = hulls.corners.min(axis=(0, 1)) - reach - 0.1, hulls.corners.max(axis=(0, 1)) + reach + 0.1
    return np.asarray(((others.max_xy >= low) & (others.min_xy <= high)).all(axis=1))


def _separation_offsets(hulls: Hulls, others: Hulls) -> Floats:
    """Return how far each of m hulls must be shifted to leave each of n others along every side: (m, n, sides).

    The smallest offset is the depth of the overlap; it is negative if the two do not overlap.
    """
    # along the sides of `others`, then along the sides of `hulls`
    nearest = np.einsum("nkd,mjd->mnkj", others.normals, hulls.corners).min(axis=-1)
    farthest = np.einsum("mkd,njd->mnkj", hulls.normals, others.corners).min(axis=-1)
    return np.concatenate((others.supports[None] - nearest, hulls.supports[:, None] - farthest), axis=-1)


def _approach_rates(hulls: Hulls, others: Hulls, ways: Floats) -> Floats:
    """Return how fast each offset shrinks when the hulls move along their ways (m, 2): (m, n, sides)."""
    theirs = np.einsum("nkd,md->mnk", others.normals, ways)
    own = -np.einsum("mkd,md->mk", hulls.normals, ways)
    return np.concatenate((theirs, np.broadcast_to(own[:, None], (*theirs.shape[:2], own.shape[1]))), axis=-1)


def _overlap_span(offsets: Floats, rates: Floats, depth: float) -> tuple[Floats, Floats]:
    """Return where on the way an overlap of at least `depth` begins and ends: (m, n) each; inf to -inf means never.

    Points behind the start are included as negative distances.
    """
    slack = offsets - depth
    is_nearing, is_parting = rates <= -_MIN_RATE, rates >= _MIN_RATE
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = slack / rates
    first = np.where(is_nearing, distance, -np.inf).max(axis=-1)
    last = np.where(is_parting, distance, np.inf).min(axis=-1)
    is_never = ((slack < 0) & ~is_nearing & ~is_parting).any(axis=-1) | (first > last)
    return np.where(is_never, np.inf, first), np.where(is_never, -np.inf, last)


def overlap_depth(hulls: Hulls, others: Hulls) -> Floats:
    """Return the shortest shifts that separate hulls from others: (m, n). Less than 0.004999 is none (RS-01.7)."""
    return np.asarray(_separation_offsets(hulls, others).min(axis=-1))


def do_overlap(hulls: Hulls, others: Hulls) -> Bools:
    """Return which hulls overlap which others (RS-01.7): (m, n)."""
    return overlap_depth(hulls, others) >= DEPTH_LIMITS.overlap


def contact_distances(hulls: Hulls, others: Hulls, ways: Floats) -> Floats:
    """Return first-contact distances of hulls along their ways (RS-01.8): (m, n); infinite without contact."""
    offsets, rates = _separation_offsets(hulls, others), _approach_rates(hulls, others, ways)
    first, _ = _overlap_span(offsets, rates, 0.0)
    overlap_begin, overlap_end = _overlap_span(offsets, rates, DEPTH_LIMITS.overlap)
    distances = np.where(first > DEPTH_LIMITS.meets, first, np.maximum(overlap_begin, 0.0))
    return np.where(overlap_end >= 0, distances, np.inf)


def is_way_clear(hulls: Hulls, others: Hulls, ways: Floats, runs: Floats) -> Bools:
    """Return which of m hulls overlap none of the others on their way, the swept area (RS-01.6, RS-01.8): (m,)."""
    if not len(others.corners):
        return np.ones(len(hulls.corners), dtype=np.bool_)
    overlap_begin, overlap_end = _overlap_span(
        _separation_offsets(hulls, others), _approach_rates(hulls, others, ways), DEPTH_LIMITS.overlap
    )
    return np.asarray(~((overlap_begin <= runs[:, None]) & (overlap_end >= 0)).any(axis=-1))


def is_free(hulls: Hulls, others: Hulls) -> Bools:
    """Return which hulls overlap none of the others: (m,)."""
    if not len(others.corners):
        return np.ones(len(hulls.corners), dtype=np.bool_)
    return np.asarray(~do_overlap(hulls, others).any(axis=-1))


def is_on_table(hulls: Hulls, width: float, height: float) -> Bools:
    """Return which hulls lie on the table, with no corner 0.005 beyond the edge (RS-01.7)."""
    edge = np.array((width, height))
    beyond = np.maximum(hulls.corners - edge, -hulls.corners)
    return np.asarray((beyond < DEPTH_LIMITS.overlap).all(axis=(1, 2)))


def is_in_box(hull: Hulls, box: Box) -> bool:
    """Return whether a hull lies in an area, with no corner 0.005 beyond it."""
    low, high = np.array(box[:2]), np.array(box[2:])
    beyond = np.maximum(hull.corners - high, low - hull.corners)
    return bool((beyond < DEPTH_LIMITS.overlap).all())


def room_to_edge(hulls: Hulls, ways: Floats, width: float, height: float) -> Floats:
    """Return how far hulls can go along their ways until a corner reaches the edge (RS-06.2): (m,)."""
    max_xy, min_xy = hulls.corners.max(axis=1), hulls.corners.min(axis=1)
    edge = np.array((width, height))
    with np.errstate(divide="ignore", invalid="ignore"):
        room_to_far_edge = np.where(ways > 0, (edge - max_xy) / ways, np.inf)
        room_to_near_edge = np.where(ways < 0, min_xy / -ways, np.inf)
    return np.asarray(np.maximum(np.minimum(room_to_far_edge, room_to_near_edge).min(axis=1), 0.0))


def ray_distances(tips: Floats, ways: Floats, other: Hulls) -> Floats:
    """Return how far rays from points (m, 2) run until they strike one hull: (m,); infinite if they miss (RS-08.1)."""
    offsets = other.supports - tips @ other.normals[0].T
    rates = ways @ other.normals[0].T
    first, last = _overlap_span(offsets, rates, -_TOUCH_TOLERANCE)
    return np.where(last >= 0, np.maximum(first, 0.0), np.inf)


def hull_distances(hulls: Hulls, other: Hulls, max_inches: float = np.inf) -> Floats:
    """Return shortest distances of hulls from another (RS-01.5): (m,); infinite where surely over `max_inches`."""
    # the offset along any side is never more than the distance
    distances = np.where(overlap_depth(hulls, other)[:, 0] >= -max_inches, 0.0, np.inf)
    near = np.isfinite(distances)
    if near.any():
        distances[near] = shapely.distance(shapely.polygons(hulls.corners[near]), shapely.polygons(other.corners[0]))
    return distances


def ship_distance(a: Ship, b: Ship) -> float:
    """Return the shortest distance of two ships, hull to hull (RS-01.5)."""
    return _cached_distance((a.code, a.x, a.y, a.heading), (b.code, b.x, b.y, b.heading))


def measured_distance(a: Ship, b: Ship) -> float:
    """Return the distance of two ships in inches, rounded to 0.01 as it is measured (RS-01.4, RS-01.5)."""
    return round_inches(ship_distance(a, b))


def is_within(a: Ship, b: Ship, inches: float) -> bool:
    """Return whether the measured distance of two ships is at most `inches` (RS-01.4)."""
    return distance_bound(a, b) <= inches + _MEASURING_ERROR and measured_distance(a, b) <= inches


@lru_cache(maxsize=4096)
def _cached_distance(a: _ShipPose, b: _ShipPose) -> float:
    return float(hull_distances(single_hull(*a), single_hull(*b))[0])


def distance_bound(a: Ship, b: Ship) -> float:
    """Return a lower bound of the distance of two hulls, which is cheap to compute."""
    return math.hypot(a.x - b.x, a.y - b.y) - RADIUS_BY_CODE[a.code] - RADIUS_BY_CODE[b.code]


def stack_vectors(headings: Sequence[UnitVector]) -> Floats:
    return np.array(headings, dtype=np.float64).reshape(-1, 2)

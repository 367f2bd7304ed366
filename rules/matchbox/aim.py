"""The aim map: how a volley of dropped matches fares, by the point over which it is dropped (MB-6.5 to 6.9).

For a match whose middle lies at p, and whose heading is uniform, the chance to point at the target is the angle that
the hull fills as seen from p; the chance to touch something is the angle that hulls and order matches fill within half
a match of p. Both are laid out on a fine raster and then blurred with the scatter of the drop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rules.matchbox import hull
from rules.matchbox.state import MATCH_MM, Galley, LaidMatch
from rules.matchbox.volley import SCATTER_MM

Floats = npt.NDArray[np.float64]

PITCH_MM: Final = 10.0
"""Between the points of an aim map."""
SAFE: Final = 0.05
"""MB part 10: the misfire that `safe` accepts."""

_HALF: Final = MATCH_MM / 2
_CELL: Final = 5.0
_BINS: Final = 90
_REACH: Final = 220.0
_BLUR: Final = 3.5 * SCATTER_MM
_DIGITS: Final = 6


class AimMap(NamedTuple):
    """Expectations of one volley, by aim point."""

    xs: Floats
    """Eastings of the points in mm."""
    ys: Floats
    """Northings of the points in mm."""
    expected_hits: Floats
    """Hits to be expected, by [x, y]; a spoiled volley has none."""
    misfire: Floats
    """Chance that the volley is spoiled, by [x, y]."""


class Shot(NamedTuple):
    """All that the fortune of a volley depends on, but the aim."""

    firer: Galley
    target: Galley
    galleys: Sequence[Galley]
    """All that are afloat."""
    lying: Sequence[LaidMatch]
    table: tuple[float, float]
    """Width and height in mm."""
    matches: int
    """In the volley."""


def aim_map(
    firer: Galley,
    target: Galley,
    galleys: Sequence[Galley],
    lying: Sequence[LaidMatch],
    table: tuple[float, float],
    *,
    count: int,
) -> AimMap:
    """Map a volley of `count` matches by `firer` at `target` over the whole table (width, height in mm)."""
    shot = Shot(firer, target, galleys, lying, table, count)
    xs, ys = (np.arange(0.0, length + PITCH_MM / 2, PITCH_MM) for length in table)
    return _map(shot, xs, ys)


def near_map(shot: Shot) -> AimMap:
    """Map a volley over the points that are worth a thought: those within 220 mm of the target's middle."""
    middle = hull.middle(shot.target.pose)
    xs, ys = (_grid_about(centre, length) for centre, length in zip(middle, shot.table, strict=True))
    return _map(shot, xs, ys)


def best_aim(
    firer: Galley,
    target: Galley,
    galleys: Sequence[Galley],
    lying: Sequence[LaidMatch],
    table: tuple[float, float],
    *,
    count: int,
    kind: Literal["steady", "safe"],
) -> tuple[float, float]:
    """Find the best point (x, y, in mm, on a 10 mm grid) to drop `count` matches over (MB part 10)."""
    return best(near_map(Shot(firer, target, galleys, lying, table, count)), kind)


def best(chart: AimMap, kind: Literal["steady", "safe"]) -> tuple[float, float]:
    """Find the best point of a map, as standing orders see it (MB part 10).

    `steady` expects the most hits; `safe` the most of those points whose misfire is at most 5 %, or, if there is none,
    the least misfire. Of equals the westernmost, then the southernmost.
    """
    value, misfire = np.round(chart.expected_hits, _DIGITS), np.round(chart.misfire, _DIGITS)
    if kind == "safe":
        value = np.where(misfire <= SAFE, value, -1.0) if (misfire <= SAFE).any() else -misfire
    at_x, at_y = np.unravel_index(int(np.argmax(value)), value.shape)
    return float(chart.xs[at_x]), float(chart.ys[at_y])


def points(target: Galley) -> tuple[tuple[str, float, float], ...]:
    """Give the lettered points that a captain may pick from: 5 x 5, 40 mm apart, north-west to south-east."""
    x, y = (round(c) for c in hull.middle(target.pose))
    return tuple(
        (chr(ord("A") + 5 * row + column), x + 40.0 * (column - 2), y - 40.0 * (row - 2))
        for row in range(5)
        for column in range(5)
    )


def chances(chart: AimMap, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Read expected hits and misfire off a map at its point nearest to (x, y)."""
    at = int(np.abs(chart.xs - x_mm).argmin()), int(np.abs(chart.ys - y_mm).argmin())
    return float(chart.expected_hits[at]), float(chart.misfire[at])


def _grid_about(centre: float, length: float) -> Floats:
    first = max(0.0, math.ceil((centre - _REACH) / PITCH_MM) * PITCH_MM)
    last = min(length, centre + _REACH)
    return np.arange(first, last + 1e-6, PITCH_MM)


def _map(shot: Shot, xs: Floats, ys: Floats) -> AimMap:
    cells_x, weigh_x = _blur(xs, shot.table[0])
    cells_y, weigh_y = _blur(ys, shot.table[1])
    hit, touch = _chances(shot, cells_x, cells_y)
    hit *= 2.0 if hull.abeam(shot.firer.pose, shot.target.pose) else 1.0
    hit, touch = weigh_x @ hit @ weigh_y.T, weigh_x @ touch @ weigh_y.T
    spared = np.clip(1.0 - touch, 0.0, 1.0)
    return AimMap(xs, ys, shot.matches * hit * spared ** (shot.matches - 1), 1.0 - spared**shot.matches)


def _blur(aims: Floats, length: float) -> tuple[Floats, Floats]:
    """Cut the table along one axis into cells; give their middles, and the weight of each cell for each aim point."""
    first = max(0.0, float(aims[0]) - _BLUR)
    edges = np.append(np.arange(math.floor(first / _CELL) * _CELL, min(length, aims[-1] + _BLUR), _CELL), 0.0)
    edges[-1] = min(length, edges[-2] + _CELL)
    middles, widths = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    density = np.exp(-0.5 * ((middles - aims[:, None]) / SCATTER_MM) ** 2) / (SCATTER_MM * math.sqrt(2 * math.pi))
    return middles, density * widths


def _chances(shot: Shot, xs: Floats, ys: Floats) -> tuple[Floats, Floats]:
    """Find for a match lying in each cell [x, y] the chances that its head hits, and that it touches.

    Near hulls and matches, where the chances change fast, a cell is the average of its four quarters.
    """
    quarter = np.array((-_CELL / 4, _CELL / 4))
    fine_x, fine_y = (xs[:, None] + quarter).ravel(), (ys[:, None] + quarter).ravel()
    outlines = [np.array(hull.corners(galley.pose)) for galley in shot.galleys]
    edges = [(outline[i], outline[(i + 1) % 4]) for outline in outlines for i in range(4)]
    edges += [(np.array((m.tail_x_mm, m.tail_y_mm)), np.array((m.head_x_mm, m.head_y_mm))) for m in shot.lying]
    target = np.array(hull.corners(shot.target.pose))

    near, start, length = _touched(_within(np.array(edges), fine_x, fine_y), fine_x, fine_y)
    quarters, rows = np.unique(near, return_inverse=True)
    at_x, at_y = np.divmod(quarters, len(fine_y))
    x, y = fine_x[at_x], fine_y[at_y]
    touched = _covered(rows, start, length, len(quarters))
    for outline in outlines:
        touched[_inside(outline, x, y)] = True
    from_deg, fills = _sight(target, x, y)
    aimed = _covered(np.arange(len(quarters)), _bin(from_deg), _bin(fills), len(quarters))

    _, span = _sight(target, xs[:, None], ys[None, :])
    cells, size = (at_x // 2) * len(ys) + at_y // 2, len(xs) * len(ys)
    far = 1.0 - np.bincount(cells, minlength=size) / 4.0
    hit = np.bincount(cells, weights=(aimed & ~touched).sum(axis=1) / (8.0 * _BINS), minlength=size)
    touch = np.bincount(cells, weights=touched.sum(axis=1) / (4.0 * _BINS), minlength=size)
    shape = (len(xs), len(ys))
    return np.asarray(far.reshape(shape) * span / 360.0 + hit.reshape(shape)), touch.reshape(shape).astype(np.float64)


def _bin(angle_deg: Floats) -> npt.NDArray[np.int64]:
    return np.rint(angle_deg * (_BINS / 180.0)).astype(np.int64)


def _sight(outline: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Find where a hull begins as seen from each point, and the angle that it fills, in degrees; nonsense inside."""
    middle = outline.mean(axis=0)
    to_x, to_y = middle[0] - x, middle[1] - y
    sides = [
        np.arctan2(to_x * (corner_y - y) - to_y * (corner_x - x), to_x * (corner_x - x) + to_y * (corner_y - y))
        for corner_x, corner_y in outline
    ]
    first, last = np.minimum.reduce(sides), np.maximum.reduce(sides)
    return np.degrees(np.arctan2(to_y, to_x) + first), np.degrees(last - first)


def _within(edges: Floats, xs: Floats, ys: Floats) -> Floats:
    """Keep the edges that can be touched from the points of a raster."""
    low, high = edges.min(axis=1) - _HALF, edges.max(axis=1) + _HALF
    kept = (high[:, 0] > xs[0]) & (low[:, 0] < xs[-1]) & (high[:, 1] > ys[0]) & (low[:, 1] < ys[-1])
    return np.asarray(edges[kept])


def _touched(
    edges: Floats, xs: Floats, ys: Floats
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Find the cells within half a match of each edge (given as [edge, end, axis]).

    Gives cell numbers, and for each the directions in which the near part of the edge lies: first bin, count of bins.
    """
    window = math.ceil((np.abs(edges[:, 0] - edges[:, 1]).max() + 2 * _HALF) / (_CELL / 2)) + 1
    low = edges.min(axis=1) - _HALF
    at_x = np.searchsorted(xs, low[:, 0])[:, None, None] + np.arange(window)[None, :, None]
    at_y = np.searchsorted(ys, low[:, 1])[:, None, None] + np.arange(window)[None, None, :]
    at_x, at_y = np.broadcast_arrays(at_x, at_y)
    edge, i, j = np.nonzero((at_x < len(xs)) & (at_y < len(ys)))
    at_x, at_y = at_x[edge, i, j], at_y[edge, i, j]

    cell = np.stack((xs[at_x], ys[at_y]), axis=1)
    tail, way = edges[edge, 0] - cell, edges[edge, 1] - edges[edge, 0]
    # The part of the edge inside the circle about the cell: |tail + t way| <= half a match.
    a, b, c = (way * way).sum(axis=1), (tail * way).sum(axis=1), (tail * tail).sum(axis=1) - _HALF**2
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    first, last = np.clip((-b - root) / a, 0.0, 1.0), np.clip((-b + root) / a, 0.0, 1.0)
    near = (b * b > a * c) & (last > first)
    begin, end = (tail + first[:, None] * way)[near], (tail + last[:, None] * way)[near]
    turn = np.degrees(np.arctan2(begin[:, 0] * end[:, 1] - begin[:, 1] * end[:, 0], (begin * end).sum(axis=1)))
    begin_deg = np.degrees(np.arctan2(begin[:, 1], begin[:, 0]))
    start = _bin(np.minimum(begin_deg, begin_deg + turn))
    return (at_x * len(ys) + at_y)[near], start, _bin(np.maximum(begin_deg, begin_deg + turn)) - start


def _covered(
    rows: npt.NDArray[np.int64], start: npt.NDArray[np.int64], length: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.bool_]:
    """Mark in each of `count` rows the bins, modulo half a circle, that its arcs cover."""
    start = start % _BINS
    end = start + np.minimum(length, _BINS)
    width = _BINS + 1
    over = end > _BINS
    rises = np.concatenate((rows * width + start, rows[over] * width))
    falls = np.concatenate((rows * width + np.minimum(end, _BINS), rows[over] * width + end[over] - _BINS))
    steps = np.bincount(rises, minlength=count * width) - np.bincount(falls, minlength=count * width)
    return np.asarray(steps.reshape(count, width).cumsum(axis=1)[:, :-1] > 0)


def _inside(outline: Floats, x: Floats, y: Floats) -> npt.NDArray[np.bool_]:
    middle = outline.mean(axis=0)
    inside = np.ones(x.shape, dtype=np.bool_)
    for i in range(2):
        half = (outline[i + 1] - outline[i]) / 2
        inside &= np.abs((x - middle[0]) * half[0] + (y - middle[1]) * half[1]) <= half @ half
    return inside

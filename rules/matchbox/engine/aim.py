"""The aim map: the expected result of a volley by the point over which it is dropped (MB-6.5 to 6.9).

For a match with its middle at p and a uniform heading, the chance to point at the target is the angle that the hull
subtends at p. The chance to touch something is the angle of hulls and order matches within half a match of p. Both are
computed on a fine raster, and then blurred with the scatter of the drop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rules.core.finding import find_by_id
from rules.geometry.boxes import Box
from rules.matchbox.engine import hull, raster, volley
from rules.matchbox.engine.raster import CELL_MM
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, LaidMatch, PendingDecision
from rules.matchbox.engine.volley import SCATTER_MM

Floats = npt.NDArray[np.float64]

MAP_PITCH_MM: Final = 10.0  # distance between points of an aim map
SAFE_MISFIRE: Final = 0.05  # the chance of a misfire that `safe` accepts

_MAP_REACH_MM: Final = 220.0  # how far a map extends from the target's middle in each direction
_BLUR_MM: Final = 3.5 * SCATTER_MM  # how far beyond the outermost points drops are taken into account
_CLOSE_MM: Final = 100.0  # the best point is seldom farther east, west, north or south of the target's middle
_CLOSE_BLUR_MM: Final = 3.5 * SCATTER_MM
_POINT_BLUR_MM: Final = 4.5 * SCATTER_MM
_CHANCE_MARGIN: Final = 1.01  # more than the numerical error of a chance
_DIGITS: Final = 6
_MIN_DIFFERENCE: Final = 2 * 10.0**-_DIGITS  # values that differ by this much still differ when they are rounded


class AimMap(NamedTuple):
    """Expected results of one volley by aim point (x, y in mm). Arrays are indexed by [x, y]."""

    xs: Floats  # eastings of the points
    ys: Floats  # northings of the points
    expected_hits: Floats  # expected hits. A misfire has none.
    misfire: Floats  # the chance of a misfire


class AimedVolley(NamedTuple):
    """Everything that determines a volley's odds except the aim. `galleys` are all afloat."""

    firer: Galley  # the galley that fires
    target: Galley  # the galley that it fires at
    galleys: Sequence[Galley]  # all galleys afloat
    laid_matches: Sequence[LaidMatch]  # order matches on the table, which spoil a volley that touches them
    sea: Sea  # the table with its land
    match_count: int  # matches that are dropped


def volley_of_decision(
    question: PendingDecision, galleys: Sequence[Galley], lying: Sequence[LaidMatch], sea: Sea
) -> AimedVolley:
    firer, target = find_by_id(galleys, question.galley), find_by_id(galleys, question.about)
    count = volley.volley_size(firer, hull.hull_gap_mm(firer, target))
    return AimedVolley(firer, target, galleys, lying, sea, count)


def near_map(shot: AimedVolley) -> AimMap:  # of the target's surroundings
    return _make_map(shot, *_points_near_target(shot, _MAP_REACH_MM), _BLUR_MM)


def best_aim(
    firer: Galley,
    target: Galley,
    galleys: Sequence[Galley],
    lying: Sequence[LaidMatch],
    sea: Sea,
    *,
    count: int,
    kind: Literal["steady", "safe"],
) -> tuple[float, float]:
    """Return the best point (x, y in mm, on a 10 mm grid) over which to drop `count` matches."""
    # A large map takes long, and a small one near the target usually suffices.
    shot = AimedVolley(firer, target, galleys, lying, sea, count)
    return _best_near_target(shot, kind) or best_point(near_map(shot), kind)


def best_point(chart: AimMap, kind: Literal["steady", "safe"]) -> tuple[float, float]:
    """Return the best point of a map by a standing order.

    `steady` maximizes expected hits. `safe` does so among points with a misfire of at most 5 %, or minimizes the
    misfire if there are none. Ties go to the westernmost, then the southernmost point.
    """
    value, misfire = np.round(chart.expected_hits, _DIGITS), np.round(chart.misfire, _DIGITS)
    if kind == "safe":
        is_safe = misfire <= SAFE_MISFIRE
        value = np.where(is_safe, value, -1.0) if is_safe.any() else -misfire
    at_x, at_y = np.unravel_index(int(np.argmax(value)), value.shape)
    return float(chart.xs[at_x]), float(chart.ys[at_y])


def _best_near_target(shot: AimedVolley, kind: Literal["steady", "safe"]) -> tuple[float, float] | None:
    """Return the best of all points from a map of close ones, or None if that cannot decide.

    One close point must beat the upper bound of all others, including points farther away. The bound assumes that few
    matches fall on places outside the map, and that each of them touches something there, or hits as often as possible
    at that distance.
    """
    xs, ys = _points_near_target(shot, _CLOSE_MM)
    hit, untouched, unmapped = _single_match_chances(shot, _map_extent(xs, ys), _CLOSE_BLUR_MM)
    count, far_chance = shot.match_count, _max_far_chance(shot.target.kind.reach_mm) * _hit_ways(shot)
    # Bounds of the expected hits at each point.
    at_least = count * hit * np.maximum(untouched - unmapped, 0.0) ** (count - 1)
    at_most = count * (hit + far_chance * unmapped) * untouched ** (count - 1)
    if kind == "safe":
        is_surely_safe = np.maximum(untouched - unmapped, 0.0) ** count >= 1.0 - SAFE_MISFIRE + _MIN_DIFFERENCE
        may_be_safe = untouched**count >= 1.0 - SAFE_MISFIRE - _MIN_DIFFERENCE
        at_least = np.where(is_surely_safe, at_least, 0.0)
        at_most = np.where(may_be_safe, at_most, 0.0)
    least = at_least.max() - _MIN_DIFFERENCE
    far_point_may_win = least <= count * far_chance
    if far_point_may_win or np.count_nonzero(at_most >= least) != 1:
        return None
    at_x, at_y = np.unravel_index(int(np.argmax(at_least)), at_least.shape)
    return float(xs[at_x]), float(ys[at_y])


@lru_cache
def _max_far_chance(reach_mm: float) -> float:
    """Return an upper bound for the chance to point at a hull whose middle is `_CLOSE_MM` or farther.

    It assumes the hull's diagonal as its breadth: 0.1162 for a galley.
    """
    nodes = np.linspace(-6.0, 6.0, 241)  # in standard deviations of the scatter
    weights = np.exp(-0.5 * nodes * nodes)
    distances = np.hypot(_CLOSE_MM + SCATTER_MM * nodes[:, None], SCATTER_MM * nodes)
    chance = np.arcsin(np.minimum(1.0, reach_mm / np.maximum(distances, reach_mm))) / math.pi
    return float(_CHANCE_MARGIN * (weights @ chance @ weights) / weights.sum() ** 2)


def aim_points(target: Galley) -> tuple[tuple[str, float, float], ...]:
    """Return the points that a captain may pick, as number, x and y: 5 x 5, 40 mm apart, from north-west."""
    x, y = (round(c) for c in hull.hull_of(target)[:2])
    return tuple(
        (f"{5 * row + column + 1}", x + 40.0 * (column - 2), y - 40.0 * (row - 2))
        for row in range(5)
        for column in range(5)
    )


def chances_at(chart: AimMap, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Return expected hits and misfire at the map point nearest to (x, y)."""
    nearest = int(np.abs(chart.xs - x_mm).argmin()), int(np.abs(chart.ys - y_mm).argmin())
    return float(chart.expected_hits[nearest]), float(chart.misfire[nearest])


def hit_distribution(shot: AimedVolley, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Return the expected hits of a volley dropped over a point, and their variance.

    Matches fall independently, but one that touches something spoils all of them (MB-6.7).
    """
    hit, spared, _ = (
        float(chance[0, 0]) for chance in _single_match_chances(shot, (x_mm, x_mm, y_mm, y_mm), _POINT_BLUR_MM)
    )
    count = shot.match_count
    expected = count * hit * spared ** (count - 1)
    # The expected number of ordered pairs of matches that both hit. Variance = pairs + mean - mean².
    hit_pairs = count * (count - 1) * hit**2 * spared ** (count - 2) if count > 1 else 0.0
    return expected, max(0.0, expected + hit_pairs - expected**2)


def _points_near_target(shot: AimedVolley, reach: float) -> tuple[Floats, Floats]:
    """Return eastings and northings of grid points on the table within `reach` mm of the target's middle."""
    x, y = (
        np.arange(
            max(0.0, math.ceil((centre - reach) / MAP_PITCH_MM) * MAP_PITCH_MM),
            min(length, centre + reach) + 1e-6,
            MAP_PITCH_MM,
        )
        for centre, length in zip(hull.hull_of(shot.target)[:2], (shot.sea.width_mm, shot.sea.height_mm), strict=True)
    )
    return x, y


def _hit_ways(shot: AimedVolley) -> float:
    """Return how many ends of a match may hit: the head, and abeam also the tail (MB-6.8, 6.9)."""
    return 2.0 if hull.is_abeam(shot.firer, shot.target) else 1.0


def _make_map(shot: AimedVolley, xs: Floats, ys: Floats, blur: float) -> AimMap:
    hit, spared, _ = _single_match_chances(shot, _map_extent(xs, ys), blur)
    count = shot.match_count
    # A match hits only if none of the others touches anything (MB-6.7).
    expected_hits = count * hit * spared ** (count - 1)
    return AimMap(xs, ys, expected_hits, 1.0 - spared**count)


def _map_extent(xs: Floats, ys: Floats) -> tuple[float, float, float, float]:
    return float(xs[0]), float(xs[-1]), float(ys[0]), float(ys[-1])


def _single_match_chances(
    shot: AimedVolley, ends: tuple[float, float, float, float], blur: float
) -> tuple[Floats, Floats, Floats]:
    """Return a single match's chances to hit without touching, to touch nothing, and to fall outside the map.

    `ends` are the first and last easting, and the first and last northing.
    """
    hulls, lying = tuple(map(hull.hull_of, shot.galleys)), tuple(shot.laid_matches)
    hit, touch, outside = _blurred_chances(hull.hull_of(shot.target), hulls, lying, shot.sea, ends, blur)
    return hit * _hit_ways(shot), np.clip(1.0 - touch, 0.0, 1.0), outside


@lru_cache(maxsize=32)
def _blurred_chances(  # noqa: PLR0917 -- the arguments are the cache's key
    target: Box,
    hulls: tuple[Box, ...],
    lying: tuple[LaidMatch, ...],
    sea: Sea,
    ends: tuple[float, float, float, float],
    blur: float,
) -> tuple[Floats, Floats, Floats]:
    """Return a match's chances at each aim point to hit with its head without touching, to touch, and to fall outside.

    Chances are averaged over the scatter round each aim point. The third, outside the map, is an upper bound. `ends`
    are the first and last easting, and the first and last northing of aim points.
    """
    cells_x, weights_x, outside_x = _blur_weights(ends[0], ends[1], sea.width_mm, blur)
    cells_y, weights_y, outside_y = _blur_weights(ends[2], ends[3], sea.height_mm, blur)
    chances = raster.cell_chances(target, hulls, lying, cells_x, cells_y)
    if sea.shore:
        # A match on land neither hits nor touches (MX-1.14).
        water = ~sea.shore.contains(cells_x[:, None], cells_y[None, :])
        chances = chances[0] * water, chances[1] * water
    hit, touch = (weights_x @ chance @ weights_y.T for chance in chances)
    outside = outside_x[:, None] + outside_y
    for shared in (hit, touch, outside):
        shared.setflags(write=False)
    return hit, touch, outside


@lru_cache(maxsize=64)
def _blur_weights(first: float, last: float, length: float, blur: float) -> tuple[Floats, Floats, Floats]:
    """Return, along one axis, the middles of cells, and each aim point's weights of the cells and of what is outside.

    Aim points run from `first` to `last`, and cells extend `blur` beyond. The third result, the weight of the table
    outside the cells, is an upper bound. Lengths are in mm.
    """
    aims = np.arange(first, last + MAP_PITCH_MM / 2, MAP_PITCH_MM)  # with the last one
    begin = math.floor(max(0.0, first - blur) / CELL_MM) * CELL_MM
    edges = np.append(np.arange(begin, min(length, last + blur), CELL_MM), 0.0)
    edges[-1] = min(length, edges[-2] + CELL_MM)
    middles, widths = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
    density = np.exp(-0.5 * ((middles - aims[:, None]) / SCATTER_MM) ** 2) / (SCATTER_MM * math.sqrt(2 * math.pi))
    weights = density * widths
    # Beyond an end where the table goes on, a normal distribution's tail is at most its density there / distance.
    outside = np.zeros(len(aims))
    for end_distance, has_more in ((aims - begin, begin > 0.0), (edges[-1] - aims, edges[-1] < length)):
        if has_more:
            deviations = end_distance / SCATTER_MM
            outside += np.exp(-0.5 * deviations * deviations) / deviations
    outside /= math.sqrt(2 * math.pi)
    for shared in (middles, weights, outside):
        shared.setflags(write=False)
    return middles, weights, outside

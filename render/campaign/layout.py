"""Where things stand on the sea chart: places a little apart, so that no name hides another, and berths for fleets."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from render.drawing.canvas import text_size
from render.drawing.style import FULL_WIDTH
from rules.campaign.engine.sea.maps import CITY_WORTH, Place, sea_map

Window = tuple[float, float, float, float]
"""West, south, east and north of a part of the map."""
Rect = tuple[float, float, float, float]
"""Left, top, right and bottom in px at full width."""
PennantSlot = tuple[float, float, int]
"""How far right and down of a place its first pennant begins, in px at full width, and how far right of it the next."""
MARGIN_PART: Final = 0.07
"""Part of the map's larger side that is left free around its places."""
LEGEND_COLUMNS: Final = 4
"""Captains in a row of the legend."""
_NAME_MARGIN_PART: Final = 40 / FULL_WIDTH
"""More below them, where names stand, as a part of the picture's width."""
_MIN_ASPECT_WITH_PANEL: Final = 1.45
"""Times its height that a chart is wide at least, so that a phone shows it together with a panel's buttons."""
_MIN_ASPECT_ALONE: Final = 1.15
"""The same of one that stands alone."""
_CROWDED_PLACES: Final = 50
"""From so many places on marks are drawn smaller."""
LARGE_MAP_PLACES: Final = 25
"""From so many places on a map is large, and a captain's panel shows their own part of it."""
_CROWDED_SCALE: Final = 0.76
SMALL_MAP_SCALE: Final = 1.25
"""How much larger marks and letters are on small maps, on parts of maps, and in the legend of few captains."""
_PORT_HALF_SIZES: Final = {0: 0, 1: 20, 2: 25, 3: 30}
"""Half the width of a port's mark by its worth, in px at full width."""
LETTER_PX: Final = 44
"""Letters of the smallest words, in px at full width: 11 px on a phone that shows the chart 400 wide."""
_SMALL_LETTER_PX: Final = 38
"""Letters of places where they stand close."""
PENNANT_SIZE: Final = (66, 50)
"""Width and height of a pennant, in px at full width."""
_PENNANT_STEP_PX: Final = 74
"""From one pennant to the next."""
_MAX_PUSHES: Final = 300
"""How often all that touch are pushed apart."""


class MarkSizes(NamedTuple):
    """How large places are drawn, in px at full width."""

    scale: float
    """Times their size that marks are."""
    letter_px: int

    @property
    def pennant_scale(self) -> float:
        """Times their size that pennants are: those of large maps are no smaller."""
        return max(1.0, self.scale)

    def half_size(self, place: Place) -> float:
        """Half the width of a port's mark; 0 of a sea."""
        return _PORT_HALF_SIZES[place.worth] * self.scale

    def name_below(self, place: Place) -> float:
        """How far below a port the middle of its name is."""
        return 8 + 16 * self.scale + self.half_size(place)

    def mark_rects(self, place: Place) -> list[Rect]:
        """What stands for a place, its mark and its name, in px about its middle."""
        wide, high = text_size(place.code, font_size(self.letter_px))[0] / 2, 0.45 * self.letter_px
        if not place.is_port:
            return [(-wide, -high, wide, high)]
        half, below = self.half_size(place) + 3, self.name_below(place)
        towers = half * (1.5 if place.worth == CITY_WORTH else 1.0)
        return [(-half, -towers, half, half), (-wide, below - high, wide, below + high)]


class MapLayout(NamedTuple):
    """A map as it is drawn for so many captains."""

    name: str
    larger_side: float
    """The larger side of the map."""
    places: dict[str, Place]
    """By code, moved a little where they stood too close."""
    window: Window


def mark_sizes(places: int, *, near: bool = False) -> MarkSizes:
    """How large so many places are drawn; `near`: when no more than a part of them is shown."""
    if places <= LARGE_MAP_PLACES or near:
        return MarkSizes(SMALL_MAP_SCALE, round(SMALL_MAP_SCALE * LETTER_PX))
    return MarkSizes(_CROWDED_SCALE, _SMALL_LETTER_PX) if places > _CROWDED_PLACES else MarkSizes(1.0, LETTER_PX)


def font_size(letters: float, unit: float = 1.0) -> int:
    """The size of a font for letters that are so high at full width, in a picture of so many px for each there."""
    return max(7, round(letters * unit * 0.85))


def legend_rows(captains: int) -> int:
    """Rows of the legend."""
    return -(-captains // LEGEND_COLUMNS)


def legend_scale(captains: int) -> float:
    """Times its size that the legend is: where few captains stand abreast, there is room for it."""
    return SMALL_MAP_SCALE if captains < LEGEND_COLUMNS else 1.0


def legend_height(captains: int) -> float:
    """How high the legend below the map is, as a part of the picture's width."""
    return (8 + 62 * legend_scale(captains) * legend_rows(captains)) / FULL_WIDTH


@lru_cache(maxsize=8)
def lay_out(name: str, captains: int, *, low: bool) -> MapLayout:
    """Lay a map out; `low`: above a panel's buttons."""
    sea = sea_map(name, captains)
    places = sea.places
    marks = mark_sizes(len(places))
    wide = _MIN_ASPECT_WITH_PANEL if low else _MIN_ASPECT_ALONE
    unit = FULL_WIDTH / _larger_side(_chart_window(places, captains, wide))
    places = _push_apart(places, marks, unit)
    window = _chart_window(places, captains, wide)
    return MapLayout(name, max(sea.size), places, window)


def _larger_side(window: Window) -> float:
    return window[2] - window[0]


def _chart_window(places: dict[str, Place], captains: int, least: float) -> Window:
    """What the chart shows: all places, with room around them and for the legend, so many times as wide as high."""
    xs, ys = ([getattr(place, axis) for place in places.values()] for axis in "xy")
    wide, tall = max(xs) - min(xs), max(ys) - min(ys)
    spare = MARGIN_PART * max(wide, tall)
    across, down, below = wide + 2 * spare, tall + 2 * spare, legend_height(captains) + _NAME_MARGIN_PART
    across = max(across, least * down / (1 - least * below))
    beside = (across - wide) / 2
    return min(xs) - beside, min(ys) - spare - below * across, max(xs) + beside, max(ys) + spare


def _push_apart(places: dict[str, Place], marks: MarkSizes, unit: float) -> dict[str, Place]:
    """Push places apart whose marks or names touch, each along the shorter way, as far as they overlap.

    `unit`: px of the chart for one of the map.
    """
    whole = np.array([_bounding_rect(marks.mark_rects(place)) for place in places.values()]) / unit
    wide, up, down = (whole[:, 2] - whole[:, 0]) / 2, -whole[:, 1], whole[:, 3]
    at = np.array([(place.x, place.y) for place in places.values()], dtype=np.float64)
    for _ in range(_MAX_PUSHES):
        middle = at[:, 1] + (up - down) / 2
        right, above = at[:, None, 0] - at[None, :, 0], middle[:, None] - middle[None, :]
        into_x = wide[:, None] + wide[None, :] - np.abs(right)
        into_y = (up + down)[:, None] / 2 + (up + down)[None, :] / 2 - np.abs(above)
        touch = (into_x > 0) & (into_y > 0)
        np.fill_diagonal(touch, val=False)
        if not touch.any():
            break
        by_x = into_x < into_y
        at[:, 0] += 0.25 * _sum_pushes(touch & by_x, into_x, right)
        at[:, 1] += 0.25 * _sum_pushes(touch & ~by_x, into_y, above)
    return {
        place.code: structs.replace(place, x=float(x), y=float(y))
        for place, (x, y) in zip(places.values(), at, strict=True)
    }


def _sum_pushes(where: NDArray[np.bool_], far: NDArray[np.float64], way: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.where(where, far * np.where(way < 0, -1.0, 1.0), 0.0).sum(axis=1))


@lru_cache(maxsize=16)
def pennant_slots(name: str, captains: int, window: Window, *, low: bool) -> dict[str, PennantSlot]:
    """For each place the side on which two pennants hide least of all that is named, in a part of the laid-out map."""
    laid = lay_out(name, captains, low=low)
    marks, unit = mark_sizes(len(laid.places), near=window != laid.window), FULL_WIDTH / _larger_side(window)
    west, _, east, north = window
    spots = {code: ((place.x - west) * unit, (north - place.y) * unit) for code, place in laid.places.items()}
    named = np.array(
        [_shift_rect(spots[code], box) for code, place in laid.places.items() for box in marks.mark_rects(place)]
    )
    edges = (0.0, 0.0, (east - west) * unit)
    found = {}
    for code, place in laid.places.items():
        sides = _slot_options(marks, place)
        costs = [cost + _slot_cost(named, edges, spots[code], berth, marks.pennant_scale) for cost, berth in sides]
        found[code] = sides[int(np.argmin(costs))][1]
    return found


def _slot_options(marks: MarkSizes, place: Place) -> list[tuple[float, PennantSlot]]:
    """Where pennants may stand at a place, and what it costs there, in px that they would hide."""
    around = _bounding_rect(marks.mark_rects(place))
    beside, down = (marks.half_size(place) + 4, -18.0 * marks.pennant_scale) if place.is_port else (around[2] + 2, 0.0)
    wide, high = (side * marks.pennant_scale for side in PENNANT_SIZE)
    step = round(_PENNANT_STEP_PX * marks.pennant_scale)
    return [
        (0, (beside, down, step)),
        (100, (-beside - wide, down, -step)),
        (1500, (-wide / 2, around[1] - high / 2 - 4, step)),
        (1800, (-wide / 2, around[3] + high / 2 + 4, step)),
    ]


def _slot_cost(
    named: NDArray[np.float64],
    edges: tuple[float, float, float],
    spot: tuple[float, float],
    berth: PennantSlot,
    flag: float,
) -> float:
    """How much two pennants hide in a berth at a spot, the second counting less, as there are seldom two."""
    right, down, step = berth
    hidden = 0.0
    for weight, x in ((1.0, right), (0.4, right + step)):
        left, top, to_x, to_y = _shift_rect(
            spot, (x, down - flag * PENNANT_SIZE[1] / 2, x + flag * PENNANT_SIZE[0], down + flag * PENNANT_SIZE[1] / 2)
        )
        across = np.minimum(named[:, 2], to_x) - np.maximum(named[:, 0], left)
        high = np.minimum(named[:, 3], to_y) - np.maximum(named[:, 1], top)
        outside = max(0.0, edges[0] - left) + max(0.0, edges[1] - top) + max(0.0, to_x - edges[2])
        hidden += weight * (float((np.maximum(across, 0) * np.maximum(high, 0)).sum()) + 1e3 * outside)
    return hidden


def _shift_rect(spot: tuple[float, float], box: Rect) -> Rect:
    return spot[0] + box[0], spot[1] + box[1], spot[0] + box[2], spot[1] + box[3]


def _bounding_rect(boxes: list[Rect]) -> Rect:
    """The box around several."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)

"""The layout of the sea chart, and its ground: water, land with coasts, and the legs between places.

Places are moved apart so that no name hides another, and pennants get free places.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import Final, NamedTuple

import numpy as np
from msgspec import structs
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from render.drawing.backgrounds import cache_background
from render.drawing.canvas import Canvas, Point, text_size
from render.drawing.style import FULL_WIDTH, Colour
from render.drawing.viewport import contains_points, width_of
from render.marks.labels import Label, box_obstacle, place_labels
from render.seas.parchment import INK, LAND, SEA
from rules.campaign.engine.sea.maps import CITY_WORTH, Place, sea_map

Window = tuple[float, float, float, float]
"""West, south, east and north of a part of the map."""
Rect = tuple[float, float, float, float]
"""Left, top, right and bottom in px at full width."""
PennantSlot = tuple[float, float, int]
"""Offset right and down of a place's first pennant, and right of each further one; in px at full width."""
MARGIN_PART: Final = 0.07  # around all places, as a part of their larger extent
LEGEND_COLUMNS: Final = 4  # captains in a row
_NAME_MARGIN_PART: Final = 40 / FULL_WIDTH  # room for the lowest names, as a part of the width
_MIN_RATIO_ABOVE_BUTTONS: Final = 1.45
"""Least width as a multiple of the height, so that a phone shows the chart together with a panel's buttons."""
_MIN_RATIO_ALONE: Final = 1.15
_CROWDED_PLACES: Final = 50  # maps with more places have smaller marks
LARGE_MAP_PLACES: Final = 25
"""On maps with more places, a captain's panel shows only their own part of the map."""
_CROWDED_SCALE: Final = 0.76  # of marks on maps with many places
SMALL_MAP_SCALE: Final = 1.25  # of marks on maps with few places
_PORT_HALF_SIZES: Final = {0: 0, 1: 20, 2: 25, 3: 30}
"""Half the width of a port's mark by its worth, in px at full width."""
LETTER_PX: Final = 44
"""Smallest letters, in px at full width: 11 px on a phone that shows the chart 400 wide."""
_SMALL_LETTER_PX: Final = 38  # on maps with many places
PENNANT_SIZE: Final = (66, 50)  # px at full width
_PENNANT_STEP_PX: Final = 74  # between pennants of two captains at one place
_MAX_PUSHES: Final = 300  # passes that move places apart


class MarkSizes(NamedTuple):
    """Sizes of the marks of places; all lengths and boxes are in px at full width, around the place."""

    scale: float  # of marks, relative to those of a usual map
    letter_px: int  # height of letters

    @property
    def pennant_scale(self) -> float:
        return max(1.0, self.scale)

    def half_size(self, place: Place) -> float:
        return _PORT_HALF_SIZES[place.worth] * self.scale

    def name_below(self, place: Place) -> float:
        return 8 + 16 * self.scale + self.half_size(place)

    def mark_rects(self, place: Place) -> list[Rect]:
        half_width = text_size(place.code, font_size(self.letter_px))[0] / 2
        half_height = 0.45 * self.letter_px
        if not place.is_port:
            return [(-half_width, -half_height, half_width, half_height)]
        half = self.half_size(place) + 3
        below = self.name_below(place)
        tower_height = half * (1.5 if place.worth == CITY_WORTH else 1.0)
        mark_rect = (-half, -tower_height, half, half)
        name_rect = (-half_width, below - half_height, half_width, below + half_height)
        return [mark_rect, name_rect]


class MapLayout(NamedTuple):
    name: str  # of the map
    larger_side: float  # of the whole map, in the map's unit
    places: dict[str, Place]
    """Places by code, moved where they were too close to each other."""
    window: Window  # what the chart shows


def mark_sizes(places: int, *, near: bool = False) -> MarkSizes:
    """Return the sizes of marks for a number of places; `near`: only a part of them is visible."""
    if places <= LARGE_MAP_PLACES or near:
        return MarkSizes(SMALL_MAP_SCALE, round(SMALL_MAP_SCALE * LETTER_PX))
    return MarkSizes(_CROWDED_SCALE, _SMALL_LETTER_PX) if places > _CROWDED_PLACES else MarkSizes(1.0, LETTER_PX)


def font_size(letters: float, px: float = 1.0) -> int:
    """Return the font size for letters of a height at full width, in a picture with `px` px for each of those."""
    return max(7, round(letters * px * 0.85))


def letter_px(canvas: Canvas, letters: float = LETTER_PX) -> int:
    """Return the font size in a picture for letters of a height in px at full width."""
    return font_size(letters, canvas.px)


def point_near(canvas: Canvas, place: Place, right: float = 0.0, down: float = 0.0) -> Point:
    """Return the pixel of a point near a place; `right` and `down` are px at full width."""
    x, y = canvas.to_pixels((place.x, place.y))
    return x + right * canvas.px, y + down * canvas.px


def legend_rows(captains: int) -> int:
    return ceil(captains / LEGEND_COLUMNS)


def legend_scale(captains: int) -> float:
    return SMALL_MAP_SCALE if captains < LEGEND_COLUMNS else 1.0


def legend_height(captains: int) -> float:
    return (8 + 62 * legend_scale(captains) * legend_rows(captains)) / FULL_WIDTH


@lru_cache(maxsize=8)
def lay_out(name: str, captains: int, *, above_buttons: bool) -> MapLayout:
    """Lay out a map with places moved apart."""
    sea = sea_map(name, captains)
    places = sea.places
    marks = mark_sizes(len(places))
    min_ratio = _MIN_RATIO_ABOVE_BUTTONS if above_buttons else _MIN_RATIO_ALONE
    scale = FULL_WIDTH / width_of(_chart_window(places, captains, min_ratio))
    places = _push_apart(places, marks, scale)
    window = _chart_window(places, captains, min_ratio)
    return MapLayout(name, max(sea.size), places, window)


def _chart_window(places: dict[str, Place], captains: int, min_ratio: float) -> Window:
    """Return a window around all places and the legend below them, at least `min_ratio` times as wide as high."""
    xs = [place.x for place in places.values()]
    ys = [place.y for place in places.values()]
    width, height = max(xs) - min(xs), max(ys) - min(ys)
    margin = MARGIN_PART * max(width, height)
    legend_part = legend_height(captains) + _NAME_MARGIN_PART  # height of the legend as a part of the width
    whole_width = max(width + 2 * margin, min_ratio * (height + 2 * margin) / (1 - min_ratio * legend_part))
    beside = (whole_width - width) / 2
    return min(xs) - beside, min(ys) - margin - legend_part * whole_width, max(xs) + beside, max(ys) + margin


def _push_apart(places: dict[str, Place], marks: MarkSizes, scale: float) -> dict[str, Place]:
    # Moves places whose marks or names overlap away from each other, a little in each pass. y points up.
    rects = np.array([_bounding_rect(marks.mark_rects(place)) for place in places.values()]) / scale
    half_width = (rects[:, 2] - rects[:, 0]) / 2
    up = -rects[:, 1]
    down = rects[:, 3]
    at = np.array([(place.x, place.y) for place in places.values()], dtype=np.float64)  # shape (places, 2)
    for _ in range(_MAX_PUSHES):
        middle = at[:, 1] + (up - down) / 2
        right = at[:, None, 0] - at[None, :, 0]  # how far each place lies right of each other one
        above = middle[:, None] - middle[None, :]
        overlap_x = half_width[:, None] + half_width[None, :] - np.abs(right)
        overlap_y = (up + down)[:, None] / 2 + (up + down)[None, :] / 2 - np.abs(above)
        overlapping = (overlap_x > 0) & (overlap_y > 0)
        np.fill_diagonal(overlapping, val=False)
        if not overlapping.any():
            break
        is_narrower_in_x = overlap_x < overlap_y
        at[:, 0] += 0.25 * _sum_overlaps(overlapping & is_narrower_in_x, overlap_x, right)
        at[:, 1] += 0.25 * _sum_overlaps(overlapping & ~is_narrower_in_x, overlap_y, above)
    return {
        place.code: structs.replace(place, x=float(x), y=float(y))
        for place, (x, y) in zip(places.values(), at, strict=True)
    }


def _sum_overlaps(
    touching: NDArray[np.bool_], overlaps: NDArray[np.float64], directions: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.asarray(np.where(touching, overlaps * np.where(directions < 0, -1.0, 1.0), 0.0).sum(axis=1))


@lru_cache(maxsize=16)
def pennant_slots(name: str, captains: int, window: Window, *, above_buttons: bool) -> dict[str, PennantSlot]:
    """Return for each place a slot for two pennants that hides no name or mark, or one beside it if none is free."""
    layout = lay_out(name, captains, above_buttons=above_buttons)
    marks = mark_sizes(len(layout.places), near=window != layout.window)
    west, south, east, north = window
    height_px = round(FULL_WIDTH * (north - south) / (east - west))
    canvas = Canvas(Image.new("L", (FULL_WIDTH, height_px)), window, FULL_WIDTH)
    spots = {code: canvas.to_pixels((place.x, place.y)) for code, place in layout.places.items()}
    obstacles = [
        box_obstacle((x + left, y + top, x + right, y + bottom), 100)
        for (x, y), place in zip(spots.values(), layout.places.values(), strict=True)
        for left, top, right, bottom in marks.mark_rects(place)
    ]
    width, height = (side * marks.pennant_scale for side in PENNANT_SIZE)
    step = round(_PENNANT_STEP_PX * marks.pennant_scale)
    blank = Image.new("L", (round(width + step), round(height)))  # the size of two pennants
    beside = {code: _offset_beside(place, marks) for code, place in layout.places.items()}
    labels = [
        Label(code, blank, spots[code], right, offset=(right + blank.width / 2, down))
        for code, (right, down) in beside.items()
        if contains_points(window, [(layout.places[code].x, layout.places[code].y)])
    ]
    slots = {code: (right, down, step) for code, (right, down) in beside.items()}
    for label, (left, top, right, bottom) in place_labels(canvas, labels, obstacles):
        x = label.near[0]
        down = (top + bottom) / 2 - label.near[1]
        is_right = left + right >= 2 * x  # the free place is right of the map's place
        slots[label.key] = (left - x, down, step) if is_right else (right - width - x, down, -step)
    return slots


def _bounding_rect(boxes: list[Rect]) -> Rect:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


_SHALLOW_COLOUR: Final[Colour] = (150, 184, 178)
_ISLAND_MAPS: Final = frozenset({"ring"})
"""Maps of islands in open water. On other maps, everything far from the legs is land. The widths below are parts of the
map's larger side."""
_SEA_LEG_HALF_WIDTH: Final = 0.062
_PORT_LEG_HALF_WIDTH: Final = 0.03


def _offset_beside(place: Place, marks: MarkSizes) -> tuple[float, float]:
    """Return how far right and down of a place a pennant beside its mark begins, in px at full width."""
    if place.is_port:
        return marks.half_size(place) + 4, -18.0 * marks.pennant_scale
    return marks.mark_rects(place)[0][2] + 2, 0.0


@cache_background
def draw_ground(name: str, captains: int, width: int, *, above_buttons: bool) -> Image.Image:
    """Draw the empty chart. Copy the result before drawing on it."""
    layout = lay_out(name, captains, above_buttons=above_buttons)
    window = layout.window
    height = round(width * (window[3] - window[1]) / (window[2] - window[0]))
    canvas = Canvas(Image.new("RGB", (width, height), SEA), window, width)
    land = _land_mask(canvas, layout)
    shore = land.filter(ImageFilter.GaussianBlur(14 * canvas.px))
    canvas.image.paste(_SHALLOW_COLOUR, (0, 0), shore.point([min(255, level * 2) for level in range(256)]))
    edge = land.filter(ImageFilter.MaxFilter(2 * max(1, round(2 * canvas.px)) + 1))
    canvas.image.paste(INK, (0, 0), edge)
    canvas.image.paste(LAND, (0, 0), land)
    _draw_legs(canvas, layout.places)
    return canvas.image


def _land_mask(canvas: Canvas, layout: MapLayout) -> Image.Image:
    """Return a mask of the land: discs around the ports of an island map, else all that is far from legs and places.

    Noise makes the coasts ragged.
    """
    rng = np.random.default_rng(7)
    width, height = canvas.image.size
    coarse_noise = Image.fromarray((rng.random((height // 12 + 2, width // 12 + 2)) * 255).astype(np.uint8))
    noise = np.asarray(coarse_noise.resize((width, height), Image.Resampling.BICUBIC), dtype=np.float32) / 255 - 0.5
    mask = Image.new("L", (width, height))  # of islands, or of water on other maps
    draw = ImageDraw.Draw(mask)
    larger_side_px = layout.larger_side * canvas.scale
    is_island_map = layout.name in _ISLAND_MAPS
    for place in layout.places.values():
        at = canvas.to_pixels((place.x, place.y))
        if is_island_map and place.is_port:
            _draw_disc(draw, at, _PORT_LEG_HALF_WIDTH * larger_side_px * (0.55 + 0.3 * place.worth))
        elif not is_island_map:
            for other in place.legs:
                to = layout.places[other]
                half_width = _PORT_LEG_HALF_WIDTH if place.is_port or to.is_port else _SEA_LEG_HALF_WIDTH
                draw.line(
                    (*at, *canvas.to_pixels((to.x, to.y))), fill=255, width=round(2 * half_width * larger_side_px)
                )
            _draw_disc(
                draw, at, (_PORT_LEG_HALF_WIDTH * 0.6 if place.is_port else _SEA_LEG_HALF_WIDTH * 1.15) * larger_side_px
            )
    soft = mask.filter(ImageFilter.GaussianBlur(0.012 * larger_side_px))
    level = np.asarray(soft, dtype=np.float32) / 255 + 0.5 * noise
    land = level > 0.5 if is_island_map else level < 0.45
    return Image.fromarray((land * 255).astype(np.uint8))


def _draw_disc(draw: ImageDraw.ImageDraw, at: Point, radius: float) -> None:
    draw.ellipse((at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius), fill=255)


def _draw_legs(canvas: Canvas, places: dict[str, Place]) -> None:
    for place in places.values():
        for code in place.legs:
            if place.code < code:  # each leg is listed at both ends
                ends = [canvas.to_pixels((end.x, end.y)) for end in (place, places[code])]
                opacity = 0.35 if place.is_port or places[code].is_port else 0.6
                dash = (6 * canvas.px, 10 * canvas.px)
                canvas.draw_line(ends, INK, 2.4 * canvas.px, opacity, dash=dash, chalk=False)

"""Water and land: deep blue-green sea with a fine swell, shallows with their lines, beaches, hills and trees."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import lru_cache
from math import ceil, floor
from typing import Final, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter
from shapely.geometry.base import BaseGeometry

from render.drawing.canvas import Point, Rect
from render.drawing.patches import Patch, separate_patches
from render.drawing.style import FULL_WIDTH, Colour
from render.seas.swell import Floats32, base_tiles, colour_ramp, pave_image, pave_levels, swell_tiles

Ring = tuple[Point, ...]

SEA: Final[Colour] = (26, 91, 101)
FOAM: Final[Colour] = (226, 240, 232)
SAND: Final[Colour] = (222, 200, 150)
_DEPTH_COLOURS: Final[tuple[tuple[float, Colour], ...]] = (
    (0.0, (10, 52, 68)),
    (0.2, (18, 74, 88)),
    (0.4, (30, 100, 108)),
    (0.6, (52, 134, 132)),
    (0.8, (106, 174, 158)),
    (1.0, (182, 204, 164)),
)
_HEIGHT_COLOURS: Final[tuple[tuple[float, Colour], ...]] = (
    (0.0, (150, 136, 78)),
    (0.3, (126, 128, 66)),
    (0.6, (104, 116, 60)),
    (0.85, (146, 134, 88)),
    (1.0, (186, 172, 132)),
)
_COAST_LINES: Final = ((0.28, 0.42), (0.62, 0.27), (1.05, 0.16))
"""Lines off a coast, as on charts: distance in inches and opacity."""
_BEACH_WIDTH_IN: Final = 0.2
_FLOOR_COLOUR: Final[Colour] = (16, 22, 26)
_MIN_TREE_SCALE: Final = 9.0
"""Pixels an inch, at full width, below which no trees are drawn."""
_MAX_WOODED_AREA: Final = 4000.0
"""Square inches of land from which no trees are drawn, because so many would take too long."""
_LAND_MARGIN_IN: Final = 3.0
_TREES_PER_SQUARE_IN: Final = 1.15
_BLUR_REACH: Final = 2.8
"""A blurred edge is visible as far as this multiple of the blur."""
_SHALLOW_BANDS: Final = ((1.5, 0.55), (0.45, 0.5))
"""Shallows off a coast: width in inches and brightness."""


class _SeaWindow:
    """A part of an image that shows a window in inches. At first the part is the whole image."""

    def __init__(self, size: tuple[int, int], window: Rect, *, turned: bool) -> None:
        self.window, self.turned = window, turned
        self.scale = size[0] / (window[2] - window[0])
        self.whole: Patch = (0, 0, *size)
        self.part = self.whole

    @property
    def corner(self) -> tuple[int, int]:
        return self.part[:2]

    @property
    def size(self) -> tuple[int, int]:
        return self.part[2] - self.part[0], self.part[3] - self.part[1]

    def cut_to(self, part: Patch) -> _SeaWindow:
        other = copy(self)
        other.part = part
        return other

    def parts_about(self, shape: BaseGeometry, spare_in: float) -> list[_SeaWindow]:
        west, south, east, north = self.window
        near = shapely.box(west - spare_in, south - spare_in, east + spare_in, north + spare_in)
        boxes = [self._pixel_patch(piece.bounds, spare_in) for piece in _split_polygons(shape.intersection(near))]
        return [self.cut_to(part) for part in separate_patches(boxes, self.whole[2:])]

    def _pixel_patch(self, bounds: Rect, spare_in: float) -> Patch:
        (x, y), (other_x, other_y) = self._to_pixels(np.array([bounds[:2], bounds[2:]]))
        spare = spare_in * self.scale + 1
        left, right = sorted((x, other_x))
        top, low = sorted((y, other_y))
        return floor(left - spare), floor(top - spare), ceil(right + spare), ceil(low + spare)

    def _to_pixels(self, coords: NDArray[np.float64]) -> NDArray[np.float64]:
        west, south, east, north = self.window
        xs = east - coords[:, 0] if self.turned else coords[:, 0] - west
        ys = coords[:, 1] - south if self.turned else north - coords[:, 1]
        return np.column_stack((xs, ys)) * self.scale

    def part_pixels(self, coords: NDArray[np.float64], fine: float = 1) -> list[Point]:
        return [(x, y) for x, y in ((self._to_pixels(coords) - self.corner) * fine).tolist()]

    def shape_mask(self, shape: BaseGeometry, fine: int = 2) -> Image.Image:
        mask = Image.new("L", (self.size[0] * fine, self.size[1] * fine))
        draw = ImageDraw.Draw(mask)
        for piece in _split_polygons(shape):
            draw.polygon(self.part_pixels(shapely.get_coordinates(piece.exterior), fine), fill=255)
            for hole in piece.interiors:
                draw.polygon(self.part_pixels(shapely.get_coordinates(hole), fine), fill=0)
        return mask.reduce(fine) if fine > 1 else mask

    def soft_mask(self, shape: BaseGeometry, blur_in: float) -> Floats32:
        """Return a mask from 0 to 1 of a shape with edges blurred over `blur_in` inches."""
        coarse, reach = max(1, int(blur_in * self.scale / 6)), ceil(_BLUR_REACH * blur_in * self.scale)
        left, top, right, low = self.part
        about = self.cut_to(
            (
                max(0, left - reach),
                max(0, top - reach),
                min(self.whole[2], right + reach),
                min(self.whole[3], low + reach),
            )
        )
        small = (max(1, about.size[0] // coarse), max(1, about.size[1] // coarse))
        across, down = small[0] / about.size[0], small[1] / about.size[1]
        mask = Image.new("L", small)
        draw = ImageDraw.Draw(mask)
        for piece in _split_polygons(shape):
            ring = about.part_pixels(shapely.get_coordinates(piece.exterior))
            draw.polygon([(x * across, y * down) for x, y in ring], fill=255)
        mask = mask.filter(ImageFilter.GaussianBlur(blur_in * self.scale / coarse))
        west, north = about.corner
        box = ((left - west) * across, (top - north) * down, (right - west) * across, (low - north) * down)
        smooth = np.asarray(mask.convert("F").resize(self.size, Image.Resampling.BICUBIC, box=box))
        return np.clip(smooth / 255, 0.0, 1.0)

    def outline_mask(self, shape: BaseGeometry, width: float, fine: int = 2) -> Image.Image:
        mask = Image.new("L", (self.size[0] * fine, self.size[1] * fine))
        draw = ImageDraw.Draw(mask)
        for piece in _split_polygons(shape):
            for ring in (piece.exterior, *piece.interiors):
                coords = self.part_pixels(shapely.get_coordinates(ring), fine)
                draw.line(coords, fill=255, width=max(1, round(width * fine)), joint="curve")
        return mask.reduce(fine)


def _split_polygons(shape: BaseGeometry) -> Iterator[shapely.Polygon]:
    for part in shapely.get_parts(shape):
        if isinstance(part, shapely.Polygon) and not part.is_empty:
            yield part


def _join_land(rings: tuple[Ring, ...], table: Point) -> BaseGeometry:
    """Return all land as one shape, extended beyond the table so that no coast runs along the table's edge."""
    land = shapely.union_all([shapely.Polygon(ring) for ring in rings])
    width, height = table
    beyond = []
    for edge, (dx, dy) in (
        (((0, 0), (0, height)), (-_LAND_MARGIN_IN, 0)),
        (((width, 0), (width, height)), (_LAND_MARGIN_IN, 0)),
        (((0, 0), (width, 0)), (0, -_LAND_MARGIN_IN)),
        (((0, height), (width, height)), (0, _LAND_MARGIN_IN)),
    ):
        for part in shapely.get_parts(land.intersection(shapely.LineString(edge))):
            west, south, east, north = part.bounds
            # Strips include the corners, so that those of two sides meet.
            aside = _LAND_MARGIN_IN if dx else 0.0
            up = (south - aside * (south == 0), north + aside * (north == height)) if dx else (south, north)
            beyond.append(
                shapely.box(min(west, west + dx), min(up[0], south + dy), max(east, east + dx), max(up[1], north + dy))
            )
    return shapely.union_all([land, *beyond]).buffer(0.001, join_style="mitre")


class _Coast(NamedTuple):
    land: BaseGeometry
    coast_lines: tuple[BaseGeometry, ...]
    inland: BaseGeometry


@lru_cache(maxsize=8)
def _make_coast(rings: tuple[Ring, ...], table: Point) -> _Coast:
    land = _join_land(rings, table)
    off = tuple(land.buffer(inches, quad_segs=8) for inches, _ in _COAST_LINES)
    return _Coast(land, off, _roughen_edge(land.buffer(-_BEACH_WIDTH_IN, join_style="mitre")))


@lru_cache(maxsize=6)
def draw_water(
    size: tuple[int, int],
    window: Rect,
    rings: tuple[Ring, ...],
    table: Point,
    full_width: int,
    *,
    turned: bool = False,
) -> Image.Image:
    """Draw the bare sea and its land in a window in inches. Copy the result before drawing on it.

    `turned`: south is up.
    """
    sea_window, unit = _SeaWindow(size, window, turned=turned), full_width / FULL_WIDTH
    coast = _make_coast(rings, table)
    image = pave_image(_open_sea_tile(round(unit, 3)), size)
    if not coast.land.is_empty:
        for part in sea_window.parts_about(coast.land, _BLUR_REACH * _SHALLOW_BANDS[0][0]):
            _draw_shallows(image, part, coast.land, unit)
        for part in sea_window.parts_about(coast.land, _COAST_LINES[-1][0]):
            _draw_shore(image, part, coast, unit)
        for part in sea_window.parts_about(coast.inland, 0.0):
            _draw_country(image, part, coast, unit)
        for part in sea_window.parts_about(coast.land, 0.0):
            edge = part.outline_mask(coast.land, max(1.0, 2.0 * unit)).point([level // 2 for level in range(256)])
            image.paste((66, 52, 34), part.corner, edge)
    beyond = shapely.box(*window).difference(shapely.box(0.0, 0.0, *table))
    if not beyond.is_empty:
        image.paste(_FLOOR_COLOUR, None, sea_window.shape_mask(beyond, 1))
    return image


def _water_colours(depth: Floats32, crests: Floats32) -> Image.Image:
    """Return water with its swell; depth 0 is the deepest, 1 the beach."""
    lit = np.clip(depth + crests * (0.15 - 0.07 * np.clip(depth, 0.0, 1.0)), 0.0, 1.0)
    return Image.fromarray(np.take(colour_ramp(_DEPTH_COLOURS), (lit * 255).astype(np.uint8), axis=0))


@lru_cache(maxsize=4)
def _open_sea_tile(unit: float) -> Image.Image:
    clouds, crests = swell_tiles(unit)
    return _water_colours(0.24 + 0.16 * clouds, crests)


def _draw_shallows(image: Image.Image, part: _SeaWindow, land: BaseGeometry, unit: float) -> None:
    clouds, crests = (pave_levels(tile, part.size, part.corner) for tile in swell_tiles(round(unit, 3)))
    (outer_blur, outer_strength), (inner_blur, inner_strength) = _SHALLOW_BANDS
    depth = (
        0.24
        + 0.16 * clouds
        + outer_strength * part.soft_mask(land, outer_blur)
        + inner_strength * part.soft_mask(land, inner_blur) ** 1.5
    )
    image.paste(_water_colours(depth, crests), part.corner)


def _draw_shore(image: Image.Image, part: _SeaWindow, coast: _Coast, unit: float) -> None:
    for shape, (_, plain) in zip(coast.coast_lines, _COAST_LINES, strict=True):
        ring = part.outline_mask(shape, max(1.0, 2.2 * unit))
        image.paste(FOAM, part.corner, ring.point([round(level * plain) for level in range(256)]))
    surf = part.outline_mask(coast.land, max(1.6, 0.1 * part.scale)).filter(ImageFilter.GaussianBlur(0.03 * part.scale))
    image.paste(FOAM, part.corner, surf.point([round(level * 0.9) for level in range(256)]))
    image.paste(SAND, part.corner, part.shape_mask(coast.land))


def _draw_country(image: Image.Image, part: _SeaWindow, coast: _Coast, unit: float) -> None:
    shade = part.shape_mask(coast.inland).filter(ImageFilter.GaussianBlur(max(0.6, 0.05 * part.scale)))
    image.paste((132, 112, 66), part.corner, shade.point([round(level * 0.6) for level in range(256)]))
    image.paste(_draw_hills(part, coast.land), part.corner, part.shape_mask(coast.inland))
    if part.scale > _MIN_TREE_SCALE * unit and coast.inland.area < _MAX_WOODED_AREA:
        _draw_trees(image, part, coast.inland)


def _roughen_edge(shape: BaseGeometry) -> BaseGeometry:
    rng = np.random.default_rng(12)
    parts = []
    for part in _split_polygons(shape):
        coords = shapely.get_coordinates(shapely.segmentize(part, 0.35).exterior)[:-1]
        parts.append(shapely.Polygon(coords + rng.uniform(-0.07, 0.07, coords.shape)).buffer(0.12).buffer(-0.08))
    return shapely.union_all(parts)


def _draw_hills(part: _SeaWindow, land: BaseGeometry) -> Image.Image:
    broad, steep = part.soft_mask(land, 1.1), part.soft_mask(land.buffer(-0.3), 0.35)
    rough = pave_levels(_rough_tile(max(16, round(11 * part.scale))), part.size, part.corner)
    height = 0.62 * broad + 0.2 * steep + 0.45 * rough * broad
    # A single row or column of pixels has no slope across it.
    slopes = [np.gradient(height, axis=axis) for axis in (0, 1) if height.shape[axis] > 1]
    slope = sum(slopes, start=np.zeros_like(height))
    bright = np.clip(1.0 + slope * part.scale * 0.62, 0.5, 1.5)
    even = Image.fromarray((bright * 160).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.06 * part.scale))
    grass = pave_levels(swell_tiles(1.0)[1], part.size, part.corner)
    light = np.asarray(even, dtype=np.float32) / 160 + 0.13 * grass
    levels = (np.clip(height, 0.0, 1.0) * 255).astype(np.uint8)
    colour = np.take(colour_ramp(_HEIGHT_COLOURS).astype(np.float32), levels, axis=0)
    colour *= light[..., None]
    return Image.fromarray(np.minimum(colour, 255, out=colour).astype(np.uint8))


@lru_cache(maxsize=2)
def _rough_tile(side: int) -> Floats32:
    return np.asarray(Image.fromarray(base_tiles()[0]).resize((side, side), Image.Resampling.BICUBIC))


def _draw_trees(image: Image.Image, sea_part: _SeaWindow, land: BaseGeometry) -> None:
    """Draw trees on the land. Their places are the same in every picture."""
    wood = land.buffer(-0.16)
    rng = np.random.default_rng(77)
    fine = 2
    layer = Image.new("RGBA", (sea_part.size[0] * fine, sea_part.size[1] * fine))
    draw = ImageDraw.Draw(layer)
    for part in _split_polygons(wood):
        west, south, east, north = part.bounds
        count = int((east - west) * (north - south) * _TREES_PER_SQUARE_IN * 2.4)
        spots = rng.uniform((west, south), (east, north), (count, 2))
        sizes, tone = rng.uniform(0.08, 0.16, count), rng.uniform(0.8, 1.2, count)
        inside = shapely.contains_xy(part, spots[:, 0], spots[:, 1]) & (rng.random(count) < 0.55)
        order = np.argsort(spots[:, 1] if sea_part.turned else -spots[:, 1])
        pixels = sea_part.part_pixels(spots, fine)
        for i in order[inside[order]].tolist():
            x, y = pixels[i]
            r = float(sizes[i]) * sea_part.scale * fine
            if not (-2 * r < x < layer.width + r and -2 * r < y < layer.height + r):
                continue
            draw.ellipse((x - r * 0.7, y - r * 0.5, x + r * 1.4, y + r * 1.2), fill=(40, 38, 18, 90))
            for part_of, dx, colour in ((1.0, 0.0, (58, 74, 38)), (0.62, -0.22, (92, 110, 56))):
                lit: Colour = tuple(round(c * float(tone[i])) for c in colour)  # type: ignore[assignment]
                box = (x + (dx - part_of) * r, y + (dx - part_of) * r, x + (dx + part_of) * r, y + (dx + part_of) * r)
                draw.ellipse(box, fill=(*lit, 255))
    small = layer.reduce(fine)
    image.paste(small, sea_part.corner, small)

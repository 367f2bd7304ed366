"""Water and land: a sea with a fine swell, shallows with their lines, beaches, hills and trees."""

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
from render.drawing.style import FULL_WIDTH, Colour
from render.seas.swell import (
    Floats32,
    Patch,
    base_tiles,
    colour_ramp,
    pave_image,
    pave_levels,
    separate_patches,
    swell_tiles,
)

Ring = tuple[Point, ...]

ColourStops = tuple[tuple[float, Colour], ...]


class SeaStyle(NamedTuple):
    """Colours of a sea. Depth 0 is the deepest, 1 the beach."""

    depths: ColourStops  # colours of water by depth
    heights: ColourStops  # colours of land by height, 0 to 1
    depth: float  # of open water
    clouds: float  # how much the depth of open water varies
    swell: tuple[float, float]
    """Extra brightness of crests, and the reduction of that on a beach."""
    shallows: tuple[tuple[float, float], tuple[float, float]]
    """Shallows off a coast, outer and inner: width in the map's unit and brightness."""
    foam: Colour  # of surf along a coast
    sand: Colour  # of the beach


_COAST_LINES: Final = ((0.28, 0.42), (0.62, 0.27), (1.05, 0.16))
"""Lines off a coast, as on charts: distance in the map's unit and opacity."""
_BEACH_WIDTH: Final = 0.2  # in the map's unit
_MIN_TREE_SCALE: Final = 9.0
"""Pixels for each of the map's units, at full width, below which no trees are drawn."""
_MAX_WOODED_AREA: Final = 4000.0
"""Area of land from which no trees are drawn, because so many would take too long."""
_LAND_MARGIN_IN: Final = 3.0  # how far land extends beyond the table
_TREES_PER_AREA: Final = 1.15
_BLUR_REACH: Final = 2.8
"""A blurred edge is visible as far as this multiple of the blur."""


class MapPart:
    """A part of an image that shows a window. At first the part is the whole image."""

    def __init__(self, size: tuple[int, int], window: Rect, *, turned: bool = False) -> None:
        self.window = window
        self.turned = turned  # south is up
        self.scale = size[0] / (window[2] - window[0])  # pixels for each of the map's units
        self.whole: Patch = (0, 0, *size)
        self.part = self.whole

    @property
    def corner(self) -> tuple[int, int]:
        return self.part[:2]

    @property
    def size(self) -> tuple[int, int]:
        return self.part[2] - self.part[0], self.part[3] - self.part[1]

    def cut_to(self, part: Patch) -> MapPart:
        other = copy(self)
        other.part = part
        return other

    def parts_about(self, shape: BaseGeometry, spare: float) -> list[MapPart]:
        """Return disjoint parts that contain all of a shape and `spare` around it, in the map's unit."""
        west, south, east, north = self.window
        window_with_spare = shapely.box(west - spare, south - spare, east + spare, north + spare)
        boxes = [
            self._pixel_patch(piece.bounds, spare) for piece in _split_polygons(shape.intersection(window_with_spare))
        ]
        return [self.cut_to(part) for part in separate_patches(boxes, self.whole[2:])]

    def _pixel_patch(self, bounds: Rect, spare: float) -> Patch:
        (x, y), (other_x, other_y) = self._to_pixels(np.array([bounds[:2], bounds[2:]]))
        pixels = spare * self.scale + 1
        left, right = sorted((x, other_x))
        top, bottom = sorted((y, other_y))
        return floor(left - pixels), floor(top - pixels), ceil(right + pixels), ceil(bottom + pixels)

    def _to_pixels(self, coords: NDArray[np.float64]) -> NDArray[np.float64]:
        west, south, east, north = self.window
        xs = east - coords[:, 0] if self.turned else coords[:, 0] - west
        ys = coords[:, 1] - south if self.turned else north - coords[:, 1]
        return np.column_stack((xs, ys)) * self.scale

    def part_pixels(self, coords: NDArray[np.float64], oversampling: float = 1) -> list[Point]:
        return [(x, y) for x, y in ((self._to_pixels(coords) - self.corner) * oversampling).tolist()]

    def shape_mask(self, shape: BaseGeometry, oversampling: int = 2) -> Image.Image:
        mask = Image.new("L", (self.size[0] * oversampling, self.size[1] * oversampling))
        draw = ImageDraw.Draw(mask)
        for piece in _split_polygons(shape):
            draw.polygon(self.part_pixels(shapely.get_coordinates(piece.exterior), oversampling), fill=255)
            for hole in piece.interiors:
                draw.polygon(self.part_pixels(shapely.get_coordinates(hole), oversampling), fill=0)
        return mask.reduce(oversampling) if oversampling > 1 else mask

    def soft_mask(self, shape: BaseGeometry, blur: float) -> Floats32:
        """Return a mask from 0 to 1 of a shape with edges blurred over `blur`."""
        # A coarse mask is blurred and enlarged. It includes the surroundings whose blur reaches into this part.
        coarse = max(1, int(blur * self.scale / 6))  # pixels for each pixel of the coarse mask
        reach = ceil(_BLUR_REACH * blur * self.scale)
        left, top, right, bottom = self.part
        end = min(self.whole[2], right + reach), min(self.whole[3], bottom + reach)
        surroundings = self.cut_to((max(0, left - reach), max(0, top - reach), *end))
        coarse_size = (max(1, surroundings.size[0] // coarse), max(1, surroundings.size[1] // coarse))
        across, down = coarse_size[0] / surroundings.size[0], coarse_size[1] / surroundings.size[1]
        mask = Image.new("L", coarse_size)
        draw = ImageDraw.Draw(mask)
        for piece in _split_polygons(shape):
            ring = surroundings.part_pixels(shapely.get_coordinates(piece.exterior))
            draw.polygon([(x * across, y * down) for x, y in ring], fill=255)
        mask = mask.filter(ImageFilter.GaussianBlur(blur * self.scale / coarse))
        x, y = surroundings.corner
        box = ((left - x) * across, (top - y) * down, (right - x) * across, (bottom - y) * down)
        smooth = np.asarray(mask.convert("F").resize(self.size, Image.Resampling.BICUBIC, box=box))
        return np.clip(smooth / 255, 0.0, 1.0)

    def outline_mask(self, shape: BaseGeometry, width: float) -> Image.Image:
        oversampling = 2
        mask = Image.new("L", (self.size[0] * oversampling, self.size[1] * oversampling))
        draw = ImageDraw.Draw(mask)
        for piece in _split_polygons(shape):
            for ring in (piece.exterior, *piece.interiors):
                coords = self.part_pixels(shapely.get_coordinates(ring), oversampling)
                draw.line(coords, fill=255, width=max(1, round(width * oversampling)), joint="curve")
        return mask.reduce(oversampling)


def _split_polygons(shape: BaseGeometry) -> Iterator[shapely.Polygon]:
    for part in shapely.get_parts(shape):
        if isinstance(part, shapely.Polygon) and not part.is_empty:
            yield part


@lru_cache(maxsize=8)
def join_land(rings: tuple[Ring, ...], table: Point) -> BaseGeometry:
    """Return all land as one shape, extended beyond the table so that no coast runs along the table's edge."""
    land = shapely.union_all([shapely.Polygon(ring) for ring in rings])
    width, height = table
    strips_beyond = []
    for edge, (dx, dy) in (  # each edge of the table, and the way out across it
        (((0, 0), (0, height)), (-_LAND_MARGIN_IN, 0)),
        (((width, 0), (width, height)), (_LAND_MARGIN_IN, 0)),
        (((0, 0), (width, 0)), (0, -_LAND_MARGIN_IN)),
        (((0, height), (width, height)), (0, _LAND_MARGIN_IN)),
    ):
        for part in shapely.get_parts(land.intersection(shapely.LineString(edge))):
            west, south, east, north = part.bounds
            # Strips include the corners, so that those of two sides meet.
            corner_margin = _LAND_MARGIN_IN if dx else 0.0
            low, high = south - corner_margin * (south == 0), north + corner_margin * (north == height)
            strips_beyond.append(
                shapely.box(min(west, west + dx), min(low, south + dy), max(east, east + dx), max(high, north + dy))
            )
    return shapely.union_all([land, *strips_beyond]).buffer(0.001, join_style="mitre")


class _Coast(NamedTuple):
    land: BaseGeometry  # all land as one shape
    coast_lines: tuple[BaseGeometry, ...]  # the land, enlarged by the distances of `_COAST_LINES`
    inland: BaseGeometry  # the land without its beach


@lru_cache(maxsize=8)
def _make_coast(land: BaseGeometry) -> _Coast:
    coast_lines = tuple(land.buffer(distance, quad_segs=8) for distance, _ in _COAST_LINES)
    return _Coast(land, coast_lines, _roughen_edge(land.buffer(-_BEACH_WIDTH, join_style="mitre")))


def draw_sea(
    size: tuple[int, int], window: Rect, land: BaseGeometry, full_width: int, style: SeaStyle, *, turned: bool = False
) -> Image.Image:
    """Draw a bare sea and its land in a window. `turned`: south is up."""
    whole = MapPart(size, window, turned=turned)
    px = full_width / FULL_WIDTH
    image = pave_image(_open_sea_tile(round(px, 3), style), size)
    if land.is_empty:
        return image.copy()
    coast = _make_coast(land)
    for part in whole.parts_about(land, _BLUR_REACH * style.shallows[0][0]):
        _draw_shallows(image, part, land, px, style)
    for part in whole.parts_about(land, _COAST_LINES[-1][0]):
        _draw_shore(image, part, coast, px, style)
    for part in whole.parts_about(coast.inland, 0.0):
        _draw_country(image, part, coast, px, style)
    for part in whole.parts_about(land, 0.0):
        edge = part.outline_mask(land, max(1.0, 2.0 * px)).point([level // 2 for level in range(256)])
        image.paste((66, 52, 34), part.corner, edge)
    return image


def darken_beyond(image: Image.Image, window: Rect, table: Point, colour: Colour, *, turned: bool) -> None:
    """Fill what lies beyond a table with a colour."""
    beyond = shapely.box(*window).difference(shapely.box(0.0, 0.0, *table))
    if not beyond.is_empty:
        image.paste(colour, None, MapPart(image.size, window, turned=turned).shape_mask(beyond, 1))


def _water_colours(depth: Floats32, crests: Floats32, style: SeaStyle) -> Image.Image:
    crest_brightness, beach_reduction = style.swell
    lit_depth = np.clip(depth + crests * (crest_brightness - beach_reduction * np.clip(depth, 0.0, 1.0)), 0.0, 1.0)
    return Image.fromarray(np.take(colour_ramp(style.depths), (lit_depth * 255).astype(np.uint8), axis=0))


@lru_cache(maxsize=4)
def _open_sea_tile(px: float, style: SeaStyle) -> Image.Image:
    clouds, crests = swell_tiles(px)
    return _water_colours(style.depth + style.clouds * clouds, crests, style)


def _draw_shallows(image: Image.Image, part: MapPart, land: BaseGeometry, px: float, style: SeaStyle) -> None:
    clouds, crests = (pave_levels(tile, part.size, part.corner) for tile in swell_tiles(round(px, 3)))
    (outer_blur, outer_strength), (inner_blur, inner_strength) = style.shallows
    depth = (
        style.depth
        + style.clouds * clouds
        + outer_strength * part.soft_mask(land, outer_blur)
        + inner_strength * part.soft_mask(land, inner_blur) ** 1.5
    )
    image.paste(_water_colours(depth, crests, style), part.corner)


def _draw_shore(image: Image.Image, part: MapPart, coast: _Coast, px: float, style: SeaStyle) -> None:
    for shape, (_, opacity) in zip(coast.coast_lines, _COAST_LINES, strict=True):
        ring = part.outline_mask(shape, max(1.0, 2.2 * px))
        image.paste(style.foam, part.corner, ring.point([round(level * opacity) for level in range(256)]))
    surf = part.outline_mask(coast.land, max(1.6, 0.1 * part.scale)).filter(ImageFilter.GaussianBlur(0.03 * part.scale))
    image.paste(style.foam, part.corner, surf.point([round(level * 0.9) for level in range(256)]))
    image.paste(style.sand, part.corner, part.shape_mask(coast.land))


def _draw_country(image: Image.Image, part: MapPart, coast: _Coast, px: float, style: SeaStyle) -> None:
    shade = part.shape_mask(coast.inland).filter(ImageFilter.GaussianBlur(max(0.6, 0.05 * part.scale)))
    image.paste((132, 112, 66), part.corner, shade.point([round(level * 0.6) for level in range(256)]))
    image.paste(_hill_image(part, coast.land, style), part.corner, part.shape_mask(coast.inland))
    if part.scale > _MIN_TREE_SCALE * px and coast.inland.area < _MAX_WOODED_AREA:
        _draw_trees(image, part, coast.inland)


def _roughen_edge(shape: BaseGeometry) -> BaseGeometry:
    rng = np.random.default_rng(12)  # a fixed seed: the same edge in every picture
    parts = []  # with points at most 0.35 apart that are moved at random, and rounded corners
    for part in _split_polygons(shape):
        coords = shapely.get_coordinates(shapely.segmentize(part, 0.35).exterior)[:-1]
        parts.append(shapely.Polygon(coords + rng.uniform(-0.07, 0.07, coords.shape)).buffer(0.12).buffer(-0.08))
    return shapely.union_all(parts)


def _hill_image(part: MapPart, land: BaseGeometry, style: SeaStyle) -> Image.Image:
    """Return the land in colours by height, with light that falls on its slopes."""
    broad = part.soft_mask(land, 1.1)
    steep = part.soft_mask(land.buffer(-0.3), 0.35)
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
    colour = np.take(colour_ramp(style.heights).astype(np.float32), levels, axis=0)
    colour *= light[..., None]
    return Image.fromarray(np.minimum(colour, 255, out=colour).astype(np.uint8))


@lru_cache(maxsize=2)
def _rough_tile(side: int) -> Floats32:
    return np.asarray(Image.fromarray(base_tiles()[0]).resize((side, side), Image.Resampling.BICUBIC))


def _draw_trees(image: Image.Image, sea_part: MapPart, land: BaseGeometry) -> None:
    """Draw trees on the land. Their places are the same in every picture."""
    wooded = land.buffer(-0.16)
    rng = np.random.default_rng(77)
    oversampling = 2
    layer = Image.new("RGBA", (sea_part.size[0] * oversampling, sea_part.size[1] * oversampling))
    draw = ImageDraw.Draw(layer)
    for land_piece in _split_polygons(wooded):
        west, south, east, north = land_piece.bounds
        count = int((east - west) * (north - south) * _TREES_PER_AREA * 2.4)
        spots = rng.uniform((west, south), (east, north), (count, 2))
        sizes = rng.uniform(0.08, 0.16, count)
        tones = rng.uniform(0.8, 1.2, count)
        inside = shapely.contains_xy(land_piece, spots[:, 0], spots[:, 1]) & (rng.random(count) < 0.55)
        order = np.argsort(spots[:, 1] if sea_part.turned else -spots[:, 1])  # from the picture's top downwards
        pixels = sea_part.part_pixels(spots, oversampling)
        for index in order[inside[order]].tolist():
            x, y = pixels[index]
            r = float(sizes[index]) * sea_part.scale * oversampling
            if not (-2 * r < x < layer.width + r and -2 * r < y < layer.height + r):
                continue
            # A shadow, a crown, and the lit part of the crown.
            draw.ellipse((x - r * 0.7, y - r * 0.5, x + r * 1.4, y + r * 1.2), fill=(40, 38, 18, 90))
            for radius_part, shift, colour in ((1.0, 0.0, (58, 74, 38)), (0.62, -0.22, (92, 110, 56))):
                lit_colour: Colour = tuple(round(level * float(tones[index])) for level in colour)  # type: ignore[assignment]
                low, high = (shift - radius_part) * r, (shift + radius_part) * r
                draw.ellipse((x + low, y + low, x + high, y + high), fill=(*lit_colour, 255))
    small = layer.reduce(oversampling)
    image.paste(small, sea_part.corner, small)

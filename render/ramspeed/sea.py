"""Water and land: deep blue-green sea with a fine swell, shallows with their lines, beaches, hills and trees."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import ceil
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter
from shapely.geometry.base import BaseGeometry

from render.canvas import Box, Point
from render.style import FULL_WIDTH, Colour
from render.swell import Floats, paved, ramp, swell, tiles

Ring = tuple[Point, ...]

SEA: Final[Colour] = (26, 91, 101)
"""The open sea, on the whole."""
FOAM: Final[Colour] = (226, 240, 232)
SAND: Final[Colour] = (222, 200, 150)
_DEPTHS: Final[tuple[tuple[float, Colour], ...]] = (
    (0.0, (10, 52, 68)),
    (0.2, (18, 74, 88)),
    (0.4, (30, 100, 108)),
    (0.6, (52, 134, 132)),
    (0.8, (106, 174, 158)),
    (1.0, (182, 204, 164)),
)
"""Colours of water, from the deep to the beach."""
_HEIGHTS: Final[tuple[tuple[float, Colour], ...]] = (
    (0.0, (150, 136, 78)),
    (0.3, (126, 128, 66)),
    (0.6, (104, 116, 60)),
    (0.85, (146, 134, 88)),
    (1.0, (186, 172, 132)),
)
"""Colours of land, from the shore to the tops."""
_LINES: Final = ((0.28, 0.42), (0.62, 0.27), (1.05, 0.16))
"""Lines off a coast, as on charts: how many inches from it, and how plain."""
_BEACH: Final = 0.2
"""Inches of sand."""
_FLOOR: Final[Colour] = (16, 22, 26)
"""What lies beyond the table."""
_LEAST_SCALE: Final = 9.0
"""Pixels an inch, at full width, below which no trees are seen."""
_WOODED: Final = 4000.0
"""Square inches of land from which there are no trees either: nobody would wait for so many."""
_BEYOND: Final = 3.0
"""Inches by which land goes on beyond the table's edge."""
_TREES: Final = 1.15
"""Trees a square inch."""


class _SeaWindow:
    """A window of a map of inches on an image of a size."""

    def __init__(self, size: tuple[int, int], window: Box, *, turned: bool) -> None:
        self.size, self.window, self.turned = size, window, turned
        self.scale = size[0] / (window[2] - window[0])
        self.area = shapely.box(*window)

    def pixels(self, coords: NDArray[np.float64], fine: int = 1) -> list[Point]:
        """Points in inches as pixels of an image so many times as large."""
        west, south, east, north = self.window
        xs = (east - coords[:, 0] if self.turned else coords[:, 0] - west) * self.scale * fine
        ys = (coords[:, 1] - south if self.turned else north - coords[:, 1]) * self.scale * fine
        return list(zip(xs.tolist(), ys.tolist(), strict=True))

    def mask(self, shape: BaseGeometry, fine: int = 2) -> Image.Image:
        """What is within a shape."""
        mask = Image.new("L", (self.size[0] * fine, self.size[1] * fine))
        draw = ImageDraw.Draw(mask)
        for part in _polygons(shape):
            draw.polygon(self.pixels(shapely.get_coordinates(part.exterior), fine), fill=255)
            for hole in part.interiors:
                draw.polygon(self.pixels(shapely.get_coordinates(hole), fine), fill=0)
        return mask.reduce(fine) if fine > 1 else mask

    def soft(self, shape: BaseGeometry, blur_in: float) -> Floats:
        """A shape with edges blurred over so many inches, 0 to 1."""
        coarse = max(1, int(blur_in * self.scale / 6))
        small = (max(1, self.size[0] // coarse), max(1, self.size[1] // coarse))
        mask = Image.new("L", small)
        draw = ImageDraw.Draw(mask)
        across, down = small[0] / self.size[0], small[1] / self.size[1]
        for part in _polygons(shape):
            ring = self.pixels(shapely.get_coordinates(part.exterior))
            draw.polygon([(x * across, y * down) for x, y in ring], fill=255)
        mask = mask.filter(ImageFilter.GaussianBlur(blur_in * self.scale / coarse))
        smooth = np.asarray(mask.convert("F").resize(self.size, Image.Resampling.BICUBIC))
        return np.clip(smooth / 255, 0.0, 1.0)

    def lines(self, shape: BaseGeometry, width: float, fine: int = 2) -> Image.Image:
        """The outline of a shape, so many pixels wide."""
        mask = Image.new("L", (self.size[0] * fine, self.size[1] * fine))
        draw = ImageDraw.Draw(mask)
        for part in _polygons(shape):
            for ring in (part.exterior, *part.interiors):
                coords = self.pixels(shapely.get_coordinates(ring), fine)
                draw.line(coords, fill=255, width=max(1, round(width * fine)), joint="curve")
        return mask.reduce(fine)


def _polygons(shape: BaseGeometry) -> Iterator[shapely.Polygon]:
    for part in shapely.get_parts(shape):
        if isinstance(part, shapely.Polygon) and not part.is_empty:
            yield part


@lru_cache(maxsize=8)
def _land(rings: tuple[Ring, ...], table: Point) -> BaseGeometry:
    """All land in one; pieces of a coast have no borders between them, and none runs along the table's edge."""
    land = shapely.union_all([shapely.Polygon(ring) for ring in rings])
    wide, high = table
    beyond = []
    for edge, (dx, dy) in (
        (((0, 0), (0, high)), (-_BEYOND, 0)),
        (((wide, 0), (wide, high)), (_BEYOND, 0)),
        (((0, 0), (wide, 0)), (0, -_BEYOND)),
        (((0, high), (wide, high)), (0, _BEYOND)),
    ):
        for part in shapely.get_parts(land.intersection(shapely.LineString(edge))):
            west, south, east, north = part.bounds
            # Corners too, so that two sides' strips meet.
            aside = _BEYOND if dx else 0.0
            up = (south - aside * (south == 0), north + aside * (north == high)) if dx else (south, north)
            beyond.append(
                shapely.box(min(west, west + dx), min(up[0], south + dy), max(east, east + dx), max(up[1], north + dy))
            )
    return shapely.union_all([land, *beyond]).buffer(0.001, join_style="mitre")


@lru_cache(maxsize=6)
def water(
    size: tuple[int, int],
    window: Box,
    rings: tuple[Ring, ...],
    table: Point,
    full_width: int,
    *,
    turned: bool = False,
) -> Image.Image:
    """The bare sea and its land seen through a window (west, south, east, north in inches). Copy before drawing.

    `turned`: south is up.
    """
    seen, unit = _SeaWindow(size, window, turned=turned), full_width / FULL_WIDTH
    land = _land(rings, table)
    clouds, crests = (paved(tile, size) for tile in tiles(round(unit, 3)))
    depth = 0.24 + 0.16 * clouds
    if not land.is_empty:
        near, by = seen.soft(land, 1.5), seen.soft(land, 0.45)
        depth = depth + 0.55 * near + 0.5 * by**1.5
    lit = np.clip(depth + crests * (0.15 - 0.07 * np.clip(depth, 0.0, 1.0)), 0.0, 1.0)
    image = Image.fromarray(np.take(ramp(_DEPTHS), (lit * 255).astype(np.uint8), axis=0))
    if not land.is_empty:
        _coast(image, seen, land, unit)
    beyond = seen.area.difference(shapely.box(0.0, 0.0, *table))
    if not beyond.is_empty:
        image.paste(_FLOOR, None, seen.mask(beyond, 1))
    return image


def _coast(image: Image.Image, seen: _SeaWindow, land: BaseGeometry, unit: float) -> None:
    """Lines off the coast, surf, sand, hills and trees."""
    for inches, plain in _LINES:
        ring = seen.lines(land.buffer(inches, quad_segs=8), max(1.0, 2.2 * unit))
        image.paste(FOAM, None, ring.point([round(level * plain) for level in range(256)]))
    surf = seen.lines(land, max(1.6, 0.1 * seen.scale)).filter(ImageFilter.GaussianBlur(0.03 * seen.scale))
    image.paste(FOAM, None, surf.point([round(level * 0.9) for level in range(256)]))
    image.paste(SAND, None, seen.mask(land))
    inner = _wavering(land.buffer(-_BEACH, join_style="mitre"))
    shade = seen.mask(inner).filter(ImageFilter.GaussianBlur(max(0.6, 0.05 * seen.scale)))
    image.paste((132, 112, 66), None, shade.point([round(level * 0.6) for level in range(256)]))
    mask = seen.mask(inner)
    if there := mask.getbbox():
        image.paste(_hills(seen, land, there), there, mask.crop(there))
    if seen.scale > _LEAST_SCALE * unit and inner.area < _WOODED:
        _trees(image, seen, inner)
    image.paste((66, 52, 34), None, seen.lines(land, max(1.0, 2.0 * unit)).point([level // 2 for level in range(256)]))


def _wavering(shape: BaseGeometry) -> BaseGeometry:
    """The same with a natural edge."""
    chance = np.random.default_rng(12)
    parts = []
    for part in _polygons(shape):
        coords = shapely.get_coordinates(shapely.segmentize(part, 0.35).exterior)[:-1]
        parts.append(shapely.Polygon(coords + chance.uniform(-0.07, 0.07, coords.shape)).buffer(0.12).buffer(-0.08))
    return shapely.union_all(parts)


def _hills(seen: _SeaWindow, land: BaseGeometry, there: tuple[int, int, int, int]) -> Image.Image:
    """A part of the image, in pixels: land lit from the upper left, higher away from the shore."""
    left, top, right, bottom = there
    part = np.s_[top:bottom, left:right]
    far, near = seen.soft(land, 1.1)[part], seen.soft(land.buffer(-0.3), 0.35)[part]
    clouds = np.asarray(
        Image.fromarray(swell()[0]).resize((max(16, round(11 * seen.scale)),) * 2, Image.Resampling.BICUBIC)
    )
    down, across = ceil(seen.size[1] / clouds.shape[0]), ceil(seen.size[0] / clouds.shape[1])
    rough = np.tile(clouds, (down, across))[part]
    high = 0.62 * far + 0.2 * near + 0.45 * rough * far
    slope_y, slope_x = np.gradient(high)
    bright = np.clip(1.0 + (slope_x + slope_y) * seen.scale * 0.62, 0.5, 1.5)
    even = Image.fromarray((bright * 160).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.06 * seen.scale))
    grass = paved(tiles(1.0)[1], seen.size)[part]
    light = np.asarray(even, dtype=np.float32) / 160 + 0.13 * grass
    levels = (np.clip(high, 0.0, 1.0) * 255).astype(np.uint8)
    colour = np.take(ramp(_HEIGHTS).astype(np.float32), levels, axis=0)
    colour *= light[..., None]
    return Image.fromarray(np.minimum(colour, 255, out=colour).astype(np.uint8))


def _trees(image: Image.Image, seen: _SeaWindow, land: BaseGeometry) -> None:
    """Olives on the slopes, always at the same places."""
    wood = land.buffer(-0.16)
    chance = np.random.default_rng(77)
    fine = 2
    layer = Image.new("RGBA", (image.width * fine, image.height * fine))
    draw = ImageDraw.Draw(layer)
    for part in _polygons(wood):
        west, south, east, north = part.bounds
        count = int((east - west) * (north - south) * _TREES * 2.4)
        spots = chance.uniform((west, south), (east, north), (count, 2))
        grown, tone = chance.uniform(0.08, 0.16, count), chance.uniform(0.8, 1.2, count)
        inside = shapely.contains_xy(part, spots[:, 0], spots[:, 1]) & (chance.random(count) < 0.55)
        order = np.argsort(spots[:, 1] if seen.turned else -spots[:, 1])
        for i in order[inside[order]]:
            [(x, y)] = seen.pixels(spots[i : i + 1], fine)
            r = float(grown[i]) * seen.scale * fine
            if not (-r < x < layer.width + r and -r < y < layer.height + r):
                continue
            draw.ellipse((x - r * 0.7, y - r * 0.5, x + r * 1.4, y + r * 1.2), fill=(40, 38, 18, 90))
            for part_of, dx, colour in ((1.0, 0.0, (58, 74, 38)), (0.62, -0.22, (92, 110, 56))):
                lit: Colour = tuple(round(c * float(tone[i])) for c in colour)  # type: ignore[assignment]
                box = (x + (dx - part_of) * r, y + (dx - part_of) * r, x + (dx + part_of) * r, y + (dx + part_of) * r)
                draw.ellipse(box, fill=(*lit, 255))
    small = layer.reduce(fine)
    image.paste(small, None, small)

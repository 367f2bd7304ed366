"""A canvas that shows a window of a map: chalk lines, shadows, sprites and haloed text, sharp at any scale."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, hypot
from typing import Final, NamedTuple, Self

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render.drawing.style import FULL_WIDTH, SOOT, Colour, load_font
from render.seas.swell import pave_image
from render.seas.table_top import chalk_dust

Point = tuple[float, float]
"""Lengths east and north in the map's own unit, or pixels right and down. Each function says which."""
Rect = tuple[float, float, float, float]  # west, south, east, north; or in pixels left, top, right, bottom
OVERSAMPLING: Final = 3  # shapes are drawn this many times larger and then reduced, which smooths edges
_LARGE_MASK_PX: Final = 40_000  # larger masks are pasted in strips
_MAX_FULLY_SAMPLED_PX: Final = 250_000  # larger masks are drawn with less oversampling
_STRIP_ROWS: Final = 48  # height of a strip in pixels


class _Mask(NamedTuple):
    draw: ImageDraw.ImageDraw
    to_pixels: Callable[[Iterable[Point]], list[Point]]  # from pixels of the picture to pixels of the mask
    oversampling: float  # pixels of the mask for each pixel of the picture
    level: int  # value of covered pixels, 0 (clear) to 255


@dataclass(frozen=True)
class Sprite:
    """A small image and the point of it that is placed on a point of a canvas."""

    image: Image.Image  # with a clear ground
    anchor: Point  # pixels right and down of the image's corner


def fade_sprite(sprite: Sprite, opacity: float) -> Sprite:
    image = sprite.image.copy()
    image.putalpha(image.getchannel("A").point([round(level * opacity) for level in range(256)]))
    return Sprite(image, sprite.anchor)


class Canvas:
    """An image that shows a window of a map.

    Lengths on the map are in the map's own unit: millimetres of a table, edges of a hex, or another unit of the game.
    Methods that draw take points and lengths in pixels of the picture. `chalk` leaves out specks of what they draw.
    """

    def __init__(self, ground: Image.Image, window: Rect, full_width: int, *, turned: bool = False) -> None:
        self.image = ground.copy()
        self.window = window
        """West, south, east and north of the visible part, in the map's unit."""
        self.turned = turned  # south is up
        self.scale = ground.width / (window[2] - window[0])  # pixels for each of the map's units
        self.px = full_width / FULL_WIDTH
        """Pixels of this picture for each pixel of a picture of full width."""

    def copy(self) -> Self:
        other = copy(self)
        other.image = self.image.copy()
        return other

    def to_pixels(self, point: Point) -> Point:
        if self.turned:
            return (self.window[2] - point[0]) * self.scale, (point[1] - self.window[1]) * self.scale
        return (point[0] - self.window[0]) * self.scale, (self.window[3] - point[1]) * self.scale

    def to_picture_direction(self, direction: Point) -> Point:  # from east and north to right and down
        return (-direction[0], direction[1]) if self.turned else (direction[0], -direction[1])

    def to_picture_heading(self, heading_deg: float) -> float:
        """Return a compass bearing as degrees clockwise from straight up in the picture."""
        return (heading_deg + 180.0) % 360 if self.turned else heading_deg

    def place_sprite(self, sprite: Sprite, point: Point) -> None:
        corner = (round(point[0] - sprite.anchor[0]), round(point[1] - sprite.anchor[1]))
        self.image.paste(sprite.image, corner, sprite.image)

    def fill_polygon(
        self, shape: Sequence[Point], colour: Colour, opacity: float = 1.0, *, chalk: bool = False
    ) -> None:
        def draw_shape(mask: _Mask) -> None:
            mask.draw.polygon(mask.to_pixels(shape), fill=mask.level)

        self._draw_mask(_bounding_rect(shape, 1), colour, opacity, draw_shape, chalk=chalk)

    def draw_line(
        self,
        points: Sequence[Point],
        colour: Colour,
        width: float,
        opacity: float = 1.0,
        *,
        dash: tuple[float, float] | None = None,
        chalk: bool = True,
        shadow: bool = False,
    ) -> None:
        """Draw a line. `dash` is the lengths of a dash and of a gap."""
        strokes = [list(points)] if dash is None else _cut_dashes(points, *dash)

        def draw_shape(mask: _Mask) -> None:
            for stroke in strokes:
                path = mask.to_pixels(stroke)
                # Pillow spends time on joints even where a line has none.
                joint = "curve" if len(path) > 2 else None
                mask.draw.line(path, fill=mask.level, width=max(1, round(width * mask.oversampling)), joint=joint)
                radius = width * mask.oversampling / 2
                for x, y in (path[0], path[-1]):
                    mask.draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=mask.level)

        bounds = _bounding_rect(points, width)
        if shadow:  # a broader, soft and dark line below
            self._draw_mask(_bounding_rect(points, width * 2), SOOT, opacity * 0.55, draw_shape, blur=width * 0.8)
        self._draw_mask(bounds, colour, opacity, draw_shape, chalk=chalk)

    def draw_haze(self, shapes: Sequence[Sequence[Point]], colour: Colour, opacity: float, blur: float) -> None:
        def draw_shape(mask: _Mask) -> None:
            for shape in shapes:
                mask.draw.polygon(mask.to_pixels(shape), fill=mask.level)

        if shapes:
            bounds = _bounding_rect([point for shape in shapes for point in shape], 1)
            self._draw_mask(bounds, colour, opacity, draw_shape, blur=max(1.5, blur))

    def draw_glow(self, point: Point, radius: float, colour: Colour, opacity: float) -> None:
        def draw_shape(mask: _Mask) -> None:
            [(x, y)] = mask.to_pixels([point])
            r = radius * 0.45 * mask.oversampling  # the blur spreads it to about `radius`
            mask.draw.ellipse((x - r, y - r, x + r, y + r), fill=mask.level)

        self._draw_mask(_bounding_rect([point], radius), colour, opacity, draw_shape, blur=radius * 0.33)

    def draw_ring(self, point: Point, radius: float, colour: Colour, width: float, opacity: float = 1.0) -> None:
        def draw_shape(mask: _Mask) -> None:
            [(x, y)] = mask.to_pixels([point])
            r = (radius + width / 2) * mask.oversampling
            thickness = max(1, round(width * mask.oversampling))
            mask.draw.ellipse((x - r, y - r, x + r, y + r), outline=mask.level, width=thickness)

        self._draw_mask(_bounding_rect([point], radius + 2 * width), SOOT, opacity * 0.55, draw_shape, blur=width * 0.8)
        self._draw_mask(_bounding_rect([point], radius + width), colour, opacity, draw_shape)

    def draw_text(self, corner: Point, text: str, size: int, colour: Colour, *, rim: Colour = SOOT) -> None:
        """Draw haloed text; `corner` is the upper left corner of its box."""
        left, top, *masks = _letter_masks(text, size)
        at = (round(corner[0] - left) + left, round(corner[1] - top) + top)
        for mask, tone in zip(masks, (rim, colour), strict=True):
            self.image.paste(tone, at, mask)

    def draw_centred_text(self, middle: Point, text: str, size: int, colour: Colour, *, rim: Colour = SOOT) -> None:
        width, height = text_size(text, size)
        self.draw_text((middle[0] - width / 2, middle[1] - height / 2), text, size, colour, rim=rim)

    def _draw_mask(
        self,
        bounds: Rect,
        colour: Colour,
        opacity: float,
        draw_shape: Callable[[_Mask], None],
        *,
        chalk: bool = False,
        blur: float = 0.0,
    ) -> None:
        """Paste a colour through a mask that `draw_shape` draws, oversampled unless it is blurred."""
        spare = 2 * blur + 2  # pixels around the shape that the mask includes
        left = max(0, floor(bounds[0] - spare))
        top = max(0, floor(bounds[1] - spare))
        right = min(self.image.width, ceil(bounds[2] + spare))
        bottom = min(self.image.height, ceil(bounds[3] + spare))
        if left >= right or top >= bottom:
            return
        if blur >= 1.5:  # soft shapes need no oversampling
            oversampling = 1
        elif (right - left) * (bottom - top) > _MAX_FULLY_SAMPLED_PX:
            oversampling = 2
        else:
            oversampling = OVERSAMPLING
        mask = Image.new("L", ((right - left) * oversampling, (bottom - top) * oversampling))

        def to_pixels(points: Iterable[Point]) -> list[Point]:
            return [((x - left) * oversampling, (y - top) * oversampling) for x, y in points]

        draw_shape(_Mask(ImageDraw.Draw(mask), to_pixels, oversampling, round(255 * opacity)))
        if oversampling > 1:
            mask = mask.reduce(oversampling)
        if blur:
            mask = mask.filter(ImageFilter.GaussianBlur(blur))
        if chalk:
            mask = ImageChops.multiply(mask, cut_dust(left, top, mask.size))
        self.lay_colour(colour, (left, top), mask)

    def lay_colour(self, colour: Colour, corner: tuple[int, int], mask: Image.Image) -> None:
        """Paste a colour through a mask at a pixel.

        Of a large mask, such as a long line's, only strips that are not empty are pasted.
        """
        if mask.width * mask.height < _LARGE_MASK_PX:
            self.image.paste(colour, corner, mask)
            return
        for top in range(0, mask.height, _STRIP_ROWS):
            strip = mask.crop((0, top, mask.width, min(mask.height, top + _STRIP_ROWS)))
            if box := strip.getbbox():
                self.image.paste(colour, (corner[0] + box[0], corner[1] + top + box[1]), strip.crop(box))


def halo_width(size: int) -> int:  # for letters of a font size; both in pixels
    return max(1, round(size * 0.1))


@lru_cache(maxsize=1024)
def _letter_masks(text: str, size: int) -> tuple[int, int, Image.Image, Image.Image]:
    """Return the offset right and down from Pillow's origin, a mask of text with halo, and a mask of text alone."""
    font = load_font(size)
    halo_px = halo_width(size)
    left, top, right, bottom = map(round, font.getbbox(text, stroke_width=halo_px))
    rim, plain = (Image.new("L", (right - left, bottom - top)) for _ in range(2))
    for mask, width in ((rim, halo_px), (plain, 0)):
        ImageDraw.Draw(mask).text((-left, -top), text, fill=255, font=font, stroke_width=width)
    return left, top, rim, plain


@lru_cache(maxsize=4096)
def text_size(text: str, size: int) -> tuple[int, int]:
    """Return the width and height in pixels of haloed text."""
    left, top, right, bottom = load_font(size).getbbox(text, stroke_width=halo_width(size))
    return ceil(right - left), ceil(bottom - top)


def _bounding_rect(points: Sequence[Point], spare: float) -> Rect:
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    return min(xs) - spare, min(ys) - spare, max(xs) + spare, max(ys) + spare


def cut_dust(left: int, top: int, size: tuple[int, int]) -> Image.Image:
    """Return a part of an endless sheet of chalk dust, from a corner on; all in pixels."""
    return pave_image(chalk_dust(), size, (left, top))


def _cut_dashes(points: Sequence[Point], dash: float, gap: float) -> list[list[Point]]:
    """Return the dashes of a line as lists of points; `dash` and `gap` are their lengths."""
    dashes: list[list[Point]] = []
    current: list[Point] = [points[0]]
    remaining = dash  # length of the present dash or gap that is still to come
    is_dash = True
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        length = hypot(bx - ax, by - ay)
        covered = 0.0
        while length - covered > remaining:
            covered += remaining
            end = (ax + (bx - ax) * covered / length, ay + (by - ay) * covered / length)
            if is_dash:
                dashes.append([*current, end])
            current = [end]
            is_dash = not is_dash
            remaining = dash if is_dash else gap
        remaining -= length - covered
        if is_dash:
            current.append((bx, by))
    if is_dash and len(current) > 1:
        dashes.append(current)
    return dashes

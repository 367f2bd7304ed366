"""Pens that draw signs and ships at a multiple of their final size, which gives smooth edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, cos, radians, sin
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFilter

from render.drawing.canvas import OVERSAMPLING, Point, Sprite
from render.drawing.style import INK, Colour

RIGHT_DOWN: Final[tuple[Point, Point]] = ((1.0, 0.0), (0.0, 1.0))
_CLEAR_COLOUR: Final = (0, 0, 0)


class Pen:
    """Draws on an image that is `oversampling` times as large as the final one.

    Points and lengths are in a unit of `scale` final pixels. Points are measured along two axes, each given as a
    direction right and down, from the image's upper left corner or from its middle.
    """

    def __init__(
        self,
        side: int,
        scale: float,
        *,
        oversampling: int = OVERSAMPLING,
        axes: tuple[Point, Point] = RIGHT_DOWN,
        from_middle: bool = False,
        ground: Colour = _CLEAR_COLOUR,
    ) -> None:
        self.oversampling = oversampling
        self.scale = scale * oversampling  # pixels of the large image for each unit
        self.image = Image.new("RGBA", (side * oversampling, side * oversampling), (*ground, 0))
        self.draw = ImageDraw.Draw(self.image)
        self.origin = side * oversampling / 2 if from_middle else 0.0  # of both axes, right and down, in large pixels
        self._axes = axes

    def to_pixels(self, x: float, y: float) -> Point:
        (ax, ay), (bx, by) = self._axes  # for each axis: how far right and down
        return self.origin + (x * ax + y * bx) * self.scale, self.origin + (x * ay + y * by) * self.scale

    def all_to_pixels(self, points: Sequence[Point]) -> list[Point]:
        return [self.to_pixels(x, y) for x, y in points]

    def fill_polygon(self, points: Sequence[Point], colour: Colour) -> None:
        self.draw.polygon(self.all_to_pixels(points), fill=colour)

    def draw_line(self, points: Sequence[Point], colour: Colour, width: float = 0.1) -> None:
        self.draw.line(self.all_to_pixels(points), fill=colour, width=max(1, round(width * self.scale)), joint="curve")
        for end in (points[0], points[-1]):
            self.fill_disc(end, width / 2, colour)

    def fill_disc(self, at: Point, r: float, colour: Colour) -> None:
        self.draw.ellipse(self._bounds_about(at, r), fill=colour)

    def draw_ring(self, at: Point, r: float, colour: Colour, width: float = 0.1) -> None:
        self.draw.ellipse(self._bounds_about(at, r), outline=colour, width=max(1, round(width * self.scale)))

    def finish(self) -> Image.Image:
        """Return the image at its final size."""
        oversampling = self.oversampling
        box = self.image.getbbox()
        if oversampling == 1 or box is None:
            return self.image.reduce(oversampling)
        # Most of the image around a ship is empty. Reducing only the drawn part saves most of the time.
        left, top = box[0] // oversampling, box[1] // oversampling
        right, bottom = ceil(box[2] / oversampling), ceil(box[3] / oversampling)
        drawn_part = self.image.crop(
            (left * oversampling, top * oversampling, right * oversampling, bottom * oversampling)
        ).reduce(oversampling)
        whole = Image.new("RGBA", (self.image.width // oversampling, self.image.height // oversampling))
        whole.paste(drawn_part, (left, top))
        return whole

    def _bounds_about(self, at: Point, r: float) -> tuple[float, float, float, float]:
        x, y = self.to_pixels(*at)
        return x - r * self.scale, y - r * self.scale, x + r * self.scale, y + r * self.scale


@dataclass(frozen=True, kw_only=True)
class HullAppearance:
    """The state of a ship that decides how she is drawn from above."""

    side: int  # 0 or 1, the side that holds the ship now
    first_side: int  # differs from `side` if the ship was captured


class ShipShadow(NamedTuple):
    """The offset and strength of a ship's shadow on the water."""

    shift: float  # how far to the right, in the map's unit
    down: float  # how far down, as a part of `shift`
    blur: float  # radius, as a part of `shift`
    min_opacity: int
    """Pixels with an alpha below this level (0 to 255) cast no shadow. This leaves out foam around the hull."""
    strength: float  # factor of its opacity
    colour: Colour


class HullPen(Pen):
    """Draws a ship from above.

    Points are distances ahead of its middle and to starboard, in the map's unit. The image reaches `half` final pixels
    to each side.
    """

    def __init__(
        self, heading: float, scale: float, half: int, *, oversampling: int, ground: Colour = _CLEAR_COLOUR
    ) -> None:
        angle = radians(heading)
        axes = ((sin(angle), -cos(angle)), (cos(angle), sin(angle)))  # ahead and to starboard
        super().__init__(2 * half, scale, oversampling=oversampling, axes=axes, from_middle=True, ground=ground)
        self.thin = 1
        """Half the width of a thin line, in pixels of the large image."""

    def strip_corners(self, aft: float, fore: float, inner: float, outer: float) -> list[Point]:
        # `aft` and `fore` are distances ahead of the middle, `inner` and `outer` to starboard of it.
        return [
            self.to_pixels(aft, inner),
            self.to_pixels(fore, inner),
            self.to_pixels(fore, outer),
            self.to_pixels(aft, outer),
        ]

    def outline_pixels(self, profile: Sequence[Point], length: float, half_beam: float) -> list[Point]:
        """Return the hull's outline in pixels of the large image.

        A profile lists positions along the length, as fractions of `length`, with the half beam there as a fraction of
        `half_beam`.
        """
        half_outline = [(along * length, across * half_beam) for along, across in profile]
        return [self.to_pixels(ahead, abeam) for ahead, abeam in half_outline] + [
            self.to_pixels(ahead, -abeam) for ahead, abeam in reversed(half_outline)
        ]

    def draw_beak(
        self, root: float, tip: float, half_width: float, colours: tuple[Colour, Colour], short: float
    ) -> None:
        """Draw a ram: a triangle from `root` to `tip`, and on it a smaller one, shorter by about half of `short`."""
        for grow, colour in zip((1.0, 0.55), colours, strict=True):
            end = tip - short * (1 - grow)
            self.fill_polygon([(root, half_width * grow), (end, 0.0), (root, -half_width * grow)], colour)

    def draw_edged_line(self, a: Point, b: Point, colour: Colour) -> None:
        ends = [self.to_pixels(*a), self.to_pixels(*b)]
        self.draw.line(ends, fill=INK, width=4 * self.thin)
        self.draw.line(ends, fill=colour, width=2 * self.thin)

    def finish_with_shadow(self, shadow: ShipShadow) -> Sprite:
        """Return the ship at its final size with its shadow on the water. The anchor is the middle of the ship."""
        whole = self.finish()
        shift = max(1, round(shadow.shift * self.scale / self.oversampling))
        blur = max(0.7, shift * shadow.blur)
        spare = shift + ceil(shift * shadow.down + 3 * blur)  # room for the shadow around the ship
        left, top, right, bottom = whole.getbbox() or (0, 0, *whole.size)
        corner = max(0, left - spare), max(0, top - spare)
        image = whole.crop((*corner, min(whole.width, right + spare), min(whole.height, bottom + spare)))
        shadow_alpha = image.getchannel("A").point(
            [round(max(0, level - shadow.min_opacity) * 2 * shadow.strength) for level in range(256)]
        )
        mask = Image.new("L", image.size)
        mask.paste(shadow_alpha, (shift, round(shift * shadow.down)))
        shadowed = Image.new("RGBA", image.size, (*shadow.colour, 255))
        shadowed.putalpha(mask.filter(ImageFilter.GaussianBlur(blur)))
        shadowed.alpha_composite(image)
        whole.paste(shadowed, corner)
        return Sprite(whole, (whole.width / 2, whole.height / 2))

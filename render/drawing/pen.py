"""Pens that draw small images larger than they are shown: signs, and ships seen from above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, cos, radians, sin
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFilter

from render.drawing.canvas import OVERSAMPLING, Point, Sprite
from render.drawing.style import Colour

RIGHT_DOWN: Final[tuple[Point, Point]] = ((1.0, 0.0), (0.0, 1.0))
_CLEAR_COLOUR: Final = (0, 0, 0)


class Pen:
    """Draws on an image `fine` times as large as it is shown.

    Points and lengths are in a unit of the drawing's own, so many px as shown. Points are along two axes, each a
    direction right and down, from the image's upper left corner or from its middle.
    """

    def __init__(
        self,
        side: int,
        scale: float,
        *,
        fine: int = OVERSAMPLING,
        axes: tuple[Point, Point] = RIGHT_DOWN,
        from_middle: bool = False,
        ground: Colour = _CLEAR_COLOUR,
    ) -> None:
        """Take up an image so many px wide and high as shown, clear, over a colour that its soft edges will have."""
        self.fine, self.scale = fine, scale * fine
        self.image = Image.new("RGBA", (side * fine, side * fine), (*ground, 0))
        self.draw = ImageDraw.Draw(self.image)
        self.origin = side * fine / 2 if from_middle else 0.0
        self._axes = axes

    def to_pixels(self, x: float, y: float) -> Point:
        """Where a point is, in px of the large image."""
        (ax, ay), (bx, by) = self._axes
        return self.origin + (x * ax + y * bx) * self.scale, self.origin + (x * ay + y * by) * self.scale

    def all_to_pixels(self, points: Sequence[Point]) -> list[Point]:
        """Where points are, in px of the large image."""
        return [self.to_pixels(x, y) for x, y in points]

    def fill_polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """Fill a polygon."""
        self.draw.polygon(self.all_to_pixels(points), fill=colour)

    def draw_line(self, points: Sequence[Point], colour: Colour, wide: float = 0.1) -> None:
        """Draw a line with round ends."""
        self.draw.line(self.all_to_pixels(points), fill=colour, width=max(1, round(wide * self.scale)), joint="curve")
        for end in (points[0], points[-1]):
            self.fill_disc(end, wide / 2, colour)

    def fill_disc(self, at: Point, r: float, colour: Colour) -> None:
        """Fill a circle about a point."""
        self.draw.ellipse(self._bounds_about(at, r), fill=colour)

    def draw_ring(self, at: Point, r: float, colour: Colour, wide: float = 0.1) -> None:
        """Draw a circle about a point, so wide inwards."""
        self.draw.ellipse(self._bounds_about(at, r), outline=colour, width=max(1, round(wide * self.scale)))

    def finish(self) -> Image.Image:
        """What was drawn, at the size at which it is shown."""
        fine, box = self.fine, self.image.getbbox()
        if fine == 1 or box is None:
            return self.image.reduce(fine)
        # Most of what is about a ship is empty, and bringing it down would take most of the time.
        left, top, right, low = box[0] // fine, box[1] // fine, -(-box[2] // fine), -(-box[3] // fine)
        part = self.image.crop((left * fine, top * fine, right * fine, low * fine)).reduce(fine)
        whole = Image.new("RGBA", (self.image.width // fine, self.image.height // fine))
        whole.paste(part, (left, top))
        return whole

    def _bounds_about(self, at: Point, r: float) -> tuple[float, float, float, float]:
        x, y = self.to_pixels(*at)
        return x - r * self.scale, y - r * self.scale, x + r * self.scale, y + r * self.scale


@dataclass(frozen=True, kw_only=True)
class HullAppearance:
    """What is seen of every ship from above, apart from where she is."""

    side: int
    """Whose she is now: 0 or 1."""
    first_side: int
    """The side on which she began."""


class ShipShadow(NamedTuple):
    """How the shadow of a ship lies on the water."""

    shift: float
    """To the right, in the map's unit."""
    down: float
    """Down, as a part of that."""
    blur: float
    """Of its edges, as a part of that."""
    min_opacity: int
    """Levels of opacity from which the ship casts any: water about her does not."""
    strength: float
    colour: Colour


class HullPen(Pen):
    """Draws a ship from above; points are so far ahead of her middle and to starboard, in the map's unit."""

    def __init__(self, heading: float, scale: float, half: int, *, fine: int, ground: Colour = _CLEAR_COLOUR) -> None:
        """Take up an image `half` px from its middle to each side, for a ship with a heading in degrees."""
        turn = radians(heading)
        axes = ((sin(turn), -cos(turn)), (cos(turn), sin(turn)))
        super().__init__(2 * half, scale, fine=fine, axes=axes, from_middle=True, ground=ground)

    def strip_corners(self, aft: float, fore: float, inner: float, outer: float) -> list[Point]:
        """The corners, in px of the large image, of a rectangle along her."""
        return [
            self.to_pixels(aft, inner),
            self.to_pixels(fore, inner),
            self.to_pixels(fore, outer),
            self.to_pixels(aft, outer),
        ]

    def outline_pixels(self, profile: Sequence[Point], long: float, half_beam: float) -> list[Point]:
        """Her outline in px of the large image; a profile is half her beam at points of her length, each as a part."""
        side = [(along * long, across * half_beam) for along, across in profile]
        return [self.to_pixels(f, w) for f, w in side] + [self.to_pixels(f, -w) for f, w in reversed(side)]

    def draw_beak(self, root: float, tip: float, wide: float, colours: tuple[Colour, Colour], short: float) -> None:
        """A ram from its root to its tip, its metal so much shorter than its dark edge."""
        for grow, colour in zip((1.0, 0.55), colours, strict=True):
            end = tip - short * (1 - grow)
            self.draw.polygon(
                [self.to_pixels(root, wide * grow), self.to_pixels(end, 0.0), self.to_pixels(root, -wide * grow)],
                fill=colour,
            )

    def finish_with_shadow(self, shadow: ShipShadow) -> Sprite:
        """The ship as she is shown, with her shadow on the water; her middle is the sprite's spot."""
        whole = self.finish()
        shift = max(1, round(shadow.shift * self.scale / self.fine))
        blur = max(0.7, shift * shadow.blur)
        spare = shift + ceil(shift * shadow.down + 3 * blur)
        left, top, right, low = whole.getbbox() or (0, 0, *whole.size)
        corner = max(0, left - spare), max(0, top - spare)
        image = whole.crop((*corner, min(whole.width, right + spare), min(whole.height, low + spare)))
        body = image.getchannel("A").point(
            [round(max(0, level - shadow.min_opacity) * 2 * shadow.strength) for level in range(256)]
        )
        mask = Image.new("L", image.size)
        mask.paste(body, (shift, round(shift * shadow.down)))
        dark = Image.new("RGBA", image.size, (*shadow.colour, 255))
        dark.putalpha(mask.filter(ImageFilter.GaussianBlur(blur)))
        dark.alpha_composite(image)
        whole.paste(dark, corner)
        return Sprite(whole, (whole.width / 2, whole.height / 2))

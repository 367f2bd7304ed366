"""A galley from above, one or two hexes long: hull, deck, oars, ram, towers, and its damage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from typing import Final

from PIL import Image, ImageDraw, ImageFilter

from render.drawing.canvas import OVERSAMPLING, Point, Sprite
from render.drawing.pen import HullAppearance, HullPen, ShipShadow
from render.drawing.style import CHALK, INK, Colour
from render.marks.signs import EMBER, GOLD, WOUND
from render.marks.strikes import star_points
from render.seas.hexmap import HEX_HEIGHT
from render.squadrons.liveries import BRONZE, LIVERIES, OAR, squadron_colour
from render.squadrons.sea import FOAM

HULL_LENGTHS: Final = {1: 1.42, 2: HEX_HEIGHT + 1.42}  # by size in hexes; all lengths are in edges of a hex
_OAR_REACH: Final = 0.7  # from the ship's middle line to the blades
_HULL_PROFILE: Final = (
    (-0.5, 0.12),
    (-0.485, 0.42),
    (-0.45, 0.66),
    (-0.39, 0.86),
    (-0.28, 1.0),
    (0.1, 1.0),
    (0.24, 0.92),
    (0.34, 0.7),
    (0.42, 0.38),
    (0.46, 0.12),
)
"""Half the beam at positions along the length, from the stern. Both are parts of the whole."""
_SMALL_HULL_SCALE: Final = 40.0  # pixels an edge, below which hulls have full oversampling
_LARGE_HULL_SCALE: Final = 70.0  # pixels an edge, from which they have none
_SCALE_STEPS: Final = 24
"""Hulls are drawn at this many scales between one and its double, so that nearby scales share a cached hull."""
_SHADOW: Final = ShipShadow(shift=0.07, down=1.3, blur=0.7, min_opacity=170, strength=1.0, colour=(4, 22, 44))


@dataclass(frozen=True, kw_only=True)
class ShipAppearance(HullAppearance):
    """The appearance of a ship, without its position. Side 0 is Blue, 1 is Red."""

    size: int  # how many hexes it fills, 1 or 2
    weight: int  # defence against rams; ships with more are drawn broader
    has_towers: bool = False  # whether it carries fighting towers
    is_fast: bool = False  # at ramming speed
    is_rammed: bool = False  # whether it has a hole from a ram
    is_port_shorn: bool = False  # whether its oars on the port side are broken
    is_starboard_shorn: bool = False  # likewise on the starboard side
    squadron: int | None = None  # from 1; None: it belongs to none
    has_sails_up: bool = False  # whether it goes under sail


def nearest_scale(scale: float) -> float:
    """Return the scale at which a hull is drawn, within 1.5 % of the given one; both in pixels an edge."""
    return round(2 ** (round(_SCALE_STEPS * log2(scale)) / _SCALE_STEPS), 2)


@lru_cache(maxsize=512)
def hull_sprite(appearance: ShipAppearance, facing: int, scale: float) -> Sprite:
    """Return a ship whose anchor is the middle of its hexes; `facing` is in degrees, `scale` in pixels an edge."""
    return _ShipPen(appearance, facing, scale).paint()


class _ShipPen(HullPen):
    def __init__(self, appearance: ShipAppearance, heading: int, scale: float) -> None:
        self.appearance = appearance
        self.livery = LIVERIES[appearance.side]
        self.length = HULL_LENGTHS[appearance.size]
        self.half_beam = (0.25 + 0.018 * (appearance.weight - 4)) if appearance.size == 2 else 0.25
        half = max(3, round((self.length * 0.5 + 0.4) * scale))
        oversampling = 1  # large hulls look good without oversampling
        if scale < _SMALL_HULL_SCALE:
            oversampling = OVERSAMPLING
        elif scale < _LARGE_HULL_SCALE:
            oversampling = 2
        super().__init__(heading, scale, half, oversampling=oversampling, ground=FOAM)
        self.thin = max(1, round(0.03 * self.scale))

    def hull_outline(self, inset: float = 0.0) -> list[Point]:
        return self.outline_pixels(_HULL_PROFILE, self.length - 1.6 * inset, max(0.02, self.half_beam - inset))

    def paint(self) -> Sprite:
        appearance = self.appearance
        self._draw_water()
        for side, shorn in ((-1, appearance.is_port_shorn), (1, appearance.is_starboard_shorn)):  # -1: port
            self._draw_oars(side, shorn=shorn)
        self._draw_ram()
        rim = max(0.045, 1.2 * self.oversampling / self.scale)
        self.draw.polygon(self.hull_outline(), fill=INK)
        self.draw.polygon(self.hull_outline(rim), fill=(228, 178, 140) if appearance.side else (255, 255, 255))
        deck = 2 * rim
        self.draw.polygon(self.hull_outline(deck), fill=self.livery.base)
        self._draw_pattern(self.half_beam - deck)
        self._draw_stern()
        if appearance.has_towers:
            self._draw_towers()
        if appearance.has_sails_up:
            self._draw_sail()
        if appearance.is_fast:
            self._draw_chevrons()
        if appearance.is_rammed:
            self._draw_hole()
        return self.finish_with_shadow(_SHADOW)

    def _draw_water(self) -> None:
        # Foam around the oars, and of a fast ship at bow and stern. Soft shapes need no oversampling.
        mask = Image.new("L", (self.image.width // self.oversampling,) * 2)
        draw = ImageDraw.Draw(mask)

        def fill(points: Sequence[Point], level: int) -> None:
            draw.polygon([(x / self.oversampling, y / self.oversampling) for x, y in points], fill=level)

        fill(self.strip_corners(-0.46 * self.length, 0.36 * self.length, -_OAR_REACH, _OAR_REACH), 70)
        if self.appearance.is_fast:
            for side in (-1, 1):
                wave = ((0.5 + 0.1 / self.length, 0.0), (0.3, side * 0.62), (0.16, side * 0.74), (0.3, side * 0.3))
                fill([self.to_pixels(along * self.length, across) for along, across in wave], 255)
            end = -0.5 - 0.4 / self.length
            trail = ((-0.4, 0.3), (-0.4, -0.3), (end, -0.16), (end, 0.16))
            fill([self.to_pixels(along * self.length, across) for along, across in trail], 235)
        mask = mask.filter(ImageFilter.GaussianBlur(0.07 * self.scale / self.oversampling))
        self.image.putalpha(mask.resize(self.image.size, Image.Resampling.NEAREST))
        self.draw = ImageDraw.Draw(self.image)

    def _draw_oars(self, side: int, *, shorn: bool) -> None:
        count = 8 if self.appearance.size == 2 else 4
        fore = (0.27 if self.appearance.size == 2 else 0.2) * self.length
        aft = -0.36 * self.length
        width = max(self.oversampling, 0.062 * self.scale)
        for number in range(count):
            x = fore + (aft - fore) * number / (count - 1)
            root = self.to_pixels(x, side * self.half_beam * 0.8)
            if shorn:
                self._draw_oar(root, self.to_pixels(x - 0.04, side * (self.half_beam + 0.1)), width, (150, 112, 70))
                if number % 3 == 1:
                    # Some broken oars drift beside the ship.
                    drift = 0.16 - 0.06 * (number % 5)
                    out = side * (_OAR_REACH - 0.04 * (number % 4))
                    self._draw_oar(
                        self.to_pixels(x + drift, out), self.to_pixels(x + drift + 0.24, out - side * 0.1), width, OAR
                    )
                continue
            sweep = 0.2 if self.appearance.is_fast else -0.13
            self._draw_oar(root, self.to_pixels(x + sweep, side * _OAR_REACH), width, OAR)
        if shorn:
            line = [self.to_pixels(x, side * (self.half_beam + 0.14)) for x in (fore + 0.1, aft - 0.1)]
            self.draw.line(line, fill=(*WOUND, 255), width=max(self.oversampling, round(0.1 * self.scale)))

    def _draw_oar(self, a: Point, b: Point, width: float, colour: Colour) -> None:
        self.draw.line([a, b], fill=(54, 42, 32, 255), width=round(width + 1.3 * self.oversampling))
        self.draw.line([a, b], fill=(*colour, 255), width=round(width))

    def _draw_ram(self) -> None:
        self.draw_beak(0.36 * self.length, 0.5 * self.length + 0.06, self.half_beam * 0.62, (INK, BRONZE), short=0.1)

    def _draw_pattern(self, half_deck: float) -> None:
        """Draw the side's stripe or bands on the deck. A captured ship keeps the stern of its first side."""
        mark, length = self.livery.mark, self.length
        if self.livery.pattern == "stripes":
            self.draw.polygon(
                self.strip_corners(-0.36 * length, 0.3 * length, -0.42 * half_deck, 0.42 * half_deck), fill=mark
            )
        else:
            for fore in (0.25, 0.08, -0.09, -0.26):
                width = half_deck * (0.86 if fore > 0.2 else 0.98)
                self.draw.polygon(
                    self.strip_corners((fore - 0.03) * length, (fore + 0.03) * length, -width, width), fill=mark
                )
        if self.appearance.first_side != self.appearance.side:
            old = LIVERIES[self.appearance.first_side]
            self.draw.polygon(self.outline_pixels(_HULL_PROFILE[:5], length, half_deck), fill=old.base)
            self.draw.polygon(
                self.strip_corners(-0.4 * length, -0.34 * length, -0.8 * half_deck, 0.8 * half_deck), fill=old.mark
            )
            self.draw.line(
                [self.to_pixels(-0.28 * length, w * half_deck) for w in (-1, 1)], fill=INK, width=2 * self.thin
            )

    def _draw_stern(self) -> None:
        for s in (-0.6, 0.0, 0.6):
            self.draw_edged_line(
                (-0.46 * self.length, s * self.half_beam * 0.4), (-0.5 * self.length - 0.06, s * self.half_beam), GOLD
            )
        if self.appearance.squadron is not None:
            fore = -0.34 * self.length
            self.fill_disc((fore, 0.0), self.half_beam * 1.02, INK)
            self.fill_disc(
                (fore, 0.0),
                self.half_beam * 0.84,
                squadron_colour(self.appearance.first_side, self.appearance.squadron),
            )

    def _draw_towers(self) -> None:
        r = self.half_beam * 0.62
        for fore in (0.26, -0.14) if self.appearance.size == 2 else (0.05,):
            at = fore * self.length
            for grow, colour in ((1.2, INK), (1.0, (196, 146, 88)), (0.58, (104, 70, 42))):
                self.draw.polygon(self.strip_corners(at - r * grow, at + r * grow, -r * grow, r * grow), fill=colour)

    def _draw_sail(self) -> None:
        fore, width = 0.1 * self.length, 0.56
        belly = ((-0.12, -width), (0.12, -0.3), (0.16, 0.3), (-0.12, width), (-0.2, width), (-0.2, -width))
        sail = [self.to_pixels(fore + along, across) for along, across in belly]
        self.draw.polygon(sail, fill=CHALK)
        self.draw.line([*sail, sail[0]], fill=INK, width=2 * self.thin)

    def _draw_chevrons(self) -> None:
        width = self.half_beam * 0.66
        for fore in (0.2, 0.31):
            tip = fore * self.length + width * 0.5
            line = self.all_to_pixels([(tip - width * 0.9, -width), (tip, 0.0), (tip - width * 0.9, width)])
            self.draw.line(line, fill=INK, width=max(3, round(0.17 * self.scale)), joint="curve")
            self.draw.line(line, fill=GOLD, width=max(2, round(0.1 * self.scale)), joint="curve")

    def _draw_hole(self) -> None:
        for grow, colour in ((1.0, CHALK), (0.82, EMBER), (0.56, INK)):
            r = 0.46 * grow * self.scale
            x, y = self.to_pixels(-0.06 * self.length, self.half_beam * 0.7)
            self.draw.polygon(star_points((x, y), r, r * 0.5, 5), fill=colour)

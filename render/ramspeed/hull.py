"""An oared ship from above, to scale: hull, deck, oars, ram, towers and boarding bridge, and its damage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from render.drawing.canvas import OVERSAMPLING, Point, Sprite
from render.drawing.pen import HullAppearance, HullPen, ShipShadow
from render.drawing.style import INK, Colour, mix_colours
from render.marks.signs import EMBER, FLAME, GOLD
from render.ramspeed.liveries import BRONZE, FOAM, IVORY, OAR, SAND, WINE, livery_of
from rules.ramspeed.engine.tables import CLASSES, ClassCode, Nation

_HULL_BEAM_PARTS: Final[dict[ClassCode, float]] = {"B": 0.46, "T": 0.44, "Q": 0.54, "V": 0.58}
_BOLD_BEAM_SCALE: Final = 1.28
"""Factor of small hulls' beams. Their oars end at the usual distance."""
_OAR_COUNTS: Final[dict[ClassCode, int]] = {"B": 9, "T": 13, "Q": 10, "V": 12}
_OAR_RANKS: Final[dict[ClassCode, int]] = {"B": 1, "T": 1, "Q": 2, "V": 2}
_HULL_PROFILE: Final = (
    (-0.5, 0.1),
    (-0.485, 0.38),
    (-0.455, 0.6),
    (-0.4, 0.8),
    (-0.3, 0.95),
    (-0.12, 1.0),
    (0.1, 1.0),
    (0.22, 0.93),
    (0.31, 0.76),
    (0.38, 0.5),
    (0.43, 0.22),
    (0.45, 0.07),
)
"""Half the beam at positions along the length, from the stern. Both are parts of the whole."""
_FULL_SIZE_SCALE: Final = 150.0
"""Pixels an inch from which hulls are drawn without oversampling."""
_SHADOW: Final = ShipShadow(shift=0.045, down=1.4, blur=0.6, min_opacity=150, strength=0.6, colour=(6, 26, 38))
_SMALL_HULL_SCALE: Final = 46.0
"""Pixels an inch, at full width, below which hulls are drawn bolder."""


@dataclass(frozen=True, kw_only=True)
class ShipAppearance(HullAppearance):
    name: str  # decides where broken oars lie
    code: ClassCode  # class of the ship
    nation: Nation  # decides its colours, with the side
    derelict: bool = False  # whether it has no crew
    halved: bool = False  # whether the oars of one side are broken
    dead: bool = False  # whether all oars are broken
    immobilised: bool = False  # whether it cannot row this turn
    fireship: bool = False  # whether it is laden with pitch
    beached: bool = False  # whether it lies on a beach
    corvus: bool = False  # whether it has a boarding bridge


def is_bold(scale: float, px: float) -> bool:
    """Return whether hulls at `scale` pixels an inch are so small that they are drawn bolder."""
    return scale < _SMALL_HULL_SCALE * px


@lru_cache(maxsize=160)
def hull_sprite(appearance: ShipAppearance, heading: int, scale: float, *, small: bool) -> Sprite:
    """Return a ship whose anchor is its middle; `heading` is in degrees, `scale` in pixels an inch."""
    return _ShipPen(appearance, heading, scale, small=small).paint()


@lru_cache(maxsize=32)
def wreck_sprite(appearance: ShipAppearance, heading: int, scale: float, *, small: bool) -> Sprite:
    """Return a sunk ship: its pale outline, broken in two below the water, with rings around it."""
    return _ShipPen(appearance, heading, scale, small=small).paint_wreck()


class _ShipPen(HullPen):
    def __init__(self, appearance: ShipAppearance, heading: int, scale: float, *, small: bool) -> None:
        self.appearance, self.small = appearance, small
        self.ship_class = CLASSES[appearance.code]
        self.livery = livery_of(appearance.side, appearance.nation)
        half = max(2, round((self.ship_class.length * 0.5 + 0.45) * scale))
        # Large ships look good without oversampling, which would take too long.
        super().__init__(heading, scale, half, oversampling=OVERSAMPLING if scale < _FULL_SIZE_SCALE else 1)
        self.half_beam = (
            self.ship_class.beam / 2 * _HULL_BEAM_PARTS[appearance.code] * (_BOLD_BEAM_SCALE if small else 1.0)
        )
        self.thin = max(1, round((0.02 if small else 0.014) * self.scale))

    def hull_outline(self, beam_part: float, shorter: float = 0.0) -> list[Point]:
        # `shorter` is in inches, at either end.
        return self.outline_pixels(_HULL_PROFILE, self.ship_class.length - 2 * shorter, self.half_beam * beam_part)

    def paint(self) -> Sprite:
        appearance = self.appearance
        self._draw_water()
        self._draw_oar_banks()
        self._draw_ram()
        dark: Colour = (28, 18, 16)
        self.draw.polygon(self.hull_outline(1.0), fill=dark)
        rim = mix_colours(self.livery.base, (255, 255, 255), 0.5) if appearance.side == 0 else (226, 176, 150)
        inset = max(0.012, 1.1 * self.oversampling / self.scale)
        self.draw.polygon(self.hull_outline(1 - inset / self.half_beam, inset * 0.6), fill=self._dull_colour(rim))
        deck = 1 - 2.3 * inset / self.half_beam
        self.draw.polygon(self.hull_outline(deck, inset * 1.4), fill=self._dull_colour(self.livery.base))
        self._draw_pattern(deck)
        self._draw_stern()
        self._draw_class_marks()
        if appearance.corvus:
            self._draw_corvus()
        if not self.small:
            self._draw_eyes()
        if appearance.fireship:
            self._draw_pitch()
        return self.finish_with_shadow(_SHADOW)

    def paint_wreck(self) -> Sprite:
        mask = Image.new("L", self.image.size)
        draw = ImageDraw.Draw(mask)
        draw.polygon(self.hull_outline(1.0), fill=150)
        draw.polygon(self.all_to_pixels([(-0.1, 1.0), (0.14, 1.0), (-0.02, -1.0), (-0.2, -1.0)]), fill=0)
        soft = mask.filter(ImageFilter.GaussianBlur(0.012 * self.scale))
        tone = mix_colours(self.livery.base, (30, 90, 104), 0.35)
        self.image.paste((*tone, 255), None, Image.new("L", mask.size, 255))
        self.image.putalpha(soft)
        self.draw = ImageDraw.Draw(self.image)
        for part, level in ((0.2, 170), (0.4, 120), (0.62, 70)):
            r = part * self.ship_class.length * 0.62 * self.scale
            box = (self.origin - r, self.origin - r * 0.7, self.origin + r, self.origin + r * 0.7)
            self.draw.ellipse(box, outline=(*FOAM, level), width=max(self.oversampling, round(0.03 * self.scale)))
        image = self.finish()
        return Sprite(image, (image.width / 2, image.height / 2))

    # --- parts ----------------------------------------------------------------------------------------------------

    def _dull_colour(self, colour: Colour) -> Colour:
        """Return a colour, made grey for a ship without crew, black for a ship laden with pitch."""
        if self.appearance.fireship:
            return mix_colours(colour, INK, 0.7)
        grey = round(0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2])
        return mix_colours(colour, (grey, grey, grey), 0.75) if self.appearance.derelict else colour

    def _draw_water(self) -> None:
        ship_class = self.ship_class
        mask = Image.new("L", self.image.size)
        ahead, abeam = ship_class.length / 2, ship_class.beam / 2
        prow = ahead - ship_class.taper
        draw = ImageDraw.Draw(mask)
        waterline = [(ahead, 0.0), (prow, abeam), (-ahead, abeam), (-ahead, -abeam), (prow, -abeam)]
        draw.polygon([self.to_pixels(fore, side) for fore, side in waterline], fill=84)
        mask = mask.filter(ImageFilter.GaussianBlur(0.075 * self.scale))
        if self.appearance.beached:
            ground = SAND
            mask = mask.point([min(255, 2 * level) for level in range(256)])
        else:
            ground = FOAM
        self.image.paste((*ground, 0), (0, 0, *self.image.size))
        self.image.putalpha(mask)
        self.draw = ImageDraw.Draw(self.image)

    def _oar_offsets(self) -> list[float]:  # inches ahead of the middle
        length = self.ship_class.length
        count = _OAR_COUNTS[self.appearance.code]
        if self.small:
            count = max(5, count * 2 // 3)
        fore, aft = 0.24 * length, -0.38 * length
        return [fore + (aft - fore) * i / (count - 1) for i in range(count)]

    def _draw_oar_banks(self) -> None:
        # Broken oars, and those of an immobilised ship, lie at random, but at the same places in each picture.
        width = max(self.oversampling, (0.042 if self.small else 0.03) * self.scale)
        for side in (-1, 1):
            is_broken = self.appearance.dead or (self.appearance.halved and side == 1)
            for number, fore in enumerate(self._oar_offsets()):
                random_bytes = blake2b(f"{self.appearance.name}{side}{number}".encode(), digest_size=2).digest()
                if is_broken:
                    self._draw_broken_oar(side, fore, width, random_bytes)
                else:
                    self._draw_whole_oars(side, fore, width, random_bytes)

    def _draw_broken_oar(self, side: int, fore: float, width: float, random_bytes: bytes) -> None:
        """Draw what is left of an oar: nothing, a stump, or a stump and the blade adrift."""
        remains = random_bytes[0] % 3
        if remains == 0:
            return
        pieces = [((fore, side * self.half_beam * 0.8), (fore - 0.03, side * (self.half_beam + 0.045)))]
        if remains == 1:
            drift = 0.2 * (random_bytes[1] / 255 - 0.5)
            abeam = side * (self.ship_class.beam / 2 - 0.02 + random_bytes[1] / 4000)
            pieces.append(((fore + drift, abeam), (fore + drift + 0.12, abeam + drift * 0.5)))
        for start, end in pieces:
            self._draw_oar(self.to_pixels(*start), self.to_pixels(*end), width * 0.9, (168, 136, 92))

    def _draw_whole_oars(self, side: int, fore: float, width: float, random_bytes: bytes) -> None:
        """Draw the oars of all ranks that belong to one place on a ship's side."""
        appearance = self.appearance
        length = self.ship_class.beam / 2 - self.half_beam * 0.9
        for rank in range(_OAR_RANKS[appearance.code] if not self.small else 1):
            reach = self.half_beam * 0.9 + length * (1.0 - 0.34 * rank)  # how far abeam the blade is
            sweep = 0.1 * length + 0.04  # how far aft of its hole in the hull the blade is
            if appearance.immobilised:
                sweep = (random_bytes[1] / 255 - 0.45) * 1.3 * length
                reach -= abs(sweep) * 0.2
            elif appearance.derelict:
                sweep = 0.16
                reach = self.half_beam * 0.9 + length * 0.45
            shift = rank * 0.4 * (0.62 * self.ship_class.length / (_OAR_COUNTS[appearance.code] - 1))
            hole = self.to_pixels(fore + shift, side * self.half_beam * 0.85)
            blade = self.to_pixels(fore + shift - sweep, side * reach)
            self._draw_oar(hole, blade, width, OAR)

    def _draw_oar(self, a: Point, b: Point, width: float, colour: Colour) -> None:
        self.draw.line(
            [a, b], fill=(*mix_colours(colour, INK, 0.62), 255), width=round(width + 1.4 * self.oversampling)
        )
        self.draw.line([a, b], fill=(*self._dull_colour(colour), 255), width=round(width))
        r = width * 0.72
        self.draw.ellipse((b[0] - r, b[1] - r, b[0] + r, b[1] + r), fill=(*self._dull_colour(colour), 255))

    def _draw_ram(self) -> None:
        length = self.ship_class.length
        half_width = self.half_beam * (0.5 if self.small else 0.36)
        self.draw_beak(length * 0.4, length / 2, half_width, (INK, BRONZE), short=0.05)

    def _draw_pattern(self, deck: float) -> None:  # `deck` is the deck's width as a part of the hull's
        length = self.ship_class.length
        mark = self._dull_colour(self.livery.mark)
        if self.livery.pattern == "stripes":
            width = self.half_beam * (0.34 if self.small else 0.26)
            self.draw.polygon(self.strip_corners(-0.38 * length, 0.3 * length, -width, width), fill=mark)
        else:
            for fore in (0.2, -0.02, -0.24):
                width = _half_beam(fore) * self.half_beam * deck
                self.draw.polygon(
                    self.strip_corners((fore - 0.042) * length, (fore + 0.042) * length, -width, width), fill=mark
                )
        if self.appearance.first_side != self.appearance.side:
            base = IVORY if self.appearance.first_side == 0 else WINE
            aft = [(-0.485, 0.34), (-0.455, 0.56), (-0.4, 0.78), (-0.33, 0.92)]
            self.draw.polygon(self.outline_pixels(aft, length, self.half_beam * deck), fill=base)
            self.draw.line(
                [self.to_pixels(-0.33 * length, w * self.half_beam) for w in (-0.9, 0.9)], fill=INK, width=2 * self.thin
            )

    def _draw_stern(self) -> None:
        length = self.ship_class.length
        for s in (-0.55, 0.0, 0.55):
            ends = (-0.47 * length, s * self.half_beam * 0.4), (-0.5 * length - 0.03, s * self.half_beam)
            self.draw_edged_line(*ends, self._dull_colour(GOLD))

    def _draw_class_marks(self) -> None:
        length = self.ship_class.length
        places = {"B": (), "T": (), "Q": (-0.06,), "V": (0.17, -0.24)}[self.appearance.code]
        # Square towers. B and T have bands or a disc instead.
        r = self.half_beam * 0.66
        for fore in places:
            for grow, colour in (
                (1.18, INK),
                (1.0, self._dull_colour((178, 130, 78))),
                (0.62, self._dull_colour((108, 74, 44))),
            ):
                box = self.strip_corners(fore * length - r * grow, fore * length + r * grow, -r * grow, r * grow)
                self.draw.polygon(box, fill=colour)
            for f in (-1, 1):
                for s in (-1, 1):
                    x, y = self.to_pixels(fore * length + f * r * 0.82, s * r * 0.82)
                    d = r * 0.3 * self.scale
                    self.draw.ellipse((x - d, y - d, x + d, y + d), fill=self._dull_colour((226, 182, 120)))
        if self.appearance.code == "B":
            for fore in (0.1, -0.08, -0.26):
                band = [self.to_pixels(fore * length, side * self.half_beam * 0.8) for side in (-1, 1)]
                colour = self._dull_colour(mix_colours(self.livery.base, INK, 0.45))
                self.draw.line(band, fill=colour, width=2 * self.thin)
        if self.appearance.code == "T":
            for grow, colour in ((0.62, INK), (0.42, self._dull_colour(BRONZE))):
                self.fill_disc((0.09 * length, 0.0), self.half_beam * grow, colour)

    def _draw_corvus(self) -> None:
        length, width = self.ship_class.length, self.half_beam * 0.27
        aft, fore = 0.2 * length, 0.45 * length
        self.draw.polygon(self.strip_corners(aft - 0.03, fore + 0.03, -width * 1.3, width * 1.3), fill=INK)
        self.draw.polygon(self.strip_corners(aft, fore, -width, width), fill=(214, 168, 100))
        for i in range(1, 5):
            f = aft + (fore - aft) * i / 5
            self.draw.line(
                [self.to_pixels(f, -width), self.to_pixels(f, width)], fill=(96, 62, 34), width=2 * self.thin
            )
        x, y = self.to_pixels(fore - 0.05, 0.0)
        d = width * 0.72 * self.scale
        self.draw.ellipse((x - d, y - d, x + d, y + d), fill=INK)

    def _draw_eyes(self) -> None:
        for side in (-1, 1):
            for grow, colour in ((0.21, INK), (0.17, (250, 246, 230)), (0.08, INK)):
                self.fill_disc(
                    (0.352 * self.ship_class.length, side * self.half_beam * 0.4), grow * self.half_beam, colour
                )

    def _draw_pitch(self) -> None:
        for fore in (0.24, 0.06, -0.12, -0.3):
            for grow, colour in ((0.56, INK), (0.42, EMBER), (0.22, FLAME)):
                self.fill_disc((fore * self.ship_class.length, 0.0), grow * self.half_beam, colour)


def _half_beam(fore: float) -> float:  # `fore` is a part of the length, the result one of the whole half beam
    along, across = zip(*_HULL_PROFILE, strict=True)
    return float(np.interp(fore, np.array(along), np.array(across)))

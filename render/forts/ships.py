"""Ships as on an old chart, with one outline for each class and letters on the hull; forts with flags; wrecks."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw, ImageFilter

from render.drawing.canvas import OVERSAMPLING, Point, Sprite
from render.drawing.pen import Pen
from render.drawing.style import Colour, Livery, load_font
from rules.forts.engine.state import ClassCode
from rules.forts.engine.state import PlayerColour as Side

WHITE_LIVERY: Final = Livery(
    base=(244, 238, 222), mark=(36, 62, 120), letter=(252, 248, 236), on_base=(28, 32, 52), pattern="stripes"
)
RED_LIVERY: Final = Livery(
    base=(158, 20, 28), mark=(250, 220, 170), letter=(255, 190, 176), on_base=(255, 238, 214), pattern="bands"
)
LIVERIES: Final[dict[str, Livery]] = {"white": WHITE_LIVERY, "red": RED_LIVERY}
SAIL_COLOURS: Final[dict[str, Colour]] = {"white": (253, 250, 240), "red": (182, 18, 28)}
HULL_COLOURS: Final[dict[str, tuple[Colour, Colour]]] = {
    "white": ((246, 234, 206), (24, 34, 78)),
    "red": ((50, 22, 22), (255, 236, 206)),
}
GOLD: Final[Colour] = (255, 205, 64)
PALETTE_COLOURS: Final = (*(livery.base for livery in LIVERIES.values()), *SAIL_COLOURS.values(), GOLD)
_EDGE_COLOUR: Final[Colour] = (26, 18, 16)
_STONE_COLOUR: Final[Colour] = (186, 178, 164)
_HEIGHT_SCALE: Final = 0.8  # of what is above a hull's middle
_SHIP_SCALE: Final = 0.88
"""Scale of the outlines, so that ships in neighbouring hexes do not cover each other."""
_SPRITE_HALF_SIDE: Final = 1.3  # in edges of a hex

# Points are lengths towards the bow and down from the hex's middle, in edges of a hex.
_HULL_OUTLINES: Final[dict[ClassCode, tuple[Point, ...]]] = {
    "BB": ((-0.92, -0.2), (-0.66, -0.2), (-0.62, -0.06), (0.98, -0.06), (0.78, 0.6), (-0.8, 0.6)),
    "GA": (
        (-0.9, -0.46),
        (-0.4, -0.46),
        (-0.36, -0.02),
        (0.5, -0.02),
        (0.56, -0.26),
        (0.98, -0.26),
        (0.66, 0.6),
        (-0.66, 0.6),
    ),
    "FR": ((-0.96, -0.02), (0.66, -0.02), (1.0, -0.14), (0.6, 0.6), (-0.78, 0.6)),
    "BR": ((-0.7, -0.04), (0.62, -0.04), (0.78, -0.1), (0.56, 0.6), (-0.58, 0.6)),
}


def _square_sail(x: float, bottom: float, top: float, half_foot: float, half_head: float) -> tuple[Point, ...]:
    return (
        (x - half_foot, bottom),
        (x - half_head, top),
        (x + half_head, top),
        (x + half_head + 0.05, (bottom + top) / 2),
        (x + half_foot, bottom),
    )


_SAIL_OUTLINES: Final[dict[ClassCode, tuple[tuple[Point, ...], ...]]] = {
    "BB": tuple(
        _square_sail(x, *size)
        for x in (-0.6, 0.02, 0.64)
        for size in ((-0.1, -0.54, 0.29, 0.26), (-0.58, -0.98, 0.24, 0.19))
    ),
    "GA": (
        ((-0.3, -0.12), (-0.26, -0.95), (0.5, -0.95), (0.78, -0.72), (0.84, -0.48), (0.72, -0.24), (0.5, -0.12)),
        ((-0.92, -0.5), (-0.42, -1.06), (-0.42, -0.5)),
    ),
    "FR": (
        ((-0.86, -0.08), (-0.1, -1.06), (-0.1, -0.08)),
        ((-0.02, -0.08), (0.6, -1.06), (0.6, -0.08)),
        ((0.68, -0.72), (0.68, -0.1), (0.98, -0.18)),
    ),
    "BR": (_square_sail(0.02, -0.12, -0.52, 0.42, 0.36), _square_sail(0.02, -0.56, -0.84, 0.28, 0.2)),
}
_MAST_TOPS: Final[dict[ClassCode, tuple[Point, ...]]] = {
    "BB": ((-0.6, -1.04), (0.02, -1.1), (0.64, -1.04)),
    "GA": ((-0.42, -1.1), (0.16, -1.04)),
    "FR": ((-0.1, -1.1), (0.6, -1.1)),
    "BR": ((0.02, -0.98),),
}


def hull_length(code: ClassCode) -> float:
    """Return the length of a ship's hull in edges of a hex."""
    xs = [x for x, _ in _HULL_OUTLINES[code]]
    return _SHIP_SCALE * (max(xs) - min(xs))


def ship_sprite(
    colour: Side, code: ClassCode, hits_left: int, max_hits: int, scale: float, *, flagship: bool, east: bool
) -> Sprite:
    """Return a ship whose anchor is the hull's middle; `scale` is px for each edge, `east` the bow's direction."""
    return _draw_ship_sprite(colour, code, hits_left, max_hits, round(scale, 1), flagship=flagship, east=east)


@lru_cache(maxsize=256)
def _draw_ship_sprite(
    colour: Side, code: ClassCode, hits_left: int, max_hits: int, scale: float, *, flagship: bool, east: bool
) -> Sprite:
    pen = _SidePen(scale * _SHIP_SCALE, east=east, half=_SPRITE_HALF_SIDE / _SHIP_SCALE)
    sail = SAIL_COLOURS[colour]
    wood, ink = HULL_COLOURS[colour]
    livery = LIVERIES[colour]
    for x, top in _MAST_TOPS[code]:
        pen.draw_spar((x, 0.0), (x, top), 0.09, _EDGE_COLOUR)
    for shape in _SAIL_OUTLINES[code]:
        pen.fill_edged(shape, sail)
        if livery.pattern == "bands":
            pen.draw_band(shape, livery.mark)
    hull = _HULL_OUTLINES[code]
    pen.fill_edged(hull, wood, GOLD if flagship else _EDGE_COLOUR)
    if flagship:
        mast, top = _MAST_TOPS[code][-1]
        pen.fill_edged(((mast, top), (mast - 0.62, top + 0.11), (mast, top + 0.2)), GOLD)
        pen.draw_star((-0.76, -0.76), 0.29)
    pen.draw_damage_bar(hits_left, max_hits)
    pen.draw_letters(code, (0.0 if code != "FR" else -0.08, 0.27), 0.94, ink)
    return pen.finish_sprite()


@lru_cache(maxsize=32)
def fort_sprite(colour: Side, scale: float, *, east: bool) -> Sprite:
    pen = _SidePen(scale, east=east)
    livery = LIVERIES[colour]
    pen.draw_spar((0.0, -0.4), (0.0, -1.14), 0.09, _EDGE_COLOUR)
    flag = ((0.02, -1.12), (0.82, -1.06), (0.7, -0.84), (0.82, -0.62), (0.02, -0.6))
    pen.fill_edged(flag, SAIL_COLOURS[colour])
    if livery.pattern == "bands":
        pen.draw_band(flag, livery.mark)
    pen.fill_edged(((-0.86, 0.68), (-0.86, 0.1), (-0.44, 0.1), (0.44, 0.1), (0.86, 0.1), (0.86, 0.68)), _STONE_COLOUR)
    battlements = [(-0.5, 0.68), (-0.58, -0.5)]
    for i in range(4):
        x = -0.58 + i * 0.33
        battlements += [(x, -0.52), (x + 0.17, -0.52), (x + 0.17, -0.34), (x + 0.33, -0.34)]
    pen.fill_edged((*battlements[:-1], (0.58, -0.34), (0.5, 0.68)), (208, 200, 184))
    for x in (-0.72, 0.72):
        pen.fill_edged(((x - 0.1, 0.34), (x + 0.1, 0.34), (x + 0.1, 0.5), (x - 0.1, 0.5)), _EDGE_COLOUR)
    pen.fill_edged(((-0.2, 0.68), (-0.2, 0.28), (0.0, 0.12), (0.2, 0.28), (0.2, 0.68)), _EDGE_COLOUR)
    pen.fill_edged(((-0.08, -0.18), (0.08, -0.18), (0.08, 0.0), (-0.08, 0.0)), _EDGE_COLOUR)
    return pen.finish_sprite()


@lru_cache(maxsize=32)
def wreck_sprite(colour: Side, code: ClassCode, scale: float) -> Sprite:
    pen = _SidePen(scale, east=True)
    for y, width in ((0.46, 0.86), (0.3, 0.56)):
        pen.draw_ripple((0.0, y), width, 0.2)
    pen.draw_spar((-0.3, 0.3), (-0.62, -0.5), 0.11, _EDGE_COLOUR)
    pen.draw_spar((0.2, 0.3), (0.5, -0.66), 0.11, _EDGE_COLOUR)
    pen.fill_edged(((0.42, -0.62), (0.0, -0.44), (0.14, -0.34), (0.02, -0.14), (0.32, -0.26)), SAIL_COLOURS[colour])
    pen.draw_letters(code, (0.0, 0.62), 0.7, _EDGE_COLOUR, halo=(214, 206, 180))
    pen.draw_spar((-0.5, 0.66), (0.5, 0.56), 0.07, (150, 20, 20))
    return pen.finish_sprite()


class _SidePen(Pen):
    """Draws ships from the side, with dark edges. Points are edges of a hex towards the bow and down."""

    def __init__(self, scale: float, *, east: bool, half: float = _SPRITE_HALF_SIDE) -> None:
        self.sign = 1 if east else -1  # of steps to the right along the hull
        super().__init__(2 * round(half * scale), scale, axes=((self.sign, 0.0), (0.0, 1.0)), from_middle=True)
        self.rim = max(OVERSAMPLING, round(0.05 * self.scale))  # width of edges, in px of the large image

    def to_pixels(self, x: float, y: float) -> Point:
        """Return a point in px of the large image. What is above the middle is flattened to fit into the hex."""
        return super().to_pixels(x, y * (_HEIGHT_SCALE if y < 0 else 1.0))

    def fill_edged(self, points: tuple[Point, ...], colour: Colour, edge: Colour = _EDGE_COLOUR) -> None:
        self.fill_polygon(points, colour)
        self._draw_edge(points, edge)

    def _draw_edge(self, points: tuple[Point, ...], colour: Colour) -> None:
        ring = self.all_to_pixels(points)
        self.draw.line([*ring, ring[0], ring[1]], fill=colour, width=self.rim, joint="curve")

    def draw_spar(self, a: Point, b: Point, width: float, colour: Colour) -> None:
        self.draw.line(self.all_to_pixels((a, b)), fill=colour, width=max(OVERSAMPLING, round(width * self.scale)))

    def draw_band(self, points: tuple[Point, ...], colour: Colour) -> None:
        """Draw a band across a sail or flag, which shows the side to colour-blind people."""
        ys = [y for _, y in points]
        middle = min(ys) + 0.58 * (max(ys) - min(ys))
        half = 0.11 * (max(ys) - min(ys)) + 0.02
        mask = Image.new("L", self.image.size)
        inside = ImageDraw.Draw(mask)
        inside.polygon(self.all_to_pixels(points), fill=255)
        top, bottom = self.to_pixels(0.0, middle - half)[1], self.to_pixels(0.0, middle + half)[1]
        inside.rectangle((0, 0, mask.width, top), fill=0)
        inside.rectangle((0, bottom, mask.width, mask.height), fill=0)
        self.image.paste(colour, None, mask)
        self.draw = ImageDraw.Draw(self.image)
        self._draw_edge(points, _EDGE_COLOUR)

    def draw_ripple(self, point: Point, half_width: float, half_height: float) -> None:
        x, y = self.to_pixels(*point)
        dx, dy = half_width * self.scale, half_height * self.scale
        self.draw.ellipse(
            (x - dx, y - dy, x + dx, y + dy), fill=(150, 188, 190, 200), outline=(236, 246, 240), width=self.rim
        )

    def draw_star(self, point: Point, size: float) -> None:
        x, y = self.to_pixels(*point)
        for part, colour in ((1.36, _EDGE_COLOUR), (1.0, GOLD)):
            ring = [
                (x + size * part * r * self.scale * sin(i * pi / 5), y - size * part * r * self.scale * cos(i * pi / 5))
                for i, r in enumerate((1.0, 0.46) * 5)
            ]
            self.draw.polygon(ring, fill=colour)

    def draw_damage_bar(self, hits_left: int, max_hits: int) -> None:
        """Draw a bar with a field for each hit that a ship can take; dark fields are hits taken."""
        width, top, bottom = 0.32, 0.6, 0.84  # of a field, in edges of a hex
        x = -width * max_hits / 2
        a, b = self.to_pixels(x - 0.05, top), self.to_pixels(x + width * max_hits + 0.05, bottom)
        self.draw.rectangle((min(a[0], b[0]), a[1], max(a[0], b[0]), b[1]), fill=_EDGE_COLOUR)
        for i in range(max_hits):
            number = i if self.sign > 0 else max_hits - 1 - i  # the bar shrinks from the right in either direction
            a = self.to_pixels(x + i * width + 0.04, top + 0.05)
            b = self.to_pixels(x + (i + 1) * width - 0.04, bottom - 0.05)
            fill = (150, 226, 90) if number < hits_left else (96, 40, 34)
            self.draw.rectangle((min(a[0], b[0]), a[1], max(a[0], b[0]), b[1]), fill=fill)

    def draw_letters(self, text: str, point: Point, size: float, colour: Colour, halo: Colour | None = None) -> None:
        font = load_font(round(size * self.scale))
        rim = round(0.07 * self.scale) if halo else 0
        self.draw.text(
            self.to_pixels(*point), text, fill=colour, font=font, anchor="mm", stroke_width=rim, stroke_fill=halo
        )

    def finish_sprite(self) -> Sprite:
        """Return the drawing at its final size with its shadow; the anchor is its middle."""
        image = self.finish()
        shadowed = Image.new("RGBA", image.size, (20, 30, 34, 255))
        shift = max(1, round(0.05 * self.scale / OVERSAMPLING))
        mask = Image.new("L", image.size)
        mask.paste(image.getchannel("A").point([level // 2 for level in range(256)]), (shift, shift))
        shadowed.putalpha(mask.filter(ImageFilter.GaussianBlur(max(1.0, shift * 0.8))))
        shadowed.alpha_composite(image)
        return Sprite(shadowed, (image.width / 2, image.height / 2))

"""Small signs that need no letters: damage of a ship, results of attacks, dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING, Point
from render.drawing.pen import Pen
from render.drawing.style import CHALK, INK, Colour, load_font

GOLD: Final[Colour] = (255, 205, 64)
FLAME: Final[Colour] = (255, 214, 92)
EMBER: Final[Colour] = (240, 84, 24)
WOUND: Final[Colour] = (232, 64, 40)
"""Losses, and what a rule forbids."""
FAIR: Final[Colour] = (150, 226, 90)
"""A value and the maximum that a rule allows."""
PLATE: Final[Colour] = (14, 26, 36)
AMBER: Final[Colour] = (255, 182, 50)
PALE: Final[Colour] = (196, 210, 214)
BONE: Final[Colour] = (250, 244, 226)


_Stroke = Callable[[Pen], None]
"""A part of a sign. Points and lengths are parts of the sign's side, from its upper left corner."""
_SPRAY: Final[Colour] = (120, 206, 226)
_SWEAT: Final[Colour] = (120, 206, 250)


def _fill(colour: Colour, *points: Point) -> _Stroke:
    return lambda pen: pen.fill_polygon(points, colour)


def _line(colour: Colour, width: float, *points: Point) -> _Stroke:
    return lambda pen: pen.draw_line(points, colour, width)


def _disc(colour: Colour, at: Point, r: float) -> _Stroke:
    return lambda pen: pen.fill_disc(at, r, colour)


def _ring(colour: Colour, at: Point, r: float, width: float) -> _Stroke:
    return lambda pen: pen.draw_ring(at, r, colour, width)


def _arc(at: Point, across: float, down: float, turns: tuple[float, float], steps: int) -> list[Point]:
    """Return points of an arc, from one angle to another in radians."""
    start, end = turns
    angles = [start + (end - start) * i / steps for i in range(steps + 1)]
    return [(at[0] + across * cos(angle), at[1] + down * sin(angle)) for angle in angles]


def _wave(y: float) -> list[Point]:
    return [(i / 12, y + 0.07 * sin(i * pi / 3)) for i in range(13)]


def _drop(x: float, y: float, r: float) -> tuple[_Stroke, ...]:
    tip = ((x - r * 0.86, y - r * 0.12), (x + r * 0.86, y - r * 0.12), (x, y - r * 1.7))
    return _disc(_SWEAT, (x, y + r * 0.2), r), _fill(_SWEAT, *tip)


def _shorn_hull(out: float) -> tuple[_Stroke, ...]:
    """Return a hull, bow up, whose oars are broken on one side: -1 is port, 1 starboard."""
    edge = [(0.5 + out * x, y) for x, y in ((0.24, 0.3), (0.44, 0.5), (0.24, 0.6), (0.44, 0.84))]
    return (
        _fill(CHALK, (0.5, 0.0), (0.64, 0.26), (0.62, 0.94), (0.38, 0.94), (0.36, 0.26)),
        *(_line(CHALK, 0.08, (0.5 - out * 0.16, y), (0.5 - out * 0.46, y + 0.12)) for y in (0.3, 0.5, 0.7)),
        _line(WOUND, 0.13, *edge),
    )


def _sword(tip: Point, guard: Point, hilt: tuple[Point, Point]) -> tuple[_Stroke, ...]:
    grip = (guard[0] + (0.18 if guard[0] > 0.5 else -0.18), guard[1] + 0.18)
    return _line(CHALK, 0.13, tip, guard), _line(GOLD, 0.11, *hilt), _line(GOLD, 0.11, guard, grip)


_STAR: Final = [(0.5 + r * 0.3 * sin(i * pi / 5), 0.5 + r * 0.3 * cos(i * pi / 5)) for i, r in enumerate((1, 0.45) * 5)]
_HEX: Final = [(0.5 + 0.5 * cos(pi * i / 3), 0.5 + 0.5 * sin(pi * i / 3)) for i in range(6)]
_BOW: Final = _arc((0.3, 0.5), 0.34, 0.46, (-pi / 2, pi / 2), 12)
_ROUND_THE_STERN: Final = [(0.76 - 0.16 * cos(angle), 0.34 - 0.26 * sin(angle)) for angle in (0.8, 1.6, 2.4)]
_FLAME: Final = (
    _fill(EMBER, (0.5, 0.0), (0.62, 0.22), (0.8, 0.4), (0.88, 0.66), (0.76, 0.9), (0.5, 1.0),
          (0.24, 0.9), (0.12, 0.66), (0.2, 0.42), (0.3, 0.52), (0.36, 0.24)),
    _fill(FLAME, (0.52, 0.4), (0.66, 0.62), (0.66, 0.82), (0.5, 0.94), (0.34, 0.82), (0.36, 0.64)),
)  # fmt: skip
_BROKEN_OAR: Final = (
    _line(CHALK, 0.12, (0.1, 0.9), (0.42, 0.58)),
    _line(CHALK, 0.12, (0.58, 0.42), (0.8, 0.2)),
    _fill(CHALK, (0.7, 0.16), (0.86, 0.02), (0.98, 0.14), (0.84, 0.3)),
    _line(WOUND, 0.12, (0.34, 0.4), (0.66, 0.62)),
)
_SWORDS: Final = (
    *_sword((0.1, 0.08), (0.74, 0.72), ((0.56, 0.84), (0.86, 0.56))),
    *_sword((0.9, 0.08), (0.26, 0.72), ((0.44, 0.84), (0.14, 0.56))),
)
_FLAG: Final = (
    _line(CHALK, 0.1, (0.2, 0.04), (0.2, 0.98)),
    _fill(GOLD, (0.24, 0.06), (0.96, 0.2), (0.7, 0.36), (0.96, 0.56), (0.24, 0.58)),
)
_OAR_SWIPE: Final = (
    *(_line(CHALK, 0.1, (x + dx, y), (x + dx - 0.06, low)) for x in (0.16, 0.4, 0.64, 0.88)
      for dx, y, low in ((0.0, 0.04, 0.4), (-0.1, 0.64, 0.96))),
    _line(WOUND, 0.11, (0.0, 0.6), (1.0, 0.44)),
)  # fmt: skip
_BARRED: Final = (_ring(WOUND, (0.5, 0.5), 0.46, 0.14), _line(WOUND, 0.14, (0.2, 0.8), (0.8, 0.2)))

_STROKES_BY_SIGN: Final[dict[str, tuple[_Stroke, ...]]] = {
    "sweat": (*_drop(0.62, 0.6, 0.34), *_drop(0.2, 0.34, 0.18), _disc(CHALK, (0.52, 0.74), 0.1)),
    "holed": (
        _fill(CHALK, (0.06, 0.3), (0.94, 0.3), (0.78, 0.86), (0.22, 0.86)),
        _fill(WOUND, *_STAR),
        _line(_SPRAY, 0.12, *_wave(0.8)),
    ),
    "crippled-port": _shorn_hull(-1),
    "crippled-starboard": _shorn_hull(1),
    "retaken": (
        *_FLAG,
        _line(FAIR, 0.12, (0.44, 0.98), (0.44, 0.74)),
        _fill(FAIR, (0.24, 0.8), (0.64, 0.8), (0.44, 0.58)),
    ),
    "sails": (
        _line(CHALK, 0.1, (0.5, 0.02), (0.5, 0.98)),
        _fill(CHALK, (0.1, 0.14), (0.9, 0.14), (0.8, 0.74), (0.2, 0.74)),
    ),
    "mast": (
        _line(CHALK, 0.12, (0.06, 0.9), (0.94, 0.9)),
        _line(CHALK, 0.12, (0.3, 0.86), (0.3, 0.56)),
        _line(WOUND, 0.12, (0.36, 0.5), (0.92, 0.16)),
    ),
    "through": (
        *(
            _fill(PALE, (x + 0.13, 0.2), (x + 0.26, 0.4), (x + 0.22, 0.86), (x + 0.04, 0.86), (x, 0.4))
            for x in (0.06, 0.68)
        ),
        _line(GOLD, 0.12, (0.5, 0.98), (0.5, 0.2)),
        _fill(GOLD, (0.5, 0.0), (0.34, 0.26), (0.66, 0.26)),
    ),
    "anastrophe": (
        _fill(PALE, (0.3, 0.14), (0.44, 0.36), (0.42, 0.84), (0.18, 0.84), (0.16, 0.36)),
        _line(GOLD, 0.11, (0.62, 0.98), (0.62, 0.4), *_ROUND_THE_STERN, (0.92, 0.46), (0.84, 0.66)),
        _fill(GOLD, (0.5, 0.66), (0.82, 0.52), (0.84, 0.86)),
    ),
    "cut": (
        _line((214, 168, 100), 0.12, (0.2, 0.96), (0.62, 0.2)),
        _fill(CHALK, (0.5, 0.06), (0.74, 0.02), (0.98, 0.34), (0.9, 0.5), (0.6, 0.34)),
    ),
    "avoid": (
        _line(FAIR, 0.14, (0.1, 0.86), (0.3, 0.5), (0.76, 0.3)),
        _fill(FAIR, (0.98, 0.2), (0.64, 0.1), (0.74, 0.5)),
    ),
    "rake": _OAR_SWIPE,
    "board": _SWORDS,
    "fire": _FLAME,
    "halved": _BROKEN_OAR,
    "bank": _BROKEN_OAR,
    "dead": (
        _fill(CHALK, (0.5, 0.02), (0.7, 0.34), (0.7, 0.8), (0.5, 0.98), (0.3, 0.8), (0.3, 0.34)),
        _line(WOUND, 0.14, (0.1, 0.2), (0.9, 0.8)),
        _line(WOUND, 0.14, (0.1, 0.8), (0.9, 0.2)),
    ),
    "immobilised": (
        _fill(CHALK, (0.2, 0.08), (0.8, 0.08), (0.5, 0.52)),
        _fill(AMBER, (0.2, 0.92), (0.8, 0.92), (0.5, 0.48)),
        *(_line(AMBER, 0.12, (0.16, y), (0.84, y)) for y in (0.07, 0.93)),
    ),
    "beached": (
        _fill((232, 206, 150), (0.0, 0.92), (0.2, 0.66), (0.5, 0.56), (0.8, 0.66), (1.0, 0.92)),
        _fill(CHALK, (0.5, 0.04), (0.64, 0.3), (0.6, 0.66), (0.4, 0.66), (0.36, 0.3)),
    ),
    "sunk": (
        _fill(CHALK, (0.3, 0.64), (0.58, 0.02), (0.8, 0.14), (0.66, 0.64)),
        *(_line(_SPRAY, 0.1, *_wave(y)) for y in (0.68, 0.88)),
    ),
    "stuck": (
        _fill(CHALK, (0.0, 0.36), (0.6, 0.5), (0.0, 0.64)),
        _fill(AMBER, (0.52, 0.06), (0.78, 0.06), (0.78, 0.94), (0.52, 0.94)),
        _line(WOUND, 0.13, (0.52, 0.5), (0.98, 0.5)),
    ),
    "glanced": (
        _line(CHALK, 0.13, (0.06, 0.12), (0.5, 0.56), (0.9, 0.2)),
        _fill(CHALK, (0.98, 0.06), (0.96, 0.42), (0.64, 0.12)),
        _line(PALE, 0.13, (0.1, 0.86), (0.9, 0.86)),
    ),
    "none": (_line(PALE, 0.16, (0.2, 0.5), (0.8, 0.5)),),
    "linked": (
        *(_ring(INK, (x, 0.5), 0.3, 0.2) for x in (0.34, 0.66)),
        _ring(GOLD, (0.34, 0.5), 0.27, 0.12),
        _ring(CHALK, (0.66, 0.5), 0.27, 0.12),
    ),
    "crew": (
        _disc(CHALK, (0.5, 0.22), 0.2),
        _fill(CHALK, (0.18, 0.98), (0.24, 0.52), (0.5, 0.42), (0.76, 0.52), (0.82, 0.98)),
    ),
    "melee": _SWORDS,
    "prize": _FLAG,
    "shot": (
        _line(GOLD, 0.1, *_BOW),
        _line(CHALK, 0.05, _BOW[0], _BOW[-1]),
        _line(CHALK, 0.09, (0.06, 0.5), (0.84, 0.5)),
        _fill(CHALK, (0.98, 0.5), (0.78, 0.36), (0.78, 0.64)),
    ),
    "ram": (
        _fill(GOLD, (0.0, 0.2), (0.52, 0.3), (0.98, 0.5), (0.52, 0.7), (0.0, 0.8), (0.16, 0.5)),
        _line(INK, 0.08, (0.06, 0.5), (0.6, 0.5)),
    ),
    "swipe": _OAR_SWIPE,
    "grapple": (
        _line(CHALK, 0.11, (0.5, 0.02), (0.5, 0.7)),
        _line(GOLD, 0.12, *_arc((0.5, 0.56), 0.36, 0.36, (0.0, pi), 12)),
        *(_fill(GOLD, (x, 0.34), (x - 0.13, 0.6), (x + 0.13, 0.6)) for x in (0.14, 0.86)),
    ),
    "blocked": _BARRED,
    "unfit": _BARRED,
    "angle": (
        _line(CHALK, 0.12, (0.94, 0.1), (0.1, 0.86), (0.96, 0.86)),
        _line(AMBER, 0.1, *_arc((0.1, 0.86), 0.56, -0.56, (0.0, 0.78), 8)),
    ),
    "missed": (
        _fill(PALE, (0.3, 0.3), (0.7, 0.3), (0.7, 0.98), (0.3, 0.98)),
        _line(WOUND, 0.13, (0.02, 0.12), (0.9, 0.12)),
        _fill(WOUND, (1.0, 0.12), (0.76, 0.0), (0.76, 0.26)),
    ),
    "turn": (
        _line(CHALK, 0.12, *_arc((0.5, 0.56), 0.36, 0.36, (-pi * 0.9, pi * 0.6), 14)),
        _fill(CHALK, (0.02, 0.52), (0.3, 0.14), (0.4, 0.56)),
    ),
    "draw": (_disc(CHALK, (0.5, 0.5), 0.48), _disc((40, 104, 130), (0.5, 0.5), 0.36), _disc(GOLD, (0.5, 0.5), 0.14)),
    "hex": (_fill(CHALK, *_HEX), _fill(PLATE, *((0.5 + 0.66 * (x - 0.5), 0.5 + 0.66 * (y - 0.5)) for x, y in _HEX))),
    "yes": (_line(FAIR, 0.17, (0.1, 0.55), (0.4, 0.85), (0.92, 0.15)),),
    "no": (_line(WOUND, 0.17, (0.15, 0.15), (0.85, 0.85)), _line(WOUND, 0.17, (0.85, 0.15), (0.15, 0.85))),
}


@lru_cache(maxsize=128)
def draw_sign(name: str, size: int) -> Image.Image:
    """Draw a sign with a side in pixels. Raises KeyError for an unknown name."""
    pen = Pen(max(6, size), max(6, size))
    for stroke in _STROKES_BY_SIGN[name]:
        stroke(pen)
    return pen.finish()


_DIE_PIPS: Final = {
    1: ((0.5, 0.5),),
    2: ((0.26, 0.26), (0.74, 0.74)),
    3: ((0.26, 0.26), (0.5, 0.5), (0.74, 0.74)),
    4: ((0.26, 0.26), (0.74, 0.26), (0.26, 0.74), (0.74, 0.74)),
    5: ((0.26, 0.26), (0.74, 0.26), (0.5, 0.5), (0.26, 0.74), (0.74, 0.74)),
    6: ((0.26, 0.22), (0.26, 0.5), (0.26, 0.78), (0.74, 0.22), (0.74, 0.5), (0.74, 0.78)),
}


@lru_cache(maxsize=64)
def draw_die(number: int, size: int, face: Colour = BONE) -> Image.Image:
    """Draw a die that shows a number; 0 is a blank die that is not rolled yet."""
    large_size = max(6, size) * OVERSAMPLING
    image = Image.new("RGBA", (large_size, large_size))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, large_size - 1, large_size - 1), radius=large_size * 0.2, fill=INK)
    edge = large_size * 0.06
    draw.rounded_rectangle(
        (edge, edge, large_size - 1 - edge, large_size - 1 - edge), radius=large_size * 0.16, fill=face
    )
    r = large_size * 0.105
    for x, y in _DIE_PIPS.get(number, ()):
        draw.ellipse((x * large_size - r, y * large_size - r, x * large_size + r, y * large_size + r), fill=INK)
    return image.reduce(OVERSAMPLING)


# --- chips: signs and numbers in a row on a plate ------------------------------------------------------------------

SignPart = Image.Image | str


def draw_row(parts: Sequence[SignPart], size: int, *, edge: Colour = PALE, colour: Colour = CHALK) -> Image.Image:
    """Draw signs and words side by side on a dark plate; `size` is the height of letters in pixels."""
    pad, gap = round(size * 0.24), round(size * 0.16)
    font = load_font(size)
    widths = [part.width if isinstance(part, Image.Image) else round(font.getlength(part)) for part in parts]
    height = round(size * 1.16)
    image = _draw_plate((sum(widths) + gap * (len(parts) - 1) + 2 * pad, height), edge, size).copy()
    draw, x = ImageDraw.Draw(image), pad
    for part, width in zip(parts, widths, strict=True):
        if isinstance(part, Image.Image):
            image.alpha_composite(part, (x, (height - part.height) // 2))
        else:
            draw.text((x, height * 0.5), part, fill=colour, font=font, anchor="lm")
        x += width + gap
    return image


PlateRow = tuple[list[SignPart], Colour]
"""What stands on a plate, and the colour of its edge."""


def signed_text(number: int) -> list[SignPart]:
    """Return a modifier with its sign; nothing for 0."""
    return [f"{number:+d}".replace("-", "−")] if number else []


class PlateWriter:
    """Signs and dice of one size in pixels, from which a game makes its plates."""

    def __init__(self, size: int) -> None:
        self.size = size

    def draw_sign(self, name: str) -> Image.Image:
        return draw_sign(name, self.size)

    def draw_dice(self, *thrown: int | None, face: Colour = BONE) -> list[SignPart]:
        """Draw dice with these numbers; None is a die that was not thrown."""
        return [draw_die(number, self.size, face) for number in thrown if number is not None]


@lru_cache(maxsize=64)
def _draw_plate(size: tuple[int, int], edge: Colour, letters: int) -> Image.Image:
    fine = 2
    image = Image.new("RGBA", (size[0] * fine, size[1] * fine))
    box = (0, 0, size[0] * fine - 1, size[1] * fine - 1)
    ImageDraw.Draw(image).rounded_rectangle(
        box, radius=letters * 0.3 * fine, fill=(*PLATE, 232), outline=edge, width=max(1, round(letters * 0.07 * fine))
    )
    return image.reduce(fine)

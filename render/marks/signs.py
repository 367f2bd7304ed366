"""Small signs that need no letters: damage of a ship, results of attacks, dice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Any, Final, TypeVar

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING, Point
from render.drawing.marking import note_sign
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


W = TypeVar("W", bound="PlateWriter")
_Stroke = Callable[[Pen], None]
"""A part of a sign. Points and lengths are parts of the sign's side, from its upper left corner."""
_SPRAY: Final[Colour] = (120, 206, 226)
_SWEAT: Final[Colour] = (120, 206, 250)


def _points(path: str | Sequence[Point]) -> Sequence[Point]:
    """Return points; a text such as `0,36 60,50` lists hundredths of the sign's side."""
    if not isinstance(path, str):
        return path
    return [(int(x) / 100, int(y) / 100) for x, y in (point.split(",") for point in path.split())]


def _fill(colour: Colour, path: str | Sequence[Point]) -> _Stroke:
    points = _points(path)
    return lambda pen: pen.fill_polygon(points, colour)


def _line(colour: Colour, width: float, path: str | Sequence[Point]) -> _Stroke:
    points = _points(path)
    return lambda pen: pen.draw_line(points, colour, width)


def _disc(colour: Colour, at: Point, r: float) -> _Stroke:
    return lambda pen: pen.fill_disc(at, r, colour)


def _ring(colour: Colour, at: Point, r: float, width: float) -> _Stroke:
    return lambda pen: pen.draw_ring(at, r, colour, width)


def _arc(at: Point, radius_x: float, radius_y: float, span: tuple[float, float], steps: int) -> list[Point]:
    """Return points of an elliptic arc, from one angle to another in radians (clockwise from the right)."""
    start, end = span
    angles = [start + (end - start) * i / steps for i in range(steps + 1)]
    return [(at[0] + radius_x * cos(angle), at[1] + radius_y * sin(angle)) for angle in angles]


def _wave(y: float) -> list[Point]:
    return [(i / 12, y + 0.07 * sin(i * pi / 3)) for i in range(13)]


def _drop(x: float, y: float, r: float) -> tuple[_Stroke, ...]:
    tip = ((x - r * 0.86, y - r * 0.12), (x + r * 0.86, y - r * 0.12), (x, y - r * 1.7))
    return _disc(_SWEAT, (x, y + r * 0.2), r), _fill(_SWEAT, tip)


def _shorn_hull(broken_side: float) -> tuple[_Stroke, ...]:
    """Return a hull, bow up, whose oars are broken on one side (`broken_side`: -1 is port, 1 starboard)."""
    edge = [(0.5 + broken_side * x, y) for x, y in ((0.24, 0.3), (0.44, 0.5), (0.24, 0.6), (0.44, 0.84))]
    return (
        _fill(CHALK, "50,0 64,26 62,94 38,94 36,26"),
        *(
            _line(CHALK, 0.08, [(0.5 - broken_side * 0.16, y), (0.5 - broken_side * 0.46, y + 0.12)])
            for y in (0.3, 0.5, 0.7)
        ),
        _line(WOUND, 0.13, edge),
    )


def _sword(tip: Point, guard: Point, hilt: tuple[Point, Point]) -> tuple[_Stroke, ...]:
    grip = (guard[0] + (0.18 if guard[0] > 0.5 else -0.18), guard[1] + 0.18)
    return _line(CHALK, 0.13, [tip, guard]), _line(GOLD, 0.11, hilt), _line(GOLD, 0.11, [guard, grip])


_STAR: Final = [(0.5 + r * 0.3 * sin(i * pi / 5), 0.5 + r * 0.3 * cos(i * pi / 5)) for i, r in enumerate((1, 0.45) * 5)]
_HEX: Final = [(0.5 + 0.5 * cos(pi * i / 3), 0.5 + 0.5 * sin(pi * i / 3)) for i in range(6)]
_BOW: Final = _arc((0.3, 0.5), 0.34, 0.46, (-pi / 2, pi / 2), 12)
_ROUND_THE_STERN: Final = [(0.76 - 0.16 * cos(angle), 0.34 - 0.26 * sin(angle)) for angle in (0.8, 1.6, 2.4)]
_FLAME: Final = (
    _fill(EMBER, "50,0 62,22 80,40 88,66 76,90 50,100 24,90 12,66 20,42 30,52 36,24"),
    _fill(FLAME, "52,40 66,62 66,82 50,94 34,82 36,64"),
)
_BROKEN_OAR: Final = (
    _line(CHALK, 0.12, "10,90 42,58"),
    _line(CHALK, 0.12, "58,42 80,20"),
    _fill(CHALK, "70,16 86,2 98,14 84,30"),
    _line(WOUND, 0.12, "34,40 66,62"),
)
_SWORDS: Final = (
    *_sword((0.1, 0.08), (0.74, 0.72), ((0.56, 0.84), (0.86, 0.56))),
    *_sword((0.9, 0.08), (0.26, 0.72), ((0.44, 0.84), (0.14, 0.56))),
)
_FLAG: Final = (_line(CHALK, 0.1, "20,4 20,98"), _fill(GOLD, "24,6 96,20 70,36 96,56 24,58"))
_OAR_SWIPE: Final = (
    *(_line(CHALK, 0.1, [(x + dx, y), (x + dx - 0.06, low)]) for x in (0.16, 0.4, 0.64, 0.88)
      for dx, y, low in ((0.0, 0.04, 0.4), (-0.1, 0.64, 0.96))),
    _line(WOUND, 0.11, "0,60 100,44"),
)  # fmt: skip
_BARRED: Final = (_ring(WOUND, (0.5, 0.5), 0.46, 0.14), _line(WOUND, 0.14, "20,80 80,20"))

_STROKES_BY_SIGN: Final[dict[str, tuple[_Stroke, ...]]] = {
    "sweat": (*_drop(0.62, 0.6, 0.34), *_drop(0.2, 0.34, 0.18), _disc(CHALK, (0.52, 0.74), 0.1)),
    "holed": (_fill(CHALK, "6,30 94,30 78,86 22,86"), _fill(WOUND, _STAR), _line(_SPRAY, 0.12, _wave(0.8))),
    "crippled-port": _shorn_hull(-1),
    "crippled-starboard": _shorn_hull(1),
    "retaken": (*_FLAG, _line(FAIR, 0.12, "44,98 44,74"), _fill(FAIR, "24,80 64,80 44,58")),
    "sails": (_line(CHALK, 0.1, "50,2 50,98"), _fill(CHALK, "10,14 90,14 80,74 20,74")),
    "mast": (_line(CHALK, 0.12, "6,90 94,90"), _line(CHALK, 0.12, "30,86 30,56"), _line(WOUND, 0.12, "36,50 92,16")),
    "through": (
        _fill(PALE, "19,20 32,40 28,86 10,86 6,40"),
        _fill(PALE, "81,20 94,40 90,86 72,86 68,40"),
        _line(GOLD, 0.12, "50,98 50,20"),
        _fill(GOLD, "50,0 34,26 66,26"),
    ),
    "anastrophe": (
        _fill(PALE, "30,14 44,36 42,84 18,84 16,36"),
        _line(GOLD, 0.11, [(0.62, 0.98), (0.62, 0.4), *_ROUND_THE_STERN, (0.92, 0.46), (0.84, 0.66)]),
        _fill(GOLD, "50,66 82,52 84,86"),
    ),
    "cut": (_line((214, 168, 100), 0.12, "20,96 62,20"), _fill(CHALK, "50,6 74,2 98,34 90,50 60,34")),
    "avoid": (_line(FAIR, 0.14, "10,86 30,50 76,30"), _fill(FAIR, "98,20 64,10 74,50")),
    "rake": _OAR_SWIPE,
    "board": _SWORDS,
    "fire": _FLAME,
    "halved": _BROKEN_OAR,
    "bank": _BROKEN_OAR,
    "dead": (
        _fill(CHALK, "50,2 70,34 70,80 50,98 30,80 30,34"),
        _line(WOUND, 0.14, "10,20 90,80"),
        _line(WOUND, 0.14, "10,80 90,20"),
    ),
    "immobilised": (
        _fill(CHALK, "20,8 80,8 50,52"),
        _fill(AMBER, "20,92 80,92 50,48"),
        _line(AMBER, 0.12, "16,7 84,7"),
        _line(AMBER, 0.12, "16,93 84,93"),
    ),
    "beached": (_fill((232, 206, 150), "0,92 20,66 50,56 80,66 100,92"), _fill(CHALK, "50,4 64,30 60,66 40,66 36,30")),
    "sunk": (_fill(CHALK, "30,64 58,2 80,14 66,64"), *(_line(_SPRAY, 0.1, _wave(y)) for y in (0.68, 0.88))),
    "stuck": (
        _fill(CHALK, "0,36 60,50 0,64"),
        _fill(AMBER, "52,6 78,6 78,94 52,94"),
        _line(WOUND, 0.13, "52,50 98,50"),
    ),
    "glanced": (
        _line(CHALK, 0.13, "6,12 50,56 90,20"),
        _fill(CHALK, "98,6 96,42 64,12"),
        _line(PALE, 0.13, "10,86 90,86"),
    ),
    "none": (_line(PALE, 0.16, "20,50 80,50"),),
    "linked": (
        *(_ring(INK, (x, 0.5), 0.3, 0.2) for x in (0.34, 0.66)),
        _ring(GOLD, (0.34, 0.5), 0.27, 0.12),
        _ring(CHALK, (0.66, 0.5), 0.27, 0.12),
    ),
    "crew": (_disc(CHALK, (0.5, 0.22), 0.2), _fill(CHALK, "18,98 24,52 50,42 76,52 82,98")),
    "melee": _SWORDS,
    "prize": _FLAG,
    "shot": (
        _line(GOLD, 0.1, _BOW),
        _line(CHALK, 0.05, [_BOW[0], _BOW[-1]]),
        _line(CHALK, 0.09, "6,50 84,50"),
        _fill(CHALK, "98,50 78,36 78,64"),
    ),
    "ram": (_fill(GOLD, "0,20 52,30 98,50 52,70 0,80 16,50"), _line(INK, 0.08, "6,50 60,50")),
    "swipe": _OAR_SWIPE,
    "grapple": (
        _line(CHALK, 0.11, "50,2 50,70"),
        _line(GOLD, 0.12, _arc((0.5, 0.56), 0.36, 0.36, (0.0, pi), 12)),
        _fill(GOLD, "14,34 1,60 27,60"),
        _fill(GOLD, "86,34 73,60 99,60"),
    ),
    "blocked": _BARRED,
    "unfit": _BARRED,
    "angle": (
        _line(CHALK, 0.12, "94,10 10,86 96,86"),
        _line(AMBER, 0.1, _arc((0.1, 0.86), 0.56, -0.56, (0.0, 0.78), 8)),
    ),
    "missed": (
        _fill(PALE, "30,30 70,30 70,98 30,98"),
        _line(WOUND, 0.13, "2,12 90,12"),
        _fill(WOUND, "100,12 76,0 76,26"),
    ),
    "turn": (
        _line(CHALK, 0.12, _arc((0.5, 0.56), 0.36, 0.36, (-pi * 0.9, pi * 0.6), 14)),
        _fill(CHALK, "2,52 30,14 40,56"),
    ),
    "draw": (_disc(CHALK, (0.5, 0.5), 0.48), _disc((40, 104, 130), (0.5, 0.5), 0.36), _disc(GOLD, (0.5, 0.5), 0.14)),
    "hex": (_fill(CHALK, _HEX), _fill(PLATE, [(0.5 + 0.66 * (x - 0.5), 0.5 + 0.66 * (y - 0.5)) for x, y in _HEX])),
    "yes": (_line(FAIR, 0.17, "10,55 40,85 92,15"),),
    "no": (_line(WOUND, 0.17, "15,15 85,85"), _line(WOUND, 0.17, "85,15 15,85")),
}


def draw_sign(name: str, size: int) -> Image.Image:
    """Draw a sign with a side in pixels. Raises KeyError for an unknown name."""
    image = _draw_sign(name, size)
    note_sign(f"sign.{name}", image)
    return image


@lru_cache(maxsize=128)
def _draw_sign(name: str, size: int) -> Image.Image:
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


# --- plates: signs and numbers in a row ----------------------------------------------------------------------------

SignPart = Image.Image | str
SIGN_MARKS: Final = tuple(f"sign.{name}" for name in _STROKES_BY_SIGN)
"""The names of all signs, as marks of a legend."""


def draw_row(parts: Sequence[SignPart], size: int, *, edge: Colour = PALE) -> Image.Image:
    """Draw signs and words side by side on a dark plate; `size` is the height of letters in pixels."""
    side_margin = round(size * 0.24)
    gap = round(size * 0.16)
    font = load_font(size)
    widths = [part.width if isinstance(part, Image.Image) else round(font.getlength(part)) for part in parts]
    height = round(size * 1.16)
    image = _draw_plate((sum(widths) + gap * (len(parts) - 1) + 2 * side_margin, height), edge, size).copy()
    draw = ImageDraw.Draw(image)
    x = side_margin
    for part, width in zip(parts, widths, strict=True):
        if isinstance(part, Image.Image):
            image.alpha_composite(part, (x, (height - part.height) // 2))
        else:
            draw.text((x, height * 0.5), part, fill=CHALK, font=font, anchor="lm")
        x += width + gap
    return image


PlateRow = tuple[list[SignPart], Colour]
"""The parts of a plate and the colour of its edge."""


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


def draw_event_plate(
    rows: Mapping[type[Any], Callable[[W, Any], PlateRow]], writer: Callable[[int], W], event: object, letter_px: int
) -> Image.Image | None:
    """Draw what an event rolled and its result. Return None if `rows` has no row for the event."""
    make_row = rows.get(type(event))
    if make_row is None:
        return None
    parts, edge = make_row(writer(round(letter_px * 0.86)), event)
    return draw_row(parts, letter_px, edge=edge)


@lru_cache(maxsize=64)
def _draw_plate(size: tuple[int, int], edge: Colour, letter_px: int) -> Image.Image:
    oversampling = 2
    image = Image.new("RGBA", (size[0] * oversampling, size[1] * oversampling))
    box = (0, 0, size[0] * oversampling - 1, size[1] * oversampling - 1)
    ImageDraw.Draw(image).rounded_rectangle(
        box,
        radius=letter_px * 0.3 * oversampling,
        fill=(*PLATE, 232),
        outline=edge,
        width=max(1, round(letter_px * 0.07 * oversampling)),
    )
    return image.reduce(oversampling)

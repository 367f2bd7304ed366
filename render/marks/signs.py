"""Small signs that need no letters: damage of a ship, results of attacks, dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING
from render.drawing.pen import Pen
from render.drawing.style import CHALK, Colour, load_font

INK: Final[Colour] = (20, 16, 20)
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


def _draw_flame(pen: Pen) -> None:
    outer = [(0.5, 0.0), (0.62, 0.22), (0.8, 0.4), (0.88, 0.66), (0.76, 0.9), (0.5, 1.0)]
    outer += [(0.24, 0.9), (0.12, 0.66), (0.2, 0.42), (0.3, 0.52), (0.36, 0.24)]
    pen.fill_polygon(outer, EMBER)
    pen.fill_polygon([(0.52, 0.4), (0.66, 0.62), (0.66, 0.82), (0.5, 0.94), (0.34, 0.82), (0.36, 0.64)], FLAME)


def _draw_broken_oar(pen: Pen) -> None:
    pen.draw_line([(0.1, 0.9), (0.42, 0.58)], CHALK, 0.12)
    pen.draw_line([(0.58, 0.42), (0.8, 0.2)], CHALK, 0.12)
    pen.fill_polygon([(0.7, 0.16), (0.86, 0.02), (0.98, 0.14), (0.84, 0.3)], CHALK)
    pen.draw_line([(0.34, 0.4), (0.66, 0.62)], WOUND, 0.12)


def _draw_crossed_hull(pen: Pen) -> None:
    pen.fill_polygon([(0.5, 0.02), (0.7, 0.34), (0.7, 0.8), (0.5, 0.98), (0.3, 0.8), (0.3, 0.34)], CHALK)
    pen.draw_line([(0.1, 0.2), (0.9, 0.8)], WOUND, 0.14)
    pen.draw_line([(0.1, 0.8), (0.9, 0.2)], WOUND, 0.14)


def _draw_hourglass(pen: Pen) -> None:
    pen.fill_polygon([(0.2, 0.08), (0.8, 0.08), (0.5, 0.52)], CHALK)
    pen.fill_polygon([(0.2, 0.92), (0.8, 0.92), (0.5, 0.48)], AMBER)
    pen.draw_line([(0.16, 0.07), (0.84, 0.07)], AMBER, 0.12)
    pen.draw_line([(0.16, 0.93), (0.84, 0.93)], AMBER, 0.12)


def _draw_beach(pen: Pen) -> None:
    pen.fill_polygon([(0.0, 0.92), (0.2, 0.66), (0.5, 0.56), (0.8, 0.66), (1.0, 0.92)], (232, 206, 150))
    pen.fill_polygon([(0.5, 0.04), (0.64, 0.3), (0.6, 0.66), (0.4, 0.66), (0.36, 0.3)], CHALK)


def _draw_sinking(pen: Pen) -> None:
    pen.fill_polygon([(0.3, 0.64), (0.58, 0.02), (0.8, 0.14), (0.66, 0.64)], CHALK)
    for y in (0.68, 0.88):
        wave = [(i / 12, y + 0.07 * sin(i * pi / 3)) for i in range(13)]
        pen.draw_line(wave, (120, 206, 226), 0.1)


def _draw_stuck_ram(pen: Pen) -> None:
    pen.fill_polygon([(0.0, 0.36), (0.6, 0.5), (0.0, 0.64)], CHALK)
    pen.fill_polygon([(0.52, 0.06), (0.78, 0.06), (0.78, 0.94), (0.52, 0.94)], AMBER)
    pen.draw_line([(0.52, 0.5), (0.98, 0.5)], WOUND, 0.13)


def _draw_glancing_blow(pen: Pen) -> None:
    pen.draw_line([(0.06, 0.12), (0.5, 0.56), (0.9, 0.2)], CHALK, 0.13)
    pen.fill_polygon([(0.98, 0.06), (0.96, 0.42), (0.64, 0.12)], CHALK)
    pen.draw_line([(0.1, 0.86), (0.9, 0.86)], PALE, 0.13)


def _draw_nothing(pen: Pen) -> None:
    pen.draw_line([(0.2, 0.5), (0.8, 0.5)], PALE, 0.16)


def _draw_rings(pen: Pen) -> None:
    pen.draw_ring((0.34, 0.5), 0.3, INK, 0.2)
    pen.draw_ring((0.66, 0.5), 0.3, INK, 0.2)
    pen.draw_ring((0.34, 0.5), 0.27, GOLD, 0.12)
    pen.draw_ring((0.66, 0.5), 0.27, CHALK, 0.12)


def _draw_men(pen: Pen) -> None:
    pen.fill_disc((0.5, 0.22), 0.2, CHALK)
    pen.fill_polygon([(0.18, 0.98), (0.24, 0.52), (0.5, 0.42), (0.76, 0.52), (0.82, 0.98)], CHALK)


def _draw_swords(pen: Pen) -> None:
    for a, b, hilt in (
        ((0.1, 0.08), (0.74, 0.72), ((0.56, 0.84), (0.86, 0.56))),
        ((0.9, 0.08), (0.26, 0.72), ((0.44, 0.84), (0.14, 0.56))),
    ):
        pen.draw_line([a, b], CHALK, 0.13)
        pen.draw_line(list(hilt), GOLD, 0.11)
        pen.draw_line([b, (b[0] + (0.18 if b[0] > 0.5 else -0.18), b[1] + 0.18)], GOLD, 0.11)


def _draw_flag(pen: Pen) -> None:
    pen.draw_line([(0.2, 0.04), (0.2, 0.98)], CHALK, 0.1)
    pen.fill_polygon([(0.24, 0.06), (0.96, 0.2), (0.7, 0.36), (0.96, 0.56), (0.24, 0.58)], GOLD)


def _draw_bow(pen: Pen) -> None:
    arc = [(0.3 + 0.34 * cos(a), 0.5 + 0.46 * sin(a)) for a in [-pi / 2 + pi * i / 12 for i in range(13)]]
    pen.draw_line(arc, GOLD, 0.1)
    pen.draw_line([arc[0], arc[-1]], CHALK, 0.05)
    pen.draw_line([(0.06, 0.5), (0.84, 0.5)], CHALK, 0.09)
    pen.fill_polygon([(0.98, 0.5), (0.78, 0.36), (0.78, 0.64)], CHALK)


def _draw_ram(pen: Pen) -> None:
    pen.fill_polygon([(0.0, 0.2), (0.52, 0.3), (0.98, 0.5), (0.52, 0.7), (0.0, 0.8), (0.16, 0.5)], GOLD)
    pen.draw_line([(0.06, 0.5), (0.6, 0.5)], INK, 0.08)


def _draw_oar_swipe(pen: Pen) -> None:
    for x in (0.16, 0.4, 0.64, 0.88):
        pen.draw_line([(x, 0.04), (x - 0.06, 0.4)], CHALK, 0.1)
        pen.draw_line([(x - 0.1, 0.64), (x - 0.16, 0.96)], CHALK, 0.1)
    pen.draw_line([(0.0, 0.6), (1.0, 0.44)], WOUND, 0.11)


def _draw_hook(pen: Pen) -> None:
    pen.draw_line([(0.5, 0.02), (0.5, 0.7)], CHALK, 0.11)
    pen.draw_line([(0.5 + 0.36 * cos(a), 0.56 + 0.36 * sin(a)) for a in [pi * i / 12 for i in range(13)]], GOLD, 0.12)
    for x in (0.14, 0.86):
        pen.fill_polygon([(x, 0.34), (x - 0.13, 0.6), (x + 0.13, 0.6)], GOLD)


def _draw_barred(pen: Pen) -> None:
    pen.draw_ring((0.5, 0.5), 0.46, WOUND, 0.14)
    pen.draw_line([(0.2, 0.8), (0.8, 0.2)], WOUND, 0.14)


def _draw_angle(pen: Pen) -> None:
    pen.draw_line([(0.94, 0.1), (0.1, 0.86), (0.96, 0.86)], CHALK, 0.12)
    arc = [(0.1 + 0.56 * cos(a), 0.86 - 0.56 * sin(a)) for a in [0.78 * i / 8 for i in range(9)]]
    pen.draw_line(arc, AMBER, 0.1)


def _draw_miss(pen: Pen) -> None:
    pen.fill_polygon([(0.3, 0.3), (0.7, 0.3), (0.7, 0.98), (0.3, 0.98)], PALE)
    pen.draw_line([(0.02, 0.12), (0.9, 0.12)], WOUND, 0.13)
    pen.fill_polygon([(1.0, 0.12), (0.76, 0.0), (0.76, 0.26)], WOUND)


def _draw_helm(pen: Pen) -> None:
    arc = [(0.5 + 0.36 * cos(a), 0.56 + 0.36 * sin(a)) for a in [-pi * 0.9 + 1.5 * pi * i / 14 for i in range(15)]]
    pen.draw_line(arc, CHALK, 0.12)
    pen.fill_polygon([(0.02, 0.52), (0.3, 0.14), (0.4, 0.56)], CHALK)


def _draw_shield(pen: Pen) -> None:
    pen.fill_disc((0.5, 0.5), 0.48, CHALK)
    pen.fill_disc((0.5, 0.5), 0.36, (40, 104, 130))
    pen.fill_disc((0.5, 0.5), 0.14, GOLD)


def _draw_tick(pen: Pen) -> None:
    pen.draw_line([(0.1, 0.55), (0.4, 0.85), (0.92, 0.15)], FAIR, 0.17)


def _draw_no(pen: Pen) -> None:
    pen.draw_line([(0.15, 0.15), (0.85, 0.85)], WOUND, 0.17)
    pen.draw_line([(0.85, 0.15), (0.15, 0.85)], WOUND, 0.17)


def _draw_sweat(pen: Pen) -> None:
    for x, y, r in ((0.62, 0.6, 0.34), (0.2, 0.34, 0.18)):
        pen.fill_disc((x, y + r * 0.2), r, (120, 206, 250))
        pen.fill_polygon(
            [(x - r * 0.86, y - r * 0.12), (x + r * 0.86, y - r * 0.12), (x, y - r * 1.7)], (120, 206, 250)
        )
    pen.fill_disc((0.52, 0.74), 0.1, CHALK)


def _draw_holed_hull(pen: Pen) -> None:
    pen.fill_polygon([(0.06, 0.3), (0.94, 0.3), (0.78, 0.86), (0.22, 0.86)], CHALK)
    ring = [(0.5 + r * 0.3 * sin(i * pi / 5), 0.5 + r * 0.3 * cos(i * pi / 5)) for i, r in enumerate((1.0, 0.45) * 5)]
    pen.fill_polygon(ring, WOUND)
    pen.draw_line([(i / 12, 0.8 + 0.07 * sin(i * pi / 3)) for i in range(13)], (120, 206, 226), 0.12)


def _draw_shorn_hull(pen: Pen, out: float) -> None:
    """Draw a hull, bow up, whose oars are broken on one side: -1 is port, 1 starboard."""
    pen.fill_polygon([(0.5, 0.0), (0.64, 0.26), (0.62, 0.94), (0.38, 0.94), (0.36, 0.26)], CHALK)
    for y in (0.3, 0.5, 0.7):
        pen.draw_line([(0.5 - out * 0.16, y), (0.5 - out * 0.46, y + 0.12)], CHALK, 0.08)
    pen.draw_line(
        [(0.5 + out * 0.24, 0.3), (0.5 + out * 0.44, 0.5), (0.5 + out * 0.24, 0.6), (0.5 + out * 0.44, 0.84)],
        WOUND,
        0.13,
    )


def _draw_retaken_flag(pen: Pen) -> None:
    _draw_flag(pen)
    pen.draw_line([(0.44, 0.98), (0.44, 0.74)], FAIR, 0.12)
    pen.fill_polygon([(0.24, 0.8), (0.64, 0.8), (0.44, 0.58)], FAIR)


def _draw_sail(pen: Pen) -> None:
    pen.draw_line([(0.5, 0.02), (0.5, 0.98)], CHALK, 0.1)
    pen.fill_polygon([(0.1, 0.14), (0.9, 0.14), (0.8, 0.74), (0.2, 0.74)], CHALK)


def _draw_fallen_mast(pen: Pen) -> None:
    pen.draw_line([(0.06, 0.9), (0.94, 0.9)], CHALK, 0.12)
    pen.draw_line([(0.3, 0.86), (0.3, 0.56)], CHALK, 0.12)
    pen.draw_line([(0.36, 0.5), (0.92, 0.16)], WOUND, 0.12)


def _draw_pass_through(pen: Pen) -> None:
    for x in (0.06, 0.68):
        pen.fill_polygon([(x + 0.13, 0.2), (x + 0.26, 0.4), (x + 0.22, 0.86), (x + 0.04, 0.86), (x, 0.4)], PALE)
    pen.draw_line([(0.5, 0.98), (0.5, 0.2)], GOLD, 0.12)
    pen.fill_polygon([(0.5, 0.0), (0.34, 0.26), (0.66, 0.26)], GOLD)


def _draw_anastrophe(pen: Pen) -> None:
    """Draw the way of an anastrophe: past the enemy's side and around behind it."""
    pen.fill_polygon([(0.3, 0.14), (0.44, 0.36), (0.42, 0.84), (0.18, 0.84), (0.16, 0.36)], PALE)
    path = [(0.62, 0.98), (0.62, 0.4), *((0.62 + 0.14 - 0.16 * cos(a), 0.34 - 0.26 * sin(a)) for a in (0.8, 1.6, 2.4))]
    pen.draw_line([*path, (0.92, 0.46), (0.84, 0.66)], GOLD, 0.11)
    pen.fill_polygon([(0.5, 0.66), (0.82, 0.52), (0.84, 0.86)], GOLD)


def _draw_axe(pen: Pen) -> None:
    pen.draw_line([(0.2, 0.96), (0.62, 0.2)], (214, 168, 100), 0.12)
    pen.fill_polygon([(0.5, 0.06), (0.74, 0.02), (0.98, 0.34), (0.9, 0.5), (0.6, 0.34)], CHALK)


def _draw_evasion(pen: Pen) -> None:
    pen.draw_line([(0.1, 0.86), (0.3, 0.5), (0.76, 0.3)], FAIR, 0.14)
    pen.fill_polygon([(0.98, 0.2), (0.64, 0.1), (0.74, 0.5)], FAIR)


def _draw_hex(pen: Pen) -> None:
    corners = [(0.5 + 0.5 * cos(pi * i / 3), 0.5 + 0.5 * sin(pi * i / 3)) for i in range(6)]
    pen.fill_polygon(corners, CHALK)
    pen.fill_polygon([(0.5 + 0.66 * (x - 0.5), 0.5 + 0.66 * (y - 0.5)) for x, y in corners], PLATE)


_SIGN_DRAWINGS: Final[dict[str, Callable[[Pen], None]]] = {
    "sweat": _draw_sweat,
    "holed": _draw_holed_hull,
    "crippled-port": lambda pen: _draw_shorn_hull(pen, -1),
    "crippled-starboard": lambda pen: _draw_shorn_hull(pen, 1),
    "retaken": _draw_retaken_flag,
    "sails": _draw_sail,
    "mast": _draw_fallen_mast,
    "through": _draw_pass_through,
    "anastrophe": _draw_anastrophe,
    "cut": _draw_axe,
    "avoid": _draw_evasion,
    "rake": _draw_oar_swipe,
    "board": _draw_swords,
    "fire": _draw_flame,
    "halved": _draw_broken_oar,
    "bank": _draw_broken_oar,
    "dead": _draw_crossed_hull,
    "immobilised": _draw_hourglass,
    "beached": _draw_beach,
    "sunk": _draw_sinking,
    "stuck": _draw_stuck_ram,
    "glanced": _draw_glancing_blow,
    "none": _draw_nothing,
    "linked": _draw_rings,
    "crew": _draw_men,
    "melee": _draw_swords,
    "prize": _draw_flag,
    "shot": _draw_bow,
    "ram": _draw_ram,
    "swipe": _draw_oar_swipe,
    "grapple": _draw_hook,
    "blocked": _draw_barred,
    "unfit": _draw_barred,
    "angle": _draw_angle,
    "missed": _draw_miss,
    "turn": _draw_helm,
    "draw": _draw_shield,
    "hex": _draw_hex,
    "yes": _draw_tick,
    "no": _draw_no,
}


@lru_cache(maxsize=128)
def draw_sign(name: str, size: int) -> Image.Image:
    """Draw a sign with a side in pixels. Raises KeyError for an unknown name."""
    pen = Pen(max(6, size), max(6, size))
    _SIGN_DRAWINGS[name](pen)
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

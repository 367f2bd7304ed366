"""The rim of the sea: a painted border with inches, and whether ships may leave over it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from PIL import Image, ImageDraw

from render.canvas import Box
from render.ramspeed.liveries import GOLD
from render.style import FULL_WIDTH, Colour, font

_CLAY: Final[Colour] = (190, 104, 60)
_FIGURE: Final[Colour] = (34, 18, 16)
"""As on Attic vases: black upon clay."""
MARGIN: Final = 54
"""Pixels at full width."""
LETTER: Final = 44
"""Of the inches: 11 pixels on a phone that shows the picture 400 wide."""


class _Sides(NamedTuple):
    """Where the sea lies in a picture, in pixels, how wide the rim is, and what is seen of what table, in inches."""

    inner: Box
    edge: int
    window: Box
    table: tuple[float, float]


def margin(full_width: int) -> int:
    """Pixels of the rim in a picture of a width."""
    return round(MARGIN * full_width / FULL_WIDTH)


def framed(
    image: Image.Image, window: Box, table: tuple[float, float], full_width: int, *, way_out: bool
) -> Image.Image:
    """A picture of the sea with its rim; where the table ends and ships may leave, arrows point out."""
    edge = margin(full_width)
    out = _rim(image.size, window, table, full_width, way_out=way_out).copy()
    out.paste(image, (edge, edge))
    return out


@lru_cache(maxsize=8)
def _rim(
    inner: tuple[int, int], window: Box, table: tuple[float, float], full_width: int, *, way_out: bool
) -> Image.Image:
    edge, unit = margin(full_width), full_width / FULL_WIDTH
    size = (inner[0] + 2 * edge, inner[1] + 2 * edge)
    image = Image.new("RGB", size, _CLAY)
    draw = ImageDraw.Draw(image)
    scale = inner[0] / (window[2] - window[0])
    face = font(round(LETTER * unit))
    every = 5 if window[2] - window[0] > 18 else 2
    thin = max(1, round(2.4 * unit))
    draw.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=_FIGURE, width=max(2, round(6 * unit)))
    for across in (True, False):
        low, high = (window[0], window[2]) if across else (window[1], window[3])
        for inch in range(int(low), int(high) + 2):
            if not low - 1e-6 <= inch <= high + 1e-6:
                continue
            on = edge + ((inch - low) if across else (high - inch)) * scale
            long = edge * (0.34 if inch % every == 0 else 0.2)
            for near, towards in ((edge, -1), ((size[1] if across else size[0]) - edge, 1)):
                a, b = near, near + towards * long
                draw.line((on, a, on, b) if across else (a, on, b, on), fill=_FIGURE, width=thin)
            if inch % every:
                continue
            half = (face.getlength(str(inch)) if across else LETTER * unit * 0.8) / 2
            # A corner has room for one number, that of the upper or lower rim.
            spare = 0.2 * edge if across else edge
            if not spare + half < on < (size[0] if across else size[1]) - spare - half:
                continue
            for middle in (edge * 0.47, (size[1] if across else size[0]) - edge * 0.47):
                at = (on, middle) if across else (middle, on)
                dx, dy = (half + 4 * unit, edge * 0.38) if across else (edge * 0.4, edge * 0.36)
                draw.rectangle((at[0] - dx, at[1] - dy, at[0] + dx, at[1] + dy), fill=_CLAY)
                draw.text(at, str(inch), fill=_FIGURE, font=face, anchor="mm")
    sides = _Sides((edge, edge, size[0] - edge, size[1] - edge), edge, window, table)
    _ends(draw, sides, unit, way_out=way_out)
    return image


def _ends(draw: ImageDraw.ImageDraw, sides: _Sides, unit: float, *, way_out: bool) -> None:
    """Where the table ends a heavy bar, or arrows out; where only the picture ends a thin line."""
    (left, top, right, bottom), edge, window, table = sides
    heavy = max(3, round(9 * unit))
    for line, ends, (dx, dy) in (
        ((left, top, left, bottom), window[0] <= 0.01, (-1, 0)),
        ((right, top, right, bottom), window[2] >= table[0] - 0.01, (1, 0)),
        ((left, top, right, top), window[3] >= table[1] - 0.01, (0, -1)),
        ((left, bottom, right, bottom), window[1] <= 0.01, (0, 1)),
    ):
        x, y = line[0] + dx * heavy / 2, line[1] + dy * heavy / 2
        moved = (x, y, line[2] + dx * heavy / 2, line[3] + dy * heavy / 2)
        draw.line(moved, fill=_FIGURE, width=heavy if ends and not way_out else max(1, heavy // 3))
        if not (ends and way_out):
            continue
        low, high = (window[0], window[2]) if dy else (window[1], window[3])
        # Between the numbers.
        for inch in range(int(low / 10) * 10, int(high) + 10, 10):
            part = (inch + 2.5 - low) / (high - low)
            if not 0.03 < part < 0.97:
                continue
            along = part if dy else 1 - part
            cx = line[0] + (line[2] - line[0]) * along + dx * edge * 0.3
            cy = line[1] + (line[3] - line[1]) * along + dy * edge * 0.3
            r = edge * 0.42
            arrow = [(cx + dx * r, cy + dy * r), (cx + dy * r, cy + dx * r), (cx - dy * r, cy - dx * r)]
            draw.polygon(arrow, fill=GOLD, outline=_FIGURE)

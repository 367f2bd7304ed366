"""The frame of the sea: a painted border with inches, and arrows where ships may leave over it."""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import Final, NamedTuple

from PIL import Image, ImageDraw

from render.drawing.canvas import Rect
from render.drawing.style import FULL_WIDTH, Colour, load_font
from render.marks.signs import GOLD

_CLAY_COLOUR: Final[Colour] = (190, 104, 60)
_FIGURE_COLOUR: Final[Colour] = (34, 18, 16)
MARGIN_PX: Final = 54
_NUMBER_STEP_PX: Final = 150
LETTER_PX: Final = 44
"""Letters of inches: 11 px on a phone that shows the picture 400 wide."""


class RimLayout(NamedTuple):
    """The visible window and the table's size in inches, whether ships may leave the table, whether south is up."""

    window: Rect
    table: tuple[float, float]
    has_way_out: bool
    is_turned: bool


def margin_px(full_width: int) -> int:
    return round(MARGIN_PX * full_width / FULL_WIDTH)


def add_rim(image: Image.Image, sides: RimLayout, full_width: int) -> Image.Image:
    """Return a picture of the sea with its frame. Arrows point out where ships may leave the table."""
    edge = margin_px(full_width)
    out = _draw_rim(image.size, sides, full_width).copy()
    out.paste(image, (edge, edge))
    return out


@lru_cache(maxsize=8)
def _draw_rim(inner: tuple[int, int], sides: RimLayout, full_width: int) -> Image.Image:
    edge, unit = margin_px(full_width), full_width / FULL_WIDTH
    size = (inner[0] + 2 * edge, inner[1] + 2 * edge)
    image = Image.new("RGB", size, _CLAY_COLOUR)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=_FIGURE_COLOUR, width=max(2, round(6 * unit)))
    window = sides.window
    scale = inner[0] / (window[2] - window[0])
    number_step = next((n for n in (2, 5, 10, 20, 50) if n * scale > _NUMBER_STEP_PX * unit), 100)
    step = 1 if scale > 6 * unit else number_step
    for across in (True, False):
        low, high = (window[0], window[2]) if across else (window[1], window[3])
        last = min(high, sides.table[0 if across else 1])
        for inch in range(ceil(max(low, 0.0) / step - 1e-6) * step, int(last + 1e-6) + 1, step):
            # x grows to the right and y upwards, or both the other way round if the picture is turned.
            part = (inch - low) / (high - low)
            part = part if across != sides.is_turned else 1 - part
            on = edge + part * (inner[0] if across else inner[1])
            _draw_tick(draw, size, on, edge, across=across, words="" if inch % number_step else str(inch))
    _draw_ends(draw, sides, (edge, edge, size[0] - edge, size[1] - edge), unit)
    return image


def _draw_tick(
    draw: ImageDraw.ImageDraw, size: tuple[int, int], on: float, edge: int, *, across: bool, words: str
) -> None:
    unit = edge / MARGIN_PX
    whole = size[0] if across else size[1]
    font = load_font(round(LETTER_PX * unit))
    half = (font.getlength(words) if across else LETTER_PX * unit * 0.8) / 2
    # A corner has room for one number. Upper and lower rim take precedence.
    spare = 0.2 * edge if across else edge
    room = spare + half < on < whole - spare - half
    thin = max(1, round(2.4 * unit))
    extent = size[1] if across else size[0]
    for near, towards in ((edge, -1), (extent - edge, 1)):
        end = near + towards * edge * (0.34 if words else 0.2)
        draw.line((on, near, on, end) if across else (near, on, end, on), fill=_FIGURE_COLOUR, width=thin)
    for middle in (edge * 0.47, extent - edge * 0.47) if words and room else ():
        at = (on, middle) if across else (middle, on)
        dx, dy = (half + 4 * unit, edge * 0.38) if across else (edge * 0.4, edge * 0.36)
        draw.rectangle((at[0] - dx, at[1] - dy, at[0] + dx, at[1] + dy), fill=_CLAY_COLOUR)
        draw.text(at, words, fill=_FIGURE_COLOUR, font=font, anchor="mm")


def _draw_ends(draw: ImageDraw.ImageDraw, sides: RimLayout, inner: Rect, unit: float) -> None:
    (left, top, right, bottom), (window, table, way_out, turned) = inner, sides
    heavy = max(3, round(9 * unit))
    west, south = window[0] <= 0.01, window[1] <= 0.01
    east, north = window[2] >= table[0] - 0.01, window[3] >= table[1] - 0.01
    west, south, east, north = (east, north, west, south) if turned else (west, south, east, north)
    for line, ends, (dx, dy) in (
        ((left, top, left, bottom), west, (-1, 0)),
        ((right, top, right, bottom), east, (1, 0)),
        ((left, top, right, top), north, (0, -1)),
        ((left, bottom, right, bottom), south, (0, 1)),
    ):
        x, y = line[0] + dx * heavy / 2, line[1] + dy * heavy / 2
        moved = (x, y, line[2] + dx * heavy / 2, line[3] + dy * heavy / 2)
        draw.line(moved, fill=_FIGURE_COLOUR, width=heavy if ends and not way_out else max(1, heavy // 3))
        if ends and way_out:
            _draw_exits(draw, line, (dx, dy), sides, MARGIN_PX * unit)


def _draw_exits(draw: ImageDraw.ImageDraw, line: Rect, out: tuple[int, int], sides: RimLayout, edge: float) -> None:
    dx, dy = out
    low, high = (sides.window[0], sides.window[2]) if dy else (sides.window[1], sides.window[3])
    pitch = max(10, ceil((high - low) / 100) * 10)
    for inch in range(int(low / pitch) * pitch, int(high) + pitch, pitch):
        part = (inch + 2.5 - low) / (high - low)
        if not 0.03 < part < 0.97:
            continue
        along = part if bool(dy) != sides.is_turned else 1 - part
        x = line[0] + (line[2] - line[0]) * along + dx * edge * 0.3
        y = line[1] + (line[3] - line[1]) * along + dy * edge * 0.3
        r = edge * 0.42
        arrow = [(x + dx * r, y + dy * r), (x + dy * r, y + dx * r), (x - dy * r, y - dx * r)]
        draw.polygon(arrow, fill=GOLD, outline=_FIGURE_COLOUR)

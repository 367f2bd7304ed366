"""The frame around a picture: bars with captains' names, caption, signs, compass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING
from render.drawing.marking import note_sign
from render.drawing.outlines import move_outlines
from render.drawing.style import BRASS, CARD, FULL_WIDTH, TEXT_SIZE, WALNUT, Colour, Livery, load_font, scaled_px

NAME_BAR_HEIGHT_PX = 64
CAPTION_HEIGHT_PX = 96
TURN_COLOUR: Colour = (255, 190, 40)
_CLAUSE_END_PATTERN: Final = re.compile(r"(?<=[.!?]) |: | · |; ")


@dataclass(frozen=True)
class NameBar:
    """A bar above or below a picture in the colours of a side, with its captains' names."""

    livery: Livery  # the side's colours
    names: tuple[str, ...]  # of the side's captains
    is_to_move: bool = False  # whether it is this side's turn


def name_bar_height(full_width: int) -> int:
    return scaled_px(NAME_BAR_HEIGHT_PX, full_width)


def frame_picture(
    inner: Image.Image,
    name_bars: Sequence[NameBar],
    caption: str,
    signs: Sequence[Image.Image],
    *,
    below: NameBar | None = None,
    turned: bool = False,
) -> Image.Image:
    """Return a picture between name bars, above its caption, signs and compass.

    `name_bars` share the width above the picture, `below` has all of it. `turned`: south is up.
    """
    width = inner.width
    px = width / FULL_WIDTH
    bar_height = name_bar_height(width)
    caption_top = bar_height + inner.height + (bar_height if below else 0)
    image = Image.new("RGB", (width, caption_top + round(CAPTION_HEIGHT_PX * px)), WALNUT)
    image.paste(inner, (0, bar_height))
    move_outlines(0, bar_height)
    ends = [width * number // len(name_bars) for number in range(len(name_bars) + 1)]
    for name_bar, left, right in zip(name_bars, ends[:-1], ends[1:], strict=True):
        bar = _draw_name_bar(name_bar, right - left, bar_height, px)
        image.paste(bar, (left, 0))
        if name_bar.is_to_move:
            note_sign("to_move", bar)
    if below:
        image.paste(_draw_name_bar(below, width, bar_height, px), (0, bar_height + inner.height))
    _draw_caption_strip(image, caption_top, caption, signs, turned=turned)
    return image


def shorten_words(text: str, size: int, room: float, *, heavy: bool = True) -> str:
    """Return the text, cut and with an ellipsis if it is wider than `room` pixels."""
    font = load_font(size, heavy=heavy)
    if font.getlength(text) <= room:
        return text
    while text and font.getlength(text + "…") > room:
        text = text[:-1]
    return text.rstrip() + "…"


@lru_cache(maxsize=16)
def _draw_name_bar(bar: NameBar, width: int, height: int, px: float) -> Image.Image:
    livery = bar.livery
    image = Image.new("RGB", (width, height), livery.base)
    draw = ImageDraw.Draw(image)
    if livery.pattern == "stripes":
        for y in (0.14, 0.86):
            draw.line((0, height * y, width, height * y), fill=livery.mark, width=max(1, round(4 * px)))
    else:
        pitch = 34 * px
        for i in range(-2, int(width / pitch) + 2):
            for top, bottom in ((0.0, 0.2), (0.8, 1.0)):
                x = i * pitch
                slant = height * 0.2
                draw.polygon(
                    [
                        (x, height * bottom),
                        (x + slant, height * top),
                        (x + slant + pitch * 0.45, height * top),
                        (x + pitch * 0.45, height * bottom),
                    ],
                    fill=livery.mark,
                )
    for y in (0, height - 1):
        draw.line((0, y, width, y), fill=(0, 0, 0), width=max(1, round(2 * px)))
    if names := [*filter(None, bar.names)]:
        size = round(TEXT_SIZE * px)
        words = shorten_words("   ·   ".join(names), size, width * 0.94)
        font = load_font(size)
        left, _, right, _ = font.getbbox(words)
        x = (width - (right - left)) / 2
        pad = 22 * px
        draw.rectangle((x - pad, height * 0.06, x + right - left + pad, height * 0.94), fill=livery.base)
        draw.text((width / 2, height * 0.5), words, fill=livery.on_base, font=font, anchor="mm")
    if bar.is_to_move:
        draw.rectangle((0, 0, width - 1, height - 1), outline=TURN_COLOUR, width=max(1, round(8 * px)))
    return image


def _draw_caption_strip(
    image: Image.Image, top: int, caption: str, signs: Sequence[Image.Image], *, turned: bool
) -> None:
    # Draws the caption on the left, signs and a compass on the right.
    px = image.width / FULL_WIDTH
    bottom = image.height
    draw = ImageDraw.Draw(image)
    draw.line((0, top + 3 * px, image.width, top + 3 * px), fill=BRASS, width=max(1, round(3 * px)))
    middle = (top + bottom + 4 * px) / 2
    compass = draw_compass(round((bottom - top) * 0.82))
    compass = compass.transpose(Image.Transpose.ROTATE_180) if turned else compass
    left_edge = image.width - 14 * px - compass.width
    image.paste(compass, (round(left_edge), round(middle - compass.height / 2)), compass)
    note_sign("compass", compass)
    for sign in signs:
        left_edge -= 26 * px + sign.width
        image.paste(sign, (round(left_edge), round(middle - sign.height / 2)), sign)
    room = left_edge - 60 * px
    size = round(TEXT_SIZE * px)
    while size > 40 * px and load_font(size, heavy=False).getlength(caption) > room:
        size -= 1
    words = _fit_caption(caption, size, room)
    draw.text((28 * px, middle), words, fill=CARD, font=load_font(size, heavy=False), anchor="lm")


def _fit_caption(caption: str, size: int, room: float) -> str:
    """Return a caption without the last clauses or sentences that have no room; only a clause too long alone is cut."""
    font = load_font(size, heavy=False)
    texts = [caption, *(caption[: end.start()] for end in reversed([*_CLAUSE_END_PATTERN.finditer(caption)]))]
    whole = next((text for text in texts if font.getlength(text) <= room), "")
    return whole or shorten_words(texts[-1], size, room, heavy=False)


@lru_cache(maxsize=8)
def draw_compass(size: int) -> Image.Image:
    """Draw a compass rose whose long red point is north, so that it needs no letter of any language."""
    large_size = size * OVERSAMPLING
    image = Image.new("RGBA", (large_size, large_size))
    draw = ImageDraw.Draw(image)
    middle = large_size / 2
    draw.ellipse(
        (large_size * 0.1, large_size * 0.1, large_size * 0.9, large_size * 0.9),
        outline=BRASS,
        width=max(1, large_size // 36),
    )
    for turn in (1, 3, 5, 7, 2, 4, 6, 0):  # in eighths; the long north point is drawn last
        if turn == 0:
            length = 0.5 * large_size
        elif turn % 2 == 0:
            length = 0.36 * large_size
        else:
            length = 0.24 * large_size
        angle = turn * pi / 4
        light: Colour = (226, 62, 40) if turn == 0 else CARD
        dark: Colour = (142, 28, 20) if turn == 0 else (136, 102, 58)
        tip = (middle + length * sin(angle), middle - length * cos(angle))
        for side, colour in ((-1, light), (1, dark)):
            base_angle = angle + side * pi / 4
            base = (middle + 0.1 * large_size * sin(base_angle), middle - 0.1 * large_size * cos(base_angle))
            draw.polygon([tip, base, (middle, middle)], fill=colour)
    return image.reduce(OVERSAMPLING)

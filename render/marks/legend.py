"""The frame around a picture: sides' rails, caption, scale bar, compass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING, Sprite
from render.drawing.style import BRASS, CARD, FULL_WIDTH, TEXT_SIZE, WALNUT, Colour, Livery, load_font

RAIL_HEIGHT_PX = 64
CAPTION_HEIGHT_PX = 96
TURN_COLOUR: Colour = (255, 190, 40)


@dataclass(frozen=True)
class Rail:
    """An edge of the table in the colours of the side that sits there, with its captains' names."""

    livery: Livery
    names: tuple[str, ...]
    is_to_move: bool = False


@dataclass(frozen=True)
class ScaleBar:
    """A sprite that points east and is repeated as a scale bar, and its length in pixels."""

    sprite: Sprite
    length_px: float


def rail_height(full_width: int) -> int:
    return round(RAIL_HEIGHT_PX * full_width / FULL_WIDTH)


def frame_table(
    inner: Image.Image, *, top: Rail, bottom: Rail, caption: str, scale: ScaleBar | None, turned: bool = False
) -> Image.Image:
    """Put a picture of the table between the rails of its two sides, above a strip with the caption.

    `turned`: south is up.
    """
    unit = inner.width / FULL_WIDTH
    rail, strip = rail_height(inner.width), round(CAPTION_HEIGHT_PX * unit)
    image = Image.new("RGB", (inner.width, inner.height + 2 * rail + strip), WALNUT)
    image.paste(inner, (0, rail))
    image.paste(_draw_rail(top, inner.width, rail, unit), (0, 0))
    image.paste(_draw_rail(bottom, inner.width, rail, unit), (0, rail + inner.height))
    _draw_strip(image, (0, inner.height + 2 * rail, inner.width, image.height), caption, scale, turned=turned)
    return image


def frame_chart(
    inner: Image.Image,
    *,
    abreast: Sequence[Rail],
    caption: str,
    signs: Sequence[Image.Image],
    turned: bool = False,
) -> Image.Image:
    """Put a picture below rails that share its width, above a strip with caption, signs and compass.

    `turned`: south is up.
    """
    unit = inner.width / FULL_WIDTH
    rail, strip = rail_height(inner.width), round(CAPTION_HEIGHT_PX * unit)
    image = Image.new("RGB", (inner.width, inner.height + rail + strip), WALNUT)
    image.paste(inner, (0, rail))
    left = 0
    for number, side_rail in enumerate(abreast, 1):
        right = inner.width * number // len(abreast)
        image.paste(_draw_rail(side_rail, right - left, rail, unit), (left, 0))
        left = right
    _draw_strip(image, (0, inner.height + rail, inner.width, image.height), caption, None, signs, turned=turned)
    return image


def shorten_words(words: str, size: int, room: float, *, heavy: bool = True) -> str:
    """Return the text, cut and with an ellipsis if it is wider than `room` pixels."""
    font = load_font(size, heavy=heavy)
    if font.getlength(words) <= room:
        return words
    while words and font.getlength(words + "…") > room:
        words = words[:-1]
    return words.rstrip() + "…"


@lru_cache(maxsize=16)
def _draw_rail(rail: Rail, width: int, height: int, unit: float) -> Image.Image:
    livery = rail.livery
    image = Image.new("RGB", (width, height), livery.base)
    draw = ImageDraw.Draw(image)
    if livery.pattern == "stripes":
        for y in (0.14, 0.86):
            draw.line((0, height * y, width, height * y), fill=livery.mark, width=max(1, round(4 * unit)))
    else:
        pitch = 34 * unit
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
        draw.line((0, y, width, y), fill=(0, 0, 0), width=max(1, round(2 * unit)))
    if rail.names:
        size = round(TEXT_SIZE * unit)
        words = shorten_words("   ·   ".join(rail.names), size, width * 0.94)
        font = load_font(size)
        left, _, right, _ = font.getbbox(words)
        x = (width - (right - left)) / 2
        pad = 22 * unit
        draw.rectangle((x - pad, height * 0.06, x + right - left + pad, height * 0.94), fill=livery.base)
        draw.text((width / 2, height * 0.5), words, fill=livery.on_base, font=font, anchor="mm")
    if rail.is_to_move:
        draw.rectangle((0, 0, width - 1, height - 1), outline=TURN_COLOUR, width=max(1, round(8 * unit)))
    return image


def _draw_strip(
    image: Image.Image,
    box: tuple[int, int, int, int],
    caption: str,
    scale: ScaleBar | None,
    signs: Sequence[Image.Image] = (),
    *,
    turned: bool = False,
) -> None:
    unit = image.width / FULL_WIDTH
    x_left, top, x_right, bottom = box
    draw = ImageDraw.Draw(image)
    draw.line((x_left, top + 3 * unit, x_right, top + 3 * unit), fill=BRASS, width=max(1, round(3 * unit)))
    middle = (top + bottom + 4 * unit) / 2
    rose = draw_compass(round((bottom - top) * 0.82))
    rose = rose.transpose(Image.Transpose.ROTATE_180) if turned else rose
    edge = x_right - 14 * unit - rose.width
    image.paste(rose, (round(edge), round(middle - rose.height / 2)), rose)
    if scale is not None:
        count = max(1, min(3, int(300 * unit / scale.length_px)))
        edge -= 30 * unit + count * scale.length_px
        for i in range(count):
            x = edge + (i + 0.5) * scale.length_px
            sprite = scale.sprite
            image.paste(sprite.image, (round(x - sprite.anchor[0]), round(middle - sprite.anchor[1])), sprite.image)
        ticks = (bottom - top) * 0.2
        for i in range(count + 1):
            x = edge + i * scale.length_px
            draw.line((x, middle - ticks, x, middle + ticks), fill=BRASS, width=max(1, round(3 * unit)))
    for sign in signs:
        edge -= 26 * unit + sign.width
        image.paste(sign, (round(edge), round(middle - sign.height / 2)), sign)
    room = edge - x_left - 60 * unit
    size = round(TEXT_SIZE * unit)
    while size > 40 * unit and load_font(size, heavy=False).getlength(caption) > room:
        size -= 1
    words = shorten_words(caption, size, room, heavy=False)
    draw.text((x_left + 28 * unit, middle), words, fill=CARD, font=load_font(size, heavy=False), anchor="lm")


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
    for turn in (1, 3, 5, 7, 2, 4, 6, 0):
        length = (0.5 if turn == 0 else 0.36 if turn % 2 == 0 else 0.24) * large_size
        angle = turn * pi / 4
        light: Colour = (226, 62, 40) if turn == 0 else CARD
        dark: Colour = (142, 28, 20) if turn == 0 else (136, 102, 58)
        tip = (middle + length * sin(angle), middle - length * cos(angle))
        for side, colour in ((-1, light), (1, dark)):
            waist = angle + side * pi / 4
            hip = (middle + 0.1 * large_size * sin(waist), middle - 0.1 * large_size * cos(waist))
            draw.polygon([tip, hip, (middle, middle)], fill=colour)
    return image.reduce(OVERSAMPLING)

"""The state of a galley as a plate beside its name: oars to port and starboard, masts, and the crew's promotions."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from render.drawing.canvas import OVERSAMPLING
from render.drawing.style import CARD, EMBER, SOOT, WARM, Colour, load_font
from render.matchbox.liveries import LIVERIES
from rules.matchbox.engine.state import Galley

_LETTER_PX: Final = 44
"""Pixels at full width: 11 px on a phone that shows the picture 400 wide."""
_PLATE_HEIGHT_PX: Final = 46
_PADDING_PX: Final = 9
_STROKE_WIDTH_PX: Final = 18
_SAIL_WIDTH_PX: Final = 40


def _plate_size(ship: Galley, unit: float) -> tuple[int, int]:
    digits = sum(_text_width(number, unit) for number in (ship.port, ship.starboard, ship.masts, _skill_letters(ship)))
    return round(digits + (2 * _PADDING_PX + _STROKE_WIDTH_PX + _SAIL_WIDTH_PX) * unit), round(_PLATE_HEIGHT_PX * unit)


@lru_cache(maxsize=64)
def plate_image(ship: Galley, unit: float) -> Image.Image:
    width, height = _plate_size(ship, unit)
    plate = Image.new("RGBA", (width * OVERSAMPLING, height * OVERSAMPLING))
    pen = ImageDraw.Draw(plate)
    edge = max(1, round(3 * unit * OVERSAMPLING))
    box = (0, 0, width * OVERSAMPLING - 1, height * OVERSAMPLING - 1)
    pen.rounded_rectangle(
        box, radius=10 * unit * OVERSAMPLING, fill=(*SOOT, 225), outline=LIVERIES[ship.side].letter, width=edge
    )
    x = _PADDING_PX * unit
    middle = height / 2
    words: list[tuple[float, int | str, Colour]] = [(x, ship.port, _state_colour(ship.port, ship.holes))]
    x += _text_width(ship.port, unit)
    stroke = [((x + _STROKE_WIDTH_PX / 2 * unit) * OVERSAMPLING, y * height * OVERSAMPLING) for y in (0.2, 0.8)]
    pen.line([*stroke], fill=CARD, width=max(OVERSAMPLING, round(4 * unit * OVERSAMPLING)))
    x += _STROKE_WIDTH_PX * unit
    words.append((x, ship.starboard, _state_colour(ship.starboard, ship.holes)))
    x += _text_width(ship.starboard, unit) + _SAIL_WIDTH_PX * 0.34 * unit
    sail = [(0.0, 0.74), (0.27, 0.22), (0.54, 0.74)]
    tint = _state_colour(ship.masts, ship.mast_holes)
    pen.polygon(
        [((x + a * _SAIL_WIDTH_PX * unit) * OVERSAMPLING, b * height * OVERSAMPLING) for a, b in sail], fill=tint
    )
    x += _SAIL_WIDTH_PX * 0.66 * unit
    words += [(x, ship.masts, tint), (x + _text_width(ship.masts, unit), _skill_letters(ship), CARD)]
    image = plate.reduce(OVERSAMPLING)
    letters = ImageDraw.Draw(image)
    for text_left, number, colour in words:
        letters.text((text_left, middle), str(number), fill=colour, font=_plate_font(unit), anchor="lm")
    return image


def _plate_font(unit: float) -> ImageFont.FreeTypeFont:
    return load_font(round(_LETTER_PX * unit))


def _skill_letters(ship: Galley) -> str:
    """Return the letters of the crew's promotions (MX-4.5) after a space, or an empty string."""
    return f" {ship.crew.upper()}" if ship.crew else ""


def _text_width(number: int | str, unit: float) -> float:
    return _plate_font(unit).getlength(str(number))


def _state_colour(remaining: int, full: int) -> Colour:
    return CARD if remaining == full else EMBER if remaining <= 1 else WARM

"""What is left of a galley, as a plate beside her name: port and starboard oars, masts; then her crew's promotions."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from msgspec.structs import replace
from PIL import Image, ImageDraw, ImageFont

from render.canvas import FINE, Canvas, Point
from render.matchbox.liveries import LIVERIES
from render.style import CARD, EMBER, SOOT, WARM, Colour, font
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.state import Galley

_ANYWHERE: Final = Pose(0.0, 0.0, 0.0)
_LETTERS: Final = 44
"""Pixels at full width: 11 on a phone that shows the picture 400 wide."""
_HIGH: Final = 46
_PAD: Final = 9
_BAR: Final = 18
"""Room for the stroke between the sides."""
_MAST: Final = 40
"""Room for the sail before the masts."""


def size(ship: Galley, unit: float) -> tuple[int, int]:
    """Pixels across and down of a galley's plate, in a picture of this unit."""
    digits = sum(_wide(number, unit) for number in (ship.port, ship.starboard, ship.masts, _skills(ship)))
    return round(digits + (2 * _PAD + _BAR + _MAST) * unit), round(_HIGH * unit)


def draw(canvas: Canvas, corner: Point, ship: Galley) -> None:
    """Draw a galley's plate, its upper left corner at a point in pixels."""
    # A plate is the same for every galley in the same state.
    image = _plate(replace(ship, id="", seat=0, pose=_ANYWHERE), round(canvas.unit, 4))
    canvas.image.paste(image, (round(corner[0]), round(corner[1])), image)


@lru_cache(maxsize=64)
def _plate(ship: Galley, unit: float) -> Image.Image:
    wide, high = size(ship, unit)
    plate = Image.new("RGBA", (wide * FINE, high * FINE))
    pen = ImageDraw.Draw(plate)
    edge = max(1, round(3 * unit * FINE))
    box = (0, 0, wide * FINE - 1, high * FINE - 1)
    pen.rounded_rectangle(
        box, radius=10 * unit * FINE, fill=(*SOOT, 225), outline=LIVERIES[ship.side].letter, width=edge
    )
    x = _PAD * unit
    middle = high / 2
    words: list[tuple[float, int | str, Colour]] = [(x, ship.port, _tint(ship.port, ship.holes))]
    x += _wide(ship.port, unit)
    stroke = [((x + _BAR / 2 * unit) * FINE, y * high * FINE) for y in (0.2, 0.8)]
    pen.line([*stroke], fill=CARD, width=max(FINE, round(4 * unit * FINE)))
    x += _BAR * unit
    words.append((x, ship.starboard, _tint(ship.starboard, ship.holes)))
    x += _wide(ship.starboard, unit) + _MAST * 0.34 * unit
    sail = [(0.0, 0.74), (0.27, 0.22), (0.54, 0.74)]
    tint = _tint(ship.masts, ship.mast_holes)
    pen.polygon([((x + a * _MAST * unit) * FINE, b * high * FINE) for a, b in sail], fill=tint)
    x += _MAST * 0.66 * unit
    words += [(x, ship.masts, tint), (x + _wide(ship.masts, unit), _skills(ship), CARD)]
    image = plate.reduce(FINE)
    letters = ImageDraw.Draw(image)
    for left, number, colour in words:
        letters.text((left, middle), str(number), fill=colour, font=_face(unit), anchor="lm")
    return image


def _face(unit: float) -> ImageFont.FreeTypeFont:
    return font(round(_LETTERS * unit))


def _skills(ship: Galley) -> str:
    """The letters by which her crew's promotions are typed (MX-4.5), after a gap; empty: it has none."""
    return f" {ship.crew.upper()}" if ship.crew else ""


def _wide(number: int | str, unit: float) -> float:
    return _face(unit).getlength(str(number))


def _tint(left: int, full: int) -> Colour:
    """Whole, damaged, or nearly gone."""
    return CARD if left == full else EMBER if left <= 1 else WARM

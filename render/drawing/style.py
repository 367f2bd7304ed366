"""Colours, sizes and fonts that all pictures share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Final, Literal

from PIL import ImageFont

from data import file

Colour = tuple[int, int, int]

CHALK: Final[Colour] = (250, 243, 224)
WARM: Final[Colour] = (255, 176, 59)
FLAME: Final[Colour] = (255, 225, 130)
EMBER: Final[Colour] = (255, 96, 32)
SOOT: Final[Colour] = (24, 14, 9)
INK: Final[Colour] = (20, 16, 20)
FLOOR: Final[Colour] = (17, 11, 8)
WALNUT: Final[Colour] = (38, 24, 16)
BRASS: Final[Colour] = (196, 152, 78)
CARD: Final[Colour] = (233, 216, 178)

WOOD: Final[tuple[Colour, ...]] = ((46, 27, 15), (84, 52, 29), (112, 72, 41), (138, 93, 55), (160, 114, 71))

FULL_WIDTH: Final = 1600
"""Pixels across a picture in which the sizes below apply. Pictures of other widths scale them."""
NAME_SIZE: Final = 52
"""Font size of names on the table: 13 pixels high on a phone that shows the picture 400 wide."""
MIN_SELECTED_PART: Final = 36 / 400
"""Least length of the selected ship as a part of a plan's width: 36 pixels on a phone that shows it 400 wide."""
TEXT_SIZE: Final = 48  # of captions and name bars


def scaled_px(px: int, picture_width: int) -> int:
    """Return a length of a picture of `FULL_WIDTH`, in pixels, for a picture of another width."""
    return round(px * picture_width / FULL_WIDTH)


def mix_colours(a: Colour, b: Colour, part: float) -> Colour:  # `part` is how much of b, 0 to 1
    red, green, blue = (round(start + (end - start) * part) for start, end in zip(a, b, strict=True))
    return red, green, blue


@dataclass(frozen=True)
class Livery:
    """The colours of a side, and its pattern for colour-blind people."""

    base: Colour  # of hulls and name bars
    mark: Colour  # of the pattern
    letter: Colour  # of letters on dark ground
    on_base: Colour  # of letters on `base`
    pattern: Literal["stripes", "bands"]  # stripes run along a hull, bands across it


@lru_cache
def _font_file(weight: str) -> bytes:
    return file("fonts", f"AlegreyaSans-{weight}.ttf").read_bytes()


@lru_cache(maxsize=64)
def load_font(size: int, *, heavy: bool = True) -> ImageFont.FreeTypeFont:
    """Return the font at a size in pixels: heavy for names, medium for sentences."""
    return ImageFont.truetype(BytesIO(_font_file("ExtraBold" if heavy else "Medium")), max(6, size))

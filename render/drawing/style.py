"""Colours, sizes and letters: what all pictures share in looks."""

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
FLOOR: Final[Colour] = (17, 11, 8)
WALNUT: Final[Colour] = (38, 24, 16)
BRASS: Final[Colour] = (196, 152, 78)
CARD: Final[Colour] = (233, 216, 178)
"""Bare cardboard."""

WOOD: Final[tuple[Colour, ...]] = ((46, 27, 15), (84, 52, 29), (112, 72, 41), (138, 93, 55), (160, 114, 71))
"""The ground, from the darkest grain to the lightest."""

FULL_WIDTH: Final = 1600
"""Pixels for which the sizes below are meant; pictures of other widths scale them."""
NAME_SIZE: Final = 52
"""Letters of names on the table: 13 pixels high on a phone that shows the picture 400 wide."""
TEXT_SIZE: Final = 48
"""Letters of captions and rails."""


@dataclass(frozen=True)
class Livery:
    """What tells one side from the other: colours, and a pattern for people who see few of them."""

    base: Colour
    mark: Colour
    """The prow triangle on the base, and the pattern."""
    letter: Colour
    """Names on the table, haloed."""
    on_base: Colour
    """Letters on the base."""
    pattern: Literal["stripes", "bands"]


@lru_cache
def _font_file(weight: str) -> bytes:
    return file("fonts", f"AlegreyaSans-{weight}.ttf").read_bytes()


@lru_cache(maxsize=64)
def load_font(size: int, *, heavy: bool = True) -> ImageFont.FreeTypeFont:
    """The house's letters at a size in pixels: heavy for names, medium for sentences."""
    return ImageFont.truetype(BytesIO(_font_file("ExtraBold" if heavy else "Medium")), max(6, size))

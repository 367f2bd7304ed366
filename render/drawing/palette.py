"""The 256 colours of a game's pictures, which are found once and kept in a file."""

from __future__ import annotations

from functools import cache
from importlib.resources.abc import Traversable
from typing import Final

from PIL import Image

COLOUR_COUNT: Final = 256
"""As many as a byte can number."""
_HALF_CELL: Final = 2
"""Pillow takes four levels of red, green and blue together, and finds the colour nearest to the least of them. It is
asked with darker colours, so that it finds the one nearest to their middle."""


def read_levels(file: Traversable) -> bytes:
    """The levels of a file's colours, three a colour: 768 bytes.

    Its lines are `rrggbb`. Raises ValueError for any other number of them.
    """
    levels = bytes.fromhex(file.read_text())
    if len(levels) != 3 * COLOUR_COUNT:
        raise ValueError(f"{file}: {len(levels) / 3:g} colours, not {COLOUR_COUNT}")
    return levels


@cache
def _palette_image(levels: bytes) -> Image.Image:
    """An image with a palette, as Pillow wants one."""
    image = Image.new("P", (1, 1))
    image.putpalette(bytes(max(0, level - _HALF_CELL) for level in levels))
    return image


def map_to_palette(image: Image.Image, levels: bytes) -> Image.Image:
    """The image with each pixel in the nearest of these colours.

    Nothing is scattered over neighbours: wood, sea and parchment have so much grain that no edges show between shades.
    """
    found = image.quantize(palette=_palette_image(levels), dither=Image.Dither.NONE)
    found.putpalette(levels)
    return found

"""Fixed palettes of 256 colours. A game's palette is computed once and stored in a file."""

from __future__ import annotations

from functools import cache
from importlib.resources.abc import Traversable
from typing import Final

from PIL import Image

COLOUR_COUNT: Final = 256
_HALF_CELL: Final = 2
"""Pillow finds the nearest colour once for each cell of four levels of red, green and blue, and compares with the
cell's lowest level. Palette colours are made darker by half a cell so that it compares with the cell's middle."""


def read_levels(file: Traversable) -> bytes:
    """Return the 768 levels of a palette file with lines `rrggbb`. Raises ValueError unless it has 256 colours."""
    levels = bytes.fromhex(file.read_text())
    if len(levels) != 3 * COLOUR_COUNT:
        raise ValueError(f"{file}: {len(levels) / 3:g} colours, not {COLOUR_COUNT}")
    return levels


@cache
def _palette_image(levels: bytes) -> Image.Image:
    image = Image.new("P", (1, 1))
    image.putpalette(bytes(max(0, level - _HALF_CELL) for level in levels))
    return image


def map_to_palette(image: Image.Image, levels: bytes) -> Image.Image:
    """Return the image with each pixel in the nearest colour of the palette, without dithering.

    Wood, sea and parchment have so much grain that no edges show between shades.
    """
    mapped = image.quantize(palette=_palette_image(levels), dither=Image.Dither.NONE)
    mapped.putpalette(levels)
    return mapped

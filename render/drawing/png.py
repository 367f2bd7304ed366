"""Encode PNGs with a palette by a faster library than the zlib that Pillow uses.

For a picture of 1,600 pixels Pillow's zlib takes 20 ms. ISA-L takes 3 ms, for files that are one eighth larger.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
from isal import isal_zlib
from PIL import Image

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_BIT_DEPTH, _INDEXED_COLOUR = 8, 3
_COMPRESSION_LEVEL: Final = 1
"""ISA-L's levels are 0 to 3. Level 0 gives files one fifth larger in the same time, 2 gives none smaller, 3 is slower
and gives larger ones."""


def encode_png(image: Image.Image, levels: bytes) -> bytes:
    """Return the PNG file of an image in mode P; `levels` are the palette's levels, three for each colour."""
    # Each row begins with the number of its filter. 0 is no filter: filters don't help with indices into a palette.
    rows = np.zeros((image.height, image.width + 1), np.uint8)
    rows[:, 1:] = np.asarray(image)
    header = struct.pack(">IIBBBBB", image.width, image.height, _BIT_DEPTH, _INDEXED_COLOUR, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _make_chunk(b"IHDR", header),
            _make_chunk(b"PLTE", levels),
            _make_chunk(b"IDAT", isal_zlib.compress(rows, _COMPRESSION_LEVEL)),
            _make_chunk(b"IEND", b""),
        )
    )


def _make_chunk(name: bytes, body: bytes) -> bytes:
    check = isal_zlib.crc32(body, isal_zlib.crc32(name))
    return b"".join((struct.pack(">I", len(body)), name, body, struct.pack(">I", check)))

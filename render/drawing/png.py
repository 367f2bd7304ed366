"""A PNG with a palette, compressed by a faster library than Pillow's own.

Pillow's zlib takes 20 ms for a picture of 1,600 pixels, where ISA-L takes 3 ms for an eighth more bytes.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
from isal import isal_zlib
from PIL import Image

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_BIT_DEPTH, _INDEXED_COLOUR = 8, 3
"""Bits a pixel, and the type of colours that a palette has."""
_COMPRESSION_LEVEL: Final = 1
"""Of ISA-L's 0 to 3: 0 gives a fifth more bytes in as much time, 2 no fewer, 3 is slower and gives more."""


def encode_png(image: Image.Image, levels: bytes) -> bytes:
    """The file of an image whose pixels (mode P) are numbers of these colours, three levels each."""
    # Each row begins with the number of its filter; 0 is none, which suits numbers that are no brightness.
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

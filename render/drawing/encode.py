"""Encode pictures within the size that a chat accepts, in fixed palettes of 256 colours."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import Final, Literal

import numpy as np
from isal import isal_zlib
from msgspec import Struct
from PIL import Image, ImageSequence

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
    checksum = isal_zlib.crc32(body, isal_zlib.crc32(name))
    return b"".join((struct.pack(">I", len(body)), name, body, struct.pack(">I", checksum)))


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


MAX_STILL_BYTES: Final = 400_000
WIDTH_LIMITS: Final = (200, 4096)
"""In pixels. What painters draw is at most about twice as high as wide."""
StillFormat = Literal["png", "webp"]
FilmFormat = Literal["webp", "gif"]
_WEBP_QUALITIES: Final = (86, 76, 64, 50)
_PNG_DITHERS: Final = (0.5, 0.25, 0.0)
"""Parts of the difference from the palette that are dithered, in the order in which they are tried. Half of it hides
every visible edge between shades of wood, sea and parchment. All of it looks no better, and such pictures have up to
600 kB."""
_ZLIB_LEVEL: Final = 4
"""zlib's default level 6 takes two or three times as long for 5 to 10 % fewer bytes."""


class Picture(Struct, frozen=True, kw_only=True):
    data: bytes  # the file
    format: Literal["png", "webp", "gif"]
    width: int  # pixels
    height: int  # pixels
    reduced: bool = False
    """Whether a film has fewer frames or pixels than intended because of the size limit."""


def check_width(width: int) -> None:
    """Raise ValueError if a width is outside `WIDTH_LIMITS`."""
    if not WIDTH_LIMITS[0] <= width <= WIDTH_LIMITS[1]:
        raise ValueError(f"pictures are {WIDTH_LIMITS[0]} to {WIDTH_LIMITS[1]} pixels wide, not {width}")


def encode_still(image: Image.Image, form: StillFormat = "png", palette: bytes = b"") -> Picture:
    """Encode an image at lower quality, then at a smaller size, until it has at most `MAX_STILL_BYTES`.

    A PNG uses the palette's colours (768 levels). If `palette` is empty, one is computed.
    """
    while True:
        if form == "webp":
            encodings = _webp_encodings(image)
        else:
            encodings = _palette_encodings(image, palette) if palette else _png_encodings(image)
        for data in encodings:  # from the best quality to the worst
            if len(data) <= MAX_STILL_BYTES:
                return Picture(data=data, format=form, width=image.width, height=image.height)
        image = image.resize((image.width * 3 // 4, image.height * 3 // 4), Image.Resampling.LANCZOS)


def _webp_encodings(image: Image.Image) -> Iterator[bytes]:
    for quality in _WEBP_QUALITIES:
        out = BytesIO()
        image.save(out, "WEBP", quality=quality, method=1)
        yield out.getvalue()


def _palette_encodings(image: Image.Image, palette: bytes) -> Iterator[bytes]:
    mapped = map_to_palette(image, palette)
    yield encode_png(mapped, palette)  # fast; Pillow's own file is smaller
    out = BytesIO()
    mapped.save(out, "PNG", compress_level=_ZLIB_LEVEL)
    yield out.getvalue()


def _png_encodings(image: Image.Image) -> Iterator[bytes]:
    undithered = image.quantize(COLOUR_COUNT, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    undithered_rgb = undithered.convert("RGB")
    for part in _PNG_DITHERS:
        # Pillow dithers all of the difference or none. Blending half-way to the undithered image halves the difference.
        dithered = Image.blend(undithered_rgb, image, part).quantize(palette=undithered) if part else undithered
        out = BytesIO()
        dithered.save(out, "PNG", compress_level=_ZLIB_LEVEL)
        yield out.getvalue()


def halve_picture(data: bytes) -> bytes:
    """Return a picture or film at half its width and height, in its own format and with its frames' durations."""
    with Image.open(BytesIO(data)) as original:
        size = (max(1, original.width // 2), max(1, original.height // 2))
        frames, durations_ms = [], []
        for frame in ImageSequence.Iterator(original):
            halved = frame.convert("RGB").resize(size, Image.Resampling.LANCZOS)
            # Stills get a palette, because in full colours the halved picture may take more bytes than the original.
            frames.append(halved if original.format == "WEBP" else halved.quantize(48, dither=Image.Dither.NONE))
            durations_ms.append(frame.info.get("duration", 0))
        output = BytesIO()
        film_options = {"save_all": True, "append_images": frames[1:], "duration": durations_ms, "loop": 0}
        frames[0].save(output, original.format, **(film_options if len(frames) > 1 else {}))
        return output.getvalue()

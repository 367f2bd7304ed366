"""Pictures as bytes, within what a chat takes."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Final, Literal

from msgspec import Struct
from PIL import Image

from render.drawing.palette import COLOUR_COUNT, map_to_palette
from render.drawing.png import encode_png

MAX_STILL_BYTES: Final = 400_000
"""The most that one still may weigh."""
WIDTH_LIMITS: Final = (200, 4096)
"""Least and most pixels across; what painters draw is at most about twice as high."""
StillFormat = Literal["png", "webp"]
FilmFormat = Literal["webp", "gif"]
"""Of a film."""
_WEBP_QUALITIES: Final = (86, 76, 64, 50)
_PNG_DITHERS: Final = (0.5, 0.25, 0.0)
"""How much of what the palette lacks is scattered over neighbours. Half of it hides every edge between shades that one
would see in wood, sea and parchment; all of it looks no better, and such pictures weigh up to 600 kB."""
_ZLIB_LEVEL: Final = 4
"""zlib's level: the usual 6 takes two or three times as long, for 5 to 10 % fewer bytes."""


class Picture(Struct, frozen=True, kw_only=True):
    """An encoded picture."""

    data: bytes
    format: Literal["png", "webp", "gif"]
    width: int
    height: int
    reduced: bool = False
    """A film that has fewer frames or pixels than it was meant to have, to keep within its limit."""


def check_width(width: int) -> None:
    """Raise ValueError for a width that no picture may have, before anything is drawn."""
    if not WIDTH_LIMITS[0] <= width <= WIDTH_LIMITS[1]:
        raise ValueError(f"pictures are {WIDTH_LIMITS[0]} to {WIDTH_LIMITS[1]} pixels wide, not {width}")


def encode_still(image: Image.Image, form: StillFormat = "png", palette: bytes = b"") -> Picture:
    """Encode one image, more coarsely and then smaller until it weighs no more than `MAX_STILL_BYTES`.

    A PNG takes the colours of the palette (768 levels), or finds some of its own if that is empty.
    """
    while True:
        for data in (
            _webp_encodings(image)
            if form == "webp"
            else _palette_encodings(image, palette)
            if palette
            else _png_encodings(image)
        ):
            if len(data) <= MAX_STILL_BYTES:
                return Picture(data=data, format=form, width=image.width, height=image.height)
        image = image.resize((image.width * 3 // 4, image.height * 3 // 4), Image.Resampling.LANCZOS)


def _webp_encodings(image: Image.Image) -> Iterator[bytes]:
    """An image in ever fewer bytes."""
    for quality in _WEBP_QUALITIES:
        out = BytesIO()
        image.save(out, "WEBP", quality=quality, method=1)
        yield out.getvalue()


def _palette_encodings(image: Image.Image, palette: bytes) -> Iterator[bytes]:
    """An image in given colours: quickly, and then in fewer bytes."""
    plain = map_to_palette(image, palette)
    yield encode_png(plain, palette)
    out = BytesIO()
    plain.save(out, "PNG", compress_level=_ZLIB_LEVEL)
    yield out.getvalue()


def _png_encodings(image: Image.Image) -> Iterator[bytes]:
    """An image with a palette of its own, in ever fewer bytes."""
    plain = image.quantize(COLOUR_COUNT, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    bare = plain.convert("RGB")
    for part in _PNG_DITHERS:
        # Pillow scatters all of the difference or none; of an image half-way to its plain one that is half.
        dithered = Image.blend(bare, image, part).quantize(palette=plain) if part else plain
        out = BytesIO()
        dithered.save(out, "PNG", compress_level=_ZLIB_LEVEL)
        yield out.getvalue()

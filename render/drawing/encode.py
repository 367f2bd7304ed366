"""Encode pictures within the size that a chat accepts."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Final, Literal

from msgspec import Struct
from PIL import Image

from render.drawing.palette import COLOUR_COUNT, map_to_palette
from render.drawing.png import encode_png

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
    data: bytes
    format: Literal["png", "webp", "gif"]
    width: int
    height: int
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
    for quality in _WEBP_QUALITIES:
        out = BytesIO()
        image.save(out, "WEBP", quality=quality, method=1)
        yield out.getvalue()


def _palette_encodings(image: Image.Image, palette: bytes) -> Iterator[bytes]:
    plain = map_to_palette(image, palette)
    yield encode_png(plain, palette)
    out = BytesIO()
    plain.save(out, "PNG", compress_level=_ZLIB_LEVEL)
    yield out.getvalue()


def _png_encodings(image: Image.Image) -> Iterator[bytes]:
    plain = image.quantize(COLOUR_COUNT, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    bare = plain.convert("RGB")
    for part in _PNG_DITHERS:
        # Pillow dithers all of the difference or none. Blending half-way to the undithered image halves the difference.
        dithered = Image.blend(bare, image, part).quantize(palette=plain) if part else plain
        out = BytesIO()
        dithered.save(out, "PNG", compress_level=_ZLIB_LEVEL)
        yield out.getvalue()

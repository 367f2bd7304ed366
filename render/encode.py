"""Pictures as bytes, within what a chat takes."""

from __future__ import annotations

from io import BytesIO
from typing import Final, Literal

from msgspec import Struct
from PIL import Image

STILL_BYTES: Final = 400_000
"""The most that one still may weigh."""
WIDTHS: Final = (200, 4096)
"""Least and most pixels across; what painters draw is at most about twice as high."""
_QUALITIES: Final = (86, 76, 64, 50)


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
    if not WIDTHS[0] <= width <= WIDTHS[1]:
        raise ValueError(f"pictures are {WIDTHS[0]} to {WIDTHS[1]} pixels wide, not {width}")


def still(image: Image.Image) -> Picture:
    """Encode one image as WebP, more coarsely and then smaller until it weighs no more than `STILL_BYTES`."""
    while True:
        for quality in _QUALITIES:
            out = BytesIO()
            image.save(out, "WEBP", quality=quality, method=1)
            if out.tell() <= STILL_BYTES:
                return Picture(data=out.getvalue(), format="webp", width=image.width, height=image.height)
        image = image.resize((image.width * 3 // 4, image.height * 3 // 4), Image.Resampling.LANCZOS)

"""Frames encoded as one file within what a chat takes."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Final

from PIL import Image

from render.drawing.encode import FilmFormat, Picture
from render.drawing.palette import map_to_palette
from render.drawing.style import BRASS, CARD, CHALK, EMBER, FLAME, SOOT, WARM, Colour
from render.films.film import Frame
from render.films.splice import film_of_still

MAX_FILM_BYTES: Final = 3_000_000
"""The most that a film of a round may weigh."""
_GIF_HEADER_BYTES: Final = 13
"""Bytes of a GIF before its palette."""
COMMON_COLOURS: Final = (CHALK, WARM, FLAME, EMBER, SOOT, BRASS, CARD)
"""Colours that every palette has besides those of its game: fire is seldom seen, but it must be red."""


def encode_film(
    frames: Sequence[Frame],
    form: FilmFormat,
    most: int = MAX_FILM_BYTES,
    *,
    palette: bytes = b"",
    pure: Sequence[Colour] = (),
) -> Picture:
    """Encode frames as an endless film: with fewer frames, then smaller, until it weighs no more than so many bytes.

    A GIF takes the palette that it is given, or one with the colours that must be `pure` (`Painter.pure`).
    """
    picture = encode_fewer_frames(frames, form, most, thinnest=2, palette=palette, pure=pure)
    while len(picture.data) > most:
        frames = _shrink_frames(frames)
        picture = encode_fewer_frames(frames, form, most, thinnest=2, palette=palette, pure=pure)
    return picture


def encode_fewer_frames(
    frames: Sequence[Frame],
    form: FilmFormat,
    most: int,
    *,
    thinnest: int = 4,
    palette: bytes = b"",
    pure: Sequence[Colour] = (),
) -> Picture:
    """Encode frames as an endless film, fewer of them if it weighs more than so many bytes.

    If even one of `thinnest` frames is too many it weighs more nevertheless. A GIF takes the palette that it is given,
    or one with the colours that must be `pure`.
    """
    first, all_of_them, kept = frames[0].image, len(frames), 1
    data = _encode_frames(frames, form, palette, pure)
    while len(data) > most and kept < thinnest and len(frames) > 1:
        frames, kept = _drop_frames(frames), kept * 2
        data = _encode_frames(frames, form, palette, pure)
    reduced = len(frames) < all_of_them
    return Picture(data=data, format=form, width=first.width, height=first.height, reduced=reduced)


def gif_palette(gif: bytes) -> bytes:
    """The palette of a GIF of ours."""
    return gif[_GIF_HEADER_BYTES : _GIF_HEADER_BYTES + 768]


def _encode_frames(frames: Sequence[Frame], form: FilmFormat, palette: bytes, pure: Sequence[Colour]) -> bytes:
    out = BytesIO()
    images, times = [frame.image for frame in frames], [frame.ms for frame in frames]
    if form == "webp":
        images[0].save(
            out,
            "WEBP",
            save_all=True,
            append_images=images[1:],
            duration=times,
            loop=0,
            quality=72,
            method=1,
        )
        return film_of_still(out.getvalue(), images[0].size, sum(times))
    # One palette for all frames, so that what stands still does not flicker and weighs nothing.
    levels = palette or _build_palette(images, (*COMMON_COLOURS, *pure))
    flat = [map_to_palette(image, levels) for image in images]
    flat[0].save(out, "GIF", save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=False)
    return out.getvalue()


def _build_palette(images: Sequence[Image.Image], pure: Sequence[Colour]) -> bytes:
    """A palette of the colours of frames from all parts of a film, and of those that they may lack."""
    some = [images[i * (len(images) - 1) // 5] for i in range(6)]
    small = [image.resize((image.width // 2, image.height // 2)) for image in some]
    sheet = Image.new("RGB", (small[0].width, small[0].height * len(small)))
    for i, image in enumerate(small):
        sheet.paste(image, (0, i * image.height))
    found = sheet.quantize(256 - len(pure), method=Image.Quantize.MEDIANCUT).getpalette() or []
    levels = [level for colour in pure for level in colour]
    return bytes([*levels, *found][:768]).ljust(768, b"\0")


def _drop_frames(frames: Sequence[Frame]) -> list[Frame]:
    """Every other frame, each shown for as long as the two were."""
    pairs = [frames[i : i + 2] for i in range(0, len(frames), 2)]
    return [Frame(pair[-1].image, sum(frame.ms for frame in pair)) for pair in pairs]


def _shrink_frames(frames: Sequence[Frame]) -> list[Frame]:
    width, height = (side * 3 // 4 for side in frames[0].image.size)
    return [Frame(frame.image.resize((width, height), Image.Resampling.LANCZOS), frame.ms) for frame in frames]

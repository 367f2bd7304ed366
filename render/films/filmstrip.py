"""Encode frames as one file within the size that a chat accepts."""

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
_GIF_HEADER_BYTES: Final = 13
COMMON_COLOURS: Final = (CHALK, WARM, FLAME, EMBER, SOOT, BRASS, CARD)
"""Colours that every palette contains in addition to those of its game. Fire is rare in a film, but it must be red."""


def encode_film(
    frames: Sequence[Frame],
    form: FilmFormat,
    most: int = MAX_FILM_BYTES,
    *,
    palette: bytes = b"",
    pure: Sequence[Colour] = (),
) -> Picture:
    """Encode frames as a looping film with fewer frames, then at a smaller size, until it has at most `most` bytes.

    A GIF uses `palette`, or if that is empty a computed one that contains the `pure` colours.
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
    """Encode frames as a looping film. While it has more than `most` bytes, drop every other frame.

    Frames are dropped until one in `thinnest` is left, even if the film is still too large. A GIF uses `palette`, or if
    that is empty a computed one that contains the `pure` colours.
    """
    first, original_count, divisor = frames[0].image, len(frames), 1
    data = _encode_frames(frames, form, palette, pure)
    while len(data) > most and divisor < thinnest and len(frames) > 1:
        frames, divisor = _drop_frames(frames), divisor * 2
        data = _encode_frames(frames, form, palette, pure)
    reduced = len(frames) < original_count
    return Picture(data=data, format=form, width=first.width, height=first.height, reduced=reduced)


def gif_palette(gif: bytes) -> bytes:
    """Return the palette of a GIF that `encode_film` wrote."""
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
    # With one palette for all frames, still parts do not flicker and take no bytes.
    levels = palette or _build_palette(images, (*COMMON_COLOURS, *pure))
    flat = [map_to_palette(image, levels) for image in images]
    flat[0].save(out, "GIF", save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=False)
    return out.getvalue()


def _build_palette(images: Sequence[Image.Image], pure: Sequence[Colour]) -> bytes:
    """Return a palette of the `pure` colours and of the commonest in six frames spread over the film."""
    samples = [images[i * (len(images) - 1) // 5] for i in range(6)]
    small = [image.resize((image.width // 2, image.height // 2)) for image in samples]
    sheet = Image.new("RGB", (small[0].width, small[0].height * len(small)))
    for i, image in enumerate(small):
        sheet.paste(image, (0, i * image.height))
    computed = sheet.quantize(256 - len(pure), method=Image.Quantize.MEDIANCUT).getpalette() or []
    levels = [level for colour in pure for level in colour]
    return bytes([*levels, *computed][:768]).ljust(768, b"\0")


def _drop_frames(frames: Sequence[Frame]) -> list[Frame]:
    pairs = [frames[i : i + 2] for i in range(0, len(frames), 2)]
    return [Frame(pair[-1].image, sum(frame.ms for frame in pair)) for pair in pairs]


def _shrink_frames(frames: Sequence[Frame]) -> list[Frame]:
    width, height = (side * 3 // 4 for side in frames[0].image.size)
    return [Frame(frame.image.resize((width, height), Image.Resampling.LANCZOS), frame.ms) for frame in frames]

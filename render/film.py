"""Moving pictures: frames, each shown for a while, as one file within what a chat takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final, Literal

from PIL import Image

from render.encode import Picture

FILM_BYTES: Final = 3_000_000
"""The most that a film of a round may weigh."""
Format = Literal["webp", "gif"]


@dataclass(frozen=True)
class Frame:
    """A still and how long it is shown."""

    image: Image.Image
    ms: int


def reel(frames: Sequence[Frame], form: Format) -> Picture:
    """Encode frames as an endless film: with fewer frames, then smaller, until it weighs no more than `FILM_BYTES`."""
    reduced = False
    while True:
        data = _encode(frames, form)
        if len(data) <= FILM_BYTES:
            first = frames[0].image
            return Picture(data=data, format=form, width=first.width, height=first.height, reduced=reduced)
        frames = _fewer(frames) if not reduced else _smaller(frames)
        reduced = True


def _encode(frames: Sequence[Frame], form: Format) -> bytes:
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
        return out.getvalue()
    # One palette for all frames, so that what stands still does not flicker and weighs nothing.
    palette = _palette(images)
    flat = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    flat[0].save(out, "GIF", save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=False)
    return out.getvalue()


def _palette(images: Sequence[Image.Image]) -> Image.Image:
    """A palette of the colours of frames from all parts of a film."""
    some = [images[i * (len(images) - 1) // 5] for i in range(6)]
    small = [image.resize((image.width // 2, image.height // 2)) for image in some]
    sheet = Image.new("RGB", (small[0].width, small[0].height * len(small)))
    for i, image in enumerate(small):
        sheet.paste(image, (0, i * image.height))
    return sheet.quantize(256, method=Image.Quantize.MEDIANCUT)


def _fewer(frames: Sequence[Frame]) -> list[Frame]:
    """Every other frame, each shown for as long as the two were."""
    pairs = [frames[i : i + 2] for i in range(0, len(frames), 2)]
    return [Frame(pair[-1].image, sum(frame.ms for frame in pair)) for pair in pairs]


def _smaller(frames: Sequence[Frame]) -> list[Frame]:
    width, height = (side * 3 // 4 for side in frames[0].image.size)
    return [Frame(frame.image.resize((width, height), Image.Resampling.LANCZOS), frame.ms) for frame in frames]

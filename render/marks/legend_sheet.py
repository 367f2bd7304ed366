"""A legend: a sample of each mark of a picture, beside a sentence that says what it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from PIL import Image, ImageDraw

from render.drawing.style import BRASS, CARD, FULL_WIDTH, WALNUT, load_font

_SAMPLE_WIDTH_PX: Final = 340  # of the column of samples, at full width
_LETTER_PX: Final = 52  # 13 pixels on a phone that shows the legend 400 wide
_GAP_PX: Final = 18


def draw_legend_sheet(rows: Sequence[tuple[Image.Image, str]], width: int) -> Image.Image:
    """Draw samples of marks, each with its sentence on the right."""
    px = width / FULL_WIDTH
    gap, column = round(_GAP_PX * px), round(_SAMPLE_WIDTH_PX * px)
    size = round(_LETTER_PX * px)
    samples = [_shrink(sample, column - 2 * gap) for sample, _ in rows]
    lines = [wrap_words(sentence, size, width - column - 2 * gap) for _, sentence in rows]
    line_height = round(1.16 * size)
    heights = [max(sample.height, len(words) * line_height) + gap for sample, words in zip(samples, lines, strict=True)]
    image = Image.new("RGB", (width, sum(heights) + gap), WALNUT)
    draw = ImageDraw.Draw(image)
    top = gap // 2
    for sample, words, height in zip(samples, lines, heights, strict=True):
        left, sample_top = (column - sample.width) // 2, top + (height - sample.height) // 2
        image.paste(sample, (left, sample_top), sample if sample.mode == "RGBA" else None)
        y = top + (height - len(words) * line_height) / 2
        for number, line in enumerate(words):
            at = (column + gap, y + (number + 0.5) * line_height)
            draw.text(at, line, fill=CARD, font=load_font(size, heavy=False), anchor="lm")
        top += height
        draw.line((column, top, width - gap, top), fill=BRASS, width=max(1, round(px)))
    return image


class SampleSheet(NamedTuple):
    image: Image.Image
    boxes: tuple[tuple[int, int, int, int], ...]
    """Of each sample: left, top, width and height in pixels."""


def draw_sample_sheet(samples: Sequence[Image.Image]) -> SampleSheet:
    """Draw samples of marks, one below the other."""
    width = max(sample.width for sample in samples)
    image = Image.new("RGB", (width, sum(sample.height for sample in samples)), WALNUT)
    boxes: list[tuple[int, int, int, int]] = []
    top = 0
    for sample in samples:
        image.paste(sample, (0, top), sample if sample.mode == "RGBA" else None)
        boxes.append((0, top, sample.width, sample.height))
        top += sample.height
    return SampleSheet(image, tuple(boxes))


def wrap_words(text: str, size: int, room: float) -> list[str]:
    """Return a text in lines of at most `room` pixels; a longer word has a line of its own."""
    font = load_font(size, heavy=False)
    lines: list[str] = []
    for word in text.split():
        if lines and font.getlength(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _shrink(sample: Image.Image, width: int) -> Image.Image:
    """Return a sample that is at most so wide."""
    if sample.width <= width:
        return sample
    return sample.resize((width, max(1, round(sample.height * width / sample.width))), Image.Resampling.LANCZOS)

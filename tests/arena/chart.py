"""Bar charts beside and below each other, as one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

_WIDTH, _HEIGHT, _MARGIN, _LINE = 560, 300, 24, 18
_INK, _PAPER, _BAR, _FAINT = "#22313f", "#fbf9f4", "#35708f", "#b9c4cc"


class Bars(NamedTuple):
    title: str
    names: Sequence[str]
    heights: Sequence[float]
    labels: Sequence[str]  # written on the bars
    spans: Sequence[tuple[float, float]] = ()  # an interval about each height
    level: float | None = None  # a line across


def draw(charts: Sequence[Bars], columns: int = 2) -> Image.Image:
    rows = -(-len(charts) // columns)
    picture = Image.new("RGB", (columns * _WIDTH, rows * _HEIGHT), _PAPER)
    for number, chart in enumerate(charts):
        picture.paste(_one(chart), (number % columns * _WIDTH, number // columns * _HEIGHT))
    return picture


def _one(chart: Bars) -> Image.Image:
    picture = Image.new("RGB", (_WIDTH, _HEIGHT), _PAPER)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(13)
    pen.text((_MARGIN, _MARGIN / 2), chart.title, fill=_INK, font=ImageFont.load_default(16))
    top, bottom = _MARGIN + 2 * _LINE, _HEIGHT - _MARGIN - _LINE
    most = max([*chart.heights, *(high for _, high in chart.spans), chart.level or 0.0]) or 1.0

    def y(height: float) -> float:
        return bottom - (bottom - top) * height / most

    pitch = (_WIDTH - 2 * _MARGIN) / len(chart.names)
    if chart.level is not None:
        pen.line([(_MARGIN, y(chart.level)), (_WIDTH - _MARGIN, y(chart.level))], fill=_FAINT, width=2)
    for number, (name, height, label) in enumerate(zip(chart.names, chart.heights, chart.labels, strict=True)):
        left = _MARGIN + pitch * number
        middle = left + pitch / 2
        pen.rectangle([left + pitch * 0.15, y(height), left + pitch * 0.85, bottom], fill=_BAR)
        highest = height
        if chart.spans:
            low, highest = chart.spans[number]
            pen.line([(middle, y(low)), (middle, y(highest))], fill=_INK, width=2)
        pen.text((middle, y(highest) - 3), label, fill=_INK, font=font, anchor="mb")
        pen.text((middle, bottom + 4), name, fill=_INK, font=font, anchor="mt")
    pen.line([(_MARGIN, bottom), (_WIDTH - _MARGIN, bottom)], fill=_INK)
    return picture

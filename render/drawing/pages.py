"""The pages of a sheet: several images in one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from PIL import Image

from render.drawing.style import CARD, Colour, scaled_px

_GAP_PX: Final = 8  # between pages

T = TypeVar("T")


def page_width(full_width: int, per_row: int = 2) -> int:  # pixels; gaps separate the pages of a row
    return (full_width - (per_row - 1) * _gap(full_width)) // per_row


def _gap(full_width: int) -> int:
    return scaled_px(_GAP_PX, full_width)


def lay_out_pages(
    pages: Sequence[Image.Image], full_width: int, *, per_row: int = 2, ground: Colour = CARD
) -> Image.Image:
    """Lay pages out in rows. A last row with fewer pages stands in the middle."""
    gap = _gap(full_width)
    rows = [pages[start : start + per_row] for start in range(0, len(pages), per_row)]
    heights = [max(page.height for page in row) for row in rows]
    sheet = Image.new("RGB", (full_width, sum(heights) + (len(rows) - 1) * gap), ground)
    top = 0
    for row, height in zip(rows, heights, strict=True):
        left = (full_width - sum(page.width for page in row) - (len(row) - 1) * gap) // 2
        for page in row:
            sheet.paste(page, (left, top))
            left += page.width + gap
        top += height + gap
    return sheet


def merge_lightest(
    pages: Sequence[tuple[T, ...]], max_pages: int, weight: Callable[[tuple[T, ...]], float]
) -> list[tuple[T, ...]]:
    """Return pages, of which the two neighbours that weigh least together are joined until `max_pages` are left."""
    merged = list(pages)
    while len(merged) > max_pages:
        lightest = min(range(len(merged) - 1), key=lambda i: weight((*merged[i], *merged[i + 1])))
        merged[lightest : lightest + 2] = [(*merged[lightest], *merged[lightest + 1])]
    return merged

"""A turn act by act: a page for each attack and boarding, near by; moves that follow each other share one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil, inf
from typing import Final

from PIL import Image

from render.canvas import Box, Canvas, Point
from render.commission import Commission
from render.ramspeed import rim, sea
from render.ramspeed.marks import bounds
from render.ramspeed.scene import afloat, blows, canvas_of, edged, names, titled, traces, wrecks
from render.ramspeed.window import about, whole_of, window_of
from render.style import CARD, FULL_WIDTH
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.retelling import Act, Fleet, losses_of

_PAGES: Final = 6
"""Most pages of a turn, the last of them the sea as it is now: more would not go into a still undiminished."""
_NEAR: Final = 11.0
"""Inches: no page shows less across."""
_CLOSE: Final = 17.0
"""Inches: what needs more across is shown with all the rest."""
_AROUND: Final = 1.3
_TALLEST: Final = 0.6
"""Height of a page as a part of its width."""


def sheet(asked: Commission[SeaView], acts: Sequence[Act]) -> Image.Image:
    """Pages two abreast, the last of them the sea as it is now."""
    gap = round(8 * asked.width / FULL_WIDTH)
    wide = (asked.width - gap) // 2
    whole = window_of(asked, acts, _TALLEST)
    some = grouped(acts, _PAGES - 1)
    inner = wide - 2 * rim.margin(asked.width)
    high = round(inner * (whole[3] - whole[1]) / (whole[2] - whole[0]))
    close = [page for page in some if _across(page, high / inner) <= _CLOSE]
    near = _Near(asked, close, whole, (inner, high))
    canvases = [
        _page(asked, near.canvas(page) if page in close else canvas_of(asked, whole, wide), page) for page in some
    ]
    canvases.append(_page(asked, canvas_of(asked, whole, wide), ()))
    return _laid(asked, canvases, gap)


def grouped(acts: Sequence[Act], most: int) -> list[tuple[Act, ...]]:
    """Acts by page: moves that follow each other on one, and if that makes too many, neighbours that lie near by."""
    pages: list[tuple[Act, ...]] = []
    for act in acts:
        if pages and act.kind == "move" and all(one.kind == "move" for one in pages[-1]):
            pages[-1] = (*pages[-1], act)
        else:
            pages.append((act,))
    while len(pages) > most:
        least = min(range(len(pages) - 1), key=lambda i: _burden((*pages[i], *pages[i + 1])))
        pages[least : least + 2] = [(*pages[least], *pages[least + 1])]
    return pages


def _burden(page: Sequence[Act]) -> float:
    """How much a page holds: its acts, an attack counting for two moves, and inches across."""
    return 8.0 * sum(1.0 if act.kind in ("move", "fires") else 2.0 for act in page) + _across(page, 1.0)


def _points(page: Sequence[Act]) -> list[Point]:
    return [point for act in page for point in about(act)]


def _across(page: Sequence[Act], part: float) -> float:
    """Inches across that a page must show, its height being a part of its width."""
    points = _points(page)
    if not points:
        return inf
    west, south, east, north = bounds(points)
    return max(east - west + 2 * _AROUND, (north - south + 2 * _AROUND) / part)


class _Near:
    """Windows of one size, each about one page's acts; cut from one sea, so that it is painted once."""

    def __init__(
        self, asked: Commission[SeaView], pages: Sequence[tuple[Act, ...]], whole: Box, size: tuple[int, int]
    ) -> None:
        self.asked, self.size, self.whole = asked, size, whole_of(asked.view.position)
        part = size[1] / size[0]
        boxes = [bounds(points) for page in pages if (points := _points(page))]
        self.wide = min(max([_NEAR, *(_across(page, part) for page in pages)]), whole[2] - whole[0])
        self.high = self.wide * part
        self.scale = size[0] / self.wide
        windows = [self.window(box) for box in boxes]
        if not windows:
            return
        west, south = min(box[0] for box in windows), min(box[1] for box in windows)
        east, north = max(box[2] for box in windows), max(box[3] for box in windows)
        self.corner = (west, north)
        # Whole pixels, and a spare one at the edges.
        pixels = (ceil((east - west) * self.scale) + 1, ceil((north - south) * self.scale) + 1)
        box = (west, north - pixels[1] / self.scale, west + pixels[0] / self.scale, north)
        position = asked.view.position
        table = (position.width, position.height)
        self.ground = sea.water(pixels, box, position.land, table, asked.width)

    def window(self, box: Box) -> Box:
        """A window about a box, within the table."""
        west = min(max((box[0] + box[2] - self.wide) / 2, self.whole[0]), self.whole[2] - self.wide)
        south = min(max((box[1] + box[3] - self.high) / 2, self.whole[1]), self.whole[3] - self.high)
        return west, south, west + self.wide, south + self.high

    def canvas(self, page: Sequence[Act]) -> Canvas:
        """The bare sea about some acts."""
        points = _points(page)
        west, _, _, north = self.window(bounds(points))
        left = round((west - self.corner[0]) * self.scale)
        top = round((self.corner[1] - north) * self.scale)
        left, top = min(left, self.ground.width - self.size[0]), min(top, self.ground.height - self.size[1])
        west, north = self.corner[0] + left / self.scale, self.corner[1] - top / self.scale
        box = (west, north - self.size[1] / self.scale, west + self.wide, north)
        return Canvas(self.ground.crop((left, top, left + self.size[0], top + self.size[1])), box, self.asked.width)


def _page(asked: Commission[SeaView], canvas: Canvas, page: Sequence[Act]) -> Canvas:
    """One page on its bare sea."""
    fleet = page[-1].after if page else Fleet.of(asked.view.position)
    traces(canvas, page)
    wrecks(canvas, fleet)
    afloat(canvas, fleet)
    tags = [tag for act in page for tag in blows(canvas, act, dice=True)]
    concerned = {name for act in page for name in act.concerned} if page else None
    names(canvas, fleet, asked.view, tags, losses=losses_of(page), whole=concerned)
    return canvas


def _laid(asked: Commission[SeaView], canvases: Sequence[Canvas], gap: int) -> Image.Image:
    """Pages two abreast."""
    pages = list(map(partial(edged, asked), canvases))
    wide, high = pages[0].size
    rows = ceil(len(pages) / 2)
    image = Image.new("RGB", (asked.width, rows * high + (rows - 1) * gap), CARD)
    for i, page in enumerate(pages):
        alone = i == len(pages) - 1 and i % 2 == 0
        across = (asked.width - wide) // 2 if alone else i % 2 * (wide + gap)
        image.paste(page, (across, i // 2 * (high + gap)))
    return titled(asked, image, canvases[-1])

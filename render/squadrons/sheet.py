"""A turn page by page: its activations near by, in order, and the sea as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import ceil
from typing import Final

from PIL import Image

from render.canvas import Box
from render.commission import Commission
from render.hexmap import HexCanvas
from render.squadrons.chips import chips
from render.squadrons.ids import named
from render.squadrons.scene import afloat, blows, canvas_of, edged, titled, traces
from render.squadrons.story import Act
from render.squadrons.window import about, around, map_of, ships_of, window_of
from render.style import CARD, FULL_WIDTH
from render.tags import Tag
from rules.squadrons.view import FleetView

_PAGES: Final = 4
"""Most pages of a turn, the last of them the sea as it is now: more would not go into a still undiminished."""
_LEAST: Final = 17.0
"""Edges of a hex: no page shows less across."""
_TALLEST: Final = 0.56
"""Height of a page as a part of its width."""
_DICE: Final = 12
"""Dice of so many rolls are shown upon one page, the weightiest."""


def sheet(asked: Commission[FleetView], told: Sequence[Act]) -> Image.Image:
    """Pages two abreast, the last of them the sea as it is now."""
    return laid(asked, [*grouped(told, _PAGES - 1), ()])


def details(asked: Commission[FleetView], told: Sequence[Act]) -> Image.Image:
    """What was rolled, near by: pages of neighbouring attacks in order, two abreast."""
    return laid(asked, grouped([act for act in told if act.strikes], _PAGES))


def grouped(told: Sequence[Act], most: int) -> list[tuple[Act, ...]]:
    """Acts by page: those of one activation on one, and if that makes too many, the lightest neighbours together."""
    pages = [tuple(acts) for _, acts in groupby(told, key=lambda act: act.squadron)]
    while len(pages) > most:
        least = min(range(len(pages) - 1), key=lambda i: _burden((*pages[i], *pages[i + 1])))
        pages[least : least + 2] = [(*pages[least], *pages[least + 1])]
    return pages


def _burden(page: Sequence[Act]) -> float:
    """How much a page holds: its acts, an attack counting for three moves."""
    return sum(1.0 if act.kind == "move" else 3.0 for act in page)


def laid(asked: Commission[FleetView], pages: Sequence[tuple[Act, ...]]) -> Image.Image:
    """Pages two abreast; a single one as wide as the picture."""
    gap = round(8 * asked.width / FULL_WIDTH)
    wide = (asked.width - gap) // 2 if len(pages) > 1 else asked.width
    whole = [act for page in pages for act in page]
    box = window_of(asked, whole, tallest=_TALLEST, least=_LEAST)
    part = (box[3] - box[1]) / (box[2] - box[0])
    images = [edged(asked, _page(asked, page, _window(asked, page, box, part), wide), slim=True) for page in pages]
    high = max(image.height for image in images)
    rows = ceil(len(images) / 2) if len(images) > 1 else 1
    image = Image.new("RGB", (asked.width, rows * high + (rows - 1) * gap), CARD)
    for i, each in enumerate(images):
        alone = i == len(images) - 1 and i % 2 == 0 and len(images) > 1
        across = (asked.width - wide) // 2 if alone else i % 2 * (wide + gap)
        image.paste(each, (across, i // 2 * (high + gap)))
    return titled(asked, image)


def _window(asked: Commission[FleetView], page: Sequence[Act], whole: Box, part: float) -> Box:
    """A window of the same shape about what a page tells, or all that the others show."""
    seen = {here for act in page for here in about(act)}
    if not seen:
        return whole
    position = asked.view.position
    west, south, east, north = around(map_of(position), seen, ships_of(position, page), tallest=part, least=_LEAST)
    wide = max(east - west, (north - south) / part)
    if wide >= whole[2] - whole[0]:
        return whole
    left = min(max((west + east - wide) / 2, whole[0]), whole[2] - wide)
    high = wide * part
    low = min(max((south + north - high) / 2, whole[1]), whole[3] - high)
    return left, low, left + wide, low + high


def _page(asked: Commission[FleetView], page: Sequence[Act], box: Box, wide: int) -> HexCanvas:
    """One page upon its bare sea."""
    canvas = canvas_of(asked, box, wide, slim=True)
    position = page[-1].after if page else asked.view.position
    traces(canvas, page)
    afloat(canvas, position)
    for act in page:
        blows(canvas, act, dice=False)
    tags = sorted((tag for act in page for tag in chips(canvas, act)), key=_lightness)[:_DICE]
    concerned = {name for act in page for name in act.concerned}
    named(canvas, position, asked, tags, whole=concerned)
    return canvas


def _lightness(tag: Tag) -> int:
    """Rams before shots, shots before fatigue."""
    return next((i for i, name in enumerate(_WEIGHTS) if tag.key.endswith(name)), len(_WEIGHTS))


_WEIGHTS: Final = (
    "Boarded",
    "Rammed",
    "Sunk",
    "Raked",
    "Grappled",
    "Ignited",
    "SinkRolled",
    "Fired",
    "Avoided",
    "Unfouled",
)
"""Kinds of rolls, the weightiest first."""

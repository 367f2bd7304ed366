"""A turn page by page: its activations near by, in order, and the sea as it is now.

Of a battle that is too wide for pages all of it is shown at one go, and the weightiest of what was rolled near by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from math import ceil
from typing import Final

from PIL import Image

from render.canvas import Box
from render.commission import Commission
from render.hexmap import HexCanvas, centre
from render.squadrons.chips import chips
from render.squadrons.ids import named
from render.squadrons.scene import afloat, blows, canvas_of, edged, titled, traces
from render.squadrons.window import about, around, map_of, ships_of, window_of
from render.style import CARD, FULL_WIDTH
from render.tags import Tag
from rules.hexes import Hex
from rules.protocol import Event
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.retelling import Act
from rules.squadrons.table import events

_PAGES: Final = 4
"""Most pages of a turn, the last of them the sea as it is now: more would not go into a still undiminished."""
_LEAST: Final = 17.0
"""Edges of a hex: no page shows less across."""
_TALLEST: Final = 0.56
"""Height of a page as a part of its width."""
_WIDE: Final = 42.0
"""Edges: a turn that needs more across is shown at one go, with details of it."""
_FLAT: Final = 0.3
"""Least height of all of a turn as a part of its width."""
_SMALL: Final = 3
_MANY: Final = 6
"""Most details below all of a turn, and by themselves."""
_DETAIL: Final = 0.72
"""Height of a detail as a part of its width."""
_NEAR: Final = 13.0
"""Edges of a hex: no detail shows less across."""
_SPREAD: Final = 20.0
"""Edges: an act that is spread wider is no detail."""
_DICE: Final = 12
"""Dice of so many rolls are shown on one page, the weightiest."""


def sheet(asked: Commission[FleetView], acts: Sequence[Act]) -> Image.Image:
    """Pages two abreast, the last of them the sea as it is now; or all of a wide battle above details of it."""
    if not _is_wide(asked, acts):
        return laid(asked, [*grouped(acts, _PAGES - 1), ()])
    return titled(asked, _stacked(asked, [_whole(asked, acts), *_rows(asked, weightiest(acts, _SMALL))]))


def details(asked: Commission[FleetView], acts: Sequence[Act]) -> Image.Image:
    """What was rolled, near by: pages of neighbouring attacks, two abreast; of a wide battle the weightiest."""
    struck = [act for act in acts if act.strikes]
    near = weightiest(struck, _MANY)
    if not near or not _is_wide(asked, struck):
        return laid(asked, grouped(struck, _PAGES))
    return titled(asked, _stacked(asked, _rows(asked, near)))


def weightiest(acts: Sequence[Act], most: int) -> list[Act]:
    """The acts that did most, in order; none that is spread too wide to be shown near by."""
    weights = {id(act): max((_worth(event) for event in act.events), default=0) for act in acts}
    near = [act for act in acts if weights[id(act)] and _span(act) <= _SPREAD]
    kept = sorted(near, key=lambda act: -weights[id(act)])[:most]
    return [act for act in near if any(act is one for one in kept)]


def _worth(event: Event) -> int:
    """How much an event matters to a report; what came to nothing matters little."""
    done = getattr(event, "ok", True) and getattr(event, "result", "") not in _NOTHING
    return _WORTH.get(type(event), 0) if done else min(1, _WORTH.get(type(event), 0))


def _scene(act: Act) -> set[Hex]:
    """Hexes where what an act did was done."""
    some = [act.after.by_id[name] for name in act.concerned]
    gone = [act.before.by_id[ship.id] for ship in some if not ship.afloat]
    return {here for ship in (*some, *gone) if ship.afloat for here in ship.hexes}


def _span(act: Act) -> float:
    """Edges across of where an act was done."""
    xs = [centre(here)[0] for here in _scene(act)]
    return max(xs) - min(xs) if xs else 0.0


def _is_wide(asked: Commission[FleetView], acts: Sequence[Act]) -> bool:
    west, _, east, _ = window_of(replace(asked, crop="action"), acts, tallest=_TALLEST, least=_LEAST)
    return east - west > _WIDE


def _whole(asked: Commission[FleetView], acts: Sequence[Act]) -> Image.Image:
    """All of a turn, as wide as the picture, and no higher than the battle."""
    position = asked.view.position
    seen = {here for act in acts for here in about(act)}
    box = around(map_of(position), seen, ships_of(position, acts), tallest=_TALLEST, least=_LEAST, flattest=_FLAT)
    canvas = canvas_of(asked, _shaped(box), asked.width, slim=True)
    traces(canvas, acts)
    afloat(canvas, position)
    for act in acts:
        blows(canvas, act, dice=False)
    named(canvas, position, replace(asked, crop="whole"))
    return edged(asked, canvas, slim=True)


def _rows(asked: Commission[FleetView], some: Sequence[Act]) -> list[Image.Image]:
    """Details three abreast, each about one act; the last row may have fewer."""
    gap = round(8 * asked.width / FULL_WIDTH)
    wide = (asked.width - 2 * gap) // 3
    whole = window_of(replace(asked, crop="whole"), some)
    images = []
    for act in some:
        box = _window(asked, _scene(act), whole, _DETAIL, least=_NEAR)
        canvas = _page(asked, (act,), box, wide)
        images.append(edged(asked, canvas, slim=True))
    rows = []
    for start in range(0, len(images), 3):
        part = images[start : start + 3]
        row = Image.new("RGB", (asked.width, max(image.height for image in part)), CARD)
        left = (asked.width - len(part) * wide - (len(part) - 1) * gap) // 2
        for number, image in enumerate(part):
            row.paste(image, (left + number * (wide + gap), 0))
        rows.append(row)
    return rows


def _stacked(asked: Commission[FleetView], images: Sequence[Image.Image]) -> Image.Image:
    """Images one below another."""
    gap = round(8 * asked.width / FULL_WIDTH)
    image = Image.new("RGB", (asked.width, sum(each.height + gap for each in images) - gap), CARD)
    top = 0
    for each in images:
        image.paste(each, (0, top))
        top += each.height + gap
    return image


def grouped(acts: Sequence[Act], most: int) -> list[tuple[Act, ...]]:
    """Acts by page: those of one activation on one, and if that makes too many, the lightest neighbours together."""
    pages = [tuple(page) for _, page in groupby(acts, key=lambda act: act.squadron)]
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
    box = _shaped(window_of(asked, whole, tallest=_TALLEST, least=_LEAST))
    part = (box[3] - box[1]) / (box[2] - box[0])
    images = []
    for page in pages:
        seen = {here for act in page for here in about(act)}
        images.append(edged(asked, _page(asked, page, _window(asked, seen, box, part), wide), slim=True))
    high = max(image.height for image in images)
    rows = ceil(len(images) / 2) if len(images) > 1 else 1
    image = Image.new("RGB", (asked.width, rows * high + (rows - 1) * gap), CARD)
    for i, each in enumerate(images):
        alone = i == len(images) - 1 and i % 2 == 0 and len(images) > 1
        across = (asked.width - wide) // 2 if alone else i % 2 * (wide + gap)
        image.paste(each, (across, i // 2 * (high + gap)))
    return titled(asked, image)


def _shaped(box: Box) -> Box:
    """A window no taller than pages are; about that of a tall map some of what lies beyond is seen."""
    west, south, east, north = box
    aside = max(0.0, (north - south) / _TALLEST - (east - west)) / 2
    return west - aside, south, east + aside, north


def _window(asked: Commission[FleetView], seen: set[Hex], whole: Box, part: float, *, least: float = _LEAST) -> Box:
    """A window of a shape about what a page is of, or all that the others show."""
    if not seen:
        return whole
    position = asked.view.position
    # Among many ships a detail would never be near enough, were none to be cut.
    ships = ships_of(position, ()) if least == _LEAST else []
    west, south, east, north = around(map_of(position), seen, ships, tallest=part, least=least)
    wide = max(east - west, (north - south) / part)
    if wide >= whole[2] - whole[0]:
        return whole
    left = min(max((west + east - wide) / 2, whole[0]), whole[2] - wide)
    high = wide * part
    low = min(max((south + north - high) / 2, whole[1]), whole[3] - high)
    return left, low, left + wide, low + high


def _page(asked: Commission[FleetView], page: Sequence[Act], box: Box, wide: int) -> HexCanvas:
    """One page on its bare sea."""
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
_NOTHING: Final = ("collision", "repulsed", "-")
_WORTH: Final[dict[type[Event], int]] = {
    events.Boarded: 6,
    events.Sunk: 6,
    events.Rammed: 5,
    events.Raked: 4,
    events.Grounded: 4,
    events.Grappled: 3,
    events.Ignited: 3,
    events.Fired: 1,
}
"""How much events matter to a report."""

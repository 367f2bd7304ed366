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

from render.commission import Commission
from render.drawing.canvas import Rect
from render.drawing.style import CARD, FULL_WIDTH
from render.marks.tags import Tag
from render.seas.hexmap import HexCanvas, hex_centre
from render.squadrons.chips import dice_tags
from render.squadrons.ids import write_ids
from render.squadrons.scene import add_edge, add_legend, draw_attacks, draw_ships, draw_traces, make_canvas
from render.squadrons.window import act_hexes, position_grid, ship_hexes, shown_window, window_around
from rules.core.protocol import Event
from rules.geometry.hexes import Hex
from rules.squadrons.engine import events
from rules.squadrons.interface.preview.view import FleetView
from rules.squadrons.retelling import StoryMoment

_MAX_PAGES: Final = 4
"""Most pages of a turn, the last of them the sea as it is now: more would not go into a still undiminished."""
_MIN_PAGE_WIDTH: Final = 17.0
"""Edges of a hex: no page shows less across."""
_PAGE_ASPECT: Final = 0.56
"""Height of a page as a part of its width."""
_MAX_PAGE_WIDTH: Final = 42.0
"""Edges: a turn that needs more across is shown at one go, with details of it."""
_MIN_WHOLE_ASPECT: Final = 0.3
"""Least height of all of a turn as a part of its width."""
_DETAILS_PER_ROW: Final = 3
_MAX_DETAILS: Final = 6
"""Most details below all of a turn, and by themselves."""
_DETAIL_ASPECT: Final = 0.72
"""Height of a detail as a part of its width."""
_MIN_DETAIL_WIDTH: Final = 13.0
"""Edges of a hex: no detail shows less across."""
_MAX_DETAIL_WIDTH: Final = 20.0
"""Edges: an act that is spread wider is no detail."""
_MAX_PAGE_DICE: Final = 12
"""Dice of so many rolls are shown on one page, the weightiest."""


def draw_sheet(asked: Commission[FleetView], acts: Sequence[StoryMoment]) -> Image.Image:
    """Pages two abreast, the last of them the sea as it is now; or all of a wide battle above details of it."""
    if not _is_wide(asked, acts):
        return lay_out_pages(asked, [*group_acts(acts, _MAX_PAGES - 1), ()])
    return add_legend(
        asked,
        _stack_images(
            asked, [_draw_whole(asked, acts), *_draw_detail_rows(asked, weightiest_acts(acts, _DETAILS_PER_ROW))]
        ),
    )


def draw_details(asked: Commission[FleetView], acts: Sequence[StoryMoment]) -> Image.Image:
    """What was rolled, near by: pages of neighbouring attacks, two abreast; of a wide battle the weightiest."""
    struck = [act for act in acts if act.has_attack]
    near = weightiest_acts(struck, _MAX_DETAILS)
    if not near or not _is_wide(asked, struck):
        return lay_out_pages(asked, group_acts(struck, _MAX_PAGES))
    return add_legend(asked, _stack_images(asked, _draw_detail_rows(asked, near)))


def weightiest_acts(acts: Sequence[StoryMoment], most: int) -> list[StoryMoment]:
    """The acts that did most, in order; none that is spread too wide to be shown near by."""
    weights = {id(act): max((_event_worth(event) for event in act.events), default=0) for act in acts}
    near = [act for act in acts if weights[id(act)] and _act_width(act) <= _MAX_DETAIL_WIDTH]
    kept = sorted(near, key=lambda act: -weights[id(act)])[:most]
    return [act for act in near if any(act is one for one in kept)]


def _event_worth(event: Event) -> int:
    """How much an event matters to a report; what came to nothing matters little."""
    done = getattr(event, "ok", True) and getattr(event, "result", "") not in _IDLE_RESULTS
    return _EVENT_WORTH.get(type(event), 0) if done else min(1, _EVENT_WORTH.get(type(event), 0))


def _act_hexes(act: StoryMoment) -> set[Hex]:
    """Hexes where what an act did was done."""
    some = [act.after.ships_by_id[name] for name in act.ship_ids]
    gone = [act.before.ships_by_id[ship.id] for ship in some if not ship.is_afloat]
    return {here for ship in (*some, *gone) if ship.is_afloat for here in ship.hexes}


def _act_width(act: StoryMoment) -> float:
    """Edges across of where an act was done."""
    xs = [hex_centre(here)[0] for here in _act_hexes(act)]
    return max(xs) - min(xs) if xs else 0.0


def _is_wide(asked: Commission[FleetView], acts: Sequence[StoryMoment]) -> bool:
    west, _, east, _ = shown_window(replace(asked, crop="action"), acts, tallest=_PAGE_ASPECT, least=_MIN_PAGE_WIDTH)
    return east - west > _MAX_PAGE_WIDTH


def _draw_whole(asked: Commission[FleetView], acts: Sequence[StoryMoment]) -> Image.Image:
    """All of a turn, as wide as the picture, and no higher than the battle."""
    position = asked.view.position
    seen = {here for act in acts for here in act_hexes(act)}
    box = window_around(
        position_grid(position),
        seen,
        ship_hexes(position, acts),
        tallest=_PAGE_ASPECT,
        least=_MIN_PAGE_WIDTH,
        flattest=_MIN_WHOLE_ASPECT,
    )
    canvas = make_canvas(asked, _page_shaped(box), asked.width, slim=True)
    draw_traces(canvas, acts)
    draw_ships(canvas, position)
    for act in acts:
        draw_attacks(canvas, act, dice=False)
    write_ids(canvas, position, replace(asked, crop="whole"))
    return add_edge(asked, canvas, slim=True)


def _draw_detail_rows(asked: Commission[FleetView], some: Sequence[StoryMoment]) -> list[Image.Image]:
    """Details three abreast, each about one act; the last row may have fewer."""
    gap = round(8 * asked.width / FULL_WIDTH)
    wide = (asked.width - 2 * gap) // 3
    whole = shown_window(replace(asked, crop="whole"), some)
    images = []
    for act in some:
        box = _page_window(asked, _act_hexes(act), whole, _DETAIL_ASPECT, least=_MIN_DETAIL_WIDTH)
        canvas = _draw_page(asked, (act,), box, wide)
        images.append(add_edge(asked, canvas, slim=True))
    rows = []
    for start in range(0, len(images), 3):
        part = images[start : start + 3]
        row = Image.new("RGB", (asked.width, max(image.height for image in part)), CARD)
        left = (asked.width - len(part) * wide - (len(part) - 1) * gap) // 2
        for number, image in enumerate(part):
            row.paste(image, (left + number * (wide + gap), 0))
        rows.append(row)
    return rows


def _stack_images(asked: Commission[FleetView], images: Sequence[Image.Image]) -> Image.Image:
    """Images one below another."""
    gap = round(8 * asked.width / FULL_WIDTH)
    image = Image.new("RGB", (asked.width, sum(each.height + gap for each in images) - gap), CARD)
    top = 0
    for each in images:
        image.paste(each, (0, top))
        top += each.height + gap
    return image


def group_acts(acts: Sequence[StoryMoment], most: int) -> list[tuple[StoryMoment, ...]]:
    """Acts by page: those of one activation on one, and if that makes too many, the lightest neighbours together."""
    pages = [tuple(page) for _, page in groupby(acts, key=lambda act: act.activation_number)]
    while len(pages) > most:
        least = min(range(len(pages) - 1), key=lambda i: _page_weight((*pages[i], *pages[i + 1])))
        pages[least : least + 2] = [(*pages[least], *pages[least + 1])]
    return pages


def _page_weight(page: Sequence[StoryMoment]) -> float:
    """How much a page holds: its acts, an attack counting for three moves."""
    return sum(1.0 if act.kind == "move" else 3.0 for act in page)


def lay_out_pages(asked: Commission[FleetView], pages: Sequence[tuple[StoryMoment, ...]]) -> Image.Image:
    """Pages two abreast; a single one as wide as the picture."""
    gap = round(8 * asked.width / FULL_WIDTH)
    wide = (asked.width - gap) // 2 if len(pages) > 1 else asked.width
    whole = [act for page in pages for act in page]
    box = _page_shaped(shown_window(asked, whole, tallest=_PAGE_ASPECT, least=_MIN_PAGE_WIDTH))
    part = (box[3] - box[1]) / (box[2] - box[0])
    images = []
    for page in pages:
        seen = {here for act in page for here in act_hexes(act)}
        images.append(add_edge(asked, _draw_page(asked, page, _page_window(asked, seen, box, part), wide), slim=True))
    high = max(image.height for image in images)
    rows = ceil(len(images) / 2) if len(images) > 1 else 1
    image = Image.new("RGB", (asked.width, rows * high + (rows - 1) * gap), CARD)
    for i, each in enumerate(images):
        alone = i == len(images) - 1 and i % 2 == 0 and len(images) > 1
        across = (asked.width - wide) // 2 if alone else i % 2 * (wide + gap)
        image.paste(each, (across, i // 2 * (high + gap)))
    return add_legend(asked, image)


def _page_shaped(box: Rect) -> Rect:
    """A window no taller than pages are; about that of a tall map some of what lies beyond is seen."""
    west, south, east, north = box
    aside = max(0.0, (north - south) / _PAGE_ASPECT - (east - west)) / 2
    return west - aside, south, east + aside, north


def _page_window(
    asked: Commission[FleetView], seen: set[Hex], whole: Rect, part: float, *, least: float = _MIN_PAGE_WIDTH
) -> Rect:
    """A window of a shape about what a page is of, or all that the others show."""
    if not seen:
        return whole
    position = asked.view.position
    # Among many ships a detail would never be near enough, were none to be cut.
    ships = ship_hexes(position, ()) if least == _MIN_PAGE_WIDTH else []
    west, south, east, north = window_around(position_grid(position), seen, ships, tallest=part, least=least)
    wide = max(east - west, (north - south) / part)
    if wide >= whole[2] - whole[0]:
        return whole
    left = min(max((west + east - wide) / 2, whole[0]), whole[2] - wide)
    high = wide * part
    low = min(max((south + north - high) / 2, whole[1]), whole[3] - high)
    return left, low, left + wide, low + high


def _draw_page(asked: Commission[FleetView], page: Sequence[StoryMoment], box: Rect, wide: int) -> HexCanvas:
    """One page on its bare sea."""
    canvas = make_canvas(asked, box, wide, slim=True)
    position = page[-1].after if page else asked.view.position
    draw_traces(canvas, page)
    draw_ships(canvas, position)
    for act in page:
        draw_attacks(canvas, act, dice=False)
    tags = sorted((tag for act in page for tag in dice_tags(canvas, act)), key=_roll_rank)[:_MAX_PAGE_DICE]
    concerned = {name for act in page for name in act.ship_ids}
    write_ids(canvas, position, asked, tags, whole=concerned)
    return canvas


def _roll_rank(tag: Tag) -> int:
    """Rams before shots, shots before fatigue."""
    return next((i for i, name in enumerate(_ROLL_ORDER) if tag.key.endswith(name)), len(_ROLL_ORDER))


_ROLL_ORDER: Final = (
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
_IDLE_RESULTS: Final = ("collision", "repulsed", "-")
_EVENT_WORTH: Final[dict[type[Event], int]] = {
    events.ShipBoarded: 6,
    events.ShipSunk: 6,
    events.ShipRammed: 5,
    events.ShipRaked: 4,
    events.ShipGrounded: 4,
    events.ShipGrappled: 3,
    events.IgnitionRolled: 3,
    events.ShotFired: 1,
}
"""How much events matter to a report."""

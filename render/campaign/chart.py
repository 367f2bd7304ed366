"""The sea chart: ports with owner and worth, fleets with strength, planned routes, fog, sieges and battles."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import lru_cache
from typing import Final

import numpy as np
from PIL import Image, ImageFilter

from render.campaign.ground import ground
from render.campaign.layout import (
    ABREAST,
    LETTER,
    MANY,
    Berth,
    Layout,
    Marks,
    Window,
    berths,
    font_size,
    layout,
    legend_high,
    legend_large,
    marks_of,
    rows_of,
)
from render.canvas import Canvas, Point, text_size
from render.commission import Commission
from render.legend import shorten
from render.parchment import INK, PAPER
from render.style import Colour
from rules.campaign.desk.view import SeasonView
from rules.campaign.retelling import Season
from rules.campaign.table.money.night import FALLS
from rules.campaign.table.sea.maps import Place
from rules.sides import seat_of

COLOURS: Final[dict[str, Colour]] = {
    "A": (0, 114, 178),
    "B": (213, 94, 0),
    "C": (0, 158, 115),
    "D": (240, 228, 66),
    "E": (204, 121, 167),
    "F": (86, 180, 233),
    "G": (110, 60, 20),
    "H": (245, 245, 245),
}
"""Of captains: colours that colour-blind people tell apart (after Okabe and Ito). A letter always says it, too."""
FREE: Final[Colour] = (176, 160, 128)
FOG: Final[Colour] = (70, 84, 92)
SIEGE: Final[Colour] = (178, 24, 24)
_LEAF: Final[Colour] = (66, 98, 44)
_DARK: Final = frozenset("ABCEG")
"""Colours on which letters are light."""
_COARSE: Final = 16
"""Pixels in one of the steps in which fog is measured out."""
_SQUARE: Final = 8
"""Steps along one of the squares in which it is laid."""
_FOGGY: Final = 0.5
"""How thick fog is."""
_HAZED: Final = [round(value + (fog - value) * _FOGGY) for fog in FOG for value in range(256)]
"""What fog makes of each level of red, green and blue."""
_LEAST: Final = 0.45
_MOST: Final = 0.8
"""Parts of the map's width: no less is shown, and of more all of it."""
_SPARE: Final = 0.05
"""The same, around what a captain sees."""
_BAND: Final = 0.55
"""How much of the map the paper under the legend hides."""


def chart(asked: Commission[SeasonView], now: Season, *, fleets: bool = True) -> Canvas:
    """Draw what a seat knows, north up, and its legend; without `fleets` neither these nor battles."""
    view, plan = asked.view, asked.kind == "plan"
    laid = layout(view.map, len(view.captains), low=plan)
    part = _own_part(view, laid) if plan and len(laid.places) > MANY else laid.window
    near, sees = part != laid.window, None if view.seat is None else frozenset(view.sees)
    canvas = Canvas(_hazed(view.map, len(view.captains), (asked.width, part), sees, low=plan), part, asked.width)
    _routes(canvas, view, laid.places)
    marks = marks_of(len(laid.places), near=near)
    for place in laid.places.values():
        _place(canvas, place, now, marks)
    if fleets:
        _fleets(canvas, now, laid, berths(view.map, len(view.captains), part, low=plan), marks)
        for battle in view.battles:
            if battle.id in now.battles:
                crossed(canvas, laid.places[battle.place], marks, battle.id)
    for code, (by, nights) in now.sieges.items():
        _siege(canvas, laid.places[code], marks, f"{by} {nights}/{FALLS[laid.places[code].worth]}")
    _legend(canvas, asked, now, asked.caption)
    return canvas


@lru_cache(maxsize=2)
def _hazed(
    name: str, captains: int, shown: tuple[int, Window], sees: frozenset[str] | None, *, low: bool
) -> Image.Image:
    """Draw a map's ground, with fog over what isn't seen (None: all is), so many pixels wide. Copy before drawing.

    A captain's panel shows the same at every press. `low`: above a panel's buttons.
    """
    width, part = shown
    laid, empty = layout(name, captains, low=low), ground(name, captains, width, low=low)
    canvas = Canvas(empty if part == laid.window else _cut(empty, laid.window, part), part, width)
    if sees is not None:
        _fog(canvas, sees, laid.places)
    return canvas.image


def _own_part(view: SeasonView, laid: Layout) -> Window:
    """The part of the map that the viewer sees, with their planned ways, in the whole map's shape; or the whole."""
    places, whole = laid.places, laid.window
    planned = {code for order in view.planned for code in order.route}
    shown = [places[code] for code in {*view.sees, *view.known.owned(view.captain), *planned}]
    if view.seat is None or not shown:
        return whole
    west, south, east, north = whole
    spare = _SPARE * (east - west)
    left, right = min(one.x for one in shown) - spare, max(one.x for one in shown) + spare
    low, high = min(one.y for one in shown) - spare, max(one.y for one in shown) + spare
    above = 1 - legend_high(len(view.captains)) * (east - west) / (north - south)  # the legend hides what is below
    share = max((right - left) / (east - west), (high - low) / (north - south) / above, _LEAST)
    if share > _MOST:
        return whole
    wide, tall = share * (east - west), share * (north - south)
    x = min(max((left + right - wide) / 2, west), east - wide)
    y = min(max((low + high - tall * above) / 2 - tall * (1 - above), south), north - tall)
    return x, y, x + wide, y + tall


def _cut(image: Image.Image, whole: Window, part: Window) -> Image.Image:
    """A part of the ground as large as all of it: soft coasts lose little by it, and it costs no time."""
    west, south, east, north = whole
    across, down = image.width / (east - west), image.height / (north - south)
    x, y, to_x, to_y = part
    box = ((x - west) * across, (north - to_y) * down, (to_x - west) * across, (north - y) * down)
    return image.resize(image.size, Image.Resampling.BICUBIC, box=box)


def _disc(at: Point, radius: float) -> list[Point]:
    turns = [2 * math.pi * step / 32 for step in range(32)]
    return [(at[0] + radius * math.cos(turn), at[1] + radius * math.sin(turn)) for turn in turns]


def _at(canvas: Canvas, place: Place, right: float = 0.0, down: float = 0.0) -> Point:
    """A point near a place; right and down are in px at full width."""
    x, y = canvas.at((place.x, place.y))
    return x + right * canvas.unit, y + down * canvas.unit


def _size(canvas: Canvas, letters: float = LETTER) -> int:
    return font_size(letters, canvas.unit)


def _colour(captain: str) -> Colour:
    return COLOURS.get(captain, FREE)


def _ink_on(captain: str) -> Colour:
    return PAPER if captain in _DARK else INK


def _fog(canvas: Canvas, sees: frozenset[str], places: dict[str, Place]) -> None:
    """Haze over all that lies nearer to a place that the viewer does not see than to one that they see."""
    width, height = (-(-side // _COARSE) for side in canvas.image.size)
    xs, ys = np.array([_at(canvas, place) for place in places.values()]).T
    across = ((np.arange(width) + 0.5) * _COARSE - xs[:, None]) ** 2
    down = ((np.arange(height) + 0.5) * _COARSE - ys[:, None]) ** 2
    nearest = (down[:, :, None] + across[:, None, :]).argmin(axis=0)
    hidden = np.array([place.code not in sees for place in places.values()])
    mask = Image.fromarray((hidden[nearest] * 255).astype(np.uint8))
    # Softened while it is coarse, at a fraction of the cost: soft edges have no details.
    soft = mask.filter(ImageFilter.GaussianBlur(14 * canvas.unit / _COARSE))
    hazy = canvas.image.point(_HAZED)
    # Square by square: most have none, or are full of it, which takes a tenth of the time that its edges take.
    for left, top in itertools.product(range(0, width, _SQUARE), range(0, height, _SQUARE)):
        right, bottom = min(left + _SQUARE, width), min(top + _SQUARE, height)
        around = max(left - 1, 0), max(top - 1, 0), min(right + 1, width), min(bottom + 1, height)
        thin, thick = soft.crop(around).getextrema()
        if thick:
            x, y, to_x, to_y = (steps * _COARSE for steps in (left, top, right, bottom))
            haze = None
            if thin != 255:
                box = (left, top, right, bottom)
                haze = soft.resize((to_x - x, to_y - y), Image.Resampling.BILINEAR, box=box)
            canvas.image.paste(hazy.crop((x, y, to_x, to_y)), (x, y), haze)


def _place(canvas: Canvas, place: Place, now: Season, marks: Marks) -> None:
    """A port by its worth in its owner's colour; a sea by its code."""
    at = _at(canvas, place)
    if not place.port:
        canvas.centred(at, place.code, _size(canvas, marks.letters), (228, 238, 236), rim=(70, 100, 104))
        return
    owner, half = now.ports.get(place.code, ""), marks.half(place) * canvas.unit
    x, y = at
    shape = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
    if place.worth == 1:
        canvas.fill(_disc(at, half + 3 * canvas.unit), INK)
        canvas.fill(_disc(at, half), _colour(owner))
    else:
        rim = half + 3 * canvas.unit
        canvas.fill([(x + dx * rim, y + dy * rim) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))], INK)
        canvas.fill(shape, _colour(owner))
    if place.worth == 3:
        for dx in (-1, 0, 1):
            tower = half * 0.28
            canvas.fill(
                [
                    (x + dx * half * 0.72 - tower, y - half * 1.5),
                    (x + dx * half * 0.72 + tower, y - half * 1.5),
                    (x + dx * half * 0.72 + tower, y - half),
                    (x + dx * half * 0.72 - tower, y - half),
                ],
                INK,
            )
    letter = _size(canvas, LETTER * max(marks.small, 0.86))
    canvas.centred(at, owner or str(place.worth), letter, _ink_on(owner), rim=_colour(owner))
    # Of a port without owner the worth stands on its mark.
    called = f"{place.code}·{place.worth}" if owner and marks.letters >= LETTER else place.code
    below = _at(canvas, place, 0, marks.name_below(place))
    canvas.centred(below, called, _size(canvas, marks.letters), INK, rim=PAPER)


def _siege(canvas: Canvas, place: Place, marks: Marks, told: str) -> None:
    """A ring around a port, with who besieges it and for how many galley-nights above all else that stands there."""
    half = marks.half(place)
    canvas.ring(_at(canvas, place), half * 1.55 * canvas.unit, SIEGE, 4 * canvas.unit)
    canvas.centred(_at(canvas, place, 0, -32 - half), told, _size(canvas, marks.flag * LETTER), SIEGE, rim=PAPER)


def _routes(canvas: Canvas, view: SeasonView, places: dict[str, Place]) -> None:
    """The viewer's planned ways, dashed, with an arrow at the end."""
    fleet = {galley.id: galley for galley in view.galleys}
    for order in view.planned:
        if not order.route:
            continue
        way = [_at(canvas, places[code]) for code in (fleet[order.galleys[0]].place, *order.route)]
        colour = _colour(view.captain)
        dash = (18 * canvas.unit, 10 * canvas.unit)
        canvas.line(way, INK, 9 * canvas.unit, 0.8, chalk=False)
        canvas.line(way, colour, 6 * canvas.unit, dash=dash, chalk=False)
        canvas.ring(way[-1], 12 * canvas.unit, colour, 5 * canvas.unit)


def _fleets(canvas: Canvas, now: Season, laid: Layout, at: dict[str, Berth], marks: Marks) -> None:
    """A pennant for each captain's galleys in a place, with how many they are."""
    there: dict[str, list[tuple[str, int]]] = {}
    for (captain, code), many in Counter((galley.captain, galley.place) for galley in now.galleys).items():
        there.setdefault(code, []).append((captain, many))
    for code, lying in now.lying.items():
        there.setdefault(code, []).extend((one.captain, one.galleys) for one in lying)
    for code, fleets in there.items():
        for number, (captain, many) in enumerate(sorted(fleets)):
            pennant(canvas, beside(canvas, laid.places[code], at[code], number), captain, many, marks.flag)


def beside(canvas: Canvas, place: Place, berth: Berth, number: int) -> Point:
    """Where the pennant of so many-th captain stands at a place."""
    right, down, step = berth
    return _at(canvas, place, right + step * number, down)


def pennant(canvas: Canvas, at: Point, captain: str, many: int | None = None, large: float = 1.0) -> None:
    """A captain's colour and letter, and before it how many galleys these are: `A5` is the name of one."""
    x, y = at
    unit = 1.35 * large * canvas.unit
    shape = [(x, y - 18 * unit), (x + 48 * unit, y - 18 * unit), (x + 38 * unit, y), (x + 48 * unit, y + 18 * unit)]
    shape.append((x, y + 18 * unit))
    rim = [(px + (-3 if px == x else 4) * unit, py + (-3 if py < y else 3 if py > y else 0) * unit) for px, py in shape]
    canvas.fill(rim, INK)
    canvas.fill(shape, _colour(captain))
    canvas.centred(
        (x + 20 * unit, y), f"{many or ''}{captain}", _size(canvas, 46 * large), _ink_on(captain), rim=_colour(captain)
    )


def crossed(canvas: Canvas, place: Place, marks: Marks, name: str) -> None:
    """Crossed lines above a place where there is a battle, and its name beside them."""
    arm = 20 * canvas.unit
    x, y = _at(canvas, place, -20, marks.boxes(place)[0][1] - 24)
    for sign in (-1, 1):
        ends = [(x - arm, y - sign * arm), (x + arm, y + sign * arm)]
        canvas.line(ends, INK, 11 * canvas.unit, chalk=False)
        canvas.line(ends, SIEGE, 7 * canvas.unit, chalk=False)
    size = _size(canvas, marks.flag * LETTER)
    canvas.text((x + arm + 6 * canvas.unit, y - text_size(name, size)[1] / 2), name, size, SIEGE, rim=PAPER)


def _legend(canvas: Canvas, asked: Commission[SeasonView], now: Season, caption: str) -> None:
    """The caption, the turn, and each captain's colour, letter, laurels and name."""
    view, unit = asked.view, canvas.unit
    canvas.text((16 * unit, 12 * unit), caption, _size(canvas, 56), INK, rim=PAPER)
    # After the last turn battles are entered, and that is no turn (CA-13.4).
    number = min((asked.before or view).round, view.turns)
    turn, size = f"{number}/{view.turns}", _size(canvas, 48)
    canvas.text((canvas.image.width - text_size(turn, size)[0] - 16 * unit, 14 * unit), turn, size, INK, rim=PAPER)
    many, large = len(view.captains), legend_large(len(view.captains))
    wide = canvas.image.width / min(ABREAST, many)
    band = (0, round(canvas.image.height - legend_high(many) * asked.width), *canvas.image.size)
    under = canvas.image.crop(band)
    canvas.image.paste(Image.blend(under, Image.new("RGB", under.size, PAPER), _BAND), band)
    step, small = large * unit, _size(canvas, LETTER * large)
    for number, captain in enumerate(view.captains):
        row, column = divmod(number, ABREAST)
        x, y = 16 * unit + column * wide, canvas.image.height - 3 * unit - (31 + 62 * (rows_of(many) - 1 - row)) * step
        pennant(canvas, (x, y), captain, large=large)
        _wreath(canvas, (x + 98 * step, y), now.laurels.get(captain, 0), large)
        name = _short(asked.names.get(seat_of(captain), ""), small, wide - 160 * step)
        canvas.text((x + 132 * step, y - text_size(name, small)[1] / 2), name, small, INK, rim=PAPER)


def _short(name: str, size: int, room: float) -> str:
    """A name that has so much room, in px: if it's too long, first without what stands in brackets."""
    bare = name if text_size(name, size)[0] <= room else name.split(" (", maxsplit=1)[0]
    return shorten(bare, size, room)


def _wreath(canvas: Canvas, at: Point, laurels: int, large: float) -> None:
    """How many laurels a captain has, in a wreath: a pennant's number is one of galleys."""
    x, y = at
    step = large * canvas.unit
    for leaf in range(13):
        turn = math.radians(-55 + leaf * 290 / 12) + math.pi / 2 + math.radians(35 - 90)
        canvas.fill(_disc((x + 27 * step * math.cos(turn), y + 27 * step * math.sin(turn)), 6.5 * step), _LEAF)
    canvas.centred(at, str(laurels), _size(canvas, (LETTER - 2) * large), INK, rim=PAPER)

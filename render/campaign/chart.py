"""The sea chart: ports with owner and worth, fleets with strength, planned routes, fog, sieges and battles."""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

import numpy as np
from PIL import Image, ImageFilter

from render.campaign.ground import ABREAST, ground, legend_high, rows_of
from render.canvas import Canvas, Point, text_size
from render.commission import Commission
from render.parchment import INK, PAPER
from render.style import Colour
from rules.campaign.desk.view import SeasonView
from rules.campaign.retelling import Season
from rules.campaign.table.money.night import FALLS
from rules.campaign.table.sea.maps import Place
from rules.sides import seat_of

Window = tuple[float, float, float, float]
"""West, south, east and north of a part of the map."""

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
_COARSE: Final = 8
"""Pixels in one of the steps in which fog is measured out."""
_FOGGY: Final = 0.5
"""How thick fog is."""
_CROWDED: Final = 50
"""From so many places on marks are drawn smaller."""
_SMALLER: Final = 0.72
_MANY: Final = 25
"""From so many places on a captain's panel shows their own part of the map, in larger letters."""
_LEAST: Final = 0.45
_MOST: Final = 0.8
"""Parts of the map's width: no less is shown, and of more all of it."""
_SPARE: Final = 0.05
"""The same, around what a captain sees."""
_BAND: Final = 0.55
"""How much of the map the paper under the legend hides."""
_SIZES: Final = {0: 0, 1: 20, 2: 25, 3: 30}
"""Half the width of a port's mark by its worth, in px at full width."""
_SMALL: Final = 34
"""Letters of places where they stand close, in px at full width."""
_LETTER: Final = 44
"""Letters of the smallest words: 11 px on a phone that shows the chart 400 wide."""


def chart(asked: Commission[SeasonView], now: Season, *, fleets: bool = True) -> Canvas:
    """Draw what a seat knows, north up, and its legend; without `fleets` neither these nor battles."""
    view = asked.view
    empty, window = ground(view.map, len(view.captains), asked.width)
    places = view.known.sea_map.places
    part = _own_part(view, places, window) if asked.kind == "plan" and len(places) > _MANY else window
    near = part != window
    canvas = Canvas(_cut(empty, window, part) if near else empty, part, asked.width)
    if view.seat is not None:
        _fog(canvas, view, places)
    _routes(canvas, view, places)
    crowded = len(places) > _CROWDED and not near
    small, letters = (_SMALLER, _SMALL) if crowded else (1.0, _LETTER)
    for place in places.values():
        _place(canvas, place, now, small, letters)
    if fleets:
        _fleets(canvas, now, places)
        for battle in view.battles:
            if battle.id in now.battles:
                crossed(canvas, places[battle.place], battle.id)
    _legend(canvas, asked, now, asked.caption)
    return canvas


def _own_part(view: SeasonView, places: dict[str, Place], whole: Window) -> Window:
    """The part of the map that the viewer sees, with their planned ways, in the whole map's shape; or the whole."""
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


def _size(canvas: Canvas, letters: float = _LETTER) -> int:
    return max(7, round(letters * canvas.unit * 0.85))


def _colour(captain: str) -> Colour:
    return COLOURS.get(captain, FREE)


def _ink_on(captain: str) -> Colour:
    return PAPER if captain in _DARK else INK


def _fog(canvas: Canvas, view: SeasonView, places: dict[str, Place]) -> None:
    """Haze over all that lies nearer to a place that the viewer does not see than to one that they see."""
    width, height = canvas.image.width // _COARSE + 1, canvas.image.height // _COARSE + 1
    across, down = np.meshgrid(np.arange(width) * _COARSE, np.arange(height) * _COARSE)
    nearest, fogged = np.full(across.shape, np.inf), np.zeros(across.shape, dtype=bool)
    for place in places.values():
        x, y = _at(canvas, place)
        far = (across - x) ** 2 + (down - y) ** 2
        nearer = far < nearest
        nearest = np.where(nearer, far, nearest)
        fogged = np.where(nearer, place.code not in view.sees, fogged)
    mask = Image.fromarray((fogged * round(255 * _FOGGY)).astype(np.uint8))
    # Softened while it is coarse, at a sixtieth of the cost: soft edges have no details.
    soft = mask.filter(ImageFilter.GaussianBlur(18 * canvas.unit / _COARSE))
    canvas.image.paste(FOG, (0, 0), soft.resize(canvas.image.size, Image.Resampling.BICUBIC))


def _place(canvas: Canvas, place: Place, now: Season, small: float, letters: float) -> None:
    """A port by its worth in its owner's colour, with a siege around it; a sea by its code."""
    at = _at(canvas, place)
    if not place.port:
        canvas.centred(at, place.code, _size(canvas, letters), (228, 238, 236), rim=(70, 100, 104))
        return
    owner, half = now.ports.get(place.code, ""), _SIZES[place.worth] * canvas.unit * small
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
    canvas.centred(
        at, owner or str(place.worth), _size(canvas, _LETTER * max(small, 0.86)), _ink_on(owner), rim=_colour(owner)
    )
    # Of a port without owner the worth stands on its mark.
    called = f"{place.code}·{place.worth}" if owner and letters == _LETTER else place.code
    below = _at(canvas, place, 0, 8 + (16 + _SIZES[place.worth]) * small)
    canvas.centred(below, called, _size(canvas, letters), INK, rim=PAPER)
    if place.code in now.sieges:
        by, nights = now.sieges[place.code]
        canvas.ring(at, half * 1.55, SIEGE, 4 * canvas.unit)
        where = _at(canvas, place, 0, -62)
        canvas.centred(where, f"{by} {nights}/{FALLS[place.worth]}", _size(canvas), SIEGE, rim=PAPER)


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


def _fleets(canvas: Canvas, now: Season, places: dict[str, Place]) -> None:
    """A pennant for each captain's galleys in a place, with how many they are."""
    there: dict[str, list[tuple[str, int]]] = {}
    for (captain, code), many in Counter((galley.captain, galley.place) for galley in now.galleys).items():
        there.setdefault(code, []).append((captain, many))
    for code, lying in now.lying.items():
        there.setdefault(code, []).extend((one.captain, one.galleys) for one in lying)
    for code, fleets in there.items():
        for number, (captain, many) in enumerate(sorted(fleets)):
            pennant(canvas, beside(canvas, places[code], number), captain, many)


def beside(canvas: Canvas, place: Place, number: int) -> Point:
    """Where the pennant of so many-th captain stands at a place."""
    return _at(canvas, place, 34 + 74 * number, -18)


def pennant(canvas: Canvas, at: Point, captain: str, many: int | None = None) -> None:
    """A captain's colour and letter, and how many galleys these are."""
    x, y = at
    unit = 1.35 * canvas.unit
    shape = [(x, y - 18 * unit), (x + 48 * unit, y - 18 * unit), (x + 38 * unit, y), (x + 48 * unit, y + 18 * unit)]
    shape.append((x, y + 18 * unit))
    rim = [(px + (-3 if px == x else 4) * unit, py + (-3 if py < y else 3 if py > y else 0) * unit) for px, py in shape]
    canvas.fill(rim, INK)
    canvas.fill(shape, _colour(captain))
    canvas.centred(
        (x + 20 * unit, y), f"{captain}{many or ''}", _size(canvas, 46), _ink_on(captain), rim=_colour(captain)
    )


def crossed(canvas: Canvas, place: Place, name: str) -> None:
    """Crossed lines over a place where there is a battle."""
    x, y = _at(canvas, place)
    arm = 26 * canvas.unit
    for sign in (-1, 1):
        ends = [(x - arm, y - sign * arm), (x + arm, y + sign * arm)]
        canvas.line(ends, INK, 11 * canvas.unit, chalk=False)
        canvas.line(ends, SIEGE, 7 * canvas.unit, chalk=False)
    canvas.centred(_at(canvas, place, 0, 46), name, _size(canvas), SIEGE, rim=PAPER)


def _legend(canvas: Canvas, asked: Commission[SeasonView], now: Season, caption: str) -> None:
    """The caption, the turn, and each captain's colour, letter, laurels and name."""
    view, unit = asked.view, canvas.unit
    canvas.text((16 * unit, 12 * unit), caption, _size(canvas, 56), INK, rim=PAPER)
    # After the last turn battles are entered, and that is no turn (CA-13.4).
    number = min((asked.before or view).round, view.turns)
    turn, size = f"{number}/{view.turns}", _size(canvas, 48)
    canvas.text((canvas.image.width - text_size(turn, size)[0] - 16 * unit, 14 * unit), turn, size, INK, rim=PAPER)
    rows = rows_of(len(view.captains))
    wide = canvas.image.width / min(ABREAST, len(view.captains))
    band = (0, round(canvas.image.height - legend_high(len(view.captains)) * asked.width), *canvas.image.size)
    under = canvas.image.crop(band)
    canvas.image.paste(Image.blend(under, Image.new("RGB", under.size, PAPER), _BAND), band)
    for number, captain in enumerate(view.captains):
        row, column = divmod(number, ABREAST)
        x, y = 16 * unit + column * wide, canvas.image.height - (34 + 62 * (rows - 1 - row)) * unit
        pennant(canvas, (x, y), captain)
        _wreath(canvas, (x + 98 * unit, y), now.laurels.get(captain, 0))
        name, small = asked.names.get(seat_of(captain), ""), _size(canvas, _LETTER)
        while name and text_size(name, small)[0] > wide - 156 * unit:
            name = name[:-1]
        canvas.text((x + 132 * unit, y - text_size(name, small)[1] / 2), name, small, INK, rim=PAPER)


def _wreath(canvas: Canvas, at: Point, laurels: int) -> None:
    """How many laurels a captain has, in a wreath: a pennant's number is one of galleys."""
    x, y = at
    for step in range(13):
        turn = math.radians(-55 + step * 290 / 12) + math.pi / 2 + math.radians(35 - 90)
        leaf = x + 26 * canvas.unit * math.cos(turn), y + 26 * canvas.unit * math.sin(turn)
        canvas.fill(_disc(leaf, 6.5 * canvas.unit), _LEAF)
    canvas.centred(at, str(laurels), _size(canvas, _LETTER - 2), INK, rim=PAPER)

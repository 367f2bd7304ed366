"""The sea chart: ports with owner and worth, fleets with strength, planned routes, fog, sieges and battles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PIL import Image

from render.campaign.ground import ground
from render.canvas import Canvas, Point
from render.commission import Commission, Kind
from render.film import Frame
from render.painter import Painter
from render.parchment import INK, PAPER
from render.style import Colour
from rules.campaign.desk.view import SeasonView
from rules.campaign.retelling import Season, moments, seen
from rules.campaign.table.events import BattleMet, PortFell, Sighted
from rules.campaign.table.maps import Place
from rules.protocol import Event

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
_DARK: Final = frozenset("ABCEG")
"""Colours on which letters are light."""
_SIZES: Final = {0: 0, 1: 20, 2: 25, 3: 30}
"""Half the width of a port's mark by its worth, in px at full width."""
_LETTER: Final = 44
"""Letters of the smallest words: 11 px on a phone that shows the chart 400 wide."""
FRAME_MS: Final = 1600


def paint(asked: Commission[SeasonView]) -> Image.Image:
    """Draw what a seat knows, north up."""
    return _chart(asked, seen(asked.view), asked.caption)


def frames(asked: Commission[SeasonView]) -> list[Frame]:
    """A film of a turn: both watches, and the night."""
    if not shows(asked.view, asked.events, "round"):
        return []
    told = moments(asked.view, asked.events)
    return [Frame(_chart(asked, moment.after, asked.caption), FRAME_MS) for moment in told]


def shows(_: SeasonView, events: Sequence[Event], kind: Kind) -> bool:  # noqa: ARG001 - all kinds are alike
    """Whether anything could be seen of a turn."""
    return any(isinstance(event, BattleMet | PortFell | Sighted) for event in events)


def _chart(asked: Commission[SeasonView], now: Season, caption: str) -> Image.Image:
    view = asked.view
    empty, window = ground(view.map, len(view.captains), asked.width)
    canvas = Canvas(empty, window, asked.width)
    places = view.known.sea_map.places
    if view.seat is not None:
        _fog(canvas, view, places)
    _routes(canvas, view, places)
    for place in places.values():
        _place(canvas, place, now)
    _fleets(canvas, now, places)
    for battle in view.battles:
        if battle.id in now.battles:
            _battle(canvas, places[battle.place], battle.id)
    _legend(canvas, view, now, caption)
    return canvas.image


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
    """Grey haze over the places that the viewer does not see."""
    radius = 58 * canvas.unit
    for place in places.values():
        if place.code not in view.sees:
            canvas.glow(_at(canvas, place), radius * 1.6, FOG, 0.55)


def _place(canvas: Canvas, place: Place, now: Season) -> None:
    """A port by its worth in its owner's colour, with a siege around it; a sea by its code."""
    at = _at(canvas, place)
    if not place.port:
        canvas.centred(at, place.code, _size(canvas, 34), (228, 238, 236), rim=(70, 100, 104))
        return
    owner, half = now.ports.get(place.code, ""), _SIZES[place.worth] * canvas.unit
    x, y = at
    shape = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
    if place.worth == 1:
        canvas.ring(at, half * 0.5, _colour(owner), half)
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
    canvas.centred(at, owner or str(place.worth), _size(canvas), _ink_on(owner), rim=_colour(owner))
    canvas.centred(_at(canvas, place, 0, 24 + _SIZES[place.worth]), place.code, _size(canvas, 34), INK, rim=PAPER)
    if place.code in now.sieges:
        by, nights = now.sieges[place.code]
        canvas.ring(at, half * 1.55, SIEGE, 4 * canvas.unit)
        where = _at(canvas, place, 0, -62)
        canvas.centred(where, f"{by} {nights}/{(0, 2, 6, 12)[place.worth]}", _size(canvas), SIEGE, rim=PAPER)


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
    for galley in now.galleys:
        fleets = there.setdefault(galley.place, [])
        count = next((many for captain, many in fleets if captain == galley.captain), 0)
        there[galley.place] = [one for one in fleets if one[0] != galley.captain] + [(galley.captain, count + 1)]
    for code, lying in now.lying.items():
        there.setdefault(code, []).extend((one.captain, one.galleys) for one in lying)
    for code, fleets in there.items():
        for number, (captain, many) in enumerate(sorted(fleets)):
            _pennant(canvas, _at(canvas, places[code], 34 + 74 * number, -18), captain, many)


def _pennant(canvas: Canvas, at: Point, captain: str, many: int) -> None:
    x, y = at
    unit = 1.35 * canvas.unit
    shape = [(x, y - 18 * unit), (x + 48 * unit, y - 18 * unit), (x + 38 * unit, y), (x + 48 * unit, y + 18 * unit)]
    shape.append((x, y + 18 * unit))
    rim = [(px + (-3 if px == x else 4) * unit, py + (-3 if py < y else 3 if py > y else 0) * unit) for px, py in shape]
    canvas.fill(rim, INK)
    canvas.fill(shape, _colour(captain))
    canvas.centred((x + 20 * unit, y), f"{captain}{many}", _size(canvas, 46), _ink_on(captain), rim=_colour(captain))


def _battle(canvas: Canvas, place: Place, name: str) -> None:
    """Crossed lines over a place where a battle is being played."""
    x, y = _at(canvas, place)
    arm = 26 * canvas.unit
    for sign in (-1, 1):
        ends = [(x - arm, y - sign * arm), (x + arm, y + sign * arm)]
        canvas.line(ends, INK, 11 * canvas.unit, chalk=False)
        canvas.line(ends, SIEGE, 7 * canvas.unit, chalk=False)
    canvas.centred(_at(canvas, place, 0, 46), name, _size(canvas), SIEGE, rim=PAPER)


def _legend(canvas: Canvas, view: SeasonView, now: Season, caption: str) -> None:
    """The caption, and each captain's colour, letter and laurels."""
    unit, size = canvas.unit, _size(canvas, 48)
    canvas.text((16 * unit, 12 * unit), caption, _size(canvas, 56), INK, rim=PAPER)
    x, y = 16 * unit, canvas.image.height - 52 * unit
    for captain in view.captains:
        _pennant(canvas, (x, y + 18 * unit), captain, now.laurels.get(captain, 0))
        x += 90 * unit
    canvas.text((x, y + 4 * unit), f"{view.round}/{view.turns}", size, INK, rim=PAPER)


PAINTER = Painter(view_type=SeasonView, pure=(*COLOURS.values(), SIEGE, INK), paint=paint, frames=frames, shows=shows)

"""The painter of Naval Battle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from PIL import Image

from render import legend, parchment, sighting, signs
from render.canvas import Box, Sprite
from render.commission import Commission, Kind
from render.forts import marks, ships
from render.forts.marks import Die, here
from render.forts.window import grid_of, sight, window_of
from render.hexmap import HexCanvas
from render.labels import Obstacle
from render.style import CARD, FULL_WIDTH
from rules.forts import retelling
from rules.forts.desk.view import HexView
from rules.forts.retelling import Act, Fleet, by_ship, wind_of
from rules.forts.table.boards import SIDES, Side
from rules.forts.table.events import Sailed, ShotFired
from rules.forts.table.state import COLOURS, Colour, Ship
from rules.protocol import Event


def paint(asked: Commission[HexView]) -> Image.Image:
    """Draw any kind of picture of the sea."""
    view, acts = asked.view, retelling.moments(asked.view, asked.events)
    if asked.kind == "round" and acts:
        return _sheet(asked, acts)
    canvas = canvas_of(asked, window_of(asked, acts), asked.width)
    fleet: Mapping[str, Ship] = {ship.id: ship for ship in view.ships}
    dice: list[Die] = []
    if asked.kind == "plan":
        _own(canvas, view)
    wrecks(canvas, view, fleet)
    forts(canvas, view)
    if asked.kind == "table":
        tracks(canvas, acts)
    if asked.kind in ("table", "volley"):
        dice += _shots(canvas, acts)
    afloat(canvas, view, fleet.values())
    marks.named(canvas, _occupied(view, fleet.values()))
    if asked.kind == "plan":
        dice += _fire(canvas, view)
    if asked.kind in ("table", "volley"):
        blows(canvas, acts)
    siege(canvas, view)
    if asked.kind == "plan":
        _beyond(canvas, asked)
    marks.lay_dice(canvas, marks.place_dice(canvas, dice, [ship.hex for ship in fleet.values()]))
    return framed(asked, canvas)


def shows(_: HexView, events: Sequence[Event], kind: Kind) -> bool:
    """Whether events hold a shot, or anything done in a player-turn, for a picture of that."""
    if kind == "volley":
        return any(isinstance(event, ShotFired) for event in events)
    return kind != "round" or any(isinstance(event, Sailed | ShotFired) for event in events)


def canvas_of(asked: Commission[HexView], seen: Box, width: int) -> HexCanvas:
    """The bare chart seen through a window, so many pixels wide with the edge that has the letters."""
    inner = width - 2 * parchment.margin(asked.width)
    high = round(inner * (seen[3] - seen[1]) / (seen[2] - seen[0]))
    ground = parchment.sheet((inner, high), seen, grid_of(asked.view.board), asked.width)
    return HexCanvas(ground, seen, asked.width)


def edged(asked: Commission[HexView], canvas: HexCanvas) -> Image.Image:
    """A chart with the letters around it."""
    return parchment.frame(canvas.image, canvas.window, grid_of(asked.view.board), asked.width)


def framed(asked: Commission[HexView], canvas: HexCanvas) -> Image.Image:
    """A chart below its two captains, above the caption, the wind and the compass."""
    return titled(asked, edged(asked, canvas))


def titled(asked: Commission[HexView], image: Image.Image) -> Image.Image:
    """The same of a picture of charts."""
    rails = tuple(_rail(asked, side) for side in SIDES)
    return legend.chart(image, abreast=rails, caption=asked.caption, signs=_signs(asked))


def _signs(asked: Commission[HexView]) -> tuple[Image.Image, ...]:
    """The wind, and the die that decided it; of a turn that is shown, its own."""
    rolled = wind_of(asked.events)
    now = asked.kind in ("table", "plan")
    if rolled is None or (now and rolled.turn != asked.view.round):
        rolled = None
        wind = asked.view.wind
    else:
        wind = rolled.wind
    if wind is None:
        return ()
    size = round(78 * asked.width / FULL_WIDTH)
    sign = marks.wind_sign(wind, size)
    return (sign, marks.die_sign(rolled.die, round(size * 0.8))) if rolled is not None and rolled.die else (sign,)


def _rail(asked: Commission[HexView], side: Side) -> legend.Rail:
    view = asked.view
    colour = holder(view, side)
    seats = [seat for seat, played in enumerate(view.colours) if played == colour]
    names = tuple(asked.names.get(seat, chr(65 + seat)) for seat in seats)
    return legend.Rail(ships.LIVERIES[colour], names, lit=view.active == colour)


def holder(view: HexView, side: Side) -> Colour:
    """Whose fort it is."""
    return "white" if view.white == side else "red"


# --- what lies on the chart --------------------------------------------------------------------------------------


def afloat(canvas: HexCanvas, view: HexView, some: Iterable[Ship]) -> None:
    """Ships, those nearer to us before those farther away."""
    for ship in sorted(some, key=lambda ship: canvas.spot(here(ship.hex))[1]):
        canvas.place(sprite_of(canvas, view, ship), canvas.spot(here(ship.hex)))


def _occupied(view: HexView, some: Iterable[Ship]) -> list[str]:
    """Hexes whose names something covers."""
    return [*(ship.hex for ship in some), *(view.board.harbour(side).fort for side in SIDES)]


def sprite_of(canvas: HexCanvas, view: HexView, ship: Ship) -> Sprite:
    """A ship as she is drawn; her bow points away from her own fort."""
    leads = view.flagships[COLOURS.index(ship.colour)] == ship.code
    east = (view.white == "west") == (ship.colour == "white")
    return ships.ship(ship.colour, ship.code, ship.margin, ship.kind.margin, canvas.scale, flagship=leads, east=east)


def forts(canvas: HexCanvas, view: HexView) -> None:
    """Both towers with their flags."""
    for side in SIDES:
        fort = here(view.board.harbour(side).fort)
        canvas.place(ships.fort(holder(view, side), canvas.scale, east=side == "west"), canvas.spot(fort))


def wrecks(canvas: HexCanvas, view: HexView, fleet: Mapping[str, Ship]) -> None:
    """Where ships went down, except those still drawn, and where another lies now."""
    taken = {ship.hex for ship in fleet.values()}
    for ship in view.sunk:
        if ship.id not in fleet and ship.hex not in taken:
            canvas.place(ships.wreck(ship.colour, ship.code, canvas.scale), canvas.spot(here(ship.hex)))


def siege(canvas: HexCanvas, view: HexView) -> None:
    """The besieged fort and the besieger."""
    if view.siege is None:
        return
    by = view.siege.by
    side: Side = "east" if (view.white == "west") == (by == "white") else "west"
    code = view.flagships[COLOURS.index(by)]
    flagship = next((ship.hex for ship in view.ships if ship.colour == by and ship.code == code), None)
    marks.siege(canvas, view.board.harbour(side).fort, flagship)


def tracks(canvas: HexCanvas, acts: Iterable[Act]) -> None:
    """Where ships sailed."""
    for act in acts:
        for move in act.moves:
            if isinstance(move, Sailed) and (ship := act.before.ships.get(move.ship)):
                marks.stood(canvas, move.start, ship.colour)
                marks.track(canvas, move.path, ship.colour)


def _shots(canvas: HexCanvas, acts: Iterable[Act]) -> list[Die]:
    """Balls' ways, misses below hits; returns their dice."""
    shots = [shot for act in acts for shot in act.shots]
    for shot in sorted(shots, key=lambda shot: shot.hit):
        marks.shot(canvas, shot.start, shot.end, hit=shot.hit, plunging=shot.plunging)
    return [Die(str(shot.die), shot.end, shot.hit) for shot in shots]


def blows(canvas: HexCanvas, acts: Iterable[Act]) -> None:
    """Fire and water where balls came down."""
    shots = [shot for act in acts for shot in act.shots]
    for end in {shot.end for shot in shots if not shot.hit}:
        marks.splash(canvas, end)
    for end in {shot.end for shot in shots if shot.hit}:
        marks.struck(canvas, end)


# --- what the viewer may do --------------------------------------------------------------------------------------


def _own(canvas: HexCanvas, view: HexView) -> None:
    """Below the ships: where the viewer may place or sail, and what they have planned."""
    marks.tint(canvas, view.start, marks.START, 0.55)
    marks.lettered(canvas, view.start)
    mine = [label for reach in view.reach if reach.ship == view.current for label in reach.hexes]
    marks.tint(canvas, mine, marks.REACH, 0.6)
    marks.threaten(canvas, view.threats)
    marks.lettered(canvas, mine)
    for ship in view.ships:
        if ship.id == view.current:
            marks.chosen(canvas, ship.hex)
    for leg in view.legs:
        marks.track(canvas, (leg.start, leg.end), _colour_of(leg.ship))


def _fire(canvas: HexCanvas, view: HexView) -> list[Die]:
    """Above the ships: lines of fire of the ship in hand, what blocks them; returns what her shots need."""
    lines = [line for line in view.fire if view.current in (None, line.by)]
    for label in {stop.hex for line in lines for stop in line.blockers if stop.hex and line.fire == "blocked"}:
        marks.blocker(canvas, label)
    for line in sorted(lines, key=lambda line: line.fire != "blocked"):
        marks.line(canvas, line.start, line.end, line.fire)
    for aim in view.aims:
        marks.aimed_at(canvas, aim.end)
    needs = {
        line.end: min(each.need for each in lines if each.need and each.end == line.end) for line in lines if line.need
    }
    return [Die(f"{need}+", end, None) for end, need in needs.items()]


def _beyond(canvas: HexCanvas, asked: Commission[HexView]) -> None:
    """An arrow to the nearest enemy, if she is too far away to be shown, with the hexes between."""
    view, seen = asked.view, sight(asked)
    if seen.foe is None or seen.shown:
        return
    enemy = next(ship for ship in view.ships if ship.id == seen.foe.id)
    livery = ships.LIVERIES[enemy.colour]
    hexes = signs.sign("hex", round(sighting.LETTERS * canvas.unit))
    plate = sighting.plate_of(canvas, livery, None, enemy.code, f"{seen.foe.gap:.0f}", hexes)
    sighting.point_out(canvas, seen.foe, livery, plate, [_taken(canvas, ship) for ship in view.ships])


def _taken(canvas: HexCanvas, ship: Ship) -> Obstacle:
    return Obstacle(tuple(canvas.shape(here(ship.hex))), 100)


def _colour_of(ship: str) -> Colour:
    return "white" if ship[0] == "w" else "red"


# --- a player-turn, act by act -----------------------------------------------------------------------------------


def _sheet(asked: Commission[HexView], acts: Sequence[Act]) -> Image.Image:
    """A chart for all that a ship did at one go, two abreast, and the sea as it is now."""
    gap = round(8 * asked.width / FULL_WIDTH)
    wide = (asked.width - gap) // 2
    seen = window_of(asked, acts)
    pages = [_page(asked, seen, wide, {**act.before.ships, **act.after.ships}, (act,)) for act in by_ship(acts)[-7:]]
    pages.append(_page(asked, seen, wide, {ship.id: ship for ship in asked.view.ships}, ()))
    high = pages[0].height
    rows = ceil(len(pages) / 2)
    sheet = Image.new("RGB", (asked.width, rows * high + (rows - 1) * gap), CARD)
    for i, page in enumerate(pages):
        last_alone = i == len(pages) - 1 and i % 2 == 0
        across = (asked.width - wide) // 2 if last_alone else i % 2 * (wide + gap)
        sheet.paste(page, (across, i // 2 * (high + gap)))
    return titled(asked, sheet)


def _page(asked: Commission[HexView], seen: Box, wide: int, fleet: Fleet, acts: Sequence[Act]) -> Image.Image:
    canvas = canvas_of(asked, seen, wide)
    wrecks(canvas, asked.view, {**{ship.id: ship for ship in asked.view.sunk if ship.id in fleet}, **fleet})
    forts(canvas, asked.view)
    tracks(canvas, acts)
    dice = _shots(canvas, acts)
    afloat(canvas, asked.view, fleet.values())
    marks.named(canvas, _occupied(asked.view, fleet.values()))
    blows(canvas, acts)
    marks.lay_dice(canvas, marks.place_dice(canvas, dice, [ship.hex for ship in fleet.values()]))
    return edged(asked, canvas)

"""Parts of all pictures of the fleets: the sea in its frame, ships, what happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw

from render.commission import Commission
from render.drawing.canvas import Rect
from render.drawing.style import CARD, FULL_WIDTH, load_font
from render.marks import legend, sighting, strikes
from render.marks.labels import Obstacle
from render.seas import hexmap
from render.seas.hexmap import HexCanvas, hex_outline
from render.squadrons import marks, plates, sea
from render.squadrons.liveries import LIVERIES
from render.squadrons.marks import middle_pixel, side_of
from render.squadrons.window import position_grid, ship_middle
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import SIDES
from rules.squadrons.engine.sea.grid import parse_place
from rules.squadrons.engine.sea.state import Position
from rules.squadrons.interface.preview.view import FleetView
from rules.squadrons.retelling import StoryMoment

_MAX_INSET_PART: Final = 0.6
"""A picture that shows more than this part of the map has no small map."""
_INSET_COLOURS: Final = sighting.MapColours((10, 44, 84), (34, 104, 148), sea.SAND, 7)


def make_canvas(commission: Commission[FleetView], window: Rect, width: int, *, slim: bool = False) -> HexCanvas:
    """Return the bare sea in a window, as a canvas for a picture `width` px wide including its border."""
    inner = width - 2 * margin_px(commission.width, slim=slim)
    height = round(inner * (window[3] - window[1]) / (window[2] - window[0]))
    ground = sea.draw_water(
        (inner, height), window, position_grid(commission.view.position), commission.width, numbered=not slim
    )
    return HexCanvas(ground, window, commission.width)


def margin_px(full_width: int, *, slim: bool = False) -> int:
    return hexmap.scale_margin(sea.SLIM_MARGIN_PX if slim else sea.EDGE.margin_px, full_width)


def add_edge(commission: Commission[FleetView], canvas: HexCanvas, *, slim: bool = False) -> Image.Image:
    if slim:
        return sea.add_slim_edge(canvas.image, margin_px(commission.width, slim=True))
    grid = position_grid(commission.view.position)
    return hexmap.add_edge(canvas.image, canvas.window, grid, commission.width, sea.EDGE)


def add_edge_and_legend(commission: Commission[FleetView], canvas: HexCanvas) -> Image.Image:
    """Return the sea below both sides' captains, above caption, victory points and compass."""
    return add_legend(commission, add_edge(commission, canvas))


def add_legend(commission: Commission[FleetView], image: Image.Image) -> Image.Image:
    view = commission.view
    score = _draw_score(view.points, view.position.target, commission.width)
    rails = tuple(_side_rail(commission, side) for side in (0, 1))
    return legend.frame_picture(image, rails, commission.caption, (score,))


def _side_rail(commission: Commission[FleetView], side: int) -> legend.Rail:
    seats = [captain.seat for captain in commission.view.captains if captain.side == SIDES[side]]
    names = tuple(commission.names.get(seat, chr(65 + seat)) for seat in seats)
    return legend.Rail(LIVERIES[side], names, is_to_move=commission.view.active == SIDES[side])


@lru_cache(maxsize=16)
def _draw_score(points: tuple[int, int], target: int, full_width: int) -> Image.Image:
    unit = full_width / FULL_WIDTH
    size, pad = round(plates.LETTER_PX * unit), round(14 * unit)
    font = load_font(size)
    words = [*map(str, points), *([f"/ {target}"] if target else [])]
    widths = [round(font.getlength(text)) + 2 * pad for text in words]
    image = Image.new("RGBA", (sum(widths), round(62 * unit)))
    draw, x = ImageDraw.Draw(image), 0
    for number, (text, width) in enumerate(zip(words, widths, strict=True)):
        if number < 2:
            livery = LIVERIES[number]
            draw.rectangle((x, 0, x + width - 1, image.height - 1), fill=livery.base)
            for y in (0, image.height - 1 - round(5 * unit)) if livery.pattern == "stripes" else ():
                draw.rectangle((x, y, x + width - 1, y + round(5 * unit)), fill=livery.mark)
            for across in (x, x + width - 1 - round(6 * unit)) if livery.pattern == "bands" else ():
                draw.rectangle((across, 0, across + round(6 * unit), image.height - 1), fill=livery.mark)
        colour = LIVERIES[number].on_base if number < 2 else CARD
        draw.text((x + width / 2, image.height / 2), text, fill=colour, font=font, anchor="mm")
        x += width
    return image


# --- what lies on the sea ----------------------------------------------------------------------------------------


def draw_ships(canvas: HexCanvas, position: Position, skip: Iterable[str] = (), *, grouped: bool = True) -> None:
    hidden = set(skip)
    if grouped:
        marks.draw_squadrons(canvas, position)
    visible = [ship for ship in position.ships if ship.is_afloat and ship.id not in hidden]
    for ship in visible:
        marks.draw_ship(canvas, ship)
    if not hidden:
        marks.draw_links(canvas, position)
    for ship in visible:
        if ship.burning:
            marks.draw_flames(canvas, ship)


def draw_traces(canvas: HexCanvas, acts: Iterable[StoryMoment]) -> None:
    for act in acts:
        ways: dict[str, list[str]] = {}
        for event in act.events:
            match event:
                case events.ShipMoved():
                    ways.setdefault(event.ship, []).append(event.to)
                case events.AvoidanceTried() | events.RetractRolled() if event.to is not None:
                    ways.setdefault(event.ship, []).append(event.to)
                case _:
                    pass
        for name, places in ways.items():
            was = act.before.ships_by_id[name]
            marks.draw_wake(canvas, [was.bow, *(parse_place(place).bow for place in places)])
            if act.after.ships_by_id[name].place != was.place:
                marks.draw_ghost(canvas, was, was.place, 0.34)


def draw_attacks(canvas: HexCanvas, act: StoryMoment) -> None:
    position = act.before
    for event in act.events:
        match event:
            case events.ShipRammed():
                by = (
                    act.after.ships_by_id[event.by]
                    if act.after.ships_by_id[event.by].is_afloat
                    else position.ships_by_id[event.by]
                )
                at = act.after.ships_by_id[event.target]
                a, b = canvas.hex_pixel(by.bow), middle_pixel(canvas, at.place, at.size)
                strikes.draw_burst(canvas, strikes.point_between(a, b, 0.42), 0.9, _burst_scale(canvas))
            case events.ShotFired():
                ships = [act.after.ships_by_id[name] for name in (event.by, event.target)]
                ends = [middle_pixel(canvas, ship.place, ship.size) for ship in ships]
                strikes.draw_missiles(canvas, ends[0], ends[1], fire=event.flame)
            case events.ShipSunk():
                marks.draw_wreck(canvas, act.before.ships_by_id[event.ship])
            case _:
                pass


def _burst_scale(canvas: HexCanvas) -> float:
    return min(1.0, 1.15 * canvas.scale / max(0.55 * canvas.scale, 30 * canvas.unit))


def hull_obstacles(canvas: HexCanvas, position: Position) -> list[Obstacle]:
    return [marks.ship_obstacle(canvas, ship.place, ship.size) for ship in position.ships if ship.is_afloat]


def draw_overview(canvas: HexCanvas, position: Position, obstacles: Sequence[Obstacle]) -> list[Obstacle]:
    """Draw a map of the whole in a corner if the picture shows a small part of it. Returns obstacles."""
    hex_grid = position_grid(position)
    whole = hex_grid.bounds
    west, south, east, north = canvas.window
    if (east - west) * (north - south) > _MAX_INSET_PART * (whole[2] - whole[0]) * (whole[3] - whole[1]):
        return []
    dots = []
    for ship in position.ships:
        if ship.is_afloat:
            livery = LIVERIES[side_of(ship)]
            dots.append(sighting.MapDot(ship_middle(ship), livery.base, livery.mark))
    land = [hex_outline(here) for here in hex_grid.land]
    return sighting.lay_inset(canvas, whole, dots, obstacles, land=land, colours=_INSET_COLOURS)

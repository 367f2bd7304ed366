"""Parts of all pictures of the fleets: what part of the sea they show, its frame, ships, what happened."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import cos, radians, sin
from typing import Final

from PIL import Image, ImageDraw

from render.commission import Commission
from render.drawing.canvas import Point, Rect
from render.drawing.marking import note_sign
from render.drawing.outlines import note_window
from render.drawing.style import CARD, FULL_WIDTH, Livery, load_font, scaled_px
from render.drawing.viewport import (
    PLAN_MAX_TALL_ASPECT,
    PlanSight,
    Viewport,
    choose_sight,
    nearest_foe,
    pad_to_aspect,
    ship_landmarks,
    width_of,
)
from render.marks import legend, sighting, strikes
from render.marks.labels import Obstacle
from render.seas import hexmap
from render.seas.hexmap import HEX_HEIGHT, HexCanvas, HexGrid, hex_boxes, hex_centre, hex_outline, hexes_box
from render.squadrons import marks, plates, sea, wind
from render.squadrons.liveries import LIVERIES
from render.squadrons.marks import ship_pixel, side_of
from rules.geometry.hexes import Hex
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import SIDES
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose, parse_hex, parse_place
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview.view import FleetView
from rules.squadrons.retelling import StoryMoment

_MIN_WIDTH_EDGES = 15.0
_MAX_WIDTH_EDGES = 29.0
"""Greatest width to which a plan grows to show more than what its ships may do. A phone then shows hexes 22 px
high."""
_MAX_FLEET_WIDTH_EDGES = 42.0
"""Greatest width while no ship is chosen. Enemies near the fleet matter more than the size of its ships."""
_MAX_CHOSEN_WIDTH_EDGES = 36.0
"""Greatest width with all that the chosen ship may reach. Beyond it she would be less than 36 px long on a phone."""
_MIN_ASPECT, _MAX_ASPECT = 0.5, 0.85
_WINDOW_STEP, _PLAN_MARGIN = 1.5, 0.4
"""Edges of plans' windows lie at multiples of this, so that a drawn sea can be reused."""
_ENEMY_DISTANCE = 3  # enemies at most this many hexes from what a plan shows are shown, too
_MEETING_DISTANCE = 10  # so are enemies at most this many hexes from the fleet while no ship is chosen


@lru_cache(maxsize=8)
def map_grid(width: int, height: int, land: tuple[Hex, ...]) -> HexGrid:
    return HexGrid(width, (height, height), grid.LOWER_COLUMNS, frozenset(land), has_letters=False)


def position_grid(position: Position) -> HexGrid:
    return map_grid(position.width, position.height, position.land)


def shown_window(
    commission: Commission[FleetView],
    moments: Sequence[StoryMoment],
    *,
    max_aspect: float = _MAX_ASPECT,
    min_width: float = _MIN_WIDTH_EDGES,
) -> Rect:
    """Return west, south, east and north of a picture. Its edge cuts no ship."""
    if commission.kind == "plan":
        return plan_sight(commission).window
    position = commission.view.position
    if commission.kind == "round" and commission.pace != "calm":
        return _scene_window(position, moments)
    visible = _shown_hexes(commission, moments) if commission.crop == "action" else ()
    viewport = _viewport(position, max_aspect=max_aspect, min_width=min_width)
    boxes = hex_boxes(visible)
    return note_window(viewport.fit_window(boxes, ship_boxes(position, moments), commission.kept_window))


def _scene_window(position: Position, moments: Sequence[StoryMoment]) -> Rect:
    """Return the window of one turn in a whole game's film, in the map's shape, which all turns share.

    It shows only where ships are: on the whole map they would be specks on a phone.
    """
    whole = position_grid(position).whole_window
    aspect = (whole[3] - whole[1]) / width_of(whole)
    west, south, east, _ = _viewport(position, max_aspect=aspect, min_aspect=aspect).fit_window(
        ship_boxes(position, moments)
    )
    return west, south, east, south + aspect * (east - west)


def plan_sight(commission: Commission[FleetView]) -> PlanSight:
    """Return the window around the current ship and all it may do, or all own ships, and the nearest enemy."""
    view = commission.view
    position = view.position
    # The hexes in which a captain may place ships are shown even if a closer view was requested.
    is_cropped = commission.crop == "action" or bool(view.overlay.start_hexes)
    ships = [ship for ship in position.ships if ship.is_afloat]
    own_ships = [ship for ship in ships if ship.side == view.side]
    enemies = [ship for ship in ships if ship.side != view.side]
    current = view.overlay.current_ship
    foe = nearest_foe(own_ships, current, enemies, gap=_hex_gap, middle=_middle, hull=_hull)
    named_ships = [ship for ship in ships if ship.id in commission.named | _attackable_ids(view)]
    named = ship_landmarks(own_ships, current, named_ships, gap=_hex_gap, middle=_middle, hull=_hull)
    viewport = replace(_viewport(position), margin=_PLAN_MARGIN, max_width=_MAX_WIDTH_EDGES, step=_WINDOW_STEP)
    pieces = ship_boxes(position, ())
    needed, wishes = (_planned_hexes(view), _wishes(view)) if is_cropped else (set(), [])
    reach_boxes = _reach_boxes(view)
    with_reach = [*hex_boxes(needed), *reach_boxes[-1:]]
    tall = replace(viewport, max_aspect=PLAN_MAX_TALL_ASPECT)
    if not is_cropped or width_of(tall.fit_window(with_reach, pieces)) <= _MAX_CHOSEN_WIDTH_EDGES:
        boxes = with_reach if is_cropped else []
    else:  # her targets go before the hexes that cost her the most
        boxes, wishes = hex_boxes(needed), [*reach_boxes, *wishes]
    max_width = _MAX_WIDTH_EDGES if current else _MAX_FLEET_WIDTH_EDGES
    sight = choose_sight(viewport, boxes, pieces, foe, max_width=max_width, named=named, wishes=wishes)
    west, south, east, north = sight.window
    if north - south <= PLAN_MAX_TALL_ASPECT * (east - west) + 0.01:
        return sight
    # the map is too narrow for it: then a part of the picture is beside the map
    viewport = replace(viewport, whole=pad_to_aspect(viewport.whole, 0.0, PLAN_MAX_TALL_ASPECT))
    return choose_sight(viewport, boxes, pieces, foe, max_width=max_width, named=named, wishes=wishes)


def _hex_gap(ship: Ship, other: Ship) -> float:
    return grid.hex_distance(ship.hexes, other.hexes)


def _middle(ship: Ship) -> Point:
    return marks.middle_point(ship.place, ship.size)


def _hull(ship: Ship) -> list[Point]:
    return [corner for here in ship.hexes for corner in hex_outline(here)]


def window_around(
    position: Position,
    visible: Iterable[Hex],
    ships: Sequence[Rect],
    *,
    max_aspect: float,
    min_width: float,
    min_aspect: float = _MIN_ASPECT,
) -> Rect:
    """Return a window around hexes, enlarged until its edge cuts no ship; the whole map without hexes."""
    return _viewport(position, max_aspect=max_aspect, min_width=min_width, min_aspect=min_aspect).fit_window(
        hex_boxes(visible), ships
    )


def _viewport(
    position: Position,
    *,
    max_aspect: float = _MAX_ASPECT,
    min_width: float = _MIN_WIDTH_EDGES,
    min_aspect: float = _MIN_ASPECT,
) -> Viewport:
    whole = position_grid(position).whole_window
    return Viewport(whole=whole, margin=0.9, min_width=min_width, min_aspect=min_aspect, max_aspect=max_aspect)


def ship_boxes(position: Position, moments: Sequence[StoryMoment]) -> list[Rect]:
    """Return the boxes of all ships, now and before the acts."""
    hulls = {ship.hexes for ship in position.ships if ship.is_afloat}
    for moment in moments:
        hulls |= {ship.hexes for name in moment.ship_ids if (ship := moment.before.ships_by_id[name]).is_afloat}
    return [hexes_box(hull) for hull in hulls]


def act_hexes(moment: StoryMoment) -> set[Hex]:
    ships = [position.ships_by_id[name] for name in moment.ship_ids for position in (moment.before, moment.after)]
    return {here for ship in ships if ship.is_afloat for here in ship.hexes}


def _shown_hexes(commission: Commission[FleetView], moments: Sequence[StoryMoment]) -> Iterable[Hex]:
    view = commission.view
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    shown_moments = [
        moment for moment in moments if moment.has_visible_event and (commission.kind == "round" or moment.has_attack)
    ]
    if commission.kind in ("round", "attacks") and shown_moments:
        return (here for moment in shown_moments for here in act_hexes(moment))
    focus = set(commission.focus) & ships.keys() or set(ships)  # all ships if none is asked for
    return (here for name in focus for here in ships[name].hexes)


def _planned_hexes(view: FleetView) -> set[Hex]:
    """Return the hexes that a plan must show: the current ship with her targets or all own ones, and their courses."""
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    current = ships.get(view.overlay.current_ship or "")
    own_ships = [ship for ship in ships.values() if ship.side == view.side]
    planned_ships = [current] if current else own_ships or list(ships.values())
    planned = {parse_hex(label) for label in view.overlay.start_hexes}
    planned |= {here for ship in planned_ships for here in ship.hexes}
    planned |= _track_hexes(view, ships, {ship.id for ship in planned_ships})
    if current:
        planned |= {here for name in _attackable_ids(view) & ships.keys() for here in ships[name].hexes}
        planned |= {parse_place(entry.to).bow for entry in view.overlay.next_steps if entry.to and not entry.rule}
    return planned


def _reach_boxes(view: FleetView) -> list[Rect]:
    """Return boxes of what the current ship may reach with one movement point, with two, and so on."""
    current = view.position.ships_by_id.get(view.overlay.current_ship or "")
    if current is None or not current.is_afloat:
        return []
    hexes = {
        here: entry.mp
        for entry in view.overlay.reachable_hexes
        if not _is_far_astern(current, here := parse_hex(entry.hex))
    }
    return [hexes_box([here for here, mp in hexes.items() if mp <= points]) for points in sorted(set(hexes.values()))]


def _attackable_ids(view: FleetView) -> set[str]:
    return {*view.overlay.targets, *(entry.target for entry in view.overlay.attack_previews if not entry.rule)}


def _wishes(view: FleetView) -> list[Rect]:
    """Return boxes of enemies near the orders, the nearest first, and of hexes as far ahead as speed could take her.

    While no ship is chosen, the fleet's nearest enemies come first.
    """
    ships = {ship.id: ship for ship in view.position.ships if ship.is_afloat}
    current = ships.get(view.overlay.current_ship or "")
    planned = tuple(_planned_hexes(view))
    is_mobile = current is not None and not view.position.is_immobile(current)
    ahead = list(_hexes_ahead(current, current.printed_speed)) if current and is_mobile else []
    near_ids = _near_enemies(view, ships, current, (*planned, *ahead))
    near_ships = sorted((ships[name] for name in near_ids), key=lambda ship: grid.hex_distance(ship.hexes, planned))
    return [*(hexes_box(ship.hexes) for ship in near_ships), *hex_boxes(ahead)]


def _track_hexes(view: FleetView, ships: Mapping[str, Ship], names: Container[str]) -> set[Hex]:
    """Return the hexes of some ships' planned courses and of the ships that they attack."""
    tracks = [track for track in view.overlay.tracks if track.ship in names and track.ship in ships]
    places = [(parse_place(place), track) for track in tracks for place in (*track.places, *track.alternative)]
    targets = [name for track in tracks for _, name in track.attacks if name in ships]
    course_hexes = {here for place, track in places for here in place.covered_hexes(ships[track.ship].size)}
    target_hexes = {here for name in targets for here in ships[name].hexes}
    return course_hexes | target_hexes


def _near_enemies(
    view: FleetView, ships: Mapping[str, Ship], current: Ship | None, planned: tuple[Hex, ...]
) -> set[str]:
    """Return enemies that the current ship may attack, and those near the planned hexes and not far from the ship."""
    enemies = [ship for ship in ships.values() if ship.side != view.side]
    distance = _ENEMY_DISTANCE if current else _MEETING_DISTANCE
    nearby_ids = {ship.id for ship in enemies if grid.hex_distance(ship.hexes, planned) <= distance}
    if current is None:
        return nearby_ids
    return (_attackable_ids(view) & ships.keys()) | {
        name for name in nearby_ids if grid.hex_distance(ships[name].hexes, current.hexes) <= 2 * _ENEMY_DISTANCE
    }


def _is_far_astern(ship: Ship, at: Hex) -> bool:
    """Return whether a hex is more than two hexes behind the bow. Such hexes matter little and would cost width."""
    x, y = hex_centre(at)
    bow_x, bow_y = hex_centre(ship.bow)
    angle = radians(60 * ship.facing)
    return (x - bow_x) * sin(angle) + (y - bow_y) * cos(angle) < -2.0 * HEX_HEIGHT


def _hexes_ahead(ship: Ship, hex_count: int) -> Iterable[Hex]:
    """Yield the hexes that a ship would reach straight ahead, or after one turn to either side."""
    for turn in (0, 1, 5):
        place = HexPose(ship.bow, (ship.facing + turn) % 6)
        for _ in range(hex_count):
            place = HexPose(place.hex_ahead, place.facing)
        yield place.bow


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
    canvas = HexCanvas(ground, window, commission.width)
    hexmap.note_hexes(canvas, "land", commission.view.position.land)
    return canvas


def margin_px(full_width: int, *, slim: bool = False) -> int:
    return scaled_px(sea.SLIM_MARGIN_PX if slim else sea.EDGE.margin_px, full_width)


def add_edge(commission: Commission[FleetView], canvas: HexCanvas, *, slim: bool = False) -> Image.Image:
    if slim:
        return sea.add_slim_edge(canvas.image, margin_px(commission.width, slim=True))
    grid = position_grid(commission.view.position)
    return hexmap.add_edge(canvas.image, canvas.window, grid, commission.width, sea.EDGE)


def add_edge_and_legend(commission: Commission[FleetView], canvas: HexCanvas) -> Image.Image:
    """Return the sea below both sides' captains, above caption, victory points and compass."""
    return add_legend(commission, add_edge(commission, canvas))


def add_legend(commission: Commission[FleetView], image: Image.Image, *, with_wind: bool = False) -> Image.Image:
    """Return a picture with its legend; `with_wind`: the wind is shown there, because several seas are above it."""
    view = commission.view
    signs = [_draw_score(view.points, view.position.target, commission.width)]
    note_sign("score", signs[0])
    if with_wind and view.position.wind is not None:
        signs.append(wind.draw_wind(view.position.wind, scaled_px(wind.LEGEND_SIGN_PX, commission.width)))
        note_sign("wind", signs[-1])
    name_bars = tuple(_name_bar(commission, side) for side in (0, 1))
    return legend.frame_picture(image, name_bars, commission.caption, signs)


def seat_liveries(view: FleetView) -> list[Livery]:
    side_by_seat = {captain.seat: captain.side for captain in view.captains}
    return [LIVERIES[SIDES.index(side)] for _, side in sorted(side_by_seat.items())]


def _name_bar(commission: Commission[FleetView], side: int) -> legend.NameBar:
    seats = [captain.seat for captain in commission.view.captains if captain.side == SIDES[side]]
    names = tuple(commission.names.get(seat, chr(65 + seat)) for seat in seats)
    movers = [event.side for event in commission.events if isinstance(event, events.SquadronActivated)]
    is_to_move = commission.is_turn_of(SIDES[side], commission.view.active, movers)
    return legend.NameBar(LIVERIES[side], names, is_to_move=is_to_move)


@lru_cache(maxsize=16)
def _draw_score(points: tuple[int, int], target: int, full_width: int) -> Image.Image:
    """Draw both sides' victory points, and the points that win; `target` 0: only the sides' points."""
    px = full_width / FULL_WIDTH
    pad = round(14 * px)
    font = load_font(round(plates.LETTER_PX * px))
    texts = [str(number) for number in points]
    if target:
        texts.append(f"/ {target}")
    widths = [round(font.getlength(text)) + 2 * pad for text in texts]
    image = Image.new("RGBA", (sum(widths), round(62 * px)))
    draw = ImageDraw.Draw(image)
    x = 0
    for number, (text, width) in enumerate(zip(texts, widths, strict=True)):
        if number < 2:  # a side's points, on its colours; the third text is the score that wins
            livery = LIVERIES[number]
            draw.rectangle((x, 0, x + width - 1, image.height - 1), fill=livery.base)
            if livery.pattern == "stripes":  # above and below the number
                for y in (0, image.height - 1 - round(5 * px)):
                    draw.rectangle((x, y, x + width - 1, y + round(5 * px)), fill=livery.mark)
            else:  # bands at the left and right
                for across in (x, x + width - 1 - round(6 * px)):
                    draw.rectangle((across, 0, across + round(6 * px), image.height - 1), fill=livery.mark)
        colour = LIVERIES[number].on_base if number < 2 else CARD
        draw.text((x + width / 2, image.height / 2), text, fill=colour, font=font, anchor="mm")
        x += width
    return image


# --- what lies on the sea ----------------------------------------------------------------------------------------


def draw_ships(canvas: HexCanvas, position: Position, skip: Iterable[str] = (), *, grouped: bool = True) -> None:
    """Draw ships except those in `skip` (ids), and if none is skipped, the links between them.

    `grouped`: draw the squadrons' colours below the ships.
    """
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


def draw_traces(canvas: HexCanvas, moments: Iterable[StoryMoment]) -> None:
    # Draws wakes of ships that moved, and faintly where they were before.
    for moment in moments:
        places_by_ship: dict[str, list[str]] = {}
        for event in moment.events:
            match event:
                case events.ShipMoved():
                    places_by_ship.setdefault(event.ship, []).append(event.to)
                case events.AvoidanceTried() | events.RetractRolled() if event.to is not None:
                    places_by_ship.setdefault(event.ship, []).append(event.to)
                case _:
                    pass
        for name, places in places_by_ship.items():
            ship_before = moment.before.ships_by_id[name]
            marks.draw_wake(canvas, [ship_before.bow, *(parse_place(place).bow for place in places)])
            if moment.after.ships_by_id[name].place != ship_before.place:
                marks.draw_ghost(canvas, ship_before, ship_before.place, 0.34, "before")


def draw_attacks(canvas: HexCanvas, moment: StoryMoment) -> None:
    # Draws bursts of rams, missiles in flight and sunk ships.
    for event in moment.events:
        match event:
            case events.ShipRammed():
                rammer = moment.after.ships_by_id[event.by]
                if not rammer.is_afloat:
                    rammer = moment.before.ships_by_id[event.by]
                target = moment.after.ships_by_id[event.target]
                a, b = canvas.hex_pixel(rammer.bow), ship_pixel(canvas, target)
                strikes.draw_burst(canvas, strikes.point_between(a, b, 0.42), 0.9, _burst_scale(canvas))
            case events.ShotFired():
                ships = [moment.after.ships_by_id[name] for name in (event.by, event.target)]
                ends = [ship_pixel(canvas, ship) for ship in ships]
                strikes.draw_missiles(canvas, ends[0], ends[1], fire=event.flame)
            case events.ShipSunk():
                marks.draw_wreck(canvas, moment.before.ships_by_id[event.ship])
            case _:
                pass


def _burst_scale(canvas: HexCanvas) -> float:
    return min(1.0, 1.15 * canvas.edge_px / max(0.55 * canvas.edge_px, 30 * canvas.px))


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
            dots.append(sighting.MapDot(marks.middle_point(ship.place, ship.size), livery.base, livery.mark))
    land = [hex_outline(here) for here in hex_grid.land]
    return sighting.lay_inset(canvas, whole, dots, obstacles, land=land, colours=_INSET_COLOURS)

"""The painter of Naval Battle, and the part of the chart that a picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from PIL import Image

from render.commission import Commission, PictureKind
from render.drawing.canvas import Rect, Sprite
from render.drawing.marking import marking, note_sign
from render.drawing.outlines import note_outline, note_window
from render.drawing.pages import lay_out_pages, page_width
from render.drawing.style import FULL_WIDTH, MIN_SELECTED_PART, SOOT, Livery, scaled_px
from render.drawing.viewport import (
    Landmark,
    PlanSight,
    Viewport,
    choose_sight,
    contains_points,
    nearest_foe,
    ship_landmarks,
)
from render.forts import marks, ships
from render.forts.marks import hex_of_label
from render.marks import legend, sighting
from render.marks.labels import Label, Obstacle, box_obstacle, lay_labels
from render.seas import hexmap, parchment
from render.seas.hexmap import HexCanvas, HexGrid, hex_boxes, hex_centre, hex_outline
from rules.core.protocol import Event
from rules.forts import retelling
from rules.forts.engine import fire
from rules.forts.engine.boards import LOWER_COLUMNS, SIDES, Board, FortSide, all_hexes
from rules.forts.engine.events import ShipMoved, ShotFired, TurnEnded
from rules.forts.engine.state import COLOURS, PlayerColour, Ship
from rules.forts.interface.view import HexView
from rules.forts.retelling import ShipsById, StoryMoment, merge_by_ship, wind_of
from rules.geometry.hexes import Hex

_MIN_WIDTH_EDGES: Final = 13.0  # of a picture, in edges of a hex
_MAX_UNCUT_WIDTH_EDGES: Final = 33.0  # the greatest to which a crop grows to cut no ship; the usual chart's width
_MAX_WIDTH_EDGES: Final = 26.0
"""Greatest width to which a crop grows to show more than what its ship may do."""
_MAX_INSET_PART: Final = 0.6  # of the chart; a picture that shows more has no small map
_INSET_COLOURS: Final = sighting.MapColours((88, 118, 124), parchment.SEA, parchment.LAND, 7)
_WIND_SIGN_PX: Final = 78  # of a picture of full width
_MIN_ASPECT, _MAX_ASPECT = 0.5, 0.72  # height as a part of the width
_MARGIN, _PLAN_MARGIN, _WINDOW_STEP = 0.9, 0.4, 1.5
"""Edges of plans' windows lie at multiples of this, so that a drawn chart can be reused."""


@lru_cache(maxsize=8)
def grid_of(board: Board) -> HexGrid:
    land = frozenset(hex_of_label(label) for label in (*board.land, board.west.fort, board.east.fort))
    return HexGrid(board.columns, (board.rows_even, board.rows_odd), LOWER_COLUMNS, land)


def shown_window(commission: Commission[HexView], moments: Sequence[StoryMoment]) -> Rect:
    """Return west, south, east and north of a picture, in edges of a hex."""
    if commission.kind == "plan":
        return plan_sight(commission).window
    visible = _shown_hexes(commission, moments) if commission.crop == "action" else ()
    pieces = _piece_boxes(commission.view, moments)
    return note_window(_viewport(commission.view).fit_window(hex_boxes(visible), pieces, commission.kept_window))


def plan_sight(commission: Commission[HexView]) -> PlanSight:
    """Return the window around the current ship, its reach and the nearest enemy, or the whole chart."""
    view = commission.view
    # The hexes in which a captain may place ships are shown even if a closer view was requested.
    visible = _planned_hexes(view) if commission.crop == "action" or view.start_hexes else ()
    own_colour = None if view.seat is None else view.colours[view.seat]
    foe = nearest_foe(
        [ship for ship in view.ships if ship.colour == own_colour],
        view.current_ship,
        [ship for ship in view.ships if ship.colour != own_colour],
        gap=lambda ship, enemy: fire.hex_distance(view.board, ship.hex, enemy.hex),
        middle=lambda ship: hex_centre(hex_of_label(ship.hex)),
        hull=lambda ship: hex_outline(hex_of_label(ship.hex)),
    )
    viewport = _viewport(view, 0.0 if view.start_hexes else _WINDOW_STEP)
    named = _named_landmarks(view, commission.named) if visible else ()
    return choose_sight(
        viewport, hex_boxes(visible), _piece_boxes(view, ()), foe, max_width=_MAX_WIDTH_EDGES, named=named
    )


def _named_landmarks(view: HexView, names: frozenset[str]) -> list[Landmark]:
    """Return the ends of planned moves, the targets of planned shots, and the viewer's ships and the hexes in `names`.

    A ship's landmark has her id, a hex its label.
    """
    own_colour = None if view.seat is None else view.colours[view.seat]
    own_ships = [ship for ship in view.ships if ship.colour == own_colour]
    hexes = {leg.end: leg.end for leg in view.legs} | {aim.end: aim.end for aim in view.aims}
    hexes |= {name: name for name in sorted(names) if name in all_hexes(view.board)}
    hexes |= {ship.id: ship.hex for ship in own_ships if ship.code in names}
    landmarks = []
    for name, label in hexes.items():
        starts = [ship.hex for ship in own_ships if ship.id != name and view.current_ship in (None, ship.id)] or [label]
        nearest = min(starts, key=lambda start: fire.hex_distance(view.board, start, label))
        place, start = hex_of_label(label), hex_centre(hex_of_label(nearest))
        distance = fire.hex_distance(view.board, nearest, label)
        landmarks.append(Landmark(name, hex_centre(place), tuple(hex_outline(place)), start, distance))
    return landmarks


def _viewport(view: HexView, step: float = 0.0) -> Viewport:
    return Viewport(
        whole=grid_of(view.board).whole_window,
        margin=_PLAN_MARGIN if step else _MARGIN,
        min_width=_MIN_WIDTH_EDGES,
        max_width=_MAX_UNCUT_WIDTH_EDGES,
        min_aspect=_MIN_ASPECT,
        max_aspect=_MAX_ASPECT,
        step=step,
    )


def _piece_boxes(view: HexView, moments: Sequence[StoryMoment]) -> list[Rect]:
    states = [state for moment in moments for state in (moment.before, moment.after)]
    ships = [*view.ships, *(ship for state in states for ship in state.ships.values())]
    labels = {ship.hex for ship in ships} | {view.board.harbour_of(side).fort for side in SIDES}
    return hex_boxes(map(hex_of_label, labels))


def _planned_hexes(view: HexView) -> set[Hex]:
    """Return the hexes that a captain chooses among: where the current ship may sail and fire, or may be placed."""
    current = next((ship for ship in view.ships if ship.id == view.current_ship), None)
    if current is not None:
        labels = {current.hex}
        labels |= {label for reach in view.reaches if reach.ship == current.id for label in reach.hexes}
        labels |= {line.end for line in view.fire_lines if line.by == current.id}
    else:
        labels = set(view.start_hexes) or {ship.hex for ship in view.ships}
    return {hex_of_label(label) for label in labels}


def _shown_hexes(commission: Commission[HexView], moments: Sequence[StoryMoment]) -> set[Hex]:
    # Those of the ships in focus, of shots and of moves; without any of these, of all ships.
    view = commission.view
    focus = set(commission.focus)
    labels = {ship.hex for ship in view.ships if ship.id in focus}
    deed_events = [deed for moment in moments for deed in moment.deed_events]
    labels |= {label for deed in deed_events if isinstance(deed, ShotFired) for label in (deed.start, deed.end)}
    if commission.kind != "volley":
        labels |= {label for deed in deed_events if isinstance(deed, ShipMoved) for label in deed.path}
    return {hex_of_label(label) for label in labels or {ship.hex for ship in view.ships}}


def paint(commission: Commission[HexView]) -> Image.Image:
    view = commission.view
    moments = retelling.split_moments(view, commission.events)
    if commission.kind == "round" and moments:
        return _draw_sheet(commission, moments)
    canvas = make_canvas(commission, shown_window(commission, moments), commission.width)
    fleet: Mapping[str, Ship] = {ship.id: ship for ship in view.ships}
    dice: list[Label] = []
    if commission.kind == "plan":
        _draw_below_ships(canvas, view)
    draw_wrecks(canvas, view, fleet)
    draw_forts(canvas, view)
    if commission.kind == "table":
        draw_tracks(canvas, moments)
    if commission.kind in ("table", "volley"):
        dice += _draw_shots(canvas, moments)
    draw_ships(canvas, view, fleet.values(), view.current_ship if commission.kind == "plan" else None)
    marks.write_covered_names(canvas, _labels_under_pieces(view, fleet.values()))
    if commission.kind == "plan":
        dice += _draw_above_ships(canvas, view)
    if commission.kind in ("table", "volley"):
        draw_hits(canvas, moments)
    draw_besieged_fort(canvas, view)
    surroundings = _draw_surroundings(canvas, commission) if commission.kind == "plan" else []
    selected = fleet.get(view.current_ship or "") if commission.kind == "plan" else None
    others = [*_selected_obstacles(canvas, view, selected), *surroundings]
    lay_labels(canvas, marks.place_dice(canvas, dice, [ship.hex for ship in fleet.values()], others))
    return add_edge_and_legend(commission, canvas)


def has_content(_: HexView, events: Sequence[Event], kind: PictureKind) -> bool:
    if kind == "volley":
        return any(isinstance(event, ShotFired) for event in events)
    return kind != "round" or any(isinstance(event, ShipMoved | ShotFired) for event in events)


def make_canvas(commission: Commission[HexView], window: Rect, width: int) -> HexCanvas:
    """Return the bare chart in a window, for a picture `width` px wide including the edge with letters."""
    inner = width - 2 * scaled_px(parchment.MARGIN_PX, commission.width)
    height = round(inner * (window[3] - window[1]) / (window[2] - window[0]))
    ground = parchment.draw_sheet((inner, height), window, grid_of(commission.view.board), commission.width)
    canvas = HexCanvas(ground, window, commission.width)
    hexmap.note_hexes(canvas, "land", map(hex_of_label, commission.view.board.land))
    return canvas


def add_edge(commission: Commission[HexView], canvas: HexCanvas) -> Image.Image:
    grid = grid_of(commission.view.board)
    return hexmap.add_edge(canvas.image, canvas.window, grid, commission.width, parchment.EDGE)


def add_edge_and_legend(commission: Commission[HexView], canvas: HexCanvas) -> Image.Image:
    """Return the chart below its two captains' names, above caption, wind and compass."""
    return add_legend(commission, add_edge(commission, canvas))


def add_legend(commission: Commission[HexView], image: Image.Image) -> Image.Image:
    name_bars = tuple(_name_bar(commission, side) for side in SIDES)
    return legend.frame_picture(image, name_bars, commission.caption, _wind_signs(commission))


def _wind_signs(commission: Commission[HexView]) -> tuple[Image.Image, ...]:
    """Return signs of the wind and of the die that decided it: of the current turn, or of the turn that is shown."""
    rolled = wind_of(commission.events)
    shows_present = commission.kind in ("table", "plan")
    if rolled is None or (shows_present and rolled.turn != commission.view.round):
        rolled = None
        wind = commission.view.wind
    else:
        wind = rolled.wind
    if wind is None:
        return ()
    size = scaled_px(_WIND_SIGN_PX, commission.width)
    signs = [marks.wind_sign(wind, size)]
    note_sign(f"wind.{wind}", signs[0])
    if rolled is not None and rolled.die:
        signs.append(marks.die_sign(rolled.die, round(size * 0.8)))
        note_sign("wind_die", signs[-1])
    return tuple(signs)


def seat_liveries(view: HexView) -> list[Livery]:
    return [ships.LIVERIES[colour] for colour in view.colours]


def _name_bar(commission: Commission[HexView], side: FortSide) -> legend.NameBar:
    view = commission.view
    colour = fort_holder_colour(view, side)
    seats = [seat for seat, played in enumerate(view.colours) if played == colour]
    names = tuple(commission.names.get(seat, chr(65 + seat)) for seat in seats)
    movers = [view.colours[event.seat] for event in commission.events if isinstance(event, TurnEnded)]
    return legend.NameBar(ships.LIVERIES[colour], names, is_to_move=commission.is_turn_of(colour, view.active, movers))


def fort_holder_colour(view: HexView, side: FortSide) -> PlayerColour:
    return "white" if view.white == side else "red"


# --- what lies on the chart --------------------------------------------------------------------------------------


def draw_ships(canvas: HexCanvas, view: HexView, fleet: Iterable[Ship], selected: str | None = None) -> None:
    """Draw ships; the selected one above all others, at least as long as a phone needs to show her."""
    by_nearness = sorted(fleet, key=lambda ship: canvas.hex_pixel(hex_of_label(ship.hex))[1])
    for ship in sorted(by_nearness, key=lambda ship: ship.id == selected):
        scale = _selected_scale(canvas, ship) if ship.id == selected else canvas.edge_px
        note_outline(ship.id, map(canvas.to_pixels, hex_outline(hex_of_label(ship.hex))))
        with marking(canvas, "flagship" if is_flagship(view, ship) else "ship"):
            canvas.place_sprite(ship_sprite_on(canvas, view, ship, scale), canvas.hex_pixel(hex_of_label(ship.hex)))


def _selected_scale(canvas: HexCanvas, ship: Ship) -> float:
    return max(canvas.edge_px, MIN_SELECTED_PART * FULL_WIDTH * canvas.px / ships.hull_length(ship.code))


def _selected_obstacles(canvas: HexCanvas, view: HexView, ship: Ship | None) -> list[Obstacle]:
    """Return the box of the selected ship, which may be larger than her hex."""
    if ship is None:
        return []
    sprite = ship_sprite_on(canvas, view, ship, _selected_scale(canvas, ship))
    x, y = canvas.hex_pixel(hex_of_label(ship.hex))
    left, top, right, bottom = sprite.image.getchannel("A").getbbox() or (0, 0, 0, 0)
    x, y = x - sprite.anchor[0], y - sprite.anchor[1]
    return [box_obstacle((x + left, y + top, x + right, y + bottom), 100)]


def is_flagship(view: HexView, ship: Ship) -> bool:
    return view.flagships[COLOURS.index(ship.colour)] == ship.code


def _labels_under_pieces(view: HexView, fleet: Iterable[Ship]) -> list[str]:
    return [*(ship.hex for ship in fleet), *(view.board.harbour_of(side).fort for side in SIDES)]


def ship_sprite_on(canvas: HexCanvas, view: HexView, ship: Ship, scale: float | None = None) -> Sprite:
    """Return the sprite of a ship, whose bow points away from its own fort.

    `scale` is in pixels for each edge of a hex; None: that of the canvas.
    """
    points_east = (view.white == "west") == (ship.colour == "white")
    return ships.ship_sprite(
        ship.colour,
        ship.code,
        ship.hits_left,
        ship.ship_class.margin,
        canvas.edge_px if scale is None else scale,
        flagship=is_flagship(view, ship),
        east=points_east,
    )


def draw_forts(canvas: HexCanvas, view: HexView) -> None:
    for side in SIDES:
        fort = hex_of_label(view.board.harbour_of(side).fort)
        with marking(canvas, "fort"):
            canvas.place_sprite(
                ships.fort_sprite(fort_holder_colour(view, side), canvas.edge_px, east=side == "west"),
                canvas.hex_pixel(fort),
            )


def draw_wrecks(canvas: HexCanvas, view: HexView, fleet: Mapping[str, Ship]) -> None:
    """Draw wrecks of lost ships, except of those in `fleet` and where another ship lies now."""
    occupied = {ship.hex for ship in fleet.values()}
    for ship in view.sunk:
        if ship.id not in fleet and ship.hex not in occupied:
            with marking(canvas, "wreck"):
                canvas.place_sprite(
                    ships.wreck_sprite(ship.colour, ship.code, canvas.edge_px), canvas.hex_pixel(hex_of_label(ship.hex))
                )


def draw_besieged_fort(canvas: HexCanvas, view: HexView) -> None:
    if view.siege is None:
        return
    besieger = view.siege.by
    fort_side: FortSide = "east" if (view.white == "west") == (besieger == "white") else "west"
    flagship_code = view.flagships[COLOURS.index(besieger)]
    flagship_hex = next(
        (ship.hex for ship in view.ships if ship.colour == besieger and ship.code == flagship_code), None
    )
    marks.draw_siege(canvas, view.board.harbour_of(fort_side).fort, flagship_hex)


def draw_tracks(canvas: HexCanvas, moments: Iterable[StoryMoment]) -> None:
    for moment in moments:
        for move in moment.moves:
            if isinstance(move, ShipMoved) and (ship := moment.before.ships.get(move.ship)):
                marks.mark_start(canvas, move.start, ship.colour)
                marks.draw_track(canvas, move.path, ship.colour)


def _draw_shots(canvas: HexCanvas, moments: Iterable[StoryMoment]) -> list[Label]:
    """Draw the ways of balls, hits above misses. Returns their dice."""
    shots = [shot for moment in moments for shot in moment.shots]
    for shot in sorted(shots, key=lambda shot: shot.hit):
        marks.draw_shot(canvas, shot.start, shot.end, hit=shot.hit, plunging=shot.plunging)
    return shot_dice(canvas, shots)


def shot_dice(canvas: HexCanvas, shots: Iterable[ShotFired]) -> list[Label]:
    """Return the dice of shots; their keys are the shots' numbers from 0."""
    return [
        marks.die_label(canvas, str(number), str(shot.die), shot.end, hit=shot.hit) for number, shot in enumerate(shots)
    ]


def draw_hits(canvas: HexCanvas, moments: Iterable[StoryMoment]) -> None:
    shots = [shot for moment in moments for shot in moment.shots]
    for end in {shot.end for shot in shots if not shot.hit}:
        marks.draw_splash(canvas, end)
    for end in {shot.end for shot in shots if shot.hit}:
        marks.draw_hit(canvas, end)


# --- what the viewer may do --------------------------------------------------------------------------------------


def _draw_below_ships(canvas: HexCanvas, view: HexView) -> None:
    marks.tint_hexes(canvas, view.start_hexes, marks.START_COLOUR, 0.55, "start_hex")
    marks.write_tinted_names(canvas, view.start_hexes)
    reachable = [label for reach in view.reaches if reach.ship == view.current_ship for label in reach.hexes]
    marks.tint_hexes(canvas, reachable, marks.REACH_COLOUR, 0.6, "reach")
    marks.mark_fire_threats(canvas, view.fire_threats)
    marks.mark_threats(canvas, view.threats)
    marks.write_tinted_names(canvas, reachable)
    for ship in view.ships:
        if ship.id == view.current_ship:
            marks.mark_current(canvas, ship.hex)
    for leg in view.legs:
        marks.draw_track(canvas, (leg.start, leg.end), _ship_colour(leg.ship))


def _draw_above_ships(canvas: HexCanvas, view: HexView) -> list[Label]:
    """Draw lines of fire of the current ship and what blocks them. Returns the rolls that its shots need."""
    lines = [line for line in view.fire_lines if view.current_ship in (None, line.by)]
    for label in {stop.hex for line in lines for stop in line.blockers if stop.hex and line.fire == "blocked"}:
        marks.mark_blocker(canvas, label)
    for line in sorted(lines, key=lambda line: line.fire != "blocked"):
        marks.draw_fire_line(canvas, line.start, line.end, line.fire)
    for aim in view.aims:
        marks.mark_target(canvas, aim.end)
    lowest_rolls: dict[str, int] = {}  # the lowest roll that hits, by the target's hex
    for line in lines:
        if line.need:
            lowest_rolls[line.end] = min(line.need, lowest_rolls.get(line.end, line.need))
    return [marks.die_label(canvas, end, f"{need}+", end, hit=None) for end, need in lowest_rolls.items()]


def _draw_surroundings(canvas: HexCanvas, commission: Commission[HexView]) -> list[Obstacle]:
    """Draw arrows to what is outside the picture, with the distance in hexes, and a small map. Returns obstacles."""
    view = commission.view
    fleet: dict[str, Ship] = {ship.id: ship for ship in view.ships}
    posts = []
    for landmark in _landmarks_outside(canvas, commission):
        ship = fleet.get(landmark.id)
        colour = ship.colour if ship else view.colours[view.seat or 0]
        words = sighting.hexes_words(canvas, ship.code if ship else landmark.id, landmark)
        posts.append(sighting.Signpost(landmark, ships.LIVERIES[colour], words))
    forts = [view.board.harbour_of(side).fort for side in SIDES]
    obstacles = [marks.ship_obstacle(canvas, label) for label in (*forts, *(ship.hex for ship in view.ships))]
    arrows = sighting.draw_signposts(canvas, posts, obstacles)
    if not _has_small_map(canvas, view):
        return arrows
    # The map covers rather empty sea than hexes among which the captain chooses.
    choices = [Obstacle(tuple(canvas.hex_corners(here, 0.95)), 20) for here in _planned_hexes(view)]
    dots = [
        sighting.MapDot(hex_centre(hex_of_label(ship.hex)), ships.LIVERIES[ship.colour].base, SOOT)
        for ship in view.ships
    ]
    grid = grid_of(view.board)
    land, covered = [hex_outline(here) for here in grid.land], [*obstacles, *choices, *arrows]
    inset = sighting.lay_inset(canvas, grid.whole_window, dots, covered, land=land, colours=_INSET_COLOURS)
    return [*arrows, *inset]


def _landmarks_outside(canvas: HexCanvas, commission: Commission[HexView]) -> list[Landmark]:
    """Return the nearest enemy, what the text names, and flagships, as far as they are outside the picture.

    Without a small map they are all ships there.
    """
    view, sight = commission.view, plan_sight(commission)
    own_colour = None if view.seat is None else view.colours[view.seat]
    is_small_map = _has_small_map(canvas, view)
    others = ship_landmarks(
        [ship for ship in view.ships if ship.colour == own_colour],
        view.current_ship,
        [ship for ship in _ships_outside(canvas, view) if is_flagship(view, ship) or not is_small_map],
        gap=lambda ship, other: fire.hex_distance(view.board, ship.hex, other.hex),
        middle=lambda ship: hex_centre(hex_of_label(ship.hex)),
        hull=lambda ship: hex_outline(hex_of_label(ship.hex)),
    )
    landmarks = {landmark.id: landmark for landmark in (*others, *sight.landmarks_outside)}
    first = [landmark.id for landmark in sight.landmarks_outside]
    return [landmarks[name] for name in dict.fromkeys((*first, *landmarks))]


def _ships_outside(canvas: HexCanvas, view: HexView) -> list[Ship]:
    return [ship for ship in view.ships if not contains_points(canvas.window, hex_outline(hex_of_label(ship.hex)))]


def _has_small_map(canvas: HexCanvas, view: HexView) -> bool:
    """Return whether ships are outside a picture that shows a small part of the chart."""
    west, south, east, north = canvas.window
    left, bottom, right, top = grid_of(view.board).whole_window
    is_small_part = (east - west) * (north - south) <= _MAX_INSET_PART * (right - left) * (top - bottom)
    return is_small_part and bool(_ships_outside(canvas, view))


def _ship_colour(ship: str) -> PlayerColour:
    return "white" if ship[0] == "w" else "red"


# --- a player-turn, act by act -----------------------------------------------------------------------------------


_MAX_PAGES: Final = 7  # and one of the present position


def _draw_sheet(commission: Commission[HexView], moments: Sequence[StoryMoment]) -> Image.Image:
    width = page_width(commission.width)
    window = shown_window(commission, moments)
    pages = [
        _draw_page(commission, window, width, {**moment.before.ships, **moment.after.ships}, (moment,))
        for moment in merge_by_ship(moments)[-_MAX_PAGES:]
    ]
    pages.append(_draw_page(commission, window, width, {ship.id: ship for ship in commission.view.ships}, ()))
    return add_legend(commission, lay_out_pages(pages, commission.width))


def _draw_page(
    commission: Commission[HexView], window: Rect, width: int, fleet: ShipsById, moments: Sequence[StoryMoment]
) -> Image.Image:
    canvas = make_canvas(commission, window, width)
    draw_wrecks(
        canvas, commission.view, {**{ship.id: ship for ship in commission.view.sunk if ship.id in fleet}, **fleet}
    )
    draw_forts(canvas, commission.view)
    draw_tracks(canvas, moments)
    dice = _draw_shots(canvas, moments)
    draw_ships(canvas, commission.view, fleet.values())
    marks.write_covered_names(canvas, _labels_under_pieces(commission.view, fleet.values()))
    draw_hits(canvas, moments)
    lay_labels(canvas, marks.place_dice(canvas, dice, [ship.hex for ship in fleet.values()]))
    return add_edge(commission, canvas)

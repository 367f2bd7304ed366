"""The sea chart: ports with owner and worth, fleets with strength, planned routes, fog, sieges and battles."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from PIL import Image, ImageFilter

from render.campaign.battle_marks import draw_battles
from render.campaign.colours import SIEGE_COLOUR, captain_colour, letter_colour
from render.campaign.layout import (
    LARGE_MAP_PLACES,
    LEGEND_COLUMNS,
    LETTER_PX,
    MapLayout,
    MarkSizes,
    PennantSlot,
    Window,
    draw_ground,
    lay_out,
    legend_height,
    legend_rows,
    legend_scale,
    letter_px,
    mark_sizes,
    pennant_slots,
    point_near,
)
from render.commission import Commission
from render.drawing.backgrounds import cache_background
from render.drawing.canvas import Canvas, Point, Rect, text_size
from render.drawing.marking import marking, note_ground, shows
from render.drawing.outlines import note_box
from render.drawing.style import Colour, Livery
from render.drawing.viewport import Viewport, bounds_of, width_of
from render.marks.legend import shorten_words
from render.marks.strikes import circle_points
from render.seas.parchment import INK, PAPER
from rules.campaign.engine.events import PortFell, TurnBegan
from rules.campaign.engine.money.night import SIEGE_NIGHTS
from rules.campaign.engine.sea.maps import CITY_WORTH, Place
from rules.campaign.interface.view import SeasonView
from rules.campaign.retelling import VisibleState
from rules.core.protocol import Event
from rules.core.sides import seat_of

FOG_COLOUR: Final[Colour] = (70, 84, 92)
_LEAF_COLOUR: Final[Colour] = (66, 98, 44)
_FOG_STEP_PX: Final = 16  # side of a square that is fogged or clear
_FOG_TILE_STEPS: Final = 8  # squares across a tile that is pasted at once
_FOG_OPACITY: Final = 0.5
_FOG_SAMPLE_PX: Final = 70  # half the side of a legend's sample of fog, at full width
_FOG_LEVELS: Final = [round(value + (fog - value) * _FOG_OPACITY) for fog in FOG_COLOUR for value in range(256)]
_FALLEN_RING_PX: Final = 11  # width, at full width, of the ring round a port that fell
_FALLEN_RING_SCALE: Final = 1.65  # radius of that ring, relative to half the port's mark
_MIN_SHOWN_PART: Final = 0.45
_MAX_SHOWN_PART: Final = 0.8
"""Limits of a captain's window as parts of the map's width. The whole map is shown if more is needed."""
_MARGIN_PART: Final = 0.05  # around a captain's window
_LEGEND_OPACITY: Final = 0.55  # of the paper behind it


def draw_chart(
    commission: Commission[SeasonView],
    state: VisibleState,
    *,
    fleets: bool = True,
    events: Sequence[Event] | None = None,
) -> Canvas:
    """Draw what a seat knows, with a legend, north up. Without `fleets`, neither fleets nor battles are drawn.

    `events` are those that the chart marks; None: all of the commission.
    """
    view = commission.view
    events = commission.events if events is None else events
    is_plan = commission.kind == "plan"
    layout = lay_out(view.map, len(view.captains), above_buttons=is_plan)
    window = layout.window
    if is_plan and len(layout.places) > LARGE_MAP_PLACES:  # a plan of a large map shows a part of it
        window = _own_window(view, layout, commission.named)
    seen_places = None if view.seat is None else frozenset(view.seen_places)
    width_and_window = (commission.width, window)
    ground = _fogged_ground(view.map, len(view.captains), width_and_window, seen_places, above_buttons=is_plan)
    canvas = Canvas(ground, window, commission.width)
    _note_fog(canvas, seen_places, layout.places)
    _draw_routes(canvas, view, layout.places)
    marks = mark_sizes(len(layout.places), near=window != layout.window)
    for place in layout.places.values():
        _draw_place(canvas, place, state, marks)
    for event in events:
        if isinstance(event, PortFell):
            _draw_fallen_port(canvas, layout.places[event.port], state, marks, event.was)
    if fleets:
        _draw_fleets(
            canvas, state, layout, pennant_slots(view.map, len(view.captains), window, above_buttons=is_plan), marks
        )
        running = [battle for battle in view.battles if battle.id in state.battles]
        draw_battles(canvas, layout.places, marks, running, events, besieged=state.sieges.keys())
    for code, (besieger, nights) in state.sieges.items():
        _draw_siege(
            canvas, layout.places[code], marks, f"{besieger} {nights}/{SIEGE_NIGHTS[layout.places[code].worth]}"
        )
    _draw_legend(canvas, commission, state, commission.caption)
    return canvas


@cache_background
def _fogged_ground(
    name: str, captains: int, width_and_window: tuple[int, Window], seen: frozenset[str] | None, *, above_buttons: bool
) -> Image.Image:
    """Draw a map's ground with fog over unseen places. Copy the result before drawing on it.

    The result is cached because a captain's panel shows the same ground after every press. `seen` None: no fog.
    """
    width, window = width_and_window
    layout = lay_out(name, captains, above_buttons=above_buttons)
    ground = draw_ground(name, captains, width, above_buttons=above_buttons)
    if window != layout.window:
        ground = _crop_ground(ground, layout.window, window)
    canvas = Canvas(ground, window, width)
    if seen is not None:
        _draw_fog(canvas, seen, layout.places)
    return canvas.image


def _own_window(view: SeasonView, layout: MapLayout, named: frozenset[str] = frozenset()) -> Window:
    """Return the window with the places and planned routes of the viewer and `named` places, in the whole map's shape.

    Returns the whole map's window if that would be nearly as large, or for a viewer without a seat.
    """
    places = layout.places
    whole = layout.window
    planned = {code for order in view.planned_orders for code in order.route}
    codes = {*view.seen_places, *view.known_position.ports_of(view.captain), *planned, *(named & places.keys())}
    places_shown = [places[code] for code in codes]
    if view.seat is None or not places_shown:
        return whole
    west, south, east, north = bounds_of((place.x, place.y) for place in places_shown)
    aspect = (whole[3] - whole[1]) / width_of(whole)
    visible_height_part = 1 - legend_height(len(view.captains)) / aspect  # the legend hides the lowest part
    margin = _MARGIN_PART * width_of(whole)
    min_width = _MIN_SHOWN_PART * width_of(whole)
    viewport = Viewport(whole=whole, margin=margin, min_width=min_width, min_aspect=aspect, max_aspect=aspect)
    hidden_height = max((north - south) / visible_height_part, aspect * min_width) * (1 - visible_height_part)
    window = viewport.fit_window([(west, south - hidden_height, east, north)])
    return whole if width_of(window) > _MAX_SHOWN_PART * width_of(whole) else window


def _crop_ground(image: Image.Image, whole: Window, part: Window) -> Image.Image:
    # Soft coasts lose little by enlarging, which is faster than drawing.
    west, south, east, north = whole
    across, down = image.width / (east - west), image.height / (north - south)
    left, low, right, high = part
    box = ((left - west) * across, (north - high) * down, (right - west) * across, (north - low) * down)
    return image.resize(image.size, Image.Resampling.BICUBIC, box=box)


def seat_liveries(view: SeasonView) -> list[Livery]:
    return [
        Livery(base=captain_colour(letter), mark=ink, letter=ink, on_base=ink, pattern="stripes")
        for letter, ink in ((letter, letter_colour(letter)) for letter in view.captains)
    ]


def _draw_fog(canvas: Canvas, seen_places: frozenset[str], places: dict[str, Place]) -> None:
    # Fog covers what is nearer to an unseen place than to a seen one; it is computed in squares of `_FOG_STEP_PX`.
    width, height = (math.ceil(side / _FOG_STEP_PX) for side in canvas.image.size)
    xs, ys = np.array([point_near(canvas, place) for place in places.values()]).T
    # Squared distances between places and squares, by place and column or row of squares.
    squared_x = ((np.arange(width) + 0.5) * _FOG_STEP_PX - xs[:, None]) ** 2
    squared_y = ((np.arange(height) + 0.5) * _FOG_STEP_PX - ys[:, None]) ** 2
    nearest = (squared_y[:, :, None] + squared_x[:, None, :]).argmin(axis=0)  # index of a place for each square
    hidden = np.array([place.code not in seen_places for place in places.values()])
    mask = Image.fromarray((hidden[nearest] * 255).astype(np.uint8))
    # Blurring the coarse mask costs a fraction of the time, and soft edges have no details to lose.
    soft = mask.filter(ImageFilter.GaussianBlur(14 * canvas.px / _FOG_STEP_PX))
    fogged_image = canvas.image.point(_FOG_LEVELS)
    # Most squares have no fog or are full of it. Pasting those takes a tenth of the time that edges of fog take.
    for left, top in itertools.product(range(0, width, _FOG_TILE_STEPS), range(0, height, _FOG_TILE_STEPS)):
        right, bottom = min(left + _FOG_TILE_STEPS, width), min(top + _FOG_TILE_STEPS, height)
        around = max(left - 1, 0), max(top - 1, 0), min(right + 1, width), min(bottom + 1, height)
        least_fog, most_fog = soft.crop(around).getextrema()
        if most_fog:
            x, y, to_x, to_y = (steps * _FOG_STEP_PX for steps in (left, top, right, bottom))
            fog_mask = None
            if least_fog != 255:
                box = (left, top, right, bottom)
                fog_mask = soft.resize((to_x - x, to_y - y), Image.Resampling.BILINEAR, box=box)
            canvas.image.paste(fogged_image.crop((x, y, to_x, to_y)), (x, y), fog_mask)


def _note_fog(canvas: Canvas, seen_places: frozenset[str] | None, places: dict[str, Place]) -> None:
    for place in places.values():
        if seen_places is not None and place.code not in seen_places:
            x, y = point_near(canvas, place)
            half = _FOG_SAMPLE_PX * canvas.px
            if half < x < canvas.image.width - half and half < y < canvas.image.height - half:
                note_ground(canvas, "fog", (x - half, y - half, x + half, y + half))


def _draw_place(canvas: Canvas, place: Place, state: VisibleState, marks: MarkSizes) -> None:
    note_box(place.code, _box_around(canvas, place, marks))
    with marking(canvas, f"port.{place.worth}" if place.is_port else "sea"):
        _draw_place_mark(canvas, place, state, marks)


def _box_around(canvas: Canvas, place: Place, marks: MarkSizes) -> Rect:
    """Return a box around a place's mark and name, in pixels."""
    lefts, tops, rights, bottoms = zip(*marks.mark_rects(place), strict=True)
    left, top = point_near(canvas, place, min(lefts), min(tops))
    return (left, top, *point_near(canvas, place, max(rights), max(bottoms)))


def _draw_place_mark(canvas: Canvas, place: Place, state: VisibleState, marks: MarkSizes) -> None:
    at = point_near(canvas, place)
    if not place.is_port:
        canvas.draw_centred_text(
            at, place.code, letter_px(canvas, marks.letter_px), (228, 238, 236), rim=(70, 100, 104)
        )
        return
    owner = state.ports.get(place.code, "")  # "": nobody holds it
    half = marks.half_size(place) * canvas.px
    x, y = at
    outline = circle_points if place.worth == 1 else _square_points
    for size, colour in ((half + 3 * canvas.px, INK), (half, captain_colour(owner))):
        canvas.fill_polygon(outline(at, size), colour)
    if place.worth == CITY_WORTH:
        for dx in (-1, 0, 1):  # a city has three towers
            left, right = (x + (dx * 0.72 + side * 0.28) * half for side in (-1, 1))
            tower = [(left, y - half * 1.5), (right, y - half * 1.5), (right, y - half), (left, y - half)]
            canvas.fill_polygon(tower, INK)
    letter = letter_px(canvas, LETTER_PX * max(marks.scale, 0.86))
    canvas.draw_centred_text(at, owner or str(place.worth), letter, letter_colour(owner), rim=captain_colour(owner))
    # A port without owner shows its worth on its mark, others after their code.
    name = f"{place.code}·{place.worth}" if owner and marks.letter_px >= LETTER_PX else place.code
    name_point = point_near(canvas, place, 0, marks.name_below(place))
    canvas.draw_centred_text(name_point, name, letter_px(canvas, marks.letter_px), INK, rim=PAPER)


@shows("fell")
def _draw_fallen_port(canvas: Canvas, place: Place, state: VisibleState, marks: MarkSizes, was: str) -> None:
    """Draw a port that changed hands on a ring in the colour of the captain who had it (empty: nobody)."""
    at, radius = point_near(canvas, place), _FALLEN_RING_SCALE * marks.half_size(place) * canvas.px
    width = _FALLEN_RING_PX * canvas.px
    canvas.draw_ring(at, radius, INK, width + 6 * canvas.px)
    canvas.draw_ring(at, radius, captain_colour(was), width)
    _draw_place_mark(canvas, place, state, marks)


def _square_points(at: Point, half: float) -> list[Point]:
    return [(at[0] + dx * half, at[1] + dy * half) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


@shows("siege")
def _draw_siege(canvas: Canvas, place: Place, marks: MarkSizes, text: str) -> None:
    half = marks.half_size(place)
    canvas.draw_ring(point_near(canvas, place), half * 1.55 * canvas.px, SIEGE_COLOUR, 4 * canvas.px)
    canvas.draw_centred_text(
        point_near(canvas, place, 0, -32 - half),
        text,
        letter_px(canvas, marks.pennant_scale * LETTER_PX),
        SIEGE_COLOUR,
        rim=PAPER,
    )


def _draw_routes(canvas: Canvas, view: SeasonView, places: dict[str, Place]) -> None:
    fleet = {galley.id: galley for galley in view.galleys}
    for order in view.planned_orders:
        if not order.route:
            continue
        path = [point_near(canvas, places[code]) for code in (fleet[order.galleys[0]].place, *order.route)]
        colour = captain_colour(view.captain)
        dash = (18 * canvas.px, 10 * canvas.px)
        with marking(canvas, "route"):
            canvas.draw_line(path, INK, 9 * canvas.px, 0.8, chalk=False)
            canvas.draw_line(path, colour, 6 * canvas.px, dash=dash, chalk=False)
            canvas.draw_ring(path[-1], 12 * canvas.px, colour, 5 * canvas.px)


def _draw_fleets(
    canvas: Canvas, state: VisibleState, layout: MapLayout, slots: dict[str, PennantSlot], marks: MarkSizes
) -> None:
    fleets_by_place: dict[str, list[tuple[str, int]]] = {}  # captains and their numbers of galleys
    for (captain, code), galley_count in Counter((galley.captain, galley.place) for galley in state.galleys).items():
        fleets_by_place.setdefault(code, []).append((captain, galley_count))
    for code, fleets_in_port in state.lying.items():  # visible galleys of other captains
        fleets_by_place.setdefault(code, []).extend((fleet.captain, fleet.galleys) for fleet in fleets_in_port)
    for code, fleets in fleets_by_place.items():
        for number, (captain, galley_count) in enumerate(sorted(fleets)):
            draw_pennant(
                canvas,
                pennant_point(canvas, layout.places[code], slots[code], number),
                captain,
                galley_count,
                marks.pennant_scale,
            )


def pennant_point(canvas: Canvas, place: Place, slot: PennantSlot, number: int) -> Point:
    """Return the pixel of a place's pennant; `number` counts the captains there from 0."""
    right, down, step = slot
    return point_near(canvas, place, right + step * number, down)


def draw_pennant(canvas: Canvas, at: Point, captain: str, galley_count: int | None = None, scale: float = 1.0) -> None:
    """Draw a captain's colour and letter, after the number of galleys. `A5`, by contrast, is the name of one galley."""
    with marking(canvas, "fleet" if galley_count else "captain"):
        _draw_flag(canvas, at, captain, galley_count, scale)


def _draw_flag(canvas: Canvas, at: Point, captain: str, galley_count: int | None, scale: float) -> None:
    x, y = at
    step = 1.35 * scale * canvas.px
    shape = [(x, y - 18 * step), (x + 48 * step, y - 18 * step), (x + 38 * step, y), (x + 48 * step, y + 18 * step)]
    shape.append((x, y + 18 * step))
    rim_shifts = ((-3, -3), (4, -3), (4, 0), (4, 3), (-3, 3))
    rim = [(px + dx * step, py + dy * step) for (px, py), (dx, dy) in zip(shape, rim_shifts, strict=True)]
    canvas.fill_polygon(rim, INK)
    canvas.fill_polygon(shape, captain_colour(captain))
    canvas.draw_centred_text(
        (x + 20 * step, y),
        f"{galley_count or ''}{captain}",
        letter_px(canvas, 46 * scale),
        letter_colour(captain),
        rim=captain_colour(captain),
    )


def _draw_legend(canvas: Canvas, commission: Commission[SeasonView], state: VisibleState, caption: str) -> None:
    """Write the caption and the turn above, and each captain's pennant, laurels and name on a pale band below."""
    view, px = commission.view, canvas.px
    with marking(canvas, "caption"):
        canvas.draw_text((16 * px, 12 * px), caption, letter_px(canvas, 56), INK, rim=PAPER)
    # Results of battles are entered after the last turn, in a round that is no turn (CA-13.4).
    began = next((event.turn for event in commission.events if isinstance(event, TurnBegan)), 0)
    turn_number = min(commission.told_round or began or (commission.before or view).round, view.turns)
    turn = f"{turn_number}/{view.turns}"
    size = letter_px(canvas, 48)
    with marking(canvas, "turn"):
        canvas.draw_text((canvas.image.width - text_size(turn, size)[0] - 16 * px, 14 * px), turn, size, INK, rim=PAPER)
    captain_count = len(view.captains)
    scale = legend_scale(captain_count)
    width = canvas.image.width / min(LEGEND_COLUMNS, captain_count)
    band = (0, round(canvas.image.height - legend_height(captain_count) * commission.width), *canvas.image.size)
    ground = canvas.image.crop(band)
    canvas.image.paste(Image.blend(ground, Image.new("RGB", ground.size, PAPER), _LEGEND_OPACITY), band)
    step = scale * px
    name_px = letter_px(canvas, LETTER_PX * scale)
    for index, captain in enumerate(view.captains):
        row, column = divmod(index, LEGEND_COLUMNS)
        x = 16 * px + column * width
        y = canvas.image.height - 3 * px - (31 + 62 * (legend_rows(captain_count) - 1 - row)) * step
        draw_pennant(canvas, (x, y), captain, scale=scale)
        _draw_wreath(canvas, (x + 98 * step, y), state.laurels.get(captain, 0), scale)
        name = _shorten_name(commission.names.get(seat_of(captain), ""), name_px, width - 160 * step)
        with marking(canvas, "captain"):
            canvas.draw_text((x + 132 * step, y - text_size(name, name_px)[1] / 2), name, name_px, INK, rim=PAPER)


def _shorten_name(name: str, size: int, room: float) -> str:
    """Return a name cut to `room` pixels. A part in brackets is dropped first."""
    shown_name = name if text_size(name, size)[0] <= room else name.split(" (", maxsplit=1)[0]
    return shorten_words(shown_name, size, room)


@shows("laurels")
def _draw_wreath(canvas: Canvas, at: Point, laurels: int, scale: float) -> None:
    """Draw a captain's laurels in a wreath, so that nobody takes them for the number of galleys on a pennant."""
    x, y = at
    step = scale * canvas.px
    for leaf in range(13):  # the wreath is open at the upper right
        angle = math.radians(-55 + leaf * 290 / 12) + math.pi / 2 + math.radians(35 - 90)
        canvas.fill_polygon(
            circle_points((x + 27 * step * math.cos(angle), y + 27 * step * math.sin(angle)), 6.5 * step), _LEAF_COLOUR
        )
    canvas.draw_centred_text(at, str(laurels), letter_px(canvas, (LETTER_PX - 2) * scale), INK, rim=PAPER)

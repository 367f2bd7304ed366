"""Parts of all pictures of Biremes … Oh My!: the sea in its frame, ships, what happened, badges."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import Final, NamedTuple

from PIL import Image, ImageDraw

from render.commission import Commission
from render.drawing.backgrounds import cache_background
from render.drawing.canvas import Canvas, Point, Rect
from render.drawing.marking import marking, note_ground, note_sign
from render.drawing.outlines import move_outlines, note_outline
from render.drawing.style import CARD, FULL_WIDTH, INK, Colour, Livery, load_font, scaled_px
from render.marks import legend, sighting, strikes
from render.marks.labels import Label, Obstacle, draw_leads, lay_labels, place_labels
from render.marks.signs import GOLD
from render.ramspeed import marks
from render.ramspeed.badges import LETTER_PX, Badge, dice_labels, draw_badge
from render.ramspeed.liveries import FLOOR, FOAM, SAND, SEA_STYLE, livery_of
from render.ramspeed.marks import ship_appearance, ship_corners
from render.seas import water
from rules.ramspeed.engine import events
from rules.ramspeed.engine.notation.scenarios import begins_in_the_north
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import Nation
from rules.ramspeed.interface.view import SeaView, pose_of
from rules.ramspeed.retelling import StoryMoment, VisibleState

_CLAY_COLOUR: Final[Colour] = (190, 104, 60)
_FIGURE_COLOUR: Final[Colour] = (34, 18, 16)
MARGIN_PX: Final = 54  # width of the rim
_NUMBER_STEP_PX: Final = 150  # least distance of two numbers of inches on the rim


class RimLayout(NamedTuple):
    """The rim around a picture: rulers of the table, its edges and ways out."""

    window: Rect  # the visible part of the table, in inches
    table: tuple[float, float]  # width and height in inches
    has_way_out: bool  # whether ships may leave the table
    is_turned: bool  # whether south is up


def margin_px(full_width: int) -> int:
    return scaled_px(MARGIN_PX, full_width)


def add_rim(image: Image.Image, layout: RimLayout, full_width: int) -> Image.Image:
    """Return a picture of the sea with its frame. Arrows point out where ships may leave the table."""
    edge = margin_px(full_width)
    out = _draw_rim(image.size, layout, full_width).copy()
    out.paste(image, (edge, edge))
    move_outlines(edge, edge)
    if layout.has_way_out and (box := _exit_box(layout, out.size, edge)):
        note_sign("exit", out.crop(box))
    return out


def _exit_box(layout: RimLayout, size: tuple[int, int], edge: int) -> tuple[int, int, int, int] | None:
    """Return a part of the rim, in pixels, that is a table's edge; None: none is visible."""
    window, table = layout.window, layout.table
    ends = {"west": window[0] <= 0.01, "south": window[1] <= 0.01}
    ends |= {"east": window[2] >= table[0] - 0.01, "north": window[3] >= table[1] - 0.01}
    upper, lower = ("south", "north") if layout.is_turned else ("north", "south")
    for name, top in ((upper, 0), (lower, size[1] - edge)):
        if ends[name]:
            return (size[0] // 3, top, 2 * size[0] // 3, top + edge)
    left, right = ("east", "west") if layout.is_turned else ("west", "east")
    for name, side in ((left, 0), (right, size[0] - edge)):
        if ends[name]:
            return (side, size[1] // 3, side + edge, 2 * size[1] // 3)
    return None


@cache_background
def _draw_rim(inner: tuple[int, int], layout: RimLayout, full_width: int) -> Image.Image:
    edge = margin_px(full_width)
    px = full_width / FULL_WIDTH
    size = (inner[0] + 2 * edge, inner[1] + 2 * edge)
    image = Image.new("RGB", size, _CLAY_COLOUR)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=_FIGURE_COLOUR, width=max(2, round(6 * px)))
    scale = inner[0] / (layout.window[2] - layout.window[0])  # pixels an inch
    number_step = next((inches for inches in (2, 5, 10, 20, 50) if inches * scale > _NUMBER_STEP_PX * px), 100)
    tick_step = 1 if scale > 6 * px else number_step  # inches between two ticks
    for across, length in ((True, inner[0]), (False, inner[1])):  # rulers above and below, then at the sides
        for inch, part in _ruler_inches(layout, tick_step, across=across):
            text = "" if inch % number_step else str(inch)
            _draw_tick(draw, size, edge + part * length, edge, across=across, text=text)
    _draw_table_edges(draw, layout, (edge, edge, size[0] - edge, size[1] - edge), px)
    return image


def _ruler_inches(layout: RimLayout, step: int, *, across: bool) -> Iterator[tuple[int, float]]:
    """Yield inches of the rulers above and below (`across`) or at the sides, and where each is on them, 0 to 1."""
    window = layout.window
    low, high = (window[0], window[2]) if across else (window[1], window[3])
    last = min(high, layout.table[0 if across else 1])
    for inch in range(ceil(max(low, 0.0) / step - 1e-6) * step, int(last + 1e-6) + 1, step):
        # x grows to the right and y upwards, or both the other way round if the picture is turned.
        part = (inch - low) / (high - low)
        yield inch, 1 - part if across == layout.is_turned else part


def _draw_tick(
    draw: ImageDraw.ImageDraw, size: tuple[int, int], position: float, edge: int, *, across: bool, text: str
) -> None:
    # Draws one inch of the rulers above and below (`across`) or at the left and right, with its number or none.
    px = edge / MARGIN_PX
    length, extent = size if across else size[::-1]  # of the picture along the ruler, and across it
    font = load_font(round(LETTER_PX * px))
    half_text = (font.getlength(text) if across else LETTER_PX * px * 0.8) / 2
    # A corner has room for one number. Upper and lower rim take precedence.
    spare = 0.2 * edge if across else edge
    has_room = spare + half_text < position < length - spare - half_text
    line_width = max(1, round(2.4 * px))
    for start, outwards in ((edge, -1), (extent - edge, 1)):
        end = start + outwards * edge * (0.34 if text else 0.2)
        line = (position, start, position, end) if across else (start, position, end, position)
        draw.line(line, fill=_FIGURE_COLOUR, width=line_width)
    if not text or not has_room:
        return
    for middle in (edge * 0.47, extent - edge * 0.47):
        at = (position, middle) if across else (middle, position)
        dx, dy = (half_text + 4 * px, edge * 0.38) if across else (edge * 0.4, edge * 0.36)
        draw.rectangle((at[0] - dx, at[1] - dy, at[0] + dx, at[1] + dy), fill=_CLAY_COLOUR)
        draw.text(at, text, fill=_FIGURE_COLOUR, font=font, anchor="mm")


def _draw_table_edges(draw: ImageDraw.ImageDraw, layout: RimLayout, inner: Rect, px: float) -> None:
    # Draws a heavy line where the table ends, or arrows if ships may leave it there.
    left, top, right, bottom = inner
    window, table = layout.window, layout.table
    heavy = max(3, round(9 * px))
    # Whether the picture reaches the table's edge on each side.
    ends_west = window[0] <= 0.01
    ends_south = window[1] <= 0.01
    ends_east = window[2] >= table[0] - 0.01
    ends_north = window[3] >= table[1] - 0.01
    if layout.is_turned:
        ends_west, ends_east = ends_east, ends_west
        ends_south, ends_north = ends_north, ends_south
    for line, is_table_edge, (dx, dy) in (
        ((left, top, left, bottom), ends_west, (-1, 0)),
        ((right, top, right, bottom), ends_east, (1, 0)),
        ((left, top, right, top), ends_north, (0, -1)),
        ((left, bottom, right, bottom), ends_south, (0, 1)),
    ):
        shift_x = dx * heavy / 2
        shift_y = dy * heavy / 2
        shifted = (line[0] + shift_x, line[1] + shift_y, line[2] + shift_x, line[3] + shift_y)
        is_heavy = is_table_edge and not layout.has_way_out
        draw.line(shifted, fill=_FIGURE_COLOUR, width=heavy if is_heavy else max(1, heavy // 3))
        if is_table_edge and layout.has_way_out:
            _draw_exits(draw, line, (dx, dy), layout, MARGIN_PX * px)


def _draw_exits(draw: ImageDraw.ImageDraw, line: Rect, out: tuple[int, int], layout: RimLayout, edge: float) -> None:
    # Draws arrows along a table's edge, in the direction `out`.
    dx, dy = out
    low, high = (layout.window[0], layout.window[2]) if dy else (layout.window[1], layout.window[3])
    pitch = max(10, ceil((high - low) / 100) * 10)  # inches between two arrows
    for inch in range(int(low / pitch) * pitch, int(high) + pitch, pitch):
        part = (inch + 2.5 - low) / (high - low)
        if not 0.03 < part < 0.97:
            continue
        along = part if bool(dy) != layout.is_turned else 1 - part
        x = line[0] + (line[2] - line[0]) * along + dx * edge * 0.3
        y = line[1] + (line[3] - line[1]) * along + dy * edge * 0.3
        r = edge * 0.42
        arrow = [(x + dx * r, y + dy * r), (x + dy * r, y + dx * r), (x - dy * r, y - dx * r)]
        draw.polygon(arrow, fill=GOLD, outline=_FIGURE_COLOUR)


_MAX_INSET_PART: Final = 0.6
"""A picture that shows more than this part of the table has no small map."""
_INSET_COLOURS: Final = sighting.MapColours((9, 40, 56), (30, 92, 108), SAND)


def make_canvas(commission: Commission[SeaView], window: Rect, width: int) -> Canvas:
    """Return the bare sea in a window, as a canvas for a picture `width` px wide including its rim."""
    position = commission.view.position
    inner = width - 2 * margin_px(commission.width)
    height = round(inner * (window[3] - window[1]) / (window[2] - window[0]))
    turned = is_seen_from_north(commission)
    ground = draw_water((inner, height), window, position, commission.width, turned=turned)
    canvas = Canvas(ground, window, commission.width, turned=turned)
    for ring in position.land:
        xs, ys = zip(*map(canvas.to_pixels, ring), strict=True)
        note_ground(canvas, "land", (min(xs), min(ys), max(xs), max(ys)))
    return canvas


def draw_water(
    size: tuple[int, int], window: Rect, position: Position, full_width: int, *, turned: bool = False
) -> Image.Image:
    """Draw the bare sea and its land. Copy the result before drawing on it."""
    return _draw_water(size, window, position.land, (position.width, position.height), full_width, turned=turned)


@cache_background
def _draw_water(
    size: tuple[int, int], window: Rect, land: tuple[water.Ring, ...], table: Point, full_width: int, *, turned: bool
) -> Image.Image:
    image = water.draw_sea(size, window, water.join_land(land, table), full_width, SEA_STYLE, turned=turned)
    water.darken_beyond(image, window, table, FLOOR, turned=turned)
    return image


def is_seen_from_north(commission: Commission[SeaView]) -> bool:
    """Return whether the picture is drawn from the north because its viewer's side began there.

    Public pictures have north up.
    """
    view = commission.view
    position = view.position
    seat = view.seat if commission.kind == "plan" else commission.viewpoint_seat
    if seat not in view.seats:
        return False
    return begins_in_the_north(position.board, position.seats[view.seats.index(seat)].side)


def add_edge(commission: Commission[SeaView], canvas: Canvas) -> Image.Image:
    position = commission.view.position
    table = (position.width, position.height)
    return add_rim(canvas.image, RimLayout(canvas.window, table, position.exit, canvas.turned), commission.width)


def add_edge_and_legend(commission: Commission[SeaView], canvas: Canvas) -> Image.Image:
    """Return the sea below both sides' captains, above caption, scale and compass."""
    return add_legend(commission, add_edge(commission, canvas), canvas)


def add_legend(commission: Commission[SeaView], image: Image.Image, canvas: Canvas) -> Image.Image:
    name_bars = tuple(_name_bar(commission, side) for side in (0, 1))
    scale = _draw_scale_bar(canvas.scale, commission.width)
    note_sign("scale", scale)
    return legend.frame_picture(image, name_bars, commission.caption, (scale,), turned=canvas.turned)


def seat_liveries(view: SeaView) -> list[Livery]:
    position = view.position
    side_by_seat: dict[object, str] = dict(zip(view.seats, (captain.side for captain in position.seats), strict=True))
    return [_side_livery(position, position.sides.index(side)) for _, side in sorted(side_by_seat.items())]


def _side_livery(position: Position, side: int) -> Livery:
    """Return the colours of the nation that began with a side; captors' crews have other nations."""
    name = position.sides[side]
    first_ships = [ship for ship in position.ships if ship.side0 == name]
    kept_ships = [ship for ship in first_ships if position.side_of_ship(ship) == name]
    nation: Nation = next((ship.nation for ship in (*kept_ships, *first_ships)), "other")
    return livery_of(side, nation)


def _name_bar(commission: Commission[SeaView], side: int) -> legend.NameBar:
    view = commission.view
    position = commission.view.position
    name = position.sides[side]
    seats = [seat for seat, captain in zip(view.seats, position.seats, strict=True) if captain.side == name]
    captains = tuple(commission.names.get(seat, chr(65 + seat)) for seat in seats)
    side_by_seat: dict[object, str] = dict(zip(view.seats, (captain.side for captain in position.seats), strict=True))
    movers = [
        side_by_seat.get(events.name_of(event.player))
        for event in commission.events
        if isinstance(event, events.PlayerTurnBegan)
    ]
    is_to_move = commission.is_turn_of(name, side_by_seat.get(view.active), movers)
    return legend.NameBar(_side_livery(position, side), captains, is_to_move=is_to_move)


@lru_cache(maxsize=8)
def _draw_scale_bar(pixels: float, full_width: int) -> Image.Image:
    px = full_width / FULL_WIDTH
    inches = next((n for n in (100, 20, 5, 2, 1) if n * pixels < 230 * px), 1)
    length = round(inches * pixels)
    size = round(LETTER_PX * px)
    image = Image.new("RGBA", (length + round(10 * px), round(84 * px)))
    draw = ImageDraw.Draw(image)
    y, margin = image.height * 0.76, 5 * px
    thickness = max(2, round(9 * px))
    parts = min(inches, 5)
    for i in range(parts):
        a, b = margin + length * i / parts, margin + length * (i + 1) / parts
        draw.rectangle((a, y, b, y + thickness), fill=CARD if i % 2 else GOLD)
    draw.text((image.width / 2, image.height * 0.38), f"{inches}″", fill=CARD, font=load_font(size), anchor="mm")
    return image


# --- what lies on the sea ----------------------------------------------------------------------------------------


def draw_ships(canvas: Canvas, fleet: VisibleState, *, selected: str | None = None) -> None:
    """Draw all ships, the selected one last, with what joins them and the fires aboard."""
    selected_ships = [ship for ship in fleet.afloat if ship.id == selected]
    for ships in ([ship for ship in fleet.afloat if ship.id != selected], selected_ships):
        for ship in ships:
            appearance = ship_appearance(ship, fleet)
            note_outline(ship.id, map(canvas.to_pixels, ship_corners(ship.code, pose_of(ship))))
            with marking(canvas, "ship"):
                sprite = marks.ship_sprite(canvas, appearance, ship.heading)
                canvas.place_sprite(sprite, canvas.to_pixels((ship.x, ship.y)))
        if ships is selected_ships:
            for link in fleet.links:
                with marking(canvas, "sign.linked" if link.kind == "grapple" else "sign.stuck"):
                    marks.draw_link(canvas, link, fleet)
        for ship in sorted(ships, key=lambda ship: -ship.y):
            if ship.fire:
                marks.draw_flames(canvas, ship)


def draw_wrecks(canvas: Canvas, fleet: VisibleState) -> None:
    for ship in fleet.ships.values():
        if ship.status == "sunk" and (ship.x or ship.y):  # (0, 0): where it sank is not known
            marks.draw_wreck(canvas, ship_appearance(ship, fleet), pose_of(ship))


def draw_traces(canvas: Canvas, moments: Iterable[StoryMoment]) -> None:
    # Draws wakes of ships that moved, and outlines where those that acted were before.
    for moment in moments:
        for name in sorted(moment.moved_ships):
            ship_before = moment.before.ships[name]
            ship_after = moment.after.ships[name]
            start, end = pose_of(ship_before), pose_of(ship_after)
            marks.draw_wake(canvas, ship_after.code, start, end)
            if name == moment.acting_ship:
                shape = [canvas.to_pixels(point) for point in ship_corners(ship_before.code, start)]
                with marking(canvas, "before"):
                    canvas.draw_line([*shape, shape[0]], FOAM, max(1.2, 2.2 * canvas.px), 0.55, chalk=False)


def draw_attacks(canvas: Canvas, moment: StoryMoment, *, dice: bool) -> list[Label]:
    """Draw where an act struck. Returns labels of its dice if `dice` is set."""
    attack = moment.attack_event
    if isinstance(attack, events.ShipRammed):
        rammer = moment.after.ships[attack.by]
        strikes.draw_burst(canvas, canvas.to_pixels(ship_corners(rammer.code, pose_of(rammer))[0]), 0.9)
    for shot in moment.shots:
        a, b = moment.after.ships[shot.by], moment.after.ships[shot.to]
        strikes.draw_missiles(
            canvas, canvas.to_pixels((a.x, a.y)), canvas.to_pixels((b.x, b.y)), fire=shot.kind == "fire"
        )
    return dice_labels(canvas, moment) if dice else []


def write_badges(
    canvas: Canvas,
    fleet: VisibleState,
    view: SeaView,
    labels: Sequence[Label] = (),
    *,
    losses: Mapping[str, int],
    others: Iterable[Obstacle] = (),
    concerned: Container[str] | None = None,
) -> None:
    """Draw badges and other labels. Ships not in `concerned` (ids) get only their names; None: all get whole badges."""
    visible = [ship for ship in fleet.afloat if is_in_window(canvas, ship)]
    all_labels = list(labels)
    for ship in visible:
        bare = concerned is not None and ship.id not in concerned
        all_labels.append(badge_label(canvas, ship, fleet, view, lost=losses.get(ship.id, 0), bare=bare))
    placed = place_labels(canvas, all_labels, [*hull_obstacles(canvas, fleet), *others])
    draw_leads(canvas, placed)
    lay_labels(canvas, placed)


def hull_obstacles(canvas: Canvas, fleet: VisibleState) -> list[Obstacle]:
    return [marks.hull_obstacle(canvas, ship.code, pose_of(ship)) for ship in fleet.afloat]


def is_in_window(canvas: Canvas, ship: Ship) -> bool:
    west, south, east, north = canvas.window
    return west <= ship.x <= east and south <= ship.y <= north


def badge_label(
    canvas: Canvas, ship: Ship, fleet: VisibleState, view: SeaView, *, lost: int = 0, bare: bool = False
) -> Label:
    """Return a ship's badge as a label. A `bare` one contains only its name."""
    position = view.position
    side = fleet.side_of(ship)
    states = {
        "prize": fleet.side_numbers[ship.side0] != side,
        "halved": ship.halved and not ship.dead,
        "dead": ship.dead,
        "immobilised": ship.immob,
        "beached": ship.beached,
    }
    allies = [captain for captain in position.seats if captain.side == position.sides[side]]
    has_allies = len(allies) > 1 and view.seat is not None
    badge = Badge(
        ship=ship.id,
        side=side,
        nation=ship.nation,
        crew=None if bare else ship.crew,
        full_crew=ship.ship_class.crew_max,
        marks=tuple(name for name, applies in states.items() if applies),
        fire=ship.fire,
        fire_limit=ship.ship_class.burn_limit,
        lost_crew=lost,
        is_own=has_allies and view.seats[position.players.index(ship.owner)] == view.seat,
    )
    distance = (ship.ship_class.beam * 0.5 + 0.12) * canvas.scale
    image = draw_badge(badge, ceil(LETTER_PX * canvas.px))
    mark = "name" if bare else "losses" if lost else "badge"
    return Label(ship.id, image, canvas.to_pixels((ship.x, ship.y)), distance, mark=mark)


def draw_overview(canvas: Canvas, view: SeaView, fleet: VisibleState, obstacles: Sequence[Obstacle]) -> list[Obstacle]:
    """Draw a map of the whole table in a corner if only the current ship's part is shown. Returns obstacles."""
    position = view.position
    west, south, east, north = canvas.window
    if (
        view.current_ship is None
        or (east - west) * (north - south) > _MAX_INSET_PART * position.width * position.height
    ):
        return []
    dots = []
    for ship in fleet.afloat:
        side = fleet.side_of(ship)
        colours = livery_of(side, ship.nation)
        dots.append(sighting.MapDot((ship.x, ship.y), colours.base, colours.mark if side else INK))
    whole = (0.0, 0.0, position.width, position.height)
    return sighting.lay_inset(canvas, whole, dots, obstacles, land=position.land, colours=_INSET_COLOURS)

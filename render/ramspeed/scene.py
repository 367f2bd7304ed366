"""What all pictures of Biremes … Oh My! are put together from: a sea in its frame, ships, what happened, names."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import Final

from PIL import Image, ImageDraw

from render.commission import Commission
from render.drawing.canvas import Canvas, Rect
from render.drawing.style import CARD, FULL_WIDTH, load_font
from render.marks import inset, legend, strikes
from render.marks.labels import Obstacle
from render.marks.signs import GOLD, INK
from render.marks.tags import Tag, draw_leads, lay_tags, place_tags
from render.ramspeed import marks, rim, sea
from render.ramspeed.badges import LETTER_PX, Badge, draw_badge
from render.ramspeed.chips import dice_tags
from render.ramspeed.liveries import livery_of
from render.ramspeed.marks import pose_of, ship_appearance, ship_corners
from rules.ramspeed.engine import events
from rules.ramspeed.engine.notation.scenarios import SCENARIOS
from rules.ramspeed.engine.state import Ship
from rules.ramspeed.engine.tables import Nation
from rules.ramspeed.interface.view import SeaView
from rules.ramspeed.retelling import StoryMoment, VisibleState

_MAX_INSET_PART: Final = 0.6
"""A picture that shows more of the table than this has no small map of it."""
_INSET_COLOURS: Final = inset.MapColours((9, 40, 56), (30, 92, 108), sea.SAND)


def make_canvas(asked: Commission[SeaView], window: Rect, width: int) -> Canvas:
    """The bare sea seen through a window, in a picture so many pixels wide with its rim."""
    position = asked.view.position
    inner = width - 2 * rim.margin_px(asked.width)
    high = round(inner * (window[3] - window[1]) / (window[2] - window[0]))
    table = (position.width, position.height)
    turned = is_seen_from_north(asked)
    ground = sea.draw_water((inner, high), window, position.land, table, asked.width, turned=turned)
    return Canvas(ground, window, asked.width, turned=turned)


def is_seen_from_north(asked: Commission[SeaView]) -> bool:
    """Whether it is seen from the north, as its viewer's side began there; what everybody sees has north up."""
    view, position = asked.view, asked.view.position
    seat = view.seat if asked.kind == "plan" else asked.viewpoint_seat
    if seat not in view.seats or position.board not in SCENARIOS:
        return False
    own = position.seats[view.seats.index(seat)].side
    middles: dict[bool, list[float]] = {}
    for fleet in SCENARIOS[position.board].sides:
        places = [ship.split()[2:4] for ship in fleet.ships]
        middles[fleet.name == own] = [sum(map(float, part)) / len(places) for part in zip(*places, strict=True)]
    if len(middles) < 2:
        return False
    (x, y), (other_x, other_y) = middles[True], middles[False]
    return y - other_y > abs(x - other_x)


def add_edge(asked: Commission[SeaView], canvas: Canvas) -> Image.Image:
    """The sea with its rim."""
    position = asked.view.position
    table = (position.width, position.height)
    return rim.add_rim(canvas.image, rim.RimLayout(canvas.window, table, position.exit, canvas.turned), asked.width)


def add_edge_and_legend(asked: Commission[SeaView], canvas: Canvas) -> Image.Image:
    """The sea below both sides' captains, above the caption, the scale and the compass."""
    return add_legend(asked, add_edge(asked, canvas), canvas)


def add_legend(asked: Commission[SeaView], image: Image.Image, canvas: Canvas) -> Image.Image:
    """The same of a picture of seas, with the scale of one of them."""
    rails = tuple(_side_rail(asked, side) for side in (0, 1))
    return legend.frame_chart(
        image,
        abreast=rails,
        caption=asked.caption,
        signs=(_draw_scale_bar(canvas.scale, asked.width),),
        turned=canvas.turned,
    )


def _side_rail(asked: Commission[SeaView], side: int) -> legend.Rail:
    view, position = asked.view, asked.view.position
    name = position.sides[side]
    nation: Nation = next((ship.nation for ship in position.ships if ship.side0 == name), "other")
    seats = [seat for seat, captain in zip(view.seats, position.seats, strict=True) if captain.side == name]
    captains = tuple(asked.names.get(seat, chr(65 + seat)) for seat in seats)
    return legend.Rail(livery_of(side, nation), captains, is_to_move=view.active in seats)


@lru_cache(maxsize=8)
def _draw_scale_bar(pixels: float, full_width: int) -> Image.Image:
    """A bar of some inches."""
    unit = full_width / FULL_WIDTH
    inches = next((n for n in (100, 20, 5, 2, 1) if n * pixels < 230 * unit), 1)
    long, size = round(inches * pixels), round(LETTER_PX * unit)
    image = Image.new("RGBA", (long + round(10 * unit), round(84 * unit)))
    draw = ImageDraw.Draw(image)
    y, left = image.height * 0.76, 5 * unit
    thick = max(2, round(9 * unit))
    parts = min(inches, 5)
    for i in range(parts):
        a, b = left + long * i / parts, left + long * (i + 1) / parts
        draw.rectangle((a, y, b, y + thick), fill=CARD if i % 2 else GOLD)
    draw.text((image.width / 2, image.height * 0.38), f"{inches}″", fill=CARD, font=load_font(size), anchor="mm")
    return image


# --- what lies on the sea ----------------------------------------------------------------------------------------


def draw_ships(canvas: Canvas, fleet: VisibleState, skip: Iterable[str] = ()) -> None:
    """Ships with their fires, and what holds them together."""
    hidden = set(skip)
    seen = [ship for ship in fleet.afloat if ship.id not in hidden]
    for ship in seen:
        look = ship_appearance(ship, fleet, first_side(fleet, ship))
        canvas.place_sprite(marks.ship_sprite(canvas, look, ship.heading), canvas.to_pixels((ship.x, ship.y)))
    for one in fleet.links:
        if not {one.a, one.b} & hidden:
            marks.draw_link(canvas, one, fleet)
    for ship in sorted(seen, key=lambda ship: -ship.y):
        if ship.fire:
            marks.draw_flames(canvas, ship)


def first_side(fleet: VisibleState, ship: Ship) -> int:
    """The side on which a ship began."""
    return fleet.side_numbers[ship.side0]


def draw_wrecks(canvas: Canvas, fleet: VisibleState) -> None:
    """Where ships went down."""
    for ship in fleet.ships.values():
        if ship.status == "sunk" and (ship.x or ship.y):
            marks.draw_wreck(canvas, ship_appearance(ship, fleet, first_side(fleet, ship)), pose_of(ship))


def draw_traces(canvas: Canvas, some: Iterable[StoryMoment]) -> None:
    """Wakes of what moved, and where it came from."""
    for act in some:
        for name in sorted(act.moved_ships):
            was, now = act.before.ships[name], act.after.ships[name]
            start, end = pose_of(was), pose_of(now)
            marks.draw_wake(canvas, now.code, start, end)
            if name == act.acting_ship:
                shape = [canvas.to_pixels(point) for point in ship_corners(was.code, start)]
                canvas.draw_line([*shape, shape[0]], sea.FOAM, max(1.2, 2.2 * canvas.unit), 0.55, chalk=False)


def draw_attacks(canvas: Canvas, act: StoryMoment, *, dice: bool) -> list[Tag]:
    """Where an act struck; returns what was rolled, as tags, if that is wanted."""
    attack = act.attack_event
    if isinstance(attack, events.ShipRammed):
        by = act.after.ships[attack.by]
        strikes.draw_burst(canvas, canvas.to_pixels(ship_corners(by.code, pose_of(by))[0]), 0.9)
    for one in act.shots:
        a, b = act.after.ships[one.by], act.after.ships[one.to]
        strikes.draw_missiles(
            canvas, canvas.to_pixels((a.x, a.y)), canvas.to_pixels((b.x, b.y)), fire=one.kind == "fire"
        )
    return dice_tags(canvas, act) if dice else []


def write_badges(
    canvas: Canvas,
    fleet: VisibleState,
    view: SeaView,
    tags: Sequence[Tag] = (),
    *,
    losses: Mapping[str, int],
    others: Iterable[Obstacle] = (),
    whole: Container[str] | None = None,
) -> None:
    """Badges and other tags, each near what it speaks of; of ships that are not among the `whole` only the names."""
    seen = [ship for ship in fleet.afloat if is_in_window(canvas, ship)]
    every = list(tags)
    for ship in seen:
        bare = whole is not None and ship.id not in whole
        every.append(badge_tag(canvas, ship, fleet, view, lost=losses.get(ship.id, 0), bare=bare))
    placed = place_tags(canvas, every, [*hull_obstacles(canvas, fleet), *others])
    draw_leads(canvas, placed)
    lay_tags(canvas, placed)


def hull_obstacles(canvas: Canvas, fleet: VisibleState) -> list[Obstacle]:
    """All ships as what names keep off."""
    return [marks.hull_obstacle(canvas, ship.code, pose_of(ship)) for ship in fleet.afloat]


def is_in_window(canvas: Canvas, ship: Ship) -> bool:
    """Whether a ship's middle is within the window."""
    west, south, east, north = canvas.window
    return west <= ship.x <= east and south <= ship.y <= north


def badge_tag(
    canvas: Canvas, ship: Ship, fleet: VisibleState, view: SeaView, *, lost: int = 0, bare: bool = False
) -> Tag:
    """A ship's badge; a bare one holds her name only."""
    position = view.position
    side = fleet.side_of(ship)
    found = {
        "prize": first_side(fleet, ship) != side,
        "halved": ship.halved and not ship.dead,
        "dead": ship.dead,
        "immobilised": ship.immob,
        "beached": ship.beached,
    }
    allies = [captain for captain in position.seats if captain.side == position.sides[side]]
    own = len(allies) > 1 and view.seat is not None and view.seats[position.players.index(ship.owner)] == view.seat
    of = Badge(
        ship=ship.id,
        side=side,
        nation=ship.nation,
        crew=None if bare else ship.crew,
        full_crew=ship.ship_class.crew_max,
        marks=tuple(name for name, there in found.items() if there),
        fire=ship.fire,
        fire_limit=ship.ship_class.burn_limit,
        lost_crew=lost,
        is_own=own,
    )
    reach = (ship.ship_class.beam * 0.5 + 0.12) * canvas.scale
    return Tag(ship.id, draw_badge(of, ceil(LETTER_PX * canvas.unit)), canvas.to_pixels((ship.x, ship.y)), reach)


def draw_overview(canvas: Canvas, view: SeaView, fleet: VisibleState, taken: Sequence[Obstacle]) -> list[Obstacle]:
    """All of the table in a corner, where a picture shows only the ship in hand; returns what names must keep off."""
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
        dots.append(inset.MapDot((ship.x, ship.y), colours.base, colours.mark if side else INK))
    whole = (0.0, 0.0, position.width, position.height)
    return inset.lay_inset(canvas, whole, dots, taken, land=position.land, colours=_INSET_COLOURS)

"""The painter of War Galley with matchboxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from PIL import Image

from render.commission import Commission, PictureKind
from render.drawing.canvas import Canvas, Rect
from render.drawing.style import CHALK, NAME_SIZE, SOOT
from render.marks import inset, legend, sighting
from render.marks.labels import Obstacle
from render.marks.sighting import Foe
from render.matchbox import aim as aiming
from render.matchbox import ashore, marks, stakes, sticks
from render.matchbox.liveries import LIVERIES
from render.matchbox.names import (
    NameLabel,
    label_obstacles,
    lost_ship_label,
    order_number_label,
    ship_label,
    write_labels,
)
from render.matchbox.window import plan_sight
from render.matchbox.window import shown_window as window_of
from rules.core.protocol import Event
from rules.matchbox import retelling
from rules.matchbox.engine.events import PartsLost, ShipBackedOff, ShipMoved, VolleyDropped
from rules.matchbox.engine.hull import hull_middle
from rules.matchbox.engine.incidents import ShipCaptured, ShipGrappled, ShipPoledOff
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, Galley, LaidMatch
from rules.matchbox.interface.view import TableView
from rules.matchbox.retelling import StoryMoment, count_losses, galleys_lost

_MIN_SCALE = 0.04
"""Pixels a millimetre: less is no picture."""
_INSET_COLOURS = inset.MapColours(land=ashore.INSET_LAND_COLOUR)
_RANGE_LETTER_PX = 44
"""Letters of ranges, in pixels at full width: 11 on a phone that shows the picture 400 wide."""


def paint(asked: Commission[TableView]) -> Image.Image:
    """Draw any kind of picture of a table."""
    acts = retelling.split_moments(asked.view, asked.events)
    if asked.kind == "round" and acts:
        return _draw_sheet(asked, acts)
    canvas = make_canvas(asked, window_of(asked, acts), asked.width)
    ships, lying = _drawn_galleys(asked, acts), _drawn_matches(asked, acts)
    losses: dict[str, int] = {}
    names: list[NameLabel] = []
    others: list[Obstacle] = []
    aimed, chart = (asked.view.shot_to_aim, asked.view.aim_map) if asked.kind == "plan" else (None, None)
    if chart:
        aiming.draw_glow(canvas, chart)
    elif asked.kind == "plan":
        names += _draw_plan(canvas, asked.view)
    elif asked.kind == "table":
        others += _draw_traces(canvas, acts)
        losses = count_losses(acts)
    names += _draw_wrecks(canvas, asked.view, ships, acts if asked.kind == "table" else ())
    marks.draw_order_matches(canvas, lying, ships)
    marks.draw_hulls(canvas, ships.values())
    others += _draw_fighting(canvas, asked, acts, ships)
    if aimed and chart:
        others += aiming.draw_points(canvas, aimed, chart)
    fresh = galleys_lost(acts) if asked.kind == "table" else frozenset()
    for ship in asked.view.lost:
        if ship.id in fresh:
            others.append(
                Obstacle(tuple(marks.disc_points(canvas, hull_middle(ship.pose, ship.kind), marks.WRECK_RADIUS_MM)), 40)
            )
    if asked.kind == "plan":
        taken = [*label_obstacles(canvas, ships.values(), lying), *others, *_course_obstacles(canvas, names)]
        others += _draw_surroundings(canvas, asked, taken)
    names += [ship_label(ship, losses.get(ship.id, 0), badge=True) for ship in ships.values()]
    write_labels(canvas, names, ships.values(), lying, others=others)
    return add_legend(asked, canvas.image, canvas)


def has_content(view: TableView, events: Sequence[Event], kind: PictureKind) -> bool:
    """Whether events hold a volley, or a step of a round, for a picture of that."""
    acts = retelling.split_moments(view, events)
    if kind == "volley":
        return any(act.events_of(VolleyDropped) for act in acts)
    return kind != "round" or any(act.step and act.has_visible_event for act in acts)


def make_canvas(asked: Commission[TableView], window: Rect, width: int) -> Canvas:
    """The bare table, with its land, seen through a window (west, south, east, north in mm) so many pixels wide.

    Raises ValueError if galleys would be specks.
    """
    if width < _MIN_SCALE * (window[2] - window[0]):
        raise ValueError(f"{window[2] - window[0]:.0f} mm of table are too many for {width} pixels")
    high = round(width * (window[3] - window[1]) / (window[2] - window[0]))
    lay = ashore.draw_turned_table if is_seen_from_north(asked) else ashore.draw_table
    canvas = lay((width, high), window, (asked.view.width_mm, asked.view.height_mm), asked.view.land, asked.width)
    stakes.draw_stakes(canvas, asked.view)
    return canvas


def is_seen_from_north(asked: Commission[TableView]) -> bool:
    """Whether the viewer's edge of the table is the north one; what everybody sees has north up."""
    seat = asked.view.seat if asked.kind == "plan" else asked.viewpoint_seat
    return seat is not None and asked.view.sides[seat] == "north"


def add_legend(asked: Commission[TableView], image: Image.Image, canvas: Canvas) -> Image.Image:
    """An image between the sides' rails, above the caption, with the scale of a canvas."""
    long = MATCH_MM * canvas.scale
    match = sticks.match_sprite(long, sticks.match_thickness(canvas), 0, "order", LIVERIES["north"].match_head)
    top, bottom = (_side_rail(asked, side) for side in (("south", "north") if canvas.turned else ("north", "south")))
    scale = legend.ScaleBar(match, long)
    return legend.frame_table(image, top=top, bottom=bottom, caption=asked.caption, scale=scale, turned=canvas.turned)


def _side_rail(asked: Commission[TableView], side: str) -> legend.Rail:
    seats = [seat for seat, seated in enumerate(asked.view.sides) if seated == side]
    names = [f"{chr(65 + seat)}  {asked.names[seat]}" if seat in asked.names else chr(65 + seat) for seat in seats]
    return legend.Rail(LIVERIES[side], tuple(names))


# --- kinds -------------------------------------------------------------------------------------------------------


def _draw_plan(canvas: Canvas, view: TableView) -> list[NameLabel]:
    """The viewer's own plans: ranges about the galley in hand, ghosts, and matches as they would lie."""
    ships = {ship.id: ship for ship in view.galleys}
    names: list[NameLabel] = []
    plans = {plan.galley: plan for plan in view.planned_moves}
    marks.draw_threats(canvas, view.reaches, ships)
    if view.strip is not None and view.seat is not None:
        side = view.sides[view.seat]
        marks.draw_zone(canvas, (0.0, view.width_mm), view.strip, LIVERIES[side].base)
        for ship in view.galleys:
            if ship.side == side and ship.id != view.current_galley:
                marks.draw_spacing(canvas, ship, (view.width_mm, view.height_mm))
    elif view.first_decision is not None and view.first_decision.kind in (
        "casualties",
        "reorganize",
        "grapple",
        "prize",
    ):
        pass
    elif view.current_galley in ships:
        plan = plans.get(view.current_galley)
        pose = plan.ghosts[-1] if plan is not None and plan.ghosts else ships[view.current_galley].pose
        rings = marks.draw_ranges(canvas, pose, ships[view.current_galley].kind, (view.width_mm, view.height_mm))
        names += [
            NameLabel(f"{far:.0f} mm", CHALK, point, 0.0, size=_RANGE_LETTER_PX, is_centred=True)
            for far, point in rings
        ]
    if view.first_decision is not None and view.first_decision.kind in ("target", "grapple"):
        for name in ships.keys() & set(view.first_decision.choices):
            marks.mark_target(canvas, ships[name])
    for plan in view.planned_moves:
        ship = ships[plan.galley]
        here = ship.pose
        steps: dict[Pose, list[int]] = {}
        for step, pose in enumerate(plan.ghosts, 1):
            steps.setdefault(pose, []).append(step)
        for pose, there in steps.items():
            if pose != here:
                marks.draw_ghost(canvas, ship, pose, 0.85 if plan.galley == view.current_galley else 0.5)
                names.append(order_number_label("–".join(map(str, dict.fromkeys((there[0], there[-1])))), ship, pose))
    return names


def _course_obstacles(canvas: Canvas, names: Iterable[NameLabel]) -> list[Obstacle]:
    """What a small map should not cover besides hulls: orders' numbers and ranges."""
    return [Obstacle((canvas.to_pixels(name.point),) * 2, 60) for name in names]


def _draw_surroundings(canvas: Canvas, asked: Commission[TableView], taken: Sequence[Obstacle]) -> list[Obstacle]:
    """What is not in a plan: an arrow to the nearest enemy, and the whole table in a corner."""
    seen = plan_sight(asked)
    arrow = (
        _point_to_enemy(canvas, asked.view, seen.foe, taken) if seen.foe is not None and not seen.is_foe_shown else []
    )
    return [*arrow, *_draw_inset(canvas, asked.view, [*taken, *arrow])]


def _point_to_enemy(canvas: Canvas, view: TableView, foe: Foe, taken: Sequence[Obstacle]) -> list[Obstacle]:
    """An arrow to an enemy who is too far away to be shown, with her heading and the gap in mm between the hulls."""
    ships = {ship.id: ship for ship in view.galleys}
    enemy = ships[foe.id]
    livery = LIVERIES[enemy.side]
    heading = canvas.to_picture_heading(enemy.pose.heading_deg)
    plate = sighting.draw_foe_plate(canvas, livery, heading, enemy.id, f"{foe.distance:.0f} mm")
    return sighting.point_out(canvas, foe, livery, plate, taken)


def _draw_inset(canvas: Canvas, view: TableView, taken: Sequence[Obstacle]) -> list[Obstacle]:
    """The whole table, where the picture shows a part."""
    dots = [
        inset.MapDot(
            hull_middle(ship.pose, ship.kind),
            LIVERIES[ship.side].base,
            CHALK if ship.id == view.current_galley else SOOT,
        )
        for ship in sorted(view.galleys, key=lambda ship: ship.id == view.current_galley)
    ]
    whole, land = (0.0, 0.0, view.width_mm, view.height_mm), [piece.corners for piece in view.land]
    return inset.lay_inset(
        canvas, whole, dots, taken, land=land, marked=stakes.scenario_zones(view), colours=_INSET_COLOURS
    )


def _drawn_galleys(asked: Commission[TableView], acts: Sequence[StoryMoment]) -> Mapping[str, Galley]:
    """Galleys as they are to be drawn: a volley's as they stood when it was dropped."""
    if asked.kind == "volley":
        fired = [act for act in acts if act.events_of(VolleyDropped)]
        if fired:
            return fired[-1].after_movement.galleys
    return {ship.id: ship for ship in asked.view.galleys}


def _drawn_matches(asked: Commission[TableView], acts: Sequence[StoryMoment]) -> tuple[LaidMatch, ...]:
    """Order matches on the table: also those of plans, and for a volley those that lay there when it was dropped."""
    if asked.kind == "volley":
        for act in reversed(acts):
            found = act.laid_matches
            if act.events_of(VolleyDropped) and found is not None:
                return found
    planned = (match for plan in asked.view.planned_moves for match in plan.matches) if asked.kind == "plan" else ()
    return (*asked.view.laid_matches, *planned)


def _draw_wrecks(
    canvas: Canvas, view: TableView, ships: Mapping[str, Galley], acts: Iterable[StoryMoment] = ()
) -> list[NameLabel]:
    """Where galleys left the table, except those still drawn; returns the names of those that left just now."""
    fresh = galleys_lost(acts)
    gone = [ship for ship in view.lost if ship.id not in ships]
    for ship in gone:
        marks.draw_wreck(canvas, ship, fresh=ship.id in fresh)
    return [lost_ship_label(ship) for ship in gone if ship.id in fresh]


def _draw_traces(canvas: Canvas, acts: Sequence[StoryMoment]) -> list[Obstacle]:
    """What the round left: tracks, where rams struck, matches dropped; returns what names should not cover."""
    struck: list[Obstacle] = []
    for name, (ship, poses) in _poses_by_galley(acts).items():
        marks.draw_track(canvas, poses, ship, 0.5)
        if len(poses) > 1 and name in acts[0].before.galleys:
            marks.draw_ghost(canvas, ship, poses[0], 0.22)
    for act in acts:
        for shot in act.events_of(VolleyDropped):
            marks.draw_volley(canvas, shot, act.after_movement.galleys.get(shot.to), faint=True)
        for strike in act.bow_strikes:
            struck += _draw_ram(canvas, act, strike, 0.8)
        for at in marks.rock_points(act):
            marks.draw_ram_burst(canvas, at, 0.8)
            struck.append(Obstacle(tuple(marks.disc_points(canvas, at, 27.0)), 30))
    return struck


def _draw_fighting(
    canvas: Canvas, asked: Commission[TableView], acts: Sequence[StoryMoment], ships: Mapping[str, Galley]
) -> list[Obstacle]:
    """What is drawn over hulls: who was boarded, who is held fast, volleys; returns what names should not cover."""
    if asked.kind == "table":
        return _draw_boarding(canvas, acts, ships)
    if asked.kind == "plan" and asked.view.first_decision is not None and acts:
        marks.draw_grapples(canvas, acts[-1].grapples, ships)
    for act in acts if asked.kind == "volley" else ():
        marks.draw_sight_lines(canvas, act, asked.view.sea)
        for shot in act.events_of(VolleyDropped):
            marks.draw_volley(canvas, shot, act.after_movement.galleys.get(shot.to), faint=False)
    return []


def _draw_boarding(canvas: Canvas, acts: Sequence[StoryMoment], ships: Mapping[str, Galley]) -> list[Obstacle]:
    """Where crews have fought, and who was taken; returns what names should not cover."""
    taken = {event.galley for act in acts for event in act.events_of(ShipCaptured)}
    for name in taken & ships.keys():
        marks.mark_capture(canvas, ships[name])
    fought = [at for act in acts for at in marks.draw_melees(canvas, act, 0.85)]
    return [Obstacle(tuple(marks.disc_points(canvas, at, 20.0)), 30) for at in fought]


def _draw_ram(canvas: Canvas, act: StoryMoment, strike: tuple[str, str], opacity: float = 1.0) -> list[Obstacle]:
    by, to = map(act.after_movement.galleys.get, strike)
    if by is None or to is None:
        return []
    at = marks.strike_point(by, to)
    marks.draw_ram_burst(canvas, at, opacity)
    return [Obstacle(tuple(marks.disc_points(canvas, at, 27.0)), 30)]


def _poses_by_galley(acts: Sequence[StoryMoment]) -> dict[str, tuple[Galley, list[Pose]]]:
    """Poses that each galley went through."""
    ways: dict[str, tuple[Galley, list[Pose]]] = {}
    for act in acts:
        moves: list[ShipMoved | ShipBackedOff | ShipPoledOff] = [
            *act.events_of(ShipMoved),
            *act.events_of(ShipBackedOff),
            *act.events_of(ShipPoledOff),
        ]
        for moved in moves:
            ship = act.before.galleys.get(moved.galley)
            if ship is not None:
                ways.setdefault(moved.galley, (ship, [moved.start]))[1].append(moved.end)
    return ways


def _draw_sheet(asked: Commission[TableView], acts: Sequence[StoryMoment]) -> Image.Image:
    """A frame a step, two abreast, and the table as it is now."""
    shown = [
        act
        for act in acts
        if act.step
        and any(isinstance(event, ShipMoved | VolleyDropped | PartsLost | ShipGrappled) for event in act.events)
    ][:7]
    window = window_of(asked, acts)
    gap = round(8 * asked.width / 1600)
    wide = (asked.width - gap) // 2
    frames: list[Image.Image] = []
    canvas = make_canvas(asked, window, wide)
    for act in shown:
        canvas = make_canvas(asked, window, wide)
        _draw_step(canvas, act, asked.view.sea)
        frames.append(canvas.image)
    last = make_canvas(asked, window, wide)
    ships = {ship.id: ship for ship in asked.view.galleys}
    names = _draw_wrecks(last, asked.view, ships, acts)
    marks.draw_hulls(last, ships.values())
    names += [ship_label(ship, badge=True) for ship in ships.values()]
    write_labels(last, names, ships.values(), ())
    frames.append(last.image)
    high = frames[0].height
    rows = ceil(len(frames) / 2)
    sheet = Image.new("RGB", (asked.width, rows * high + (rows - 1) * gap), (12, 8, 5))
    for i, frame in enumerate(frames):
        across = i % 2 * (wide + gap)
        if i == len(frames) - 1 and i % 2 == 0:
            across = (asked.width - wide) // 2
        sheet.paste(frame, (across, i // 2 * (high + gap)))
    return add_legend(asked, sheet, canvas)


def _draw_step(canvas: Canvas, act: StoryMoment, sea: Sea) -> None:
    """One step: from where to where, what struck, what was dropped, what it cost."""
    for moved in act.events_of(ShipMoved):
        ship = act.before.galleys.get(moved.galley)
        if ship is not None:
            marks.draw_ghost(canvas, ship, moved.start, 0.4)
            marks.draw_track(canvas, (moved.start, moved.end), ship, 0.9)
    for strike in act.bow_strikes:
        _draw_ram(canvas, act, strike)
    for at in marks.rock_points(act):
        marks.draw_ram_burst(canvas, at)
    matches = act.laid_matches or ()
    marks.draw_order_matches(canvas, matches, act.before.galleys)
    sunk = galleys_lost([act])
    ships = {name: act.after.galleys.get(name, ship) for name, ship in act.after_movement.galleys.items()}
    marks.draw_hulls(canvas, ships.values())
    for name in sunk & ships.keys():
        marks.draw_wreck(canvas, ships[name], fresh=True)
    marks.draw_grapples(canvas, act.grapples, act.after_movement.galleys)
    marks.draw_melees(canvas, act)
    for taken in act.events_of(ShipCaptured):
        if taken.galley in ships:
            marks.mark_capture(canvas, ships[taken.galley])
    marks.draw_sight_lines(canvas, act, sea)
    for shot in act.events_of(VolleyDropped):
        marks.draw_volley(canvas, shot, act.after_movement.galleys.get(shot.to), faint=False)
    losses = count_losses([act])
    size = round(NAME_SIZE * 1.25 * canvas.unit)
    canvas.draw_text((10 * canvas.unit, 8 * canvas.unit), str(act.step), size, CHALK)
    names = [
        lost_ship_label(ship) if name in sunk else ship_label(ship, losses.get(name, 0)) for name, ship in ships.items()
    ]
    write_labels(canvas, names, ships.values(), matches)

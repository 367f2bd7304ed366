"""The painter of War Galley with matchboxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PIL import Image

from render.commission import Commission, PictureKind
from render.drawing.canvas import Canvas, Rect
from render.drawing.marking import marking, note_sign
from render.drawing.pages import lay_out_pages, page_width
from render.drawing.style import CHALK, NAME_SIZE, SOOT, Livery
from render.marks import legend, sighting, strikes
from render.marks.labels import Label, Obstacle
from render.matchbox import ashore, marks, sticks
from render.matchbox import window as aiming
from render.matchbox.liveries import LIVERIES
from render.matchbox.names import (
    fire_label,
    lost_ship_label,
    name_obstacles,
    order_number_label,
    range_label,
    ship_label,
    write_names,
)
from render.matchbox.window import plan_sight
from render.matchbox.window import shown_window as window_of
from rules.core.protocol import Event
from rules.matchbox import retelling
from rules.matchbox.engine.events import (
    PartsLost,
    ShipBackedOff,
    ShipCaptured,
    ShipGrappled,
    ShipMoved,
    ShipPoledOff,
    VolleyDropped,
)
from rules.matchbox.engine.hull import hull_middle
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, LaidMatch
from rules.matchbox.interface.view import TableView
from rules.matchbox.retelling import StoryMoment, count_losses, galleys_lost

_MIN_SCALE = 0.04  # pixels a millimetre
_FIRE_END_PART = 0.85  # of the way to her target that a line of fire covers
_MAX_STEP_PAGES = 7  # of a sheet, and one of the present table
_INSET_COLOURS = sighting.MapColours(land=ashore.INSET_LAND_COLOUR)


def paint(commission: Commission[TableView]) -> Image.Image:
    moments = retelling.split_moments(commission.view, commission.events)
    if commission.kind == "round" and moments:
        return _draw_sheet(commission, moments)
    canvas = make_canvas(commission, window_of(commission, moments), commission.width)
    ships = _drawn_galleys(commission, moments)
    laid_matches = _drawn_matches(commission, moments)
    losses: dict[str, int] = {}
    names: list[Label] = []
    others: list[Obstacle] = []
    is_plan, is_table = commission.kind == "plan", commission.kind == "table"
    aimed = commission.view.shot_to_aim if is_plan else None  # a volley whose captain chooses where it drops
    aim_map = commission.view.aim_map if is_plan else None
    if aim_map:
        aiming.draw_glow(canvas, aim_map)
    elif is_plan:
        names += _draw_plan(canvas, commission.view)
    elif is_table:
        others += _draw_traces(canvas, moments)
        losses = count_losses(moments)
    names += _draw_wrecks(canvas, commission.view, ships, moments if is_table else ())
    marks.draw_order_matches(canvas, laid_matches, ships)
    marks.draw_hulls(canvas, ships.values(), commission.view.current_galley if is_plan else "")
    others += _draw_fighting(canvas, commission, moments, ships)
    if is_plan:
        names += _draw_lines_of_fire(canvas, commission.view, ships)
    if aimed and aim_map:
        others += aiming.draw_points(canvas, aimed, aim_map)
    just_lost = galleys_lost(moments) if is_table else frozenset()
    for ship in commission.view.lost:
        if ship.id in just_lost and ship.id not in commission.view.struck:
            middle = hull_middle(ship.pose, ship.kind)
            others.append(marks.circle_obstacle(canvas, middle, marks.WRECK_RADIUS_MM, 40))
    if is_plan:
        obstacles = [*name_obstacles(canvas, ships.values(), laid_matches), *others, *_course_obstacles(names)]
        others += _draw_surroundings(canvas, commission, obstacles)
    names += [ship_label(canvas, ship, losses.get(ship.id, 0), badge=True) for ship in ships.values()]
    write_names(canvas, names, ships.values(), laid_matches, others=others)
    return add_legend(commission, canvas.image, canvas)


def has_content(view: TableView, events: Sequence[Event], kind: PictureKind) -> bool:
    moments = retelling.split_moments(view, events)
    if kind == "volley":
        return any(moment.events_of(VolleyDropped) for moment in moments)
    return kind != "round" or any(moment.step and moment.has_visible_event for moment in moments)


def make_canvas(commission: Commission[TableView], window: Rect, width: int) -> Canvas:
    """Return the bare table with its land, in a window (west, south, east, north in mm).

    Raises ValueError if galleys would be smaller than `_MIN_SCALE` allows.
    """
    if width < _MIN_SCALE * (window[2] - window[0]):
        raise ValueError(f"{window[2] - window[0]:.0f} mm of table are too many for {width} pixels")
    height = round(width * (window[3] - window[1]) / (window[2] - window[0]))
    view = commission.view
    canvas = ashore.draw_table(
        (width, height),
        window,
        (view.width_mm, view.height_mm),
        view.land,
        commission.width,
        turned=is_seen_from_north(commission),
    )
    ashore.draw_scenario_goal(canvas, commission.view)
    return canvas


def is_seen_from_north(commission: Commission[TableView]) -> bool:
    """Return whether the picture is drawn from the viewer's own, northern edge. Public pictures have north up."""
    seat = commission.view.seat if commission.kind == "plan" else commission.viewpoint_seat
    return seat is not None and commission.view.sides[seat] == "north"


def seat_liveries(view: TableView) -> list[Livery]:
    return [LIVERIES[side] for side in view.sides]


def add_legend(commission: Commission[TableView], image: Image.Image, canvas: Canvas) -> Image.Image:
    """Return an image between the sides' name bars, above the caption, with the scale of a canvas."""
    sides = ("south", "north") if canvas.turned else ("north", "south")
    top, bottom = (_name_bar(commission, side) for side in sides)
    scale = sticks.draw_scale_bar(canvas, LIVERIES["north"].match_head)
    note_sign("scale", scale)
    return legend.frame_picture(image, (top,), commission.caption, (scale,), below=bottom, turned=canvas.turned)


def _name_bar(commission: Commission[TableView], side: str) -> legend.NameBar:
    seats = [seat for seat, seated in enumerate(commission.view.sides) if seated == side]
    names = [
        f"{chr(65 + seat)}  {commission.names[seat]}" if seat in commission.names else chr(65 + seat) for seat in seats
    ]
    return legend.NameBar(LIVERIES[side], tuple(names))


# --- kinds -------------------------------------------------------------------------------------------------------


def _draw_plan(canvas: Canvas, view: TableView) -> list[Label]:
    """Draw the viewer's plans: ranges of the current galley, ghosts and order matches. Returns labels."""
    ships = {ship.id: ship for ship in view.galleys}
    names: list[Label] = []
    plans = {plan.galley: plan for plan in view.planned_moves}
    marks.draw_threats(canvas, view.reaches, ships)
    if view.strip is not None and view.seat is not None:  # galleys are still being placed
        side = view.sides[view.seat]
        marks.draw_zone(canvas, (0.0, view.width_mm), view.strip, LIVERIES[side].base)
        for ship in view.galleys:
            if ship.side == side and ship.id != view.current_galley:
                marks.draw_spacing(canvas, ship, (view.width_mm, view.height_mm))
    elif view.current_galley in ships and ships[view.current_galley].masts and not _needs_no_ranges(view):
        plan = plans.get(view.current_galley)
        pose = plan.ghosts[-1] if plan is not None and plan.ghosts else ships[view.current_galley].pose
        rings = marks.draw_ranges(canvas, pose, ships[view.current_galley].kind, (view.width_mm, view.height_mm))
        names += [range_label(canvas, f"{range_mm:.0f} mm", point) for range_mm, point in rings]
    if view.first_decision is not None and view.first_decision.kind in ("target", "grapple"):
        for name in ships.keys() & set(view.first_decision.choices):
            marks.mark_target(canvas, ships[name])
    for plan in view.planned_moves:
        opacity = 0.85 if plan.galley == view.current_galley else 0.5
        names += _draw_ghosts(canvas, ships[plan.galley], plan.ghosts, opacity)
    return names


def _draw_lines_of_fire(canvas: Canvas, view: TableView, ships: Mapping[str, Galley]) -> list[Label]:
    """Draw the lines of the fire that is ordered. Returns labels with the matches that are dropped, and the range."""
    names: list[Label] = []
    for shot in view.planned_shots:
        start, end = (
            hull_middle(pose, ships[name].kind) for name, pose in ((shot.by, shot.start), (shot.to, shot.end))
        )
        is_current = view.current_galley in ("", shot.by)
        near_end = strikes.point_between(start, end, _FIRE_END_PART)
        marks.draw_line_of_fire(canvas, start, near_end, 1.0 if is_current else 0.5)
        if is_current:
            text = f"{shot.matches} × {shot.gap_mm:.0f} mm"
            names.append(fire_label(canvas, text, strikes.point_between(start, end, 0.5)))
    return names


def _draw_ghosts(canvas: Canvas, ship: Galley, ghosts: Sequence[Pose], opacity: float) -> list[Label]:
    """Draw a galley where it will be after each step. Returns labels with the numbers of the steps, such as `2–4`."""
    names: list[Label] = []
    steps_by_pose: dict[Pose, list[int]] = {}
    for step, pose in enumerate(ghosts, 1):
        steps_by_pose.setdefault(pose, []).append(step)
    for pose, steps in steps_by_pose.items():
        if pose != ship.pose:
            marks.draw_ghost(canvas, ship, pose, opacity, mark="ghost")
            text = str(steps[0]) if len(steps) == 1 else f"{steps[0]}–{steps[-1]}"
            names.append(order_number_label(canvas, text, ship, pose))
    return names


def _needs_no_ranges(view: TableView) -> bool:
    """Return whether the captain decides about something for which the ranges of volleys do not matter."""
    kinds = ("casualties", "reorganize", "grapple", "prize")
    return view.first_decision is not None and view.first_decision.kind in kinds


def _course_obstacles(names: Iterable[Label]) -> list[Obstacle]:
    return [Obstacle((name.near,) * 2, 60) for name in names]


def _draw_surroundings(
    canvas: Canvas, commission: Commission[TableView], obstacles: Sequence[Obstacle]
) -> list[Obstacle]:
    """Draw arrows to what is outside the plan, and a small map. Returns obstacles."""
    galleys = {ship.id: ship for ship in commission.view.galleys}
    posts = []
    for landmark in plan_sight(commission).landmarks_outside:
        ship = galleys[landmark.id]
        words = (ship.id, f"{landmark.distance:.0f} mm")
        heading = canvas.to_picture_heading(ship.pose.heading_deg)
        posts.append(sighting.Signpost(landmark, LIVERIES[ship.side], words, heading))
    arrows = sighting.draw_signposts(canvas, posts, obstacles)
    return [*arrows, *_draw_inset(canvas, commission.view, [*obstacles, *arrows])]


def _draw_inset(canvas: Canvas, view: TableView, obstacles: Sequence[Obstacle]) -> list[Obstacle]:
    dots = [
        sighting.MapDot(
            hull_middle(ship.pose, ship.kind),
            LIVERIES[ship.side].base,
            CHALK if ship.id == view.current_galley else SOOT,
        )
        for ship in sorted(view.galleys, key=lambda ship: ship.id == view.current_galley)
    ]
    whole = (0.0, 0.0, view.width_mm, view.height_mm)
    land = [piece.corners for piece in view.land]
    return sighting.lay_inset(
        canvas, whole, dots, obstacles, land=land, marked=ashore.scenario_zones(view), colours=_INSET_COLOURS
    )


def _drawn_galleys(commission: Commission[TableView], moments: Sequence[StoryMoment]) -> Mapping[str, Galley]:
    """Return galleys as they are drawn. For a volley they are where they were when it was dropped."""
    if commission.kind == "volley":
        volley_moments = [moment for moment in moments if moment.events_of(VolleyDropped)]
        if volley_moments:
            return volley_moments[-1].after_movement.galleys
    return {ship.id: ship for ship in commission.view.galleys}


def _drawn_matches(commission: Commission[TableView], moments: Sequence[StoryMoment]) -> tuple[LaidMatch, ...]:
    """Return the order matches on the table and of plans, or those that lay there when a volley was dropped."""
    if commission.kind == "volley":
        for moment in reversed(moments):
            laid = moment.laid_matches
            if moment.events_of(VolleyDropped) and laid is not None:
                return laid
    planned = (
        (match for plan in commission.view.planned_moves for match in plan.matches) if commission.kind == "plan" else ()
    )
    return (*commission.view.laid_matches, *planned)


def _draw_wrecks(
    canvas: Canvas, view: TableView, ships: Mapping[str, Galley], moments: Iterable[StoryMoment] = ()
) -> list[Label]:
    """Draw wrecks of galleys that are not in `ships`. Returns labels of those that were lost in the acts."""
    lost_now = galleys_lost(moments)
    lost_ships = [ship for ship in view.lost if ship.id not in ships]
    labels = []
    for ship in lost_ships:
        is_struck = ship.id in view.struck
        marks.draw_lost_galley(canvas, ship, struck=is_struck, just_sunk=ship.id in lost_now)
        if ship.id in lost_now:
            labels.append(ship_label(canvas, ship) if is_struck else lost_ship_label(canvas, ship))
    return labels


def _draw_traces(canvas: Canvas, moments: Sequence[StoryMoment]) -> list[Obstacle]:
    """Draw tracks, ram bursts and dropped matches of the round. Returns obstacles."""
    obstacles: list[Obstacle] = []
    for name, (ship, poses) in _poses_by_galley(moments).items():
        marks.draw_track(canvas, poses, ship, 0.5)
        if len(poses) > 1 and name in moments[0].before.galleys:
            marks.draw_ghost(canvas, ship, poses[0], 0.22)
    for moment in moments:
        for shot in moment.events_of(VolleyDropped):
            marks.draw_volley(canvas, shot, moment.after_movement.galleys.get(shot.to), faint=True)
        for strike in moment.bow_strikes:
            obstacles += _draw_ram(canvas, moment, strike, 0.8)
        for at in marks.rock_points(moment):
            marks.draw_ram_burst(canvas, at, 0.8)
            obstacles.append(marks.circle_obstacle(canvas, at, 27.0, 30))
    return obstacles


def _draw_fighting(
    canvas: Canvas, commission: Commission[TableView], moments: Sequence[StoryMoment], ships: Mapping[str, Galley]
) -> list[Obstacle]:
    """Draw boardings, grapples or volleys over hulls. Returns obstacles."""
    if commission.kind == "table":
        return _draw_boarding(canvas, moments, ships)
    if commission.kind == "plan" and commission.view.first_decision is not None and moments:
        marks.draw_grapples(canvas, moments[-1].grapples, ships)
    if commission.kind == "volley":
        for moment in moments:
            marks.draw_sight_lines(canvas, moment, commission.view.sea)
            for shot in moment.events_of(VolleyDropped):
                marks.draw_volley(canvas, shot, moment.after_movement.galleys.get(shot.to), faint=False)
    return []


def _draw_boarding(canvas: Canvas, moments: Sequence[StoryMoment], ships: Mapping[str, Galley]) -> list[Obstacle]:
    captured_ids = {event.galley for moment in moments for event in moment.events_of(ShipCaptured)}
    for name in captured_ids & ships.keys():
        marks.mark_capture(canvas, ships[name])
    melee_points = [at for moment in moments for at in marks.draw_melees(canvas, moment, 0.85)]
    return [marks.circle_obstacle(canvas, at, 20.0, 30) for at in melee_points]


def _draw_ram(canvas: Canvas, moment: StoryMoment, strike: tuple[str, str], opacity: float = 1.0) -> list[Obstacle]:
    rammer, rammed = map(moment.after_movement.galleys.get, strike)
    if rammer is None or rammed is None:
        return []
    at = marks.strike_point(rammer, rammed)
    marks.draw_ram_burst(canvas, at, opacity)
    return [marks.circle_obstacle(canvas, at, 27.0, 30)]


def _poses_by_galley(moments: Sequence[StoryMoment]) -> dict[str, tuple[Galley, list[Pose]]]:
    """Return each moved galley as it was before its first move, with its poses in the round."""
    poses_by_galley: dict[str, tuple[Galley, list[Pose]]] = {}
    for moment in moments:
        moves: list[ShipMoved | ShipBackedOff | ShipPoledOff] = [
            *moment.events_of(ShipMoved),
            *moment.events_of(ShipBackedOff),
            *moment.events_of(ShipPoledOff),
        ]
        for move in moves:
            ship = moment.before.galleys.get(move.galley)
            if ship is not None:
                poses_by_galley.setdefault(move.galley, (ship, [move.start]))[1].append(move.end)
    return poses_by_galley


def _draw_sheet(commission: Commission[TableView], moments: Sequence[StoryMoment]) -> Image.Image:
    """Draw a page for each step in which something happened, up to a limit, and one for the table after the round."""
    shown_steps = [
        moment
        for moment in moments
        if moment.step
        and any(isinstance(event, ShipMoved | VolleyDropped | PartsLost | ShipGrappled) for event in moment.events)
    ][:_MAX_STEP_PAGES]
    window = window_of(commission, moments)
    width = page_width(commission.width)
    frames: list[Image.Image] = []
    for moment in shown_steps:
        canvas = make_canvas(commission, window, width)
        _draw_step(canvas, moment, commission.view.sea)
        frames.append(canvas.image)
    final_canvas = make_canvas(commission, window, width)
    ships = {ship.id: ship for ship in commission.view.galleys}
    names = _draw_wrecks(final_canvas, commission.view, ships, moments)
    marks.draw_hulls(final_canvas, ships.values())
    names += [ship_label(final_canvas, ship, badge=True) for ship in ships.values()]
    write_names(final_canvas, names, ships.values(), ())
    frames.append(final_canvas.image)
    sheet = lay_out_pages(frames, commission.width, ground=(12, 8, 5))
    return add_legend(commission, sheet, final_canvas)


def _draw_step(canvas: Canvas, moment: StoryMoment, sea: Sea) -> None:
    """Draw a page of one step: galleys after it, with what they did in it."""
    for move in moment.events_of(ShipMoved):
        ship = moment.before.galleys.get(move.galley)
        if ship is not None:
            marks.draw_ghost(canvas, ship, move.start, 0.4)
            marks.draw_track(canvas, (move.start, move.end), ship, 0.9)
    for strike in moment.bow_strikes:
        _draw_ram(canvas, moment, strike)
    for at in marks.rock_points(moment):
        marks.draw_ram_burst(canvas, at)
    matches = moment.laid_matches or ()
    marks.draw_order_matches(canvas, matches, moment.before.galleys)
    sunk_ids = galleys_lost([moment])
    ships = {name: moment.after.galleys.get(name, ship) for name, ship in moment.after_movement.galleys.items()}
    marks.draw_hulls(canvas, ships.values())
    for name in sunk_ids & ships.keys():
        marks.draw_lost_galley(canvas, ships[name], just_sunk=True)
    marks.draw_grapples(canvas, moment.grapples, moment.after_movement.galleys)
    marks.draw_melees(canvas, moment)
    for capture in moment.events_of(ShipCaptured):
        if capture.galley in ships:
            marks.mark_capture(canvas, ships[capture.galley])
    marks.draw_sight_lines(canvas, moment, sea)
    for shot in moment.events_of(VolleyDropped):
        marks.draw_volley(canvas, shot, moment.after_movement.galleys.get(shot.to), faint=False)
    losses = count_losses([moment])
    size = round(NAME_SIZE * 1.25 * canvas.px)
    with marking(canvas, "step"):
        canvas.draw_text((10 * canvas.px, 8 * canvas.px), str(moment.step), size, CHALK)
    names = [
        lost_ship_label(canvas, ship) if name in sunk_ids else ship_label(canvas, ship, losses.get(name, 0))
        for name, ship in ships.items()
    ]
    write_names(canvas, names, ships.values(), matches)

"""A plan as its captain sees it: ordered courses, reach of the current ship, odds of attacks, barred attacks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil, hypot
from typing import Final

from PIL import Image

from render.drawing.canvas import Canvas, Point
from render.drawing.marking import marking
from render.marks import signs, strikes
from render.marks.labels import Label, Obstacle, Pair, UpperLayer
from render.marks.signs import FAIR, PALE, SignPart
from render.ramspeed import marks
from render.ramspeed.badges import LETTER_PX, draw_odds
from render.ramspeed.liveries import livery_of
from render.ramspeed.marks import LANE_COLOUR, REACH_COLOUR, hull_obstacle, ship_appearance
from render.ramspeed.scene import is_in_window
from rules.ramspeed.interface.view import AttackPreview, PlannedCourse, PlannedLine, Pose, SeaView, pose_of
from rules.ramspeed.retelling import VisibleState

_MAX_BARRED: Final = 4
"""The greatest number of enemies for which the plan shows why they cannot be attacked."""
_ATTACK_COLOURS: Final = {"ram": LANE_COLOUR, "swipe": (255, 214, 110), "grapple": FAIR}


def draw_plan(canvas: Canvas, view: SeaView, fleet: VisibleState) -> UpperLayer:
    """Draw what lies below the ships. Return what is drawn above them."""
    upper_layer = UpperLayer()
    current = fleet.ships.get(view.current_ship or "")
    if current is not None and view.reach is not None:
        fan = marks.draw_reach(canvas, view.reach, current.code)
        upper_layer.obstacles.append(Obstacle(tuple(fan), 2))
    if view.strikes:
        marks.draw_strikes(canvas, [strike.outline for strike in view.strikes])
    if view.command_area:
        marks.draw_command_area(canvas, view.command_area)
    for line in view.lines:
        if line.ship in fleet.ships:
            is_faint = current is not None and line.ship != current.id
            _draw_courses(canvas, view, fleet, line, upper_layer, is_faint=is_faint)
    if current is not None and current.is_afloat:
        upper_layer.marks.append(partial(marks.mark_current, canvas, current.code, pose_of(current)))
        _draw_attacks(canvas, view, fleet, upper_layer)
    return upper_layer


def _draw_courses(
    canvas: Canvas, view: SeaView, fleet: VisibleState, line: PlannedLine, upper_layer: UpperLayer, *, is_faint: bool
) -> None:
    """Draw the courses of one line of orders: the first legal one in full, the others thin."""
    ship = fleet.ships[line.ship]
    side = fleet.side_of(ship)
    appearance = ship_appearance(ship, fleet)
    colours = livery_of(side, ship.nation)
    colour = colours.base if side == 0 else colours.mark
    first_course = line.courses[0] if line.courses else None
    main_course = next((course for course in line.courses if not course.rule), first_course)  # `rule`: what it breaks
    for course in reversed(line.courses):
        is_main = course is main_course
        full_strength = 0.7 if is_faint else 1.0
        strength = full_strength if is_main else 0.45
        end = course.path[-1]
        has_moved = len(course.path) > 1
        if course.kind in _ATTACK_COLOURS and has_moved:
            marks.draw_lane(
                canvas, marks.swept_area(ship.code, course.path[-2], end), _ATTACK_COLOURS[course.kind], strength
            )
        if has_moved and is_main:
            marks.draw_ghost(canvas, appearance, end, 0.62 * strength)
            upper_layer.obstacles.append(hull_obstacle(canvas, ship.code, end, 30))
        marks.draw_course(canvas, course.path, colour, strength, thin=not is_main)
        if is_main:
            upper_layer.marks += _target_marks(canvas, fleet, course)
            if course.odds and not is_faint and line.ship != view.current_ship:
                upper_layer.labels.append(
                    _odds_label(canvas, fleet, course.target or "", course, f"{line.ship}.odds", start=end)
                )
    if main_course is not None:
        size = round(LETTER_PX * canvas.px * 0.92)  # of the line's number, astern of the ship's last pose
        at = canvas.to_pixels(marks.point_ahead(main_course.path[-1], -ship.ship_class.length * 0.5 - 0.32))
        upper_layer.marks.append(partial(marks.draw_number, canvas, at, str(line.number), colours, size))
        upper_layer.add_obstacle(at, size * 0.62, 60)


def _target_marks(canvas: Canvas, fleet: VisibleState, course: PlannedCourse) -> list[Callable[[], None]]:
    drawings: list[Callable[[], None]] = []
    if course.target and course.target in fleet.ships:
        ship = fleet.ships[course.target]
        colour = _ATTACK_COLOURS.get(course.kind, REACH_COLOUR)
        drawings.append(partial(marks.mark_target, canvas, ship.code, pose_of(ship), colour))
    if course.shot and course.shot in fleet.ships:
        ship = fleet.ships[course.shot]
        start = course.shot_from or course.path[-1]
        ends = canvas.to_pixels((start.x, start.y)), canvas.to_pixels((ship.x, ship.y))
        drawings.append(partial(strikes.draw_missiles, canvas, *ends, fire="fire" in course.order))
    if course.transfer and course.transfer in fleet.ships:
        ship = fleet.ships[course.transfer]
        end = course.path[-1]
        points = [canvas.to_pixels((end.x, end.y)), canvas.to_pixels((ship.x, ship.y))]
        dash = (4 * canvas.px, 9 * canvas.px)
        drawings.append(partial(_draw_transfer, canvas, points, dash))
    return drawings


def _draw_transfer(canvas: Canvas, points: list[Point], dash: tuple[float, float]) -> None:
    with marking(canvas, "transfer"):
        canvas.draw_line(points, REACH_COLOUR, 5 * canvas.px, dash=dash, chalk=False)


def _draw_attacks(canvas: Canvas, view: SeaView, fleet: VisibleState, upper_layer: UpperLayer) -> None:
    """Draw for each enemy the odds of the current ship's attacks, or why it cannot be attacked."""
    previews_by_enemy: dict[str, list[AttackPreview]] = {}
    for preview in view.attack_previews:
        if preview.target in fleet.ships and fleet.ships[preview.target].is_afloat:
            previews_by_enemy.setdefault(preview.target, []).append(preview)
    current = fleet.ships[view.current_ship or ""]
    barred_previews: list[tuple[float, AttackPreview]] = []  # by the enemy's distance in inches
    for name, previews in previews_by_enemy.items():
        legal_previews = [preview for preview in previews if preview.fault is None]
        for number, preview in enumerate(legal_previews):
            if preview.kind != "shot" and number == 0:  # only the first attack shows its way
                colour = _ATTACK_COLOURS[preview.kind]
                marks.draw_lane(canvas, marks.swept_area(current.code, preview.start, preview.end), colour, 0.75)
            upper_layer.labels.append(
                _odds_label(canvas, fleet, name, preview, f"{name}.{preview.kind}", start=preview.start)
            )
        if not legal_previews and previews:
            ship = fleet.ships[name]
            barred_previews.append((hypot(ship.x - current.x, ship.y - current.y), previews[0]))
    for _, preview in sorted(barred_previews, key=lambda entry: entry[0])[:_MAX_BARRED]:
        _draw_barred(canvas, fleet, preview, upper_layer)


def _odds_label(
    canvas: Canvas, fleet: VisibleState, to: str, attack: AttackPreview | PlannedCourse, key: str, *, start: Pose
) -> Label:
    """Return a badge with an attack's odds; `start` is where the attacking ship is before it."""
    image = draw_odds(attack.kind, attack.odds, ceil(LETTER_PX * canvas.px))
    ship = fleet.ships[to]
    distance = 0.66 * ship.ship_class.length * canvas.scale
    near = canvas.to_pixels((ship.x, ship.y))
    colour = _ATTACK_COLOURS.get(attack.kind, PALE)
    pair = Pair(canvas.to_pixels((start.x, start.y)), near, colour)
    return Label(key, image, near, distance, pair=pair, mark="odds")


def _draw_barred(canvas: Canvas, fleet: VisibleState, preview: AttackPreview, upper_layer: UpperLayer) -> None:
    target = fleet.ships[preview.target]
    a, b = canvas.to_pixels((preview.start.x, preview.start.y)), canvas.to_pixels((target.x, target.y))
    size = ceil(LETTER_PX * canvas.px)
    small = round(size * 0.86)
    parts: list[SignPart] = [signs.draw_sign(preview.kind, small)]
    if not is_in_window(canvas, target):
        parts.insert(0, target.id)
    match preview.fault:
        case "far":
            parts.append(f"{preview.measured:.1f}″ > {preview.limit:g}″")
        case "near":
            parts.append(f"{preview.measured:.1f}″ < {preview.limit:g}″")
        case "angle":
            parts += [signs.draw_sign("angle", small), f"{preview.measured:.0f}°"]
        case "missed":
            parts.append(signs.draw_sign("missed", small))
        case _:
            parts.append(signs.draw_sign("blocked", small))
    if preview.blocker is not None:
        upper_layer.marks.append(partial(strikes.draw_cross, canvas, canvas.to_pixels(preview.blocker)))
    image: Image.Image = signs.draw_row(parts, size, edge=marks.BARRED_COLOUR)
    width, height = canvas.image.size
    near: Point = (min(max(b[0], 0.0), width), min(max(b[1], 0.0), height))
    upper_layer.labels.append(
        Label(
            f"{preview.target}.barred",
            image,
            near,
            0.6 * target.ship_class.length * canvas.scale,
            pair=Pair(a, b, marks.BARRED_COLOUR),
            mark="barred",
        )
    )

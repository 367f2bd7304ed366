"""A plan as its captain sees it: courses and attacks of the draft, reach of the current ship, odds, barred attacks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil, cos, hypot, pi, sin
from typing import Final

from msgspec.structs import replace

from render.drawing.canvas import Point
from render.drawing.marking import shows
from render.drawing.style import INK, Colour
from render.marks import signs, strikes
from render.marks.labels import Label, Pair, UpperLayer
from render.marks.signs import FAIR, GOLD, PALE, SignPart
from render.seas.hexmap import HexCanvas
from render.squadrons import marks
from render.squadrons.liveries import LIVERIES
from render.squadrons.marks import BARRED_COLOUR, REACH_COLOUR, START_COLOUR, middle_pixel, ship_pixel, side_of
from render.squadrons.plates import LETTER_PX
from rules.squadrons.engine.sea.grid import HexPose, parse_hex, parse_place
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview.view import AttackPreview, FleetView, PlannedTrack

ATTACK_SIGNS: Final = {
    "ram": "ram",
    "rake": "rake",
    "X": "through",
    "ana": "anastrophe",
    "grap": "grapple",
    "fire": "shot",
    "cut": "cut",
    "board": "board",
}
_ATTACK_COLOURS: Final[dict[str, Colour]] = {"grap": FAIR, "fire": PALE, "cut": PALE, "board": GOLD}
_LANE_COLOUR: Final[Colour] = (255, 168, 60)
_MAX_BARRED: Final = 4
"""The greatest number of enemies that are marked as not attackable."""


def position_at_speeds(view: FleetView) -> Position:
    """Return the position with ships at the speeds of the viewer's draft."""
    speeds = dict(view.overlay.speeds)
    ships = tuple(replace(ship, speed=speeds.get(ship.id, ship.speed)) for ship in view.position.ships)
    return replace(view.position, ships=ships)


def draw_plan(canvas: HexCanvas, view: FleetView) -> UpperLayer:
    """Draw what lies below the ships. Return what is drawn above them."""
    upper_layer = UpperLayer()
    position = view.position
    marks.tint_hexes(canvas, (parse_hex(label) for label in view.overlay.start_hexes), START_COLOUR, 0.34, "start_hex")
    current = position.ships_by_id.get(view.overlay.current_ship or "")
    if current is not None:
        _draw_reach(canvas, view, upper_layer)
    marks.mark_threats(canvas, (parse_hex(label) for label in view.overlay.threatened_hexes))
    for number, track in enumerate(view.overlay.tracks, 1):
        ship = position.ships_by_id.get(track.ship)
        if ship is not None and ship.is_afloat:
            is_faint = current is not None and current.id != ship.id
            _draw_track(canvas, view, track, upper_layer, number=number, is_faint=is_faint)
    if current is not None and current.is_afloat:
        upper_layer.marks.append(partial(marks.mark_current, canvas, current.place, current.size))
        _draw_odds(canvas, view, current, upper_layer)
    return upper_layer


def _draw_reach(canvas: HexCanvas, view: FleetView, upper_layer: UpperLayer) -> None:
    """Tint the hexes that the current ship can reach, each with the movement points that it costs."""
    costs = {parse_hex(entry.hex): entry.mp for entry in view.overlay.reachable_hexes}
    if not costs:
        legal = [step for step in view.overlay.next_steps if step.to and not step.rule]
        for step in legal:
            bow = parse_place(step.to or "").bow
            costs[bow] = min(step.mp, costs.get(bow, step.mp))
    marks.tint_hexes(canvas, costs, REACH_COLOUR, 0.3, "reach")
    free_hexes = [(at, mp) for at, mp in costs.items() if at not in view.position.ships_by_hex]
    upper_layer.marks.append(partial(marks.write_numbers, canvas, free_hexes, REACH_COLOUR))


def _draw_track(
    canvas: HexCanvas, view: FleetView, track: PlannedTrack, upper_layer: UpperLayer, *, number: int, is_faint: bool
) -> None:
    """Draw one ship's course, its alternative course thin, its targets, and where it cannot go on.

    `number` is the ship's in the order of execution.
    """
    position = view.position
    ship = position.ships_by_id[track.ship]
    side = side_of(ship)
    opacity = 0.6 if is_faint else 1.0
    places = [parse_place(place) for place in track.places] or [ship.place]
    alternative = [parse_place(place) for place in track.alternative]
    if alternative:
        marks.draw_course(canvas, [place.bow for place in alternative], side, 0.7 * opacity, thin=True)
        marks.draw_ghost(canvas, ship, alternative[-1], 0.28 * opacity, "ghost")
    end = places[-1]
    if end != places[0]:
        marks.draw_ghost(canvas, ship, end, 0.6 * opacity, "ghost")
        upper_layer.obstacles.append(marks.ship_obstacle(canvas, end, ship.size, 30))
    marks.draw_course(canvas, [place.bow for place in places], side, opacity)
    if track.rule:
        upper_layer.marks.append(partial(marks.mark_stop, canvas, canvas.hex_pixel(end.hex_ahead)))
    odds_by_attack = {(preview.attack, preview.target): preview for preview in track.odds}
    for attack, name in track.attacks:
        target = position.ships_by_id.get(name)
        if target is None or not target.is_afloat:
            continue
        upper_layer.marks += _target_marks(canvas, ship, end, target, attack)
        odds = odds_by_attack.get((attack, name))
        if canvas.is_in_window(target.bow):
            at = middle_pixel(canvas, end, ship.size)
            upper_layer.labels.append(_odds_label(canvas, target, attack, odds, f"{ship.id}.{attack}.{name}", start=at))
    size = round(min(LETTER_PX * canvas.px, 0.8 * canvas.edge_px + 6 * canvas.px))
    at = _stern_pixel(canvas, end, ship.size)
    upper_layer.marks.append(partial(_draw_number, canvas, at, f"{number}.", side, size))
    upper_layer.add_obstacle(at, size * 0.62, 200)


def _stern_pixel(canvas: HexCanvas, place: HexPose, size: int) -> Point:
    x, y = canvas.hex_pixel(place.stern_hex(size))  # `size` is in hexes
    angle = pi / 3 * place.facing
    distance = 0.55 * canvas.edge_px
    return x - distance * sin(angle), y + distance * cos(angle)


@shows("number")
def _draw_number(canvas: HexCanvas, at: Point, text: str, side: int, size: int) -> None:
    strikes.draw_disc(canvas, at, size * 0.6, LIVERIES[side].base, INK)
    canvas.draw_centred_text(at, text, round(size * 0.86), LIVERIES[side].on_base, rim=LIVERIES[side].base)


def _target_marks(canvas: HexCanvas, ship: Ship, end: HexPose, target: Ship, attack: str) -> list[Callable[[], None]]:
    """Return the drawings of an attack that is ordered from `end`, where the ship's course ends."""
    a, b = canvas.hex_pixel(end.bow), ship_pixel(canvas, target)
    if attack == "fire":
        return [partial(strikes.draw_missiles, canvas, middle_pixel(canvas, end, ship.size), b, fire=False)]
    colour = _ATTACK_COLOURS.get(attack, _LANE_COLOUR)
    drawings: list[Callable[[], None]] = [partial(marks.mark_target, canvas, target, colour)]
    if attack in ("ram", "rake", "X", "ana"):
        width = max(2.0, 0.14 * canvas.edge_px)
        thrust = [a, strikes.point_between(a, b, 0.7)]
        drawings.append(partial(_draw_thrust, canvas, thrust, colour, width))
    return drawings


@shows("thrust")
def _draw_thrust(canvas: HexCanvas, points: list[Point], colour: Colour, width: float) -> None:
    strikes.draw_course(canvas, points, colour, width, tip=2.6)


def _draw_odds(canvas: HexCanvas, view: FleetView, current: Ship, upper_layer: UpperLayer) -> None:
    """Draw the odds of the current ship's attacks on each enemy, or a sign that the enemy cannot be attacked."""
    own_tracks = (track for track in view.overlay.tracks if track.ship == current.id)
    ordered_attacks = {(attack, name) for track in own_tracks for attack, name in track.attacks}
    at = ship_pixel(canvas, current)
    barred_attacks: list[tuple[float, Ship, AttackPreview]] = []  # with the enemy and its distance in pixels
    attackable_ids = {preview.target for preview in view.overlay.attack_previews if not preview.rule}
    for preview in view.overlay.attack_previews:
        target = view.position.ships_by_id.get(preview.target)
        if (
            target is None
            or not canvas.is_in_window(target.bow)
            or not target.is_afloat
            or (preview.attack, preview.target) in ordered_attacks
        ):
            continue
        if not preview.rule:
            upper_layer.labels.append(
                _odds_label(canvas, target, preview.attack, preview, f"{preview.target}.{preview.attack}", start=at)
            )
        elif preview.target not in attackable_ids and all(other.id != preview.target for _, other, _ in barred_attacks):
            ax, ay = canvas.hex_pixel(current.bow)
            bx, by = canvas.hex_pixel(target.bow)
            barred_attacks.append((hypot(ax - bx, ay - by), target, preview))
    for _, target, preview in sorted(barred_attacks, key=lambda entry: entry[0])[:_MAX_BARRED]:
        upper_layer.labels.append(_odds_label(canvas, target, preview.attack, preview, f"{target.id}.barred", start=at))


def _odds_label(
    canvas: HexCanvas, target: Ship, attack: str, odds: AttackPreview | None, key: str, *, start: Point
) -> Label:
    """Return a label with an attack's sign, and with its dice and chance or the sign of a barred attack.

    `start` is the middle of the attacking ship, in pixels.
    """
    size = ceil(LETTER_PX * canvas.px)
    small = round(size * 0.86)
    parts: list[SignPart] = [signs.draw_sign(ATTACK_SIGNS[attack], small)]
    edge: Colour = PALE
    if odds is not None and odds.rule:
        parts.append(signs.draw_sign("blocked", small))
        edge = BARRED_COLOUR
    elif odds is not None and odds.min_roll:
        parts += [signs.draw_die(face, small) for face in ((5, 2)[: odds.dice_count])]
        parts += [f"{odds.min_roll}+", f"{odds.percent}%"]
        edge = FAIR if odds.percent >= 50 else PALE
    mark = "barred" if odds is not None and odds.rule else "odds"
    near = ship_pixel(canvas, target)
    colour = BARRED_COLOUR if mark == "barred" else _ATTACK_COLOURS.get(attack, _LANE_COLOUR)
    image = signs.draw_row(parts, size, edge=edge)
    return Label(key, image, near, canvas.edge_px, pair=Pair(start, near, colour), mark=mark)

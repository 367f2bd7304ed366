"""A plan as its captain sees it: ways and aims of the draft, reach of the ship in hand, odds, what is barred."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil, cos, hypot, pi, sin
from typing import Final

from msgspec.structs import replace

from render import signs, strikes
from render.above import Above
from render.hexmap import HexCanvas
from render.signs import FAIR, GOLD, INK, PALE, Part
from render.squadrons import marks
from render.squadrons.liveries import LIVERIES
from render.squadrons.marks import REACH, SHUT, START, middle, side_of
from render.squadrons.plates import LETTER
from render.style import Colour
from render.tags import Tag
from rules.squadrons.desk.preview.view import FleetView, Odds, Track
from rules.squadrons.table.sea.grid import Place, read_hex, read_place
from rules.squadrons.table.sea.state import Position, Ship

SIGNS: Final = {
    "ram": "ram",
    "rake": "rake",
    "X": "through",
    "ana": "anastrophe",
    "grap": "grapple",
    "fire": "shot",
    "cut": "cut",
    "board": "board",
}
"""Of attacks."""
_COLOURS: Final[dict[str, Colour]] = {"grap": FAIR, "fire": PALE, "cut": PALE, "board": GOLD}
_LANE: Final[Colour] = (255, 168, 60)
_BARRED: Final = 4
"""Most enemies about which it is said that they cannot be attacked."""


def at_speeds(view: FleetView) -> Position:
    """The sea with the ships at the speeds that the viewer's draft gives them."""
    speeds = dict(view.overlay.speeds)
    ships = tuple(replace(ship, speed=speeds.get(ship.id, ship.speed)) for ship in view.position.ships)
    return replace(view.position, ships=ships)


def plan(canvas: HexCanvas, view: FleetView) -> Above:
    """Draw what lies below the ships; returns what is drawn above them."""
    above, position = Above(), view.position
    marks.tint(canvas, (read_hex(label) for label in view.overlay.start), START, 0.34)
    hand = position.by_id.get(view.overlay.current or "")
    if hand is not None:
        _reach(canvas, view, above)
    marks.threaten(canvas, (read_hex(label) for label in view.overlay.threats))
    for number, track in enumerate(view.overlay.tracks, 1):
        ship = position.by_id.get(track.ship)
        if ship is not None and ship.afloat:
            _track(canvas, view, track, above, (number, hand is None or hand.id == ship.id))
    if hand is not None and hand.afloat:
        above.marks.append(partial(marks.chosen, canvas, hand.place, hand.size))
        _odds(canvas, view, hand, above)
    return above


def _reach(canvas: HexCanvas, view: FleetView, above: Above) -> None:
    """Hexes to which the bow can be brought, with the movement points that it takes."""
    reached = {read_hex(each.hex): each.mp for each in view.overlay.reach}
    if not reached:
        legal = [step for step in view.overlay.steps if step.to and not step.rule]
        for step in legal:
            bow = read_place(step.to or "").bow
            reached[bow] = min(step.mp, reached.get(bow, step.mp))
    marks.tint(canvas, reached, REACH, 0.3)
    free = [(at, mp) for at, mp in reached.items() if at not in view.position.occupied]
    above.marks.append(partial(marks.numbers, canvas, free, REACH))


def _track(canvas: HexCanvas, view: FleetView, track: Track, above: Above, shown: tuple[int, bool]) -> None:
    """The way of one ship, her `else` thin, her target, and where she cannot go on.

    Shown with her: her place in the order of execution, and whether she is drawn plainly.
    """
    position, ship = view.position, view.position.by_id[track.ship]
    side, part = side_of(ship), 1.0 if shown[1] else 0.6
    places = [read_place(place) for place in track.places] or [ship.place]
    branch = [read_place(place) for place in track.alternative]
    if branch:
        marks.way(canvas, [place.bow for place in branch], side, 0.7 * part, thin=True)
        marks.ghost(canvas, ship, branch[-1], 0.28 * part)
    end = places[-1]
    if end != places[0]:
        marks.ghost(canvas, ship, end, 0.6 * part)
        above.obstacles.append(marks.obstacle(canvas, end, ship.size, 30))
    marks.way(canvas, [place.bow for place in places], side, part)
    if track.rule:
        above.marks.append(partial(marks.stopped, canvas, canvas.spot(end.ahead)))
    needs = {(each.attack, each.to): each for each in track.odds}
    for attack, name in track.attacks:
        target = position.by_id.get(name)
        if target is None or not target.afloat:
            continue
        above.marks += _aimed(canvas, ship, end, target, attack)
        odds = needs.get((attack, name))
        if canvas.sees(target.bow):
            above.tags.append(_tag(canvas, target, attack, odds, f"{ship.id}.{attack}.{name}"))
    size = round(min(LETTER * canvas.unit, 0.8 * canvas.scale + 6 * canvas.unit))
    at = _astern(canvas, end, ship.size)
    above.marks.append(partial(_number, canvas, at, f"{shown[0]}.", (side, size)))
    above.keep_off(at, size * 0.62, 200)


def _astern(canvas: HexCanvas, place: Place, size: int) -> tuple[float, float]:
    """A pixel at the stern."""
    x, y = canvas.spot(place.stern(size))
    turn, far = pi / 3 * place.facing, 0.55 * canvas.scale
    return x - far * sin(turn), y + far * cos(turn)


def _number(canvas: HexCanvas, at: tuple[float, float], words: str, look: tuple[int, int]) -> None:
    """The place of a ship in the order of execution, in her side's colours, letters so many pixels high."""
    side, size = look
    strikes.disc(canvas, at, size * 0.6, LIVERIES[side].base, INK)
    canvas.centred(at, words, round(size * 0.86), LIVERIES[side].on_base, rim=LIVERIES[side].base)


def _aimed(canvas: HexCanvas, ship: Ship, end: Place, target: Ship, attack: str) -> list[Callable[[], None]]:
    """The target of an attack, and the line of it."""
    a, b = canvas.spot(end.bow), middle(canvas, target.place, target.size)
    if attack == "fire":
        return [partial(strikes.shot, canvas, middle(canvas, end, ship.size), b, fire=False)]
    colour = _COLOURS.get(attack, _LANE)
    found: list[Callable[[], None]] = [partial(marks.aimed_at, canvas, target, colour)]
    if attack in ("ram", "rake", "X", "ana"):
        wide = max(2.0, 0.14 * canvas.scale)
        found.append(partial(_thrust, canvas, a, strikes.mid(a, b, 0.7), colour, wide))
    return found


def _thrust(canvas: HexCanvas, a: tuple[float, float], b: tuple[float, float], colour: Colour, wide: float) -> None:
    for tone, thick in ((INK, 1.9 * wide), (colour, wide)):
        canvas.line([a, b], tone, thick, chalk=False)
        canvas.fill(strikes.arrow(a, b, (3.4 if tone == INK else 2.6) * wide), tone)


def _odds(canvas: HexCanvas, view: FleetView, hand: Ship, above: Above) -> None:
    """What the ship in hand may do to each enemy, with its odds, or that it is barred."""
    hers = (track for track in view.overlay.tracks if track.ship == hand.id)
    ordered = {(attack, name) for track in hers for attack, name in track.attacks}
    barred: list[tuple[float, Ship, Odds]] = []
    legal = {each.to for each in view.overlay.odds if not each.rule}
    for each in view.overlay.odds:
        target = view.position.by_id.get(each.to)
        if target is None or not canvas.sees(target.bow) or not target.afloat or (each.attack, each.to) in ordered:
            continue
        if not each.rule:
            above.tags.append(_tag(canvas, target, each.attack, each, f"{each.to}.{each.attack}"))
        elif each.to not in legal and all(other.id != each.to for _, other, _ in barred):
            (ax, ay), (bx, by) = canvas.spot(hand.bow), canvas.spot(target.bow)
            barred.append((hypot(ax - bx, ay - by), target, each))
    for _, target, each in sorted(barred, key=lambda found: found[0])[:_BARRED]:
        size = ceil(LETTER * canvas.unit)
        parts: list[Part] = [
            signs.sign(SIGNS[each.attack], round(size * 0.86)),
            signs.sign("blocked", round(size * 0.86)),
        ]
        image = signs.row(parts, size, edge=SHUT)
        above.tags.append(Tag(f"{target.id}.barred", image, middle(canvas, target.place, target.size), canvas.scale))


def _tag(canvas: HexCanvas, target: Ship, attack: str, odds: Odds | None, key: str) -> Tag:
    """A plate with what an attack needs."""
    size = ceil(LETTER * canvas.unit)
    small = round(size * 0.86)
    parts: list[Part] = [signs.sign(SIGNS[attack], small)]
    edge: Colour = PALE
    if odds is not None and odds.rule:
        parts.append(signs.sign("blocked", small))
        edge = SHUT
    elif odds is not None and odds.need:
        parts += [signs.die(face, small) for face in ((5, 2)[: odds.dice])]
        parts += [f"{odds.need}+", f"{odds.percent}%"]
        edge = FAIR if odds.percent >= 50 else PALE
    return Tag(key, signs.row(parts, size, edge=edge), middle(canvas, target.place, target.size), canvas.scale)

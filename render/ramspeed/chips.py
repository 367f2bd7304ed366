"""Dice as rolled, on plates beside the ships they were rolled for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from PIL import Image

from render import signs
from render.canvas import Canvas
from render.ramspeed.badges import LETTER
from render.signs import AMBER, FAIR, GOLD, PALE, WOUND, Part
from render.style import Colour
from render.tags import Tag
from rules.protocol import Event
from rules.ramspeed.retelling import Act, Fleet
from rules.ramspeed.table import events


def chips(canvas: Canvas, act: Act) -> list[Tag]:
    """All dice of an act, each near the ship of which they decide."""
    size = ceil(LETTER * canvas.unit)
    found = []
    for number, event in enumerate(act.events):
        image = chip(event, size)
        if image is not None:
            found.append(tag(canvas, image, event, act.after, number))
    return found


def tag(canvas: Canvas, image: Image.Image, event: Event, fleet: Fleet, number: int = 0) -> Tag:
    """A plate near the ships of which it speaks."""
    ships = [fleet.ships[name] for name in about(event) if name in fleet.ships]
    x = sum(ship.x for ship in ships) / max(1, len(ships))
    y = sum(ship.y for ship in ships) / max(1, len(ships))
    key = f"{type(event).__name__}{number}"
    return Tag(key, image, canvas.at((x, y)), 0.7 * canvas.scale)


def about(event: Event) -> Iterable[str]:
    """The ships at which what an event rolls is shown."""
    match event:
        case events.Rammed() | events.Hooks() | events.Shot() | events.Spread():
            return (event.to,)
        case events.Melee():
            return event.ships
        case events.Linked():
            return event.a, event.b
        case _:
            return (getattr(event, "ship", ""),)


@dataclass(frozen=True)
class _Row:
    """What stands on a plate, and the colour of its edge."""

    parts: list[Part]
    edge: Colour = PALE


def chip(event: Event, size: int) -> Image.Image | None:
    """What an event rolled and what came of it; None if it rolled nothing that is worth a plate."""
    write = _PLATES.get(type(event))
    if write is None:
        return None
    written = write(_Plates(round(size * 0.86)), event)
    return signs.row(written.parts, size, edge=written.edge)


class _Plates(signs.Writer):
    """What stands on the plate of each event."""

    def ram(self, event: events.Rammed) -> _Row:
        edge = {"sunk": WOUND, "stuck": WOUND, "dead": AMBER, "immobilised": AMBER}.get(event.result, PALE)
        return _Row([self.sign("ram"), *self.dice(*event.dice), *_sum(event), self.sign(event.result)], edge)

    def oars(self, event: events.Oars) -> _Row:
        edge = {"bank": WOUND, "immobilised": AMBER}.get(event.result, PALE)
        return _Row([self.sign("swipe"), *self.dice(*event.dice), *_sum(event), self.sign(event.result)], edge)

    def defence(self, event: events.Defended) -> _Row:
        verdict = self.sign("yes" if event.success else "no")
        return _Row([self.sign(event.option), *self.dice(event.die), verdict], FAIR if event.success else WOUND)

    def hooks(self, event: events.Hooks) -> _Row:
        own, other = event.dice
        more = [_signed(event.modifier)] if event.modifier else []
        parts = [
            self.sign("grapple"),
            *self.dice(own),
            *more,
            "≥" if event.success else "<",
            *self.dice(other, face=_FACES[1]),
        ]
        return _Row([*parts, *([self.sign("linked")] if event.success else [])], GOLD if event.success else PALE)

    def shot(self, event: events.Shot) -> _Row:
        if event.kind == "fire":
            outcome: list[Part] = [self.sign("fire" if event.caught else "none")]
            return _Row([self.sign("shot"), *self.dice(event.die), *outcome], WOUND if event.caught else PALE)
        return _Row([self.sign("shot"), *self.dice(event.die), f"−{event.lost}", self.sign("crew")], WOUND)

    def spread(self, event: events.Spread) -> _Row:
        verdict = self.sign("yes" if event.caught else "no")
        return _Row(
            [self.sign("fire"), *self.dice(event.die), f"{event.need}+", verdict], WOUND if event.caught else PALE
        )

    def fire(self, event: events.Fire) -> _Row:
        outcome: Part = str(event.markers) if event.markers else self.sign("yes")
        return _Row([self.sign("fire"), *self.dice(event.die), outcome], WOUND if event.markers else FAIR)

    def melee(self, event: events.Melee) -> _Row:
        first, second = (
            [*self.dice(*thrown, face=_FACES[side]), f"−{done}"]
            for side, (thrown, done) in enumerate(zip(event.dice, event.inflicted, strict=True))
        )
        return _Row([*first, self.sign("melee"), *second], GOLD)

    def sunk(self, event: events.Sunk) -> _Row:
        return _Row([self.sign("sunk"), event.ship], WOUND)

    def taken(self, event: events.Prize | events.Captured) -> _Row:
        return _Row([self.sign("prize"), event.ship], GOLD)

    def handed_over(self, event: events.Transferred) -> _Row:
        verdict = [] if event.done else [self.sign("no")]
        return _Row([self.sign("crew"), str(abs(event.crew)), *self.dice(event.die), *verdict])


_PLATES: Final[dict[type[Event], Callable[[_Plates, Any], _Row]]] = {
    events.Rammed: _Plates.ram,
    events.Oars: _Plates.oars,
    events.Defended: _Plates.defence,
    events.Hooks: _Plates.hooks,
    events.Shot: _Plates.shot,
    events.Spread: _Plates.spread,
    events.Fire: _Plates.fire,
    events.Melee: _Plates.melee,
    events.Sunk: _Plates.sunk,
    events.Prize: _Plates.taken,
    events.Captured: _Plates.taken,
    events.Transferred: _Plates.handed_over,
}


def _signed(number: int) -> str:
    return f"{number:+d}".replace("-", "−")


def _sum(event: events.Rammed | events.Oars) -> list[Part]:
    """What is added to dice, and what that makes."""
    return [*([_signed(event.modifier)] if event.modifier else []), f"= {event.total}"]


_FACES: Final[tuple[Colour, Colour]] = (signs.BONE, (240, 158, 148))
"""Dice of the first side and of the second, or of the acting side and the other."""


def plated() -> frozenset[type[Event]]:
    """Events that have plates."""
    return frozenset(_PLATES)

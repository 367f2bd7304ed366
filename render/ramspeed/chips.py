"""Dice results on plates beside the ships for which they were rolled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from PIL import Image

from render.drawing.canvas import Canvas
from render.drawing.style import Colour
from render.marks import signs
from render.marks.labels import Label
from render.marks.signs import AMBER, FAIR, GOLD, PALE, WOUND, SignPart
from render.ramspeed.badges import LETTER_PX
from rules.core.protocol import Event
from rules.ramspeed.engine import events
from rules.ramspeed.retelling import StoryMoment, VisibleState


def dice_labels(canvas: Canvas, act: StoryMoment) -> list[Label]:
    """Return a label for each roll of an act, near the ship that it affects."""
    size = ceil(LETTER_PX * canvas.unit)
    labels = []
    for number, event in enumerate(act.events):
        image = draw_event_plate(event, size)
        if image is not None:
            labels.append(plate_label(canvas, image, event, act.after, number))
    return labels


def plate_label(canvas: Canvas, image: Image.Image, event: Event, fleet: VisibleState, number: int = 0) -> Label:
    """Return a label with the plate, in the middle of the ships that the event affects."""
    ships = [fleet.ships[name] for name in ships_of_dice(event) if name in fleet.ships]
    x = sum(ship.x for ship in ships) / max(1, len(ships))
    y = sum(ship.y for ship in ships) / max(1, len(ships))
    key = f"{event.__struct_config__.tag}{number}"
    return Label(key, image, canvas.to_pixels((x, y)), 0.7 * canvas.scale)


def ships_of_dice(event: Event) -> Iterable[str]:
    """Return the ids of the ships beside which an event's dice are shown."""
    match event:
        case events.ShipRammed() | events.HooksThrown() | events.ShotFired() | events.FireSpreadChecked():
            return (event.to,)
        case events.MeleeFought():
            return event.ships
        case events.ShipsLinked():
            return event.a, event.b
        case _:
            return (getattr(event, "ship", ""),)


@dataclass(frozen=True)
class _PlateRow:
    parts: list[SignPart]
    edge: Colour = PALE


def draw_event_plate(event: Event, size: int) -> Image.Image | None:
    """Draw what an event rolled and its result. Return None if the event has no plate."""
    make_row = _PLATE_BY_EVENT.get(type(event))
    if make_row is None:
        return None
    row = make_row(_EventPlates(round(size * 0.86)), event)
    return signs.draw_row(row.parts, size, edge=row.edge)


class _EventPlates(signs.PlateWriter):
    def ram_row(self, event: events.ShipRammed) -> _PlateRow:
        edge = {"sunk": WOUND, "stuck": WOUND, "dead": AMBER, "immobilised": AMBER}.get(event.result, PALE)
        return _PlateRow(
            [self.draw_sign("ram"), *self.draw_dice(*event.dice), *_sum_parts(event), self.draw_sign(event.result)],
            edge,
        )

    def oars_row(self, event: events.SwipeResolved) -> _PlateRow:
        edge = {"bank": WOUND, "immobilised": AMBER}.get(event.result, PALE)
        return _PlateRow(
            [self.draw_sign("swipe"), *self.draw_dice(*event.dice), *_sum_parts(event), self.draw_sign(event.result)],
            edge,
        )

    def defence_row(self, event: events.DefenceTried) -> _PlateRow:
        verdict = self.draw_sign("yes" if event.success else "no")
        return _PlateRow(
            [self.draw_sign(event.option), *self.draw_dice(event.die), verdict], FAIR if event.success else WOUND
        )

    def hooks_row(self, event: events.HooksThrown) -> _PlateRow:
        own_die, other_die = event.dice
        modifiers = [_signed_text(event.modifier)] if event.modifier else []
        parts = [
            self.draw_sign("grapple"),
            *self.draw_dice(own_die),
            *modifiers,
            "≥" if event.success else "<",
            *self.draw_dice(other_die, face=_DIE_FACES[1]),
        ]
        return _PlateRow(
            [*parts, *([self.draw_sign("linked")] if event.success else [])], GOLD if event.success else PALE
        )

    def shot_row(self, event: events.ShotFired) -> _PlateRow:
        if event.kind == "fire":
            outcome: list[SignPart] = [self.draw_sign("fire" if event.caught else "none")]
            return _PlateRow(
                [self.draw_sign("shot"), *self.draw_dice(event.die), *outcome], WOUND if event.caught else PALE
            )
        return _PlateRow(
            [self.draw_sign("shot"), *self.draw_dice(event.die), f"−{event.lost}", self.draw_sign("crew")], WOUND
        )

    def fire_spread_row(self, event: events.FireSpreadChecked) -> _PlateRow:
        verdict = self.draw_sign("yes" if event.caught else "no")
        return _PlateRow(
            [self.draw_sign("fire"), *self.draw_dice(event.die), f"{event.need}+", verdict],
            WOUND if event.caught else PALE,
        )

    def fire_row(self, event: events.FireFought) -> _PlateRow:
        outcome: SignPart = str(event.markers) if event.markers else self.draw_sign("yes")
        return _PlateRow(
            [self.draw_sign("fire"), *self.draw_dice(event.die), outcome], WOUND if event.markers else FAIR
        )

    def melee_row(self, event: events.MeleeFought) -> _PlateRow:
        first, second = (
            [*self.draw_dice(*thrown, face=_DIE_FACES[side]), f"−{loss}"]
            for side, (thrown, loss) in enumerate(zip(event.dice, event.inflicted, strict=True))
        )
        return _PlateRow([*first, self.draw_sign("melee"), *second], GOLD)

    def sinking_row(self, event: events.ShipSunk) -> _PlateRow:
        return _PlateRow([self.draw_sign("sunk"), event.ship], WOUND)

    def capture_row(self, event: events.ShipCaptured | events.DerelictManned) -> _PlateRow:
        return _PlateRow([self.draw_sign("prize"), event.ship], GOLD)

    def transfer_row(self, event: events.CrewTransferred) -> _PlateRow:
        verdict = [] if event.done else [self.draw_sign("no")]
        return _PlateRow([self.draw_sign("crew"), str(abs(event.crew)), *self.draw_dice(event.die), *verdict])


_PLATE_BY_EVENT: Final[dict[type[Event], Callable[[_EventPlates, Any], _PlateRow]]] = {
    events.ShipRammed: _EventPlates.ram_row,
    events.SwipeResolved: _EventPlates.oars_row,
    events.DefenceTried: _EventPlates.defence_row,
    events.HooksThrown: _EventPlates.hooks_row,
    events.ShotFired: _EventPlates.shot_row,
    events.FireSpreadChecked: _EventPlates.fire_spread_row,
    events.FireFought: _EventPlates.fire_row,
    events.MeleeFought: _EventPlates.melee_row,
    events.ShipSunk: _EventPlates.sinking_row,
    events.ShipCaptured: _EventPlates.capture_row,
    events.DerelictManned: _EventPlates.capture_row,
    events.CrewTransferred: _EventPlates.transfer_row,
}


def _signed_text(number: int) -> str:
    return f"{number:+d}".replace("-", "−")


def _sum_parts(event: events.ShipRammed | events.SwipeResolved) -> list[SignPart]:
    return [*([_signed_text(event.modifier)] if event.modifier else []), f"= {event.total}"]


_DIE_FACES: Final[tuple[Colour, Colour]] = (signs.BONE, (240, 158, 148))
"""Dice of the first side and of the second, or of the acting side and the other."""


def plated_event_types() -> frozenset[type[Event]]:
    return frozenset(_PLATE_BY_EVENT)

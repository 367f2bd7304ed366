"""Dice results on plates beside the ships for which they were rolled."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil
from typing import Any, Final

from PIL import Image

from render.drawing.style import Colour
from render.marks import signs
from render.marks.labels import Label
from render.marks.signs import AMBER, FAIR, GOLD, PALE, WOUND, SignPart
from render.seas.hexmap import HexCanvas
from render.squadrons.marks import middle_pixel
from render.squadrons.plates import LETTER_PX
from rules.core.protocol import Event
from rules.squadrons.engine import events
from rules.squadrons.engine.sea.state import Position
from rules.squadrons.retelling import StoryMoment


def dice_labels(canvas: HexCanvas, act: StoryMoment, size: int | None = None) -> list[Label]:
    """Return a label for each roll of an act, near the ship that it affects."""
    letter = size or ceil(LETTER_PX * canvas.unit)
    labels = []
    for number, event in enumerate(act.events):
        image = draw_event_plate(event, letter)
        if image is not None:
            labels.append(
                plate_label(canvas, image, event, act.after, f"{act.activation_number}.{act.acting_ship}.{number}")
            )
    return labels


def plate_label(canvas: HexCanvas, image: Image.Image, event: Event, position: Position, key: str = "") -> Label:
    ship = position.ships_by_id[ship_of_dice(event)]
    return Label(
        f"{key}{event.__struct_config__.tag}", image, middle_pixel(canvas, ship.place, ship.size), 0.95 * canvas.scale
    )


def ship_of_dice(event: Event) -> str:
    """Return the id of the ship beside which an event's dice are shown."""
    return str(getattr(event, "target", None) or getattr(event, "ship", ""))


@lru_cache(maxsize=256)
def draw_event_plate(event: Event, size: int) -> Image.Image | None:
    """Draw what an event rolled and its result. Return None if the event has no plate."""
    make_row = _PLATE_BY_EVENT.get(type(event))
    if make_row is None:
        return None
    parts, edge = make_row(_EventPlates(round(size * 0.86)), event)
    return signs.draw_row(parts, size, edge=edge)


_PlateRow = tuple[list[SignPart], Colour]


class _EventPlates(signs.PlateWriter):
    def attack_row(self, name: str, event: Any, *, ok: bool, outcome: str, edge: Colour) -> _PlateRow:  # noqa: ANN401 - several
        """Return a row with dice and modifiers against the number that was needed."""
        dice = getattr(event, "dice", None) or (event.die,)
        total = getattr(event, "adjusted", sum(dice) + getattr(event, "drm", 0))
        drm = getattr(event, "drm", 0)
        modifiers: list[SignPart] = [f"{drm:+d}".replace("-", "−")] if drm else []
        verdict = f"{'≥' if total >= event.need else '<'} {event.need}"
        added: list[SignPart] = [f"= {total}"] if drm or len(dice) > 1 else []
        return [
            self.draw_sign(name),
            *self.draw_dice(*dice),
            *modifiers,
            *added,
            verdict,
            self.draw_sign(outcome),
        ], edge if ok else PALE

    def ram_row(self, event: events.ShipRammed) -> _PlateRow:
        ok = event.result == "rammed"
        return self.attack_row("ram", event, ok=ok, outcome="holed" if ok else "glanced", edge=WOUND)

    def rake_row(self, event: events.ShipRaked) -> _PlateRow:
        side = "crippled-port" if event.side == "p" else "crippled-starboard"
        return self.attack_row("rake", event, ok=event.ok, outcome=side if event.ok else "none", edge=WOUND)

    def grapple_row(self, event: events.ShipGrappled) -> _PlateRow:
        return self.attack_row("grapple", event, ok=event.ok, outcome="linked" if event.ok else "no", edge=GOLD)

    def boarding_row(self, event: events.ShipBoarded) -> _PlateRow:
        ok = event.result == "captured"
        parts, edge = self.attack_row("board", event, ok=ok, outcome="prize" if ok else "no", edge=GOLD)
        return [parts[0], str(event.m), self.draw_sign("crew"), *parts[1:]], edge

    def cut_loose_row(self, event: events.CutTried | events.UnfoulTried) -> _PlateRow:
        return self.attack_row("cut", event, ok=event.ok, outcome="yes" if event.ok else "no", edge=FAIR)

    def shot_row(self, event: events.ShotFired) -> _PlateRow:
        sign: list[SignPart] = [self.draw_sign("shot"), *self.draw_dice(event.die)]
        modifiers: list[SignPart] = [f"{event.drm:+d}".replace("-", "−")] if event.drm else []
        hit = event.result != "-"
        outcome: list[SignPart] = ["−1", self.draw_sign("crew")] if hit else [self.draw_sign("none")]
        return [*sign, *modifiers, *outcome], AMBER if hit else PALE

    def ignition_row(self, event: events.IgnitionRolled) -> _PlateRow:
        verdict = self.draw_sign("fire" if event.ok else "none")
        return [self.draw_sign("fire"), *self.draw_dice(event.die), verdict], WOUND if event.ok else PALE

    def avoidance_row(self, event: events.AvoidanceTried) -> _PlateRow:
        verdict = f"{'≤' if event.die <= event.crew else '>'} {event.crew}"
        parts = [
            self.draw_sign("avoid"),
            *self.draw_dice(event.die),
            verdict,
            self.draw_sign("yes" if event.ok else "no"),
        ]
        return parts, FAIR if event.ok else PALE

    def firefight_row(self, event: events.FireFought) -> _PlateRow:
        outcome = {"out": "yes", "burnt": "sunk"}.get(event.effect, "fire")
        return [
            self.draw_sign("fire"),
            *self.draw_dice(event.die),
            self.draw_sign(outcome),
        ], FAIR if event.effect == "out" else WOUND

    def sinking_roll_row(self, event: events.SinkRolled) -> _PlateRow:
        verdict = self.draw_sign("sunk" if event.sinks else "none")
        return [self.draw_sign("holed"), *self.draw_dice(event.die), verdict], WOUND if event.sinks else PALE

    def sinking_row(self, event: events.ShipSunk) -> _PlateRow:
        return [self.draw_sign("sunk"), event.ship], WOUND

    def grounding_row(self, event: events.ShipGrounded) -> _PlateRow:
        return [self.draw_sign("beached"), event.ship], WOUND


_PLATE_BY_EVENT: Final[dict[type[Event], Callable[[_EventPlates, Any], _PlateRow]]] = {
    events.ShipRammed: _EventPlates.ram_row,
    events.ShipRaked: _EventPlates.rake_row,
    events.ShipGrappled: _EventPlates.grapple_row,
    events.ShipBoarded: _EventPlates.boarding_row,
    events.CutTried: _EventPlates.cut_loose_row,
    events.UnfoulTried: _EventPlates.cut_loose_row,
    events.ShotFired: _EventPlates.shot_row,
    events.IgnitionRolled: _EventPlates.ignition_row,
    events.AvoidanceTried: _EventPlates.avoidance_row,
    events.FireFought: _EventPlates.firefight_row,
    events.SinkRolled: _EventPlates.sinking_roll_row,
    events.ShipSunk: _EventPlates.sinking_row,
    events.ShipGrounded: _EventPlates.grounding_row,
}


def plated_event_types() -> frozenset[type[Event]]:
    return frozenset(_PLATE_BY_EVENT)

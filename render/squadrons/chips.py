"""Dice as rolled, on plates beside the ships they were rolled for."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil
from typing import Any, Final

from PIL import Image

from render import signs
from render.hexmap import HexCanvas
from render.signs import AMBER, FAIR, GOLD, PALE, WOUND, Part
from render.squadrons.marks import middle
from render.squadrons.plates import LETTER
from render.style import Colour
from render.tags import Tag
from rules.protocol import Event
from rules.squadrons.retelling import Act
from rules.squadrons.table import events
from rules.squadrons.table.sea.state import Position


def chips(canvas: HexCanvas, act: Act, size: int | None = None) -> list[Tag]:
    """All dice of an act, each near the ship of which they decide."""
    letter = size or ceil(LETTER * canvas.unit)
    found = []
    for number, event in enumerate(act.events):
        image = chip(event, letter)
        if image is not None:
            found.append(tag(canvas, image, event, act.after, f"{act.squadron}.{act.by}.{number}"))
    return found


def tag(canvas: HexCanvas, image: Image.Image, event: Event, position: Position, key: str = "") -> Tag:
    """A plate near the ship of which it speaks."""
    one = position.by_id[subject(event)]
    return Tag(f"{key}{type(event).__name__}", image, middle(canvas, one.place, one.size), 0.95 * canvas.scale)


def subject(event: Event) -> str:
    """The ship at which what an event rolls is shown."""
    return str(getattr(event, "target", None) or getattr(event, "ship", ""))


@lru_cache(maxsize=256)
def chip(event: Event, size: int) -> Image.Image | None:
    """What an event rolled and what came of it; None if it rolled nothing that is worth a plate."""
    write = _PLATES.get(type(event))
    if write is None:
        return None
    parts, edge = write(_Plates(round(size * 0.86)), event)
    return signs.row(parts, size, edge=edge)


_Row = tuple[list[Part], Colour]


class _Plates(signs.Writer):
    """What stands on the plate of each event."""

    def attack(self, name: str, event: Any, *, ok: bool, outcome: str, edge: Colour) -> _Row:  # noqa: ANN401 - several
        """Dice with what is added to them, against what was needed."""
        dice = getattr(event, "dice", None) or (event.die,)
        total = getattr(event, "adjusted", sum(dice) + getattr(event, "drm", 0))
        drm = getattr(event, "drm", 0)
        more: list[Part] = [f"{drm:+d}".replace("-", "−")] if drm else []
        verdict = f"{'≥' if total >= event.need else '<'} {event.need}"
        added: list[Part] = [f"= {total}"] if drm or len(dice) > 1 else []
        return [self.sign(name), *self.dice(*dice), *more, *added, verdict, self.sign(outcome)], edge if ok else PALE

    def ram(self, event: events.Rammed) -> _Row:
        ok = event.result == "rammed"
        return self.attack("ram", event, ok=ok, outcome="holed" if ok else "glanced", edge=WOUND)

    def rake(self, event: events.Raked) -> _Row:
        side = "crippled-port" if event.side == "p" else "crippled-starboard"
        return self.attack("rake", event, ok=event.ok, outcome=side if event.ok else "none", edge=WOUND)

    def grapple(self, event: events.Grappled) -> _Row:
        return self.attack("grapple", event, ok=event.ok, outcome="linked" if event.ok else "no", edge=GOLD)

    def board(self, event: events.Boarded) -> _Row:
        ok = event.result == "captured"
        parts, edge = self.attack("board", event, ok=ok, outcome="prize" if ok else "no", edge=GOLD)
        return [parts[0], str(event.m), self.sign("crew"), *parts[1:]], edge

    def loose(self, event: events.CutLoose | events.Unfouled) -> _Row:
        return self.attack("cut", event, ok=event.ok, outcome="yes" if event.ok else "no", edge=FAIR)

    def shot(self, event: events.Fired) -> _Row:
        sign: list[Part] = [self.sign("shot"), *self.dice(event.die)]
        more: list[Part] = [f"{event.drm:+d}".replace("-", "−")] if event.drm else []
        hit = event.result != "-"
        outcome: list[Part] = ["−1", self.sign("crew")] if hit else [self.sign("none")]
        return [*sign, *more, *outcome], AMBER if hit else PALE

    def ignited(self, event: events.Ignited) -> _Row:
        verdict = self.sign("fire" if event.ok else "none")
        return [self.sign("fire"), *self.dice(event.die), verdict], WOUND if event.ok else PALE

    def avoided(self, event: events.Avoided) -> _Row:
        verdict = f"{'≤' if event.die <= event.crew else '>'} {event.crew}"
        parts = [self.sign("avoid"), *self.dice(event.die), verdict, self.sign("yes" if event.ok else "no")]
        return parts, FAIR if event.ok else PALE

    def firefight(self, event: events.Firefight) -> _Row:
        outcome = {"out": "yes", "burnt": "sunk"}.get(event.effect, "fire")
        return [
            self.sign("fire"),
            *self.dice(event.die),
            self.sign(outcome),
        ], FAIR if event.effect == "out" else WOUND

    def sinking(self, event: events.SinkRolled) -> _Row:
        verdict = self.sign("sunk" if event.sinks else "none")
        return [self.sign("holed"), *self.dice(event.die), verdict], WOUND if event.sinks else PALE

    def sunk(self, event: events.Sunk) -> _Row:
        return [self.sign("sunk"), event.ship], WOUND

    def grounded(self, event: events.Grounded) -> _Row:
        return [self.sign("beached"), event.ship], WOUND


_PLATES: Final[dict[type[Event], Callable[[_Plates, Any], _Row]]] = {
    events.Rammed: _Plates.ram,
    events.Raked: _Plates.rake,
    events.Grappled: _Plates.grapple,
    events.Boarded: _Plates.board,
    events.CutLoose: _Plates.loose,
    events.Unfouled: _Plates.loose,
    events.Fired: _Plates.shot,
    events.Ignited: _Plates.ignited,
    events.Avoided: _Plates.avoided,
    events.Firefight: _Plates.firefight,
    events.SinkRolled: _Plates.sinking,
    events.Sunk: _Plates.sunk,
    events.Grounded: _Plates.grounded,
}


def plated() -> frozenset[type[Event]]:
    """Events that have plates."""
    return frozenset(_PLATES)

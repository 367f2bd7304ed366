"""A turn in motion, in order of activations: galleys row, rams strike, oars break, dice fall, ships go down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from render import strikes, tags
from render.canvas import Box, Point, faded
from render.commission import Commission
from render.film import TICK_MS, Film, Frame, Tempo, going_down, hurried, tempi
from render.hexmap import HexCanvas
from render.squadrons import marks, sea
from render.squadrons.chips import chip, tag
from render.squadrons.ids import filmed
from render.squadrons.marks import look_of, middle
from render.squadrons.plates import LETTER
from render.squadrons.scene import afloat, canvas_of, framed, hulls
from render.squadrons.window import window_of
from render.tags import Tag
from rules.protocol import Event
from rules.squadrons import retelling
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.retelling import Act
from rules.squadrons.table import events
from rules.squadrons.table.changes import changed
from rules.squadrons.table.sea.grid import Place, read_place
from rules.squadrons.table.sea.state import Position, Ship

_STROKES: Final = 90
"""Frames of movement in a film, about; of many moves several are shown at one go."""
_DICE: Final = 14
"""Most rolls that are shown one by one; of more only those that did something."""


_TEMPI: Final = tempi(
    calm=Tempo(glide=3, fly=4, sink=5, begin_ms=800, look_ms=700, end_ms=2200),
    brisk=Tempo(glide=1, fly=2, sink=3, begin_ms=200, look_ms=240, end_ms=400),
)


def frames(asked: Commission[FleetView]) -> list[Frame]:
    """The frames of the turn of the commission's events; empty if nothing of it can be seen."""
    stirring = [act for act in retelling.moments(asked.view, asked.events) if act.stirs]
    return hurried(_FleetFilm(asked, stirring).run()) if stirring else []


class _FleetFilm(Film[FleetView, HexCanvas]):
    """One turn on one window of the sea."""

    def __init__(self, asked: Commission[FleetView], acted: Sequence[Act]) -> None:
        still = canvas_of(asked, window_of(asked, acted), asked.width)
        super().__init__(asked, still, framed(asked, still), _TEMPI[asked.pace], sea.margin(asked.width))
        self.acted = acted
        every = [event for act in acted for event in act.events]
        hexes = sum(isinstance(event, events.Moved) for event in every)
        share = _STROKES / max(1, hexes)
        self.strokes = max(1, min(self.tempo.glide, round(share)))
        """Frames of a hex."""
        self.stride = max(1, round(1 / share)) if share < 1 else 1
        """Hexes of a frame."""
        rolls = sum(chip(event, 8) is not None for event in every)
        self.terse = rolls > _DICE or asked.pace != "calm"
        self.plates: list[tuple[Tag, Box]] = []
        """Dice of the act that is shown."""

    def run(self) -> Iterator[Frame]:
        """All frames, in order."""
        yield self._frame(self.acted[0].before, self.tempo.begin_ms)
        for act in self.acted:
            now, self.plates = act.before, []
            steps = 0
            for number, event in enumerate(act.events):
                if isinstance(event, events.Moved):
                    steps += 1
                    following = act.events[number + 1] if number + 1 < len(act.events) else None
                    last = not (isinstance(following, events.Moved) and following.ship == event.ship)
                    if last or steps % self.stride == 0:
                        yield from self._glide(now, event.ship, read_place(event.to))
                else:
                    yield from self._tell(now, event, f"{number}")
                now = changed(now, event)
            if act.moved & {act.by}:
                was = act.before.by_id[act.by]
                places = [read_place(event.to) for event in act.events if isinstance(event, events.Moved)]
                marks.wake(self.still, [was.bow, *(place.bow for place in places)], 0.6)
        self.plates = []
        yield self._frame(self.asked.view.position, self.tempo.end_ms)

    def _tell(self, now: Position, event: Event, key: str) -> Iterator[Frame]:
        """What is seen of one event; the ships lie as before it."""
        match event:
            case events.Avoided() | events.Retracted() | events.GroundRolled() if event.to is not None:
                yield from self._glide(now, event.ship, read_place(event.to))
            case events.Rammed():
                yield from self._strike(now, event)
            case events.Fired() if not self.terse:
                yield from self._shoot(now, event)
            case events.Sunk() | events.Exited():
                yield from self._vanish(now, event)
            case _:
                pass
        after = changed(now, event)
        if (not self.terse or type(event) in _WEIGHTY) and self._plate(event, now, key):
            yield self._frame(after, self.tempo.look_ms)

    def _plate(self, event: Event, now: Position, key: str) -> bool:
        """Lay down the dice of an event; whether it has any."""
        image = chip(event, ceil(LETTER * self.still.unit))
        if image is None:
            return False
        one = tag(self.still, image, event, now, key)
        self.plates = tags.with_one_more(self.still, self.plates, one, hulls(self.still, now))
        return True

    def _glide(self, now: Position, name: str, end: Place) -> Iterator[Frame]:
        """A ship rows from where she is, turning as she goes."""
        ship = now.by_id[name]
        if ship.place == end:
            return
        self.plates = []
        turn = (end.facing - ship.facing + 3) % 6 - 3
        a, b = middle(self.still, ship.place, ship.size), middle(self.still, end, ship.size)
        for tick in range(1, self.strokes + 1):
            part = tick / self.strokes
            heading = 60 * ship.facing + 60 * turn * part
            yield self._frame(now, TICK_MS, moving=(ship, strikes.mid(a, b, part), heading))

    def _strike(self, now: Position, event: events.Rammed) -> Iterator[Frame]:
        by, target = now.by_id[event.by], now.by_id[event.target]
        at = strikes.mid(self.still.spot(by.bow), middle(self.still, target.place, target.size), 0.45)
        for tick in range(1, 4):
            yield self._frame(now, TICK_MS, burst=(at, tick / 3))

    def _shoot(self, now: Position, event: events.Fired) -> Iterator[Frame]:
        some = [now.by_id[name] for name in (event.by, event.target)]
        a, b = (middle(self.still, one.place, one.size) for one in some)
        for tick in range(1, self.tempo.fly + 1):
            yield self._frame(now, TICK_MS, shot=(a, b, event.flame, tick / self.tempo.fly))

    def _vanish(self, now: Position, event: events.Sunk | events.Exited) -> Iterator[Frame]:
        """Who sinks goes down turning; who leaves fades over the edge."""
        ship = now.by_id[event.ship]
        if not ship.afloat:
            return
        left = changed(now, event)
        whole = marks.sprite(self.still, look_of(ship), 60 * ship.facing)
        at = middle(self.still, ship.place, ship.size)
        for tick in range(1, self.tempo.sink + 1):
            part = tick / (self.tempo.sink + 1)
            over = self.over()
            over.place(going_down(whole, part) if isinstance(event, events.Sunk) else faded(whole, 1 - part), at)
            yield self._frame(left, TICK_MS, over=over)

    def _frame(
        self,
        now: Position,
        ms: int,
        *,
        over: HexCanvas | None = None,
        moving: tuple[Ship, Point, float] | None = None,
        burst: tuple[Point, float] | None = None,
        shot: tuple[Point, Point, bool, float] | None = None,
    ) -> Frame:
        canvas = over if over is not None else self.over()
        afloat(canvas, now, {moving[0].id} if moving else (), grouped=False)
        if moving is not None:
            ship, at, heading = moving
            canvas.place(marks.sprite(canvas, look_of(ship), heading), at)
        if burst is not None:
            strikes.burst(canvas, burst[0], size=0.4 + 0.4 * burst[1])
            strikes.splinters(canvas, *burst)
        if shot is not None:
            strikes.shot(canvas, shot[0], shot[1], fire=shot[2], part=shot[3])
        filmed(canvas, now, (moving[0].id, moving[1]) if moving else None)
        tags.lead(canvas, self.plates)
        tags.lay(canvas, self.plates)
        return self.framed(canvas, ms)


_WEIGHTY: Final = (events.Rammed, events.Raked, events.Grappled, events.Boarded, events.Sunk, events.Ignited)
"""Rolls that are shown in a film of very many."""

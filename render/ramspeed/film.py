"""A turn in motion, in order of play: ships row, rams strike, oars break, missiles fly, dice fall, ships go down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, cos, hypot, radians, sin
from typing import Final

from render import labels, strikes
from render.canvas import Box, Canvas, Point, faded
from render.commission import Commission
from render.film import TICK_MS, Film, Frame, Tempo, going_down, hurried, tempi
from render.labels import boxed, middle_from
from render.ramspeed import chips, marks, rim
from render.ramspeed.badges import LETTER
from render.ramspeed.marks import look_of, pose_of
from render.ramspeed.scene import afloat, canvas_of, first_of, framed, hulls, sees, tag_of, wrecks
from render.ramspeed.window import window_of
from render.tags import Tag, lay, lead, spots, with_one_more
from rules.protocol import Event
from rules.ramspeed import retelling
from rules.ramspeed.desk.view import Pose, SeaView
from rules.ramspeed.retelling import Act, Fleet
from rules.ramspeed.table import events

_STROKES: Final = 70
"""Frames of movement in a film, about; of many moves each has fewer."""


_TEMPI: Final = tempi(
    calm=Tempo(glide=8, fly=4, sink=6, begin_ms=800, look_ms=760, end_ms=2200),
    brisk=Tempo(glide=3, fly=2, sink=3, begin_ms=200, look_ms=240, end_ms=400),
)


def frames(asked: Commission[SeaView]) -> list[Frame]:
    """The frames of the turn of the commission's events; empty if nothing of it can be seen."""
    stirring = [act for act in retelling.moments(asked.view, asked.events) if act.stirs]
    return hurried(_SeaFilm(asked, stirring).run()) if stirring else []


class _SeaFilm(Film[SeaView, Canvas]):
    """One turn on one window of the sea."""

    def __init__(self, asked: Commission[SeaView], acted: Sequence[Act]) -> None:
        still = canvas_of(asked, window_of(asked, acted), asked.width)
        wrecks(still, acted[0].before)
        super().__init__(asked, still, framed(asked, still), _TEMPI[asked.pace], rim.margin(asked.width))
        self.acted = acted
        moves = sum(isinstance(event, _MOVES) for act in acted for event in act.events)
        self.strokes = max(2, min(self.tempo.glide, _STROKES // max(1, moves)))
        self.wishes: dict[str, Point] = {}
        self.plates: list[tuple[Tag, Box]] = []
        """Dice of the act that is shown."""

    def run(self) -> Iterator[Frame]:
        """All frames, in order."""
        yield self._frame(self.acted[0].before, self.tempo.begin_ms)
        for act in self.acted:
            fleet, self.plates = act.before, []
            for number, event in enumerate(act.events):
                yield from self._tell(fleet, event, number)
                fleet = retelling.carried_out(fleet, event)
            if self.plates:
                yield self._frame(fleet, self.tempo.look_ms // 2)
        self.plates = []
        yield self._frame(Fleet.of(self.asked.view.position), self.tempo.end_ms)

    def _tell(self, fleet: Fleet, event: Event, number: int) -> Iterator[Frame]:
        """What is seen of one event; the ships stand as before it."""
        match event:
            case events.Moved() | events.Drifted():
                was = fleet.ships[event.ship]
                heading = event.heading if isinstance(event, events.Moved) else was.heading
                yield from self._glide(fleet, event.ship, Pose(event.x, event.y, heading))
            case events.Rammed():
                yield from self._glide(fleet, event.by, Pose(event.x, event.y, event.heading))
                yield from self._strike(retelling.carried_out(fleet, event), event)
            case events.Swiped() | events.Grappled():
                yield from self._glide(fleet, event.by, pose_of(retelling.carried_out(fleet, event).ships[event.by]))
            case events.Shot():
                yield from self._shoot(fleet, event)
            case events.Sunk() | events.Withdrawn():
                yield from self._vanish(fleet, event)
            case _:
                pass
        after = retelling.carried_out(fleet, event)
        if self._plate(event, fleet, number):
            yield self._frame(after, self.tempo.look_ms)
        elif isinstance(event, events.Linked | events.Ignited | events.Left | events.Separated):
            yield self._frame(after, self.tempo.look_ms // 2)

    def _plate(self, event: Event, fleet: Fleet, number: int) -> bool:
        """Lay down the dice of an event; whether it has any."""
        image = chips.chip(event, ceil(LETTER * self.still.unit))
        if image is None:
            return False
        tag = chips.tag(self.still, image, event, fleet, number)
        taken = [*hulls(self.still, fleet), *(boxed(box, 90) for _, box in self._places(fleet))]
        self.plates = with_one_more(self.still, self.plates, tag, taken)
        return True

    def _glide(self, fleet: Fleet, name: str, end: Pose) -> Iterator[Frame]:
        """A ship rows from where she is, turning first or last, as her way shows."""
        ship = fleet.ships[name]
        start = pose_of(ship)
        if start == end:
            return
        self.plates = []
        before = self._places(fleet)
        after = self._places(fleet.with_ship(name, x=end.x, y=end.y, heading=end.heading))
        for tick in range(1, self.strokes + 1):
            part = tick / self.strokes
            here = between(start, end, part)
            moving = fleet.with_ship(name, x=here.x, y=here.y, heading=here.heading)
            over = self.over()
            if part < 1:
                marks.wake(over, ship.code, start, here, 0.9)
            yield self._frame(moving, TICK_MS, over, _drift(before, after, part))
        marks.wake(self.still, ship.code, start, end, 0.7)

    def _strike(self, fleet: Fleet, event: events.Rammed) -> Iterator[Frame]:
        by = fleet.ships[event.by]
        at = self.still.at(marks.corners(by.code, pose_of(by))[0])
        for tick in range(1, 4):
            top = self.over()
            yield self._frame(fleet, TICK_MS, top, burst=(at, tick / 3))

    def _shoot(self, fleet: Fleet, event: events.Shot) -> Iterator[Frame]:
        a, b = fleet.ships[event.by], fleet.ships[event.to]
        ends = self.still.at((a.x, a.y)), self.still.at((b.x, b.y))
        for tick in range(1, self.tempo.fly + 1):
            part = tick / self.tempo.fly
            yield self._frame(fleet, TICK_MS, shot=(*ends, event.kind == "fire", part))

    def _vanish(self, fleet: Fleet, event: events.Sunk | events.Withdrawn) -> Iterator[Frame]:
        """Who sinks goes down turning; who withdraws fades over the edge."""
        ship = fleet.ships[event.ship]
        if not ship.afloat:
            return
        look = look_of(ship, fleet, first_of(fleet, ship))
        if isinstance(event, events.Sunk):
            marks.sunken(self.still, look, pose_of(ship))
        left = retelling.carried_out(fleet, event)
        sprite = marks.sprite(self.still, look, ship.heading)
        for tick in range(1, self.tempo.sink + 1):
            part = tick / (self.tempo.sink + 1)
            over = self.over()
            sunk = isinstance(event, events.Sunk)
            over.place(going_down(sprite, part) if sunk else faded(sprite, 1 - part * part), over.at((ship.x, ship.y)))
            yield self._frame(left, TICK_MS, over)

    # --- frames ---------------------------------------------------------------------------------------------------

    def _places(self, fleet: Fleet) -> list[tuple[Tag, Box]]:
        """Where badges stand, as much as possible on the same side of their ships as before."""
        tags = [tag_of(self.still, ship, fleet, self.asked.view) for ship in fleet.afloat if sees(self.still, ship)]
        taken = [*hulls(self.still, fleet), *(boxed(box, 4000) for _, box in self.plates)]
        found = spots(self.still, tags, taken, self.wishes)
        self.wishes.update({tag.key: middle_from(tag.near, box) for tag, box in found})
        return found

    def _frame(
        self,
        fleet: Fleet,
        ms: int,
        over: Canvas | None = None,
        places: Sequence[tuple[Tag, Box]] | None = None,
        *,
        burst: tuple[Point, float] | None = None,
        shot: tuple[Point, Point, bool, float] | None = None,
    ) -> Frame:
        canvas = over if over is not None else self.over()
        afloat(canvas, fleet)
        if burst is not None:
            strikes.burst(canvas, burst[0], size=0.6 + 0.5 * burst[1])
            strikes.splinters(canvas, *burst)
        if shot is not None:
            strikes.shot(canvas, shot[0], shot[1], fire=shot[2], part=shot[3])
        placed = self._places(fleet) if places is None else places
        lead(canvas, [*placed, *self.plates])
        lay(canvas, [*placed, *self.plates])
        return self.framed(canvas, ms)


_MOVES: Final = (events.Moved, events.Drifted, events.Rammed, events.Swiped, events.Grappled)


def between(start: Pose, end: Pose, part: float) -> Pose:
    """A ship on her way: she pivots first and goes straight, or the other way round if she came by her old heading."""
    turn = (end.heading - start.heading + 180) % 360 - 180
    dx, dy = end.x - start.x, end.y - start.y
    far = hypot(dx, dy)
    if far < 0.02 or not turn:
        done, turned = part, part
    else:
        share = min(0.5, 0.12 + abs(turn) / 240)
        along = [abs(dx * sin(radians(h)) + dy * cos(radians(h))) for h in (start.heading, end.heading)]
        last = along[0] > along[1] + 0.01
        turned = max(0.0, (part - 1 + share) / share) if last else min(1.0, part / share)
        done = min(1.0, part / (1 - share)) if last else max(0.0, (part - share) / (1 - share))
    return Pose(start.x + dx * done, start.y + dy * done, round(start.heading + turn * turned) % 360)


def _drift(before: Sequence[tuple[Tag, Box]], after: Sequence[tuple[Tag, Box]], part: float) -> list[tuple[Tag, Box]]:
    """Badges on their way from one place to the next."""
    ends: Mapping[str, tuple[Tag, Box]] = {tag.key: (tag, box) for tag, box in after}
    found = []
    for tag, box in before:
        then, to = ends.get(tag.key, (tag, box))
        near = strikes.mid(tag.near, then.near, part)
        found.append((Tag(tag.key, tag.image, near, tag.reach), labels.between(box, to, part)))
    return found

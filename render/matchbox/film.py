"""A round in motion: galleys glide, matches drop, hits flash, oars fly off, a sinking galley goes down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from math import cos, pi, sin
from typing import Final

from msgspec.structs import replace

from render import labels
from render.canvas import Box, Canvas, Point
from render.commission import Commission
from render.film import TICK_MS, Film, Frame, Tempo, going_down, hurried, tempi
from render.matchbox import marks, sticks
from render.matchbox.hull import galley
from render.matchbox.names import Name, layout, lost_of, name_of, scribe
from render.matchbox.painter import canvas_of, framed
from render.matchbox.window import window
from render.style import CHALK, EMBER, NAME_SIZE
from rules.matchbox import retelling
from rules.matchbox.desk.view import TableView
from rules.matchbox.retelling import AFTER, Act, Galleys, losses_of
from rules.matchbox.table.events import BackedOff, Lost, MatchesLaid, Moved, VolleyDropped
from rules.matchbox.table.hull import middle
from rules.matchbox.table.incidents import Captured, Grappled, PoledOff
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.state import Galley, LaidMatch

_TEMPI: Final = tempi(
    calm=Tempo(glide=9, fly=4, sink=6, begin_ms=900, look_ms=520, end_ms=2600),
    brisk=Tempo(glide=5, fly=3, sink=5, begin_ms=300, look_ms=400, end_ms=400),
)

Boxes = Mapping[str, Box]


def frames(asked: Commission[TableView]) -> list[Frame]:
    """The frames of the round of the commission's events; empty if nothing of it can be seen."""
    acts = retelling.moments(asked.view, asked.events)
    return hurried(_RoundFilm(asked, acts).run()) if any(act.step and act.stirs for act in acts) else []


class _RoundFilm(Film[TableView, Canvas]):
    """One round on one window of the table."""

    def __init__(self, asked: Commission[TableView], acts: Sequence[Act]) -> None:
        still = canvas_of(asked, window(asked, acts), asked.width)
        super().__init__(asked, still, framed(asked, still.image, still), _TEMPI[asked.pace])
        self.acts = acts
        self.matches: tuple[LaidMatch, ...] = ()
        self.wishes: dict[str, Point] = {}
        self.gone: list[Name] = []
        """Names of the galleys that have sunk in the round."""
        self.step = 0
        self.grapples: tuple[tuple[str, str], ...] = ()
        """Pairs that are held fast: who has grappled, and who is grappled."""
        sunk = {ship.id for act in acts for ship in act.before.galleys.values()}
        for ship in asked.view.lost:
            if ship.id not in sunk:
                marks.wreck(self.still, ship)

    def run(self) -> Iterator[Frame]:
        """All frames, in order."""
        ships = self.acts[0].before.galleys or self.acts[0].after.galleys
        self.matches = next((found.lying for act in self.acts for found in act.of(MatchesLaid)), ())
        places = self._places(ships, {})
        yield self._frame(ships, places, self.tempo.begin_ms)
        for act in self.acts:
            if not act.step:
                continue
            self.step = act.step if act.step < AFTER else 0
            self.matches = tuple(match for match in self.matches if match.step > act.step)
            self.grapples = self.grapples if act.grapples else ()
            yield from self._glide(act, places)
            self.grapples = act.grapples
            places = self._places(act.moved.galleys, losses_of([act]))
            self.matches = self.matches if act.laid is None else act.laid
            yield from self._strike(act, places)
        self.step = 0
        end = self.acts[-1].after.galleys
        yield self._frame(end, self._places(end, {}), self.tempo.end_ms)

    def _places(self, ships: Galleys, losses: Mapping[str, int]) -> dict[str, Box]:
        """Where names stand, as much as possible on the same side of their galleys as before."""
        names = [*(name_of(ship, losses.get(ship.id, 0)) for ship in ships.values()), *self.gone]
        found = layout(self.still, names, ships.values(), self.matches, wishes=self.wishes)
        self.wishes.update({name.words: labels.middle_from(self.still.at(name.beside), box) for name, box in found})
        return {name.words: box for name, box in found}

    def _glide(self, act: Act, places: Boxes) -> Iterator[Frame]:
        """Everybody moves at once, and who meets another stops there (MB-5.5)."""
        moves: dict[str, Moved | BackedOff | PoledOff] = {move.galley: move for move in act.of(Moved)}
        moves.update((move.galley, move) for move in act.of(BackedOff))
        for pole in act.of(PoledOff):
            back = moves.get(pole.galley)
            moves[pole.galley] = replace(pole, start=back.start) if back else pole
        if not moves:
            return
        after = self._places(act.moved.galleys, {})
        for tick in range(1, self.tempo.glide + 1):
            t = tick / self.tempo.glide
            ships = {
                name: replace(ship, pose=_between(moves[name], t)) if name in moves else ship
                for name, ship in act.before.galleys.items()
            }
            yield self._frame(ships, _drift(places, after, t), TICK_MS)
        for name, move in moves.items():
            ship = act.before.galleys.get(name)
            if ship is not None:
                marks.track(self.still, (move.start, move.end), ship, 0.45)

    def _strike(self, act: Act, places: Boxes) -> Iterator[Frame]:
        """Rams, volleys and what they cost."""
        strikes, shots, lost = act.strikes, act.of(VolleyDropped), act.of(Lost)
        losses = losses_of([act])
        if not (strikes or shots or lost or act.of(Grappled)):
            yield self._frame(act.after.galleys, places, self.tempo.look_ms // 2)
            return
        for tick in range(1, self.tempo.fly + 1) if shots else ():
            over = self.over()
            for shot in shots:
                _falling(over, shot, tick / self.tempo.fly)
            yield self._frame(act.moved.galleys, places, TICK_MS, under=over)
        for tick in range(1, 4):
            over = self.over()
            self._blows(over, act)
            for event in lost:
                if event.galley in act.moved.galleys:
                    _splinters(over, act.moved.galleys[event.galley], event, tick / 3)
            yield self._frame(
                {**act.moved.galleys, **act.after.galleys},
                places,
                TICK_MS if tick < 3 else self.tempo.look_ms,
                losses,
                over,
            )
        for shot in shots:
            marks.volley(self.still, shot, act.moved.galleys.get(shot.to), faint=True)
        yield from self._sink(act, places)

    def _blows(self, over: Canvas, act: Act) -> None:
        for strike in act.strikes:
            by, to = map(act.moved.galleys.get, strike)
            if by is not None and to is not None:
                marks.burst(over, marks.struck_at(by, to))
        for at in marks.rocks(act):
            marks.burst(over, at)
        marks.grapples(over, act.grapples, act.moved.galleys)
        marks.melees(over, act)
        for taken in act.of(Captured):
            marks.seized(over, act.after.galleys[taken.galley])
        marks.sights(over, act, self.asked.view.sea)
        for shot in act.of(VolleyDropped):
            marks.volley(over, shot, act.moved.galleys.get(shot.to), faint=False)

    def _sink(self, act: Act, places: Boxes) -> Iterator[Frame]:
        """Who is lost goes down turning, and leaves a whirl."""
        gone = [ship for name, ship in act.moved.galleys.items() if name not in act.after.galleys]
        if not gone:
            return
        for ship in gone:
            marks.wreck(self.still, ship, fresh=True)
            self.wishes.pop(ship.id, None)
        for tick in range(1, self.tempo.sink + 1):
            under = self.over()
            for ship in gone:
                part = tick / (self.tempo.sink + 1)
                sprite = going_down(galley(ship, under.scale), part, turn=140, dwindle=0.7)
                under.place(sprite, under.at(middle(ship.pose, ship.kind)))
            yield self._frame(act.after.galleys, places, TICK_MS, under=under)
        self.gone += [lost_of(ship) for ship in gone]
        yield self._frame(act.after.galleys, self._places(act.after.galleys, {}), self.tempo.look_ms)

    def _frame(
        self,
        ships: Galleys,
        places: Boxes,
        ms: int,
        losses: Mapping[str, int] | None = None,
        under: Canvas | None = None,
    ) -> Frame:
        canvas = under if under is not None else self.over()
        marks.orders(canvas, self.matches, ships)
        marks.hulls(canvas, ships.values())
        marks.grapples(canvas, self.grapples, ships)
        names = [*(name_of(ship, (losses or {}).get(ship.id, 0)) for ship in ships.values()), *self.gone]
        for name in names:
            if name.words in places:
                scribe(canvas, name, places[name.words])
        if self.step:
            size = round(NAME_SIZE * 1.25 * canvas.unit)
            canvas.text((10 * canvas.unit, 8 * canvas.unit), str(self.step), size, CHALK)
        return self.framed(canvas, ms)


def _between(move: Moved | BackedOff | PoledOff, t: float) -> Pose:
    """Where a galley is at t of a step: the prow on its straight way, the heading turning evenly (MB-5.3)."""
    part = move.part if isinstance(move, Moved) else 1.0
    done = min(1.0, t / part) if part > 0 else 1.0
    turn = (move.end.heading_deg - move.start.heading_deg + 180) % 360 - 180
    return Pose(
        move.start.x_mm + (move.end.x_mm - move.start.x_mm) * done,
        move.start.y_mm + (move.end.y_mm - move.start.y_mm) * done,
        (move.start.heading_deg + turn * done) % 360,
    )


def _drift(before: Boxes, after: Boxes, t: float) -> dict[str, Box]:
    """Names on their way from one place to the next."""
    return {name: labels.between(box, after.get(name, box), t) for name, box in before.items()}


def _falling(canvas: Canvas, shot: VolleyDropped, t: float) -> None:
    """Matches of a volley in the air: larger than they are, turning as they come down."""
    high = 1.0 - t
    for number, drop in enumerate(shot.drops):
        if not drop.on_table:
            continue
        tail, head = sticks.ends(drop.x_mm, drop.y_mm, drop.bearing_deg + (70 if number % 2 else -70) * high)
        near, grow = (drop.x_mm, drop.y_mm + 40 * high), 1.0 + 0.7 * high
        lift = [(near[0] + (x - drop.x_mm) * grow, near[1] + (y - drop.y_mm) * grow) for x, y in (tail, head)]
        sticks.lay(canvas, lift[0], lift[1], "order", (150, 46, 30))


def _splinters(canvas: Canvas, ship: Galley, lost: Lost, t: float) -> None:
    """Oars and masts that fly off."""
    x, y = middle(ship.pose, ship.kind)
    for number in range(lost.port + lost.starboard + lost.masts):
        chance = blake2b(f"{lost.galley}{lost.step}{lost.by}{number}".encode(), digest_size=2).digest()
        turn, far = chance[0] / 256 * 2 * pi, 30 + (14 + chance[1] / 10) * t
        at: Point = (x + far * sin(turn), y + far * cos(turn))
        spin = turn + chance[1] / 40 + 2 * t
        end: Point = (at[0] + 15 * sin(spin), at[1] + 15 * cos(spin))
        sticks.lay(canvas, at, end, "order", EMBER)

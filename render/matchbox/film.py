"""A round in motion: galleys glide, matches drop, hits flash, oars fly off, a sinking galley goes down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from math import cos, pi, sin
from typing import Final

from msgspec.structs import replace

from render import labels
from render.canvas import Canvas, Point, Rect
from render.commission import Commission
from render.film import MOTION_FRAME_MS, Film, Frame, Tempo, shorten_frames, sinking_sprite, tempo_by_pace
from render.matchbox import marks, sticks
from render.matchbox.hull import galley_sprite
from render.matchbox.names import NameLabel, lay_out_labels, lost_ship_label, ship_label, write_label
from render.matchbox.painter import add_legend, make_canvas
from render.matchbox.window import shown_window
from render.style import CHALK, EMBER, NAME_SIZE
from rules.matchbox import retelling
from rules.matchbox.desk.view import TableView
from rules.matchbox.retelling import AFTER_LAST_STEP, GalleysById, StoryMoment, count_losses
from rules.matchbox.table.events import MatchesLaid, PartsLost, ShipBackedOff, ShipMoved, VolleyDropped
from rules.matchbox.table.hull import hull_middle
from rules.matchbox.table.incidents import ShipCaptured, ShipGrappled, ShipPoledOff
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.state import Galley, LaidMatch

_TEMPO_BY_PACE: Final = tempo_by_pace(
    calm=Tempo(glide=9, fly=4, sink=6, begin_ms=900, look_ms=520, end_ms=2600),
    brisk=Tempo(glide=5, fly=3, sink=5, begin_ms=300, look_ms=400, end_ms=400),
)

RectsByShip = Mapping[str, Rect]


def film_frames(asked: Commission[TableView]) -> list[Frame]:
    """The frames of the round of the commission's events; empty if nothing of it can be seen."""
    acts = retelling.split_moments(asked.view, asked.events)
    return shorten_frames(_RoundFilm(asked, acts).run()) if any(act.step and act.stirs for act in acts) else []


class _RoundFilm(Film[TableView, Canvas]):
    """One round on one window of the table."""

    def __init__(self, asked: Commission[TableView], acts: Sequence[StoryMoment]) -> None:
        still = make_canvas(asked, shown_window(asked, acts), asked.width)
        super().__init__(asked, still, add_legend(asked, still.image, still), _TEMPO_BY_PACE[asked.pace])
        self.acts = acts
        self.matches: tuple[LaidMatch, ...] = ()
        self.wishes: dict[str, Point] = {}
        self.gone: list[NameLabel] = []
        """Names of the galleys that have sunk in the round."""
        self.step = 0
        self.grapples: tuple[tuple[str, str], ...] = ()
        """Pairs that are held fast: who has grappled, and who is grappled."""
        sunk = {ship.id for act in acts for ship in act.before.galleys.values()}
        for ship in asked.view.lost:
            if ship.id not in sunk:
                marks.draw_wreck(self.still, ship)

    def run(self) -> Iterator[Frame]:
        """All frames, in order."""
        ships = self.acts[0].before.galleys or self.acts[0].after.galleys
        self.matches = next((found.lying for act in self.acts for found in act.of(MatchesLaid)), ())
        places = self._places(ships, {})
        yield self._frame(ships, places, self.tempo.begin_ms)
        for act in self.acts:
            if not act.step:
                continue
            self.step = act.step if act.step < AFTER_LAST_STEP else 0
            self.matches = tuple(match for match in self.matches if match.step > act.step)
            self.grapples = self.grapples if act.grapples else ()
            yield from self._glide(act, places)
            self.grapples = act.grapples
            places = self._places(act.moved.galleys, count_losses([act]))
            self.matches = self.matches if act.laid is None else act.laid
            yield from self._strike(act, places)
        self.step = 0
        end = self.acts[-1].after.galleys
        yield self._frame(end, self._places(end, {}), self.tempo.end_ms)

    def _places(self, ships: GalleysById, losses: Mapping[str, int]) -> dict[str, Rect]:
        """Where names stand, as much as possible on the same side of their galleys as before."""
        names = [*(ship_label(ship, losses.get(ship.id, 0)) for ship in ships.values()), *self.gone]
        found = lay_out_labels(self.still, names, ships.values(), self.matches, wishes=self.wishes)
        self.wishes.update({name.words: labels.middle_offset(self.still.at(name.beside), box) for name, box in found})
        return {name.words: box for name, box in found}

    def _glide(self, act: StoryMoment, places: RectsByShip) -> Iterator[Frame]:
        """Everybody moves at once, and who meets another stops there (MB-5.5)."""
        moves: dict[str, ShipMoved | ShipBackedOff | ShipPoledOff] = {move.galley: move for move in act.of(ShipMoved)}
        moves.update((move.galley, move) for move in act.of(ShipBackedOff))
        for pole in act.of(ShipPoledOff):
            back = moves.get(pole.galley)
            moves[pole.galley] = replace(pole, start=back.start) if back else pole
        if not moves:
            return
        after = self._places(act.moved.galleys, {})
        for tick in range(1, self.tempo.glide + 1):
            t = tick / self.tempo.glide
            ships = {
                name: replace(ship, pose=_pose_between(moves[name], t)) if name in moves else ship
                for name, ship in act.before.galleys.items()
            }
            yield self._frame(ships, _rects_between(places, after, t), MOTION_FRAME_MS)
        for name, move in moves.items():
            ship = act.before.galleys.get(name)
            if ship is not None:
                marks.draw_track(self.still, (move.start, move.end), ship, 0.45)

    def _strike(self, act: StoryMoment, places: RectsByShip) -> Iterator[Frame]:
        """Rams, volleys and what they cost."""
        strikes, shots, lost = act.strikes, act.of(VolleyDropped), act.of(PartsLost)
        losses = count_losses([act])
        if not (strikes or shots or lost or act.of(ShipGrappled)):
            yield self._frame(act.after.galleys, places, self.tempo.look_ms // 2)
            return
        for tick in range(1, self.tempo.fly + 1) if shots else ():
            over = self.over()
            for shot in shots:
                _draw_falling_matches(over, shot, tick / self.tempo.fly)
            yield self._frame(act.moved.galleys, places, MOTION_FRAME_MS, under=over)
        for tick in range(1, 4):
            over = self.over()
            self._blows(over, act)
            for event in lost:
                if event.galley in act.moved.galleys:
                    _draw_splinters(over, act.moved.galleys[event.galley], event, tick / 3)
            yield self._frame(
                {**act.moved.galleys, **act.after.galleys},
                places,
                MOTION_FRAME_MS if tick < 3 else self.tempo.look_ms,
                losses,
                over,
            )
        for shot in shots:
            marks.draw_volley(self.still, shot, act.moved.galleys.get(shot.to), faint=True)
        yield from self._sink(act, places)

    def _blows(self, over: Canvas, act: StoryMoment) -> None:
        for strike in act.strikes:
            by, to = map(act.moved.galleys.get, strike)
            if by is not None and to is not None:
                marks.draw_ram_burst(over, marks.strike_point(by, to))
        for at in marks.rock_points(act):
            marks.draw_ram_burst(over, at)
        marks.draw_grapples(over, act.grapples, act.moved.galleys)
        marks.draw_melees(over, act)
        for taken in act.of(ShipCaptured):
            marks.mark_capture(over, act.after.galleys[taken.galley])
        marks.draw_sight_lines(over, act, self.asked.view.sea)
        for shot in act.of(VolleyDropped):
            marks.draw_volley(over, shot, act.moved.galleys.get(shot.to), faint=False)

    def _sink(self, act: StoryMoment, places: RectsByShip) -> Iterator[Frame]:
        """Who is lost goes down turning, and leaves a whirl."""
        gone = [ship for name, ship in act.moved.galleys.items() if name not in act.after.galleys]
        if not gone:
            return
        for ship in gone:
            marks.draw_wreck(self.still, ship, fresh=True)
            self.wishes.pop(ship.id, None)
        for tick in range(1, self.tempo.sink + 1):
            under = self.over()
            for ship in gone:
                part = tick / (self.tempo.sink + 1)
                sprite = sinking_sprite(galley_sprite(ship, under.scale), part, turn=140, dwindle=0.7)
                under.place(sprite, under.at(hull_middle(ship.pose, ship.kind)))
            yield self._frame(act.after.galleys, places, MOTION_FRAME_MS, under=under)
        self.gone += [lost_ship_label(ship) for ship in gone]
        yield self._frame(act.after.galleys, self._places(act.after.galleys, {}), self.tempo.look_ms)

    def _frame(
        self,
        ships: GalleysById,
        places: RectsByShip,
        ms: int,
        losses: Mapping[str, int] | None = None,
        under: Canvas | None = None,
    ) -> Frame:
        canvas = under if under is not None else self.over()
        marks.draw_order_matches(canvas, self.matches, ships)
        marks.draw_hulls(canvas, ships.values())
        marks.draw_grapples(canvas, self.grapples, ships)
        names = [*(ship_label(ship, (losses or {}).get(ship.id, 0)) for ship in ships.values()), *self.gone]
        for name in names:
            if name.words in places:
                write_label(canvas, name, places[name.words])
        if self.step:
            size = round(NAME_SIZE * 1.25 * canvas.unit)
            canvas.text((10 * canvas.unit, 8 * canvas.unit), str(self.step), size, CHALK)
        return self.framed(canvas, ms)


def _pose_between(move: ShipMoved | ShipBackedOff | ShipPoledOff, t: float) -> Pose:
    """Where a galley is at t of a step: the prow on its straight way, the heading turning evenly (MB-5.3)."""
    part = move.part if isinstance(move, ShipMoved) else 1.0
    done = min(1.0, t / part) if part > 0 else 1.0
    turn = (move.end.heading_deg - move.start.heading_deg + 180) % 360 - 180
    return Pose(
        move.start.x_mm + (move.end.x_mm - move.start.x_mm) * done,
        move.start.y_mm + (move.end.y_mm - move.start.y_mm) * done,
        (move.start.heading_deg + turn * done) % 360,
    )


def _rects_between(before: RectsByShip, after: RectsByShip, t: float) -> dict[str, Rect]:
    """Names on their way from one place to the next."""
    return {name: labels.box_between(box, after.get(name, box), t) for name, box in before.items()}


def _draw_falling_matches(canvas: Canvas, shot: VolleyDropped, t: float) -> None:
    """Matches of a volley in the air: larger than they are, turning as they come down."""
    high = 1.0 - t
    for number, drop in enumerate(shot.drops):
        if not drop.on_table:
            continue
        tail, head = sticks.match_ends(drop.x_mm, drop.y_mm, drop.bearing_deg + (70 if number % 2 else -70) * high)
        near, grow = (drop.x_mm, drop.y_mm + 40 * high), 1.0 + 0.7 * high
        lift = [(near[0] + (x - drop.x_mm) * grow, near[1] + (y - drop.y_mm) * grow) for x, y in (tail, head)]
        sticks.lay_match(canvas, lift[0], lift[1], "order", (150, 46, 30))


def _draw_splinters(canvas: Canvas, ship: Galley, lost: PartsLost, t: float) -> None:
    """Oars and masts that fly off."""
    x, y = hull_middle(ship.pose, ship.kind)
    for number in range(lost.port + lost.starboard + lost.masts):
        chance = blake2b(f"{lost.galley}{lost.step}{lost.by}{number}".encode(), digest_size=2).digest()
        turn, far = chance[0] / 256 * 2 * pi, 30 + (14 + chance[1] / 10) * t
        at: Point = (x + far * sin(turn), y + far * cos(turn))
        spin = turn + chance[1] / 40 + 2 * t
        end: Point = (at[0] + 15 * sin(spin), at[1] + 15 * cos(spin))
        sticks.lay_match(canvas, at, end, "order", EMBER)

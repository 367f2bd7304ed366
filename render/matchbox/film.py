"""The film of a round: galleys move, matches drop, hits flash, oars fly off, a sinking galley goes down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from math import cos, pi, sin
from typing import Final

from msgspec.structs import replace

from render.commission import Commission
from render.drawing.canvas import Canvas, Point, Rect
from render.drawing.style import CHALK, EMBER, NAME_SIZE
from render.films.film import MOTION_FRAME_MS, Film, Frame, Tempo, shorten_frames, sinking_sprite, tempo_by_pace
from render.marks import labels
from render.marks.labels import Label
from render.matchbox import marks, sticks
from render.matchbox.hull import galley_sprite
from render.matchbox.names import lost_ship_label, place_names, ship_label
from render.matchbox.painter import add_legend, make_canvas
from render.matchbox.window import shown_window
from rules.matchbox import retelling
from rules.matchbox.engine.events import (
    MatchesLaid,
    PartsLost,
    ShipBackedOff,
    ShipCaptured,
    ShipGrappled,
    ShipMoved,
    ShipPoledOff,
    VolleyDropped,
)
from rules.matchbox.engine.hull import hull_middle
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley, LaidMatch
from rules.matchbox.interface.view import TableView
from rules.matchbox.retelling import AFTER_LAST_STEP, GalleysById, StoryMoment, count_losses

_TEMPO_BY_PACE: Final = tempo_by_pace(
    calm=Tempo(move_frames=9, missile_frames=4, sink_frames=6, begin_ms=900, result_ms=520, end_ms=2600),
    brisk=Tempo(move_frames=5, missile_frames=3, sink_frames=5, begin_ms=300, result_ms=400, end_ms=400),
)

RectsByShip = Mapping[str, Rect]  # where galleys' names are, by the galley's id


def film_frames(commission: Commission[TableView]) -> list[Frame]:
    """Return the frames of the round that the events describe; empty if nothing of it is visible."""
    moments = retelling.split_moments(commission.view, commission.events)
    if not any(moment.step and moment.has_visible_event for moment in moments):
        return []
    return shorten_frames(_RoundFilm(commission, moments).draw_frames())


class _RoundFilm(Film[TableView, Canvas]):
    def __init__(self, commission: Commission[TableView], moments: Sequence[StoryMoment]) -> None:
        still = make_canvas(commission, shown_window(commission, moments), commission.width)
        super().__init__(commission, still, add_legend(commission, still.image, still), _TEMPO_BY_PACE[commission.pace])
        self.moments = moments
        # What the present frame shows besides the galleys; `draw_frames` changes it from step to step.
        self.matches: tuple[LaidMatch, ...] = ()
        # Offset of each name from its galley, so that it stays on one side.
        self.preferred_offsets: dict[str, Point] = {}
        self.sunk_names: list[Label] = []  # of galleys that have sunk in this film
        self.step = 0  # shown in the corner; 0: none
        self.grapples: tuple[tuple[str, str], ...] = ()  # (boarder, grappled galley)
        ships_in_film = {ship.id for moment in moments for ship in moment.before.galleys.values()}
        self.struck = commission.view.struck
        for ship in commission.view.lost:
            if ship.id not in ships_in_film:
                marks.draw_lost_galley(self.still, ship, struck=ship.id in self.struck)

    def draw_frames(self) -> Iterator[Frame]:
        ships = self.moments[0].before.galleys or self.moments[0].after.galleys
        self.matches = next((event.lying for moment in self.moments for event in moment.events_of(MatchesLaid)), ())
        name_rects = self._name_rects(ships, {})
        yield self._draw_frame(ships, name_rects, self.tempo.begin_ms)
        for moment in self.moments:
            if not moment.step:
                continue
            self.step = moment.step if moment.step < AFTER_LAST_STEP else 0
            self.matches = tuple(match for match in self.matches if match.step > moment.step)
            if not moment.grapples:
                self.grapples = ()
            yield from self._move_frames(moment, name_rects)
            self.grapples = moment.grapples
            name_rects = self._name_rects(moment.after_movement.galleys, count_losses([moment]))
            if moment.laid_matches is not None:
                self.matches = moment.laid_matches
            yield from self._strike_frames(moment, name_rects)
        self.step = 0
        end = self.moments[-1].after.galleys
        yield self._draw_frame(end, self._name_rects(end, {}), self.tempo.end_ms)

    def _name_rects(self, ships: GalleysById, losses: Mapping[str, int]) -> dict[str, Rect]:
        """Return the boxes of names, as far as possible on the same side of their galleys as before."""
        names = [*(ship_label(self.still, ship, losses.get(ship.id, 0)) for ship in ships.values()), *self.sunk_names]
        placed = place_names(self.still, names, ships.values(), self.matches, preferred_offsets=self.preferred_offsets)
        self.preferred_offsets.update({name.key: labels.middle_offset(name.near, box) for name, box in placed})
        return {name.key: box for name, box in placed}

    def _move_frames(self, moment: StoryMoment, name_rects: RectsByShip) -> Iterator[Frame]:
        """Yield frames in which all galleys move at once. A galley that meets another stops there (MB-5.5)."""
        moves: dict[str, ShipMoved | ShipBackedOff | ShipPoledOff] = {
            move.galley: move for move in moment.events_of(ShipMoved)
        }
        moves.update((move.galley, move) for move in moment.events_of(ShipBackedOff))
        for pole in moment.events_of(ShipPoledOff):
            earlier = moves.get(pole.galley)  # the same galley's move before it poled off in this step
            moves[pole.galley] = replace(pole, start=earlier.start) if earlier else pole
        if not moves:
            return
        rects_after = self._name_rects(moment.after_movement.galleys, {})
        for tick in range(1, self.tempo.move_frames + 1):
            progress = tick / self.tempo.move_frames
            ships = {
                name: replace(ship, pose=_pose_between(moves[name], progress)) if name in moves else ship
                for name, ship in moment.before.galleys.items()
            }
            yield self._draw_frame(ships, _rects_between(name_rects, rects_after, progress), MOTION_FRAME_MS)
        for name, move in moves.items():
            ship = moment.before.galleys.get(name)
            if ship is not None:
                marks.draw_track(self.still, (move.start, move.end), ship, 0.45)

    def _strike_frames(self, moment: StoryMoment, name_rects: RectsByShip) -> Iterator[Frame]:
        """Yield frames of what galleys do to each other after a step: falling volleys, strikes, and sinking."""
        strikes = moment.bow_strikes
        shots = moment.events_of(VolleyDropped)
        lost_parts = moment.events_of(PartsLost)
        losses = count_losses([moment])
        if not (strikes or shots or lost_parts or moment.events_of(ShipGrappled)):
            yield self._draw_frame(moment.after.galleys, name_rects, self.tempo.result_ms // 2)
            return
        if shots:
            yield from self._volley_frames(moment, shots, name_rects)
        for tick in range(1, 4):
            background = self.copy_still()
            self._draw_strikes(background, moment)
            for event in lost_parts:
                if event.galley in moment.after_movement.galleys:
                    _draw_splinters(background, moment.after_movement.galleys[event.galley], event, tick / 3)
            yield self._draw_frame(
                {**moment.after_movement.galleys, **moment.after.galleys},
                name_rects,
                MOTION_FRAME_MS if tick < 3 else self.tempo.result_ms,
                losses,
                background,
            )
        for shot in shots:
            marks.draw_volley(self.still, shot, moment.after_movement.galleys.get(shot.to), faint=True)
        yield from self._sink_frames(moment, name_rects)

    def _volley_frames(
        self, moment: StoryMoment, shots: Sequence[VolleyDropped], name_rects: RectsByShip
    ) -> Iterator[Frame]:
        for tick in range(1, self.tempo.missile_frames + 1):
            background = self.copy_still()
            for shot in shots:
                _draw_falling_matches(background, shot, tick / self.tempo.missile_frames)
            yield self._draw_frame(moment.after_movement.galleys, name_rects, MOTION_FRAME_MS, background=background)

    def _draw_strikes(self, background: Canvas, moment: StoryMoment) -> None:
        for strike in moment.bow_strikes:
            rammer, rammed = map(moment.after_movement.galleys.get, strike)
            if rammer is not None and rammed is not None:
                marks.draw_ram_burst(background, marks.strike_point(rammer, rammed))
        for at in marks.rock_points(moment):
            marks.draw_ram_burst(background, at)
        marks.draw_grapples(background, moment.grapples, moment.after_movement.galleys)
        marks.draw_melees(background, moment)
        for capture in moment.events_of(ShipCaptured):
            marks.mark_capture(background, moment.after.galleys[capture.galley])
        marks.draw_sight_lines(background, moment, self.commission.view.sea)
        for shot in moment.events_of(VolleyDropped):
            marks.draw_volley(background, shot, moment.after_movement.galleys.get(shot.to), faint=False)

    def _sink_frames(self, moment: StoryMoment, name_rects: RectsByShip) -> Iterator[Frame]:
        sunk_ships = [ship for name, ship in moment.after_movement.galleys.items() if name not in moment.after.galleys]
        if not sunk_ships:
            return
        for ship in sunk_ships:
            marks.draw_lost_galley(self.still, ship, struck=ship.id in self.struck, just_sunk=True)
            self.preferred_offsets.pop(ship.id, None)
        for tick in range(1, self.tempo.sink_frames + 1):
            background = self.copy_still()
            for ship in (ship for ship in sunk_ships if ship.id not in self.struck):
                progress = tick / (self.tempo.sink_frames + 1)
                sprite = sinking_sprite(galley_sprite(ship, background.scale), progress, turn=140, dwindle=0.7)
                background.place_sprite(sprite, background.to_pixels(hull_middle(ship.pose, ship.kind)))
            yield self._draw_frame(moment.after.galleys, name_rects, MOTION_FRAME_MS, background=background)
        for ship in sunk_ships:
            is_struck = ship.id in self.struck
            self.sunk_names.append(ship_label(self.still, ship) if is_struck else lost_ship_label(self.still, ship))
        yield self._draw_frame(moment.after.galleys, self._name_rects(moment.after.galleys, {}), self.tempo.result_ms)

    def _draw_frame(
        self,
        ships: GalleysById,
        name_rects: RectsByShip,
        ms: int,
        losses: Mapping[str, int] | None = None,
        background: Canvas | None = None,
    ) -> Frame:
        canvas = background if background is not None else self.copy_still()
        marks.draw_order_matches(canvas, self.matches, ships)
        marks.draw_hulls(canvas, ships.values())
        marks.draw_grapples(canvas, self.grapples, ships)
        names = [
            *(ship_label(canvas, ship, (losses or {}).get(ship.id, 0)) for ship in ships.values()),
            *self.sunk_names,
        ]
        labels.lay_labels(canvas, [(name, name_rects[name.key]) for name in names if name.key in name_rects])
        if self.step:
            size = round(NAME_SIZE * 1.25 * canvas.px)
            canvas.draw_text((10 * canvas.px, 8 * canvas.px), str(self.step), size, CHALK)
        return self.complete_frame(canvas, ms)


def _pose_between(move: ShipMoved | ShipBackedOff | ShipPoledOff, t: float) -> Pose:
    """Return a galley's pose at time t (0 to 1) of a step: straight motion, even turning (MB-5.3)."""
    part = move.part if isinstance(move, ShipMoved) else 1.0
    progress = min(1.0, t / part) if part > 0 else 1.0
    turn = (move.end.heading_deg - move.start.heading_deg + 180) % 360 - 180
    return Pose(
        move.start.x_mm + (move.end.x_mm - move.start.x_mm) * progress,
        move.start.y_mm + (move.end.y_mm - move.start.y_mm) * progress,
        (move.start.heading_deg + turn * progress) % 360,
    )


def _rects_between(before: RectsByShip, after: RectsByShip, t: float) -> dict[str, Rect]:
    return {name: labels.box_between(box, after.get(name, box), t) for name, box in before.items()}


def _draw_falling_matches(canvas: Canvas, shot: VolleyDropped, progress: float) -> None:
    """Draw matches of a volley that turn as they fall; `progress` is 0 when they are dropped, 1 when they lie."""
    height = 1.0 - progress  # 1 where the fall begins
    for number, drop in enumerate(shot.drops):
        if not drop.on_table:
            continue
        tail, head = sticks.match_ends(drop.x_mm, drop.y_mm, drop.bearing_deg + (70 if number % 2 else -70) * height)
        # A match that is still high looks larger and farther up the picture.
        apparent_middle = (drop.x_mm, drop.y_mm + 40 * height)
        magnification = 1.0 + 0.7 * height
        ends = [
            (apparent_middle[0] + (x - drop.x_mm) * magnification, apparent_middle[1] + (y - drop.y_mm) * magnification)
            for x, y in (tail, head)
        ]
        sticks.lay_match(canvas, ends[0], ends[1], "order", (150, 46, 30))


def _draw_splinters(canvas: Canvas, ship: Galley, lost: PartsLost, part: float) -> None:
    # Draws a flying match for each lost part; `part` from 0 to 1 is how far they have flown.
    x, y = hull_middle(ship.pose, ship.kind)
    for number in range(lost.port + lost.starboard + lost.masts):
        digest = blake2b(f"{lost.galley}{lost.step}{lost.by}{number}".encode(), digest_size=2).digest()
        angle = digest[0] / 256 * 2 * pi
        distance = 30 + (14 + digest[1] / 10) * part
        at: Point = (x + distance * sin(angle), y + distance * cos(angle))
        spin = angle + digest[1] / 40 + 2 * part
        end: Point = (at[0] + 15 * sin(spin), at[1] + 15 * cos(spin))
        sticks.lay_match(canvas, at, end, "order", EMBER)

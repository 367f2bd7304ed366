"""The film of a turn, in order of play: ships row, rams strike, oars break, missiles fly, dice fall, ships sink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, cos, hypot, radians, sin
from typing import Final

from render.commission import Commission
from render.drawing.canvas import Canvas, Point, Rect
from render.films.film import MOTION_FRAME_MS, Effect, Film, Frame, Tempo, shorten_frames, tempo_by_pace
from render.marks import strikes
from render.marks.labels import (
    Label,
    PlacedLabels,
    add_label,
    box_between,
    box_obstacle,
    draw_leads,
    lay_labels,
    middle_offset,
    place_labels,
)
from render.ramspeed import badges, marks, scene
from render.ramspeed.badges import LETTER_PX
from render.ramspeed.marks import ship_appearance
from render.ramspeed.painter import shown_window
from render.ramspeed.scene import (
    add_edge_and_legend,
    badge_label,
    draw_ships,
    draw_wrecks,
    hull_obstacles,
    is_in_window,
    make_canvas,
)
from rules.core.protocol import Event
from rules.ramspeed import retelling
from rules.ramspeed.engine import events
from rules.ramspeed.interface.view import Pose, SeaView, pose_of
from rules.ramspeed.retelling import StoryMoment, VisibleState

_MOVE_FRAME_BUDGET: Final = 70
"""Approximate number of movement frames in a film. Each of many moves gets fewer frames."""


_TEMPO_BY_PACE: Final = tempo_by_pace(
    calm=Tempo(move_frames=8, missile_frames=4, sink_frames=6, begin_ms=800, result_ms=760, end_ms=2200),
    brisk=Tempo(move_frames=3, missile_frames=2, sink_frames=3, begin_ms=200, result_ms=240, end_ms=400),
)


def film_frames(commission: Commission[SeaView]) -> list[Frame]:
    """Return the frames of the turn that the events describe; empty if nothing of it is visible."""
    visible_moments = [
        moment for moment in retelling.split_moments(commission.view, commission.events) if moment.has_visible_event
    ]
    return shorten_frames(_SeaFilm(commission, visible_moments).draw_frames()) if visible_moments else []


class _SeaFilm(Film[SeaView, Canvas]):
    def __init__(self, commission: Commission[SeaView], moments: Sequence[StoryMoment]) -> None:
        still = make_canvas(commission, shown_window(commission, moments), commission.width)
        draw_wrecks(still, moments[0].before)
        super().__init__(
            commission,
            still,
            add_edge_and_legend(commission, still),
            _TEMPO_BY_PACE[commission.pace],
            scene.margin_px(commission.width),
        )
        self.moments = moments
        moves = sum(isinstance(event, _MOVE_EVENTS) for moment in moments for event in moment.events)
        self.frames_per_move = max(2, min(self.tempo.move_frames, _MOVE_FRAME_BUDGET // max(1, moves)))
        # Offset of each badge from its ship, so that it stays on one side.
        self.preferred_offsets: dict[str, Point] = {}
        self.plates: PlacedLabels = []  # the last results of dice, which `_add_plate` adds and moves remove

    def draw_frames(self) -> Iterator[Frame]:
        yield self._draw_frame(self.moments[0].before, self.tempo.begin_ms)
        for moment in self.moments:
            fleet = moment.before
            self.plates = []
            for number, event in enumerate(moment.events):
                yield from self._event_frames(fleet, event, number)
                fleet = retelling.apply_event(fleet, event)
            if self.plates:
                yield self._draw_frame(fleet, self.tempo.result_ms // 2)
        self.plates = []
        yield self._draw_frame(VisibleState.from_position(self.commission.view.position), self.tempo.end_ms)

    def _event_frames(self, fleet: VisibleState, event: Event, number: int) -> Iterator[Frame]:
        """Yield the frames of one event. `fleet` is the state before it."""
        match event:
            case events.ShipMoved() | events.ShipDrifted():
                ship_before = fleet.ships[event.ship]
                heading = event.heading if isinstance(event, events.ShipMoved) else ship_before.heading
                yield from self._move_frames(fleet, event.ship, Pose(event.x, event.y, heading))
            case events.ShipRammed():
                yield from self._move_frames(fleet, event.by, Pose(event.x, event.y, event.heading))
                yield from self._ram_frames(retelling.apply_event(fleet, event), event)
            case events.OarsSwiped() | events.ShipGrappled():
                yield from self._move_frames(
                    fleet, event.by, pose_of(retelling.apply_event(fleet, event).ships[event.by])
                )
            case events.ShotFired():
                yield from self._shot_frames(fleet, event)
            case events.ShipSunk() | events.ShipWithdrawn():
                yield from self._vanish_frames(fleet, event)
            case _:
                pass
        after = retelling.apply_event(fleet, event)
        if self._add_plate(event, fleet, number):
            yield self._draw_frame(after, self.tempo.result_ms)
        elif isinstance(event, events.ShipsLinked | events.FireshipLit | events.DerelictLeft | events.ShipsSeparated):
            yield self._draw_frame(after, self.tempo.result_ms // 2)

    def _add_plate(self, event: Event, fleet: VisibleState, number: int) -> bool:
        image = badges.draw_event_plate(event, ceil(LETTER_PX * self.still.px))
        if image is None:
            return False
        label = badges.plate_label(self.still, image, event, fleet, number)
        obstacles = [
            *hull_obstacles(self.still, fleet),
            *(box_obstacle(box, 90) for _, box in self._place_badges(fleet)),
        ]
        self.plates = add_label(self.still, self.plates, label, obstacles)
        return True

    def _move_frames(self, fleet: VisibleState, name: str, end: Pose) -> Iterator[Frame]:
        ship = fleet.ships[name]
        start = pose_of(ship)
        if start == end:
            return
        self.plates = []
        badges_before = self._place_badges(fleet)
        badges_after = self._place_badges(fleet.with_ship(name, x=end.x, y=end.y, heading=end.heading))
        for tick in range(1, self.frames_per_move + 1):
            progress = tick / self.frames_per_move
            here = pose_between(start, end, progress)
            fleet_now = fleet.with_ship(name, x=here.x, y=here.y, heading=here.heading)
            background = self.copy_still()
            if progress < 1:
                marks.draw_wake(background, ship.code, start, here, 0.9)
            yield self._draw_frame(
                fleet_now, MOTION_FRAME_MS, background, _badges_between(badges_before, badges_after, progress)
            )
        marks.draw_wake(self.still, ship.code, start, end, 0.7)

    def _ram_frames(self, fleet: VisibleState, event: events.ShipRammed) -> Iterator[Frame]:
        by = fleet.ships[event.by]
        at = self.still.to_pixels(marks.ship_corners(by.code, pose_of(by))[0])
        for effect in self.ram_effects(at, 0.6, 0.5):
            yield self._draw_frame(fleet, MOTION_FRAME_MS, effect=effect)

    def _shot_frames(self, fleet: VisibleState, event: events.ShotFired) -> Iterator[Frame]:
        a, b = fleet.ships[event.by], fleet.ships[event.to]
        ends = self.still.to_pixels((a.x, a.y)), self.still.to_pixels((b.x, b.y))
        for effect in self.missile_effects(*ends, fire=event.kind == "fire"):
            yield self._draw_frame(fleet, MOTION_FRAME_MS, effect=effect)

    def _vanish_frames(self, fleet: VisibleState, event: events.ShipSunk | events.ShipWithdrawn) -> Iterator[Frame]:
        ship = fleet.ships[event.ship]
        if not ship.is_afloat:
            return
        appearance = ship_appearance(ship, fleet)
        if isinstance(event, events.ShipSunk):
            marks.draw_wreck(self.still, appearance, pose_of(ship))
        fleet_after = retelling.apply_event(fleet, event)
        sprite = marks.ship_sprite(self.still, appearance, ship.heading)
        at = self.still.to_pixels((ship.x, ship.y))
        sinks = isinstance(event, events.ShipSunk)
        for background in self.vanish_canvases(sprite, at, sinks=sinks):
            yield self._draw_frame(fleet_after, MOTION_FRAME_MS, background)

    # --- frames ---------------------------------------------------------------------------------------------------

    def _place_badges(self, fleet: VisibleState) -> PlacedLabels:
        """Return badges with their boxes, as far as possible on the same side of their ships as before."""
        labels = [
            badge_label(self.still, ship, fleet, self.commission.view)
            for ship in fleet.afloat
            if is_in_window(self.still, ship)
        ]
        obstacles = [*hull_obstacles(self.still, fleet), *(box_obstacle(box, 4000) for _, box in self.plates)]
        placed = place_labels(self.still, labels, obstacles, self.preferred_offsets)
        self.preferred_offsets.update({label.key: middle_offset(label.near, box) for label, box in placed})
        return placed

    def _draw_frame(
        self,
        fleet: VisibleState,
        ms: int,
        background: Canvas | None = None,
        placed_badges: PlacedLabels | None = None,
        *,
        effect: Effect | None = None,
    ) -> Frame:
        canvas = background if background is not None else self.copy_still()
        draw_ships(canvas, fleet)
        if effect is not None:
            effect(canvas)
        labels = [*(self._place_badges(fleet) if placed_badges is None else placed_badges), *self.plates]
        draw_leads(canvas, labels)
        lay_labels(canvas, labels)
        return self.complete_frame(canvas, ms)


_MOVE_EVENTS: Final = (events.ShipMoved, events.ShipDrifted, events.ShipRammed, events.OarsSwiped, events.ShipGrappled)


def pose_between(start: Pose, end: Pose, part: float) -> Pose:
    """Return a pose on a ship's way.

    The ship turns first and then goes straight, or turns last if it moved by its old heading.
    """
    turn = (end.heading - start.heading + 180) % 360 - 180
    dx, dy = end.x - start.x, end.y - start.y
    progress = turn_progress = part
    if hypot(dx, dy) >= 0.02 and turn:
        turn_share = min(0.5, 0.12 + abs(turn) / 240)  # part of the time that the turn takes
        # How far the ship goes in the direction of its old heading, and of its new one.
        forward_by_heading = [abs(dx * sin(radians(h)) + dy * cos(radians(h))) for h in (start.heading, end.heading)]
        turns_last = forward_by_heading[0] > forward_by_heading[1] + 0.01
        turn_progress = max(0.0, (part - 1 + turn_share) / turn_share) if turns_last else min(1.0, part / turn_share)
        progress = min(1.0, part / (1 - turn_share)) if turns_last else max(0.0, (part - turn_share) / (1 - turn_share))
    return Pose(start.x + dx * progress, start.y + dy * progress, round(start.heading + turn * turn_progress) % 360)


def _badges_between(before: PlacedLabels, after: PlacedLabels, part: float) -> PlacedLabels:
    badges_after: Mapping[str, tuple[Label, Rect]] = {label.key: (label, box) for label, box in after}
    moving = []
    for label, box in before:
        label_after, box_after = badges_after.get(label.key, (label, box))
        near = strikes.point_between(label.near, label_after.near, part)
        moving.append((Label(label.key, label.image, near, label.distance), box_between(box, box_after, part)))
    return moving

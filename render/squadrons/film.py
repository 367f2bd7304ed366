"""The film of a turn, in order of activations: galleys row, rams strike, oars break, dice fall, ships sink."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from render.commission import Commission
from render.drawing.canvas import Point
from render.films.film import MOTION_FRAME_MS, Effect, Film, Frame, Tempo, shorten_frames, tempo_by_pace
from render.marks import strikes
from render.marks.labels import PlacedLabels, add_label, draw_leads, lay_labels
from render.seas.hexmap import HexCanvas
from render.squadrons import marks
from render.squadrons.ids import write_film_ids
from render.squadrons.marks import middle_pixel, ship_appearance, ship_pixel
from render.squadrons.plates import LETTER_PX, draw_event_plate, plate_label
from render.squadrons.scene import add_edge_and_legend, draw_ships, hull_obstacles, make_canvas, margin_px, shown_window
from render.squadrons.wind import lay_wind
from rules.core.protocol import Event
from rules.squadrons import retelling
from rules.squadrons.engine import events
from rules.squadrons.engine.changes import position_after_event
from rules.squadrons.engine.sea.grid import HexPose, parse_place
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview.view import FleetView
from rules.squadrons.retelling import StoryMoment

_MOVE_FRAME_BUDGET: Final = 90
"""Approximate number of movement frames in a film. With many moves, one frame shows several hexes."""
_MAX_ROLLS_SHOWN: Final = 14
"""A film with more rolls shows only the weighty ones."""


_TEMPO_BY_PACE: Final = tempo_by_pace(
    calm=Tempo(move_frames=3, missile_frames=4, sink_frames=5, begin_ms=800, result_ms=700, end_ms=2200),
    brisk=Tempo(move_frames=1, missile_frames=2, sink_frames=3, begin_ms=200, result_ms=240, end_ms=400),
)


def film_frames(commission: Commission[FleetView]) -> list[Frame]:
    """Return the frames of the turn that the events describe; empty if nothing of it is visible."""
    visible_moments = [
        moment for moment in retelling.split_moments(commission.view, commission.events) if moment.has_visible_event
    ]
    return shorten_frames(_FleetFilm(commission, visible_moments).draw_frames()) if visible_moments else []


class _FleetFilm(Film[FleetView, HexCanvas]):
    def __init__(self, commission: Commission[FleetView], moments: Sequence[StoryMoment]) -> None:
        still = make_canvas(commission, shown_window(commission, moments), commission.width)
        positions = [moments[0].before, commission.view.position]
        lay_wind(still, positions[0], [hull for position in positions for hull in hull_obstacles(still, position)])
        super().__init__(
            commission,
            still,
            add_edge_and_legend(commission, still),
            _TEMPO_BY_PACE[commission.pace],
            margin_px(commission.width),
        )
        self.moments = moments
        all_events = [event for moment in moments for event in moment.events]
        hexes = sum(isinstance(event, events.ShipMoved) for event in all_events)
        affordable = _MOVE_FRAME_BUDGET / max(1, hexes)  # frames for each hex
        self.frames_per_hex = max(1, min(self.tempo.move_frames, round(affordable)))
        self.hexes_per_frame = max(1, round(1 / affordable)) if affordable < 1 else 1
        rolls = sum(draw_event_plate(event, 8) is not None for event in all_events)
        # A terse film shows only the weighty rolls, and no shots.
        self.terse = rolls > _MAX_ROLLS_SHOWN or commission.pace != "calm"
        self.plates: PlacedLabels = []  # the last results of dice, which `_add_plate` adds and moves remove

    def draw_frames(self) -> Iterator[Frame]:
        yield self._draw_frame(self.moments[0].before, self.tempo.begin_ms)
        for moment in self.moments:
            self.plates = []
            yield from self._moment_frames(moment)
            if moment.acting_ship in moment.moved_ships:
                ship_before = moment.before.ships_by_id[moment.acting_ship]
                places = [parse_place(event.to) for event in moment.events if isinstance(event, events.ShipMoved)]
                marks.draw_wake(self.still, [ship_before.bow, *(place.bow for place in places)], 0.6)
        self.plates = []
        yield self._draw_frame(self.commission.view.position, self.tempo.end_ms)

    def _moment_frames(self, moment: StoryMoment) -> Iterator[Frame]:
        """Yield the frames of one act. In a film with few frames, a ship on its way is shown in every n-th hex only."""
        position = moment.before
        hexes_moved = 0
        for number, event in enumerate(moment.events):
            if isinstance(event, events.ShipMoved):
                hexes_moved += 1
                next_event = moment.events[number + 1] if number + 1 < len(moment.events) else None
                moves_on = isinstance(next_event, events.ShipMoved) and next_event.ship == event.ship
                if not moves_on or hexes_moved % self.hexes_per_frame == 0:
                    yield from self._move_frames(position, event.ship, parse_place(event.to))
            else:
                yield from self._event_frames(position, event, f"{number}")
            position = position_after_event(position, event)

    def _event_frames(self, position_before: Position, event: Event, key: str) -> Iterator[Frame]:
        """Yield the frames of one event."""
        match event:
            case events.AvoidanceTried() | events.RetractRolled() | events.RefloatRolled() if event.to is not None:
                yield from self._move_frames(position_before, event.ship, parse_place(event.to))
            case events.ShipRammed():
                yield from self._ram_frames(position_before, event)
            case events.ShotFired() if not self.terse:
                yield from self._shot_frames(position_before, event)
            case events.ShipSunk() | events.ShipExited():
                yield from self._vanish_frames(position_before, event)
            case _:
                pass
        after = position_after_event(position_before, event)
        if (not self.terse or type(event) in _WEIGHTY_EVENTS) and self._add_plate(event, position_before, key):
            yield self._draw_frame(after, self.tempo.result_ms)

    def _add_plate(self, event: Event, position_before: Position, key: str) -> bool:
        image = draw_event_plate(event, ceil(LETTER_PX * self.still.px))
        if image is None:
            return False
        label = plate_label(self.still, image, event, position_before, key)
        self.plates = add_label(self.still, self.plates, label, hull_obstacles(self.still, position_before))
        return True

    def _move_frames(self, position_before: Position, name: str, end: HexPose) -> Iterator[Frame]:
        ship = position_before.ships_by_id[name]
        if ship.place == end:
            return
        self.plates = []
        turn = (end.facing - ship.facing + 3) % 6 - 3  # in steps of 60 degrees, from -3 to 2
        start_pixel = ship_pixel(self.still, ship)
        end_pixel = middle_pixel(self.still, end, ship.size)
        for tick in range(1, self.frames_per_hex + 1):
            progress = tick / self.frames_per_hex
            heading = 60 * ship.facing + 60 * turn * progress
            yield self._draw_frame(
                position_before,
                MOTION_FRAME_MS,
                moving=(ship, strikes.point_between(start_pixel, end_pixel, progress), heading),
            )

    def _ram_frames(self, position_before: Position, event: events.ShipRammed) -> Iterator[Frame]:
        by = position_before.ships_by_id[event.by]
        target = position_before.ships_by_id[event.target]
        at = strikes.point_between(self.still.hex_pixel(by.bow), ship_pixel(self.still, target), 0.45)
        for effect in self.ram_effects(at, 0.4, 0.4):
            yield self._draw_frame(position_before, MOTION_FRAME_MS, effect=effect)

    def _shot_frames(self, position_before: Position, event: events.ShotFired) -> Iterator[Frame]:
        ships = [position_before.ships_by_id[name] for name in (event.by, event.target)]
        a, b = (ship_pixel(self.still, ship) for ship in ships)
        for effect in self.missile_effects(a, b, fire=event.flame):
            yield self._draw_frame(position_before, MOTION_FRAME_MS, effect=effect)

    def _vanish_frames(self, position_before: Position, event: events.ShipSunk | events.ShipExited) -> Iterator[Frame]:
        ship = position_before.ships_by_id[event.ship]
        if not ship.is_afloat:
            return
        sprite = marks.ship_sprite(self.still, ship_appearance(ship), 60 * ship.facing)
        at = ship_pixel(self.still, ship)
        sinks = isinstance(event, events.ShipSunk)
        for background in self.vanish_canvases(sprite, at, sinks=sinks):
            yield self._draw_frame(position_after_event(position_before, event), MOTION_FRAME_MS, background=background)

    def _draw_frame(
        self,
        position: Position,
        ms: int,
        *,
        background: HexCanvas | None = None,
        moving: tuple[Ship, Point, float] | None = None,
        effect: Effect | None = None,
    ) -> Frame:
        # Draws all ships on the background; `moving`: a ship between two hexes, its pixel and its heading.
        canvas = background if background is not None else self.copy_still()
        draw_ships(canvas, position, {moving[0].id} if moving else (), grouped=False)
        if moving is not None:
            ship, at, heading = moving
            canvas.place_sprite(marks.ship_sprite(canvas, ship_appearance(ship), heading), at)
        if effect is not None:
            effect(canvas)
        write_film_ids(canvas, position, (moving[0].id, moving[1]) if moving else None)
        draw_leads(canvas, self.plates)
        lay_labels(canvas, self.plates)
        return self.complete_frame(canvas, ms)


_WEIGHTY_EVENTS: Final = (
    events.ShipRammed,
    events.ShipRaked,
    events.ShipGrappled,
    events.ShipBoarded,
    events.ShipSunk,
    events.IgnitionRolled,
)

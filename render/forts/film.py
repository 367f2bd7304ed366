"""The film of a player-turn: ships sail, balls fly, dice appear, a sunk ship goes down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from PIL import Image

from render.commission import Commission
from render.drawing.canvas import Point, Sprite, fade_sprite
from render.drawing.style import scaled_px
from render.films.film import MOTION_FRAME_MS, Film, Frame, Tempo, shorten_frames, tempo_by_pace
from render.forts import marks
from render.forts.marks import hex_of_label
from render.forts.painter import (
    add_edge,
    add_legend,
    draw_besieged_fort,
    draw_forts,
    draw_ships,
    draw_tracks,
    draw_wrecks,
    make_canvas,
    ship_sprite_on,
    shot_dice,
    shown_window,
)
from render.marks.labels import PlacedLabels, lay_labels
from render.seas.hexmap import HexCanvas
from render.seas.parchment import MARGIN_PX
from rules.forts import retelling
from rules.forts.engine.events import MoveUndone, ShipMoved, ShipSunk, ShotFired
from rules.forts.engine.state import Ship
from rules.forts.interface.view import HexView
from rules.forts.retelling import ShipsById, StoryMoment

_TEMPO_BY_PACE: Final = tempo_by_pace(
    calm=Tempo(move_frames=4, missile_frames=5, sink_frames=7, begin_ms=900, result_ms=800, end_ms=2600),
    brisk=Tempo(move_frames=2, missile_frames=3, sink_frames=5, begin_ms=300, result_ms=400, end_ms=400),
)


def film_frames(commission: Commission[HexView]) -> list[Frame]:
    """Return the frames of the player-turn that the events describe; empty if nothing of it is visible."""
    moments = retelling.split_moments(commission.view, commission.events)
    return shorten_frames(_PlayerTurnFilm(commission, moments).draw_frames()) if moments else []


class _PlayerTurnFilm(Film[HexView, HexCanvas]):
    def __init__(self, commission: Commission[HexView], moments: Sequence[StoryMoment]) -> None:
        still = make_canvas(commission, shown_window(commission, moments), commission.width)
        draw_wrecks(still, commission.view, moments[0].before.ships)
        draw_forts(still, commission.view)
        super().__init__(
            commission,
            still,
            add_legend(commission, add_edge(commission, still)),
            _TEMPO_BY_PACE[commission.pace],
            scaled_px(MARGIN_PX, commission.width),
        )
        self.moments = moments

    def draw_frames(self) -> Iterator[Frame]:
        yield self._draw_frame(self.moments[0].before.ships, self.tempo.begin_ms)
        for moment in self.moments:
            yield from self._move_frames(moment) if moment.moves else self._fire_frames(moment)
        background = self.copy_still()
        draw_besieged_fort(background, self.commission.view)
        yield self._draw_frame(self.moments[-1].after.ships, self.tempo.end_ms, background)

    def _move_frames(self, moment: StoryMoment) -> Iterator[Frame]:
        move = moment.moves[0]
        ship = moment.before.ships.get(move.ship)
        if ship is None:
            return
        others = {name: other for name, other in moment.before.ships.items() if name != move.ship}
        path = move.path if isinstance(move, ShipMoved) else (move.start, move.end)
        points = [self.still.hex_pixel(hex_of_label(label)) for label in path]
        sprite = ship_sprite_on(self.still, self.commission.view, ship)
        frame_count = max(2, self.tempo.move_frames * (len(path) - 1))
        for tick in range(1, frame_count + 1):
            background = self.copy_still()
            draw_ships(background, self.commission.view, others.values())
            background.place_sprite(sprite, marks.point_along(points, tick / frame_count))
            yield self.complete_frame(background, MOTION_FRAME_MS)
        if not isinstance(move, MoveUndone):
            draw_tracks(self.still, (moment,))
        yield self._draw_frame(moment.after.ships, self.tempo.result_ms // 3)

    def _fire_frames(self, moment: StoryMoment) -> Iterator[Frame]:
        """Yield frames shot by shot. The dice of one ship's shots stay until it has fired them all."""
        state = moment.before
        dice = shot_dice(self.still, moment.shots)
        placed_dice = marks.place_dice(self.still, dice, [ship.hex for ship in state.ships.values()])
        shown_dice: PlacedLabels = []
        shot_count = 0
        for event in moment.deed_events:
            state_after = retelling.apply_event(state, event)
            match event:
                case ShotFired():
                    yield from self._shot_frames(event, state.ships, shown_dice)
                    shot_count += 1
                    # A die's key is the number of its shot, from 0.
                    shown_dice = [(die, box) for die, box in placed_dice if int(die.key) < shot_count]
                    background = self.copy_still()
                    yield self._draw_frame(
                        state_after.ships, self.tempo.result_ms, background, shot=event, dice=shown_dice
                    )
                case ShipSunk() if event.ship in state.ships:
                    yield from self._sink_frames(state.ships[event.ship], state_after.ships, shown_dice)
                case _:
                    pass
            state = state_after

    def _shot_frames(self, shot: ShotFired, fleet: ShipsById, dice: PlacedLabels) -> Iterator[Frame]:
        for tick in range(1, self.tempo.missile_frames + 1):
            background = self.copy_still()
            draw_ships(background, self.commission.view, fleet.values())
            marks.draw_ball(
                background, shot.start, shot.end, plunging=shot.plunging, part=tick / (self.tempo.missile_frames + 1)
            )
            lay_labels(background, dice)
            yield self.complete_frame(background, MOTION_FRAME_MS)

    def _sink_frames(self, ship: Ship, fleet: ShipsById, dice: PlacedLabels) -> Iterator[Frame]:
        sprite = ship_sprite_on(self.still, self.commission.view, ship)
        spot = self.still.hex_pixel(hex_of_label(ship.hex))
        for tick in range(1, self.tempo.sink_frames + 1):
            background = self.copy_still()
            draw_ships(background, self.commission.view, fleet.values())
            background.place_sprite(*_heel_over(sprite, spot, tick / (self.tempo.sink_frames + 1)))
            lay_labels(background, dice)
            yield self.complete_frame(background, MOTION_FRAME_MS)
        draw_wrecks(self.still, self.commission.view, fleet)
        yield self._draw_frame(fleet, self.tempo.result_ms)

    def _draw_frame(
        self,
        fleet: Mapping[str, Ship],
        ms: int,
        background: HexCanvas | None = None,
        *,
        shot: ShotFired | None = None,
        dice: PlacedLabels = (),
    ) -> Frame:
        canvas = background if background is not None else self.copy_still()
        if shot is not None:
            marks.draw_shot(canvas, shot.start, shot.end, hit=shot.hit, plunging=shot.plunging)
        draw_ships(canvas, self.commission.view, fleet.values())
        if shot is not None:
            if shot.hit:
                marks.draw_hit(canvas, shot.end)
            else:
                marks.draw_splash(canvas, shot.end)
        lay_labels(canvas, dice)
        return self.complete_frame(canvas, ms)


def _heel_over(sprite: Sprite, spot: Point, part: float) -> tuple[Sprite, Point]:
    """Return a ship that has sunk to a part from 0 to 1, and the point for its anchor: it leans over and goes down."""
    image = sprite.image.rotate(-38 * part, Image.Resampling.BILINEAR)
    height_left = max(1, round(image.height * (1 - 0.55 * part)))
    image = image.crop((0, 0, image.width, height_left))
    sunk_spot = (spot[0], spot[1] + part * 0.3 * sprite.anchor[1])
    return fade_sprite(Sprite(image, sprite.anchor), 1 - part * part), sunk_spot

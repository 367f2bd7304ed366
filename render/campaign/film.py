"""The film of a turn: what a seat saw of it, or all fleets, once the season is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from render.campaign.chart import draw_chart, draw_pennant, pennant_point
from render.campaign.layout import lay_out, mark_sizes, pennant_slots
from render.commission import Commission
from render.drawing.canvas import Point
from render.films.film import LAST_FRAME_MS, MOTION_FRAME_MS, Frame
from rules.campaign.engine.events import BattleMet, GalleysSighted, PortFell
from rules.campaign.engine.sea.ways import shortest_routes
from rules.campaign.interface.view import SeasonView
from rules.campaign.retelling import split_moments, visible_state
from rules.core.protocol import Event

FRAME_MS: Final = 1600  # of each event that a seat saw
_TURN_END_MS: Final = 900  # of the chart after a turn
_MOVE_FRAMES: Final = 6  # in which all fleets sail at once


class _Voyage(NamedTuple):
    captain: str  # id of the captain who sails
    galleys: int  # how many row together
    route: tuple[Point, ...]  # pixels

    def point_at(self, part: float) -> Point:
        """Return where the galleys are after a part of their route, 0 to 1."""
        legs = len(self.route) - 1
        leg = min(int(part * legs), legs - 1)
        (x, y), (to_x, to_y) = self.route[leg : leg + 2]
        leg_part = part * legs - leg
        return x + (to_x - x) * leg_part, y + (to_y - y) * leg_part


def film_frames(commission: Commission[SeasonView]) -> list[Frame]:
    """Return the frames of a turn; empty if nothing of it is visible.

    With the view before it, they begin with the fleets' voyages: of all fleets, or of the viewer's own.
    """
    if commission.before is not None:
        *voyages, after = _turn_frames(commission, commission.before)
        is_own = commission.view.seat is not None
        return [*voyages, *(_event_frames(commission) if is_own else ()), after]
    return _event_frames(commission)


def _event_frames(commission: Commission[SeasonView]) -> list[Frame]:
    """Return a frame for each moment of which the viewer saw something."""
    if not any(isinstance(event, BattleMet | PortFell | GalleysSighted) for event in commission.events):
        return []
    frames = []
    events: list[Event] = []  # up to the end of a moment
    for moment in split_moments(commission.view, commission.events):
        events += moment.events
        frames.append(Frame(draw_chart(commission, moment.after, events=events).image, FRAME_MS))
    return frames


def _turn_frames(commission: Commission[SeasonView], before: SeasonView) -> Iterator[Frame]:
    """Yield frames of pennants that sail from where fleets were before the turn, and then the chart after it."""
    view = commission.view
    layout = lay_out(view.map, len(view.captains), above_buttons=False)
    still = draw_chart(commission, visible_state(before), fleets=False, events=())
    marks = mark_sizes(len(layout.places))
    slots = pennant_slots(view.map, len(view.captains), layout.window, above_buttons=False)

    def pennant_pixel(code: str, number: int) -> Point:
        return pennant_point(still, layout.places[code], slots[code], number)

    voyages = list(_find_voyages(before, view, pennant_pixel))
    for step in range(_MOVE_FRAMES):
        if all(voyage.route[0] == voyage.route[-1] for voyage in voyages):
            break
        canvas = still.copy()
        for voyage in voyages:
            draw_pennant(
                canvas, voyage.point_at(step / _MOVE_FRAMES), voyage.captain, voyage.galleys, marks.pennant_scale
            )
        yield Frame(canvas.image, 2 * MOTION_FRAME_MS)
    final_chart = draw_chart(commission, visible_state(commission.view))
    yield Frame(final_chart.image, LAST_FRAME_MS if commission.pace == "closing" else _TURN_END_MS)


def _find_voyages(
    before: SeasonView, after: SeasonView, pennant_pixel: Callable[[str, int], Point]
) -> Iterator[_Voyage]:
    """Yield the voyages of a turn; galleys of a captain that begin and end it in the same places sail together.

    `pennant_pixel` returns a pennant's point from a place's code and the captain's rank there.
    """
    places_after = {galley.id: galley.place for galley in after.galleys}
    galley_counts = Counter(
        (galley.captain, galley.place, places_after.get(galley.id, galley.place)) for galley in before.galleys
    )
    # A captain's rank among the captains at a place decides where the pennant stands.
    starts = _rank_in_places((captain, start) for captain, start, _ in galley_counts)
    ends = _rank_in_places((captain, end) for captain, _, end in galley_counts)
    for (captain, start, end), galley_count in galley_counts.items():
        route_codes = shortest_routes(after.map, len(after.captains), start)[end]
        between = [pennant_pixel(code, 0) for code in route_codes[:-1]]
        first = pennant_pixel(start, starts[captain, start])
        last = pennant_pixel(end, ends[captain, end])
        yield _Voyage(captain, galley_count, (first, *between, last))


def _rank_in_places(captains_and_places: Iterator[tuple[str, str]]) -> dict[tuple[str, str], int]:
    # By captain and place: how many of the captains there come before in the alphabet.
    order = sorted({*captains_and_places}, key=lambda entry: (entry[1], entry[0]))
    return {
        entry: number
        for _, entries in groupby(order, key=lambda entry: entry[1])
        for number, entry in enumerate(entries)
    }

"""The film of a turn: what a seat saw of it, or all fleets, once the season is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from render.campaign.chart import draw_battle, draw_chart, draw_pennant, pennant_point
from render.campaign.layout import lay_out, mark_sizes, pennant_slots
from render.commission import Commission
from render.drawing.canvas import Point
from render.films.film import LAST_FRAME_MS, MOTION_FRAME_MS, Frame
from rules.campaign.engine.events import BattleMet, GalleysSighted, PortFell
from rules.campaign.engine.sea.ways import shortest_routes
from rules.campaign.interface.view import SeasonView
from rules.campaign.retelling import split_moments, visible_state

FRAME_MS: Final = 1600
_TURN_END_MS: Final = 900
_MOVE_FRAMES: Final = 6


class _Voyage(NamedTuple):
    captain: str
    galleys: int
    route: tuple[Point, ...]

    def point_at(self, part: float) -> Point:
        """Return where the galleys are after a part of their route, 0 to 1."""
        legs = len(self.route) - 1
        leg = min(int(part * legs), legs - 1)
        (x, y), (to_x, to_y) = self.route[leg : leg + 2]
        share = part * legs - leg
        return x + (to_x - x) * share, y + (to_y - y) * share


def film_frames(commission: Commission[SeasonView]) -> list[Frame]:
    """Return the frames of a turn; empty if nothing of it is visible."""
    if commission.before is not None:
        return list(_turn_frames(commission, commission.before))
    if not any(isinstance(event, BattleMet | PortFell | GalleysSighted) for event in commission.events):
        return []
    moments = split_moments(commission.view, commission.events)
    return [Frame(draw_chart(commission, moment.after).image, FRAME_MS) for moment in moments]


def _turn_frames(commission: Commission[SeasonView], before: SeasonView) -> Iterator[Frame]:
    known, layout = visible_state(before), lay_out(commission.view.map, len(commission.view.captains), low=False)
    still = draw_chart(commission, known, fleets=False)
    marks = mark_sizes(len(layout.places))
    at = pennant_slots(commission.view.map, len(commission.view.captains), layout.window, low=False)
    voyages = list(
        _find_voyages(
            before, commission.view, lambda code, number: pennant_point(still, layout.places[code], at[code], number)
        )
    )
    for step in range(_MOVE_FRAMES):
        if all(voyage.route[0] == voyage.route[-1] for voyage in voyages):
            break
        canvas = still.copy()
        for voyage in voyages:
            draw_pennant(
                canvas, voyage.point_at(step / _MOVE_FRAMES), voyage.captain, voyage.galleys, marks.pennant_scale
            )
        yield Frame(canvas.image, 2 * MOTION_FRAME_MS)
    ended = draw_chart(commission, visible_state(commission.view))
    running = {battle.id for battle in commission.view.battles}
    for event in commission.events:
        if isinstance(event, BattleMet) and event.id not in running:
            draw_battle(ended, layout.places[event.place], marks, event.id)
    yield Frame(ended.image, LAST_FRAME_MS if commission.pace == "closing" else _TURN_END_MS)


def _find_voyages(before: SeasonView, after: SeasonView, stand: Callable[[str, int], Point]) -> Iterator[_Voyage]:
    now = {galley.id: galley.place for galley in after.galleys}
    moved = Counter((galley.captain, galley.place, now.get(galley.id, galley.place)) for galley in before.galleys)
    starts, ends = (
        _rank_in_places((captain, start) for captain, start, _ in moved),
        _rank_in_places((captain, end) for captain, _, end in moved),
    )
    for (captain, start, end), galley_count in moved.items():
        rowed = shortest_routes(after.map, len(after.captains), start)[end]
        between = [stand(code, 0) for code in rowed[:-1]]
        first = stand(start, starts[captain, start])
        last = stand(end, ends[captain, end])
        yield _Voyage(captain, galley_count, (first, *between, last))


def _rank_in_places(laid_matches: Iterator[tuple[str, str]]) -> dict[tuple[str, str], int]:
    order = sorted({*laid_matches}, key=lambda entry: (entry[1], entry[0]))
    return {
        entry: number
        for _, entries in groupby(order, key=lambda entry: entry[1])
        for number, entry in enumerate(entries)
    }

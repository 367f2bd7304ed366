"""A turn in motion: its watches and its night as a seat saw them, or all fleets, once the season is over."""

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
"""How long the end of a turn is seen in the film of a season."""
_MOVE_FRAMES: Final = 6
"""Frames of fleets that row."""


class _Voyage(NamedTuple):
    """Galleys of one captain that row the same way in a turn."""

    captain: str
    galleys: int
    route: tuple[Point, ...]

    def point_at(self, part: float) -> Point:
        """Where they are when so much of their way is behind them, 0 to 1."""
        legs = len(self.route) - 1
        leg = min(int(part * legs), legs - 1)
        (x, y), (to_x, to_y) = self.route[leg : leg + 2]
        share = part * legs - leg
        return x + (to_x - x) * share, y + (to_y - y) * share


def film_frames(asked: Commission[SeasonView]) -> list[Frame]:
    """A film of a turn; no frames if nothing of it can be seen."""
    if asked.before is not None:
        return list(_turn_frames(asked, asked.before))
    if not any(isinstance(event, BattleMet | PortFell | GalleysSighted) for event in asked.events):
        return []
    told = split_moments(asked.view, asked.events)
    return [Frame(draw_chart(asked, moment.after).image, FRAME_MS) for moment in told]


def _turn_frames(asked: Commission[SeasonView], before: SeasonView) -> Iterator[Frame]:
    """All fleets on their ways, then how the turn ended, with a cross wherever fleets met."""
    known, laid = visible_state(before), lay_out(asked.view.map, len(asked.view.captains), low=False)
    still = draw_chart(asked, known, fleets=False)
    marks = mark_sizes(len(laid.places))
    at = pennant_slots(asked.view.map, len(asked.view.captains), laid.window, low=False)
    voyages = list(
        _find_voyages(
            before, asked.view, lambda code, number: pennant_point(still, laid.places[code], at[code], number)
        )
    )
    for step in range(_MOVE_FRAMES):
        if all(one.route[0] == one.route[-1] for one in voyages):
            break
        canvas = still.copy()
        for one in voyages:
            draw_pennant(canvas, one.point_at(step / _MOVE_FRAMES), one.captain, one.galleys, marks.pennant_scale)
        yield Frame(canvas.image, 2 * MOTION_FRAME_MS)
    ended = draw_chart(asked, visible_state(asked.view))
    running = {battle.id for battle in asked.view.battles}
    for event in asked.events:
        if isinstance(event, BattleMet) and event.id not in running:
            draw_battle(ended, laid.places[event.place], marks, event.id)
    yield Frame(ended.image, LAST_FRAME_MS if asked.pace == "closing" else _TURN_END_MS)


def _find_voyages(before: SeasonView, after: SeasonView, stand: Callable[[str, int], Point]) -> Iterator[_Voyage]:
    """How the galleys that lived through the turn rowed; those that were lost in it stay where they lay."""
    now = {galley.id: galley.place for galley in after.galleys}
    moved = Counter((galley.captain, galley.place, now.get(galley.id, galley.place)) for galley in before.galleys)
    starts, ends = (
        _rank_in_places((captain, start) for captain, start, _ in moved),
        _rank_in_places((one, end) for one, _, end in moved),
    )
    for (captain, start, end), many in moved.items():
        rowed = shortest_routes(after.map, len(after.captains), start)[end]
        between = [stand(code, 0) for code in rowed[:-1]]
        first = stand(start, starts[captain, start])
        last = stand(end, ends[captain, end])
        yield _Voyage(captain, many, (first, *between, last))


def _rank_in_places(lying: Iterator[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Each captain's number among those who lie in a place, by captain and place."""
    order = sorted({*lying}, key=lambda one: (one[1], one[0]))
    return {one: number for _, there in groupby(order, key=lambda one: one[1]) for number, one in enumerate(there)}

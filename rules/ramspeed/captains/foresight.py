"""The turn carried out by the rules themselves, over and over, with dice of the captain's own (`rules.search`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules.cup import Cup
from rules.ramspeed.table.orders import Line, Sheet
from rules.ramspeed.table.phases import turn
from rules.ramspeed.table.phases.turn import Progress
from rules.ramspeed.table.state import Position
from rules.search import DiceSamples, SampleCup


class _Moment:
    """A turn as it stands after some lines; what comes of each further one is found once."""

    def __init__(self, progress: Progress, cup: Cup) -> None:
        self.progress = progress
        self._cup = cup
        self._next: dict[Line | None, _Moment] = {}
        self._end: Position | None = None

    def after(self, line: Line | None) -> _Moment:
        """After a line of the active player, or with None after that player-turn, when the next one has begun."""
        if line not in self._next:
            if line:
                done = turn.activate(self.progress, line, self._cup, {})
            else:
                done = turn.close_player(self.progress, self._cup, {})
            self._next[line] = _Moment.of(done.progress, done.cup, opens=line is None)
        return self._next[line]

    @staticmethod
    def of(progress: Progress, cup: Cup, *, opens: bool) -> _Moment:
        """A moment; the player-turn of the first player in the order begins, if `opens`."""
        if opens and progress.order:
            done = turn.open_player(progress, cup, {})
            return _Moment(done.progress, done.cup)
        return _Moment(progress, cup)

    def end(self) -> Position:
        """What the turn leads to, after the last player-turn."""
        if self._end is None:
            self._end = turn.close(self.progress, self._cup, {}).position
        return self._end


class Foresight:
    """What the rest of a turn leads to, sheet by sheet and sample by sample, in one of some orders of play.

    Nobody's doctrine is known, so all defend themselves as captains do who say nothing. What two sheets begin alike is
    carried out once.
    """

    def __init__(self, begun: Sequence[Progress], samples: int, seed: str) -> None:
        luck = DiceSamples(samples, len(begun), seed)
        ways = [begun[sample % len(begun)] for sample in range(samples)]
        self._begun = [_Moment.of(way, SampleCup(luck, sample), opens=not way.named) for sample, way in enumerate(ways)]

    def carried_out(self, sheets: Mapping[str, Sheet], sample: int) -> Position:
        """The end of a turn, with the dice of a sample; who has no sheet lets all ships stay."""
        moment = self._begun[sample]
        while moment.progress.order:
            for line in sheets.get(moment.progress.order[0], Sheet()).lines:
                moment = moment.after(line)
            moment = moment.after(None)
        return moment.end()

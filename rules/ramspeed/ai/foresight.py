"""The turn carried out by the rules themselves, over and over, with dice of the captain's own (`rules.ai.search`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules.ai.search import DiceSamples, SampleDice
from rules.chance.cup import DiceSource
from rules.ramspeed.engine.orders import OrderLine, OrderSheet
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import TurnProgress
from rules.ramspeed.engine.state import Position


class _TurnNode:
    """A turn as it stands after some lines; what comes of each further one is found once."""

    def __init__(self, progress: TurnProgress, cup: DiceSource) -> None:
        self.progress = progress
        self._cup = cup
        self._next: dict[OrderLine | None, _TurnNode] = {}
        self._end: Position | None = None

    def child_after(self, line: OrderLine | None) -> _TurnNode:
        """After a line of the active player, or with None after that player-turn, when the next one has begun."""
        if line not in self._next:
            if line:
                done = turn.activate_line(self.progress, line, self._cup, {})
            else:
                done = turn.close_player(self.progress, self._cup, {})
            self._next[line] = _TurnNode.create(done.progress, done.cup, opens=line is None)
        return self._next[line]

    @staticmethod
    def create(progress: TurnProgress, cup: DiceSource, *, opens: bool) -> _TurnNode:
        """A moment; the player-turn of the first player in the order begins, if `opens`."""
        if opens and progress.players_left:
            done = turn.open_player(progress, cup, {})
            return _TurnNode(done.progress, done.cup)
        return _TurnNode(progress, cup)

    def final_position(self) -> Position:
        """What the turn leads to, after the last player-turn."""
        if self._end is None:
            self._end = turn.close_turn(self.progress, self._cup, {}).position
        return self._end


class TurnForesight:
    """What the rest of a turn leads to, sheet by sheet and sample by sample, in one of some orders of play.

    Nobody's doctrine is known, so all defend themselves as captains do who say nothing. What two sheets begin alike is
    carried out once.
    """

    def __init__(self, begun: Sequence[TurnProgress], samples: int, seed: str) -> None:
        luck = DiceSamples(samples, len(begun), seed)
        ways = [begun[sample % len(begun)] for sample in range(samples)]
        self._begun = [
            _TurnNode.create(way, SampleDice(luck, sample), opens=not way.acted_ships)
            for sample, way in enumerate(ways)
        ]

    def position_after(self, sheets: Mapping[str, OrderSheet], sample: int) -> Position:
        """The end of a turn, with the dice of a sample; who has no sheet lets all ships stay."""
        moment = self._begun[sample]
        while moment.progress.players_left:
            for line in sheets.get(moment.progress.players_left[0], OrderSheet()).lines:
                moment = moment.child_after(line)
            moment = moment.child_after(None)
        return moment.final_position()

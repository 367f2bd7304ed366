"""Turns carried out by the rules many times, with the captain's own dice (`rules.ai.search`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules.ai.search import DiceSamples, SampleDice
from rules.chance.cup import DiceSource
from rules.ramspeed.engine.orders import OrderLine, OrderSheet
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import TurnProgress
from rules.ramspeed.engine.state import Position


class _TurnNode:
    """A turn after some lines; the result of each further line is computed once."""

    def __init__(self, progress: TurnProgress, cup: DiceSource) -> None:
        self.progress = progress
        self._cup = cup
        self._next: dict[OrderLine | None, _TurnNode] = {}
        self._end: Position | None = None

    def child_after(self, line: OrderLine | None) -> _TurnNode:
        """Return the node after a line of the active player, or with None after the end of that player-turn."""
        if line not in self._next:
            if line:
                result = turn.activate_line(self.progress, line, self._cup, {})
            else:
                result = turn.close_player(self.progress, self._cup, {})
            self._next[line] = _TurnNode.create(result.progress, result.cup, opens=line is None)
        return self._next[line]

    @staticmethod
    def create(progress: TurnProgress, cup: DiceSource, *, opens: bool) -> _TurnNode:
        if opens and progress.players_left:
            result = turn.open_player(progress, cup, {})
            return _TurnNode(result.progress, result.cup)
        return _TurnNode(progress, cup)

    def final_position(self) -> Position:
        if self._end is None:
            self._end = turn.close_turn(self.progress, self._cup, {}).position
        return self._end


class TurnForesight:
    """The results of a turn by sheets, samples and orders of play.

    Doctrines of other captains are secret, so all ships use the defaults. A common beginning of two sheets is carried
    out once.
    """

    def __init__(self, begun: Sequence[TurnProgress], samples: int, seed: str) -> None:
        luck = DiceSamples(samples, len(begun), seed)
        ways = [begun[sample % len(begun)] for sample in range(samples)]
        self._begun = [
            _TurnNode.create(way, SampleDice(luck, sample), opens=not way.acted_ships)
            for sample, way in enumerate(ways)
        ]

    def position_after(self, sheets: Mapping[str, OrderSheet], sample: int) -> Position:
        """Return the position after a turn with the dice of a sample. The ships of a player without a sheet stay."""
        moment = self._begun[sample]
        while moment.progress.players_left:
            for line in sheets.get(moment.progress.players_left[0], OrderSheet()).lines:
                moment = moment.child_after(line)
            moment = moment.child_after(None)
        return moment.final_position()

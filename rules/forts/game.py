"""Naval Battle as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from rules.dice import Dice
from rules.forts.captains import mate, whole_turn
from rules.forts.desk import game_flow, make_view, opening, reasons
from rules.forts.desk.lessons import LESSONS
from rules.forts.desk.questions import QUESTIONS
from rules.forts.desk.view import HexView
from rules.forts.table import counting
from rules.forts.table.boards import BOARDS, Board
from rules.forts.table.case import adjudicate
from rules.forts.table.events import Happening
from rules.forts.table.state import State
from rules.protocol import Setup, Step
from rules.ruleset import Ruleset
from rules.view import of_view


class Forts(Ruleset[State]):
    """The game of four ships and a fort a side."""

    name = "forts"
    first = opening.FIRST
    state_type = State
    event_type = Happening
    view_type = HexView
    questions = QUESTIONS
    lessons = LESSONS

    pending = staticmethod(game_flow.pending)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.draw)
    call_off = staticmethod(partial(game_flow.draw, reason="called_off"))
    view = staticmethod(make_view.view)
    tally = staticmethod(counting.tally)
    strength = staticmethod(counting.strength)
    adjudicate = staticmethod(adjudicate)
    captain = staticmethod(of_view(HexView, mate.answer))
    advise = staticmethod(of_view(HexView, whole_turn.advise))
    reason = staticmethod(of_view(HexView, reasons.reason))

    def __init__(self, boards: Mapping[str, Board] = BOARDS) -> None:
        """Offer these boards; the first is the standard one."""
        self._boards = boards
        self.options = opening.options(boards)

    def start(self, setup: Setup, dice: Dice, /) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        return opening.start(setup, dice, self._boards)

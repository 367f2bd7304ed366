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
from rules.forts.table.case import adjudicate_case
from rules.forts.table.events import GameEvent
from rules.forts.table.state import State
from rules.protocol import Setup, Step
from rules.ruleset import Ruleset
from rules.view import accepts_any_view


class Forts(Ruleset[State]):
    """The game of four ships and a fort a side."""

    name = "forts"
    first = opening.FIRST_GAME_OPTIONS
    state_type = State
    event_type = GameEvent
    view_type = HexView
    questions = QUESTIONS
    lessons = LESSONS

    pending = staticmethod(game_flow.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    concede = staticmethod(game_flow.concede)
    draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    tally = staticmethod(counting.count_statistics)
    strength = staticmethod(counting.seat_strengths)
    adjudicate = staticmethod(adjudicate_case)
    captain = staticmethod(accepts_any_view(HexView, mate.computer_answer))
    advise = staticmethod(accepts_any_view(HexView, whole_turn.advise))
    reason = staticmethod(accepts_any_view(HexView, reasons.reason_for))

    def __init__(self, boards: Mapping[str, Board] = BOARDS) -> None:
        """Offer these boards; the first is the standard one."""
        self._boards = boards
        self.options = opening.setup_options(boards)

    def start(self, setup: Setup, dice: Dice, /) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        return opening.start_game(setup, dice, self._boards)

"""Naval Battle as a `Ruleset`, the only interface of this game to the other packages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from rules.chance.dice import Dice
from rules.core.protocol import Setup, Step
from rules.core.rulebook import RuleTable
from rules.core.ruleset import Ruleset
from rules.core.view import accepts_any_view
from rules.forts.ai import mate, whole_turn
from rules.forts.engine import counting
from rules.forts.engine.boards import BOARDS, Board
from rules.forts.engine.case import adjudicate_case
from rules.forts.engine.events import GameEvent
from rules.forts.engine.state import State
from rules.forts.interface import game_flow, make_view, opening, reasons
from rules.forts.interface.lessons import LESSONS
from rules.forts.interface.questions import QUESTIONS
from rules.forts.interface.rule_tables import make_rule_tables
from rules.forts.interface.view import HexView


class Forts(Ruleset[State]):
    name = "forts"
    ships_have_captains_letters = False
    first_game_options = opening.FIRST_GAME_OPTIONS
    state_type = State
    event_type = GameEvent
    view_type = HexView
    questions = QUESTIONS
    lessons = LESSONS

    pending_requests = staticmethod(game_flow.pending_requests)
    carry_out = staticmethod(game_flow.carry_out)
    lots_of = staticmethod(opening.lots_of)
    concede = staticmethod(game_flow.concede)
    agree_draw = staticmethod(game_flow.agree_draw)
    call_off = staticmethod(partial(game_flow.agree_draw, reason="called_off"))
    view = staticmethod(make_view.make_view)
    count_statistics = staticmethod(counting.count_statistics)
    seat_strengths = staticmethod(counting.seat_strengths)
    adjudicate = staticmethod(adjudicate_case)
    computer_answer = staticmethod(accepts_any_view(HexView, mate.computer_answer))
    advise = staticmethod(accepts_any_view(HexView, whole_turn.advise))
    reason_for = staticmethod(accepts_any_view(HexView, reasons.reason_for))

    def __init__(self, boards: Mapping[str, Board] = BOARDS) -> None:
        self._boards = boards
        self.options = opening.setup_options(boards)

    def start(self, setup: Setup, dice: Dice, /) -> Step:
        return opening.start_game(setup, dice, self._boards)

    def rule_tables(self) -> Mapping[str, RuleTable]:
        return make_rule_tables(self._boards)

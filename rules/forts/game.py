"""Naval Battle as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rules.dice import Dice
from rules.forts.captains import mate
from rules.forts.desk import game_flow, lessons, make_view, opening, reasons
from rules.forts.desk.questions import QUESTIONS
from rules.forts.desk.view import HexView
from rules.forts.table import counting
from rules.forts.table.boards import BOARDS, Board
from rules.forts.table.case import adjudicate
from rules.forts.table.events import Happening
from rules.forts.table.state import Answer, State
from rules.lessons import Lesson, Verdict
from rules.protocol import EMPTY, Act, Draft, Event, OptionSpec, Request, Seat, Setup, Step
from rules.ruleset import Question, Ruleset
from rules.tally import Tally
from rules.view import Text, View, own


class Forts(Ruleset[State]):
    """The game of four ships and a fort a side."""

    name = "forts"
    state_type = State
    event_type = Happening
    view_type = HexView
    questions: Mapping[str, Question[State, Any]] = QUESTIONS
    first = opening.FIRST
    lessons: tuple[Lesson, ...] = lessons.LESSONS

    def __init__(self, boards: Mapping[str, Board] = BOARDS) -> None:
        """Offer these boards; the first is the standard one."""
        self._boards = boards
        self.options: tuple[OptionSpec, ...] = opening.options(boards)

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        return game_flow.begin(opening.start(setup, dice, self._boards))

    def pending(self, state: State) -> tuple[Request, ...]:
        """Who must answer what now, and who may; empty when the game is over."""
        return game_flow.pending(state)

    def resolve(self, state: State, answers: Mapping[str, Answer]) -> Step:
        """Carry out answers by request id. Raises `ValueError` if they make no step."""
        return game_flow.resolve(state, answers)

    def act(self, state: State, act: Act) -> Step:
        """Carry out what a captain did unasked (NB-09.3)."""
        return game_flow.act(state, act)

    def view(self, state: State, seat: Seat | None, draft: Draft = EMPTY) -> HexView:
        """What a seat may see."""
        return make_view.view(state, seat, draft)

    def judge(self, lesson: str, state: State, events: Iterable[Event]) -> Verdict:  # noqa: ARG002 - its events say all
        """What came of a lesson."""
        return lessons.judge(lesson, events)

    def tally(self, state: State, events: Iterable[Event]) -> Mapping[Seat, Tally]:
        """What each captain did and rolled in a game."""
        return counting.tally(state, events)

    def strength(self, state: State) -> Mapping[Seat, float]:
        """Hits that each captain's ships can still take."""
        return counting.strength(state)

    def captain(self, view: View, request: Request, seed: str) -> Answer:
        """The computer captain's answer. Raises `TypeError` for a view of another game."""
        return mate.answer(own(view, HexView), request, seed)

    def reason(self, view: View, answer: Answer) -> Text:
        """One reason for an answer. Raises `TypeError` for a view of another game."""
        return reasons.reason(own(view, HexView), answer)

    def adjudicate(self, case: bytes) -> dict[str, Any]:
        """Carry out a player-turn as cases write it."""
        return adjudicate(case)

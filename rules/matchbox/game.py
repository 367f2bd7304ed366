"""War Galley with matchboxes as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import structs

from rules.dice import Dice
from rules.lessons import Lesson, Verdict
from rules.matchbox.captains import mate
from rules.matchbox.desk import course, lessons, opening, reasons, seen
from rules.matchbox.desk.questions import QUESTIONS
from rules.matchbox.desk.view import TableView
from rules.matchbox.table import counting
from rules.matchbox.table.case import adjudicate
from rules.matchbox.table.events import Happening
from rules.matchbox.table.state import Answer, State
from rules.protocol import EMPTY, Act, Draft, Event, OptionSpec, Request, Seat, Setup, Step
from rules.ruleset import Question, Ruleset
from rules.tally import Tally
from rules.view import Text, View, own


class Matchbox(Ruleset[State]):
    """The game of matchbox galleys and dropped matches."""

    name = "matchbox"
    options: tuple[OptionSpec, ...] = opening.OPTIONS
    first = opening.FIRST
    state_type = State
    event_type = Happening
    view_type = TableView
    questions: Mapping[str, Question[State, Any]] = QUESTIONS
    lessons: tuple[Lesson, ...] = lessons.LESSONS

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game."""
        return opening.start(setup, dice)

    def at(self, position: str) -> State:
        """Any position of galleys."""
        return opening.at(position)

    def pending(self, state: State) -> tuple[Request, ...]:
        """Who must answer what now."""
        return course.pending(state)

    def resolve(self, state: State, answers: Mapping[str, Answer]) -> Step:
        """Carry out the answers to all pending requests."""
        return course.resolve(state, answers)

    def act(self, state: State, act: Act) -> Step:
        """Carry out what a captain did unasked (MB-8.1)."""
        return course.act(state, act)

    def view(self, state: State, seat: Seat | None, draft: Draft = EMPTY) -> TableView:
        """What a seat may see."""
        return seen.view(state, seat, draft)

    def captain(self, view: View, request: Request, seed: str) -> Answer:
        """The computer captain's answer. Raises `TypeError` for a view of another game."""
        return mate.answer(own(view, TableView), request, seed)

    def advise(self, view: View, request: Request, seed: str) -> Answer:
        """Whoever plays the empty seats, a captain's adviser is his first mate, who also stands in for the absent."""
        return self.captain(structs.replace(own(view, TableView), captain="mate"), request, seed)

    def judge(self, lesson: str, state: State, events: Iterable[Event]) -> Verdict:
        """What came of a lesson."""
        return lessons.judge(lesson, state, events)

    def tally(self, state: State, events: Iterable[Event]) -> Mapping[Seat, Tally]:
        """What each captain did and threw in a game."""
        return counting.tally(state, events)

    def strength(self, state: State) -> Mapping[Seat, float]:
        """Oars and masts of each captain's galleys afloat."""
        return counting.strength(state)

    def reason(self, view: View, answer: Answer) -> Text:
        """One reason for an answer. Raises `TypeError` for a view of another game."""
        return reasons.reason(own(view, TableView), answer)

    def adjudicate(self, case: bytes) -> dict[str, Any]:
        """Carry out a round as cases write it (MB part 11)."""
        return adjudicate(case)

"""Biremes … Oh My! as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import structs

from rules.dice import Dice, subseed
from rules.lessons import Lesson, Verdict
from rules.protocol import EMPTY, Act, Draft, Event, OptionSpec, Request, Seat, Setup, Step
from rules.ramspeed.captains import answering
from rules.ramspeed.desk import game_flow, lessons, make_view, opening, reasons
from rules.ramspeed.desk.answers import Answer
from rules.ramspeed.desk.questions import QUESTIONS
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.table import counting
from rules.ramspeed.table.case import adjudicate
from rules.ramspeed.table.events import Happening
from rules.ramspeed.table.notation import position, scenarios
from rules.ramspeed.table.state import State
from rules.ruleset import Question, Ruleset
from rules.tally import Tally
from rules.view import Text, View, own


class RamSpeed(Ruleset[State]):
    """The game of fleets that order their ships line by line."""

    name = "ramspeed"
    options: tuple[OptionSpec, ...] = opening.OPTIONS
    first = opening.FIRST
    takes_scenario = True
    example_scenario = scenarios.EXAMPLE
    state_type = State
    event_type = Happening
    view_type = SeaView
    questions: Mapping[str, Question[State, Any]] = QUESTIONS
    lessons: tuple[Lesson, ...] = lessons.LESSONS

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        state, drawn = opening.start(setup, dice)
        return game_flow.begin(state, [drawn] if drawn else [])

    def admit(self, setup: Setup) -> None:
        """Look whether a host's scenario is of a size that is taken. Raises `OrderError`."""
        opening.admit(setup)

    def at(self, position: str) -> State:
        """Any position of the game's notation, to be looked at."""
        return opening.at(position)

    def ending(self, state: State) -> str:
        """How it stands at its end, as a position (RS part 10.1)."""
        return position.write(state.position)

    def pending(self, state: State) -> tuple[Request, ...]:
        """Who must answer what now, and who may."""
        return game_flow.pending(state)

    def resolve(self, state: State, answers: Mapping[str, Answer]) -> Step:
        """Carry out answers by request id. Raises `ValueError` if they make no step."""
        return game_flow.resolve(state, answers)

    def act(self, state: State, act: Act) -> Step:
        """Carry out what a captain did unasked (RS-20.4)."""
        return game_flow.act(state, act)

    def view(self, state: State, seat: Seat | None, draft: Draft = EMPTY) -> SeaView:
        """What a seat may see."""
        return make_view.view(state, seat, draft)

    def captain(self, view: View, request: Request, seed: str) -> Answer:
        """The computer captain's answer. Raises `TypeError` for a view of another game."""
        return answering.answer(own(view, SeaView), request, seed)

    def advise(self, view: View, request: Request, seed: str) -> Answer:
        """Whoever plays the empty seats, a captain's adviser is an admiral."""
        return self.captain(structs.replace(own(view, SeaView), captain="admiral"), request, seed)

    def stand_in(self, state: State, request: Request) -> Answer:
        """In the place of one who has missed his deadline a first mate answers."""
        view = structs.replace(self.view(state, request.seat), captain="mate")
        return self.captain(view, request, subseed(state.dice.seed, f"mate {request.id}"))

    def judge(self, lesson: str, state: State, events: Iterable[Event]) -> Verdict:  # noqa: ARG002 - its events say all
        """What came of a lesson."""
        return lessons.judge(lesson, events)

    def tally(self, state: State, events: Iterable[Event]) -> Mapping[Seat, Tally]:
        """What each captain did and threw in a game."""
        return counting.tally(state, events)

    def strength(self, state: State) -> Mapping[Seat, float]:
        """What each captain has left: the value of his ships, as far as they are manned (RS-20.3)."""
        return counting.strength(state)

    def adjudicate(self, case: bytes) -> dict[str, Any]:
        """Carry out a turn as cases write it (RS part 10.2)."""
        return adjudicate(case)

    def reason(self, view: View, answer: Answer) -> Text:
        """One reason for an answer. Raises `TypeError` for a view of another game."""
        return reasons.reason(own(view, SeaView), answer)

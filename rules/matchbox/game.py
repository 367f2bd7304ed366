"""War Galley with matchboxes as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import structs

from rules.dice import Dice, subseed
from rules.lessons import Lesson, Verdict
from rules.matchbox.captains import mate
from rules.matchbox.desk import asking, course, deploy, lessons, opening, reasons, seen
from rules.matchbox.desk import draft as drafts
from rules.matchbox.desk.samples import fleet_orders, placements
from rules.matchbox.desk.view import TableView
from rules.matchbox.table import counting
from rules.matchbox.table.events import Happening
from rules.matchbox.table.state import Answer, Decision, FleetOrders, Placement, State
from rules.protocol import Act, Choices, Event, OptionSpec, Request, Result, Seat, Setup, Step
from rules.tally import Tally
from rules.view import Text, View


class Matchbox:
    """The game of matchbox galleys and dropped matches."""

    name: str = "matchbox"
    data: str = "data.matchbox"
    options: tuple[OptionSpec, ...] = opening.OPTIONS
    captains: tuple[int, ...] = opening.CAPTAINS
    state_type: type[State] = State
    event_type: Any = Happening
    view_type: type[View] = TableView
    lessons: tuple[Lesson, ...] = lessons.LESSONS

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        return opening.start(setup, dice)

    def at(self, position: str) -> State:
        """Any position of galleys, to be looked at. Raises `OrderError`."""
        return opening.at(position)

    def pending(self, state: State) -> tuple[Request, ...]:
        """Who must answer what now; empty when the game is over."""
        return course.pending(state)

    def parse(self, state: State, request: Request, text: str) -> Answer:
        """Read a complete, legal answer. Raises `OrderError` on anything else."""
        if request.kind == "place":
            return deploy.finish(deploy.quay(state, request.seat), text)
        if request.kind == "orders":
            return drafts.finish(drafts.desk(state, request.seat), text)
        return asking.parse(state, course.question_of(state, request), text)

    def format(self, answer: Answer) -> str:
        """Write an answer in canonical notation."""
        match answer:
            case Placement():
                return deploy.write(answer.galleys)
            case FleetOrders():
                return drafts.canonical(answer)
            case Decision():
                return answer.choice

    def choices(self, state: State, request: Request, draft: str) -> Choices:
        """What may be pressed after this drafts."""
        if request.kind == "place":
            place = deploy.quay(state, request.seat)
            return deploy.choices(place, deploy.read(place, draft))
        if request.kind == "orders":
            desk = drafts.desk(state, request.seat)
            return drafts.choices(desk, drafts.read(desk, draft))
        return asking.choices(state, course.question_of(state, request), draft)

    def amend(self, state: State, request: Request, draft: str, text: str) -> str:
        """Put typed text into the drafts. Raises `OrderError` if it cannot be read or breaks a rule."""
        if request.kind == "place":
            place = deploy.quay(state, request.seat)
            return deploy.write(deploy.amend(place, deploy.read(place, draft), text))
        if request.kind == "orders":
            desk = drafts.desk(state, request.seat)
            return drafts.write(desk, drafts.amend(desk, drafts.read(desk, draft), text))
        return asking.parse(state, course.question_of(state, request), text).choice

    def default(self, state: State, request: Request) -> Answer:
        """The answer when the deadline has passed (MB part 10)."""
        if request.kind == "place":
            return deploy.finish(deploy.quay(state, request.seat), "")
        if request.kind != "orders":
            return asking.default(state, course.question_of(state, request))
        if state.missed == "hold":
            return drafts.hold(drafts.desk(state, request.seat))
        # Whoever plays the empty seats, an absent captain's place is taken by his first mate.
        view = structs.replace(self.view(state, request.seat), captain="mate")
        return self.captain(view, request, subseed(state.dice.seed, f"mate {request.id}"))

    def resolve(self, state: State, answers: Mapping[str, Answer]) -> Step:
        """Carry out the answers to all pending requests, by request id.

        Raises `ValueError` if they answer anything else than what is pending.
        """
        return course.resolve(state, answers)

    def act(self, state: State, act: Act) -> Step:
        """Carry out what a captain did unasked (MB-8.1)."""
        return course.act(state, act)

    def view(self, state: State, seat: Seat | None, draft: str = "") -> TableView:
        """What a seat may see."""
        return seen.view(state, seat, draft)

    def result(self, state: State) -> Result | None:
        """How it ended, or None while it goes on."""
        return state.outcome

    def judge(self, lesson: str, state: State, events: Iterable[Event]) -> Verdict:
        """What came of a lesson."""
        return lessons.judge(lesson, state, events)

    def tally(self, state: State, events: Iterable[Event]) -> Mapping[Seat, Tally]:
        """What each captain did and threw in a game."""
        return counting.tally(state, events)

    def captain(self, view: View, request: Request, seed: str) -> Answer:
        """The computer captain's answer. Raises `TypeError` for a view of another game."""
        if not isinstance(view, TableView):
            raise TypeError(f"not a view of this game: {type(view).__name__}")
        return mate.answer(view, request, seed)

    def reason(self, view: View, answer: Answer) -> Text:
        """One reason for an answer. Raises `TypeError` for a view of another game."""
        if not isinstance(view, TableView):
            raise TypeError(f"not a view of this game: {type(view).__name__}")
        return reasons.reason(view, answer)

    def samples(self, state: State, request: Request) -> Sequence[Answer]:
        """A finite, representative set of legal answers."""
        if request.kind == "place":
            return placements(deploy.quay(state, request.seat))
        if request.kind == "orders":
            return fleet_orders(drafts.desk(state, request.seat))
        return asking.samples(state, course.question_of(state, request))

"""Naval Battle as a `Ruleset`: the door through which everything else sees this game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rules.dice import Dice, subseed
from rules.forts import counting, course, mate, opening, orders, placing, plans, reasons, samples, seen
from rules.forts.boards import BOARDS, Board
from rules.forts.events import Happening
from rules.forts.state import Answer, Flagship, Pass, Placement, Plan, RunPlan, State
from rules.forts.view import HexView
from rules.lessons import Lesson, Verdict
from rules.protocol import Act, Choices, Event, OptionSpec, Request, Result, Seat, Setup, Step
from rules.tally import Tally
from rules.view import Text, View


class Forts:
    """The game of four ships and a fort a side."""

    name: str = "forts"
    data: str = "data.forts"
    captains: tuple[int, ...] = opening.CAPTAINS
    state_type: type[State] = State
    event_type: Any = Happening
    view_type: type[View] = HexView
    lessons: tuple[Lesson, ...] = ()

    def __init__(self, boards: Mapping[str, Board] = BOARDS) -> None:
        """Offer these boards; the first is the standard one."""
        self._boards = boards
        self.options: tuple[OptionSpec, ...] = opening.options(boards)

    def start(self, setup: Setup, dice: Dice) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""
        return course.begin(opening.start(setup, dice, self._boards))

    def at(self, position: str) -> State:
        """A position of the game, to be looked at. Raises `OrderError`."""
        return self.start(Setup(system=self.name, teams=(0, 1), position=position), Dice(seed="00")).state  # type: ignore[no-any-return]

    def pending(self, state: State) -> tuple[Request, ...]:
        """Who must answer what now, and who may; empty when the game is over."""
        return course.pending(state)

    def parse(self, state: State, request: Request, text: str) -> Answer:
        """Read a complete, legal answer. Raises `OrderError` on anything else."""
        match request.kind:
            case "flagship":
                return placing.read_flagship(text)
            case "berths":
                berths = placing.harbour(state, state.colour(request.seat))
                return placing.amend(berths, placing.proposal(berths), text)
            case "plan":
                return plans.finish(text, state.position.board)
        return orders.parse(state, text)

    def format(self, answer: Answer) -> str:
        """Write an answer in canonical notation."""
        match answer:
            case Flagship():
                return answer.code
            case Placement():
                return placing.write(answer)
            case Plan():
                return plans.write(answer)
        return orders.write(answer)

    def choices(self, state: State, request: Request, draft: str) -> Choices:
        """What may be pressed after this draft."""
        colour = state.colour(request.seat)
        match request.kind:
            case "flagship":
                return placing.flagship_choices(seen.flagship_of(draft))
            case "berths":
                placement = seen.placement_of(state, colour, draft)
                return placing.placement_choices(placing.harbour(state, colour), placement)
            case "plan":
                return plans.choices(state, colour, draft)
        return orders.choices(state, draft)

    def amend(self, state: State, request: Request, draft: str, text: str) -> str:
        """Put typed text into the draft; but for start hexes it takes the draft's place.

        Raises `OrderError` if it cannot be read or breaks a rule.
        """
        match request.kind:
            case "flagship":
                return placing.read_flagship(text).code
            case "berths":
                colour = state.colour(request.seat)
                before = seen.placement_of(state, colour, draft)
                return placing.write(placing.amend(placing.harbour(state, colour), before, text))
            case "plan":
                return plans.write_draft(plans.amend(text, state.position.board))
        return orders.amend(state, text)

    def default(self, state: State, request: Request) -> Answer:
        """The answer when the deadline has passed: the stored plan, or else nothing or the computer's (NB part 2)."""
        colour = state.colour(request.seat)
        match request.kind:
            case "flagship":
                return placing.read_flagship("")
            case "berths":
                return placing.proposal(placing.harbour(state, colour))
            case "plan":
                return state.plan(colour)
        if state.plan(colour).blocks:
            return RunPlan()
        if state.missed == "hold":
            return Pass()
        return self.captain(self.view(state, request.seat), request, subseed(state.dice.seed, f"mate {request.id}"))

    def resolve(self, state: State, answers: Mapping[str, Answer]) -> Step:
        """Carry out answers by request id. Raises `ValueError` if they make no step."""
        return course.resolve(state, answers)

    def act(self, state: State, act: Act) -> Step:
        """Carry out what a captain did unasked (NB-09.3)."""
        return course.act(state, act)

    def view(self, state: State, seat: Seat | None, draft: str = "") -> HexView:
        """What a seat may see."""
        return seen.view(state, seat, draft)

    def result(self, state: State) -> Result | None:
        """How it ended, or None while it goes on."""
        return state.outcome

    def judge(self, lesson: str, state: State, events: Iterable[Event]) -> Verdict:  # noqa: ARG002 - there is none
        """Raise `KeyError`: this game has no lessons."""
        raise KeyError(lesson)

    def tally(self, state: State, events: Iterable[Event]) -> Mapping[Seat, Tally]:
        """What each captain did and rolled in a game."""
        return counting.tally(state, events)

    def captain(self, view: View, request: Request, seed: str) -> Answer:
        """The computer captain's answer. Raises `TypeError` for a view of another game."""
        if not isinstance(view, HexView):
            raise TypeError(f"not a view of this game: {type(view).__name__}")
        return mate.answer(view, request, seed)

    def reason(self, view: View, answer: Answer) -> Text:
        """One reason for an answer. Raises `TypeError` for a view of another game."""
        if not isinstance(view, HexView):
            raise TypeError(f"not a view of this game: {type(view).__name__}")
        return reasons.reason(view, answer)

    def samples(self, state: State, request: Request) -> Sequence[Answer]:
        """A finite, representative set of legal answers."""
        colour = state.colour(request.seat)
        match request.kind:
            case "flagship":
                return samples.flagships()
            case "berths":
                return samples.placements(state, colour)
            case "plan":
                return samples.plans(state, colour)
        return samples.orders(state)

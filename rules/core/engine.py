"""The rules of a game as functions of its state: who is asked, what their answers do, and what each seat may see."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct, structs

from rules.chance.dice import Dice
from rules.core.endings import SeatTakenUp
from rules.core.errors import IllegalOrder, decode_checked
from rules.core.protocol import (
    CALLED_OFF_KEY,
    DESERTED_KEY,
    EMPTY_DRAFT,
    AgreeDraw,
    CallOff,
    Concede,
    Draft,
    GameState,
    OutOfTurnAction,
    Request,
    Result,
    Seat,
    Setup,
    Step,
    TakeUp,
    completes_step,
)
from rules.core.setups import SetupRules
from rules.core.view import Text, View


class SetupCase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The start of a game and, optionally, its first step."""

    ruleset: str  # name of the game
    setup: Setup  # how the game begins
    seed: str = "00"  # seed of the dice, in hex
    answers: dict[str, str] = {}  # answers by request id. A missing answer is that of a missed deadline.

    def __post_init__(self) -> None:
        bytes.fromhex(self.seed)


def adjudicate_case(game: Any, data: bytes) -> dict[str, Any]:  # noqa: ANN401 - a `Ruleset`, which is made from this
    """Begin a game, carry out its first step if the case has answers, and return events, pending requests and result.

    Raises `OrderError` if the case is unreadable or the rules refuse its setup or an answer.
    """
    case = decode_checked(data, SetupCase, "json", "bad_json", piece="case")
    step = game.start(case.setup, Dice(seed=case.seed))
    if case.answers:
        # A case answers only what a seat is asked now, neither requests for later nor those that a battle answers.
        requests = [request for request in game.pending_requests(step.state) if not (request.ahead or request.battle)]
        if unknown := sorted({*case.answers} - {request.id for request in requests}):
            raise IllegalOrder("not_asked", "", piece=unknown[0], asked=", ".join(request.id for request in requests))
        answers = {}
        for request in requests:
            if request.id in case.answers:
                answers[request.id] = game.parse_answer(step.state, request, case.answers[request.id])
            elif not request.optional:
                answers[request.id] = game.default_answer(step.state, request)
        step = game.resolve(step.state, answers)
    return {
        "events": msgspec.to_builtins(step.events),
        "pending": [msgspec.to_builtins(request) for request in game.pending_requests(step.state)],
        "result": msgspec.to_builtins(game.result(step.state)),
    }


S = TypeVar("S", bound=GameState)


class Engine(SetupRules, ABC, Generic[S]):
    resolves_early: bool = True
    """Whether, by default, a step is carried out as soon as all have sealed. False: only at the deadline."""
    asks_after_concession: bool = False
    """Whether a seat is still asked after its captain conceded. The computer, or a captain who takes the seat, answers.
    """
    max_missed_deadlines: int = 2  # consecutive missed deadlines after which the seat is offered to others
    state_type: type[S]  # the game's state
    event_type: Any  # the union of the game's events
    view_type: type[View]  # the game's view

    # --- methods that every game must implement ---------------------------------------------------------------

    @abstractmethod
    def start(self, setup: Setup, dice: Dice, /) -> Step:
        """Begin a game. Raises `OrderError` if the setup is not allowed."""

    @abstractmethod
    def pending_requests(self, state: S, /) -> tuple[Request, ...]:
        """Return the requests that are open now; empty when the game is over."""

    @abstractmethod
    def carry_out(self, state: S, answers: Sequence[tuple[Request, Any]], /) -> Step:
        """Carry out answers in the order of `pending_requests`: those to all required requests, or to optional ones."""

    @abstractmethod
    def concede(self, state: S, seat: Seat, /) -> Step:
        """Let a captain give up who has not done so. The game must not be over."""

    @abstractmethod
    def agree_draw(self, state: S, /) -> Step:
        """End the game as a draw that all captains agreed to."""

    @abstractmethod
    def view(self, state: S, seat: Seat | None, draft: Draft = EMPTY_DRAFT, /) -> View:
        """Return what a seat (None: a spectator) may see, with its own draft for its pending request."""

    # --- methods that a game may override ---------------------------------------------------------------------

    def call_off(self, state: S, /) -> Step:
        """End a game that cannot go on. By default the events are those of a draw."""
        return self.agree_draw(state)

    def result(self, state: S, /) -> Result | None:
        return state.result

    def chart_state(self, setup: Setup, /) -> S:
        """Return a state without ships for a lobby's chart, from `chart_options` and the host's scenario.

        Raises `OrderError` if the scenario cannot be read, and `NotImplementedError` if the game has no
        `chart_options`.
        """
        raise NotImplementedError

    def state_at(self, position: str, /) -> S:
        """Return the state of a position in the game's notation, for display. The position determines the seats.

        Raises `OrderError` if it cannot be read.
        """
        setup = Setup(system=self.name, teams=self.seats({}), position=position)
        return self.start(setup, Dice(seed="00")).state  # type: ignore[no-any-return]

    def adjudicate(self, case: bytes, /) -> dict[str, Any]:
        """Carry out a test case given as JSON, and return its result.

        Raises `OrderError` that names the field or rule.
        """
        return adjudicate_case(self, case)

    # --- methods for callers ----------------------------------------------------------------------------------

    def resolve(self, state: S, answers: Mapping[str, Any], /) -> Step:
        """Carry out answers by request id: those to all required requests together, or to optional ones.

        Raises `ValueError` if a request is not pending or a required answer is missing.
        """
        pending = self.pending_requests(state)
        if not completes_step(pending, answers.keys()):
            raise ValueError(f"asked for {[request.id for request in pending]}, not for {sorted(answers)}")
        return self.carry_out(state, [(request, answers[request.id]) for request in pending if request.id in answers])

    def apply_out_of_turn(self, state: S, action: OutOfTurnAction, /) -> Step:
        """Carry out an action that needs no request. Do nothing if the game is over or the captain already conceded.

        Raises `ValueError` for taking a seat whose captain has not conceded, or that the game no longer asks.
        """
        if self.result(state) or (isinstance(action, Concede) and action.seat in state.conceded):
            return Step(state, ())
        match action:
            case Concede(seat=seat):
                return self.concede(state, seat)
            case TakeUp(seat=seat):
                if not self.asks_after_concession or seat not in state.conceded:
                    raise ValueError(f"seat {seat} can't be taken up")
                conceded = tuple(other for other in state.conceded if other != seat)
                return Step(structs.replace(state, conceded=conceded), (SeatTakenUp(seat=seat),))
            case AgreeDraw():
                return self.agree_draw(state)
            case CallOff(deserted=deserted):
                step = self.call_off(state)
                outcome = Result(winners=(), reason=Text(DESERTED_KEY if deserted else CALLED_OFF_KEY))
                return Step(structs.replace(step.state, result=outcome), step.events)

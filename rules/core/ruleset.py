"""The interface that every game implements, and all that chat, storage and pictures know of a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from msgspec import UNSET, structs

from rules.chance.dice import Dice, derive_seed
from rules.core.case import adjudicate_case
from rules.core.endings import SeatTakenUp
from rules.core.errors import IllegalOrder, Scalar
from rules.core.keepsakes import KeepsakeUpdate
from rules.core.parsing import decode_checked
from rules.core.protocol import (
    CALLED_OFF_KEY,
    CAPTAINS_OPTION,
    DESERTED_KEY,
    EMPTY_DRAFT,
    AgreeDraw,
    BattleOutcome,
    CallOff,
    Choices,
    Concede,
    Draft,
    Event,
    GameState,
    OptionSpec,
    OutOfTurnAction,
    Report,
    Request,
    Result,
    Seat,
    Setup,
    Step,
    TakeUp,
    completes_step,
    first_request_to,
)
from rules.core.view import Text, View
from rules.interface.chronicle import Chronicle
from rules.interface.lessons import Lesson, LessonVerdict
from rules.interface.question import Question
from rules.interface.statistics import Statistics
from rules.interface.typed import strip_sentence_ends

S = TypeVar("S", bound=GameState)
T = TypeVar("T")


class Ruleset(ABC, Generic[S]):
    """A game. Every method is pure: it changes nothing, and equal arguments give equal results."""

    name: str
    edition: int = 1
    """The current edition of the rules. Games of earlier ones are played on by their own."""
    data_package: str
    """The package that contains its texts (`en.po`, `hu.po`); by default `data.<name>`."""
    options: tuple[OptionSpec, ...] = ()
    first_game_options: Mapping[str, str] | None = None
    """Options of a beginner's game against the computer, with defaults for missing ones; None: no such game."""
    resolves_early: bool = True
    """Whether, by default, a step is carried out as soon as all have sealed. False: only at the deadline."""
    asks_after_concession: bool = False
    """Whether a seat is still asked after its captain conceded. The computer, or a captain who takes the seat, answers.
    """
    max_missed_deadlines: int = 2
    """Consecutive missed deadlines after which the seat is offered to others."""
    accepts_scenario: bool = False
    ships_change_sides: bool = False
    """Whether a story needs `View.captured_ships`, because events do not report captures."""
    has_score: bool = False
    has_chronicle: bool = False
    chart_options: tuple[str, ...] = ()
    """Options that, with the host's scenario, determine a lobby's chart; empty: no chart."""
    example_scenario: str = ""
    state_type: type[S]
    event_type: Any
    view_type: type[View]
    questions: Mapping[str, Question[S, Any, Any, Any]]
    lessons: tuple[Lesson, ...] = ()

    def __init_subclass__(cls) -> None:
        if "data_package" not in cls.__dict__ and "name" in cls.__dict__:
            cls.data_package = f"data.{cls.name}"

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

    def resolve(self, state: S, answers: Mapping[str, Any], /) -> Step:
        """Carry out answers by request id: those to all required requests together, or to optional ones.

        Raises `ValueError` if a request is not pending or a required answer is missing.
        """
        pending = self.pending_requests(state)
        if not completes_step(pending, answers.keys()):
            raise ValueError(f"asked for {[request.id for request in pending]}, not for {sorted(answers)}")
        return self.carry_out(state, [(request, answers[request.id]) for request in pending if request.id in answers])

    def with_edition(self, setup: Setup, /) -> Setup:
        """Return the setup for a new game: the current edition, and its values in place of former ones."""
        former = {spec.key: spec.former_values for spec in self.options}
        options = {key: former.get(key, {}).get(value, value) for key, value in setup.options.items()}
        return structs.replace(setup, options=options, edition=self.edition if self.edition > 1 else UNSET)

    def check_edition(self, setup: Setup, /) -> None:
        """Raise `ValueError` for a setup of a later edition than this version of the game knows."""
        if (setup.edition or 1) > self.edition:
            raise ValueError(f"{self.name} has {self.edition} editions, but the game is of edition {setup.edition}")

    def apply_out_of_turn(self, state: S, act: OutOfTurnAction, /) -> Step:
        """Carry out an action that needs no request. Do nothing if the game is over or the captain already conceded.

        Raises `ValueError` for taking a seat whose captain has not conceded, or that the game no longer asks.
        """
        if self.result(state) or (isinstance(act, Concede) and act.seat in state.conceded):
            return Step(state, ())
        match act:
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

    # --- methods with defaults that a game may override -------------------------------------------------------

    def seats(self, options: Mapping[str, str], /) -> tuple[int, ...]:
        """Return the team of each seat. The option `captains` sets the number of seats for each side, by default 1."""
        return tuple(seat % 2 for seat in range(2 * int(options.get(CAPTAINS_OPTION, "1"))))

    def with_dependent_options(self, options: Mapping[str, str], key: str, /) -> dict[str, str]:  # noqa: ARG002 - see below
        """Return the options with those that follow from a new choice of `key`. By default nothing follows."""
        return dict(options)

    def relevant_options(self, options: Mapping[str, str], /) -> tuple[OptionSpec, ...]:  # noqa: ARG002 - see below
        """Return the options that have an effect with these values. By default all of them."""
        return self.options

    def option_values(self, setup: Setup, rule: str, /) -> dict[str, str]:
        """Return the value of every option of a setup by key, with defaults for missing ones.

        Raises `IllegalOrder` with `rule` for an unknown option or value, or for teams that differ from `seats`.
        """
        options = OptionSpec.chosen_values(self.options, setup.options, rule)
        if setup.teams != (teams := self.seats(options)):
            raise IllegalOrder(
                "bad_teams", rule, piece=" ".join(map(str, setup.teams)), most=max(map(teams.count, (0, 1)))
            )
        return options

    def parse_scenario(self, setup: Setup, kind: type[T], /) -> T:
        """Return the setup's scenario, or the game's example, decoded from TOML into `kind`.

        Raises `UnreadableOrder` with the code `bad_scenario`.
        """
        text = self.example_scenario if setup.scenario is UNSET else setup.scenario
        return decode_checked(text, kind, "toml", "bad_scenario")

    def check_setup(self, setup: Setup, /) -> None:
        """Check whether a new game may begin with this setup. By default every setup that `start` accepts is allowed.

        Raises `OrderError` for a setup that is only accepted in older games, so that these can still be verified.
        """

    def uses_keepsakes(self, options: Mapping[str, str], /) -> bool:  # noqa: ARG002 - see below
        """Return whether captains bring keepsakes to a game with these options. By default they do not."""
        return False

    def keepsakes_in_use(self, state: S, /) -> Mapping[Seat, Sequence[int]]:  # noqa: ARG002 - see below
        """Return, by seat, the numbers of keepsakes that are in this game and cannot be in another; empty: none."""
        return {}

    def keepsakes_after(self, state: S, /, *, taught: bool) -> Mapping[Seat, Sequence[KeepsakeUpdate]]:  # noqa: ARG002 - see below
        """Return how a finished game changes each captain's keepsakes; empty: not at all.

        `taught` is False if too little was played. Nobody gains by such a game, but captains may lose.
        """
        return {}

    def describe_keepsake(self, body: str, /, *, away: bool = False) -> Text:
        """Return a sentence that describes a keepsake. If it is `away` in a game, describe it as it was before.

        Raises `OrderError` if it cannot be read.
        """
        raise NotImplementedError

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

    def call_off(self, state: S, /) -> Step:
        """End a game that cannot go on. By default the events are those of a draw."""
        return self.agree_draw(state)

    def final_position(self, state: S, /) -> str:  # noqa: ARG002 - see below
        """Return a battle's final position in notation, for the parent game; empty: none."""
        return ""

    def battle_outcome(self, state: S, /) -> BattleOutcome | None:  # noqa: ARG002 - see below
        """Return the fate of each ship of a battle, for the parent game; None: not reported."""
        return None

    def battle_report(self, state: S, digest: str, /) -> Report:
        """Return the result of a battle as the answer to the parent game's request.

        `digest` is that of the battle's record.
        """
        result = self.result(state)
        winners = result.winners if result else ()
        return Report(
            digest=digest,
            winners=winners,
            ending=self.final_position(state),
            outcome=self.battle_outcome(state) or UNSET,
        )

    def result(self, state: S, /) -> Result | None:
        return state.result

    def computer_answer(self, view: View, request: Request, seed: str, /) -> Any:  # noqa: ANN401 - any game's answer
        """Return a computer captain's answer from its own view. The seed (hex) decides between equal answers."""
        return self._question(request).computer_answer(view, request, seed)

    def advise(self, view: View, request: Request, seed: str, /) -> Any:  # noqa: ANN401 - any game's answer
        """Return the first mate's advice from a seat's view and a seed (hex).

        It does not depend on the level of computer captains.
        """
        return self.computer_answer(view, request, seed)

    def stand_in_answer(self, state: S, request: Request, /) -> Any:  # noqa: ANN401 - any game's answer
        """Return the first mate's answer for a captain who missed a deadline."""
        return self.advise(self.view(state, request.seat), request, derive_seed(state.dice.seed, f"mate {request.id}"))

    def judge_lesson(self, lesson: str, state: S, events: Iterable[Event], /) -> LessonVerdict:
        """Return the verdict on a lesson from the state after its round and all events of it.

        Raises `KeyError` if there is no such lesson.
        """
        verdict = {each.key: each for each in self.lessons}[lesson].judge(state, tuple(events))
        return structs.replace(verdict, reason=Text(f"lesson.{lesson}.{verdict.reason.key}", verdict.reason.params))

    def count_statistics(self, state: S, events: Iterable[Event], /) -> Mapping[Seat, Statistics]:  # noqa: ARG002 - see below
        """Return each seat's statistics from all events of a game and its final state. By default there are none."""
        return {}

    def seat_strengths(self, state: S, /) -> Mapping[Seat, float]:  # noqa: ARG002 - see below
        """Return each seat's remaining strength, in a unit of the game's own; empty: not measured.

        It must be public. It decides in which round a finished game turned (`rules/interface/turning_point.py`).
        """
        return {}

    def final_places(self, state: S, /) -> Mapping[Seat, int]:  # noqa: ARG002 - see below
        """Return each seat's final place, from 1, for ratings; empty: the game only has winners.

        Seats of one side share a place.
        """
        return {}

    def final_view(self, state: S, /) -> View:
        """Return what everyone may see of a state once the game is over. By default no more than a spectator saw."""
        return self.view(state, None)

    def compose_chronicle(self, first: S, last: S, rounds: Sequence[tuple[int, Sequence[Event]]], /) -> Chronicle:
        """Return a finished game as a story, from its first and last state and the events of each round.

        Raises `NotImplementedError` unless `has_chronicle` is set.
        """
        raise NotImplementedError

    def reason_for(self, view: View, answer: Any, /) -> Text:  # noqa: ANN401, ARG002 - any game's answer
        """Return one reason for an answer, from what a seat may see."""
        return Text("reason.none")

    def describe_odds(self, view: View, answer: Any, seed: str, /) -> tuple[Text, ...]:  # noqa: ANN401, ARG002 - see below
        """Return how likely an answer is to achieve its aim, from what a seat may see.

        Empty: nothing to add to the reason. The seed (hex) is for simulated trials.
        """
        return ()

    def adjudicate(self, case: bytes, /) -> dict[str, Any]:
        """Carry out a test case given as JSON, and return its result.

        Raises `OrderError` that names the field or rule.
        """
        return adjudicate_case(self, case)

    # --- questions, by kind of request ------------------------------------------------------------------------

    def _question(self, request: Request) -> Question[S, Any, Any, Any]:
        return self.questions[request.kind]

    def parse_answer(self, state: S, request: Request, text: str) -> Any:  # noqa: ANN401 - any game's answer
        """Return a complete, legal answer. Raises `OrderError` for anything else."""
        question = self._question(request)
        return question.notebook.parse_answer(question.notebook.context(state, request), text)

    def format_answer(self, request: Request, answer: Any) -> str:  # noqa: ANN401 - any game's answer
        """Return an answer in the canonical notation that `parse_answer` reads."""
        question = self._question(request)
        return question.notebook.format_answer(answer)

    def type_text(self, state: S, request: Request, draft: Draft, text: str) -> Draft:
        """Return the draft after a text was typed into it. Lines may end with a full stop.

        Raises `OrderError` if the text cannot be read or breaks a rule.
        """
        question = self._question(request)
        notebook, context = question.notebook, question.notebook.context(state, request)
        return notebook.write_draft(
            context, notebook.type_text(context, notebook.read_draft(context, draft), strip_sentence_ends(text))
        )

    def draft_choices(self, state: S, request: Request, draft: Draft = EMPTY_DRAFT) -> Choices:
        """Return what may be pressed for a draft. An unreadable draft counts as empty."""
        question = self._question(request)
        context = question.notebook.context(state, request)
        return question.draft_choices(context, question.notebook.read_draft(context, draft))

    def draft_lines(self, state: S, request: Request, draft: Draft) -> tuple[Text, ...]:
        """Return the draft in words. An unreadable draft counts as empty."""
        question = self._question(request)
        context = question.notebook.context(state, request)
        parsed = question.notebook.read_draft(context, draft)
        return (
            question.draft_lines(context, parsed)
            if question.draft_lines
            else question.draft_choices(context, parsed).lines
        )

    def draft_warnings(self, state: S, request: Request, draft: Draft) -> tuple[Text, ...]:
        """Return warnings about parts of a draft that have no effect in the current position.

        They do not make it illegal.
        """
        question = self._question(request)
        context = question.notebook.context(state, request)
        return question.draft_warnings(context, question.notebook.read_draft(context, draft))

    def advice_without_warnings(self, state: S, request: Request, answer: Any) -> Any:  # noqa: ANN401 - any game's answer
        """Return the answer closest to `answer` that causes no warning."""
        question = self._question(request)
        return question.advice_without_warnings(question.notebook.context(state, request), answer)

    def example_values(self, state: S, request: Request) -> Mapping[str, Scalar]:
        """Return values for the sentence `example.<kind>`, such as the name of one of the captain's ships."""
        question = self._question(request)
        return question.example_values(question.notebook.context(state, request))

    def plan_lines(self, state: S, seat: Seat | None, draft: Draft, kind: str = "") -> tuple[Text, ...]:
        """Return a seat's draft in words, for its first pending request (of `kind` if given).

        Empty: no such request.
        """
        request = first_request_to(self.pending_requests(state), seat, kind)
        return self.draft_lines(state, request, draft) if request else ()

    def default_answer(self, state: S, request: Request, *, excused: bool = False) -> Any:  # noqa: ANN401 - any game's answer
        """Return the answer at a missed deadline: the question's default, else the first mate's answer.

        A captain is `excused` after announcing an absence, or if their time was cut short.
        """
        question = self._question(request)
        missing = question.excused_default if excused and question.excused_default else question.default_answer
        answer = missing(question.notebook.context(state, request))
        return self.stand_in_answer(state, request) if answer is None else answer

    def has_stored_default(self, state: S, request: Request) -> bool:
        """Return whether the captain's own stored orders answer at a missed deadline."""
        question = self._question(request)
        return question.has_stored_default(question.notebook.context(state, request))

    def sample_answers(self, state: S, request: Request) -> Sequence[Any]:
        """Return a finite, representative set of legal answers, for tests and for counting."""
        question = self._question(request)
        if question.sample_answers:
            return question.sample_answers(question.notebook.context(state, request))
        options = [option for group in self.draft_choices(state, request).groups for option in group.options]
        return [
            self.parse_answer(state, request, option.draft)
            for option in options
            if option.seals_answer and not option.fault
        ]

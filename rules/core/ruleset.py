"""The doors of a game: what every rule system offers, and all that chat, store and pictures know of it."""

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
    """One game. Every method is pure, mutates nothing and gives the same for the same values."""

    name: str
    data_package: str
    """The package in which its words lie (`en.po`, `hu.po`); `data.<name>`, if nothing else is said."""
    options: tuple[OptionSpec, ...] = ()
    first_game_options: Mapping[str, str] | None = None
    """Options of a first game against the computer, for who has never played it; those left out are at their default.
    None: it offers none."""
    resolves_early: bool = True
    """Whether it goes on as soon as all have sealed, unless its host says otherwise; else only when the time is up."""
    asks_after_concession: bool = False
    """Whether it asks what a seat orders even if its captain has given up: the computer answers, or who takes it up."""
    max_missed_deadlines: int = 2
    """Deadlines missed in a row after which a seat is offered."""
    accepts_scenario: bool = False
    """Whether a host may hand in their own scenario (`Setup.scenario`)."""
    ships_change_sides: bool = False
    """Whether a story must be told from a view whose ships are, as events don't say it (`View.taken`)."""
    has_score: bool = False
    """Whether points stand in its view while it goes on (`View.score`)."""
    has_chronicle: bool = False
    """Whether a finished game has a `chronicle`: what is played for weeks is worth one."""
    chart_options: tuple[str, ...] = ()
    """Options on which, beside a host's own scenario, it depends what a lobby's chart shows; empty: it has no chart."""
    example_scenario: str = ""
    """A scenario that hosts can start from when they write their own; empty: none."""
    state_type: type[S]
    event_type: Any
    """Union of its event structs, for msgspec."""
    view_type: type[View]
    questions: Mapping[str, Question[S, Any, Any, Any]]
    """By `Request.kind`."""
    lessons: tuple[Lesson, ...] = ()
    """Empty: there is nothing to be learned by trying."""

    def __init_subclass__(cls) -> None:
        """A game finds its words where those of its name lie."""
        if "data_package" not in cls.__dict__ and "name" in cls.__dict__:
            cls.data_package = f"data.{cls.name}"

    # --- what every game must say -----------------------------------------------------------------------------

    @abstractmethod
    def start(self, setup: Setup, dice: Dice, /) -> Step:
        """Begin a game. Raises `OrderError` for a setup it does not allow."""

    @abstractmethod
    def pending_requests(self, state: S, /) -> tuple[Request, ...]:
        """Who must answer what now; empty when the game is over."""

    @abstractmethod
    def carry_out(self, state: S, given: Sequence[tuple[Request, Any]], /) -> Step:
        """Carry out answers to requests, in the order of `pending`: to all that it waits for, or to optional ones."""

    @abstractmethod
    def concede(self, state: S, seat: Seat, /) -> Step:
        """A captain who has not done so gives up; the game goes on until now."""

    @abstractmethod
    def agree_draw(self, state: S, /) -> Step:
        """The game ends, as all captains have agreed that nobody wins."""

    @abstractmethod
    def view(self, state: S, seat: Seat | None, draft: Draft = EMPTY_DRAFT, /) -> View:
        """Return what a seat (None: a spectator) may see, with its own draft for its pending request."""

    def resolve(self, state: S, answers: Mapping[str, Any], /) -> Step:
        """Carry out answers by request id: those to all requests that the game waits for, joined, or to optional ones.

        Raises `ValueError` if they answer anything else than what is pending, or not all that the game waits for.
        """
        asked = self.pending_requests(state)
        if not completes_step(asked, answers.keys()):
            raise ValueError(f"asked for {[one.id for one in asked]}, not for {sorted(answers)}")
        return self.carry_out(state, [(one, answers[one.id]) for one in asked if one.id in answers])

    def with_edition(self, setup: Setup, /) -> Setup:
        """A game's setup as it is kept when the game begins: with the edition of its rules, where that matters."""
        return setup

    def apply_out_of_turn(self, state: S, act: OutOfTurnAction, /) -> Step:
        """Carry out what is done unasked; nothing happens if the game is over or the captain gave up before.

        Raises `ValueError` if a seat is taken up whose captain hasn't given up, or of which a game asks nothing more.
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

    # --- what a game says if it is otherwise ------------------------------------------------------------------

    def seats(self, options: Mapping[str, str], /) -> tuple[int, ...]:
        """The team of each seat, under these options: as many a side as the option `captains` says, or one."""
        return tuple(seat % 2 for seat in range(2 * int(options.get(CAPTAINS_OPTION, "1"))))

    def with_dependent_options(self, options: Mapping[str, str], key: str, /) -> dict[str, str]:  # noqa: ARG002 - see below
        """The options after one of them was chosen: with what is chosen by it, too. Nothing else, in most games."""
        return dict(options)

    def relevant_options(self, options: Mapping[str, str], /) -> tuple[OptionSpec, ...]:  # noqa: ARG002 - see below
        """The options that matter as the others stand: all of them, in most games."""
        return self.options

    def option_values(self, setup: Setup, rule: str, /) -> dict[str, str]:
        """The value of every option of a setup by key, those that are left out at their default.

        Raises `IllegalOrder`, with this rule, for a strange option or value, or for other teams than `seats` has.
        """
        options = OptionSpec.chosen_values(self.options, setup.options, rule)
        if setup.teams != (wanted := self.seats(options)):
            raise IllegalOrder(
                "bad_teams", rule, piece=" ".join(map(str, setup.teams)), most=max(map(wanted.count, (0, 1)))
            )
        return options

    def parse_scenario(self, setup: Setup, kind: type[T], /) -> T:
        """The scenario of a setup, as TOML, or the game's example if it names none; checked by this type.

        Raises `UnreadableOrder` as `bad_scenario`.
        """
        text = self.example_scenario if setup.scenario is UNSET else setup.scenario
        return decode_checked(text, kind, "toml", "bad_scenario")

    def check_setup(self, setup: Setup, /) -> None:
        """Look whether a new game may begin so: any with which `start` begins one, as this supposes.

        Raises `OrderError` for what is no longer taken, though older games began with it and are verified with it.
        """

    def uses_keepsakes(self, options: Mapping[str, str], /) -> bool:  # noqa: ARG002 - see below
        """Whether captains bring what they kept of earlier games, under these options: never, in most games."""
        return False

    def keepsakes_in_use(self, state: S, /) -> Mapping[Seat, Sequence[int]]:  # noqa: ARG002 - see below
        """Return what each captain has brought and can't bring to another game meanwhile, by number; empty: nothing."""
        return {}

    def keepsakes_after(self, state: S, /, *, taught: bool) -> Mapping[Seat, Sequence[KeepsakeUpdate]]:  # noqa: ARG002 - see below
        """Return what a finished game makes of what captains keep; empty: nothing.

        One in which too little was played has `taught` nothing: then nobody gains by it, but may lose.
        """
        return {}

    def describe_keepsake(self, body: str, /, *, away: bool = False) -> Text:
        """What a captain keeps, in a sentence, as it was before a game if one has it (it is `away`).

        Raises `OrderError` if it can't be read.
        """
        raise NotImplementedError

    def chart_state(self, setup: Setup, /) -> S:
        """What a game is played on before any ship is there, by its options in `charted` and its host's own scenario.

        Raises `OrderError` if that cannot be read, and `NotImplementedError` unless the game is `charted`.
        """
        raise NotImplementedError

    def state_at(self, position: str, /) -> S:
        """A position in the game's notation, to be looked at: whatever captains it names are seated as it names them.

        Raises `OrderError` if it cannot be read.
        """
        setup = Setup(system=self.name, teams=self.seats({}), position=position)
        return self.start(setup, Dice(seed="00")).state  # type: ignore[no-any-return]

    def call_off(self, state: S, /) -> Step:
        """The game ends undecided, as it can't go on; what happened is what happens in a draw."""
        return self.agree_draw(state)

    def final_position(self, state: S, /) -> str:  # noqa: ARG002 - see below
        """Return the final position in notation, for the game that this battle was played for; empty: none."""
        return ""

    def battle_outcome(self, state: S, /) -> BattleOutcome | None:  # noqa: ARG002 - see below
        """What became of each ship, for the game that this battle was played for; None: it does not tell."""
        return None

    def battle_report(self, state: S, digest: str, /) -> Report:
        """How a battle ended, whose record has this digest: the answer to the game it was played for."""
        result = self.result(state)
        winners = result.winners if result else ()
        return Report(
            digest=digest,
            winners=winners,
            ending=self.final_position(state),
            outcome=self.battle_outcome(state) or UNSET,
        )

    def result(self, state: S, /) -> Result | None:
        """How it ended, or None while it goes on."""
        return state.result

    def computer_answer(self, view: View, request: Request, seed: str, /) -> Any:  # noqa: ANN401 - any game's answer
        """The computer captain's answer, from what its seat sees; the seed (hex) decides between equals."""
        return self._question(request).computer_answer(view, request, seed)

    def advise(self, view: View, request: Request, seed: str, /) -> Any:  # noqa: ANN401 - any game's answer
        """What a first mate advises, from what a seat sees and a seed (hex), however well computer captains play."""
        return self.computer_answer(view, request, seed)

    def stand_in_answer(self, state: S, request: Request, /) -> Any:  # noqa: ANN401 - any game's answer
        """Return what a first mate answers for a captain who has missed a deadline."""
        return self.advise(self.view(state, request.seat), request, derive_seed(state.dice.seed, f"mate {request.id}"))

    def judge_lesson(self, lesson: str, state: S, events: Iterable[Event], /) -> LessonVerdict:
        """What came of a lesson, from the state after its round and all that happened in it.

        Raises `KeyError` for a lesson that there is not.
        """
        verdict = {one.key: one for one in self.lessons}[lesson].judge(state, tuple(events))
        return structs.replace(verdict, reason=Text(f"lesson.{lesson}.{verdict.reason.key}", verdict.reason.params))

    def count_statistics(self, state: S, events: Iterable[Event], /) -> Mapping[Seat, Statistics]:  # noqa: ARG002 - see below
        """What each seat did and threw, from all that happened in a game and the state that it led to: nothing."""
        return {}

    def seat_strengths(self, state: S, /) -> Mapping[Seat, float]:  # noqa: ARG002 - see below
        """Return each seat's remaining strength, in a measure of the game's own; empty: none.

        It must be public. It decides in which round a finished game turned (`rules/interface/turning_point.py`).
        """
        return {}

    def final_places(self, state: S, /) -> Mapping[Seat, int]:  # noqa: ARG002 - see below
        """Return each seat's place at the end, from 1, in a game that ranks those who haven't won; empty: it doesn't.

        Seats of one side share theirs. Ratings go by it.
        """
        return {}

    def final_view(self, state: S, /) -> View:
        """What everybody may see of a state once the game is over: no more than before, unless a game says so."""
        return self.view(state, None)

    def compose_chronicle(self, first: S, last: S, rounds: Sequence[tuple[int, Sequence[Event]]], /) -> Chronicle:
        """A finished game as a story, by its first and last state, and the events of its rounds in order.

        Raises `NotImplementedError` unless the game is `chronicled`.
        """
        raise NotImplementedError

    def reason_for(self, view: View, answer: Any, /) -> Text:  # noqa: ANN401, ARG002 - any game's answer
        """One reason for an answer, from what a seat sees: what it promises."""
        return Text("reason.none")

    def describe_odds(self, view: View, answer: Any, seed: str, /) -> tuple[Text, ...]:  # noqa: ANN401, ARG002 - see below
        """How likely it is that what an answer promises comes off, everything considered, from what a seat sees.

        The seed (hex) is for trials. Empty: the answer's reason says all that there is to say.
        """
        return ()

    def adjudicate(self, case: bytes, /) -> dict[str, Any]:
        """Carry out a case, as JSON, and say what came of it. Raises `OrderError` naming the field or rule."""
        return adjudicate_case(self, case)

    # --- what is asked, by its kind ---------------------------------------------------------------------------

    def _question(self, request: Request) -> Question[S, Any, Any, Any]:
        return self.questions[request.kind]

    def parse_answer(self, state: S, request: Request, text: str) -> Any:  # noqa: ANN401 - any game's answer
        """A complete, legal answer. Raises `OrderError` on anything else."""
        question = self._question(request)
        return question.notebook.parse_answer(question.notebook.context(state, request), text)

    def format_answer(self, request: Request, answer: Any) -> str:  # noqa: ANN401 - any game's answer
        """An answer in canonical notation: `parse` gives it back."""
        question = self._question(request)
        return question.notebook.format_answer(answer)

    def type_text(self, state: S, request: Request, draft: Draft, text: str) -> Draft:
        """Return the draft with typed text in it, whose lines may end like sentences.

        Raises `OrderError` if it cannot be read or breaks a rule.
        """
        question = self._question(request)
        notebook, context = question.notebook, question.notebook.context(state, request)
        return notebook.write_draft(
            context, notebook.type_text(context, notebook.read_draft(context, draft), strip_sentence_ends(text))
        )

    def draft_choices(self, state: S, request: Request, draft: Draft = EMPTY_DRAFT) -> Choices:
        """What may be pressed after this draft; one that cannot be read counts as empty."""
        question = self._question(request)
        context = question.notebook.context(state, request)
        return question.draft_choices(context, question.notebook.read_draft(context, draft))

    def draft_lines(self, state: S, request: Request, draft: Draft) -> tuple[Text, ...]:
        """The draft in words; one that cannot be read counts as empty."""
        question = self._question(request)
        context = question.notebook.context(state, request)
        read = question.notebook.read_draft(context, draft)
        return (
            question.draft_lines(context, read) if question.draft_lines else question.draft_choices(context, read).lines
        )

    def draft_warnings(self, state: S, request: Request, draft: Draft) -> tuple[Text, ...]:
        """What of a draft has no effect as things stand; nothing of it is refused."""
        question = self._question(request)
        context = question.notebook.context(state, request)
        return question.draft_warnings(context, question.notebook.read_draft(context, draft))

    def advice_without_warnings(self, state: S, request: Request, answer: Any) -> Any:  # noqa: ANN401 - any game's answer
        """The answer nearest to this one of which nothing is warned."""
        question = self._question(request)
        return question.advice_without_warnings(question.notebook.context(state, request), answer)

    def example_values(self, state: S, request: Request) -> Mapping[str, Scalar]:
        """Values of the sentence `example.<kind>`, such as the name of one of the captain's ships."""
        question = self._question(request)
        return question.example_values(question.notebook.context(state, request))

    def plan_lines(self, state: S, seat: Seat | None, draft: Draft, kind: str = "") -> tuple[Text, ...]:
        """A seat's draft in words, for the first that it is asked, of this kind if one is named; empty: nothing is."""
        request = first_request_to(self.pending_requests(state), seat, kind)
        return self.draft_lines(state, request, draft) if request else ()

    def default_answer(self, state: S, request: Request, *, excused: bool = False) -> Any:  # noqa: ANN401 - any game's answer
        """The answer when the deadline has passed: what the question says, else the first mate's.

        A captain is `excused` who had announced an absence, or whose time was cut short.
        """
        question = self._question(request)
        missing = question.excused_default if excused and question.excused_default else question.default_answer
        answer = missing(question.notebook.context(state, request))
        return self.stand_in_answer(state, request) if answer is None else answer

    def has_stored_default(self, state: S, request: Request) -> bool:
        """Whether what the captain has stored answers in their place when the deadline has passed."""
        question = self._question(request)
        return question.has_stored_default(question.notebook.context(state, request))

    def sample_answers(self, state: S, request: Request) -> Sequence[Any]:
        """A finite, representative set of legal answers, for tests and counting."""
        question = self._question(request)
        if question.sample_answers:
            return question.sample_answers(question.notebook.context(state, request))
        options = [option for group in self.draft_choices(state, request).groups for option in group.options]
        return [
            self.parse_answer(state, request, option.draft)
            for option in options
            if option.seals_answer and not option.fault
        ]

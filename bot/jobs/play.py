"""Define the jobs that move a game on from a stored state to the result of a step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct, structs

from bot.jobs.computing import ComputedAnswer, compute_answer
from bot.jobs.drafts import canonical_answer, standing_orders_draft
from bot.jobs.refused import marks_errors
from bot.jobs.stored import encode, read_events, read_state
from rules.chance.dice import Dice
from rules.core.errors import Fault, OrderError
from rules.core.keepsakes import KeepsakeUpdate
from rules.core.protocol import OutOfTurnAction, Request, Result, Seat, Setup, Step
from rules.core.registry import RULESETS
from rules.core.replay import Computation, restore_state
from rules.core.reports import BattleForecast
from rules.core.revealing import has_public_event, is_revealing
from rules.core.ruleset import Ruleset
from rules.core.view import Text
from rules.interface.statistics import Statistics, subtract_statistics

_NO_ANSWERS: Mapping[str, str] = MappingProxyType({})
_NO_EXCLUSIONS: Mapping[Seat, Sequence[tuple[int, int]]] = MappingProxyType({})


class StepContext(Struct, frozen=True, kw_only=True):
    computer_seats: tuple[Seat, ...] = ()  # seats whose requests the computer answers
    early_answers: Mapping[str, str] = _NO_ANSWERS  # answers sealed before their turn, by request id
    standing_orders: Mapping[Seat, str] = {}  # default orders of captains who have any, as text


UnsealedGiver = Literal["draft", "stored", "deadline"]
"""The source of an unsealed answer: the captain's complete draft, orders that they gave earlier in the game, or the
rules' default."""

EMPTY_CONTEXT: Final = StepContext()


class StepResult(Struct, frozen=True, kw_only=True):
    state: str  # after the step, as JSON
    events: str  # of the step, as JSON
    answers: dict[str, str]  # the resolved answers in canonical form, by request id
    pending: tuple[Request, ...]  # the requests after the step
    computer_answers: dict[str, ComputedAnswer]  # computers' answers to pending requests, by request id
    result: Result | None  # None: the game goes on
    void_request_ids: tuple[str, ...] = ()  # requests with early answers that the rules no longer accept
    unsealed_givers: dict[str, UnsealedGiver] = {}  # by request id
    computations: dict[str, Computation] = {}  # how unsealed answers were computed, by request id; drafts have none
    drafts: dict[str, str] = {}  # drafts of pending requests that standing orders have begun, by request id
    useless_standing_orders: tuple[str, ...] = ()  # ids of requests that the standing orders do not fit
    tallies: dict[Seat, Statistics] = {}  # statistics of each seat; empty until the game is over
    held_keepsakes: dict[Seat, tuple[int, ...]] = {}  # numbers of the keepsakes that the game has in use, by seat
    handed_on: dict[bool, dict[Seat, tuple[KeepsakeUpdate, ...]]] = {}
    """Changes of keepsakes at the end of the game, by whether the game counts as experience, then by seat."""
    places: dict[Seat, int] = {}  # final place of each seat, if the game ranks them; from 1
    strengths: dict[Seat, float] = {}  # what is left to each seat, if the game measures it; empty if the game is over
    points: dict[Seat, float] = {}  # each seat's points for a match, if the game counts any but wins
    has_public_event: bool = True  # whether everybody may see one of the events
    throws_dice: bool = False
    is_revealing: bool = False  # whether dice fell or others' orders became known, so that going back needs consent


@marks_errors
def begin_game(setup: Setup, seed: str, context: StepContext) -> StepResult:
    """Return the first step of a game with this dice seed (hex). Raises `OrderError`."""
    rules = RULESETS[setup.system]
    return _step_result(rules, rules.start(setup, Dice(seed=seed)), {}, context)


@marks_errors
def why_setup_refused(setup: Setup) -> Fault | None:
    """Return the reason why a game can't start with this setup, or None.

    The stored form of the first state is also decoded, and any error of the rules is raised.
    """
    rules = RULESETS[setup.system]
    try:
        step = rules.start(setup, Dice(seed="00"))
        rules.check_setup(setup)
    except OrderError as error:
        return error.fault
    read_events(rules, encode(step.events))
    state = read_state(rules, encode(step.state))
    rules.pending_requests(state)
    for seat in range(len(setup.teams)):
        rules.view(state, seat)
    return None


def carry_out_answers(
    system: str,
    state_json: str,
    due: Mapping[str, str | None],
    context: StepContext = EMPTY_CONTEXT,
    *,
    drafts: Mapping[str, str] = _NO_ANSWERS,
    excused: Collection[Seat] = (),
) -> StepResult:
    """Resolve a step with these answers by request.

    None stands for an unsealed answer: a complete draft counts, else the rules' default. `excused` seats had announced
    an absence or had less than the usual time. Raises `OrderError` if the rules reject an answer, even a default.
    """
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    answers: dict[str, Any] = {}
    texts: dict[str, str] = {}
    unsealed_givers: dict[str, UnsealedGiver] = {}
    computations: dict[str, Computation] = {}
    for request in rules.pending_requests(state):
        if request.id not in due:
            continue
        text = due[request.id]
        if text is None:
            text = _complete_draft(rules, state, request, drafts.get(request.id, ""))
            unsealed_givers[request.id] = "draft"
        if text is None:
            giver: Literal["stored", "deadline"] = "stored" if rules.has_stored_default(state, request) else "deadline"
            computed = compute_answer(rules, state, request, giver, excused=request.seat in excused)
            unsealed_givers[request.id], text = giver, computed.body
            computations[request.id] = computed.computation
        # A default is parsed like at verification, so that one that can't be verified is refused.
        answers[request.id] = rules.parse_answer(state, request, text)
        texts[request.id] = rules.format_answer(request, answers[request.id])
    result = _step_result(rules, rules.resolve(state, answers), texts, context, before=state)
    return structs.replace(result, unsealed_givers=unsealed_givers, computations=computations)


def _complete_draft(rules: Ruleset[Any], state: Any, request: Request, draft: str) -> str | None:  # noqa: ANN401
    """Return a draft as an answer; None: it is empty, incomplete or illegal."""
    if draft:
        with suppress(OrderError):
            return canonical_answer(rules, state, request, draft)
    return None


def report_battle(system: str, state_json: str, digest: str) -> str:
    """Return a finished battle's answer to its parent game. `digest` is the hash of the battle's record."""
    rules = RULESETS[system]
    return encode(rules.battle_report(read_state(rules, state_json), digest))


class BattleParent(NamedTuple):
    """The game that a battle belongs to."""

    system: str
    request: Request  # the request that the battle's result answers


def judge_battle(rules: Ruleset[Any], state: Any, parent: BattleParent | None) -> tuple[Text, ...]:  # noqa: ANN401
    """Return what the final state of a battle means for its parent game; empty: nothing to say, or no battle."""
    if parent is None:
        return ()
    return RULESETS[parent.system].judge_battle(parent.request, rules.battle_report(state, ""))


def foresee_battle(
    parent: BattleParent, parent_state_json: str, system: str, state_json: str, seat: Seat
) -> BattleForecast:
    """Return what a running battle means so far for its parent game, as a seat of the battle may know."""
    parent_rules, rules = RULESETS[parent.system], RULESETS[system]
    report = rules.battle_report(read_state(rules, state_json), "")
    return parent_rules.foresee_battle(read_state(parent_rules, parent_state_json), parent.request, report, seat)


@marks_errors
def apply_out_of_turn(system: str, state_json: str, action: OutOfTurnAction, context: StepContext) -> StepResult:
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    return _step_result(rules, rules.apply_out_of_turn(state, action), {}, context, before=state)


def go_back_to(
    system: str, state_json: str, *, seed: str, number: int, revealed: bool, context: StepContext
) -> StepResult:
    """Return the step that restores an earlier state.

    `number` is the count of published steps before this one. If something was `revealed` since the earlier state, new
    dice are derived from it and the game's `seed`.
    """
    rules = RULESETS[system]
    state = restore_state(read_state(rules, state_json), seed, number, revealed=revealed)
    return _step_result(rules, Step(state, ()), {}, context)


def repeat_answers(
    system: str, state_json: str, steps_of_answers: Sequence[Mapping[str, str]], context: StepContext
) -> list[StepResult]:
    """Resolve several steps, each given by answers (text by request id). Steps that are not legal now are skipped."""
    rules = RULESETS[system]
    results: list[StepResult] = []
    for texts in steps_of_answers:
        state = read_state(rules, results[-1].state if results else state_json)
        requests = {request.id: request for request in rules.pending_requests(state)}
        try:
            answers = {
                request_id: rules.parse_answer(state, requests[request_id], text)
                for request_id, text in texts.items()
                if request_id in requests
            }
        except OrderError:
            continue
        if answers.keys() == texts.keys():
            step = rules.resolve(state, answers)
            results.append(_step_result(rules, step, dict(texts), context, before=state))
    return results


def count_statistics(
    system: str,
    state_json: str,
    events_json: Sequence[str],
    without: Mapping[Seat, Sequence[tuple[int, int]]] = _NO_EXCLUSIONS,
) -> dict[Seat, Statistics]:
    """Return each seat's statistics of a game from its last state and the events of each step.

    `without` excludes ranges of steps (from first, to before last) by seat, in which its captain was absent.
    """
    rules = RULESETS[system]
    state = read_state(rules, state_json)
    events_by_step = [read_events(rules, events) for events in events_json]

    def statistics_of_first(step_count: int) -> Mapping[Seat, Statistics]:
        return rules.count_statistics(state, [event for events in events_by_step[:step_count] for event in events])

    statistics = dict(statistics_of_first(len(events_by_step)))
    # The figures of a span are those up to its end less those up to its beginning.
    for begin, end in sorted({span for spans in without.values() for span in spans}):
        before = statistics_of_first(begin)
        after = statistics_of_first(end)
        absent_seats = [seat for seat, spans in without.items() if (begin, end) in spans and seat in statistics]
        for seat in absent_seats:
            of_span = subtract_statistics(after[seat], before[seat])
            statistics[seat] = subtract_statistics(statistics[seat], of_span)
    return statistics


def computer_answers(system: str, state_json: str, computers: Sequence[int]) -> dict[str, ComputedAnswer]:
    rules = RULESETS[system]
    return _computer_answers(rules, read_state(rules, state_json), computers)


def _step_result(
    rules: Ruleset[Any],
    step: Step,
    answers: dict[str, str],
    context: StepContext,
    *,
    before: Any = None,  # noqa: ANN401 - of any game
) -> StepResult:
    """Return the result of a step. `before` is the previous state; None for a new or restored game."""
    state = step.state
    pending = rules.pending_requests(state)
    early_answers = context.early_answers
    # Requests that could be answered ahead and that the game waits for now.
    arrived_requests = [request for request in pending if request.id in early_answers and not request.ahead]
    void_ids = [
        request.id
        for request in arrived_requests
        if not _is_still_legal(rules, state, request, early_answers[request.id])
    ]
    drafts, useless_standing_orders = _standing_orders_drafts(rules, state, context.standing_orders)
    result = rules.result(state)
    held_keepsakes = rules.keepsakes.in_use(state) if rules.keepsakes else {}
    reveals = before is not None and is_revealing(
        before, step, pending_before=rules.pending_requests(before), pending=pending, answered_ids=answers
    )
    return StepResult(
        state=encode(state),
        events=encode(step.events),
        answers=answers,
        pending=pending,
        computer_answers=_computer_answers(rules, state, context.computer_seats),
        drafts=drafts,
        useless_standing_orders=useless_standing_orders,
        result=result,
        held_keepsakes={seat: tuple(numbers) for seat, numbers in held_keepsakes.items()},
        handed_on={taught: keepsakes_after(rules, state, taught=taught) for taught in (False, True)} if result else {},
        places=dict(rules.final_places(state)) if result else {},
        strengths={} if result else dict(rules.seat_strengths(state)),
        points=dict(rules.match_points(state)) if result else {},
        void_request_ids=tuple(void_ids),
        has_public_event=has_public_event(step.events),
        throws_dice=before is not None and step.state.dice != before.dice,
        is_revealing=reveals,
    )


def keepsakes_after(rules: Ruleset[Any], state: Any, *, taught: bool | None) -> dict[Seat, tuple[KeepsakeUpdate, ...]]:  # noqa: ANN401 - of any game
    """Return a finished game's changes of keepsakes by seat, or none if `taught` is None.

    `taught` says whether what captains have learnt in the game counts.
    """
    if taught is None or rules.keepsakes is None:
        return {}
    return {seat: tuple(updates) for seat, updates in rules.keepsakes.after_game(state, taught=taught).items()}


def keepsakes_if_untaught(system: str, state_json: str) -> dict[Seat, tuple[KeepsakeUpdate, ...]]:
    rules = RULESETS[system]
    return keepsakes_after(rules, read_state(rules, state_json), taught=False)


def _standing_orders_drafts(
    rules: Ruleset[Any],
    state: Any,  # noqa: ANN401 - of any game
    texts: Mapping[Seat, str],
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return drafts with default standing orders by request, and the requests that these do not fit."""
    drafts, useless_ids = {}, []
    for request in rules.pending_requests(state):
        if request.seat in texts and not request.optional:
            try:
                drafts[request.id] = standing_orders_draft(rules, state, request, texts[request.seat])
            except OrderError:
                useless_ids.append(request.id)
    return drafts, tuple(useless_ids)


def _is_still_legal(rules: Ruleset[Any], state: Any, request: Request, text: str) -> bool:  # noqa: ANN401
    try:
        return rules.format_answer(request, rules.parse_answer(state, request, text)) == text
    except OrderError:
        return False


def _computer_answers(
    rules: Ruleset[Any],
    state: Any,  # noqa: ANN401 - of any game
    computer_seats: Sequence[int],
) -> dict[str, ComputedAnswer]:
    return {
        request.id: compute_answer(rules, state, request, "computer")
        for request in rules.pending_requests(state)
        if request.seat in computer_seats and not (request.optional or request.ahead)
    }

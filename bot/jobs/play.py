"""Jobs that move a game on: from a stored state to the result of a step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal

from msgspec import Struct, structs

from bot.jobs.drafts import canonical_answer, standing_orders_draft
from bot.jobs.refused import marks_errors
from bot.jobs.stored import encode, read_events, read_state
from bot.jobs.thinking import limit_time
from rules.chance.dice import Dice, derive_seed
from rules.core.errors import Fault, OrderError
from rules.core.keepsakes import KeepsakeUpdate
from rules.core.protocol import OutOfTurnAction, Request, Result, Seat, Setup, Step
from rules.core.registry import RULESETS
from rules.core.replay import restore_state
from rules.core.revealing import has_public_event, is_revealing
from rules.core.ruleset import Ruleset
from rules.interface.statistics import Statistics, subtract_statistics

_NO_ANSWERS: Mapping[str, str] = MappingProxyType({})
_NO_EXCLUSIONS: Mapping[Seat, Sequence[tuple[int, int]]] = MappingProxyType({})


class StepContext(Struct, frozen=True, kw_only=True):
    """What a step needs to know besides the game's state."""

    computer_seats: tuple[Seat, ...] = ()
    """Seats of the computer's."""
    early_answers: Mapping[str, str] = _NO_ANSWERS
    """Answers that were given before they were asked for, by request."""
    standing_orders: Mapping[Seat, str] = {}
    """Default standing orders of captains, as they typed them."""


UnsealedGiver = Literal["captain", "stored", "deadline"]
"""What answers where nobody has sealed: the captain's whole draft, what they had stored for that, the rules."""

EMPTY_CONTEXT: Final = StepContext()
"""Nothing besides."""


class StepResult(Struct, frozen=True, kw_only=True):
    """The result of a step."""

    state: str
    events: str
    answers: dict[str, str]
    """The answers that were carried out, by request, including defaults."""
    pending: tuple[Request, ...]
    computer_answers: dict[str, str]
    """The computer captains' answers to what is pending now, by request."""
    result: Result | None
    void_request_ids: tuple[str, ...] = ()
    """Requests that were answered ahead, but whose answers the rules no longer accept."""
    unsealed_givers: dict[str, UnsealedGiver] = {}
    """What answered requests that nobody had sealed."""
    drafts: dict[str, str] = {}
    """Default standing orders as drafts of what is pending now, by request."""
    useless_standing_orders: tuple[str, ...] = ()
    """Requests for which default standing orders are of no use."""
    tallies: dict[Seat, Statistics] = {}
    """What each seat did and rolled, once the game is over."""
    held_keepsakes: dict[Seat, tuple[int, ...]] = {}
    """The numbers of what captains have brought, and the game has from now on; in most games nothing."""
    handed_on: dict[bool, dict[Seat, tuple[KeepsakeUpdate, ...]]] = {}
    """What the game makes of that once it is over, by whether it has taught anything."""
    places: dict[Seat, int] = {}
    """Each seat's place, once the game is over, if it ranks those who haven't won."""
    has_public_event: bool = True
    """Whether everybody may see one of its events."""
    is_revealing: bool = False
    """Whether dice fell in it, or others' orders were opened or carried out."""


@marks_errors
def begin_game(setup: Setup, seed: str, aside: StepContext) -> StepResult:
    """Return the first step of a game with dice of this seed (hex)."""
    rules = RULESETS[setup.system]
    return _step_result(rules, rules.start(setup, Dice(seed=seed)), {}, aside)


@marks_errors
def why_setup_refused(setup: Setup) -> Fault | None:
    """Return why a game can't start like this; None: it can, and its stored form can be read. Raises any error met."""
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
    body: str,
    due: Mapping[str, str | None],
    aside: StepContext = EMPTY_CONTEXT,
    *,
    drafts: Mapping[str, str] = _NO_ANSWERS,
    excused: Collection[Seat] = (),
) -> StepResult:
    """Carry out answers by request. None is what nobody has sealed: a whole draft counts, else the rules' default.

    Captains of `excused` seats had announced that they would be absent, or had less time than they were given. Raises
    `OrderError` for an answer that the rules do not take, also for a default.
    """
    rules = RULESETS[system]
    state = read_state(rules, body)
    joined, written = {}, {}
    unsealed: dict[str, UnsealedGiver] = {}
    for request in rules.pending_requests(state):
        if request.id in due:
            text = due[request.id]
            if (
                text is None
                and (text := _complete_draft(rules, state, request, drafts.get(request.id, ""))) is not None
            ):
                unsealed[request.id] = "captain"
            if text is None:
                unsealed[request.id] = "stored" if rules.has_stored_default(state, request) else "deadline"
                with (
                    limit_time()
                ):  # read back as it will be when the game is verified: what cannot be is not carried out
                    text = rules.format_answer(
                        request, rules.default_answer(state, request, excused=request.seat in excused)
                    )
            joined[request.id] = answer = rules.parse_answer(state, request, text)
            written[request.id] = rules.format_answer(request, answer)
    done = _step_result(rules, rules.resolve(state, joined), written, aside, before=state)
    return structs.replace(done, unsealed_givers=unsealed)


def _complete_draft(rules: Ruleset[Any], state: Any, request: Request, draft: str) -> str | None:  # noqa: ANN401 - of any game
    """The answer that a draft is, in canonical notation; None if it still lacks something."""
    try:
        return canonical_answer(rules, state, request, draft) if draft else None
    except OrderError:
        return None


def report_battle(system: str, body: str, digest: str) -> str:
    """Return a finished battle's answer to the game it was played for; `digest` is that of the battle's record."""
    rules = RULESETS[system]
    return encode(rules.battle_report(read_state(rules, body), digest))


@marks_errors
def apply_out_of_turn(system: str, body: str, done: OutOfTurnAction, aside: StepContext) -> StepResult:
    """Return the result of what a captain did unasked."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    return _step_result(rules, rules.apply_out_of_turn(state, done), {}, aside, before=state)


def go_back_to(system: str, body: str, *, seed: str, number: int, revealed: bool, aside: StepContext) -> StepResult:
    """Return an earlier state as a step before which this number were told; with new dice if answers were revealed.

    `seed` is the seed of the game's dice.
    """
    rules = RULESETS[system]
    state = restore_state(read_state(rules, body), seed, number, revealed=revealed)
    return _step_result(rules, Step(state, ()), {}, aside)


def repeat_answers(system: str, body: str, given: Sequence[Mapping[str, str]], aside: StepContext) -> list[StepResult]:
    """Carry out answers by request, one step after the other, as far as they can be read in this state."""
    rules, done = RULESETS[system], list[StepResult]()
    for texts in given:
        state = read_state(rules, done[-1].state if done else body)
        asked = {request.id: request for request in rules.pending_requests(state)}
        try:
            answers = {one: rules.parse_answer(state, asked[one], text) for one, text in texts.items() if one in asked}
        except OrderError:
            continue
        if answers.keys() == texts.keys():
            step = rules.resolve(state, answers)
            done.append(_step_result(rules, step, dict(texts), aside, before=state))
    return done


def count_statistics(
    system: str, body: str, happened: Sequence[str], without: Mapping[Seat, Sequence[tuple[int, int]]] = _NO_EXCLUSIONS
) -> dict[Seat, Statistics]:
    """Return what each seat did and rolled in a game, from its last state and the events of each step.

    What a seat did in steps `without` its captain (from one, to before another) doesn't count.
    """
    rules = RULESETS[system]
    state, steps = read_state(rules, body), [read_events(rules, one) for one in happened]

    def until(end: int) -> Mapping[Seat, Statistics]:
        return rules.count_statistics(state, [event for step in steps[:end] for event in step])

    found = dict(until(len(steps)))
    for begin, end in sorted({span for spans in without.values() for span in spans}):
        before, after = until(begin), until(end)
        for seat in (seat for seat, spans in without.items() if (begin, end) in spans and seat in found):
            found[seat] = subtract_statistics(found[seat], subtract_statistics(after[seat], before[seat]))
    return found


def computer_answers(system: str, body: str, computers: Sequence[int]) -> dict[str, str]:
    """Return computer captains' answers to what is asked in a state, by request."""
    rules = RULESETS[system]
    return _computer_answers(rules, read_state(rules, body), computers)


def _step_result(
    rules: Ruleset[Any],
    step: Step,
    answers: dict[str, str],
    aside: StepContext,
    *,
    before: Any = None,  # noqa: ANN401 - of any game
) -> StepResult:
    """The result of a step. `before` is the state that it changed; None: it began the game, or went back."""
    state, ahead, pending = step.state, aside.early_answers, rules.pending_requests(step.state)
    asked = [request for request in pending if request.id in ahead and not request.ahead]
    drafts, useless = _standing_orders_drafts(rules, state, aside.standing_orders)
    result = rules.result(state)
    return StepResult(
        state=encode(state),
        events=encode(step.events),
        answers=answers,
        pending=pending,
        computer_answers=_computer_answers(rules, state, aside.computer_seats),
        drafts=drafts,
        useless_standing_orders=useless,
        result=result,
        held_keepsakes={seat: tuple(numbers) for seat, numbers in rules.keepsakes_in_use(state).items()},
        handed_on={taught: keepsakes_after(rules, state, taught=taught) for taught in (False, True)} if result else {},
        places=dict(rules.final_places(state)) if result else {},
        void_request_ids=tuple(
            request.id for request in asked if not _is_still_legal(rules, state, request, ahead[request.id])
        ),
        has_public_event=has_public_event(step.events),
        is_revealing=before is not None
        and is_revealing(before, step, asked=rules.pending_requests(before), pending=pending, given=answers),
    )


def keepsakes_after(rules: Ruleset[Any], state: Any, *, taught: bool | None) -> dict[Seat, tuple[KeepsakeUpdate, ...]]:  # noqa: ANN401 - of any game
    """What a finished game makes of what captains keep; None: nothing."""
    if taught is None:
        return {}
    return {seat: tuple(handed) for seat, handed in rules.keepsakes_after(state, taught=taught).items()}


def keepsakes_if_untaught(system: str, body: str) -> dict[Seat, tuple[KeepsakeUpdate, ...]]:
    """What has become in a state of what captains keep, if nothing that they have learnt counts."""
    rules = RULESETS[system]
    return keepsakes_after(rules, read_state(rules, body), taught=False)


def _standing_orders_drafts(
    rules: Ruleset[Any],
    state: Any,  # noqa: ANN401 - of any game
    texts: Mapping[Seat, str],
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Drafts that begin with default standing orders, by request, and the requests for which they are of no use."""
    drafts, useless = {}, []
    for request in rules.pending_requests(state):
        if request.seat in texts and not request.optional:
            try:
                drafts[request.id] = standing_orders_draft(rules, state, request, texts[request.seat])
            except OrderError:
                useless.append(request.id)
    return drafts, tuple(useless)


def _is_still_legal(rules: Ruleset[Any], state: Any, request: Request, text: str) -> bool:  # noqa: ANN401
    """Return whether an early answer is legal now, and canonical."""
    try:
        return rules.format_answer(request, rules.parse_answer(state, request, text)) == text
    except OrderError:
        return False


def _computer_answers(rules: Ruleset[Any], state: Any, computers: Sequence[int]) -> dict[str, str]:  # noqa: ANN401
    found = {}
    for request in rules.pending_requests(state):
        if request.seat in computers and not (request.optional or request.ahead):
            # After going back the dice differ, and so does the computer's choice between equals.
            seed = derive_seed(state.dice.seed, f"captain {request.id}")
            with limit_time():
                found[request.id] = rules.format_answer(
                    request, rules.computer_answer(rules.view(state, request.seat), request, seed)
                )
    return found

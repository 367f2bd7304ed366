"""Jobs that lead a game on: from a stored state to what a step has led to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import Struct

from bot.work.refused import of_game
from bot.work.stored import encode, read_events, read_state
from rules.dice import Dice, subseed
from rules.errors import Fault, OrderError
from rules.protocol import Act, Report, Request, Result, Seat, Setup, Step
from rules.registry import RULESETS
from rules.replay import restored
from rules.ruleset import Ruleset
from rules.tally import Tally, less

_NOTHING: Mapping[str, str] = MappingProxyType({})
_ALL: Mapping[Seat, Sequence[tuple[int, int]]] = MappingProxyType({})


class Advanced(Struct, frozen=True, kw_only=True):
    """What a step has led to."""

    state: str
    events: str
    answers: dict[str, str]
    """The answers carried out, by request, defaults among them."""
    pending: tuple[Request, ...]
    computed: dict[str, str]
    """Answers that computer captains give to what is pending now."""
    result: Result | None
    void: tuple[str, ...] = ()
    """What is asked now, was answered ahead, and cannot be carried out as it was answered; by request."""
    tallies: dict[Seat, Tally] = {}
    """What each seat did and threw, once the game is over."""


@of_game
def begin(setup: Setup, seed: str, computers: Sequence[int]) -> Advanced:
    """Start a game with dice of this seed (hex)."""
    rules = RULESETS[setup.system]
    return _advanced(rules, rules.start(setup, Dice(seed=seed)), {}, computers)


@of_game
def refused(setup: Setup) -> Fault | None:
    """Why a game cannot begin so; None: it can, and go on from what is stored of it. Raises whatever fails."""
    rules = RULESETS[setup.system]
    try:
        step = rules.start(setup, Dice(seed="00"))
        rules.admit(setup)
    except OrderError as error:
        return error.fault
    read_events(rules, encode(step.events))
    state = read_state(rules, encode(step.state))
    rules.pending(state)
    for seat in range(len(setup.teams)):
        rules.view(state, seat)
    return None


def advance(
    system: str,
    body: str,
    due: Mapping[str, str | None],
    *,
    computers: Sequence[int],
    ahead: Mapping[str, str] = _NOTHING,
) -> Advanced:
    """Carry out answers by request; None is whoever is missing and gets his default. Others were given `ahead`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    joined, written = {}, {}
    for request in rules.pending(state):
        if request.id in due:
            text = due[request.id]
            answer = rules.default(state, request) if text is None else rules.parse(state, request, text)
            joined[request.id], written[request.id] = answer, rules.format(request, answer)
    return _advanced(rules, rules.resolve(state, joined), written, computers, ahead)


def report(system: str, body: str, digest: str) -> str:
    """How a battle has ended that was played for another game, of which this is the digest: that game's answer."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    result = rules.result(state)
    winners = result.winners if result else ()
    return encode(Report(digest=digest, winners=winners, ending=rules.ending(state)))


@of_game
def act(system: str, body: str, done: Act, computers: Sequence[int], ahead: Mapping[str, str] = _NOTHING) -> Advanced:
    """Carry out what a captain did unasked."""
    rules = RULESETS[system]
    return _advanced(rules, rules.act(read_state(rules, body), done), {}, computers, ahead)


def go_back(system: str, body: str, *, seed: str, number: int, revealed: bool, computers: Sequence[int]) -> Advanced:
    """Go on from an earlier state, in the step of this number, whether or not answers were revealed since.

    `seed` is that of the game's dice.
    """
    rules = RULESETS[system]
    state = restored(read_state(rules, body), seed, number, revealed=revealed)
    return _advanced(rules, Step(state, ()), {}, computers)


def tally(
    system: str, body: str, happened: Sequence[str], without: Mapping[Seat, Sequence[tuple[int, int]]] = _ALL
) -> dict[Seat, Tally]:
    """Count what each seat did and threw in a game, by the state that it led to, and by what happened in each step.

    What a seat did in steps `without` its captain, from one to before another, is not counted as his.
    """
    rules = RULESETS[system]
    state, steps = read_state(rules, body), [read_events(rules, one) for one in happened]

    def until(end: int) -> Mapping[Seat, Tally]:
        return rules.tally(state, [event for step in steps[:end] for event in step])

    found = dict(until(len(steps)))
    for begin, end in sorted({span for spans in without.values() for span in spans}):
        before, after = until(begin), until(end)
        for seat in (seat for seat, spans in without.items() if (begin, end) in spans and seat in found):
            found[seat] = less(found[seat], less(after[seat], before[seat]))
    return found


def computed(system: str, body: str, computers: Sequence[int]) -> dict[str, str]:
    """What computer captains answer to what is asked in a state, by request."""
    rules = RULESETS[system]
    return _computed(rules, read_state(rules, body), computers)


def _advanced(
    rules: Ruleset[Any],
    step: Step,
    answers: dict[str, str],
    computers: Sequence[int],
    ahead: Mapping[str, str] = _NOTHING,
) -> Advanced:
    state = step.state
    asked = [request for request in rules.pending(state) if request.id in ahead and not request.ahead]
    return Advanced(
        state=encode(state),
        events=encode(step.events),
        answers=answers,
        pending=rules.pending(state),
        computed=_computed(rules, state, computers),
        result=rules.result(state),
        void=tuple(request.id for request in asked if not _stands(rules, state, request, ahead[request.id])),
    )


def _stands(rules: Ruleset[Any], state: Any, request: Request, text: str) -> bool:  # noqa: ANN401
    """Whether an answer that was given ahead is one now, and would be written just so."""
    try:
        return rules.format(request, rules.parse(state, request, text)) == text
    except OrderError:
        return False


def _computed(rules: Ruleset[Any], state: Any, computers: Sequence[int]) -> dict[str, str]:  # noqa: ANN401
    found = {}
    for request in rules.pending(state):
        if request.seat in computers and not (request.optional or request.ahead):
            # A game that went back has other dice, and so has its computer other whims.
            whims = subseed(state.dice.seed, f"captain {request.id}")
            found[request.id] = rules.format(request, rules.captain(rules.view(state, request.seat), request, whims))
    return found


def hidden(answered: Sequence[Request], events: str) -> bool:
    """Whether nobody but who answered may know of a step: nobody waited for it, and nobody else may see any of it."""
    seen = any(event["seen_by"] is None for event in msgspec.json.decode(events))
    return all(request.optional for request in answered) and not seen

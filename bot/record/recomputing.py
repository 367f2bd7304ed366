"""Recompute the answers of computer captains and of stand-ins from a record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast, get_args

from msgspec import Struct

from bot.jobs.computing import ComputedGiver, program_version, recompute_answer
from rules.core.errors import OrderError
from rules.core.protocol import Request
from rules.core.registry import RULESETS
from rules.core.replay import Computation, Flaw, Record, RecordedAnswer, replay_steps
from rules.core.ruleset import Ruleset


class Recomputation(Struct, frozen=True, kw_only=True):
    flaw: Flaw | None = None  # the first answer that differs, or that does not say how it was computed
    computed_count: int = 0  # computed answers that were carried out
    recomputed_count: int = 0  # those that were recomputed and are equal
    stopped_count: int = 0  # recomputed answers whose search was stopped by a time limit, as the record claims
    foreign_count: int = 0  # answers that differ, but were computed by other versions of the program
    programs: tuple[str, ...] = ()  # these other versions

    @property
    def is_partial(self) -> bool:
        """Whether there was no time for all answers."""
        return self.recomputed_count + self.foreign_count < self.computed_count


def recompute_answers(record: Record, sample_key: str, has_time: Callable[[], bool]) -> Recomputation:
    """Recompute answers of a valid record while `has_time`, in an order that follows from `sample_key`.

    Other versions of the program may have computed some. Those that are equal are as good as our own.
    """
    rules = RULESETS[record.setup.system]
    computed = [
        (number, answer)
        for number, step in enumerate(record.steps)
        for answer in step.answers
        if answer.given_by in get_args(ComputedGiver)
    ]
    for number, answer in computed:
        if not isinstance(answer.computation, Computation):
            return Recomputation(flaw=Flaw(step=number, what="computed", piece=answer.request))
    computed.sort(key=lambda entry: hashlib.sha256(f"{sample_key} {entry[0]} {entry[1].request}".encode()).digest())
    states = [step.state for _, step in replay_steps(rules, record)] if computed else []
    foreign: list[str] = []
    recomputed = stopped = 0
    for number, answer in computed:
        if not has_time():
            break
        computation = cast("Computation", answer.computation)
        if _is_reproduced(rules, states[:number], answer, computation):
            recomputed += 1
            stopped += computation.stopped_after is not None
        elif computation.program == program_version(rules.name):
            return Recomputation(flaw=Flaw(step=number, what="computed", piece=answer.request))
        else:
            foreign.append(computation.program)
    return Recomputation(
        computed_count=len(computed),
        recomputed_count=recomputed,
        stopped_count=stopped,
        foreign_count=len(foreign),
        programs=tuple(dict.fromkeys(foreign)),
    )


def _is_reproduced(
    rules: Ruleset[Any], states: Sequence[Any], answer: RecordedAnswer, computation: Computation
) -> bool:
    """Return whether the computer gives an answer in the last of these states.

    A computer captain may have given it in any state since the request was asked.
    """
    giver = cast("ComputedGiver", answer.given_by)
    positions = list(_positions_asking(rules, states, answer.request))
    if giver != "computer":
        positions = positions[:1]
    tried: list[Any] = []
    for state, request in reversed(positions):
        if request.battle:
            return False
        known = (rules.view(state, request.seat), state.dice.seed)
        if known in tried:
            continue  # others have acted since, but the captain saw no difference
        tried.append(known)
        try:
            if recompute_answer(rules, state, request, giver, computation) == answer.body:
                return True
        except OrderError:
            return False
    return False


def _positions_asking(rules: Ruleset[Any], states: Sequence[Any], request_id: str) -> Iterator[tuple[Any, Request]]:
    """Yield the last states that ask a request, latest first, and the request as they ask it."""
    for state in reversed(states):
        request = next((each for each in rules.pending_requests(state) if each.id == request_id), None)
        if request is None or request.ahead:
            return
        yield state, request

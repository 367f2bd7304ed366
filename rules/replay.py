"""Replays a game from its published facts: setup, seed and answers are the truth, all else follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Literal

import msgspec
from msgspec import Struct

from rules.dice import Dice, commitment
from rules.errors import OrderError
from rules.protocol import Act, Ruleset, Setup, Step, makes_step


class RecordedAnswer(Struct, frozen=True, kw_only=True):
    """An answer as it was revealed."""

    request: str
    body: str
    nonce: str
    commitment: str
    """SHA-256 of the body and the nonce, as published when it was sealed."""
    given_by: Literal["captain", "computer", "deadline"]


class RecordedStep(Struct, frozen=True, kw_only=True):
    """What was put in at once, and what came of it."""

    act: Act | None = None
    answers: tuple[RecordedAnswer, ...] = ()
    events: tuple[dict[str, Any], ...]
    """As JSON objects, each tagged with its `type`."""


class Record(Struct, frozen=True, kw_only=True):
    """A whole finished game."""

    setup: Setup
    seed: str
    seed_commitment: str
    """SHA-256 of the seed, as published at the start."""
    steps: tuple[RecordedStep, ...]
    """The first is the start, with no answers."""


class Flaw(Struct, frozen=True, kw_only=True):
    """The first thing in a record that does not hold."""

    step: int
    what: Literal["seed", "commitment", "answer", "requests", "events", "end"]
    piece: str


def verify(rules: Ruleset[Any, Any], record: Record) -> Flaw | None:
    """Replay a record and compare; the first flaw, or None if everything holds."""
    return next(_flaws(rules, record), None)


def play(rules: Ruleset[Any, Any], record: Record) -> Iterator[tuple[int | None, Step]]:
    """Every step of a record, with the round in which it was asked for; None for what was done unasked.

    Raises OrderError for an answer that is none, ValueError if what was answered was not asked.
    """
    state: Any = None
    for number, recorded in enumerate(record.steps):
        asked = rules.pending(state) if recorded.answers and state is not None else ()
        given = {answer.request for answer in recorded.answers}
        done = _repeat(rules, record, state, number)
        if done is None:
            raise ValueError(f"step {number} answers what was not asked")
        yield max((request.round for request in asked if request.id in given), default=None), done
        state = done.state


def _flaws(rules: Ruleset[Any, Any], record: Record) -> Iterator[Flaw]:
    if commitment(record.seed) != record.seed_commitment:
        yield Flaw(step=0, what="seed", piece=record.seed_commitment)
    state: Any = None
    for number, step in enumerate(record.steps):
        for answer in step.answers:
            if commitment(answer.body, answer.nonce) != answer.commitment:
                yield Flaw(step=number, what="commitment", piece=answer.request)
        try:
            done = _repeat(rules, record, state, number)
        except OrderError as refused:
            yield Flaw(step=number, what="answer", piece=str(refused))
            return
        if done is None:
            yield Flaw(step=number, what="requests", piece=", ".join(answer.request for answer in step.answers))
            return
        happened = msgspec.json.decode(msgspec.json.encode(done.events))  # as told: JSON knows no tuples
        for index, (told, real) in enumerate(zip_longest(step.events, happened)):
            if told != real:
                yield Flaw(step=number, what="events", piece=f"{index}: {(told or real).get('type', '')}")
        state = done.state
    if state is None or rules.result(state) is None:
        yield Flaw(step=len(record.steps), what="end", piece="cut short")


def _repeat(rules: Ruleset[Any, Any], record: Record, state: Any, number: int) -> Any:  # noqa: ANN401 - any game's state
    step = record.steps[number]
    if step.answers and (number == 0 or step.act is not None):
        return None
    if number == 0:
        return rules.start(record.setup, Dice(seed=record.seed))
    if step.act is not None:
        return rules.act(state, step.act)
    pending = rules.pending(state)
    given = {answer.request: answer.body for answer in step.answers}
    if not makes_step(pending, given):
        return None
    asked = [request for request in pending if request.id in given]
    return rules.resolve(state, {request.id: rules.parse(state, request, given[request.id]) for request in asked})

"""Orders that the computer gives, for itself or for late captains, can be recomputed from the record alone."""

import hashlib
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, get_args

import msgspec
import pytest
from msgspec import structs

from bot.jobs import computing, play, thinking
from bot.jobs.computing import ComputedGiver
from bot.jobs.stored import read_state
from bot.jobs.thinking import ThinkingLog
from bot.record.recomputing import Recomputation, recompute_answers
from rules.chance import fairness
from rules.core.protocol import AgreeDraw, Concede, OutOfTurnAction
from rules.core.registry import RULESETS
from rules.core.replay import Computation, Record, RecordedAnswer, RecordedStep, verify
from tests.laws.length import times
from tests.laws.play import SYSTEMS, decode, encode, own
from tests.samples import sample_answers

GAMES = times(2, 30)
MAX_STEPS = times(8, 40)
CUT_AFTER = (0, 1, 2, 5, 20, None)
"""Checks after which a search runs out of time; None: never."""


def always() -> bool:
    return True


class RecordedGame:
    """A game that captains, computers and deadlines play at random, with all that its record needs."""

    def __init__(self, system: str, number: int, *, forges: bool = False) -> None:
        self.rng = random.Random(f"recompute {system} {number}")
        self.forges = forges
        self.forged: tuple[int, str] | None = None  # step and request of an answer that the computer did not give
        self.rules = RULESETS[system]
        self.setup = self.rules.with_edition(self.rng.choice(own(system).SETUPS))
        self.secret = hashlib.sha256(f"{system} {number}".encode()).hexdigest()
        self.words = (None,) * len(self.setup.teams)
        seats = range(len(self.setup.teams))
        self.computers = {seat for seat in seats if self.rng.random() < 0.5} or {0}
        dice = fairness.derive_dice_seed(self.secret, self.words)
        self.result = play.begin_game(self.setup, dice, self._context())
        self.computed = dict(self.result.computer_answers)
        self.steps = [self._recorded(None, ())]

    def played_out(self) -> Record:
        while self.result.result is None:
            if len(self.steps) > MAX_STEPS:
                self._act(AgreeDraw())
            elif self.rng.random() < 0.03:
                seat = self.rng.randrange(len(self.setup.teams))
                self.computers.add(seat)
                self._act(Concede(seat=seat))
            else:
                self._resolve()
        record = Record(
            setup=self.setup,
            seed=self.secret,
            seed_commitment=fairness.hash_seed(self.secret),
            steps=tuple(self.steps),
            scheme=fairness.NEWEST_SCHEME,
            words=self.words,
        )
        return decode(encode(record), Record)

    def _context(self) -> play.StepContext:
        return play.StepContext(computer_seats=tuple(sorted(self.computers)))

    def _act(self, act: OutOfTurnAction) -> None:
        self.result = play.apply_out_of_turn(self.rules.name, self.result.state, act, self._context())
        # Computers keep what they have sealed.
        self.computed = {**self.result.computer_answers, **self.computed}
        self.steps.append(self._recorded(act, ()))

    def _resolve(self) -> None:
        state = read_state(self.rules, self.result.state)
        due: dict[str, str | None] = {}
        drafts: dict[str, str] = {}
        givers: dict[str, str] = {}
        computations: dict[str, Computation] = {}
        for request in self.rules.pending_requests(state):
            if request.optional or request.ahead:
                continue
            samples = sample_answers(self.rules, state, request)
            text = self.rules.format_answer(request, self.rng.choice(samples))
            if request.id in self.computed and not request.battle:
                computed = self.computed[request.id]
                due[request.id], computations[request.id] = computed.body, computed.computation
                givers[request.id] = "computer"
                others = {self.rules.format_answer(request, sample) for sample in samples} - {computed.body}
                if self.forges and not self.forged and others:
                    due[request.id] = min(others)
                    self.forged = (len(self.steps), request.id)
            elif request.battle or self.rng.random() < 0.4:
                due[request.id], givers[request.id] = text, "battle" if request.battle else "captain"
            else:
                due[request.id] = None
                drafts[request.id] = self.rng.choice((text, "", "nonsense"))
        excused = [seat for seat in range(len(self.setup.teams)) if self.rng.random() < 0.3]
        self.result = play.carry_out_answers(
            self.rules.name, self.result.state, due, self._context(), drafts=drafts, excused=excused
        )
        givers |= self.result.unsealed_givers
        computations |= self.result.computations
        answers = [
            self._answer(request_id, body, givers[request_id], computations.get(request_id))
            for request_id, body in self.result.answers.items()
        ]
        self.computed = {**self.result.computer_answers}
        self.steps.append(self._recorded(None, answers))

    def _answer(self, request: str, body: str, giver: Any, computation: Computation | None) -> RecordedAnswer:
        nonce = f"{self.rng.getrandbits(256):064x}"
        hashed = fairness.hash_answer(fairness.hash_seed(self.secret), request, body, nonce)
        about = {"commitment": hashed, "given_by": giver, "computation": computation or msgspec.UNSET}
        return RecordedAnswer(request=request, body=body, nonce=nonce, **about)

    def _recorded(self, act: OutOfTurnAction | None, answers: Any) -> RecordedStep:
        return RecordedStep(act=act, answers=tuple(answers), events=msgspec.json.decode(self.result.events))


@pytest.fixture(autouse=True)
def _searches_run_out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop many searches early, by a clock that counts how often it is read."""
    whims = random.Random(49)

    def limited() -> AbstractContextManager[ThinkingLog]:
        checks = whims.choice(CUT_AFTER)
        tick_s = 0.0 if checks is None else thinking.MAX_THINKING_S / (checks + 0.5)
        used_s: Callable[[], float] = partial(next, itertools.count(0.0, tick_s))
        return thinking.limit_time(used_s)

    monkeypatch.setattr(computing, "limit_time", limited)


def by_program(record: Record, program: str) -> Record:
    """Return a record that names another program for each computed answer."""
    steps = [
        structs.replace(
            step,
            answers=tuple(
                structs.replace(answer, computation=structs.replace(answer.computation, program=program))
                if isinstance(answer.computation, Computation)
                else answer
                for answer in step.answers
            ),
        )
        for step in record.steps
    ]
    return structs.replace(record, steps=tuple(steps))


def computed_answers(record: Record) -> Iterator[tuple[int, RecordedAnswer]]:
    for number, step in enumerate(record.steps):
        for answer in step.answers:
            if answer.given_by in get_args(ComputedGiver):
                yield number, answer


def recomputed_elsewhere(records: list[Record]) -> list[Recomputation]:
    """Recompute in another process with another seed of hashes, from the text of the records alone."""
    program = (
        "import sys, msgspec; from rules.core.replay import Record; from bot.record.recomputing import *\n"
        "records = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Record])\n"
        "found = [recompute_answers(record, 'elsewhere', lambda: True) for record in records]\n"
        "sys.stdout.buffer.write(msgspec.json.encode(found))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4949", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", program], input=encode(records), env=environment, capture_output=True, check=True
    )
    return decode(done.stdout, list[Recomputation])


@pytest.mark.proves("F12")
@pytest.mark.parametrize("system", SYSTEMS)
def test_all_that_the_computer_answered_is_recomputed_in_another_process(system: str) -> None:
    records = [RecordedGame(system, number).played_out() for number in range(GAMES)]
    assert any(list(computed_answers(record)) for record in records)
    for record, found in zip(records, recomputed_elsewhere(records), strict=True):
        assert verify(RULESETS[system], record) is None
        computed = [answer for _, answer in computed_answers(record)]
        assert found.flaw is None, found
        assert (found.computed_count, found.recomputed_count, found.foreign_count) == (len(computed), len(computed), 0)
        stopped = [one for one in computed if one.computation is not msgspec.UNSET and one.computation.stopped_after]
        assert found.stopped_count >= len(stopped)


@pytest.mark.proves("F12")
@pytest.mark.parametrize("system", SYSTEMS)
def test_an_order_that_the_computer_did_not_give_is_found_and_named(system: str) -> None:
    forged = 0
    for number in range(GAMES):
        game = RecordedGame(system, number, forges=True)
        record = game.played_out()
        assert verify(RULESETS[system], record) is None, "all of it is legal"
        if game.forged:
            flaw = recompute_answers(record, "key", always).flaw
            assert flaw is not None
            assert (flaw.step, flaw.piece, flaw.what) == (*game.forged, "computed")
            forged += 1
            # Another version of the program may have computed it. What it computed alike is proved.
            found = recompute_answers(by_program(record, "0.9.0+other"), "key", always)
            assert (found.flaw, found.foreign_count, found.programs) == (None, 1, ("0.9.0+other",))
            assert found.recomputed_count == found.computed_count - 1
            assert not found.is_partial
    assert forged


@pytest.mark.parametrize("system", SYSTEMS[:1])
def test_what_cannot_be_recomputed_is_counted_or_named(system: str) -> None:
    records = (RecordedGame(system, number).played_out() for number in itertools.count())
    record = next(game for game in records if len(list(computed_answers(game))) > 3)
    (number, last) = list(computed_answers(record))[-1]
    computed = len(list(computed_answers(record)))

    def recompute(answer: RecordedAnswer, has_time: Callable[[], bool] = always) -> Recomputation:
        answers = tuple(answer if each == last else each for each in record.steps[number].answers)
        steps = [*record.steps]
        steps[number] = structs.replace(steps[number], answers=answers)
        return recompute_answers(structs.replace(record, steps=tuple(steps)), "key", has_time)

    # Without a word about how it was computed.
    flaw = recompute(structs.replace(last, computation=msgspec.UNSET)).flaw
    assert flaw is not None
    assert (flaw.step, flaw.what, flaw.piece) == (number, "computed", last.request)
    # Where the time is short, some are recomputed.
    left = iter([True, True, False])
    some = recompute(last, lambda: next(left))
    assert (some.flaw, some.computed_count, some.recomputed_count, some.is_partial) == (None, computed, 2, True)

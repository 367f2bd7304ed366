"""The house's own answers are read as they are written, carried out, and verified, under any option.

Answers of computer captains, defaults, stand-ins, hints, and the words that stand for a whole answer.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bot.jobs import drafts, stored
from rules.chance import fairness
from rules.chance.dice import derive_seed
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, AgreeDraw, Draft, Request, Setup, Step
from rules.core.registry import RULESETS
from rules.core.replay import Record, RecordedAnswer, RecordedStep, verify
from rules.core.ruleset import Ruleset
from tests.laws import options
from tests.laws.length import times
from tests.laws.play import asked, decode, encode
from tests.samples import sample_answers

STEPS = times(5, 20)
EACH = times(1, 2)
"""Times in a game that a kind of question is answered in all ways."""
HINTS = times(3, 1)
"""Hints and stand-ins are tried in one of so many games. Without `hold`, stand-ins are the default answers."""
IDLE_MOST = times(1, 8)
"""Steps in a row that ask nothing new, before a game is left."""
WHOLE = ("repeat", "stock", "pass", "stay")
"""Words that stand for a whole answer, in games that have them."""


def own_answers(rules: Ruleset[Any], state: Any, request: Request, *, hints: bool) -> Iterator[tuple[str, str]]:
    """Return the house's answers to a request, by their source."""
    view, seed = rules.view(state, request.seat), derive_seed(options.SEED, request.id)
    yield "default", rules.format_answer(request, rules.default_answer(state, request))
    yield "captain", rules.format_answer(request, rules.computer_answer(view, request, seed))
    if hints:
        yield "stand-in", rules.format_answer(request, rules.stand_in_answer(state, request))
    if hints and rules.questions[request.kind].has_advice:
        yield "hint", drafts.compute_hint(rules.name, stored.encode(state), request, seed).answer


def whole_answers(rules: Ruleset[Any], state: Any, request: Request) -> Iterator[tuple[str, str]]:
    """Yield the words that stand for a whole answer, each with that answer."""
    for word in WHOLE:
        try:
            yield word, rules.format_answer(request, rules.parse_answer(state, request, word))
        except OrderError:
            continue  # the game has no such word, or there is nothing to repeat


def holds(rules: Ruleset[Any], state: Any, request: Request, text: str) -> None:
    """Check that an answer is read as it is written, and is complete as a draft."""
    assert rules.format_answer(request, rules.parse_answer(state, request, text)) == text
    assert rules.type_text(state, request, EMPTY_DRAFT, text).text
    assert not rules.draft_choices(state, request, Draft(text)).missing_parts


class Game:
    """A game that is played with the house's own answers, and written down."""

    def __init__(self, setup: Setup) -> None:
        self.rules, self.setup = RULESETS[setup.system], setup
        self.hash = fairness.hash_seed(options.SEED)
        self.steps: list[RecordedStep] = []
        self.take(options.begun(setup))

    def take(self, step: Step, texts: Mapping[str, str] | None = None, act: AgreeDraw | None = None) -> None:
        self.state = step.state
        events = decode(encode(step.events), tuple[dict[str, Any], ...])
        answers = tuple(self._sealed(request_id, text) for request_id, text in (texts or {}).items())
        self.steps.append(RecordedStep(answers=answers, events=events, act=act))

    def answer(self, request_answers: Mapping[str, tuple[Request, str]]) -> None:
        read = {
            request_id: self.rules.parse_answer(self.state, request, text)
            for request_id, (request, text) in request_answers.items()
        }
        self.take(
            self.rules.resolve(self.state, read),
            {request_id: text for request_id, (_, text) in request_answers.items()},
        )

    def end(self) -> Record:
        """Let all agree on a draw, and return the record."""
        if self.rules.result(self.state) is None:
            self.take(self.rules.apply_out_of_turn(self.state, AgreeDraw()), act=AgreeDraw())
        return Record(
            setup=self.setup,
            seed=options.SEED,
            seed_commitment=self.hash,
            steps=tuple(self.steps),
            scheme=fairness.NEWEST_SCHEME,
            words=(None,) * len(self.setup.teams),
        )

    def _sealed(self, request: str, body: str) -> RecordedAnswer:
        nonce = derive_seed(options.SEED, f"nonce {request}")
        hashed = fairness.hash_answer(self.hash, request, body, nonce)
        return RecordedAnswer(request=request, body=body, nonce=nonce, commitment=hashed, given_by="computer")


@pytest.mark.parametrize(("system", "number"), options.games())
def test_the_houses_own_answers_hold_under_any_option(system: str, number: int) -> None:
    setup, rng, seen = options.setups(system)[number], random.Random(number), Counter[str]()
    game = Game(setup)
    rules, idle = game.rules, 0
    for _ in range(STEPS):
        chosen_answers: dict[str, tuple[Request, str]] = {}
        before = seen.total()
        for request in asked(rules, game.state):
            answers = dict(whole_answers(rules, game.state, request))
            if seen[request.kind] < EACH:
                seen[request.kind] += 1
                answers |= own_answers(rules, game.state, request, hints=number % HINTS == 0)
            for name, text in answers.items():
                holds(rules, game.state, request, text)
                assert name != "hint" or not rules.draft_warnings(game.state, request, Draft(text)), text
            sample = rules.format_answer(request, rng.choice(sample_answers(rules, game.state, request)))
            chosen_answers[request.id] = (request, rng.choice([sample, *answers.values()]))
        idle = idle + 1 if before == seen.total() else 0
        if not chosen_answers or idle > IDLE_MOST:
            break
        game.answer(chosen_answers)
    assert verify(rules, game.end()) is None

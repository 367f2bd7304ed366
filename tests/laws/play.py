"""Whole games played at random through the protocol, whatever the game; all laws are tried on these."""

import hashlib
import os
import pickle
import random
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec
from filelock import FileLock
from hypothesis import strategies as st

from bot.texts.i18n import Catalogue, Localizer, languages
from rules.chance import fairness
from rules.chance.dice import Dice
from rules.core.protocol import AgreeDraw, Concede, OutOfTurnAction, Request, Setup, Step
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from tests import games
from tests.laws.length import SHARED, times
from tests.samples import sample_answers

GAMES = times(6, 100)
"""Played of each system."""
SYSTEMS = games.tested


class Turn(NamedTuple):
    """A step of a game: its requests, their answers, and its result."""

    before: Any
    requests: tuple[Request, ...]
    """Requests that the step answers, without later ones that might be answered ahead."""
    answers: Mapping[str, Any]
    act: OutOfTurnAction | None
    step: Step


class Tape(NamedTuple):
    rules: Ruleset[Any]
    setup: Setup
    secret: str
    """The game's own seed."""
    seed: str
    """That of its dice, which no word has changed."""
    start: Step
    turns: tuple[Turn, ...]

    @property
    def states(self) -> tuple[Any, ...]:
        return (self.start.state, *(turn.step.state for turn in self.turns))


class Position(NamedTuple):
    rules: Ruleset[Any]
    state: Any
    requests: tuple[Request, ...]
    rng: random.Random

    @property
    def asked(self) -> tuple[Request, ...]:
        """Requests that captains answer, not battles."""
        return tuple(request for request in self.requests if not request.battle)

    def answers(self) -> dict[str, Any]:
        """Answers of any temper."""
        return {request.id: answer(self.rules, self.state, request, self.rng) for request in self.requests}

    @property
    def seats(self) -> range:
        """Return all seats that ever play in it: a system's own file knows no more than its state."""
        return range(len(own(self.rules.name).teams(self.state)))


def asked(rules: Ruleset[Any], state: Any) -> tuple[Request, ...]:
    """Return the requests that must or may be answered now."""
    return tuple(request for request in rules.pending_requests(state) if not request.ahead)


def own(system: str) -> ModuleType:
    """Return a system's invariants: `invariants_<system>.py`, or `invariants.py` beside a game from elsewhere, with

    - `SETUPS`: games that are quickly played and between them try every option;
    - `check(before, events, after)`: asserts the invariants of a step (before a game's first there is no state);
    - `most_steps(state)`: the largest number of steps of a game from this start;
    - `teams(state)`: the team of each seat;
    - `twins(state, seat)`: states that differ only in what the seat may not see.

    A game that nobody plays may go on for ever if `is_endless(state)`, where there is one. `holdings(view)` are places
    that its viewer holds and may lose.

    `SHARED` there names fields of a view that show what an ally has ordered, which no event says. A game from elsewhere
    may also have `SAMPLES` (`tests.samples`).
    """
    home = games.home(system)
    return import_module(f"{home}.invariants" if home else f"tests.laws.invariants_{system}")


@cache
def tape(system: str, number: int) -> Tape:
    """Return a game; the same number always gives the same one.

    It is played once, in whichever process of a run first asks for it: a game takes up to ten seconds.
    """
    if not (shared := os.environ.get(SHARED)):
        return _played(system, number)
    file = Path(shared, f"{system} {number}")
    with FileLock(f"{file}.lock"):
        if file.exists():
            kept = pickle.loads(file.read_bytes())
        else:
            kept = _played(system, number)._replace(rules=None)
            file.write_bytes(pickle.dumps(kept))
    return kept._replace(rules=RULESETS[system])


def _played(system: str, number: int) -> Tape:
    rules, rng = RULESETS[system], random.Random(f"{system} {number}")
    setups = own(system).SETUPS
    setup, secret = rules.with_edition(setups[number % len(setups)]), hashlib.sha256(b"%d" % number).hexdigest()
    seed = fairness.derive_dice_seed(secret, (None,) * len(setup.teams))
    start = rules.start(setup, Dice(seed=seed))
    weights = rng.choice(((1, 0, 0), (0, 1, 0), (4, 4, 1), (1, 4, 4)))
    turns: list[Turn] = []
    state = start.state
    while rules.result(state) is None:
        assert len(turns) < own(system).most_steps(start.state), "it never ends"
        requests = asked(rules, state)
        act = _act(setup, rng)
        answers = {} if act else {one.id: answer(rules, state, one, rng, weights) for one in requests}
        step = rules.apply_out_of_turn(state, act) if act else rules.resolve(state, answers)
        turns.append(Turn(state, requests, answers, act, step))
        state = step.state
    return Tape(rules, setup, secret, seed, start, tuple(turns))


def tapes() -> list[tuple[str, int]]:
    """Name all games, for `parametrize`."""
    return [(system, number) for system in SYSTEMS for number in range(GAMES)]


def answer(
    rules: Ruleset[Any], state: Any, request: Request, rng: random.Random, weights: tuple[int, int, int] = (2, 2, 1)
) -> Any:
    """Answer as the computer captain, one of the samples, or nobody would."""
    temper = "sample" if request.battle else rng.choices(("captain", "sample", "default"), weights)[0]
    if temper == "captain":
        return rules.computer_answer(rules.view(state, request.seat), request, f"{rng.getrandbits(64):016x}")
    return (
        rng.choice(sample_answers(rules, state, request))
        if temper == "sample"
        else rules.default_answer(state, request)
    )


def positions() -> st.SearchStrategy[Position]:
    """Yield moments of the games at which something is asked."""
    return st.builds(_position, st.sampled_from(SYSTEMS), st.integers(0, GAMES - 1), st.integers(0, 2**16))


def words(system: str) -> tuple[Localizer, ...]:
    """Speak of a game in each language of the product."""
    names = {seat: f"Captain {seat}" for seat in range(26)}
    return tuple(Localizer(Catalogue.load(language, system), names) for language in languages())


def encode(value: Any) -> bytes:
    """Write down as the store does."""
    return msgspec.json.encode(value)


def decode(text: bytes, kind: Any) -> Any:
    return msgspec.json.decode(text, type=kind)


def _position(system: str, number: int, moment: int) -> Position:
    game = tape(system, number)
    turn = game.turns[moment % len(game.turns)]
    return Position(game.rules, turn.before, turn.requests, random.Random(f"{system} {number} {moment}"))


def _act(setup: Setup, rng: random.Random) -> OutOfTurnAction | None:
    """Choose an act: sometimes a captain gives up, and rarely all agree on a draw."""
    chance = rng.random()
    if chance < 0.01:
        return Concede(rng.randrange(len(setup.teams)))
    return AgreeDraw() if chance > 0.998 else None

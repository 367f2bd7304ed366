"""Playing whole games through the ruleset's doors."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Event, Request, Setup, Step
from rules.matchbox.engine.state import State
from rules.matchbox.game import Matchbox
from tests.samples import sample_answers

GAME = Matchbox()
SEED = "5eed" * 16
FACING = "1200x800 ; A1:south 6-6+2/6 @600,300^0 ; B1:north 5-5+3/5 @600,480^180"

Chooser = Callable[[State, Request], Any]


def begin(
    *, seed: str = SEED, teams: tuple[int, ...] = (0, 1), position: str = "", missed="mate", **options: str
) -> Step:
    """Begin a game, by default on the kitchen table and with galleys placed in turns."""
    options = {"table": "kitchen", "deployment": "turns", **options}
    return GAME.start(
        Setup(system="matchbox", teams=teams, options=options, missed=missed, position=position), Dice(seed)
    )


def mates(seed: str = SEED) -> Chooser:
    return lambda state, request: GAME.computer_answer(
        GAME.view(state, request.seat), request, derive_seed(seed, f"captain {request.id}")
    )


def samplers(seed: int) -> Chooser:
    throw = random.Random(seed)
    return lambda state, request: throw.choice(list(sample_answers(GAME, state, request)))


def go_on(state: State, choose: Chooser) -> Step:
    return GAME.resolve(state, {request.id: choose(state, request) for request in GAME.pending_requests(state)})


def answered(state: State, *texts: str) -> Step:
    """Return the step after each captain has given this answer."""
    requests = GAME.pending_requests(state)
    return GAME.resolve(
        state,
        {request.id: GAME.parse_answer(state, request, text) for request, text in zip(requests, texts, strict=True)},
    )


def play(step: Step, choose: Chooser, *, most: int = 400, stop: Callable[[State], bool] = lambda state: False):
    """Play until the game is over or `stop` says so; return the last state and all events."""
    state, events = step.state, list(step.events)
    for _ in range(most):
        if not GAME.pending_requests(state) or stop(state):
            return state, events
        step = go_on(state, choose)
        state = step.state
        events += step.events
    raise AssertionError(f"still not over in round {state.round}")


def written(state: State) -> bytes:
    return msgspec.json.encode(state)


def only(events: list[Event], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def orders(state: State, **texts: str) -> dict[str, Any]:
    """Return answers to requests for orders by seat letter; others get their first samples."""
    answers = {}
    for request in GAME.pending_requests(state):
        text = texts.get("ABCDEFGH"[request.seat])
        answers[request.id] = (
            GAME.parse_answer(state, request, text) if text else sample_answers(GAME, state, request)[0]
        )
    return answers

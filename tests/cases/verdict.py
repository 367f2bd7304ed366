"""Functions for the cases of all games: differences from expectations, refusals, and lines of play."""

from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import AgreeDraw, Concede, Event, Setup
from rules.core.ruleset import Ruleset
from tests.cases.loader import Case

Facts = dict[str, Any]
Kind = Callable[[Facts], Facts]
"""Computes the results of a case's facts."""


def faults(system: str, case: Case) -> list[str]:
    """Return what differs from the case's expectations. A refusal that the case does not expect comes first.

    `<system>/judge.py` knows the kinds of cases.
    """
    kinds: Mapping[str, Kind] = import_module(f"tests.cases.{system}.judge").KINDS
    facts = dict(case.facts)
    expected = facts.pop("expect")
    facts.pop("title")
    got = kinds[case.kind](facts)
    differing = {key: wanted for key, wanted in expected.items() if got.get(key) != wanted}
    refusal = {key: got[key] for key in got if key not in expected} if differing and "refused" in got else {}
    return [
        *([f"the answer was refused: {refusal | {'refused': got['refused']}}"] if refusal else []),
        *(f"{key}: expected {wanted!r}, got {got.get(key)!r}" for key, wanted in differing.items()),
    ]


def refused(error: OrderError) -> Facts:
    fault = error.fault
    return {"refused": fault.rule or fault.code, "code": fault.code, "piece": fault.piece} | {
        key: value for key, value in fault.params.items() if key != "piece"
    }


def refusable(kind: Kind) -> Kind:
    """Wrap `kind` so that it returns a refusal in place of raising it."""

    @wraps(kind)
    def judged(facts: Facts) -> Facts:
        try:
            return kind(facts)
        except OrderError as error:
            return refused(error)

    return judged


def game(system: Ruleset[Any], setup: Setup, facts: Facts) -> tuple[Any, list[Event]]:
    """Play the lines under `play`, as `play` reads them, with the dice of `seed`; return the last state and events."""
    step = system.start(setup, Dice(seed=facts.get("seed", "00")))
    state, events = step.state, list(step.events)
    answers: Facts = {}
    for line in facts.get("play", ()):
        state, happened = play(system, state, answers, line)
        events += happened
    return state, events


def play(system: Ruleset[Any], state: Any, answers: Facts, line: str) -> tuple[Any, list[Event]]:
    """Carry out one line of play: the state after it, and what happened. `answers` holds what waits for others.

    `0: text` is what seat 0 answers, `0 later: text` a plan of that seat. `all` answers for everybody else the game
    waits for, as after the deadline; `all x20` does so 20 times. There are also `0 concedes` and `draw`. Answers are
    carried out as soon as the game has all that it waits for, a plan at once.
    """
    word, _, rest = line.partition(" ")
    if rest == "concedes" or word == "draw":
        step = system.apply_out_of_turn(state, AgreeDraw() if word == "draw" else Concede(int(word)))
        return step.state, list(step.events)
    happened: list[Event] = []
    later = rest.startswith("later: ")
    for _ in range(int(rest.removeprefix("x")) if word == "all" and rest else 1):
        pending = system.pending_requests(state)
        waited_for = [request for request in pending if not request.optional]
        for request in pending:
            if word == "all" and not request.optional:
                answers.setdefault(request.id, system.default_answer(state, request))
            elif word != "all" and request.seat == int(word.removesuffix(":")) and request.optional == later:
                answers[request.id] = system.parse_answer(state, request, rest.removeprefix("later: "))
        if later or len(answers) == len(waited_for):
            step = system.resolve(state, answers)
            answers.clear()
            state = step.state
            happened += step.events
    return state, happened

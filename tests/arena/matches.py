"""Games between two players, and what is remembered of them."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, cast

from msgspec import structs

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Setup
from rules.matchbox.engine.points import parse_build
from rules.matchbox.engine.scenarios import SCENARIOS, Scenario
from tests.arena.players import GAME, PLAYERS

MOST_ROUNDS = 60


class Game(NamedTuple):
    first: str
    second: str
    score: float  # of the first: 1 won, 0 lost, 0.5 drawn
    rounds: int
    thought: dict[str, list[float]]  # seconds of processor time that each player took for each round's orders
    south: bool | None = None  # whether the southern side has won; None: nobody has


class Pairing(NamedTuple):
    first: str
    second: str
    number: int
    galleys: int
    map: str = "none"
    scenario: str = "none"
    changed: str = ""  # what is tried in the scenario, such as `north=6 6 6` or `enough=1`; `;` between several


def play(pairing: Pairing) -> Game:
    """Play one game; the same pairing plays the same game."""
    first, second, number, galleys, chart, scenario, changed = pairing
    seed = hashlib.sha256(f"arena {first} {second} {number}".encode()).hexdigest()
    options = {"galleys": str(galleys), "map": chart}
    if scenario != "none":  # what was played without them is played again by the same setup
        options |= {"scenario": scenario, "deployment": "ready"}
    with _tried(scenario, changed):
        return _played(first, second, number, options, seed)


@contextmanager
def _tried(scenario: str, changed: str) -> Iterator[None]:
    """Play a scenario with other fleets, or with more or less that is enough."""
    if not changed:
        yield
        return
    known = cast("dict[str, Scenario]", SCENARIOS)
    was, fields = known[scenario], dict(one.strip().split("=") for one in changed.split(";"))
    own = {
        key: int(text) if text.isdecimal() else tuple(map(parse_build, text.split())) for key, text in fields.items()
    }
    known[scenario] = structs.replace(was, **own)
    try:
        yield
    finally:
        known[scenario] = was


def _played(first: str, second: str, number: int, options: dict[str, str], seed: str) -> Game:
    state = GAME.start(GAME.with_edition(Setup(system="matchbox", teams=(0, 1), options=options)), Dice(seed)).state
    seated = (first, second) if number % 2 == 0 else (second, first)
    thought: dict[str, list[float]] = {first: [], second: []}
    while (asked := GAME.pending_requests(state)) and state.round <= MOST_ROUNDS:
        answers = {}
        for request in asked:
            name = seated[request.seat]
            begun = time.process_time()
            answers[request.id] = PLAYERS[name](
                GAME.view(state, request.seat), request, derive_seed(seed, f"{name} {request.id}")
            )
            if request.kind == "orders":
                thought[name].append(time.process_time() - begun)
        state = GAME.resolve(state, answers).state
    winners = state.result.winners if state.result else ()
    score = 0.5 if not winners else float(seated[winners[0]] == first)
    if first == second and winners:
        score = float(winners[0] == number % 2)
    south = [state.sides[seat] == "south" for seat in winners]
    return Game(first, second, score, state.round, thought, south=south[0] if south else None)


def wilson(score: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a rate by Wilson, draws counted as halves."""
    z = 1.959964
    rate = score / games
    middle = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - half, middle + half

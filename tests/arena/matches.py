"""Games of War Galley between two players."""

from __future__ import annotations

import hashlib
import time
from typing import NamedTuple

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Setup
from tests.arena.players import GAME, PLAYERS

MOST_ROUNDS = 60


class Game(NamedTuple):
    score: float  # of the first: 1 won, 0 lost, 0.5 drawn
    rounds: int
    thought: list[float]  # seconds of processor time that the first player took for each round's orders
    south: bool | None  # whether the southern side has won; None: nobody has


class Pairing(NamedTuple):
    """A game between two players: the `number`th of this pair."""

    first: str
    second: str
    number: int
    galleys: int
    map: str = "none"
    scenario: str = "none"


def play(pairing: Pairing) -> Game:
    first, second, number, galleys, chart, scenario = pairing
    seed = hashlib.sha256(f"arena {first} {second} {number}".encode()).hexdigest()
    options = {"galleys": str(galleys), "map": chart}
    if scenario != "none":
        options |= {"scenario": scenario, "deployment": "ready"}
    state = GAME.start(GAME.with_edition(Setup(system="matchbox", teams=(0, 1), options=options)), Dice(seed)).state
    own = number % 2  # the first player's seat
    thought: list[float] = []
    while (requests := GAME.pending_requests(state)) and state.round <= MOST_ROUNDS:
        answers = {}
        for request in requests:
            name = first if request.seat == own else second
            begun = time.process_time()
            answers[request.id] = PLAYERS[name](
                GAME.view(state, request.seat), request, derive_seed(seed, f"{name} {request.id}")
            )
            if request.kind == "orders" and request.seat == own:
                thought.append(time.process_time() - begun)
        state = GAME.resolve(state, answers).state
    winners = state.result.winners if state.result else ()
    south = [state.sides[seat] == "south" for seat in winners]
    score = float(winners[0] == own) if winners else 0.5
    return Game(score, state.round, thought, south=south[0] if south else None)

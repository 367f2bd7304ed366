"""Computer captains of Biremes … Oh My! against each other: `python -m tests.arena.ramspeed [--games N] [--balance N]`.

First how each scenario ends among first mates; then the pairings, over all scenarios in turn, either captain with
either fleet as often.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, get_args

from msgspec import structs

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Request, Setup
from rules.ramspeed.ai import mate
from rules.ramspeed.engine.orders import OrderSheet
from rules.ramspeed.engine.state import Level
from rules.ramspeed.game import RamSpeed
from rules.ramspeed.interface.order_drafts import Answer, SheetOrders
from rules.ramspeed.interface.view import SeaView
from tests.arena.nearest import greedy
from tests.arena.runs import counted, lengths, percent, played, strength

GAME: Final = RamSpeed()
SCENARIOS: Final = next(spec.values for spec in GAME.options if spec.key == "scenario")
PAIRS: Final = {"admiral:greedy": 0.75, "admiral:random": 0.95, "admiral:mate": None, "mate:greedy": None}
"""The least share of games that the first of each pair must win; None: any share will do."""
DECIDED: Final = 0.7  # of the games of a scenario must have a winner before the limit
LOPSIDED: Final = 0.6  # neither side of a scenario may win more


def _captain(level: Level) -> Callable[[SeaView, Request, str], Answer]:
    return lambda view, request, seed: GAME.computer_answer(structs.replace(view, captain=level), request, seed)


def at_random(view: SeaView, request: Request, seed: str) -> Answer:
    """Return a legal attack on any enemy, or a manoeuvre."""
    position, dice, lines = view.position, Dice(seed), []
    player = position.players[view.seats.index(request.seat)]
    enemies = [
        ship.id
        for ship in position.ships
        if ship.is_afloat and position.side_of_ship(ship) != position.side_of_player(player)
    ]
    for ship in position.ships_of(player):
        line, dice = mate.random_line(ship, enemies, dice)
        lines.append(line)
    return SheetOrders(OrderSheet(tuple(lines)))


PLAYERS: Final[Mapping[str, Callable[[SeaView, Request, str], Answer]]] = {
    **{level: _captain(level) for level in get_args(Level)},
    "greedy": greedy,
    "random": at_random,
}


class Pairing(NamedTuple):
    first: str
    second: str
    scenario: str
    number: int  # odd: the first has the second fleet


class Played(NamedTuple):
    score: float  # of the first captain: 1 won, 0 lost, 0.5 drawn
    winner: str  # the side; empty: drawn
    reason: str
    turns: int
    thought: tuple[float, ...]  # seconds of processor time for each sheet of the first captain


def play(pairing: Pairing) -> Played:
    first, second, scenario, number = pairing
    seed = hashlib.sha256(f"arena {scenario} {first} {second} {number}".encode()).hexdigest()
    swapped = number % 2
    options = {"scenario": scenario, "sides": "second" if swapped else "first", "mode": "sealed"}
    state = GAME.start(Setup(system="ramspeed", teams=(0, 1), options=options), Dice(seed)).state
    thought = []
    while requests := [request for request in GAME.pending_requests(state) if not request.optional]:
        answers = {}
        for request in requests:
            if request.kind in ("fleet", "place"):  # all bring the same fleets, to the same places
                answers[request.id] = GAME.default_answer(state, request)
                continue
            name = (first, second)[request.seat]
            view = GAME.view(state, request.seat)
            begun = time.process_time()
            answers[request.id] = PLAYERS[name](view, request, derive_seed(seed, request.id))
            if request.seat == 0:
                thought.append(time.process_time() - begun)
        state = GAME.resolve(state, answers).state
    outcome = state.result
    winners = outcome.winners if outcome else ()
    return Played(
        score=float(winners[0] == 0) if winners else 0.5,
        winner=state.position.seats[winners[0]].side if winners else "",
        reason=outcome.reason.key.removeprefix("reason.").removesuffix(".drawn") if outcome else "",
        turns=state.position.turn,
        thought=tuple(thought),
    )


def balance(scenario: str, games: Sequence[Played]) -> str:
    count, winners = len(games), [game.winner or "nobody" for game in games]
    decided = sum(bool(game.winner) and game.reason != "turns" for game in games)
    faults = "; undecided" if decided / count < DECIDED else ""
    faults += "; lopsided" if max(map(winners.count, {*winners} - {"nobody"}), default=0) / count > LOPSIDED else ""
    won = ", ".join(f"{side} {percent(winners.count(side), count)}" for side in sorted({*winners}))
    return (
        f"{scenario}: {count} games; {won}; a winner before the limit {percent(decided, count)}; "
        f"{counted(game.reason for game in games)}; turns: {lengths([game.turns for game in games])}{faults}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.ramspeed", description="Captains against each other.")
    parser.add_argument("--games", type=int, default=200, help="of each pairing, over all scenarios")
    parser.add_argument("--pairs", nargs="*", default=list(PAIRS), metavar="FIRST:SECOND")
    parser.add_argument("--balance", type=int, default=400, help="games of first mates, of each scenario")
    chosen = parser.parse_args()
    lines = []
    for scenario in SCENARIOS if chosen.balance else ():
        games = played(play, [Pairing("mate", "mate", scenario, number) for number in range(chosen.balance)])
        lines.append(balance(scenario, games))
        print(lines[-1], flush=True)
    for pair in chosen.pairs:
        first, second = pair.split(":")
        turn = [(SCENARIOS[number % len(SCENARIOS)], number // len(SCENARIOS)) for number in range(chosen.games)]
        games = played(play, [Pairing(first, second, *which) for which in turn])
        lines.append(strength(pair, [game.score for game in games], [s for game in games for s in game.thought], PAIRS))
        print(lines[-1], flush=True)
    return int(any(line.endswith(("undecided", "lopsided", "%")) for line in lines))


if __name__ == "__main__":
    sys.exit(main())

"""Computer captains of Biremes … Oh My! against each other: `python -m tests.arena.ramspeed [--games N] [--balance N]`.

First the pairings, over all scenarios in turn, either captain with either fleet as often; then what each scenario comes
to among first mates, and among admirals. With `--keep FILE` each game is written down as it ends, and a run that was
broken off goes on where it was.
"""

from __future__ import annotations

import os

# Before numpy is loaded: games are played side by side in processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import hashlib
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from statistics import median, quantiles
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
from tests.arena import kept
from tests.arena.matches import wilson
from tests.arena.nearest import greedy

GAME: Final = RamSpeed()
SCENARIOS: Final = next(spec.values for spec in GAME.options if spec.key == "scenario")
PAIRS: Final = {"admiral:greedy": 0.75, "admiral:random": 0.95, "admiral:mate": None, "mate:greedy": None}
"""Who must win how much."""
DECIDED: Final = 0.7  # of the games of a scenario must have a winner before the limit
LOPSIDED: Final = 0.6  # neither side of a scenario may win more


def _captain(level: Level) -> Callable[[SeaView, Request, str], Answer]:
    return lambda view, request, seed: GAME.computer_answer(structs.replace(view, captain=level), request, seed)


def at_random(view: SeaView, request: Request, seed: str) -> Answer:
    """Any attack on any enemy, if it is legal, or any manoeuvre."""
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
    """Play one game; the same pairing plays the same game."""
    first, second, scenario, number = pairing
    seed = hashlib.sha256(f"arena {scenario} {first} {second} {number}".encode()).hexdigest()
    swapped = number % 2
    options = {"scenario": scenario, "sides": "second" if swapped else "first", "mode": "sealed"}
    state = GAME.start(Setup(system="ramspeed", teams=(0, 1), options=options), Dice(seed)).state
    thought = []
    while asked := [request for request in GAME.pending_requests(state) if not request.optional]:
        answers = {}
        for request in asked:
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


def percent(won: float, of: int) -> str:
    """A share with its 95 % interval."""
    low, high = wilson(won, of)
    return f"{won / of:.1%} ({low:.1%} to {high:.1%})"


def strength(pair: str, games: Sequence[tuple[Pairing, Played]], least: float | None) -> str:
    """Sum up a pairing; draws count as halves."""
    score, count = sum(game.score for _, game in games), len(games)
    thought = [spent for _, game in games for spent in game.thought]
    parts = []
    for scenario in dict.fromkeys(pairing.scenario for pairing, _ in games):
        some = [game for pairing, game in games if pairing.scenario == scenario]
        parts.append(f"{scenario} {sum(game.score for game in some):g} of {len(some)}")
    verdict = "" if least is None else "  reached" if score / count >= least else f"  below {least:.0%}"
    return (
        f"{pair}: {count} games, {percent(score, count)}; {sum(game.score == 0.5 for _, game in games)} drawn, "
        f"{sum(game.score == 1 for _, game in games)} won; {', '.join(parts)}; a sheet of the first: median "
        f"{median(thought):.2f} s, p95 {quantiles(thought, n=20)[-1]:.2f} s, at most {max(thought):.2f} s{verdict}"
    )


def balance(pairing: Pairing, games: Sequence[Played]) -> str:
    """How a scenario ends among captains of one level."""
    count = len(games)
    state = GAME.start(
        Setup(system="ramspeed", teams=(0, 1), options={"scenario": pairing.scenario, "sides": "first"}), Dice("00")
    ).state
    sides = {side: sum(game.winner == side for game in games) for side in state.position.sides}
    won = ", ".join(f"{side} {percent(number, count)}" for side, number in sides.items())
    decided = sum(bool(game.winner) and game.reason != "turns" for game in games)
    ends = ", ".join(f"{reason} {number}" for reason, number in Counter(game.reason for game in games).most_common())
    turns = [game.turns for game in games]
    drawn = percent(count - sum(sides.values()), count)
    faults = "  undecided" if decided / count < DECIDED else ""
    faults += "  lopsided" if max(sides.values()) / count > LOPSIDED else ""
    return (
        f"{pairing.scenario}, {pairing.first}s: {count} games; {won}; drawn {drawn}; "
        f"a winner before the limit {percent(decided, count)}; {ends}; turns: median {median(turns):.0f}, "
        f"90 % within {quantiles(turns, n=10)[-1]:.0f}{faults}"
    )


def played(pairings: Sequence[Pairing], keep: Path | None, pool: Executor) -> list[tuple[Pairing, Played]]:
    return kept.played(play, pairings, tuple[Pairing, Played], keep, pool)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.ramspeed", description="Captains against each other.")
    parser.add_argument("--games", type=int, default=200, help="of each pairing, over all scenarios")
    parser.add_argument("--pairs", nargs="*", default=list(PAIRS), metavar="FIRST:SECOND")
    parser.add_argument("--balance", type=int, default=400, help="games of first mates, of each scenario")
    parser.add_argument("--admirals", type=int, default=0, help="games of admirals, of each scenario")
    parser.add_argument("--scenarios", nargs="*", default=list(SCENARIOS), metavar="NAME")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    failed = False

    def tell(line: str) -> None:
        nonlocal failed
        failed |= line.endswith(("undecided", "lopsided", "%"))
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    with ProcessPoolExecutor(chosen.processes) as pool:
        for level, count in (("mate", chosen.balance), ("admiral", chosen.admirals)):
            for scenario in chosen.scenarios if count else ():
                pairings = [Pairing(level, level, scenario, number) for number in range(count)]
                games = played(pairings, chosen.keep, pool)
                tell(balance(pairings[0], [game for _, game in games]))
        for pair in chosen.pairs:
            first, second = pair.split(":")
            pairings = [
                Pairing(
                    first, second, chosen.scenarios[number % len(chosen.scenarios)], number // len(chosen.scenarios)
                )
                for number in range(chosen.games)
            ]
            tell(strength(pair, played(pairings, chosen.keep, pool), PAIRS.get(pair)))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

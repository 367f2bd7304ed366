"""Let computer captains play against each other: `python -m tests.arena [--games N] [--galleys N] [--pairs a:b …]`.

`--map NAME` lets them play on a map, `--scenario NAME` a scenario. It also tells how often the southern side has won.
First it tells in which round blows fall in a newcomer's first duels with the deckhand (`--duels N` of each kind).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import product

from tests.arena import first_blow
from tests.arena.matches import Game, Pairing, play
from tests.arena.runs import lengths, played, strength

PAIRS = {"admiral:deckhand": 0.90, "admiral:greedy": 0.80, "admiral:mate": 0.65, "mate:greedy": 0.50}
"""The least share of games that the first of each pair must win."""
LONG = 20  # rounds within which nearly all games should be over


def line(pair: str, games: Sequence[Game]) -> str:
    rounds = [game.rounds for game in games]
    south = sum(game.south is True for game in games) / len(games)
    won = strength(pair, [game.score for game in games], [took for game in games for took in game.thought], PAIRS)
    soon = sum(number <= LONG for number in rounds) / len(games)
    return f"rounds: {lengths(rounds)}, {soon:.1%} within {LONG}; the south won {south:.1%}; {won}"


def main() -> int:
    """Play and print; ends with 1 if a captain is weaker than expected."""
    parser = argparse.ArgumentParser(prog="python -m tests.arena", description="Computer captains against each other.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--galleys", type=int, default=2)
    parser.add_argument("--map", default="none", help="the map they play on")
    parser.add_argument("--scenario", default="none", help="the scenario they play")
    parser.add_argument("--pairs", nargs="*", default=list(PAIRS), metavar="FIRST:SECOND")
    parser.add_argument("--duels", type=int, default=20, help="first duels of each kind; 0 for none")
    chosen = parser.parse_args()
    failed = False
    for table, newcomer in product(first_blow.TABLES, first_blow.NEWCOMERS) if chosen.duels else ():
        rounds = played(first_blow.first_blow, first_blow.duels(table, newcomer, chosen.duels))
        failed |= first_blow.soon(rounds) < first_blow.OFTEN
        print(first_blow.line(table, newcomer, rounds), flush=True)
    for pair in chosen.pairs:
        first, second = pair.split(":")
        numbers = range(chosen.games)
        games = played(play, [Pairing(first, second, n, chosen.galleys, chosen.map, chosen.scenario) for n in numbers])
        summary = line(pair, games)
        failed |= "below" in summary
        print(summary, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

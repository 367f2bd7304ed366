"""Let computer captains play against each other: `python -m tests.arena [--games N] [--galleys N] [--pairs a:b …]`.

`--map NAME` lets them play on a map, `--scenario NAME` a scenario. It also tells how often the southern side has won.

First it tells in which round blows fall in a newcomer's first duels with the deckhand (`--duels N` of each kind).
With `--keep FILE` each game is written down as it ends, and a run that was broken off goes on where it was.
"""

from __future__ import annotations

import os

# Before numpy is loaded: two processes share two cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from itertools import product
from pathlib import Path
from statistics import median, quantiles

from tests.arena import first_blow, kept
from tests.arena.matches import Game, Pairing, play, wilson

DUELS = 20  # first duels of each kind, by default: a few seconds in all
PAIRS = {"admiral:deckhand": 0.90, "admiral:greedy": 0.80, "admiral:mate": 0.65, "mate:greedy": 0.50}
"""Who must win how much."""
LONG = 20  # rounds within which nearly all games should be over


def line(games: Sequence[Game], least: float | None) -> str:
    first, second = games[0].first, games[0].second
    score, count = sum(game.score for game in games), len(games)
    low, high = wilson(score, count)
    draws = sum(game.score == 0.5 for game in games)
    rounds = sorted(game.rounds for game in games)
    thought = [spent for game in games for spent in game.thought[first]]
    late = quantiles(thought, n=20)[-1]
    verdict = "" if least is None else "  reached" if score / count >= least else f"  below {least:.0%}"
    south = sum(game.south is True for game in games)
    sides = f"; the south won {south / count:.1%}" if any(game.south is not None for game in games) else ""
    return (
        f"{first} - {second}: {count} games, {score / count:.1%} ({low:.1%} to {high:.1%}), {draws} drawn; "
        f"{median(rounds):.0f} rounds, {sum(n <= LONG for n in rounds) / count:.1%} within {LONG}; "
        f"{first} thought {median(thought):.2f} s, p95 {late:.2f} s, at most {max(thought):.2f} s{sides}{verdict}"
    )


def played(pairings: Sequence[Pairing], keep: Path | None, pool: Executor) -> list[Game]:
    return [game for _, game in kept.played(play, pairings, tuple[Pairing, Game], keep, pool)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.arena", description="Computer captains against each other.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--galleys", type=int, default=2)
    parser.add_argument("--map", default="none", help="the map they play on")
    parser.add_argument("--scenario", default="none", help="the scenario they play")
    parser.add_argument("--changed", default="", metavar="WHAT", help="of the scenario: 'north=6 6 6; enough=1'")
    parser.add_argument("--pairs", nargs="*", default=list(PAIRS), metavar="FIRST:SECOND")
    parser.add_argument("--duels", type=int, default=DUELS, help="first duels of each kind; 0 for none")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    failed = False
    with ProcessPoolExecutor(chosen.processes) as pool:
        for table, newcomer in product(first_blow.TABLES, first_blow.NEWCOMERS) if chosen.duels else ():
            rounds = list(pool.map(first_blow.first_blow, first_blow.duels(table, newcomer, chosen.duels)))
            failed |= first_blow.soon(rounds) < first_blow.OFTEN
            sys.stdout.write(first_blow.line(table, newcomer, rounds) + "\n")
            sys.stdout.flush()
        for pair in chosen.pairs:
            first, second = pair.split(":")
            pairings = [
                Pairing(first, second, number, chosen.galleys, chosen.map, chosen.scenario, chosen.changed)
                for number in range(chosen.games)
            ]
            games = played(pairings, chosen.keep, pool)
            told = line(games, PAIRS.get(pair))
            failed |= "below" in told
            sys.stdout.write(told + "\n")
            sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

"""Fleets of 30 points against each other: `python -m tests.arena.fleets --games 10 --captain mate`.

Each meets each other so often, half the games from either seat with the same dice; a draw counts half. Says what each
scores against all others together, and what each kind of vessel would cost if points said who wins, both with the range
in which the true figure lies 95 times in a hundred. All pairs have played equally often after every second game, and a
run that was broken off goes on where it was.
"""

from __future__ import annotations

import os

# Before numpy is loaded: games are played side by side in processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from rules.dice import Dice, subseed
from rules.matchbox.game import Matchbox
from rules.matchbox.table import points
from rules.matchbox.table.kinds import KINDS
from rules.protocol import Setup
from tests.arena import kept
from tests.arena.matches import wilson

BUDGET: Final = points.BUDGETS["usual"]
FLEETS: Final = (
    *("5 5 5", "6 6 6", "4 5 6", "4 4 5s", "5s 5s 5s 6", "8h 8h", "5 5 4f 5s"),  # as the lobby offers them
    *("4t 4 5s", "6 6 4t", "8h 4t 4f"),
)
"""Of 27 to 30 points; what is not spent is lost (MX-4.1)."""
FAIR: Final = (0.44, 0.56)
"""The goal for what fleets of the same points score against each other."""
MOST_ROUNDS: Final = 60
_GAME: Final = Matchbox()
_UNIT: Final = "5"
"""A vessel whose points are given: 5/3, for 10."""
_RESAMPLED: Final = 200
_BATCH: Final = 40
"""Games between two lines of progress."""


class Met(NamedTuple):
    """Which game it is."""

    first: str
    second: str
    number: int
    captain: str


def play(met: Met) -> float:
    """The score of the first fleet, 1, 0.5 or 0. An odd game is the one before, with its dice, from the other seats."""
    seed = sha256(f"{met.first} {met.second} {met.number // 2}".encode()).hexdigest()
    seated = (met.first, met.second) if met.number % 2 == 0 else (met.second, met.first)
    options = {"points": str(BUDGET), "vessels": "on", "table": "kitchen", "deployment": "ready"}
    options["captain"] = met.captain
    state = _GAME.start(Setup(system="matchbox", teams=(0, 1), options=options), Dice(seed)).state
    while not state.outcome and state.round < MOST_ROUNDS:
        given = []
        for asked in _GAME.pending(state):
            if state.phase == "choosing":
                answer = _GAME.parse(state, asked, seated[asked.seat])
            else:
                lot = subseed(seed, f"{asked.id} {asked.seat}")
                answer = _GAME.captain(_GAME.view(state, asked.seat), asked, lot)
            given.append((asked, answer))
        state = _GAME.carry_out(state, given).state
    winners = state.outcome.winners if state.outcome else ()
    return 0.5 if not winners else float(seated[winners[0]] == met.first)


def scores(games: Sequence[tuple[Met, float]]) -> dict[str, tuple[float, int]]:
    """By fleet: what it has scored in all, and in how many games."""
    found: dict[str, tuple[float, int]] = {}
    for met, score in games:
        for fleet, own in ((met.first, score), (met.second, 1 - score)):
            total, count = found.get(fleet, (0.0, 0))
            found[fleet] = total + own, count + 1
    return found


def worth(games: Sequence[tuple[Met, float]]) -> dict[str, tuple[float, float, float]]:
    """By vessel: the points that fit the results best, and where 95 in a hundred of such fits lie.

    The log odds of winning are taken to be the difference of what both fleets are worth, the sum of their vessels; and
    a 5/3 is worth her points. The range is that of games drawn again from those that were played.
    """
    builds = sorted({build for met, _ in games for build in f"{met.first} {met.second}".split()})
    counts = [(Counter(met.first.split()), Counter(met.second.split())) for met, _ in games]
    rows = np.array([[own[build] - other[build] for build in builds] for own, other in counts], dtype=np.float64)
    won = np.array([score for _, score in games])
    rng = np.random.default_rng(27)
    draws = [_fitted(rows[some], won[some]) for some in rng.integers(len(games), size=(_RESAMPLED, len(games)))]
    unit = builds.index(_UNIT)
    best, many = _fitted(rows, won), np.array(draws)
    cost = points.cost(points.read(_UNIT))
    best, many = cost * best / best[unit], cost * many / many[:, unit : unit + 1]
    low, high = np.quantile(many, (0.025, 0.975), axis=0)
    return {
        build: (float(best[at]), float(low[at]), float(high[at])) for at, build in enumerate(builds) if build != _UNIT
    }


def _fitted(rows: np.ndarray, won: np.ndarray) -> np.ndarray:
    """The strengths of vessels that make the results likeliest (logistic regression, by Newton's method)."""
    strengths = np.zeros(rows.shape[1])
    for _ in range(25):
        expected = 1 / (1 + np.exp(-rows @ strengths))
        slope = rows.T @ (won - expected) - 1e-3 * strengths
        bend = (rows.T * (expected * (1 - expected))) @ rows + 1e-3 * np.eye(len(strengths))
        strengths = strengths + np.linalg.solve(bend, slope)
    return strengths


def told(games: Sequence[tuple[Met, float]]) -> str:
    """Scores, and what vessels are worth, as lines."""
    lines = []
    for fleet, (total, count) in sorted(scores(games).items(), key=lambda one: -one[1][0] / one[1][1]):
        low, high = wilson(total, count)
        spent = sum(points.cost(points.read(one)) for one in fleet.split())
        verdict = "above" if low > FAIR[1] else "below" if high < FAIR[0] else ""
        verdict = "fair" if FAIR[0] <= low and high <= FAIR[1] else verdict or "not certain"
        lines.append(
            f"{fleet:12} {spent} points, {count} games: {total / count:.1%} ({low:.1%} to {high:.1%})  {verdict}"
        )
    for build, (best, low, high) in worth(games).items():
        name = KINDS[points.read(build).vessel]
        lines.append(
            f"{build:3} costs {name.points[points.read(build).holes]}, worth {best:.1f} ({low:.1f} to {high:.1f})"
        )
    return "\n".join(lines)


def main() -> None:
    """Play, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.arena.fleets", description="Fleets of equal points.")
    parser.add_argument("--games", type=int, default=10, help="of each pair of fleets")
    parser.add_argument("--captain", choices=("deckhand", "mate", "admiral"), default="mate")
    parser.add_argument("--fleets", nargs="*", default=FLEETS, metavar='"5 5 5"')
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("build/fleets.jsonl"), metavar="FILE")
    chosen = parser.parse_args()
    chosen.keep.parent.mkdir(parents=True, exist_ok=True)
    wanted = [
        Met(first, second, number, chosen.captain)
        for number in sorted(range(chosen.games))
        for first, second in combinations(chosen.fleets, 2)
    ]
    games: list[tuple[Met, float]] = []
    with ProcessPoolExecutor(chosen.processes) as pool:
        for begin in range(0, len(wanted), _BATCH):
            some = wanted[begin : begin + _BATCH]
            games += kept.played(play, some, tuple[Met, float], chosen.keep, pool)
            sys.stderr.write(f"{len(games)} of {len(wanted)} games\n")
    sys.stdout.write(told(games) + "\n")


if __name__ == "__main__":
    main()

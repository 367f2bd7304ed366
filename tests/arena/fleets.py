"""Fleets of the usual points against each other: `python -m tests.arena.fleets --games 10 --captain mate`.

Each meets each other so often, half the games from either seat; a draw counts half. Says what each
scores against all others together, and what each kind of vessel would cost if points said who wins, both with the range
in which the true figure lies 95 times in a hundred. All pairs have played equally often after every second game, and a
run that was broken off goes on where it was. With `--drawn 300` so many pairs of any make meet, each twice, to find out
what prices should be; they have not met in the other games.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np

from rules.chance.dice import Dice, derive_seed
from rules.core.errors import IllegalOrder
from rules.core.protocol import Setup
from rules.matchbox.engine import points
from rules.matchbox.game import Matchbox
from rules.matchbox.interface.fleets import FleetContext, ready_fleets
from tests.arena.runs import percent, played, wilson

OFFERED: Final = FleetContext(
    points=int(points.BUDGETS[1]),
    max_vessels=points.MAX_VESSELS,
    allows_special=True,
    allows_promotions=False,
    allows_boarding=False,
)
FLEETS: Final = tuple(points.format_fleet(fleet) for fleet in ready_fleets(OFFERED).values())
"""As captains are offered them."""
FAIR: Final = (0.44, 0.56)  # the goal for what fleets of the same points score against each other
MOST_ROUNDS: Final = 60
_GAME: Final = Matchbox()
_UNIT: Final = "5"  # a vessel whose price is given: 5/3
_POINT: Final = 0.29  # the worth of a point in log odds: seven games in a hundred, by 914 games of fleets
_RESAMPLED: Final = 200
_ROUGHLY: Final = {"6": 10.0, "5": 12.0, "4": 12.5, "5s": 8.5, "8h": 18.5, "4t": 15.5, "3m": 3.0, "4f": 4.5}
"""The vessels' approximate worth, so that drawn fleets are nearly equal. Other figures draw other fleets."""
_LIKELY: Final = np.array([2, 2, 2, 2, 2, 2, 0.5, 1]) / 13.5  # how often each is drawn: what doesn't fight less often
_NEAR: Final = (34.0, 38.0)  # the worth of drawn fleets, from and to
_BATCH: Final = 40  # games between two lines of progress


class Met(NamedTuple):
    first: str
    second: str
    number: int
    captain: str


def play(game: Met) -> float:
    seed = sha256(f"{game.first} {game.second} {game.number // 2}".encode()).hexdigest()
    seated = (game.first, game.second) if game.number % 2 == 0 else (game.second, game.first)
    options = {"points": "72", "vessels": "on", "table": "kitchen", "deployment": "ready", "captain": game.captain}
    state = _GAME.start(_GAME.with_edition(Setup(system="matchbox", teams=(0, 1), options=options)), Dice(seed)).state
    while not state.result and state.round < MOST_ROUNDS:
        requests_and_answers = []
        for request in _GAME.pending_requests(state):
            if state.phase == "choosing":
                answer = _GAME.parse_answer(state, request, seated[request.seat])
            else:
                lot = derive_seed(seed, f"{request.id} {request.seat}")
                answer = _GAME.computer_answer(_GAME.view(state, request.seat), request, lot)
            requests_and_answers.append((request, answer))
        state = _GAME.carry_out(state, requests_and_answers).state
    winners = state.result.winners if state.result else ()
    return 0.5 if not winners else float(seated[winners[0]] == game.first)


def meetings(fleets: Sequence[str], games: int, captain: str) -> list[Met]:
    """Return `games` games of each pair, all pairs equally often after every second one.

    The places of vessels decide much between captains who play alike: each game has its own order of vessels.
    """
    games_of_all = []
    for number in range(games):
        for first, second in combinations(fleets, 2):
            rng = np.random.default_rng(int(sha256(f"{first} {second} {number}".encode()).hexdigest()[:16], 16))
            laid = [" ".join(rng.permutation(fleet.split())) for fleet in (first, second)]
            games_of_all.append(Met(laid[0], laid[1], number, captain))
    return games_of_all


def make(fleet: str) -> str:
    return " ".join(sorted(fleet.split(), key=list(_ROUGHLY).index))


def drawn(count: int, captain: str) -> list[Met]:
    """Draw pairs of fleets of any make and nearly equal worth, each played from both seats."""
    rng = np.random.default_rng(27)
    games: dict[Met, None] = {}
    while len(games) < 2 * count:
        first, second = _any_fleet(rng), _any_fleet(rng)
        if Counter(first.split()) != Counter(second.split()):
            games |= dict.fromkeys(Met(first, second, number, captain) for number in (0, 1))
    return list(games)


def _any_fleet(rng: np.random.Generator) -> str:
    while True:
        fleet: list[str] = []
        while _worth(fleet) < _NEAR[0]:
            fleet.append(str(rng.choice(list(_ROUGHLY), p=_LIKELY)))
        try:
            points.check_fleet([points.parse_build(build) for build in fleet], int(points.BUDGETS[-1]))
        except IllegalOrder:
            continue
        if _worth(fleet) <= _NEAR[1]:
            return " ".join(fleet)


def _worth(fleet: Sequence[str]) -> float:
    return sum(_ROUGHLY[build] for build in fleet)


def scores(games: Sequence[tuple[Met, float]]) -> dict[str, tuple[float, int]]:
    totals: dict[str, tuple[float, int]] = {}
    for game, score in games:
        for fleet, own in ((make(game.first), score), (make(game.second), 1 - score)):
            total, count = totals.get(fleet, (0.0, 0))
            totals[fleet] = total + own, count + 1
    return totals


def by_pair(games: Sequence[tuple[Met, float]]) -> dict[tuple[str, str], list[float]]:
    """Return, for each pair of fleets, the first one's score in each game against the second."""
    scores: dict[tuple[str, str], list[float]] = {}
    for game, score in games:
        first, second = make(game.first), make(game.second)
        pair, of_first = ((first, second), score) if first < second else ((second, first), 1 - score)
        scores.setdefault(pair, []).append(of_first)
    return scores


def worth(games: Sequence[tuple[Met, float]]) -> dict[str, tuple[float, float, float]]:
    """Return for each vessel the points that fit the results best, and the range of 95 in a hundred such fits.

    The log odds of winning are taken to be the difference of what both fleets are worth, the sum of their vessels; a
    5/3 is worth her points. Fleets that cost the same don't say how much a point is worth, so that is given. The range
    is that of pairs drawn again from those that played.
    """
    builds = [build for build in _ROUGHLY if any(build in f"{met.first} {met.second}".split() for met, _ in games)]
    prices = np.array([OFFERED.fleet_cost([points.parse_build(build)]) for build in builds])
    counts = [(Counter(met.first.split()), Counter(met.second.split())) for met, _ in games]
    rows = np.array([[own[build] - other[build] for build in builds] for own, other in counts], dtype=np.float64)
    won = np.array([score for _, score in games])
    pairs = np.unique([f"{met.first} - {met.second}" for met, _ in games], return_inverse=True)[1]
    of_pair = [np.flatnonzero(pairs == pair) for pair in range(pairs.max() + 1)]
    rng = np.random.default_rng(27)
    free = np.array([build != _UNIT for build in builds])
    draws = []
    for again in rng.integers(len(of_pair), size=(_RESAMPLED, len(of_pair))):
        some = np.concatenate([of_pair[pair] for pair in again])
        draws.append(_amiss(rows[some], won[some], prices, free))
    best = prices + _amiss(rows, won, prices, free)
    low, high = prices + np.quantile(draws, (0.025, 0.975), axis=0)
    return {
        build: (float(best[at]), float(low[at]), float(high[at])) for at, build in enumerate(builds) if build != _UNIT
    }


def _amiss(rows: np.ndarray, won: np.ndarray, prices: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the changes of prices that make results likeliest (logistic regression, by Newton's method)."""
    amiss = np.zeros(rows.shape[1])
    for _ in range(25):
        expected = 1 / (1 + np.exp(-_POINT * rows @ (prices + amiss)))
        slope = _POINT * rows[:, free].T @ (won - expected) - 1e-3 * amiss[free]
        bend = _POINT**2 * (rows[:, free].T * (expected * (1 - expected))) @ rows[:, free] + 1e-3 * np.eye(free.sum())
        amiss[free] += np.linalg.solve(bend, slope)
    return amiss


def report(games: Sequence[tuple[Met, float]]) -> str:
    lines = []
    for fleet, (total, count) in sorted(scores(games).items(), key=lambda item: -item[1][0] / item[1][1]):
        low, high = wilson(total, count)
        price = OFFERED.fleet_cost([points.parse_build(build) for build in fleet.split()])
        verdict = "above" if low > FAIR[1] else "below" if high < FAIR[0] else ""
        verdict = "fair" if FAIR[0] <= low and high <= FAIR[1] else verdict or "not certain"
        lines.append(f"{fleet:12} {price} points, {count} games: {percent(total, count)}  {verdict}")
    for (first, second), won in sorted(by_pair(games).items(), key=lambda item: -sum(item[1]) / len(item[1])):
        lines.append(f"{first} - {second}, {len(won)} games: {percent(sum(won), len(won))}")
    return "\n".join(lines)


def priced(games: Sequence[tuple[Met, float]]) -> str:
    lines = []
    for build, (best, low, high) in worth(games).items():
        price = OFFERED.fleet_cost([points.parse_build(build)])
        lines.append(f"{build:3} costs {price}, worth {best:.1f} ({low:.1f} to {high:.1f})")
    return "\n".join(lines)


def read_scores(file: Path) -> dict[Met, float]:
    return dict(msgspec.json.decode(line, type=tuple[Met, float]) for line in file.read_bytes().splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.fleets", description="Fleets of equal points.")
    parser.add_argument("--games", type=int, default=10, help="of each pair of fleets")
    parser.add_argument("--drawn", type=int, metavar="PAIRS", help="instead, so many pairs of fleets of any make")
    parser.add_argument("--also", nargs="*", default=(), type=Path, metavar="FILE", help="more games by which to price")
    parser.add_argument("--captain", choices=("deckhand", "mate", "admiral"), default="mate")
    parser.add_argument("--fleets", nargs="*", default=FLEETS, metavar='"5 5 5"')
    parser.add_argument("--keep", type=Path, default=Path("build/fleets.jsonl"), metavar="FILE")
    chosen = parser.parse_args()
    chosen.keep.parent.mkdir(parents=True, exist_ok=True)
    if chosen.drawn:
        wanted = drawn(chosen.drawn, chosen.captain)
    else:
        wanted = meetings(chosen.fleets, chosen.games, chosen.captain)
    known = read_scores(chosen.keep) if chosen.keep.exists() else {}
    left = [met for met in wanted if met not in known]
    for begin in range(0, len(left), _BATCH):
        some = left[begin : begin + _BATCH]
        rows = dict(zip(some, played(play, some), strict=True))
        known |= rows
        with chosen.keep.open("ab") as file:
            file.writelines(msgspec.json.encode(row) + b"\n" for row in rows.items())
        print(f"{begin + len(some)} of {len(left)} games", file=sys.stderr)
    games = [(met, known[met]) for met in wanted]
    if not chosen.drawn:
        print(report(games))
    if chosen.drawn or chosen.also:
        print(priced([*games, *(row for path in chosen.also for row in read_scores(path).items())]))


if __name__ == "__main__":
    main()

"""What the rules come to, in games of first mates against each other: `python -m tests.arena.balance [--games 2000]`.

Half of the games are duels, half of two galleys each. Prints the facts, and with `--docs` draws them.
"""

from __future__ import annotations

import os

# Before numpy is loaded: two processes share two cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import mean, median, quantiles

from msgspec import Struct

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Event, Setup
from rules.matchbox.engine.events import (
    FirstPlacerDrawn,
    HullsCollided,
    MatchesLaid,
    PartsLost,
    ShipBackedOff,
    ShipRammed,
    VolleyDropped,
)
from rules.matchbox.engine.state import State
from tests.arena import chart
from tests.arena.matches import wilson
from tests.arena.players import GAME

TYPES = ("6/2", "5/3", "4/4")


class Told(Struct):
    galleys: int
    types: tuple[tuple[str, ...], tuple[str, ...]]  # of each seat's galleys
    south: int  # the seat of the southern side
    first: int  # who placed first
    rounds: int
    winner: int | None
    reason: str
    counts: Counter[str]  # contacts, rams by kind and run, volleys and what became of them, losses by cause


def game(number: int) -> Told:
    galleys = 1 + number % 2
    seed = hashlib.sha256(b"balance %d" % number).hexdigest()
    step = GAME.start(
        Setup(system="matchbox", teams=(0, 1), options={"galleys": str(galleys), "deployment": "turns"}), Dice(seed)
    )
    state, counts = step.state, Counter[str]()
    first = next(event.seat for event in step.events if isinstance(event, FirstPlacerDrawn))
    fleets: tuple[tuple[str, ...], ...] = ((), ())
    while asked := GAME.pending_requests(state):
        if state.phase == "orders" and state.round == 1:
            fleets = tuple(_types(state, seat) for seat in (0, 1))
        answers = {
            one.id: GAME.computer_answer(GAME.view(state, one.seat), one, derive_seed(seed, f"captain {one.id}"))
            for one in asked
        }
        step = GAME.resolve(state, answers)
        counts += _counted(step.events)
        state = step.state
    outcome = state.result
    return Told(
        galleys=galleys,
        types=(fleets[0], fleets[1]),
        south=state.sides.index("south"),
        first=first,
        rounds=state.round - (outcome.reason.key == "reason.quiet"),
        winner=outcome.winners[0] if outcome.winners else None,
        reason=outcome.reason.key,
        counts=counts,
    )


def _types(state: State, seat: int) -> tuple[str, ...]:
    return tuple(f"{galley.holes}/{galley.mast_holes}" for galley in state.galleys if galley.seat == seat)


def _counted(events: Sequence[Event]) -> Counter[str]:
    counts, cause = Counter[str](), "ram"
    for event in events:
        match event:
            case MatchesLaid():
                cause = "fire"  # what is lost in a step before its matches are laid afresh, rams have cost
            case HullsCollided():
                cause = "ram"
                counts["contacts"] += 1
            case ShipRammed():
                counts[f"{event.kind} rams"] += 1
                counts[f"runs of {event.run}"] += 1
            case ShipBackedOff():
                counts["backed off"] += 1
            case VolleyDropped():
                counts["volleys"] += 1
                counts["misfires"] += event.misfire
                counts["matches"] += event.matches
                counts["hits"] += event.hits
            case PartsLost():
                lost = event.port + event.starboard + event.masts
                counts[f"lost to {cause}"] += lost
                facing, other = (event.port, event.starboard)[:: 1 if event.facing == "port" else -1]
                if lost >= 2:
                    counts["greater blows"] += 1
                    counts["split evenly"] += facing in {other, event.masts}
            case _:
                pass
    return counts


def rate(won: float, of: int) -> str:
    """A share with its 95 % interval."""
    low, high = wilson(won, of)
    return f"{won / of:.1%} ({low:.1%} to {high:.1%})"


def score(told: Told, seat: int) -> float:
    return 0.5 if told.winner is None else float(told.winner == seat)


def duels(games: Sequence[Told]) -> dict[tuple[str, str], list[float]]:
    """Scores of the first type against the second, where one galley of the one met one of the other."""
    found: dict[tuple[str, str], list[float]] = {}
    for told in games:
        (one, *more), (other, *_) = told.types
        if not more and one != other:
            pair = (one, other) if TYPES.index(one) < TYPES.index(other) else (other, one)
            found.setdefault(pair, []).append(score(told, 0 if pair[0] == one else 1))
    return dict(sorted(found.items(), reverse=True))


def by_type(games: Sequence[Told]) -> dict[str, list[float]]:
    """Scores of galleys by type, over all games in which the other side had none of it."""
    found: dict[str, list[float]] = {name: [] for name in TYPES}
    for told in games:
        for seat in (0, 1):
            for name in set(told.types[seat]) - set(told.types[1 - seat]):
                found[name].append(score(told, seat))
    return found


def report(games: Sequence[Told]) -> list[str]:
    lines = [
        f"{len(games)} games of first mates, kitchen table; of 1 galley a captain {sum(g.galleys == 1 for g in games)}"
    ]
    for galleys in (1, 2):
        some = [told for told in games if told.galleys == galleys]
        rounds = [told.rounds for told in some]
        ends = Counter(told.reason for told in some)
        lines.append(
            f"{galleys} each: {median(rounds):.0f} rounds (median), 90 % within {quantiles(rounds, n=10)[-1]:.0f}, "
            f"longest {max(rounds)}; drawn {rate(sum(told.winner is None for told in some), len(some))}: "
            + ", ".join(f"{reason} {count}" for reason, count in sorted(ends.items()))
        )
    lines += [
        f"{name} where the enemy has none: {rate(sum(got), len(got))} of {len(got)}"
        for name, got in by_type(games).items()
    ]
    lines += [
        f"{a} against {b}, one each: {rate(sum(got), len(got))} of {len(got)}" for (a, b), got in duels(games).items()
    ]
    lines.append(f"south: {rate(sum(score(g, g.south) for g in games), len(games))}")
    lines.append(f"who placed first: {rate(sum(score(g, g.first) for g in games), len(games))}")
    total = sum((told.counts for told in games), Counter[str]())
    lost = total["lost to ram"] + total["lost to fire"]
    lines.append(
        f"damage by rams {total['lost to ram'] / lost:.1%}, by fire {total['lost to fire'] / lost:.1%} of {lost}"
    )
    rams = {kind: total[f"{kind} rams"] for kind in ("side", "rear", "frontal")}
    runs = {run: total[f"runs of {run}"] for run in range(6)}
    lines.append(
        f"contacts {total['contacts']}, rams {sum(rams.values())}: "
        + ", ".join(f"{kind} {count}" for kind, count in rams.items())
        + f"; backed off {total['backed off']} times"
    )
    lines.append("rams by run: " + ", ".join(f"{run}: {count}" for run, count in runs.items() if count))
    lines.append(
        f"volleys {total['volleys']}, {total['matches'] / total['volleys']:.1f} matches and "
        f"{total['hits'] / total['volleys']:.2f} hits each, spoiled {total['misfires'] / total['volleys']:.1%}"
    )
    lines.append(
        f"blows of 2 or more {total['greater blows']}, of which the facing side shared the most evenly "
        f"with another part {total['split evenly'] / total['greater blows']:.1%}"
    )
    contacts, volleys = (total[what] / len(games) for what in ("contacts", "volleys"))
    lines.append(f"a game has {contacts:.1f} contacts, {volleys:.1f} volleys")
    return lines


def charts(games: Sequence[Told]) -> list[chart.Bars]:
    longest = 15
    lengths = Counter(min(told.rounds, longest) for told in games)
    rounds = range(1, longest + 1)
    types, pairs = by_type(games), duels(games)
    total = sum((told.counts for told in games), Counter[str]())
    causes = {"rams": total["lost to ram"], "fire": total["lost to fire"]}
    runs = {str(run): total[f"runs of {run}"] for run in range(6)}

    def rates(title: str, got: dict[str, list[float]]) -> chart.Bars:
        heights = [mean(scores) for scores in got.values()]
        spans = [wilson(sum(scores), len(scores)) for scores in got.values()]
        return chart.Bars(title, list(got), heights, [f"{height:.0%}" for height in heights], spans, 0.5)

    def numbers(title: str, got: dict[str, int]) -> chart.Bars:
        return chart.Bars(title, list(got), [float(n) for n in got.values()], [str(n) for n in got.values()])

    return [
        numbers("Games by rounds", {f"{n}+" if n == longest else str(n): lengths[n] for n in rounds}),
        rates("Wins by type, where the enemy has none of it", types),
        rates("Duels: wins of the first type", {f"{a} - {b}": got for (a, b), got in pairs.items()}),
        rates(
            "Wins by side, and of who placed first",
            {
                "south": [score(told, told.south) for told in games],
                "north": [1 - score(told, told.south) for told in games],
                "placed first": [score(told, told.first) for told in games],
            },
        ),
        numbers("Oars and masts lost to", causes),
        numbers("Rams by the run before them", runs),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.balance", description="What the rules come to.")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--docs", type=Path, metavar="FILE", help="draw charts there: docs/pictures/balance.png")
    chosen = parser.parse_args()
    with ProcessPoolExecutor(chosen.processes) as pool:
        games = list(pool.map(game, range(chosen.games), chunksize=10))
    sys.stdout.write("\n".join(report(games)) + "\n")
    if chosen.docs:
        chart.draw(charts(games)).save(chosen.docs, optimize=True)


if __name__ == "__main__":
    main()

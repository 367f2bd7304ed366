"""Measure the rules' balance in games between first mates: `python -m tests.arena.balance [--games 2000]`.

Half of the games are duels, half of two galleys each. Prints the facts, and with `--docs` draws them.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from msgspec import Struct

from rules.chance.dice import Dice
from rules.core.protocol import Event, Setup
from rules.matchbox.engine.events import (
    FirstPlacerDrawn,
    HullsCollided,
    MatchesLaid,
    PartsLost,
    ShipRammed,
    VolleyDropped,
)
from rules.matchbox.engine.state import State
from tests.arena import chart
from tests.arena.players import GAME
from tests.arena.runs import computer_answers, counted, lengths, percent, played, wilson

TYPES = ("6/2", "5/3", "4/4")


class Told(Struct):
    galleys: int
    types: tuple[tuple[str, ...], tuple[str, ...]]  # of each seat's galleys
    south: int  # the seat of the southern side
    first: int  # seat that placed first
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
    while answers := computer_answers(GAME, state, seed):
        if state.phase == "orders" and state.round == 1:
            fleets = tuple(_types(state, seat) for seat in (0, 1))
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
                cause = "fire"  # losses in a step before its matches are laid afresh come from rams
            case HullsCollided():
                cause = "ram"
            case ShipRammed():
                counts[f"runs of {event.run}"] += 1
            case VolleyDropped():
                counts["volleys"] += 1
                counts["misfires"] += event.misfire
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


def score(game_told: Told, seat: int) -> float:
    return 0.5 if game_told.winner is None else float(game_told.winner == seat)


def duels(games: Sequence[Told]) -> dict[str, list[float]]:
    """Return scores of the first type in duels against the second."""
    scores: dict[str, list[float]] = {}
    for game in games:
        (own, *more), (other, *_) = game.types
        if not more and own != other:
            first, second = sorted((own, other), key=TYPES.index)
            scores.setdefault(f"{first} - {second}", []).append(score(game, 0 if first == own else 1))
    return dict(sorted(scores.items(), reverse=True))


def by_type(games: Sequence[Told]) -> dict[str, list[float]]:
    """Return scores of galleys by type, over all games in which the other side had none of it."""
    scores: dict[str, list[float]] = {name: [] for name in TYPES}
    for game in games:
        for seat in (0, 1):
            for name in set(game.types[seat]) - set(game.types[1 - seat]):
                scores[name].append(score(game, seat))
    return scores


def by_side(games: Sequence[Told]) -> dict[str, list[float]]:
    south = [score(game, game.south) for game in games]
    first = [score(game, game.first) for game in games]
    return {"south": south, "north": [1 - won for won in south], "placed first": first}


def report(games: Sequence[Told]) -> list[str]:
    lines = [f"{len(games)} games of first mates, kitchen table"]
    for galleys in (1, 2):
        some = [game for game in games if game.galleys == galleys]
        drawn = percent(sum(game.winner is None for game in some), len(some))
        ends = counted(game.reason for game in some)
        lines.append(f"{galleys} each: rounds: {lengths([game.rounds for game in some])}; drawn {drawn}: {ends}")
    for name, scores in {**by_type(games), **duels(games), **by_side(games)}.items():
        lines.append(f"{name}: {percent(sum(scores), len(scores))} of {len(scores)}")
    total = sum((game.counts for game in games), Counter[str]())
    rams = {run: total[f"runs of {run}"] for run in range(6)}
    return [
        *lines,
        f"damage by rams {total['lost to ram'] / (total['lost to ram'] + total['lost to fire']):.1%}",
        f"rams with a run of three steps or more {sum(rams[run] for run in (3, 4, 5)) / sum(rams.values()):.1%}",
        f"volleys spoiled {total['misfires'] / total['volleys']:.1%}",
        f"blows of 2 or more that the facing side shared {total['split evenly'] / total['greater blows']:.1%}",
    ]


def charts(games: Sequence[Told]) -> list[chart.Bars]:
    longest = 15
    rounds = Counter(min(game.rounds, longest) for game in games)
    total = sum((game.counts for game in games), Counter[str]())

    def rates(title: str, scores: dict[str, list[float]]) -> chart.Bars:
        heights = [mean(some) for some in scores.values()]
        spans = [wilson(sum(some), len(some)) for some in scores.values()]
        return chart.Bars(title, list(scores), heights, [f"{height:.0%}" for height in heights], spans, 0.5)

    def numbers(title: str, counts: dict[str, int]) -> chart.Bars:
        return chart.Bars(title, list(counts), [float(n) for n in counts.values()], [str(n) for n in counts.values()])

    return [
        numbers("Games by rounds", {f"{n}{'+' * (n == longest)}": rounds[n] for n in range(1, longest + 1)}),
        rates("Wins by type, where the enemy has none of it", by_type(games)),
        rates("Duels: wins of the first type", duels(games)),
        rates("Wins by side, and of who placed first", by_side(games)),
        numbers("Oars and masts lost to", {"rams": total["lost to ram"], "fire": total["lost to fire"]}),
        numbers("Rams by the run before them", {str(run): total[f"runs of {run}"] for run in range(6)}),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.balance", description="What the rules come to.")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--docs", type=Path, metavar="FILE", help="draw charts there: docs/pictures/balance.png")
    chosen = parser.parse_args()
    games = played(game, range(chosen.games))
    print("\n".join(report(games)))
    if chosen.docs:
        chart.draw(charts(games)).save(chosen.docs, optimize=True)


if __name__ == "__main__":
    main()

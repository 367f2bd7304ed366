"""Fleets of computer captains against each other: `python -m tests.arena.squadrons [--games N] [--fleets 250] …`.

Games are played as people play them, one sealed message a turn (`--order squadron`: squadron by squadron). Each
captain has each fleet equally often. With `--keep FILE` each game is written down when it ends, and a run that was
broken off goes on where it stopped. Ends with 1 if a captain wins less than expected.
"""

from __future__ import annotations

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
from rules.squadrons.ai import admiral, answering
from rules.squadrons.ai.side_options import SideOptions
from rules.squadrons.engine.notation.orders import FleetSide
from rules.squadrons.engine.sea.state import Level
from rules.squadrons.game import Squadrons
from rules.squadrons.interface.drafts.answers import Answer
from rules.squadrons.interface.preview.view import FleetView
from tests.arena import kept
from tests.arena.matches import wilson

GAME: Final = Squadrons()
PAIRS: Final = {"admiral:greedy": 0.7, "admiral:mate": None}  # who must win how much


def _captain(level: Level) -> Callable[[FleetView, Request, str], Answer]:
    return lambda view, request, seed: GAME.computer_answer(structs.replace(view, captain=level), request, seed)


def greedy(view: FleetView, request: Request, seed: str) -> Answer:
    """Sees as well as an admiral, and fears nothing: makes the best attack, or else goes straight at the enemy."""
    if request.kind not in ("orders", "act"):
        return _captain("mate")(view, request, seed)
    side: FleetSide = view.side or "B"
    live = request.kind == "act"
    position, squadrons = view.position, view.squadrons
    if not live:
        begun = admiral.turn_start(position)
        position, squadrons = begun.position, begun.squadrons
    own = [one for one in squadrons if one.side == side and not one.activated]
    flags = {name: one.flagship for one in own for name in one.ships}
    groups = admiral.plan_side(SideOptions(position, side, speeds_set=live), own, admiral.RECKLESS_PROFILE)
    mine = [piece.id for piece in view.pieces if piece.seat == request.seat and piece.afloat]
    return (answering.to_activation if live else answering.to_sheet)(view, admiral.SideOrders(groups), flags, mine)


PLAYERS: Final[Mapping[str, Callable[[FleetView, Request, str], Answer]]] = {
    **{level: _captain(level) for level in get_args(Level)},
    "greedy": greedy,
}


class Pairing(NamedTuple):
    first: str
    second: str
    number: int  # odd: the first has the second fleet
    fleets: str  # points of stock fleets, or a scenario
    order: str  # by sealed messages of a `turn`, or `squadron` by squadron


class Battle(NamedTuple):
    score: float  # of the first captain: 1 won, 0 lost, 0.5 drawn
    winner: str  # the side; empty: drawn
    turns: int
    reason: str
    points: tuple[int, int]  # of the first captain, and of the second
    thought: tuple[float, ...]  # seconds of processor time that the first one took for each answer


def play(pairing: Pairing) -> Battle:
    """Play one battle; the same pairing plays the same one."""
    first, second, number, fleets, order = pairing
    seed = hashlib.sha256(f"arena {fleets} {order} {first} {second} {number}".encode()).hexdigest()
    options = {"battle": fleets, "sides": "second" if number % 2 else "first", "order": order}
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice(seed)).state
    thought = []
    while asked := [request for request in GAME.pending_requests(state) if not request.optional]:
        answers = {}
        for request in asked:
            view = GAME.view(state, request.seat)
            begun = time.process_time()
            answers[request.id] = PLAYERS[(first, second)[request.seat]](view, request, derive_seed(seed, request.id))
            if request.seat == 0:
                thought.append(time.process_time() - begun)
        state = GAME.resolve(state, answers).state
    outcome, own = state.result, state.captains[0].side
    winners = outcome.winners if outcome else ()
    blue, red = GAME.view(state, 0).points
    return Battle(
        score=float(winners[0] == 0) if winners else 0.5,
        winner=state.captains[winners[0]].side if winners else "",
        turns=state.position.turn,
        reason=outcome.reason.key.split(".")[1] if outcome else "",
        points=(blue, red) if own == "B" else (red, blue),
        thought=tuple(thought),
    )


def percent(won: float, of: int) -> str:
    """A share with its 95 % interval."""
    low, high = wilson(won, of)
    return f"{won / of:.1%} ({low:.1%} to {high:.1%})"


def strength(pair: str, fleets: str, order: str, games: Sequence[Battle], least: float | None) -> str:
    """Sum up a pairing; draws count as halves."""
    score, count = sum(game.score for game in games), len(games)
    thought = [spent for game in games for spent in game.thought]
    ends = ", ".join(f"{reason} {number}" for reason, number in Counter(game.reason for game in games).most_common())
    ours, theirs = (median(game.points[number] for game in games) for number in (0, 1))
    verdict = "" if least is None else "  reached" if score / count >= least else f"  below {least:.0%}"
    return (
        f"{pair}, {fleets}, by {order}: {count} games, {percent(score, count)}; "
        f"{sum(game.score == 0.5 for game in games)} drawn; points {ours:.0f} to {theirs:.0f}; turns: median "
        f"{median(game.turns for game in games):.0f}, at most {max(game.turns for game in games)}; {ends}; "
        f"an answer of the first: median {median(thought):.2f} s, p95 {quantiles(thought, n=20)[-1]:.2f} s, "
        f"at most {max(thought):.2f} s{verdict}"
    )


def balance(fleets: str, who: str, games: Sequence[Battle]) -> str:
    """What fleets come to among captains of one level."""
    count = len(games)
    won = ", ".join(f"{side} {percent(sum(game.winner == side for game in games), count)}" for side in ("B", "R"))
    ends = ", ".join(f"{reason} {number}" for reason, number in Counter(game.reason for game in games).most_common())
    turns = [game.turns for game in games]
    return (
        f"{fleets}, {who}s: {count} games; {won}; {sum(not game.winner for game in games)} drawn; {ends}; "
        f"turns: median {median(turns):.0f}, 90 % within {quantiles(turns, n=10)[-1]:.0f}, at most {max(turns)}"
    )


def played(pairings: Sequence[Pairing], keep: Path | None, pool: Executor) -> list[Battle]:
    return [game for _, game in kept.played(play, pairings, tuple[Pairing, Battle], keep, pool)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.squadrons", description="Fleets against each other.")
    parser.add_argument("--games", type=int, default=100, help="of each pairing")
    parser.add_argument("--pairs", nargs="*", default=list(PAIRS), metavar="FIRST:SECOND")
    parser.add_argument("--fleets", default="250", help="points of stock fleets, or a scenario")
    parser.add_argument("--order", default="turn", choices=("turn", "squadron"))
    parser.add_argument("--balance", nargs="*", default=[], metavar="FLEETS", help="what these come to among equals")
    parser.add_argument("--who", default="mate", help="the captains of --balance")
    parser.add_argument("--keep", type=Path, help="a file of games played before, and of those of this run")
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    failed = False
    with ProcessPoolExecutor(chosen.processes) as pool:
        for pair in chosen.pairs:
            first, second = pair.split(":")
            pairings = [Pairing(first, second, number, chosen.fleets, chosen.order) for number in range(chosen.games)]
            games = played(pairings, chosen.keep, pool)
            least = PAIRS.get(pair)
            failed |= least is not None and sum(game.score for game in games) < least * len(games)
            sys.stdout.write(strength(pair, chosen.fleets, chosen.order, games, least) + "\n")
            sys.stdout.flush()
        for fleets in chosen.balance:
            pairings = [Pairing(chosen.who, chosen.who, number, fleets, chosen.order) for number in range(chosen.games)]
            sys.stdout.write(balance(fleets, chosen.who, played(pairings, chosen.keep, pool)) + "\n")
            sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

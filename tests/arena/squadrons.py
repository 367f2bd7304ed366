"""Fleets of computer captains against each other: `python -m tests.arena.squadrons [--games N] [--balance POINTS …]`.

Games are played as people play them, one sealed message a turn, with stock fleets. Each captain has each fleet equally
often. Ends with 1 if a captain wins less than expected.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
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
from tests.arena.runs import counted, lengths, percent, played, strength

GAME: Final = Squadrons()
FLEETS: Final = "250"  # points of the stock fleets of pairings
PAIRS: Final = {"admiral:greedy": 0.7, "admiral:mate": None}  # the least share of games that the first must win


def _captain(level: Level) -> Callable[[FleetView, Request, str], Answer]:
    return lambda view, request, seed: GAME.computer_answer(structs.replace(view, captain=level), request, seed)


def greedy(view: FleetView, request: Request, seed: str) -> Answer:
    """Order as an admiral without fear: make the best attack, or else go straight at the enemy."""
    if request.kind != "orders":
        return _captain("mate")(view, request, seed)
    side: FleetSide = view.side or "B"
    begun = admiral.turn_start(view.position)
    own = [squadron for squadron in begun.squadrons if squadron.side == side and not squadron.activated]
    flags = {name: squadron.flagship for squadron in own for name in squadron.ships}
    options = SideOptions(begun.position, side, speeds_set=False)
    groups = admiral.plan_side(options, own, admiral.RECKLESS_PROFILE)
    mine = [piece.id for piece in view.pieces if piece.seat == request.seat and piece.afloat]
    return answering.to_sheet(view, admiral.SideOrders(groups), flags, mine)


PLAYERS: Final[Mapping[str, Callable[[FleetView, Request, str], Answer]]] = {
    **{level: _captain(level) for level in get_args(Level)},
    "greedy": greedy,
}


class Pairing(NamedTuple):
    first: str
    second: str
    number: int  # odd: the first has the second fleet
    fleets: str  # points of stock fleets, or a scenario


class Battle(NamedTuple):
    score: float  # of the first captain: 1 won, 0 lost, 0.5 drawn
    winner: str  # the side; empty: drawn
    turns: int
    reason: str
    points: tuple[int, int]  # of the first captain, and of the second
    thought: tuple[float, ...]  # seconds of processor time that the first one took for each answer


def play(pairing: Pairing) -> Battle:
    first, second, number, fleets = pairing
    seed = hashlib.sha256(f"arena {fleets} turn {first} {second} {number}".encode()).hexdigest()
    options = {"battle": fleets, "sides": "second" if number % 2 else "first", "order": "turn"}
    state = GAME.start(Setup(system="squadrons", teams=(0, 1), options=options), Dice(seed)).state
    thought = []
    while requests := [request for request in GAME.pending_requests(state) if not request.optional]:
        answers = {}
        for request in requests:
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


def ends(games: Sequence[Battle]) -> str:
    turns = [game.turns for game in games]
    return f"{counted(game.reason for game in games)}; turns: {lengths(turns)}"


def balance(points: str, games: Sequence[Battle]) -> str:
    won = (f"{side} {percent(sum(game.winner == side for game in games), len(games))}" for side in ("B", "R"))
    return f"{points}: {len(games)} games; {', '.join(won)}; {ends(games)}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.squadrons", description="Fleets against each other.")
    parser.add_argument("--games", type=int, default=100, help="of each pairing")
    parser.add_argument("--pairs", nargs="*", default=list(PAIRS), metavar="FIRST:SECOND")
    parser.add_argument("--balance", nargs="*", default=[], metavar="POINTS", help="what these come to among equals")
    chosen = parser.parse_args()
    lines = []
    for pair in chosen.pairs:
        first, second = pair.split(":")
        games = played(play, [Pairing(first, second, number, FLEETS) for number in range(chosen.games)])
        ours, theirs = (median(game.points[number] for game in games) for number in (0, 1))
        won = strength(pair, [game.score for game in games], [took for game in games for took in game.thought], PAIRS)
        lines.append(f"points {ours:.0f} to {theirs:.0f}; {ends(games)}; {won}")
        print(lines[-1], flush=True)
    for points in chosen.balance:
        mates = [Pairing("mate", "mate", number, points) for number in range(chosen.games)]
        print(balance(points, played(play, mates)), flush=True)
    return int(any("below" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())

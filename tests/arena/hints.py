"""First games of a captain who takes every hint: `python -m tests.arena.hints [--games N] [--system NAME …]`.

The captain has seat 0 of the game that the rules propose to newcomers, and computers have all other seats. Ends with 1
if that captain wins too often or too soon.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Setup
from rules.core.registry import RULESETS
from tests.arena.runs import percent, played

MAX_ROUNDS: Final = 60
MAX_WON: Final = {"squadrons": 0.6}  # the largest share of games that hints alone may win
MIN_ROUND: Final = {"squadrons": 4}  # the first round in which they may win


class FirstGame(NamedTuple):
    system: str
    number: int


class Ending(NamedTuple):
    score: float  # of the captain: 1 won, 0 lost, 0.5 drawn
    round: int  # the round in which the game ended


def play(game: FirstGame) -> Ending:
    """Play a first game to its end. The game with a number is always the same."""
    rules = RULESETS[game.system]
    options = dict(rules.first_game_options or {})
    seed = hashlib.sha256(f"first {game.system} {game.number}".encode()).hexdigest()
    setup = rules.with_edition(Setup(system=game.system, teams=rules.seats(options), options=options))
    state, round_no = rules.start(setup, Dice(seed)).state, 0
    while rules.result(state) is None and round_no < MAX_ROUNDS:
        answers = {}
        for request in rules.pending_requests(state):
            if request.ahead or request.optional:
                continue
            round_no = request.round
            view, answer_seed = rules.view(state, request.seat), derive_seed(seed, request.id)
            if request.seat == 0:
                answers[request.id] = rules.advice_without_warnings(
                    state, request, rules.advise(view, request, answer_seed)
                )
            else:
                answers[request.id] = rules.computer_answer(view, request, answer_seed)
        state = rules.resolve(state, answers).state
    result = rules.result(state)
    winners = result.winners if result else ()
    return Ending(float(0 in winners) if winners else 0.5, round_no)


def summarise(system: str, endings: Sequence[Ending]) -> tuple[str, bool]:
    """Return a line about the games of a system, and whether they keep its limits."""
    score = sum(ending.score for ending in endings)
    won_in = sorted(ending.round for ending in endings if ending.score == 1)
    is_kept = score <= MAX_WON.get(system, 1.0) * len(endings) and min(won_in, default=99) >= MIN_ROUND.get(system, 0)
    rounds = ", ".join(f"{number} in {round_no}" for round_no, number in sorted(Counter(won_in).items()))
    line = f"{system}: {len(endings)} games, won {percent(score, len(endings))}; wins by round: {rounds or 'none'}"
    return f"{line}; {'kept' if is_kept else 'MISSED'}", is_kept


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.hints", description=__doc__)
    parser.add_argument("--games", type=int, default=50, help="of each system")
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="number of the first game")
    parser.add_argument("--system", nargs="*", default=list(MAX_WON), choices=list(RULESETS), metavar="NAME")
    chosen = parser.parse_args(arguments)
    is_all_kept = True
    for system in chosen.system:
        numbers = range(chosen.seed, chosen.seed + chosen.games)
        line, is_kept = summarise(system, played(play, [FirstGame(system, number) for number in numbers]))
        print(line, flush=True)
        is_all_kept &= is_kept
    return int(not is_all_kept)


if __name__ == "__main__":
    sys.exit(main())

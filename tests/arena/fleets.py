"""Fleets of 30 points against each other, between first mates: `python -m tests.arena.fleets --games 20`.

Each game is played twice with the same dice, the fleets changing sides. A draw counts half. Says how much each fleet
scores against three 5/3, with the range in which the true score lies 95 times in a hundred.
"""

from __future__ import annotations

import argparse
import math
import sys
from hashlib import sha256

from rules.dice import Dice
from rules.matchbox.game import Matchbox
from rules.protocol import Setup

BASE = "5 5 5"
FLEETS = ("6 6 6", "4 5 6", "4 4 5s", "5s 5s 5s 6", "8h 8h", "4t 4t", "5 5 4f 5s", "8h 4 4f", "4t 5 5s")
"""Of 24 to 30 points; what is not spent is lost (MX-4.1)."""
_MOST_ROUNDS = 60
_GAME = Matchbox()


def played(fleets: tuple[str, str], seed: str) -> float:
    """The score of the first fleet, set down in the south or north by lot: 1, 0.5 or 0."""
    options = {"points": "30", "vessels": "on", "table": "kitchen", "deployment": "ready", "captain": "mate"}
    state = _GAME.start(Setup(system="matchbox", teams=(0, 1), options=options), Dice(seed)).state
    while not state.outcome and state.round < _MOST_ROUNDS:
        given = []
        for asked in _GAME.pending(state):
            if state.phase == "choosing":
                answer = _GAME.parse(state, asked, fleets[asked.seat])
            else:
                lot = sha256(f"{seed}{asked.id}{asked.seat}".encode()).hexdigest()
                answer = _GAME.captain(_GAME.view(state, asked.seat), asked, lot)
            given.append((asked, answer))
        state = _GAME.carry_out(state, given).state
    winners = state.outcome.winners if state.outcome else ()
    return 0.5 if not winners else float(0 in winners)


def score(fleet: str, games: int) -> float:
    """What a fleet scores against three 5/3 in so many games, from 0 to 1."""
    total = 0.0
    for number in range((games + 1) // 2):
        seed = sha256(f"{fleet} {number}".encode()).hexdigest()
        total += played((fleet, BASE), seed) + 1.0 - played((BASE, fleet), seed)
    return total / (2 * ((games + 1) // 2))


def main() -> None:
    """Play all fleets, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--fleets", nargs="*", default=FLEETS)
    chosen = parser.parse_args()
    for fleet in chosen.fleets:
        found = score(fleet, chosen.games)
        error = 1.96 * math.sqrt(max(found * (1 - found), 0.01) / chosen.games)
        sys.stdout.write(f"{fleet:12} {found:.2f} ± {error:.2f} against {BASE}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

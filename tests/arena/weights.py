"""Measure how well the admiral's prospects predict the winner: `python -m tests.arena.weights [GAMES]`.

Plays games of first mates, duels and two galleys each, and fits the log odds of the southern side, round by round, to
what speaks for it, and to oars and masts alone.
"""

from __future__ import annotations

import hashlib
import sys
from typing import NamedTuple

import numpy as np

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.matchbox.ai import many_rounds, prospects
from rules.matchbox.ai.many_hulls import Floats
from rules.matchbox.engine.state import Galley
from tests.arena.players import GAME
from tests.arena.runs import computer_answers, fitted

SIGNS = ("strength", "log ratio of strengths", "facing", "in line")
LEFT = ("afloat", "weaker side", "stronger by", "weaker side x masts")


class Position(NamedTuple):
    """The signs in the southern side's favour before a round (`SIGNS`), its lead (`LEFT`), and 1.0 if it won."""

    signs: Floats
    left: Floats
    won: float


def positions(games: int) -> list[Position]:
    of_games = []
    for number in range(games):
        seed = hashlib.sha256(b"weights %d" % number).hexdigest()
        options = {"galleys": str(1 + number % 2)}
        state = GAME.start(Setup(system="matchbox", teams=(0, 1), options=options), Dice(seed)).state
        seen = []
        while answers := computer_answers(GAME, state, seed):
            if state.phase == "orders":
                seen.append(state.galleys)
            state = GAME.resolve(state, answers).state
        winners = state.result.winners if state.result else ()
        if winners:
            won = float(state.sides[winners[0]] == "south")
            of_games += [_position(galleys, won) for galleys in seen]
    return of_games


def _position(galleys: tuple[Galley, ...], won: float) -> Position:
    north = np.array([galley.side == "north" for galley in galleys])
    none = np.zeros((2, len(galleys), 1))
    left = np.zeros(len(LEFT))
    for galley in galleys:
        weaker, stronger = sorted((galley.port, galley.starboard))
        has = np.array([1.0, weaker, stronger - weaker, weaker * galley.masts])
        left += has if galley.side == "south" else -has
    return Position(prospects.win_signs(many_rounds.fleet_table(galleys), none, north)[:, 0], left, won)


def surprise(signs: Floats, weights: Floats, won: Floats) -> float:
    """Return the mean negative log likelihood: 0.693 for a model that knows nothing."""
    chance = 1.0 / (1.0 + np.exp(-signs @ weights))
    return float(-np.log(np.where(won > 0, chance, 1.0 - chance)).mean())


def main(games: int) -> None:
    all_positions = positions(games)
    won = np.array([position.won for position in all_positions])
    print(f"{len(all_positions)} positions")
    for names, signs, used in (
        (SIGNS, np.array([position.signs for position in all_positions]), prospects.SIGN_WEIGHTS),
        (LEFT, np.array([position.left for position in all_positions]), None),
    ):
        weights = fitted(signs, won, 0.01)
        terms = ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, weights, strict=True))
        in_use = "" if used is None else f"; as used {surprise(signs, used, won):.4f}"
        print(f"{terms}: surprise {surprise(signs, weights, won):.4f}{in_use}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)

"""When blows fall first: duels of the deckhand against newcomers who play sensibly, set down as the game proposes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Setup
from rules.matchbox.engine.events import PartsLost
from tests.arena.players import GAME, PLAYERS

TABLES: Final = ("coffee", "kitchen")
NEWCOMERS: Final = (
    "mate",
    "deckhand",
    "ahead",
)  # stand-ins for newcomers: a good one, a bad one, and one that rows straight on
SOON: Final = 2  # rounds within which a first duel should have its first blow
OFTEN: Final = 0.9  # of first duels should have it by then
MOST_ROUNDS: Final = 8  # nobody waits any longer


class Duel(NamedTuple):
    table: str
    newcomer: str
    number: int


def first_blow(duel: Duel) -> int:
    """Play a duel until something is lost; return that round, or `MOST_ROUNDS` + 1. The duel is always the same."""
    seed = hashlib.sha256(f"first blow {duel.table} {duel.newcomer} {duel.number}".encode()).hexdigest()
    deployment = ("turns", "sealed")[duel.number // 2 % 2]
    options = {"galleys": "1", "table": duel.table, "deployment": deployment, "captain": "deckhand"}
    state = GAME.start(Setup(system="matchbox", teams=(0, 1), options=options), Dice(seed)).state
    seated = ("deckhand", duel.newcomer) if duel.number % 2 == 0 else (duel.newcomer, "deckhand")
    while (requests := GAME.pending_requests(state)) and state.round <= MOST_ROUNDS:
        number = state.round
        answers = {
            request.id: PLAYERS[seated[request.seat]](
                GAME.view(state, request.seat), request, derive_seed(seed, f"{request.seat} {request.id}")
            )
            for request in requests
        }
        step = GAME.resolve(state, answers)
        if any(isinstance(event, PartsLost) for event in step.events):
            return number
        state = step.state
    return MOST_ROUNDS + 1


def duels(table: str, newcomer: str, games: int) -> list[Duel]:
    """Return games of one pairing; both sit on either seat, and place in turns and sealed."""
    return [Duel(table, newcomer, number) for number in range(games)]


def soon(rounds: Sequence[int]) -> float:
    return sum(number <= SOON for number in rounds) / len(rounds)


def line(table: str, newcomer: str, rounds: Sequence[int]) -> str:
    counts = Counter(rounds)
    fell = ", ".join(
        f"{'later' if number > MOST_ROUNDS else f'round {number}'} {counts[number]}" for number in sorted(counts)
    )
    verdict = "reached" if soon(rounds) >= OFTEN else f"below {OFTEN:.0%}"
    return (
        f"deckhand - {newcomer}, {table} table, one galley each: first blow in {fell} of {len(rounds)} games; "
        f"{soon(rounds):.1%} by round {SOON}  {verdict}"
    )

"""Campaigns of equal computer captains: `python -m tests.arena.campaign [--games 50] [--maps ring:4 gulf:2 …]`.

Every battle is thrown by dice. A line tells: wins by seat, how often the leader at half
time won, battles that people would have played and others for each captain and turn (a battle counts for each captain
in it), and how many ended early.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from rules.campaign import GAME
from rules.campaign.engine.events import BattleMet
from rules.campaign.engine.sea.state import State
from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Setup

MAPS = ("ring:4", "gulf:2", "ring:3", "ring:5", "ring:6", "ring:4:sides", "east:5", "east:6", "east:7", "east:8")
"""Maps and their captains, with sides or without."""


def season(options: dict[str, str], seed: str) -> tuple[State, State, Counter[str]]:
    setup = Setup(system="campaign", teams=GAME.seats(options), options=options)
    state = GAME.start(setup, Dice(seed=seed)).state
    half, met = state, Counter[str]()
    while GAME.result(state) is None:
        if state.position.turn <= state.position.turns // 2 + 1:
            half = state
        step = GAME.resolve(
            state,
            {request.id: _answer(state, request) for request in GAME.pending_requests(state) if request.battle is None},
        )
        for event in step.events:
            if isinstance(event, BattleMet):  # counted for each captain in it
                met[event.mode] += len(event.attackers) + len(event.defenders)
        state = step.state
    return half, state, met


def _answer(state: State, request: Any) -> Any:
    seed = derive_seed(state.dice.seed, f"{request.id}")
    return GAME.computer_answer(GAME.view(state, request.seat), request, seed)


def report(name: str, games: int) -> str:
    chart, players, *sides = name.split(":")
    options = {"map": chart, "players": players, "sides": "sides" if sides else "alone"}
    wins, led, early, turns = Counter[int](), 0.0, 0, 0
    met = Counter[str]()
    for number in range(games):
        half, last, modes = season(options, f"{number:08x}")
        result = GAME.result(last)
        assert result
        for seat in result.winners:
            wins[seat] += 1 / len(result.winners)  # type: ignore[assignment] # a win that is shared
        scores = [half.position.laurels_of(captain) for captain in half.position.captains]
        leaders = [seat for seat, score in enumerate(scores) if score == max(scores)]
        led += len({*leaders} & {*result.winners}) / len(leaders)
        early += result.reason.key != "reason.laurels"
        turns += (last.position.turn - 1) * len(scores)
        met += modes
    seats = " ".join(f"{100 * wins[seat] / games:.0f}" for seat in range(len(GAME.seats(options))))
    played, thrown = met["play"] + met["busy"] + met["agreed"], met["dice"]
    return (
        f"{name}: {games} campaigns; wins by seat {seats} %; the leader at half time won {100 * led / games:.0f} %; "
        f"{played / turns:.2f} battles and {thrown / turns:.2f} by dice a captain and turn; "
        f"{100 * early / games:.0f} % ended early"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.campaign", description="Captains' campaigns.")
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--maps", nargs="*", default=list(MAPS), metavar="MAP:CAPTAINS")
    chosen = parser.parse_args()
    for name in chosen.maps:
        print(report(name, chosen.games), flush=True)


if __name__ == "__main__":
    main()

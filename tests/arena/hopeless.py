"""Sides that hardly ever win any more: `python -m tests.arena.hopeless [--games N] [--trials N] [--system NAME …]`.

With `--option KEY=VALUE` games have other options, too.

First mates play a game. When a side's share of the strength of all (`rules/interface/hopeless.py`) is for the first
time at or below one of some shares, they play it on from there, several times with other dice. For each of these shares
this prints how many of the trial games that side won: at the share that a game stores, a panel says what conceding
costs. Ends with 1 if fewer than 1,000 trial games bear it out.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec import structs

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import LEVEL_OPTION, Setup
from rules.core.registry import RULESETS
from rules.interface import hopeless
from tests.arena.runs import played
from tests.arena.scenarios import has_levels

MAX_WON: Final = 0.02
MIN_TRIALS: Final = 1000
MAX_STEPS: Final = 400
SHARES: Final = (0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2)
_BATTLE_KEYS: Final = ("battle", "scenario", "board", "map")
"""Options whose values are different battles. Games take turns through the values of the first that a system has."""
_LEFT_OUT: Final = ("free", "own", "150", "250", "300", "350", "400")
"""Battles without a fixed start, and fleets that take minutes a game."""


class MatesGame(NamedTuple):
    system: str
    battle: tuple[str, str]  # an option and its value
    number: int
    trials: int  # from each position
    shares: tuple[float, ...] = SHARES
    options: tuple[tuple[str, str], ...] = ()  # others than that of the battle


class Position(NamedTuple):
    side: tuple[str, int, int]  # battle, number of the game, and team
    share: float  # of the team in the strength of all
    won: int  # trial games that the team won from here
    trials: int


def battles_of(system: str) -> list[tuple[str, str]]:
    options = {spec.key: spec for spec in RULESETS[system].options}
    key = next(key for key in _BATTLE_KEYS if key in options)
    return [(key, value) for value in options[key].values if value not in _LEFT_OUT]


def play(game: MatesGame) -> list[Position]:
    """Return the positions tried in a game. The game with a number is always the same."""
    rules = RULESETS[game.system]
    options = dict([game.battle, *game.options]) | ({LEVEL_OPTION: "mate"} if has_levels(game.system) else {})
    seed = hashlib.sha256(f"hopeless {game.system} {game.battle} {game.number}".encode()).hexdigest()
    setup = rules.with_edition(Setup(system=game.system, teams=rules.seats(options), options=options))
    state = rules.start(setup, Dice(seed)).state
    untried, positions = {team: {*game.shares} for team in setup.teams}, []
    for step in range(MAX_STEPS):
        if rules.result(state) is not None:
            break
        shares = hopeless.side_shares(rules.seat_strengths(state), setup.teams)
        for team, share in shares.items():
            reached = {limit for limit in untried[team] if share <= limit}
            untried[team] -= reached
            if not reached:
                continue
            seeds = [derive_seed(seed, f"trial {step} {team} {number}") for number in range(game.trials)]
            won = sum(team in _winning_teams(rules, setup, state, trial_seed) for trial_seed in seeds)
            positions.append(Position((game.battle[1], game.number, team), share, won, game.trials))
        state = _advance(rules, state, seed)
    return positions


def _advance(rules: Any, state: Any, seed: str) -> Any:
    """Return the state after computers have answered all that is asked."""
    answers = {}
    for request in rules.pending_requests(state):
        if not request.optional and request.battle is None:
            lot = derive_seed(seed, f"{request.id} {request.seat}")
            answers[request.id] = rules.computer_answer(rules.view(state, request.seat), request, lot)
    return rules.resolve(state, answers).state


def _winning_teams(rules: Any, setup: Setup, state: Any, seed: str) -> set[int]:
    """Play a game on from a state with other dice, and return the teams that win it."""
    state = structs.replace(state, dice=Dice(seed))
    for _ in range(MAX_STEPS):
        if result := rules.result(state):
            return {setup.teams[seat] for seat in result.winners}
        state = _advance(rules, state, seed)
    return set()


def first_at_or_below(positions: Sequence[Position], share: float) -> list[Position]:
    """Return each side's first position at or below a share."""
    first: dict[tuple[str, int, int], Position] = {}
    for position in positions:
        if position.share <= share:
            first.setdefault(position.side, position)
    return list(first.values())


def summarise(positions: Sequence[Position], share: float) -> tuple[int, int, int]:
    """Return the number of first positions at or below a share, their trial games, and how many of these were won."""
    firsts = first_at_or_below(positions, share)
    return len(firsts), sum(position.trials for position in firsts), sum(position.won for position in firsts)


def _first_at_stored(system: str, positions: Sequence[Position]) -> Iterator[Position]:
    """Yield each side's first position at or below the share that its game stores for the battle."""
    for key, battle in battles_of(system):
        share = RULESETS[system].hopeless_share({key: battle})
        yield from first_at_or_below([other for other in positions if share and other.side[0] == battle], share)


def _counts(summary: tuple[int, int, int]) -> tuple[str, str, str]:
    count, trials, won = summary
    return str(count), str(trials), f"{won / trials:.1%}" if trials else "–"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.arena.hopeless", description=__doc__)
    parser.add_argument("--games", type=int, default=300, help="of each system")
    parser.add_argument("--trials", type=int, default=20, help="from each position")
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="number of the first game")
    parser.add_argument("--battle", nargs="*", default=[], metavar="NAME", help="of a system; all if none is named")
    parser.add_argument("--option", nargs="*", default=[], metavar="KEY=VALUE", help="of all games")
    parser.add_argument("--system", nargs="*", default=list(RULESETS), choices=list(RULESETS), metavar="NAME")
    chosen = parser.parse_args(arguments)
    is_borne_out = True
    print("game | share | positions | trial games | won")
    for system in chosen.system:
        battles = [battle for battle in battles_of(system) if not chosen.battle or battle[1] in chosen.battle]
        numbers = range(chosen.seed, chosen.seed + chosen.games)
        more = tuple((key, value) for key, _, value in (option.partition("=") for option in chosen.option))
        games = [
            MatesGame(system, battles[number % len(battles)], number, chosen.trials, options=more) for number in numbers
        ]
        positions = [position for game in played(play, games) for position in game]
        for share in SHARES:
            print(" | ".join([system, f"{share:.2f}", *_counts(summarise(positions, share))]), flush=True)
        firsts = list(_first_at_stored(system, positions))
        print(" | ".join([system, "stored", *_counts(summarise(firsts, 1.0))]), flush=True)
        _, trials, won = summarise(firsts, 1.0)
        is_borne_out &= not firsts or (trials >= MIN_TRIALS and won < MAX_WON * trials)
    return int(not is_borne_out)


if __name__ == "__main__":
    sys.exit(main())

"""Fleets of computer captains against each other: `python -m tests.arena.squadrons [--games N] [--fleets 250] …`.

Captains set speeds once a turn, and order each squadron when it acts, as a game squadron by squadron is played. Ends
with 1 if the good one wins less than he should.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import median
from typing import Final, NamedTuple

from msgspec import structs

from rules.dice import Dice, subseed
from rules.squadrons import activation, aftermath, fleets, phases, victory
from rules.squadrons.captains import admiral
from rules.squadrons.orders import SIDES, Activate, Doctrines, Orders, Side, Speed
from rules.squadrons.play import Play, Thrown
from rules.squadrons.state import Position, Squadron
from tests.arena.matches import wilson

GOAL: Final = 0.7
"""How much of 100 games the good captain must win against the greedy one."""
LIMIT: Final = 12
"""Turns (SQ-03.9)."""


class Captain(NamedTuple):
    """A player of the arena."""

    speeds: Callable[[Position, Side], dict[str, Speed]]
    orders: Callable[[Position, Sequence[str]], Orders]


class Greedy(admiral.Mind):
    """Sees as well, and fears nothing: the best attack that he has at once, else straight at the enemy."""

    def loss(self, *_: object, **__: object) -> float:
        """Nothing is to be feared."""
        return 0.0


def _captain(mind: type[admiral.Mind]) -> Captain:
    def speeds(position: Position, side: Side) -> dict[str, Speed]:
        names = [ship.id for ship in position.of(side)]
        return {ship.id: plan.speed for ship, plan in admiral.plans(position, names, fixed=False, mind=mind)}

    def orders(position: Position, names: Sequence[str]) -> Orders:
        return Orders(tuple(plan.line for _, plan in admiral.plans(position, names, fixed=True, mind=mind)))

    return Captain(speeds, orders)


CAPTAINS: Final = {"admiral": _captain(admiral.Mind), "greedy": _captain(Greedy)}


class Battle(NamedTuple):
    """How a battle went."""

    score: float
    """Of the first captain: 1 won, 0 lost, 0.5 drawn."""
    turns: int
    reason: str
    points: tuple[int, int]
    """Of the first captain, and of the second."""
    thought: list[float]
    """Seconds of processor time that the first one took for each activation."""


class Pairing(NamedTuple):
    """Who plays whom with which fleets, and which of their games it is."""

    first: str
    second: str
    number: int
    fleets: str
    """Points of stock fleets, or a scenario."""


def play(pairing: Pairing) -> Battle:
    """Play one battle; the same pairing plays the same one. Sides change with every game."""
    first, second, number, which = pairing
    position = fleets.stock(which, LIMIT) if which.isdigit() else fleets.scenario(which)
    seated: dict[Side, str] = {"B": first, "R": second} if number % 2 == 0 else {"B": second, "R": first}
    mine: Side = "B" if seated["B"] == first and number % 2 == 0 else "R"
    cup = Thrown(Dice(seed=subseed("00", f"arena {first} {second} {which} {number}")))
    thought: list[float] = []
    while True:
        now = Play(structs.replace(position, phase="A"), cup, Doctrines())
        formed = phases.form(now, {})
        going = phases.initiative(now)
        phases.speeds(now, {side: CAPTAINS[seated[side]].speeds(now.position, side) for side in SIDES})
        for phase, numbered in (("E", True), ("F", False)):
            now.position = structs.replace(now.position, phase=phase)
            _activations(now, [one for one in formed if bool(one.number) == numbered], going, seated, mine, thought)
        now.position = structs.replace(now.position, phase="G")
        aftermath.run(now)
        end = victory.run(now)
        position, cup = now.position, now.cup
        if end is not None:
            blue, red = victory.points(position)
            score = 0.5 if end.winner == "draw" else float(end.winner == mine)
            points = (blue, red) if mine == "B" else (red, blue)
            return Battle(score, position.turn, end.reason, points, thought)


def _activations(
    now: Play, squadrons: Sequence[Squadron], going: Side, seated: dict[Side, str], mine: Side, thought: list[float]
) -> None:
    """All squadrons of a phase, the sides one after the other."""
    left = list(squadrons)
    last: Side | None = None
    while True:
        left = [one for one in left if activation.still(now.position, one)]
        side = phases.next_side({side: sum(one.side == side for one in left) for side in SIDES}, going, last)
        if side is None:
            return
        squadron = next(one for one in left if one.side == side)
        begun = time.process_time()
        orders = CAPTAINS[seated[side]].orders(now.position, activation.still(now.position, squadron))
        if side == mine:
            thought.append(time.process_time() - begun)
        activation.activate(now, squadrons, Activate(squadron=squadron.flagship, orders=orders))
        left.remove(squadron)
        last = side


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.arena.squadrons", description="Fleets against each other.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first", default="admiral")
    parser.add_argument("--second", default="greedy")
    parser.add_argument("--fleets", default="250", help="points of stock fleets, or a scenario")
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    pairings = [Pairing(chosen.first, chosen.second, number, chosen.fleets) for number in range(chosen.games)]
    with ProcessPoolExecutor(chosen.processes) as pool:
        battles = list(pool.map(play, pairings))
    score, count = sum(battle.score for battle in battles), len(battles)
    low, high = wilson(score, count)
    thought = sorted(spent for battle in battles for spent in battle.thought)
    reasons = {reason: sum(battle.reason == reason for battle in battles) for reason in {b.reason for b in battles}}
    ours, theirs = (median(battle.points[number] for battle in battles) for number in (0, 1))
    sys.stdout.write(
        f"{chosen.first} - {chosen.second}, {chosen.fleets}: {count} battles, {score / count:.1%} "
        f"({low:.1%} to {high:.1%}), {sum(battle.score == 0.5 for battle in battles)} drawn; "
        f"{median(battle.turns for battle in battles):.0f} turns; ended by {reasons}; "
        f"points {ours:.0f} to {theirs:.0f}; "
        f"an activation {median(thought):.2f} s, at most {thought[-1]:.2f} s\n"
    )
    return 1 if chosen.second == "greedy" and score / count < GOAL else 0


if __name__ == "__main__":
    sys.exit(main())

"""Measure the worth of each class of galleys for its points: `python -m tests.arena.classes [GAMES]`.

Two fleets of equal points meet, each of two or three classes drawn at random. Their captains have the admiral's first
profile and do not carry turns out. Blue's lead over Red, as a part of what wins, is explained by the points that each
side has in each class (least squares). 0 means that the class is worth its points on average; +0.5 means that a fleet
with all its points in that class is ahead of an average fleet by half of what wins.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import structs

from rules.chance.dice import Dice, derive_seed
from rules.squadrons.ai import admiral, simulation
from rules.squadrons.ai.side_options import SideOptions
from rules.squadrons.engine.notation.orders import SIDES, Doctrines, FleetSide, TurnSheet
from rules.squadrons.engine.phases.aftermath import victory
from rules.squadrons.engine.sea import fleets
from rules.squadrons.engine.tables import CLASSES, FLEETS
from tests.arena.runs import played

POINTS: Final = "100"
LIMIT: Final = 12  # turns (SQ-03.9)
WARSHIPS: Final = tuple(code for code, kind in CLASSES.items() if kind.ram[1])


class Met(NamedTuple):
    blue: tuple[str, ...]
    red: tuple[str, ...]
    ahead: int  # victory points of Blue, less Red's
    turns: int


class _Cup:
    """Dice that go on from turn to turn of a game."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice

    def throw_die(self, what: str) -> tuple[int, _Cup]:
        face, self._dice = self._dice.throw_die(6)
        return face, self


def drawn(dice: Dice) -> tuple[tuple[str, ...], Dice]:
    classes = list(WARSHIPS)
    for last in range(len(classes) - 1, 0, -1):
        face, dice = dice.throw_die(last + 1)
        classes[last], classes[face - 1] = classes[face - 1], classes[last]
    number, dice = dice.throw_die(2)
    del classes[number + 1 :]
    codes: list[str] = []
    while fits := [code for code in classes if fleets.fleet_cost((*codes, code)) <= int(POINTS)]:
        codes.append(min(fits, key=lambda code: (codes.count(code), classes.index(code))))
    return tuple(codes), dice


def play(number: int) -> Met:
    seed = hashlib.sha256(b"classes %d" % number).hexdigest()
    blue, dice = drawn(Dice(derive_seed(seed, "fleets")))
    red, _ = drawn(dice)
    codes: dict[FleetSide, Sequence[str]] = {"B": blue, "R": red}
    position = fleets.tournament_position(POINTS, codes, dict.fromkeys(SIDES, FLEETS[POINTS].leaders), LIMIT)
    dice_source, going = _Cup(Dice(derive_seed(seed, "battle"))), Dice(derive_seed(seed, "first"))
    while True:
        die, going = going.throw_die(2)
        begun = structs.replace(admiral.turn_start(position), first=SIDES[die - 1])
        turnsheets = {side: _paper(begun, side) for side in SIDES}
        end = simulation.run_turn(
            begun, turnsheets, dice_source, Doctrines(tuple(map(admiral.admiral_doctrine, SIDES)))
        )
        position = end.position
        if end.is_over:
            won, lost = victory.victory_points(position)
            return Met(blue, red, won - lost, position.turn)


def _paper(begun: simulation.TurnStart, side: FleetSide) -> TurnSheet:
    own = [squadron for squadron in begun.squadrons if squadron.side == side]
    flags = {name: squadron.flagship for squadron in own for name in squadron.ships}
    side_options = SideOptions(begun.position, side, speeds_set=False)
    return admiral.to_turnsheet(
        admiral.SideOrders(admiral.plan_side(side_options, own, admiral.OWN_PROFILES[0])), flags
    )


def worth(battles: Sequence[Met]) -> list[tuple[str, float, float, int]]:
    """Return for each class the worth of its points, half of the 95 % interval, and the number of its fleets."""
    target = FLEETS[POINTS].target
    rows = np.array([[_share(battle.blue, code) - _share(battle.red, code) for code in WARSHIPS] for battle in battles])
    ahead = np.array([battle.ahead / target for battle in battles])
    inverse = np.linalg.pinv(rows.T @ rows)
    worths = inverse @ rows.T @ ahead
    left = ahead - rows @ worths
    spread = float(left @ left) / max(1, len(battles) - len(WARSHIPS) + 1)
    halves = 1.96 * np.sqrt(np.diag(inverse) * spread)
    fleets_with = [sum((code in battle.blue) + (code in battle.red) for battle in battles) for code in WARSHIPS]
    return list(zip(WARSHIPS, worths.tolist(), halves.tolist(), fleets_with, strict=True))


def _share(codes: Sequence[str], code: str) -> float:
    """Return a class's share of the fleet's points. A side's shares add up to 1, which leaves only differences of
    classes."""
    return codes.count(code) * CLASSES[code].cost / fleets.fleet_cost(codes)


def main(games: int) -> None:
    battles = played(play, range(games))
    for code, value, half, count in sorted(worth(battles), key=lambda row: -row[1]):
        far = "  off" if abs(value) > half else ""
        print(f"{code:5} {value:+.2f} ({value - half:+.2f} to {value + half:+.2f}), {count} fleets{far}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 131)

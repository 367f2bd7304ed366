"""The deckhand: orders of the first mate, but every other ship does something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.dice import Dice, subseed
from rules.ramspeed.captains import mate
from rules.ramspeed.table.orders import Alternative, Attack, Fwd, Grapple, Line, Manoeuvre, Ram, Swipe, Turn, Veer
from rules.ramspeed.table.state import Position, Ship
from rules.ramspeed.table.tables import CONSTANTS

_ATTACKS: Final = (Ram, Swipe, Grapple)


def lines(position: Position, player: str, acted: Sequence[str], seed: str) -> Iterator[Line]:
    """Orders for every ship of a player that has not acted, half of them at random."""
    dice = Dice(seed=subseed(seed, "mistakes"))
    enemies = [other.id for other in position.against(position.side(player))]
    for line in mate.lines(position, player, acted, seed):
        face, dice = dice.die(2)
        if face == 1 or not enemies:
            yield line
        else:
            random, dice = random_line(position.ship(line.ship), enemies, dice)
            yield random


def random_line(ship: Ship, enemies: Sequence[str], dice: Dice) -> tuple[Line, Dice]:
    """Any attack on any enemy, if it is legal, or any manoeuvre; and the dice after it."""
    target, dice = dice.die(len(enemies))
    kind, dice = dice.die(len(_ATTACKS))
    attack: Attack = _ATTACKS[kind - 1](enemies[target - 1])
    manoeuvre, dice = _manoeuvre(ship, dice)
    return Line(ship.id, (Alternative((attack,)), Alternative((manoeuvre,)))), dice


def _manoeuvre(ship: Ship, dice: Dice) -> tuple[Manoeuvre, Dice]:
    kind, dice = dice.die(3)
    side, dice = dice.die(2)
    degrees, dice = dice.die(ship.kind.turn if kind == 1 else CONSTANTS.veer_max)
    way: Manoeuvre = Fwd()
    if kind == 1:
        way = Turn(degrees, "R" if side == 1 else "L")
    elif kind == 2:
        way = Veer(degrees, "R" if side == 1 else "L")
    return way, dice

"""The deckhand, who orders like the first mate, but half of the ships at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.chance.dice import Dice, derive_seed
from rules.ramspeed.ai import mate
from rules.ramspeed.engine.orders import (
    Alternative,
    AttackOrder,
    ForwardOrder,
    GrappleOrder,
    Manoeuvre,
    OrderLine,
    RamOrder,
    SwipeOrder,
    TurnOrder,
    VeerOrder,
)
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS

_ATTACK_TYPES: Final = (RamOrder, SwipeOrder, GrappleOrder)


def choose_lines(position: Position, player: str, acted: Sequence[str], seed: str) -> Iterator[OrderLine]:
    dice = Dice(seed=derive_seed(seed, "mistakes"))
    enemies = [other.id for other in position.ships_against(position.side_of_player(player))]
    for line in mate.choose_lines(position, player, acted, seed):
        face, dice = dice.throw_die(2)
        if face == 1 or not enemies:
            yield line
        else:
            random, dice = random_line(position.ship_by_id(line.ship), enemies, dice)
            yield random


def random_line(ship: Ship, enemies: Sequence[str], dice: Dice) -> tuple[OrderLine, Dice]:
    """Return a line with a random attack, if it is legal, else a random manoeuvre; and the dice afterwards."""
    target, dice = dice.throw_die(len(enemies))
    kind, dice = dice.throw_die(len(_ATTACK_TYPES))
    attack: AttackOrder = _ATTACK_TYPES[kind - 1](enemies[target - 1])
    manoeuvre, dice = _random_manoeuvre(ship, dice)
    return OrderLine(ship.id, (Alternative((attack,)), Alternative((manoeuvre,)))), dice


def _random_manoeuvre(ship: Ship, dice: Dice) -> tuple[Manoeuvre, Dice]:
    kind, dice = dice.throw_die(3)
    side, dice = dice.throw_die(2)
    degrees, dice = dice.throw_die(ship.ship_class.turn if kind == 1 else CONSTANTS.veer_max)
    way: Manoeuvre = ForwardOrder()
    if kind == 1:
        way = TurnOrder(degrees, "R" if side == 1 else "L")
    elif kind == 2:
        way = VeerOrder(degrees, "R" if side == 1 else "L")
    return way, dice

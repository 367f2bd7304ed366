"""Positions at random, and games played from them, for tests."""

import random

from msgspec import structs

from rules.forts.engine.boards import TWO_FORTS, opposite_hex, sea_hexes
from rules.forts.engine.state import CODES, COLOURS, Position, Ship, Siege
from rules.forts.engine.turn import with_ready_ships

FARTHEST = 6
"""Ships lie within so many columns of each other, so that they meet."""


def position(rng: random.Random, turn: int = 0) -> Position:
    """Return a position before its wind is rolled, ships close together, some of them hurt or sunk."""
    first = rng.randrange(21 - FARTHEST)
    near = [label for label in sea_hexes(TWO_FORTS).values() if first <= ord(label[0]) - ord("A") <= first + FARTHEST]
    hexes = rng.sample(near, 8)
    ships = [
        Ship(colour=colour, code=code, hex=hexes.pop())
        for colour in COLOURS
        for code in CODES
        if code == "BB" or rng.random() < 0.8
    ]
    hurt = tuple(structs.replace(ship, hits=rng.randrange(ship.ship_class.margin)) for ship in ships)
    number = turn or rng.randrange(1, 40)
    siege = Siege("red" if number % 2 else "white", number - 1) if rng.random() < 0.3 else None
    return with_ready_ships(
        Position(
            board=TWO_FORTS,
            turn=number,
            wind=None,
            siege=siege,
            quiet=0 if siege else rng.randrange(16),
            white=rng.choice(("west", "east")),
            flagships=(rng.choice(CODES), rng.choice(CODES)),
            ships=hurt,
        )
    )


def turned(before: Position) -> Position:
    """Return the position after a half turn of the board with the colours swapped, one player-turn later: the other
    colour moves."""
    swap = {"white": "red", "red": "white"}
    ships = [
        structs.replace(ship, colour=swap[ship.colour], hex=opposite_hex(before.board, ship.hex))
        for ship in before.ships
    ]
    ships.sort(key=lambda ship: (COLOURS.index(ship.colour), CODES.index(ship.code)))
    siege = before.siege and Siege(swap[before.siege.by], before.siege.since + 1)
    return structs.replace(
        before, turn=before.turn + 1, siege=siege, flagships=before.flagships[::-1], ships=tuple(ships)
    )

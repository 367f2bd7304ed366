"""A turn of thirty ships on a free table, each of which tries three attacks at every veer before it sails on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from rules.chance.dice import Dice, SeededDice
from rules.ramspeed.engine.notation import position
from rules.ramspeed.engine.notation.sheets import parse_sheet
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.state import Position
from rules.ramspeed.engine.tables import CLASS_CODES, CLASSES

EACH = 15  # ships a side
TURNS = 20  # turns, each with other dice
LAND = "land=0,0,10,0,10,3,0,3 land=30,38,40,38,40,40,30,40"
HEADER = f"70x40 open {LAND} turn=3/20 phase=orders quiet=0 seats=ann@A,bob@P"


def fleets() -> Position:
    ships = [HEADER]
    for number in range(EACH):
        code = CLASS_CODES[number % len(CLASS_CODES)]
        crew = CLASSES[code].crew_max
        ships.append(f"A{number + 1} {code} ann athenian @{4 + 4 * number},{18 if number % 2 else 14}^0 {crew}")
        ships.append(f"P{number + 1} {code} bob spartan @{5 + 4 * number},{25 if number % 2 else 22}^180 {crew}")
    return position.parse_position(" ; ".join(ships))


def _sheet(own: str, enemy: str) -> str:
    return "\n".join(
        f"{own}{number}: ram {enemy}{number} or swipe {enemy}{number} or grapple {enemy}{max(1, number - 1)} or fwd 3"
        for number in range(1, EACH + 1)
    )


def turns() -> Iterable[Callable[[], object]]:
    lying = fleets()
    sheets = {"ann": parse_sheet(_sheet("A", "P"), lying, "ann"), "bob": parse_sheet(_sheet("P", "A"), lying, "bob")}
    return [
        partial(turn.run_turn, lying, sheets, {}, SeededDice(Dice(seed=f"{number:02x}"))) for number in range(TURNS)
    ]

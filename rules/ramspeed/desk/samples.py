"""Representative answers: enough to reach every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.errors import OrderError, Scalar
from rules.ramspeed.desk import interrupts, offers
from rules.ramspeed.desk.answers import Act, Answer, Choice, Done, Orders, Standing
from rules.ramspeed.desk.order_drafts import Desk
from rules.ramspeed.table.notation import doctrine, sheets
from rules.ramspeed.table.orders import Line, Sheet
from rules.ramspeed.table.state import Asked, Ship

_DOCTRINES: Final = (
    "all: swipe=grapple grapple=stand slip=hold prize=sink idle=shoot",
    "all: swipe=turn grapple=turn slip=turn45L prize=10",
    "all: swipe=draw slip=back prize=leave",
)
_TEMPERS: Final = (
    ("fwd",),
    ("ram {near}", "steer {near} 3"),
    ("grapple {near}", "swipe {near}", "steer {near} 2"),
    ("swipe {near} past 1.5", "grapple {near} side P", "veer 10R 2"),
    ("shoot {near} crew; back 0.5",),
    ("steer {near} 2; shoot {near} fire",),
    ("ignite; ram {near}", "ignite; steer {near} 3"),
    ("transfer 5 to {friend}", "transfer 1 from {friend}", "face {near}"),
    ("turn 45L",),
    ("grapple {friend}", "veer 25L"),
    ("exit",),
)


def example(desk: Desk) -> dict[str, Scalar]:
    """A ship of his own, and the enemy nearest to her, for sentences that show how orders are written."""
    ship = desk.ships[0] if desk.ships else None
    enemy = offers.enemies_of(desk.position, ship)[:1] if ship else []
    return {"ship": ship.id if ship else "A1", "enemy": enemy[0].id if enemy else "S1"}


def order_sheets(desk: Desk) -> tuple[Answer, ...]:
    """Sheets of every temper; then tempers mixed, with changes of what stands."""
    found: list[Answer] = [Orders(Sheet(tuple(_lines(desk, (number,))))) for number in range(len(_TEMPERS))]
    for number, text in enumerate(_DOCTRINES):
        mixed = Sheet(tuple(_lines(desk, tuple(range(number, len(_TEMPERS), 3)))))
        changes = doctrine.read_doctrines(text, desk.position).lines
        found.append(Orders(mixed, changes, Sheet(mixed.lines[:1]) if number else Sheet()))
    found.append(Orders())
    return tuple(dict.fromkeys(found))


def acts(desk: Desk, acted: tuple[str, ...]) -> tuple[Answer, ...]:
    """For every ship that has not acted a line of some temper; and to have done."""
    left = [line for number in range(len(_TEMPERS)) for line in _lines(desk, (number,)) if line.ship not in acted]
    return (Done(), *dict.fromkeys(Act(line) for line in left))


def changes(desk: Desk) -> tuple[Answer, ...]:
    """Some doctrines, and nothing."""
    read = (doctrine.read_doctrines(text, desk.position).lines for text in _DOCTRINES)
    return (Standing(), *(Standing(lines, Sheet(tuple(_lines(desk, (1,))))) for lines in read))


def decisions(asked: Asked) -> tuple[Answer, ...]:
    """All that may be pressed."""
    return tuple(Choice(value) for value in interrupts.OFFERED[asked.key])


def _lines(desk: Desk, tempers: tuple[int, ...]) -> Iterator[Line]:
    for number, ship in enumerate(desk.ships):
        pieces = _TEMPERS[tempers[number % len(tempers)]]
        names = {"near": _nearest(desk, ship), "friend": _friend(desk, ship)}
        legal = [piece for piece in pieces if _read(desk, ship, piece, names)]
        if legal:
            text = f"{ship.id}: {' or '.join(piece.format(**names) for piece in legal)}"
            yield sheets.read_line(text, desk.position, desk.player)


def _read(desk: Desk, ship: Ship, piece: str, names: dict[str, str]) -> bool:
    if not all(names[name] for name in names if f"{{{name}}}" in piece):
        return False
    try:
        sheets.read_line(f"{ship.id}: {piece.format(**names)}", desk.position, desk.player)
    except OrderError:
        return False
    return True


def _nearest(desk: Desk, ship: Ship) -> str:
    position = desk.position
    enemies = [one for one in position.ships if one.afloat and position.side_of(one) != position.side_of(ship)]
    return min(enemies, key=lambda one: ((one.x - ship.x) ** 2 + (one.y - ship.y) ** 2, one.id)).id if enemies else ""


def _friend(desk: Desk, ship: Ship) -> str:
    friends = [one for one in desk.ships if one.id != ship.id]
    return min(friends, key=lambda one: ((one.x - ship.x) ** 2 + (one.y - ship.y) ** 2, one.id)).id if friends else ""

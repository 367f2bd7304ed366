"""Representative answers: enough to reach every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.errors import Scalar
from rules.notebook import try_read
from rules.ramspeed.desk import offers
from rules.ramspeed.desk.answers import Act, Done, Orders, Standing
from rules.ramspeed.desk.order_drafts import OrderContext
from rules.ramspeed.table.notation import doctrine, sheets
from rules.ramspeed.table.orders import Line, Sheet
from rules.ramspeed.table.state import Ship

_DOCTRINES: Final = (
    "all: swipe=grapple grapple=stand slip=hold prize=sink idle=shoot",
    "all: swipe=turn grapple=turn slip=turn45L prize=10",
    "all: swipe=draw slip=back prize=leave",
)
_KINDS: Final = (
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


def example(context: OrderContext) -> dict[str, Scalar]:
    """A ship of the captain, and the enemy nearest to her, for sentences that show how orders are written."""
    ship = context.ships[0] if context.ships else None
    enemy = offers.enemies_of(context.position, ship)[:1] if ship else []
    return {"ship": ship.id if ship else "A1", "enemy": enemy[0].id if enemy else "S1"}


def order_sheets(context: OrderContext) -> tuple[Orders, ...]:
    """Sheets of each kind of line; then kinds mixed, with changes of what stands."""
    found = [Orders(Sheet(tuple(_lines(context, (number,))))) for number in range(len(_KINDS))]
    for number, text in enumerate(_DOCTRINES):
        mixed = Sheet(tuple(_lines(context, tuple(range(number, len(_KINDS), 3)))))
        changes = doctrine.read_doctrines(text, context.position).lines
        found.append(Orders(mixed, changes, Sheet(mixed.lines[:1]) if number else Sheet()))
    found.append(Orders())
    return tuple(dict.fromkeys(found))


def acts(context: OrderContext) -> tuple[Act | Done, ...]:
    """For every ship that has not acted a line of each kind; and `done`."""
    lines = [line for number in range(len(_KINDS)) for line in _lines(context, (number,))]
    return (Done(), *dict.fromkeys(map(Act, lines)))


def changes(context: OrderContext) -> tuple[Standing, ...]:
    """Some doctrines, and nothing."""
    read = (doctrine.read_doctrines(text, context.position).lines for text in _DOCTRINES)
    return (Standing(), *(Standing(lines, Sheet(tuple(_lines(context, (1,))))) for lines in read))


def _lines(context: OrderContext, kinds: tuple[int, ...]) -> Iterator[Line]:
    for number, ship in enumerate(context.ships):
        pieces = _KINDS[kinds[number % len(kinds)]]
        names = {"near": _nearest(context, ship), "friend": _friend(context, ship)}
        legal = [piece for piece in pieces if _read(context, ship, piece, names)]
        if legal:
            text = f"{ship.id}: {' or '.join(piece.format(**names) for piece in legal)}"
            yield sheets.read_line(text, context.position, context.player)


def _read(context: OrderContext, ship: Ship, piece: str, names: dict[str, str]) -> bool:
    if not all(names[name] for name in names if f"{{{name}}}" in piece):
        return False
    return (
        try_read(sheets.read_line, f"{ship.id}: {piece.format(**names)}", context.position, context.player) is not None
    )


def _nearest(context: OrderContext, ship: Ship) -> str:
    return next((one.id for one in offers.enemies_of(context.position, ship)), "")


def _friend(context: OrderContext, ship: Ship) -> str:
    friends = [one for one in context.position.owned(context.player) if one.id != ship.id]
    return min(friends, key=lambda one: ((one.x - ship.x) ** 2 + (one.y - ship.y) ** 2, one.id)).id if friends else ""

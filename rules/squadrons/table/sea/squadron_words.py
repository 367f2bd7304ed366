"""Squadrons in a sentence each, for those who cannot see the picture and have no time to hear of every galley."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rules.errors import Scalar
from rules.spans import spans
from rules.squadrons.table.notation.orders import SIDES, Side
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import FACINGS
from rules.squadrons.table.sea.state import Position, Ship, order_of
from rules.view import Text


def groups(position: Position, own: Side | None = None) -> tuple[Text, ...]:
    """What is to be told of each squadron and of the galleys that are in none, those of one's own side first."""
    found: dict[tuple[bool, Side, int], list[Ship]] = {}
    for ship in position.ships:
        if ship.afloat:
            key = (ship.side != own, ship.side, ship.squadron if ship.side == ship.builder else 0)
            found.setdefault(key, []).append(ship)
    keys = sorted(found, key=lambda key: (key[0], SIDES.index(key[1]), key[2] or len(position.ships)))
    return tuple(_told(position, side, number, found[other, side, number]) for other, side, number in keys)


def _told(position: Position, side: Side, number: int, some: Sequence[Ship]) -> Text:
    ships = sorted(some, key=lambda ship: order_of(ship.id))
    center = min(
        ships, key=lambda ship: (sum(grid.distance(ship.hexes, one.hexes) for one in ships), order_of(ship.id))
    )
    facing, _ = Counter(ship.facing for ship in ships).most_common(1)[0]
    hurt = [ship.id for ship in ships if _hurt(position, ship)]
    params: dict[str, Scalar] = {
        "side": side,
        "number": number,
        "ships": ", ".join(spans([ship.id for ship in ships])),
        "hex": grid.label(center.bow),
        "compass": FACINGS[facing],
    }
    if not hurt:
        return Text("squadron.sound", params) if number else Text("squadron.alone", params)
    params["hurt"] = ", ".join(spans(hurt))
    return Text("squadron.hurt", params) if number else Text("squadron.alone_hurt", params)


def _hurt(position: Position, ship: Ship) -> bool:
    return bool(ship.held or ship.slowed or ship.crippled or ship.burning or ship.depletion or position.immobile(ship))

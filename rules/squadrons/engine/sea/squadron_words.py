"""A sentence for each squadron, for readers who cannot see the picture or need a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rules.core.errors import Scalar
from rules.core.view import Text
from rules.interface.spans import join_id_ranges
from rules.squadrons.engine.notation.orders import SIDES, FleetSide
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import FACING_NAMES
from rules.squadrons.engine.sea.state import Position, Ship, id_sort_key


def squadron_lines(position: Position, own: FleetSide | None = None) -> tuple[Text, ...]:
    """Return a sentence for each squadron and for the galleys without one, those of the reader's side first."""
    groups: dict[tuple[bool, FleetSide, int], list[Ship]] = {}
    for ship in position.ships:
        if ship.is_afloat:
            key = (ship.side != own, ship.side, ship.squadron if ship.side == ship.builder else 0)
            groups.setdefault(key, []).append(ship)
    keys = sorted(groups, key=lambda key: (key[0], SIDES.index(key[1]), key[2] or len(position.ships)))
    return tuple(_group_text(position, side, number, groups[other, side, number]) for other, side, number in keys)


def _group_text(position: Position, side: FleetSide, number: int, members: Sequence[Ship]) -> Text:
    ships = sorted(members, key=lambda ship: id_sort_key(ship.id))
    center = min(
        ships,
        key=lambda ship: (sum(grid.hex_distance(ship.hexes, other.hexes) for other in ships), id_sort_key(ship.id)),
    )
    facing, _ = Counter(ship.facing for ship in ships).most_common(1)[0]
    damaged = [ship.id for ship in ships if _is_hurt(position, ship)]
    params: dict[str, Scalar] = {
        "side": side,
        "number": number,
        "ships": ", ".join(join_id_ranges([ship.id for ship in ships])),
        "hex": grid.hex_label(center.bow),
        "compass": FACING_NAMES[facing],
    }
    if not damaged:
        return Text("squadron.sound", params) if number else Text("squadron.alone", params)
    params["hurt"] = ", ".join(join_id_ranges(damaged))
    return Text("squadron.hurt", params) if number else Text("squadron.alone_hurt", params)


def _is_hurt(position: Position, ship: Ship) -> bool:
    return bool(
        ship.held or ship.is_slowed or ship.is_crippled or ship.burning or ship.depletion or position.is_immobile(ship)
    )

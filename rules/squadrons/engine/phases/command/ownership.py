"""Ownership of ships: captains of one side share its ships by leaders (SQ section 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from rules.core.protocol import Seat
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea.state import Captain, Position, State


def captains_of_side(state: State, side: str) -> tuple[Captain, ...]:
    return tuple(captain for captain in state.captains if captain.side == side and captain.seat not in state.conceded)


def owner_by_ship(state: State) -> Mapping[str, Seat]:
    owners: dict[str, Seat] = {}
    for side in ("B", "R"):
        captains = captains_of_side(state, side) or tuple(captain for captain in state.captains if captain.side == side)
        if captains:
            owners.update(_owner_by_ship(state, side, captains))
    return owners


def _owner_by_ship(state: State, side: str, captains: Sequence[Captain]) -> Mapping[str, Seat]:
    first = captains[0].seat
    if len(captains) == 1:
        return dict.fromkeys((ship.id for ship in state.position.ships_of(side)), first)
    by_leader = {leader: captain.seat for captain in captains for leader in captain.leaders}
    owners = dict.fromkeys((ship.id for ship in state.position.ships_of(side)), first)
    # squadrons keep their captains for the whole turn
    formed = tuple(squadron for squadron in state.squadrons if squadron.side == side)
    for squadron in formed or command.form_squadrons(state.position, side, ()):
        seat = by_leader.get(squadron.leader, first)
        owners.update(dict.fromkeys((name for name in squadron.ships if name in owners), seat))
    return owners


def ships_of(state: State, seat: Seat) -> tuple[str, ...]:
    owners = owner_by_ship(state)
    return tuple(ship.id for ship in state.position.ships if owners.get(ship.id) == seat)


def seat_of(state: State, ship: str) -> Seat:
    """Return the captain of a ship; for a lost ship, the first captain of her side."""
    owners = owner_by_ship(state)
    if ship in owners:
        return owners[ship]
    side = state.position.ship_by_id(ship).side
    return next(captain.seat for captain in state.captains if captain.side == side)


def with_leaders(position: Position, captains: Iterable[Captain]) -> tuple[Captain, ...]:
    """Return the captains with one leader each.

    The first captain of a side gets none assigned, as it has all others.
    """
    assigned: list[Captain] = []
    for captain in captains:
        earlier_captains = sum(other.side == captain.side for other in assigned)
        names = [leader.id for leader in position.leaders if leader.side == captain.side]
        assigned.append(
            structs.replace(
                captain, leaders=tuple(names[earlier_captains : earlier_captains + 1]) if earlier_captains else ()
            )
        )
    return tuple(assigned)

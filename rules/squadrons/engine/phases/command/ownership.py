"""Which ships are whose: captains of a side share it by leaders (SQ section 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from rules.core.protocol import Seat
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea.state import Captain, Position, State


def captains_of_side(state: State, side: str) -> tuple[Captain, ...]:
    """The captains of a side that have not given up, by seat."""
    return tuple(one for one in state.captains if one.side == side and one.seat not in state.conceded)


def owner_by_ship(state: State) -> Mapping[str, Seat]:
    """The captain of each ship on the map: by the leader of her squadron, else the side's first captain."""
    found: dict[str, Seat] = {}
    for side in ("B", "R"):
        captains = captains_of_side(state, side) or tuple(one for one in state.captains if one.side == side)
        if captains:
            found.update(_owner_by_ship(state, side, captains))
    return found


def _owner_by_ship(state: State, side: str, captains: Sequence[Captain]) -> Mapping[str, Seat]:
    first = captains[0].seat
    if len(captains) == 1:
        return dict.fromkeys((ship.id for ship in state.position.ships_of(side)), first)
    by_leader = {leader: one.seat for one in captains for leader in one.leaders}
    found = dict.fromkeys((ship.id for ship in state.position.ships_of(side)), first)
    formed = tuple(one for one in state.squadrons if one.side == side)  # nobody's squadron changes hands in a turn
    for squadron in formed or command.form_squadrons(state.position, side, ()):
        seat = by_leader.get(squadron.leader, first)
        found.update(dict.fromkeys((name for name in squadron.ships if name in found), seat))
    return found


def ships_of(state: State, seat: Seat) -> tuple[str, ...]:
    """The ships on the map that a captain orders, by id."""
    whose = owner_by_ship(state)
    return tuple(ship.id for ship in state.position.ships if whose.get(ship.id) == seat)


def seat_of(state: State, ship: str) -> Seat:
    """The captain of a ship, or who had her side when she was lost."""
    whose = owner_by_ship(state)
    if ship in whose:
        return whose[ship]
    side = state.position.ship_by_id(ship).side
    return next(one.seat for one in state.captains if one.side == side)


def with_leaders(position: Position, captains: Iterable[Captain]) -> tuple[Captain, ...]:
    """The captains with a leader each, but none to the first of a side, who has all others."""
    found: list[Captain] = []
    for one in captains:
        before = sum(other.side == one.side for other in found)
        names = [leader.id for leader in position.leaders if leader.side == one.side]
        found.append(structs.replace(one, leaders=tuple(names[before : before + 1]) if before else ()))
    return tuple(found)

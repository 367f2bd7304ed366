"""The effect of each event on the position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from rules.core.finding import with_updated
from rules.core.protocol import Event
from rules.squadrons.engine import events
from rules.squadrons.engine.sea.grid import parse_place
from rules.squadrons.engine.sea.state import CaptureStatus, Leader, Position, Ship, id_sort_key, sort_pairs


def position_after_event(position: Position, event: Event) -> Position:
    change = _EVENT_CHANGES.get(type(event))
    return position if change is None else change(position, event)


def with_ship(position: Position, name: str, **changes: Any) -> Position:  # noqa: ANN401 - any field's value
    """Return the position with fields of a ship changed. She loses Max if something forbids it (SQ-07.3)."""
    ship = replace(position.ships_by_id[name], **changes)
    if ship.rammed or ship.is_crippled or ship.is_slowed or ship.held or ship.aground:
        ship = replace(ship, speed="C")
    return replace(position, ships=with_updated(position.ships, ship))


def _move_ship(position: Position, name: str, place: str | None, **changes: Any) -> Position:  # noqa: ANN401 - as above
    if place is None:
        return position
    pose = parse_place(place)
    return with_ship(position, name, bow=pose.bow, facing=pose.facing, **changes)


def _set_cruise(position: Position, *names: str) -> Position:
    for name in names:
        position = with_ship(position, name, speed="C")
    return position


def _apply_sinking(position: Position, event: events.ShipSunk) -> Position:
    ship = position.ships_by_id[event.ship]
    wreck = Ship(id=ship.id, code=ship.code, name=ship.name, status="sunk", bow=ship.bow, facing=ship.facing)
    return _remove_links(position.with_ship(wreck), ship.id)


def _apply_exit(position: Position, event: events.ShipExited) -> Position:
    leaders = tuple(leader for leader in position.leaders if leader.ship != event.ship)
    return _remove_links(replace(with_ship(position, event.ship, status="exited"), leaders=leaders), event.ship)


def _remove_links(position: Position, name: str) -> Position:
    grapples, fouls = (
        tuple(pair for pair in pairs if name not in pair) for pairs in (position.grapples, position.fouls)
    )
    return replace(position, grapples=grapples, fouls=fouls)


def _apply_ram(position: Position, event: events.ShipRammed) -> Position:
    if event.result == "rammed":
        held = _without_capture_bonus(position.ships_by_id[event.target].held)
        position = with_ship(position, event.target, rammed=event.by, held=held)
        return _set_cruise(position, event.by)
    return _set_cruise(with_ship(position, event.by, half_speed=True), event.target)


def _without_capture_bonus(held: CaptureStatus) -> CaptureStatus:  # SQ-22.2
    return "CAP0" if held == "CAP" else held


def _apply_retraction(position: Position, event: events.RetractRolled) -> Position:
    position = _move_ship(position, event.ship, event.to, speed="C")
    if event.result != "fouled":
        return position
    if event.target in position.fouled_with(event.ship):
        return position
    return replace(position, fouls=sort_pairs((*position.fouls, (event.ship, event.target))))


def _apply_rake(position: Position, event: events.ShipRaked) -> Position:
    if not event.ok:
        return position
    side = "crippled_port" if event.side == "p" else "crippled_starboard"
    return with_ship(position, event.target, **{side: True}, half_speed=False, fatigue=0)


def _apply_grapple(position: Position, event: events.ShipGrappled) -> Position:
    if not event.ok:
        return position
    a, b = sorted((event.by, event.target), key=id_sort_key)
    return _set_cruise(replace(position, grapples=sort_pairs((*position.grapples, (a, b)))), a, b)


def _apply_freed(position: Position, event: events.CutTried | events.UnfoulTried) -> Position:
    if not event.ok:
        return position
    pairs = {(event.ship, event.of), (event.of, event.ship)}
    if isinstance(event, events.CutTried):
        return replace(position, grapples=tuple(pair for pair in position.grapples if pair not in pairs))
    position = replace(position, fouls=tuple(pair for pair in position.fouls if pair not in pairs))
    return with_ship(position, event.ship, half_speed=True)


def _apply_boarding(position: Position, event: events.ShipBoarded) -> Position:
    if event.result != "captured":
        return position
    ship: Ship = position.ships_by_id[event.target]
    held = "CAP" if ship.side == ship.builder else "REC"
    return with_ship(position, event.target, held=held, squadron=0, done=True)


def _apply_firefight(position: Position, event: events.FireFought) -> Position:
    return with_ship(position, event.ship, burning=False) if event.effect == "out" else position


def _change_leader(position: Position, name: str, **changes: Any) -> Position:  # noqa: ANN401 - any field's value
    leaders: list[Leader] = [replace(leader, **changes) if leader.id == name else leader for leader in position.leaders]
    return replace(position, leaders=tuple(leaders))


def _apply_leader_transfer(position: Position, event: events.LeaderTransferred) -> Position:
    if not event.ok:
        return position
    reduced_before = next(leader.reduced for leader in position.leaders if leader.id == event.leader)
    return _change_leader(
        _set_cruise(position, event.to), event.leader, ship=event.to, reduced=reduced_before or "temp"
    )


def _apply_leader_loss(position: Position, event: events.LeaderLost) -> Position:
    if event.to is None:
        return replace(position, leaders=tuple(leader for leader in position.leaders if leader.id != event.leader))
    return _change_leader(position, event.leader, ship=event.to, reduced="perm")


def _apply_depletion(position: Position, event: events.ManpowerLost) -> Position:
    return with_ship(position, event.ship, depletion=position.ships_by_id[event.ship].depletion + 1)


def _apply_speeds(position: Position, event: events.SpeedSet) -> Position:
    for name in event.ships:
        position = with_ship(position, name, speed=event.speed)
    return position


def _apply_formation(position: Position, event: events.SquadronsFormed) -> Position:
    numbers = {name: squadron.number for squadron in event.squadrons for name in squadron.ships}
    return replace(position, ships=tuple(replace(ship, squadron=numbers.get(ship.id, 0)) for ship in position.ships))


def _apply_confusion(position: Position, event: events.OrdersConfused) -> Position:
    flagship = position.ships_by_id[event.flagship]
    squadron_ships = [
        ship.id for ship in position.ships_of(flagship.side) if ship.squadron == flagship.squadron and not ship.done
    ]
    return position if event.effect == "none" else _set_cruise(position, *squadron_ships)


_EVENT_CHANGES: Final[dict[type[Event], Callable[[Position, Any], Position]]] = {
    events.ShipMoved: lambda position, event: _move_ship(position, event.ship, event.to),
    events.AvoidanceTried: lambda position, event: (
        _move_ship(position, event.ship, event.to, speed="C", fatigue=2) if event.ok else position
    ),
    events.ShipExited: _apply_exit,
    events.ShipSunk: _apply_sinking,
    events.ShipRammed: _apply_ram,
    events.RetractRolled: _apply_retraction,
    events.ShipRaked: _apply_rake,
    events.ShipGrappled: _apply_grapple,
    events.CutTried: _apply_freed,
    events.UnfoulTried: _apply_freed,
    events.ShipBoarded: _apply_boarding,
    events.ManpowerLost: _apply_depletion,
    events.FatigueRolled: lambda position, event: with_ship(
        position, event.ship, fatigue=max(event.result, position.ships_by_id[event.ship].fatigue)
    ),
    events.CrewRecovered: lambda position, event: with_ship(position, event.ship, fatigue=event.fatigue),
    events.IgnitionRolled: lambda position, event: (
        with_ship(position, event.ship, burning=True) if event.ok else position
    ),
    events.FireFought: _apply_firefight,
    events.TowersJettisoned: lambda position, event: with_ship(position, event.ship, jettisoned=True),
    events.LeaderTransferred: _apply_leader_transfer,
    events.LeaderRestored: lambda position, event: _change_leader(position, event.leader, reduced=""),
    events.LeaderLost: _apply_leader_loss,
    events.SailsChanged: lambda position, event: with_ship(position, event.ship, sails=event.up),
    events.MastLost: lambda position, event: with_ship(
        position, event.ship, mast_down=not event.cleared, sails=False, no_sails=True
    ),
    events.ShipGrounded: lambda position, event: with_ship(
        position,
        event.ship,
        aground=max(1, position.turn),
        held=_without_capture_bonus(position.ships_by_id[event.ship].held),
    ),
    events.RefloatRolled: lambda position, event: _move_ship(
        position, event.ship, event.to, aground=0, was_aground=True
    ),
    events.WindRose: lambda position, event: replace(position, wind=event.wind),
    events.WindChanged: lambda position, event: replace(position, wind=event.wind),
    events.SpeedSet: _apply_speeds,
    events.SquadronsFormed: _apply_formation,
    events.OrdersConfused: _apply_confusion,
    events.ControlRolled: lambda position, event: position if event.ok else _set_cruise(position, event.ship),
}


def visible_event_types() -> frozenset[type[Event]]:
    return frozenset(_EVENT_CHANGES)

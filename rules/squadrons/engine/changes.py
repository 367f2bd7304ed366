"""The effect of each event on the position."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec.structs import replace

from rules.core.finding import with_updated
from rules.core.protocol import Event
from rules.squadrons.engine import events
from rules.squadrons.engine.sea.grid import parse_place
from rules.squadrons.engine.sea.state import Leader, Position, Ship, ShipPair, id_sort_key


def position_after_event(now: Position, event: Event) -> Position:
    change = _EVENT_CHANGES.get(type(event))
    return now if change is None else change(now, event)


def with_ship(now: Position, name: str, **changes: Any) -> Position:  # noqa: ANN401 - any field's value
    """Return the position with fields of a ship changed. She loses Max if something forbids it (SQ-07.3)."""
    ship = replace(now.ships_by_id[name], **changes)
    if ship.rammed or ship.is_crippled or ship.is_slowed or ship.held or ship.aground:
        ship = replace(ship, speed="C")
    return replace(now, ships=with_updated(now.ships, ship))


def _move_ship(now: Position, name: str, place: str | None, **changes: Any) -> Position:  # noqa: ANN401 - as above
    if place is None:
        return now
    at = parse_place(place)
    return with_ship(now, name, bow=at.bow, facing=at.facing, **changes)


def _set_cruise(now: Position, *names: str) -> Position:
    for name in names:
        now = with_ship(now, name, speed="C")
    return now


def _apply_sinking(now: Position, event: events.ShipSunk) -> Position:
    was = now.ships_by_id[event.ship]
    gone = Ship(id=was.id, code=was.code, name=was.name, status="sunk", bow=was.bow, facing=was.facing)
    return _release_all(now.with_ship(gone), was.id)


def _apply_exit(now: Position, event: events.ShipExited) -> Position:
    left = tuple(leader for leader in now.leaders if leader.ship != event.ship)
    return _release_all(replace(with_ship(now, event.ship, status="exited"), leaders=left), event.ship)


def _release_all(now: Position, name: str) -> Position:
    grapples, fouls = (tuple(pair for pair in pairs if name not in pair) for pairs in (now.grapples, now.fouls))
    return replace(now, grapples=grapples, fouls=fouls)


def _apply_ram(now: Position, event: events.ShipRammed) -> Position:
    if event.result == "rammed":
        held = now.ships_by_id[event.target].held
        now = with_ship(now, event.target, rammed=event.by, held="CAP0" if held == "CAP" else held)
        return _set_cruise(now, event.by)
    return _set_cruise(with_ship(now, event.by, half_speed=True), event.target)


def _apply_retraction(now: Position, event: events.RetractRolled) -> Position:
    now = _move_ship(now, event.ship, event.to, speed="C")
    if event.result != "fouled":
        return now
    if event.target in now.fouled_with(event.ship):
        return now
    return replace(now, fouls=_sort_pairs((*now.fouls, (event.ship, event.target))))


def _sort_pairs(pairs: Iterable[ShipPair]) -> tuple[ShipPair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (id_sort_key(pair[0]), id_sort_key(pair[1]))))


def _apply_rake(now: Position, event: events.ShipRaked) -> Position:
    if not event.ok:
        return now
    side = "crippled_port" if event.side == "p" else "crippled_starboard"
    return with_ship(now, event.target, **{side: True}, half_speed=False, fatigue=0)


def _apply_grapple(now: Position, event: events.ShipGrappled) -> Position:
    if not event.ok:
        return now
    a, b = sorted((event.by, event.target), key=id_sort_key)
    return _set_cruise(replace(now, grapples=_sort_pairs((*now.grapples, (a, b)))), a, b)


def _apply_freed(now: Position, event: events.CutTried | events.UnfoulTried) -> Position:
    if not event.ok:
        return now
    pairs = {(event.ship, event.of), (event.of, event.ship)}
    if isinstance(event, events.CutTried):
        return replace(now, grapples=tuple(pair for pair in now.grapples if pair not in pairs))
    now = replace(now, fouls=tuple(pair for pair in now.fouls if pair not in pairs))
    return with_ship(now, event.ship, half_speed=True)


def _apply_boarding(now: Position, event: events.ShipBoarded) -> Position:
    if event.result != "captured":
        return now
    ship: Ship = now.ships_by_id[event.target]
    held = "CAP" if ship.side == ship.builder else "REC"
    return with_ship(now, event.target, held=held, squadron=0, done=True)


def _apply_firefight(now: Position, event: events.FireFought) -> Position:
    return with_ship(now, event.ship, burning=False) if event.effect == "out" else now


def _change_leader(now: Position, name: str, **changes: Any) -> Position:  # noqa: ANN401 - any field's value
    leaders: list[Leader] = [replace(leader, **changes) if leader.id == name else leader for leader in now.leaders]
    return replace(now, leaders=tuple(leaders))


def _apply_leader_transfer(now: Position, event: events.LeaderTransferred) -> Position:
    if not event.ok:
        return now
    was = next(leader.reduced for leader in now.leaders if leader.id == event.leader)
    return _change_leader(_set_cruise(now, event.to), event.leader, ship=event.to, reduced=was or "temp")


def _apply_leader_loss(now: Position, event: events.LeaderLost) -> Position:
    if event.to is None:
        return replace(now, leaders=tuple(leader for leader in now.leaders if leader.id != event.leader))
    return _change_leader(now, event.leader, ship=event.to, reduced="perm")


def _apply_depletion(now: Position, event: events.ManpowerLost) -> Position:
    return with_ship(now, event.ship, depletion=now.ships_by_id[event.ship].depletion + 1)


def _apply_speeds(now: Position, event: events.SpeedSet) -> Position:
    for name in event.ships:
        now = with_ship(now, name, speed=event.speed)
    return now


def _apply_formation(now: Position, event: events.SquadronsFormed) -> Position:
    numbers = {name: squadron.number for squadron in event.squadrons for name in squadron.ships}
    return replace(now, ships=tuple(replace(ship, squadron=numbers.get(ship.id, 0)) for ship in now.ships))


def _apply_confusion(now: Position, event: events.OrdersConfused) -> Position:
    of = now.ships_by_id[event.flagship]
    same = [ship.id for ship in now.ships_of(of.side) if ship.squadron == of.squadron and not ship.done]
    return now if event.effect == "none" else _set_cruise(now, *same)


_EVENT_CHANGES: Final[dict[type[Event], Callable[[Position, Any], Position]]] = {
    events.ShipMoved: lambda now, event: _move_ship(now, event.ship, event.to),
    events.AvoidanceTried: lambda now, event: (
        _move_ship(now, event.ship, event.to, speed="C", fatigue=2) if event.ok else now
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
    events.FatigueRolled: lambda now, event: with_ship(
        now, event.ship, fatigue=max(event.result, now.ships_by_id[event.ship].fatigue)
    ),
    events.CrewRecovered: lambda now, event: with_ship(now, event.ship, fatigue=event.fatigue),
    events.IgnitionRolled: lambda now, event: with_ship(now, event.ship, burning=True) if event.ok else now,
    events.FireFought: _apply_firefight,
    events.TowersJettisoned: lambda now, event: with_ship(now, event.ship, jettisoned=True),
    events.LeaderTransferred: _apply_leader_transfer,
    events.LeaderRestored: lambda now, event: _change_leader(now, event.leader, reduced=""),
    events.LeaderLost: _apply_leader_loss,
    events.SailsChanged: lambda now, event: with_ship(now, event.ship, sails=event.up),
    events.MastLost: lambda now, event: with_ship(
        now, event.ship, mast_down=not event.cleared, sails=False, no_sails=True
    ),
    events.ShipGrounded: lambda now, event: with_ship(now, event.ship, aground=max(1, now.turn)),
    events.RefloatRolled: lambda now, event: _move_ship(now, event.ship, event.to, aground=0),
    events.SpeedSet: _apply_speeds,
    events.SquadronsFormed: _apply_formation,
    events.OrdersConfused: _apply_confusion,
    events.ControlRolled: lambda now, event: now if event.ok else _set_cruise(now, event.ship),
}


def visible_event_types() -> frozenset[type[Event]]:
    return frozenset(_EVENT_CHANGES)

"""What each event does to what lies on the map."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec.structs import replace

from rules.finding import updated
from rules.protocol import Event
from rules.squadrons.table import events
from rules.squadrons.table.sea.grid import read_place
from rules.squadrons.table.sea.state import Leader, Pair, Position, Ship, order_of


def changed(now: Position, event: Event) -> Position:
    """What lies on the map after an event; who acts does not matter."""
    change = _CHANGES.get(type(event))
    return now if change is None else change(now, event)


def with_ship(now: Position, name: str, **changes: Any) -> Position:  # noqa: ANN401 - any field's value
    """The same with some fields of a ship changed; what forbids Max takes it away at once (SQ-07.3)."""
    ship = replace(now.by_id[name], **changes)
    if ship.rammed or ship.crippled or ship.slowed or ship.held or ship.aground:
        ship = replace(ship, speed="C")
    return replace(now, ships=updated(now.ships, ship))


def _put(now: Position, name: str, place: str | None, **changes: Any) -> Position:  # noqa: ANN401 - as above
    if place is None:
        return now
    at = read_place(place)
    return with_ship(now, name, bow=at.bow, facing=at.facing, **changes)


def _cruise(now: Position, *names: str) -> Position:
    for name in names:
        now = with_ship(now, name, speed="C")
    return now


def _sunk(now: Position, event: events.Sunk) -> Position:
    """Her hull is all that is left of her."""
    was = now.by_id[event.ship]
    gone = Ship(id=was.id, code=was.code, name=was.name, status="sunk", bow=was.bow, facing=was.facing)
    return _released(now.with_ship(gone), was.id)


def _exited(now: Position, event: events.Exited) -> Position:
    left = tuple(leader for leader in now.leaders if leader.ship != event.ship)
    return _released(replace(with_ship(now, event.ship, status="exited"), leaders=left), event.ship)


def _released(now: Position, name: str) -> Position:
    """Nothing holds a ship."""
    grapples, fouls = (tuple(pair for pair in pairs if name not in pair) for pairs in (now.grapples, now.fouls))
    return replace(now, grapples=grapples, fouls=fouls)


def _rammed(now: Position, event: events.Rammed) -> Position:
    if event.result == "rammed":
        held = now.by_id[event.target].held
        now = with_ship(now, event.target, rammed=event.by, held="CAP0" if held == "CAP" else held)
        return _cruise(now, event.by)
    return _cruise(with_ship(now, event.by, half_speed=True), event.target)


def _retracted(now: Position, event: events.Retracted) -> Position:
    now = _put(now, event.ship, event.to, speed="C")
    if event.result != "fouled":
        return now
    if event.target in now.fouled_with(event.ship):
        return now
    return replace(now, fouls=_sorted((*now.fouls, (event.ship, event.target))))


def _sorted(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (order_of(pair[0]), order_of(pair[1]))))


def _raked(now: Position, event: events.Raked) -> Position:
    if not event.ok:
        return now
    side = "crippled_port" if event.side == "p" else "crippled_starboard"
    return with_ship(now, event.target, **{side: True}, half_speed=False, fatigue=0)


def _grappled(now: Position, event: events.Grappled) -> Position:
    if not event.ok:
        return now
    a, b = sorted((event.by, event.target), key=order_of)
    return _cruise(replace(now, grapples=_sorted((*now.grapples, (a, b)))), a, b)


def _loose(now: Position, event: events.CutLoose | events.Unfouled) -> Position:
    if not event.ok:
        return now
    pairs = {(event.ship, event.of), (event.of, event.ship)}
    if isinstance(event, events.CutLoose):
        return replace(now, grapples=tuple(pair for pair in now.grapples if pair not in pairs))
    now = replace(now, fouls=tuple(pair for pair in now.fouls if pair not in pairs))
    return with_ship(now, event.ship, half_speed=True)


def _boarded(now: Position, event: events.Boarded) -> Position:
    if event.result != "captured":
        return now
    ship: Ship = now.by_id[event.target]
    held = "CAP" if ship.side == ship.builder else "REC"
    return with_ship(now, event.target, held=held, squadron=0, done=True)


def _burnt(now: Position, event: events.Firefight) -> Position:
    return with_ship(now, event.ship, burning=False) if event.effect == "out" else now


def _leader(now: Position, name: str, **changes: Any) -> Position:  # noqa: ANN401 - any field's value
    found: list[Leader] = [replace(one, **changes) if one.id == name else one for one in now.leaders]
    return replace(now, leaders=tuple(found))


def _went_over(now: Position, event: events.Transferred) -> Position:
    if not event.ok:
        return now
    was = next(leader.reduced for leader in now.leaders if leader.id == event.leader)
    return _leader(_cruise(now, event.to), event.leader, ship=event.to, reduced=was or "temp")


def _bereft(now: Position, event: events.LeaderLost) -> Position:
    if event.to is None:
        return replace(now, leaders=tuple(one for one in now.leaders if one.id != event.leader))
    return _leader(now, event.leader, ship=event.to, reduced="perm")


def _depleted(now: Position, event: events.Depleted) -> Position:
    return with_ship(now, event.ship, depletion=now.by_id[event.ship].depletion + 1)


def _speeds(now: Position, event: events.SpeedSet) -> Position:
    for name in event.ships:
        now = with_ship(now, name, speed=event.speed)
    return now


def _formed(now: Position, event: events.SquadronsFormed) -> Position:
    numbers = {name: squadron.number for squadron in event.squadrons for name in squadron.ships}
    return replace(now, ships=tuple(replace(ship, squadron=numbers.get(ship.id, 0)) for ship in now.ships))


def _confused(now: Position, event: events.Confused) -> Position:
    of = now.by_id[event.flagship]
    same = [ship.id for ship in now.of(of.side) if ship.squadron == of.squadron and not ship.done]
    return now if event.effect == "none" else _cruise(now, *same)


_CHANGES: Final[dict[type[Event], Callable[[Position, Any], Position]]] = {
    events.Moved: lambda now, event: _put(now, event.ship, event.to),
    events.Avoided: lambda now, event: _put(now, event.ship, event.to, speed="C", fatigue=2) if event.ok else now,
    events.Exited: _exited,
    events.Sunk: _sunk,
    events.Rammed: _rammed,
    events.Retracted: _retracted,
    events.Raked: _raked,
    events.Grappled: _grappled,
    events.CutLoose: _loose,
    events.Unfouled: _loose,
    events.Boarded: _boarded,
    events.Depleted: _depleted,
    events.Fatigued: lambda now, event: with_ship(
        now, event.ship, fatigue=max(event.result, now.by_id[event.ship].fatigue)
    ),
    events.Recovered: lambda now, event: with_ship(now, event.ship, fatigue=event.fatigue),
    events.Ignited: lambda now, event: with_ship(now, event.ship, burning=True) if event.ok else now,
    events.Firefight: _burnt,
    events.Jettisoned: lambda now, event: with_ship(now, event.ship, jettisoned=True),
    events.Transferred: _went_over,
    events.Restored: lambda now, event: _leader(now, event.leader, reduced=""),
    events.LeaderLost: _bereft,
    events.Sailed: lambda now, event: with_ship(now, event.ship, sails=event.up),
    events.MastDown: lambda now, event: with_ship(
        now, event.ship, mast_down=not event.cleared, sails=False, no_sails=True
    ),
    events.Grounded: lambda now, event: with_ship(now, event.ship, aground=max(1, now.turn)),
    events.GroundRolled: lambda now, event: _put(now, event.ship, event.to, aground=0),
    events.SpeedSet: _speeds,
    events.SquadronsFormed: _formed,
    events.Confused: _confused,
    events.Is: lambda now, event: now if event.ok else _cruise(now, event.ship),
}
"""What each event does to the sea."""


def shown() -> frozenset[type[Event]]:
    """Events that change what is seen."""
    return frozenset(_CHANGES)

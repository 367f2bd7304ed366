"""The events of a player-turn, sorted into acts: each a move, or the shots of one ship, with the fleets around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from rules.forts.desk.view import HexView
from rules.forts.table.events import MoveUndone, Sailed, ShipSunk, ShotFired, TurnBegan, WindRolled
from rules.forts.table.state import Ship
from rules.protocol import Event

Fleet = dict[str, Ship]
Deed = Sailed | MoveUndone | ShotFired | ShipSunk


@dataclass(frozen=True)
class Act:
    """What one ship did at one go."""

    deeds: tuple[Deed, ...]
    before: Fleet
    after: Fleet

    @property
    def by(self) -> str:
        """The ship that did it."""
        first = self.deeds[0]
        return first.by if isinstance(first, ShotFired | ShipSunk) else first.ship

    @property
    def shots(self) -> tuple[ShotFired, ...]:
        """Her shots, in order."""
        return tuple(deed for deed in self.deeds if isinstance(deed, ShotFired))

    @property
    def moves(self) -> tuple[Sailed | MoveUndone, ...]:
        """Her move, if that is what it was."""
        return tuple(deed for deed in self.deeds if isinstance(deed, Sailed | MoveUndone))


def acts(view: HexView, events: Sequence[Event]) -> tuple[Act, ...]:
    """The acts of the last player-turn of which anything can be seen; the view is of what came of all the events.

    A move that was taken back is left out.
    """
    told = _without_undone(events)
    fleets = iter(_rewound(view, [event for event in told if isinstance(event, Deed)]))
    before = next(fleets)
    last: list[Act] = []
    fresh = False
    for event in told:
        fresh = fresh or isinstance(event, TurnBegan)
        if isinstance(event, Deed):
            last = [] if fresh else last
            fresh = False
            after = next(fleets)
            last.append(Act((event,), before, after))
            before = after
    return _joined(last, whole=False)


def by_ship(told: Sequence[Act]) -> tuple[Act, ...]:
    """Acts with all that a ship did at one go in one: her shots, her move, and her shots after it."""
    return _joined(told, whole=True)


def wind_of(events: Sequence[Event]) -> WindRolled | None:
    """The roll of the wind for the player-turn of the acts; None if it is not told."""
    deeds = [i for i, event in enumerate(events) if isinstance(event, Deed)]
    told = events[: deeds[-1]] if deeds else events
    return next((event for event in reversed(told) if isinstance(event, WindRolled)), None)


def _without_undone(events: Sequence[Event]) -> list[Event]:
    out: list[Event] = []
    for event in events:
        if isinstance(event, MoveUndone):
            moves = [i for i, each in enumerate(out) if isinstance(each, Sailed) and each.ship == event.ship]
            if moves:
                del out[moves[-1]]
                continue
        out.append(event)
    return out


def _joined(told: Sequence[Act], *, whole: bool) -> tuple[Act, ...]:
    out: list[Act] = []
    for act in told:
        if out and act.by == out[-1].by and (whole or not (act.moves or out[-1].moves)):
            act = Act((*out[-1].deeds, *act.deeds), out.pop().before, act.after)  # noqa: PLW2901 - grown by the last
        out.append(act)
    return tuple(out)


def _rewound(view: HexView, deeds: Sequence[Deed]) -> list[Fleet]:
    """The fleets before each deed, and after the last: told backwards from what the view shows."""
    fleet: Fleet = {ship.id: ship for ship in view.ships}
    lost: Fleet = {ship.id: ship for ship in view.sunk}
    out = [fleet]
    for deed in reversed(deeds):
        fleet = dict(fleet)
        match deed:
            case Sailed() | MoveUndone() if deed.ship in fleet:
                fleet[deed.ship] = replace(fleet[deed.ship], hex=deed.start)
            case ShotFired() if deed.hit and deed.to in fleet:
                fleet[deed.to] = replace(fleet[deed.to], hits=max(0, fleet[deed.to].hits - 1))
            case ShipSunk() if deed.ship in lost:
                fleet[deed.ship] = lost[deed.ship]
            case _:
                pass
        out.append(fleet)
    return out[::-1]

"""The events of a player-turn, sorted into acts: each a move, or the shots of one ship, with the fleets around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from rules.forts.events import MoveUndone, Sailed, ShipSunk, ShotFired, TurnBegan, WindRolled
from rules.forts.state import Ship
from rules.forts.view import HexView
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
    """The acts of the last player-turn of which anything can be seen; the view is of what came of all the events."""
    deeds = [event for event in events if isinstance(event, Sailed | MoveUndone | ShotFired | ShipSunk)]
    fleets = _rewound(view, deeds)
    last: list[tuple[Deed, Fleet, Fleet]] = []
    number = 0
    fresh = False
    for event in events:
        fresh = fresh or isinstance(event, TurnBegan)
        if isinstance(event, Sailed | MoveUndone | ShotFired | ShipSunk):
            last = [] if fresh else last
            fresh = False
            last.append((event, fleets[number], fleets[number + 1]))
            number += 1
    return tuple(_joined(last))


def wind_of(events: Sequence[Event]) -> WindRolled | None:
    """The roll of the wind for the player-turn of the acts; None if it is not told."""
    deeds = [i for i, event in enumerate(events) if isinstance(event, Sailed | MoveUndone | ShotFired | ShipSunk)]
    told = events[: deeds[-1]] if deeds else events
    return next((event for event in reversed(told) if isinstance(event, WindRolled)), None)


def _joined(deeds: Sequence[tuple[Deed, Fleet, Fleet]]) -> list[Act]:
    out: list[Act] = []
    for deed, before, after in deeds:
        one = Act((deed,), before, after)
        if out and not one.moves and not out[-1].moves and one.by == out[-1].by:
            one = Act((*out[-1].deeds, deed), out[-1].before, after)
            out.pop()
        out.append(one)
    return out


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

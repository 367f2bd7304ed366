"""The events of a round, sorted into steps with the galleys as they stood in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from msgspec.structs import replace

from rules.matchbox.table.events import (
    BackedOff,
    Lost,
    MatchesLaid,
    Moved,
    Reorganized,
    RoundBegan,
    Sank,
    Struck,
    VolleyDropped,
)
from rules.matchbox.table.state import Galley
from rules.protocol import Event

E = TypeVar("E", bound=Event)
Fleet = dict[str, Galley]


@dataclass(frozen=True)
class Act:
    """One step of a round; step 0 is what happened before the first, step 6 what happened after the last."""

    step: int
    before: Fleet
    """Galleys as the step began."""
    moved: Fleet
    """The same after its movement: as they stood when volleys were dropped."""
    after: Fleet
    events: tuple[Event, ...]

    @property
    def stirs(self) -> bool:
        """Whether anything of it can be seen."""
        return any(isinstance(event, Moved | BackedOff | VolleyDropped | Lost) for event in self.events)

    def of(self, kind: type[E]) -> list[E]:
        """The events of a type that happened in it."""
        return [event for event in self.events if isinstance(event, kind)]


AFTER = 6


def acts(events: Sequence[Event], galleys: Sequence[Galley]) -> tuple[Act, ...]:
    """Sort the events of the last round told; `galleys` stand as it begins unless the events say so themselves."""
    began = [i for i, event in enumerate(events) if isinstance(event, RoundBegan)]
    events = events[began[-1] :] if began else events
    fleet: Fleet = {ship.id: ship for ship in galleys}
    by_step: dict[int, list[Event]] = {}
    step = 0
    for event in events:
        if isinstance(event, RoundBegan):
            fleet = {ship.id: ship for ship in event.galleys}
        step = AFTER if isinstance(event, BackedOff) else max(step, getattr(event, "step", step))
        by_step.setdefault(step, []).append(event)
    out: list[Act] = []
    for number, happened in sorted(by_step.items()):
        moved = _apply(fleet, [e for e in happened if isinstance(e, Moved | BackedOff)])
        after = _apply(moved, [e for e in happened if not isinstance(e, Moved | BackedOff)])
        out.append(Act(number, fleet, moved, after, tuple(happened)))
        fleet = after
    return tuple(out)


def _apply(fleet: Fleet, events: Sequence[Event]) -> Fleet:
    ships = dict(fleet)
    for event in events:
        ship = ships.get(getattr(event, "galley", ""))
        if ship is None:
            continue
        match event:
            case Moved() | BackedOff():
                ships[ship.id] = replace(ship, pose=event.end)
            case Lost():
                ships[ship.id] = replace(
                    ship,
                    port=max(0, ship.port - event.port),
                    starboard=max(0, ship.starboard - event.starboard),
                    masts=max(0, ship.masts - event.masts),
                )
            case Reorganized():
                ships[ship.id] = replace(ship, port=event.port, starboard=event.starboard)
            case Sank() | Struck():
                del ships[ship.id]
            case _:
                pass
    return ships


def laid(act: Act) -> MatchesLaid | None:
    """The order matches as they lay when the step's volleys were dropped."""
    found = act.of(MatchesLaid)
    return found[-1] if found else None

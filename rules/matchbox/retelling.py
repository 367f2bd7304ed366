"""A round told again from its events, step by step, with the galleys as they stood in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from msgspec import structs

from rules.matchbox.desk.view import TableView
from rules.matchbox.table import boarding, damage, shore
from rules.matchbox.table.events import (
    BackedOff,
    GalleyPlaced,
    GameDrawn,
    GameWon,
    Lost,
    MatchesLaid,
    Moved,
    Rammed,
    Reorganized,
    RoundBegan,
    RoundEnded,
    Sank,
    Struck,
    VolleyDropped,
)
from rules.matchbox.table.incidents import (
    BurntOut,
    Captured,
    CaughtFire,
    FirePutOut,
    Grappled,
    LeftTable,
    Melee,
    Mended,
    PoledOff,
    Torched,
)
from rules.matchbox.table.state import Galley, LaidMatch, Side
from rules.plane import Land
from rules.protocol import Event
from rules.retelling import Moment, folded

AFTER: Final = 6
"""The number of what happened after the last step: galleys back off."""
_SHOWN: Final = (Moved, BackedOff, PoledOff, VolleyDropped, Lost, Grappled, BurntOut, FirePutOut, LeftTable)
"""What can be seen in a picture."""
Galleys = Mapping[str, Galley]


@dataclass(frozen=True, kw_only=True)
class Table:
    """What lies on the table at one moment."""

    sides: tuple[Side, ...]
    """Of each seat."""
    galleys: Galleys
    """Afloat, by id."""
    lost: tuple[Galley, ...] = ()
    """As they were last, in the order in which they were lost."""
    lying: tuple[LaidMatch, ...] = ()
    """Order matches, as they were last laid."""
    shore: Land | None = None


@dataclass(frozen=True, kw_only=True)
class Act(Moment[Table]):
    """One step of a round; step 0 is what happened before the first, `AFTER` what happened after the last."""

    step: int
    grapples: tuple[tuple[str, str], ...] = ()
    """Pairs that are held fast, in this step and until the end of the round (MX-3.3)."""

    @cached_property
    def moved(self) -> Table:
        """The table after its movement: as it was when volleys were dropped."""
        moves = (event for event in self.events if isinstance(event, Moved | BackedOff | PoledOff))
        return folded(self.before, moves, carried_out)

    @property
    def stirs(self) -> bool:
        """Whether anything of it can be seen."""
        return any(isinstance(event, _SHOWN) for event in self.events)

    @property
    def strikes(self) -> tuple[tuple[str, str], ...]:
        """Who struck another with her bow, and the other: rams, then fire ships (MX-2.7)."""
        rams = [(ram.by, ram.to) for ram in self.of(Rammed)]
        return (*rams, *((torch.by, torch.galley) for torch in self.of(Torched)))

    @property
    def laid(self) -> tuple[LaidMatch, ...] | None:
        """The order matches as they lay when its volleys were dropped; None if it doesn't tell."""
        found = self.of(MatchesLaid)
        return found[-1].lying if found else None


def seen(view: TableView) -> Table:
    """What a view shows of the table; not the viewer's galleys that are still to be placed."""
    placed = {galley.id: galley for galley in view.galleys if galley.id not in view.to_place}
    return Table(sides=view.sides, galleys=placed, lost=view.lost, lying=view.lying, shore=view.sea.shore)


def moments(view: TableView, events: Sequence[Event]) -> tuple[Act, ...]:
    """The steps of the last round that the events tell; the view is of what came of them.

    Galleys stand as the view has them as it begins, unless the events say how they stood.
    """
    began = [i for i, event in enumerate(events) if isinstance(event, RoundBegan)]
    now, out = seen(view), []
    grapples: tuple[tuple[str, str], ...] = ()
    for step, happened in sorted(_by_step(events[began[-1] :] if began else events).items()):
        after = folded(now, happened, carried_out)
        before = folded(now, happened[:1], carried_out) if isinstance(happened[0], RoundBegan) else now
        grapples += tuple((event.by, event.galley) for event in happened if isinstance(event, Grappled))
        held = grapples if step < AFTER else ()
        out.append(Act(step=step, before=before, events=tuple(happened), after=after, grapples=held))
        now = after
    return tuple(out)


def losses_of(told: Sequence[Moment[Table]]) -> dict[str, int]:
    """Oars and masts that each galley lost, by id."""
    found: dict[str, int] = {}
    for lost in (lost for moment in told for lost in moment.of(Lost)):
        found[lost.galley] = found.get(lost.galley, 0) + lost.port + lost.starboard + lost.masts
    for fight in (fight for moment in told for fight in moment.of(Melee)):
        for galley, masts in zip((fight.by, fight.galley), fight.lost, strict=True):
            found[galley] = found.get(galley, 0) + masts
    return found


def sunk_in(told: Iterable[Moment[Table]]) -> frozenset[str]:
    """Ids of galleys that left the table."""
    left = (event for moment in told for event in moment.events if isinstance(event, Sank | Struck | BurntOut))
    return frozenset(event.galley for event in left)


def carried_out(now: Table, event: Event) -> Table:
    """The table after an event."""
    match event:
        case GalleyPlaced():
            now = _with(now, _placed(now, event))
        case RoundBegan():
            now = _begun(now, event)
        case MatchesLaid():
            now = replace(now, lying=event.lying)
        case RoundEnded():
            now = _ended(now)
        case GameWon() | GameDrawn():
            now = replace(now, lying=())
        case Moved() | BackedOff() | PoledOff() | Lost() | Reorganized() | CaughtFire() | FirePutOut() | Mended() if (
            event.galley in now.galleys
        ):
            now = _with(now, _changed(now.galleys[event.galley], event))
        case Melee():
            for galley, masts in zip((event.by, event.galley), event.lost, strict=True):
                now = _with(now, structs.replace(now.galleys[galley], masts=now.galleys[galley].masts - masts))
        case Captured():
            now = _taken(now, event)
        case Sank() | Struck() | BurntOut() if event.galley in now.galleys:
            now = _without(now, now.galleys[event.galley])
        case LeftTable():
            now = replace(now, galleys={name: one for name, one in now.galleys.items() if name != event.galley})
        case _:
            pass
    return now


def _begun(now: Table, event: RoundBegan) -> Table:
    """A round begins: who is lost in it is still afloat."""
    galleys = {galley.id: galley for galley in event.galleys}
    lost = tuple(galley for galley in now.lost if galley.id not in galleys)
    return replace(now, galleys=galleys, lost=lost, lying=())


def _taken(now: Table, event: Captured) -> Table:
    """A galley has changed sides, with a prize crew aboard, and her orders are void (MX-3.5)."""
    taker, prize = boarding.capture(now.galleys[event.by], now.galleys[event.galley], event.crew)
    lying = tuple(match for match in now.lying if match.galley != prize.id)
    return replace(_with(_with(now, taker), prize), lying=lying)


def _with(now: Table, galley: Galley) -> Table:
    return replace(now, galleys={**now.galleys, galley.id: galley})


def _without(now: Table, gone: Galley) -> Table:
    left = {name: galley for name, galley in now.galleys.items() if name != gone.id}
    lying = tuple(match for match in now.lying if match.galley != gone.id)
    return replace(now, galleys=left, lost=(*now.lost, gone), lying=lying)


def _placed(now: Table, event: GalleyPlaced) -> Galley:
    """A new galley, or another vessel: with all oars of her type (MB-1.3), unless she is battered (MX-4.7)."""
    return Galley(
        id=event.galley,
        seat=event.seat,
        side=now.sides[event.seat],
        holes=event.holes,
        port=event.oars or event.holes,
        starboard=event.oars or event.holes,
        masts=event.masts,
        pose=event.pose,
        vessel=event.vessel or None,
        crew=event.crew or "",
    )


def _changed(
    galley: Galley,
    event: Moved | BackedOff | PoledOff | Lost | Reorganized | CaughtFire | FirePutOut | Mended,
) -> Galley:
    match event:
        case CaughtFire() | FirePutOut():
            return structs.replace(galley, burning=isinstance(event, CaughtFire))
        case Mended():
            return damage.mend(galley)
        case Moved() | BackedOff() | PoledOff():
            return structs.replace(galley, pose=event.end)
        case Reorganized():
            return structs.replace(galley, port=event.port, starboard=event.starboard)
        case Lost():
            return structs.replace(
                galley,
                port=galley.port - event.port,
                starboard=galley.starboard - event.starboard,
                masts=galley.masts - event.masts,
            )


def _ended(now: Table) -> Table:
    """A round is over: poses are kept as positions are written, and no orders lie on the table."""
    kept = {
        name: structs.replace(galley, pose=shore.written(galley.pose, galley.kind, now.shore))
        for name, galley in now.galleys.items()
    }
    return replace(now, galleys=kept, lying=())


def _by_step(events: Iterable[Event]) -> dict[int, list[Event]]:
    found: dict[int, list[Event]] = {}
    step = 0
    for event in events:
        step = AFTER if isinstance(event, BackedOff | PoledOff | LeftTable) else max(step, getattr(event, "step", step))
        found.setdefault(step, []).append(event)
    return found

"""A round reconstructed from its events, step by step, with the galleys in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from msgspec import structs

from rules.core.protocol import Event
from rules.geometry.plane import Land
from rules.interface.retelling import Moment, fold_events
from rules.matchbox.engine import boarding, damage, events, shore
from rules.matchbox.engine.events import (
    GalleyPlaced,
    GameDrawn,
    GameWon,
    MatchesLaid,
    PartsLost,
    RoundBegan,
    RoundEnded,
    RowersReseated,
    ShipBackedOff,
    ShipGrappled,
    ShipLeft,
    ShipMoved,
    ShipPoledOff,
    ShipRammed,
    ShipStruck,
    ShipSunk,
    VolleyDropped,
)
from rules.matchbox.engine.state import Galley, LaidMatch, TableSide
from rules.matchbox.interface.view import TableView

AFTER_LAST_STEP: Final = 6  # the number of the moment after the last step, in which galleys back off
_VISIBLE_EVENTS: Final = (
    ShipMoved,
    ShipBackedOff,
    ShipPoledOff,
    VolleyDropped,
    PartsLost,
    ShipGrappled,
    events.FireShipSpent,
    events.FireExtinguished,
    ShipLeft,
)
GalleysById = Mapping[str, Galley]


@dataclass(frozen=True, kw_only=True)
class VisibleState:
    """The table at one moment. `lost` galleys are in the order of loss."""

    sides: tuple[TableSide, ...]
    galleys: GalleysById
    lost: tuple[Galley, ...] = ()
    laid_matches: tuple[LaidMatch, ...] = ()
    shore: Land | None = None


@dataclass(frozen=True, kw_only=True)
class StoryMoment(Moment[VisibleState]):
    """One step of a round. Step 0 comes before the first, and `AFTER_LAST_STEP` after the last."""

    step: int
    grapples: tuple[tuple[str, str], ...] = ()  # pairs that hold each other in this step (MX-3.3)

    @cached_property
    def after_movement(self) -> VisibleState:
        moves = (event for event in self.events if isinstance(event, ShipMoved | ShipBackedOff | ShipPoledOff))
        return fold_events(self.before, moves, apply_event)

    @property
    def has_visible_event(self) -> bool:
        return any(isinstance(event, _VISIBLE_EVENTS) for event in self.events)

    @property
    def bow_strikes(self) -> tuple[tuple[str, str], ...]:
        """Attacker and target of rams, then of fire ships (MX-2.7)."""
        rams = [(ram.by, ram.to) for ram in self.events_of(ShipRammed)]
        return (*rams, *((torch.by, torch.galley) for torch in self.events_of(events.FireShipStruck)))

    @property
    def laid_matches(self) -> tuple[LaidMatch, ...] | None:
        """The order matches when volleys were dropped; None: the events do not show them."""
        layings = self.events_of(MatchesLaid)
        return layings[-1].lying if layings else None


def visible_state(view: TableView) -> VisibleState:
    """Return what a view shows of the table, without the viewer's galleys that are still to be placed."""
    placed = {galley.id: galley for galley in view.galleys if galley.id not in view.to_place}
    return VisibleState(
        sides=view.sides, galleys=placed, lost=view.lost, laid_matches=view.laid_matches, shore=view.sea.shore
    )


def split_moments(view: TableView, events: Sequence[Event]) -> tuple[StoryMoment, ...]:
    """Return the steps of the last round in the events. The view shows their result.

    Unless the events contain the galleys at the start, those of the view are used.
    """
    round_starts = [i for i, event in enumerate(events) if isinstance(event, RoundBegan)]
    now, moments = visible_state(view), []
    grapples: tuple[tuple[str, str], ...] = ()
    for step, step_events in sorted(_events_by_step(events[round_starts[-1] :] if round_starts else events).items()):
        after = fold_events(now, step_events, apply_event)
        before = fold_events(now, step_events[:1], apply_event) if isinstance(step_events[0], RoundBegan) else now
        grapples += tuple((event.by, event.galley) for event in step_events if isinstance(event, ShipGrappled))
        held = grapples if step < AFTER_LAST_STEP else ()
        moments.append(StoryMoment(step=step, before=before, events=tuple(step_events), after=after, grapples=held))
        now = after
    return tuple(moments)


def count_losses(moments: Sequence[Moment[VisibleState]]) -> dict[str, int]:
    """Return the oars and masts that each galley lost, by id."""
    losses: dict[str, int] = {}
    for lost in (lost for moment in moments for lost in moment.events_of(PartsLost)):
        losses[lost.galley] = losses.get(lost.galley, 0) + lost.port + lost.starboard + lost.masts
    for fight in (fight for moment in moments for fight in moment.events_of(events.MeleeFought)):
        for galley, masts in zip((fight.by, fight.galley), fight.lost, strict=True):
            losses[galley] = losses.get(galley, 0) + masts
    return losses


def galleys_lost(moments: Iterable[Moment[VisibleState]]) -> frozenset[str]:
    """Return ids of galleys that left the table by loss."""
    left = (
        event
        for moment in moments
        for event in moment.events
        if isinstance(event, ShipSunk | ShipStruck | events.FireShipSpent)
    )
    return frozenset(event.galley for event in left)


def apply_event(now: VisibleState, event: Event) -> VisibleState:
    """Return the table after an event."""
    match event:
        case GalleyPlaced():
            now = _with_galley(now, _new_galley(now, event))
        case RoundBegan():
            now = _apply_round_began(now, event)
        case MatchesLaid():
            now = replace(now, laid_matches=event.lying)
        case RoundEnded():
            now = _apply_round_ended(now)
        case GameWon() | GameDrawn():
            now = replace(now, laid_matches=())
        case (
            ShipMoved()
            | ShipBackedOff()
            | ShipPoledOff()
            | PartsLost()
            | RowersReseated()
            | events.FireCaught()
            | events.FireExtinguished()
            | events.OarRepaired()
        ) if event.galley in now.galleys:
            now = _with_galley(now, _changed_galley(now.galleys[event.galley], event))
        case events.MeleeFought():
            for galley, masts in zip((event.by, event.galley), event.lost, strict=True):
                now = _with_galley(now, structs.replace(now.galleys[galley], masts=now.galleys[galley].masts - masts))
        case events.ShipCaptured():
            now = _apply_capture(now, event)
        case ShipSunk() | ShipStruck() | events.FireShipSpent() if event.galley in now.galleys:
            now = _without_galley(now, now.galleys[event.galley])
        case ShipLeft():
            now = replace(now, galleys={name: galley for name, galley in now.galleys.items() if name != event.galley})
        case _:
            pass
    return now


def _apply_round_began(now: VisibleState, event: RoundBegan) -> VisibleState:
    galleys = {galley.id: galley for galley in event.galleys}
    lost = tuple(galley for galley in now.lost if galley.id not in galleys)
    return replace(now, galleys=galleys, lost=lost, laid_matches=())


def _apply_capture(now: VisibleState, event: events.ShipCaptured) -> VisibleState:
    """Return the table after a capture, without the prize's orders (MX-3.5)."""
    taker, prize = boarding.capture_galley(now.galleys[event.by], now.galleys[event.galley], event.crew)
    lying = tuple(match for match in now.laid_matches if match.galley != prize.id)
    return replace(_with_galley(_with_galley(now, taker), prize), laid_matches=lying)


def _with_galley(now: VisibleState, galley: Galley) -> VisibleState:
    return replace(now, galleys={**now.galleys, galley.id: galley})


def _without_galley(now: VisibleState, removed: Galley) -> VisibleState:
    left = {name: galley for name, galley in now.galleys.items() if name != removed.id}
    lying = tuple(match for match in now.laid_matches if match.galley != removed.id)
    return replace(now, galleys=left, lost=(*now.lost, removed), laid_matches=lying)


def _new_galley(now: VisibleState, event: GalleyPlaced) -> Galley:
    """Return a new vessel with all oars of its type (MB-1.3), unless it is battered (MX-4.7)."""
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


def _changed_galley(
    galley: Galley,
    event: ShipMoved
    | ShipBackedOff
    | ShipPoledOff
    | PartsLost
    | RowersReseated
    | events.FireCaught
    | events.FireExtinguished
    | events.OarRepaired,
) -> Galley:
    match event:
        case events.FireCaught() | events.FireExtinguished():
            return structs.replace(galley, burning=isinstance(event, events.FireCaught))
        case events.OarRepaired():
            return damage.repair_by_carpenters(galley)
        case ShipMoved() | ShipBackedOff() | ShipPoledOff():
            return structs.replace(galley, pose=event.end)
        case RowersReseated():
            return structs.replace(galley, port=event.port, starboard=event.starboard)
        case PartsLost():
            return structs.replace(
                galley,
                port=galley.port - event.port,
                starboard=galley.starboard - event.starboard,
                masts=galley.masts - event.masts,
            )


def _apply_round_ended(now: VisibleState) -> VisibleState:
    rounded_galleys = {
        name: structs.replace(galley, pose=shore.round_pose_ashore(galley.pose, galley.kind, now.shore))
        for name, galley in now.galleys.items()
    }
    return replace(now, galleys=rounded_galleys, laid_matches=())


def _events_by_step(events: Iterable[Event]) -> dict[int, list[Event]]:
    events_by_step: dict[int, list[Event]] = {}
    step = 0
    for event in events:
        step = (
            AFTER_LAST_STEP
            if isinstance(event, ShipBackedOff | ShipPoledOff | ShipLeft)
            else max(step, getattr(event, "step", step))
        )
        events_by_step.setdefault(step, []).append(event)
    return events_by_step

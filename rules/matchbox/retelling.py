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
_GalleyChange = (
    ShipMoved
    | ShipBackedOff
    | ShipPoledOff
    | PartsLost
    | RowersReseated
    | events.FireCaught
    | events.FireExtinguished
    | events.OarRepaired
)
GalleysById = Mapping[str, Galley]


@dataclass(frozen=True, kw_only=True)
class VisibleState:
    """The table at one moment. `lost` galleys are in the order of loss."""

    sides: tuple[TableSide, ...]  # each seat's side
    galleys: GalleysById  # galleys afloat, by id
    lost: tuple[Galley, ...] = ()  # galleys that sank or left
    laid_matches: tuple[LaidMatch, ...] = ()  # order matches on the table
    shore: Land | None = None  # land that stops hulls; None: open water


@dataclass(frozen=True, kw_only=True)
class StoryMoment(Moment[VisibleState]):
    """One step of a round. Step 0 comes before the first, and `AFTER_LAST_STEP` after the last."""

    step: int  # number of the order step; 0: before the first, 6: after the last
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
    state_before = visible_state(view)
    moments = []
    grapples: tuple[tuple[str, str], ...] = ()
    round_events = events[round_starts[-1] :] if round_starts else events
    for step, step_events in sorted(_events_by_step(round_events).items()):
        after = fold_events(state_before, step_events, apply_event)
        before = state_before
        if isinstance(step_events[0], RoundBegan):  # the event says how galleys are at the start of the round
            before = fold_events(state_before, step_events[:1], apply_event)
        grapples += tuple((event.by, event.galley) for event in step_events if isinstance(event, ShipGrappled))
        present_grapples = grapples if step < AFTER_LAST_STEP else ()
        moments.append(
            StoryMoment(step=step, before=before, events=tuple(step_events), after=after, grapples=present_grapples)
        )
        state_before = after
    return tuple(moments)


def count_losses(moments: Sequence[Moment[VisibleState]]) -> dict[str, int]:
    """Return the oars and masts that each galley lost, by id."""
    losses: dict[str, int] = {}
    for moment in moments:
        for loss in moment.events_of(PartsLost):
            losses[loss.galley] = losses.get(loss.galley, 0) + loss.port + loss.starboard + loss.masts
    for moment in moments:
        for fight in moment.events_of(events.MeleeFought):
            for galley, masts in zip((fight.by, fight.galley), fight.lost, strict=True):
                losses[galley] = losses.get(galley, 0) + masts
    return losses


def galleys_lost(moments: Iterable[Moment[VisibleState]]) -> frozenset[str]:
    """Return ids of galleys that left the table by loss."""
    return frozenset(
        event.galley
        for moment in moments
        for event in moment.events
        if isinstance(event, ShipSunk | ShipStruck | events.FireShipSpent)
    )


def apply_event(state: VisibleState, event: Event) -> VisibleState:
    """Return what is visible after an event. Events that change nothing visible return the state itself."""
    if isinstance(event, _GalleyChange) and event.galley in state.galleys:
        return _with_galley(state, _changed_galley(state.galleys[event.galley], event))
    match event:
        case GalleyPlaced():
            state = _with_galley(state, _new_galley(state, event))
        case RoundBegan():
            state = _apply_round_began(state, event)
        case MatchesLaid():
            state = replace(state, laid_matches=event.lying)
        case RoundEnded():
            state = _apply_round_ended(state)
        case GameWon() | GameDrawn():
            state = replace(state, laid_matches=())
        case events.MeleeFought():
            for galley, masts in zip((event.by, event.galley), event.lost, strict=True):
                fighter = state.galleys[galley]
                state = _with_galley(state, structs.replace(fighter, masts=fighter.masts - masts))
        case events.ShipCaptured():
            state = _apply_capture(state, event)
        case ShipSunk() | ShipStruck() | events.FireShipSpent() if event.galley in state.galleys:
            state = _without_galley(state, state.galleys[event.galley])
        case ShipLeft():
            state = replace(
                state, galleys={name: galley for name, galley in state.galleys.items() if name != event.galley}
            )
        case _:
            pass
    return state


def _apply_round_began(state: VisibleState, event: RoundBegan) -> VisibleState:
    galleys = {galley.id: galley for galley in event.galleys}
    lost = tuple(galley for galley in state.lost if galley.id not in galleys)
    return replace(state, galleys=galleys, lost=lost, laid_matches=())


def _apply_capture(state: VisibleState, event: events.ShipCaptured) -> VisibleState:
    """Return the table after a capture, without the prize's orders (MX-3.5)."""
    taker, prize = boarding.capture_galley(state.galleys[event.by], state.galleys[event.galley], event.crew)
    lying = tuple(match for match in state.laid_matches if match.galley != prize.id)
    return replace(_with_galley(_with_galley(state, taker), prize), laid_matches=lying)


def _with_galley(state: VisibleState, galley: Galley) -> VisibleState:
    return replace(state, galleys={**state.galleys, galley.id: galley})


def _without_galley(state: VisibleState, removed: Galley) -> VisibleState:
    galleys_left = {name: galley for name, galley in state.galleys.items() if name != removed.id}
    lying = tuple(match for match in state.laid_matches if match.galley != removed.id)
    return replace(state, galleys=galleys_left, lost=(*state.lost, removed), laid_matches=lying)


def _new_galley(state: VisibleState, event: GalleyPlaced) -> Galley:
    """Return a new vessel with all oars of its type (MB-1.3), unless it is battered (MX-4.7)."""
    return Galley(
        id=event.galley,
        seat=event.seat,
        side=state.sides[event.seat],
        holes=event.holes,
        port=event.oars or event.holes,
        starboard=event.oars or event.holes,
        masts=event.masts,
        pose=event.pose,
        vessel=event.vessel or None,
        crew=event.crew or "",
    )


def _changed_galley(galley: Galley, event: _GalleyChange) -> Galley:
    """Return a galley after an event that changes only its place, fire, oars or masts."""
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


def _apply_round_ended(state: VisibleState) -> VisibleState:
    rounded_galleys = {
        name: structs.replace(galley, pose=shore.round_pose_ashore(galley.pose, galley.kind, state.shore))
        for name, galley in state.galleys.items()
    }
    return replace(state, galleys=rounded_galleys, laid_matches=())


def _events_by_step(events: Iterable[Event]) -> dict[int, list[Event]]:
    events_by_step: dict[int, list[Event]] = {}
    step = 0
    for event in events:
        if isinstance(event, ShipBackedOff | ShipPoledOff | ShipLeft):
            step = AFTER_LAST_STEP
        else:  # an event without a step belongs to that of the event before
            step = max(step, getattr(event, "step", step))
        events_by_step.setdefault(step, []).append(event)
    return events_by_step

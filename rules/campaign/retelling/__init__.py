"""A turn as moments made from its events: before and after each watch and the night."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from rules.campaign.engine.events import BattleEnded, BattleMet, FleetMustered, GalleysSighted, PortFell, TurnEnded
from rules.campaign.engine.sea.sight import SeenGalleys
from rules.campaign.engine.sea.state import Galley
from rules.campaign.interface.view import SeasonView
from rules.core.protocol import Event
from rules.interface.retelling import Moment, fold_events


@dataclass(frozen=True, kw_only=True)
class VisibleState:
    ports: Mapping[str, str]  # letter of the owner by port
    trophies: Mapping[str, int]  # trophies by captain
    laurels: Mapping[str, int]  # laurels by captain
    battles: tuple[str, ...]  # ids of battles that are being played
    galleys: tuple[Galley, ...]  # the viewer's own galleys
    lying: Mapping[str, tuple[SeenGalleys, ...]]  # visible galleys of other captains, by place
    sieges: Mapping[str, tuple[str, int]]  # besieger and galley-nights by port


def visible_state(view: SeasonView) -> VisibleState:
    return VisibleState(
        ports=view.ports,
        trophies=view.trophies,
        laurels=view.laurels,
        battles=tuple(battle.id for battle in view.battles),
        galleys=view.galleys,
        lying=view.others_galleys,
        sieges=view.sieges,
    )


def apply_event(state: VisibleState, event: Event) -> VisibleState:
    changes: dict[str, object] = {}
    match event:
        case PortFell():
            changes = {"ports": {**state.ports, event.port: event.by}}
        case BattleMet(mode="play"):
            changes = {"battles": (*state.battles, event.id)}
        case BattleEnded():
            changes = {"battles": tuple(name for name in state.battles if name != event.id)}
        case GalleysSighted():
            changes = {"lying": event.places} | ({"sieges": event.sieges} if event.when == "dawn" else {})
        case FleetMustered():
            changes = {"galleys": event.galleys}
        case TurnEnded():
            changes = {"trophies": event.trophies, "laurels": event.laurels}
    return replace(state, **changes)  # type: ignore[arg-type] # fields, by their events


def split_moments(view: SeasonView, events: Iterable[Event]) -> tuple[Moment[VisibleState], ...]:
    """Return the turn as moments.

    A captain's end with what was seen: after both watches, and after the night. Those of spectators, who see no fleets,
    are the battles one by one, and the ports that fell. What events do not change is taken from `view`, which shows the
    end of the turn.
    """
    events = tuple(events)
    before = _undo(visible_state(view), events)
    moments = []
    for part in _split_watches(events) if view.seat is not None else _split_battles(events):
        after = fold_events(before, part, apply_event)
        moments.append(Moment(before=before, events=tuple(part), after=after))
        before = after
    return tuple(moments)


def _undo(state: VisibleState, events: Iterable[Event]) -> VisibleState:
    """Return a state before events that took ports and began battles."""
    ports, begun = dict(state.ports), set[str]()
    for event in events:
        match event:
            case PortFell(was=""):
                ports.pop(event.port, None)
            case PortFell():
                ports[event.port] = event.was
            case BattleMet():
                begun.add(event.id)
    return replace(state, ports=ports, battles=tuple(name for name in state.battles if name not in begun))


def _split_watches(events: Iterable[Event]) -> list[list[Event]]:
    parts: list[list[Event]] = [[]]
    for event in events:
        parts[-1].append(event)
        if isinstance(event, GalleysSighted) and event.when != "dawn":
            parts.append([])
    return parts


def _split_battles(events: Iterable[Event]) -> list[list[Event]]:
    """Return parts, each with the end of a battle, the beginning of one that is played, or the ports that fell."""
    parts: list[list[Event]] = [[]]
    is_complete = False  # whether the last part has what it shows
    for event in events:
        ends_battle = isinstance(event, BattleEnded) or (isinstance(event, BattleMet) and event.mode == "play")
        if is_complete and (ends_battle or isinstance(event, BattleMet | PortFell)):
            parts.append([])
            is_complete = False
        parts[-1].append(event)
        is_complete |= ends_battle
    return parts

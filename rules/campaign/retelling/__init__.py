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
    """Return the turn as three moments, each ending with what was seen: both watches, and the night.

    What events do not change is taken from `view`, which shows the end of the turn.
    """
    parts: list[list[Event]] = [[]]
    for event in events:
        parts[-1].append(event)
        if isinstance(event, GalleysSighted) and event.when != "dawn":
            parts.append([])
    before = visible_state(view)
    moments = []
    for part in parts:
        after = fold_events(before, part, apply_event)
        moments.append(Moment(before=before, events=tuple(part), after=after))
        before = after
    return tuple(moments)

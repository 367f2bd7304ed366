"""A turn told again from its events: how things stood before and after each watch and the night."""

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
    """What a seat knows at one moment."""

    ports: Mapping[str, str]
    trophies: Mapping[str, int]
    laurels: Mapping[str, int]
    battles: tuple[str, ...]
    """Ids of those that are played."""
    galleys: tuple[Galley, ...]
    """The captain's own, as they lay when the turn ended."""
    lying: Mapping[str, tuple[SeenGalleys, ...]]
    sieges: Mapping[str, tuple[str, int]]


def visible_state(view: SeasonView) -> VisibleState:
    """What a view shows of all that events change."""
    return VisibleState(
        ports=view.ports,
        trophies=view.trophies,
        laurels=view.laurels,
        battles=tuple(battle.id for battle in view.battles),
        galleys=view.galleys,
        lying=view.others_galleys,
        sieges=view.sieges,
    )


def apply_event(now: VisibleState, event: Event) -> VisibleState:
    """What is known after an event."""
    changes: dict[str, object] = {}
    match event:
        case PortFell():
            changes = {"ports": {**now.ports, event.port: event.by}}
        case BattleMet(mode="play"):
            changes = {"battles": (*now.battles, event.id)}
        case BattleEnded():
            changes = {"battles": tuple(name for name in now.battles if name != event.id)}
        case GalleysSighted():
            changes = {"lying": event.places} | ({"sieges": event.sieges} if event.when == "dawn" else {})
        case FleetMustered():
            changes = {"galleys": event.galleys}
        case TurnEnded():
            changes = {"trophies": event.trophies, "laurels": event.laurels}
    return replace(now, **changes)  # type: ignore[arg-type] # fields, by their events


def split_moments(view: SeasonView, events: Iterable[Event]) -> tuple[Moment[VisibleState], ...]:
    """The turn as three moments, each ending with what was seen: both watches, and the night.

    The view shows how it ended; what events don't change is taken from it.
    """
    parts: list[list[Event]] = [[]]
    for event in events:
        parts[-1].append(event)
        if isinstance(event, GalleysSighted) and event.when != "dawn":
            parts.append([])
    now, found = visible_state(view), []
    for part in parts:
        after = fold_events(now, part, apply_event)
        found.append(Moment(before=now, events=tuple(part), after=after))
        now = after
    return tuple(found)

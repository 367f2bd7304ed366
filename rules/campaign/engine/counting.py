"""Statistics of captains in a campaign, counted from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rules.campaign.engine.events import (
    BattleEnded,
    BattleMet,
    DiceRoundThrown,
    GalleyLaunched,
    GalleyRepaired,
    PortFell,
    PortRaided,
    TurnBegan,
)
from rules.campaign.engine.sea.state import State
from rules.core.protocol import Event, Seat
from rules.core.sides import seat_of
from rules.interface.statistics import Statistics, StatisticsCounter, tally_events

_COUNT_KEYS: Final = ("turns", "captured", "sunk", "lost")


def count_statistics(state: State, events: Iterable[Event]) -> dict[Seat, Statistics]:
    """Return each seat's statistics, from all events of a campaign; a battle counts for all who fought in it."""
    position = state.position
    meetings: dict[str, BattleMet] = {}

    def count_event(counters: Mapping[Seat, StatisticsCounter], event: Event) -> None:
        match event:
            case TurnBegan():
                for counter in counters.values():
                    counter.count_event("turns")
            case BattleMet():
                meetings[event.id] = event
                for captain in event.attackers:
                    counters[seat_of(captain)].count_order("attack")
            case DiceRoundThrown():
                for throw in event.throws:
                    counters[seat_of(throw.galley[0])].count_dice("dice", throw.die)
            case BattleEnded() if event.id in meetings:
                _count_battle(counters, meetings[event.id], event)
            case PortFell():
                counters[seat_of(event.by)].count_event("captured")
            case PortRaided():
                counters[seat_of(event.by)].count_order("raid")
            case GalleyLaunched() | GalleyRepaired():
                order = "build" if isinstance(event, GalleyLaunched) else "repair"
                counters[seat_of(event.galley[0])].count_order(order)

    return tally_events(map(seat_of, position.captains), _COUNT_KEYS, events, count_event)


def _count_battle(counters: Mapping[Seat, StatisticsCounter], met: BattleMet, ended: BattleEnded) -> None:
    lost_galleys = (*ended.sunk, *ended.taken)
    for captains, own_galleys in zip((met.attackers, met.defenders), met.galleys, strict=True):
        for captain in captains:
            counter = counters[seat_of(captain)]
            counter.count_attempts("battles", int(captain in (ended.holds or ())), 1)
            counter.count_event("lost", sum(name[0] == captain for name in lost_galleys))
            counter.count_event("sunk", sum(name not in own_galleys for name in lost_galleys))

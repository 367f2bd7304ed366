"""Statistics of captains in a campaign, counted from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rules.campaign.engine.events import (
    BattleEnded,
    BattleMet,
    DiceThrown,
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
    fought: dict[str, BattleMet] = {}

    def enter(books: Mapping[Seat, StatisticsCounter], event: Event) -> None:
        match event:
            case TurnBegan():
                for book in books.values():
                    book.count_event("turns")
            case BattleMet():
                fought[event.id] = event
                for captain in event.attackers:
                    books[seat_of(captain)].count_order("attack")
            case DiceThrown():
                for galley, dice in event.dice.items():
                    books[seat_of(galley[0])].count_dice("dice", sum(dice), len(dice))
            case BattleEnded() if event.id in fought:
                _count_battle(books, fought[event.id], event)
            case PortFell():
                books[seat_of(event.by)].count_event("captured")
            case PortRaided():
                books[seat_of(event.by)].count_order("raid")
            case GalleyLaunched() | GalleyRepaired():
                order = "build" if isinstance(event, GalleyLaunched) else "repair"
                books[seat_of(event.galley[0])].count_order(order)

    return tally_events(map(seat_of, position.captains), _COUNT_KEYS, events, enter)


def _count_battle(books: Mapping[Seat, StatisticsCounter], met: BattleMet, ended: BattleEnded) -> None:
    lost = (*ended.sunk, *ended.taken)
    for captains, theirs in zip((met.attackers, met.defenders), met.galleys, strict=True):
        for captain in captains:
            book = books[seat_of(captain)]
            book.count_attempts("battles", int(captain in (ended.holds or ())), 1)
            book.count_event("lost", sum(name[0] == captain for name in lost))
            book.count_event("sunk", sum(name not in theirs for name in lost))

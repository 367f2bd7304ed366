"""Statistics of captains in a game, counted from its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.protocol import Event, Seat
from rules.forts.engine.events import FortCaptured, MoveUndone, ShipMoved, ShipSunk, ShotFired, TurnBegan, WindRolled
from rules.forts.engine.state import COLOURS, ShipId, State
from rules.forts.engine.turn import CALM_DICE
from rules.interface.statistics import Statistics, StatisticsCounter

_DIE_FACES: Final = 6
_COUNT_KEYS: Final = ("turns", "sunk", "lost", "captured")


def count_statistics(state: State, events: Iterable[Event]) -> dict[Seat, Statistics]:
    counters = {seat: StatisticsCounter(*_COUNT_KEYS) for seat in sorted(state.seats)}

    def counter_of(ship: ShipId) -> StatisticsCounter:
        return counters[state.seat_of(next(colour for colour in COLOURS if colour[0] == ship[0]))]

    for event in events:
        match event:
            case TurnBegan():
                counters[event.seat].count_event("turns")
            case WindRolled() if event.die:
                windy_faces = _DIE_FACES - len(CALM_DICE)
                counters[event.seat].count_throws("wind", event.wind == "wind", *_mean_and_variance(windy_faces))
            case ShipMoved():
                counter_of(event.ship).count_order(_order_key("sail", event.ship))
            case MoveUndone():
                counter_of(event.ship).count_order(_order_key("sail", event.ship), -1)
            case ShotFired():
                counter = counter_of(event.by)
                counter.count_order(_order_key("shoot", event.by))
                counter.count_attempts("shots", int(event.hit), 1)
                counter.count_throws("shots", event.hit, *_mean_and_variance(_DIE_FACES + 1 - event.need))
            case ShipSunk():
                counter_of(event.by).count_event("sunk")
                counter_of(event.ship).count_event("lost")
            case FortCaptured():
                counter_of(event.by).count_event("captured")
    return {seat: counter.statistics() for seat, counter in counters.items()}


def seat_strengths(state: State) -> dict[Seat, float]:
    """Return the hits that each captain's ships can still take; the flagship's count twice, as losing it loses."""
    flagships = dict(zip(COLOURS, state.position.flagships, strict=True))
    hits_left_by_seat = dict.fromkeys(sorted(state.seats), 0.0)
    for ship in state.position.ships:
        hits_left_by_seat[state.seat_of(ship.colour)] += ship.hits_left * (
            2 if flagships[ship.colour] == ship.code else 1
        )
    return hits_left_by_seat


def _order_key(deed: str, ship: ShipId) -> str:
    return f"{deed}.{ship[1:]}"


def _mean_and_variance(faces: int) -> tuple[float, float]:
    """Return mean and variance of a die that succeeds on this many faces."""
    chance = faces / _DIE_FACES
    return chance, chance * (1 - chance)

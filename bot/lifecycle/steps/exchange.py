"""Exchange the sides of a match's captains, or of a rematch's."""

from __future__ import annotations

from collections.abc import Sequence

from bot.store.models.records import SeatRow
from rules.core.protocol import Seat


def exchange_sides(seats: Sequence[SeatRow]) -> list[SeatRow]:
    """Return who gets each seat with sides exchanged; seats stay as they are if sides differ in size."""
    seats_by_team: dict[int, list[SeatRow]] = {}
    for seat in seats:
        seats_by_team.setdefault(seat.team, []).append(seat)
    sides = [seats_by_team[team] for team in sorted(seats_by_team)]
    if len({len(side) for side in sides}) > 1:
        return list(seats)
    next_sides = [*sides[1:], *sides[:1]]
    new_holder: dict[int, SeatRow] = {}  # by seat: the row of the captain who gets it
    for side, next_side in zip(sides, next_sides, strict=True):
        for seat, holder in zip(side, next_side, strict=True):
            new_holder[seat.seat] = holder
    return [new_holder[seat.seat] for seat in seats]


def seats_after_exchange(seats: Sequence[SeatRow]) -> tuple[tuple[Seat, Seat], ...]:
    """Return (seat in the first game, its captain's seat in the second) for each seat of a match's first game."""
    return tuple((holder.seat, seat.seat) for seat, holder in zip(seats, exchange_sides(seats), strict=True))

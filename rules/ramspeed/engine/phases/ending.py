"""When a game ends, and how it is scored (RS-20)."""

from __future__ import annotations

from msgspec import structs

from rules.core.protocol import DrawReason, Seat
from rules.ramspeed.engine.events import GameEnded
from rules.ramspeed.engine.events.base import name_of
from rules.ramspeed.engine.events.phases import EndReason
from rules.ramspeed.engine.state import Position
from rules.ramspeed.engine.tables import CONSTANTS, TABLES

DRAW_WINNER = "draw"
"""The winner, if there is none."""


def side_scores(position: Position, conceded: str = "") -> tuple[int, int]:
    """What each side has earned from ships that were hostile at first (RS-20.3).

    Of a side that has conceded all ships afloat count as sunk (RS-20.4).
    """
    table, points = TABLES.score, dict.fromkeys(position.sides, 0)
    for ship in position.ships:
        if ship.status == "withdrawn":
            continue
        (taker,) = (side for side in position.sides if side != ship.side0)
        holder = position.side_of_ship(ship)
        if not ship.is_afloat or not ship.crew or holder == conceded:
            points[taker] += table.sunk * ship.ship_class.value
        elif holder == taker:
            points[taker] += table.captured * ship.ship_class.value
    a, b = points.values()
    return a, b


def fighting_sides(position: Position) -> tuple[str, ...]:
    """The sides that control a ship afloat with crew (RS-20.1)."""
    alive = {position.side_of_ship(ship) for ship in position.ships if ship.is_afloat and ship.crew}
    return tuple(side for side in position.sides if side in alive)


def find_end(position: Position) -> GameEnded | None:
    """How a game ends after a turn that is already counted as quiet or not; None: it goes on (RS-20.1, RS-20.2)."""
    alive = fighting_sides(position)
    reason: EndReason | None = None
    if len(alive) < 2:
        reason = "wiped_out"
    elif position.turn >= position.limit:
        reason = "turns"
    elif position.quiet >= CONSTANTS.quiet_limit:
        reason = "quiet"
    if reason is None:
        return None
    points = side_scores(position)
    winner = alive[0] if len(alive) == 1 else _higher_side(position, points)
    rule = "RS-20.1" if reason == "wiped_out" else "RS-20.2"
    return GameEnded(reason=reason, score=points, winner=winner, seats=_seats_of_side(position, winner), rule=rule)


def end_by_concession(position: Position, side: str) -> GameEnded:
    """How a game ends when a side concedes (RS-20.4)."""
    winner = next(one for one in position.sides if one != side)
    points, seats = side_scores(position, side), _seats_of_side(position, winner)
    return GameEnded(reason="conceded", score=points, winner=winner, seats=seats, rule="RS-20.4")


def end_undecided(position: Position, reason: DrawReason) -> GameEnded:
    """How a game ends that all have agreed to be drawn, or that can't go on."""
    return GameEnded(
        reason=reason, score=side_scores(position), winner=DRAW_WINNER, rule="RS-20.4" if reason == "agreed" else ""
    )


def finished_position(position: Position) -> Position:
    """The position of a game that has ended."""
    return structs.replace(position, phase="over")


def _seats_of_side(position: Position, side: str) -> tuple[Seat, ...]:
    """Who holds a side; none outside games among captains, or of a draw."""
    held = (name_of(captain.player) for captain in position.seats if captain.side == side)
    return tuple(sorted(seat for seat in held if isinstance(seat, int)))


def _higher_side(position: Position, points: tuple[int, int]) -> str:
    if points[0] == points[1]:
        return DRAW_WINNER
    return position.sides[0 if points[0] > points[1] else 1]

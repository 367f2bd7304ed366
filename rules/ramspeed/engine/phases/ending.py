"""The end of a game and its score (RS-20)."""

from __future__ import annotations

from msgspec import structs

from rules.core.protocol import DrawReason, Seat
from rules.ramspeed.engine.events import EndReason, GameEnded, name_of
from rules.ramspeed.engine.state import Position
from rules.ramspeed.engine.tables import CONSTANTS, TABLES

DRAW_WINNER = "draw"  # the value of `GameEnded.winner` if nobody has won


def side_scores(position: Position, conceded: str = "") -> tuple[int, int]:
    """Return the points of each side for ships that were hostile at the start (RS-20.3).

    All ships of a side that has conceded count as sunk (RS-20.4).
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
    alive = {position.side_of_ship(ship) for ship in position.ships if ship.is_afloat and ship.crew}
    return tuple(side for side in position.sides if side in alive)


def find_end(position: Position) -> GameEnded | None:
    """Return how the game ends after a turn whose `quiet` count is up to date, or None (RS-20.1, RS-20.2)."""
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
    winner = next(other for other in position.sides if other != side)
    points, seats = side_scores(position, side), _seats_of_side(position, winner)
    return GameEnded(reason="conceded", score=points, winner=winner, seats=seats, rule="RS-20.4")


def end_undecided(position: Position, reason: DrawReason) -> GameEnded:
    return GameEnded(
        reason=reason, score=side_scores(position), winner=DRAW_WINNER, rule="RS-20.4" if reason == "agreed" else ""
    )


def finished_position(position: Position) -> Position:
    return structs.replace(position, phase="over")


def _seats_of_side(position: Position, side: str) -> tuple[Seat, ...]:
    """Return the seats that hold a side; empty for a draw, or outside games among captains."""
    held = (name_of(captain.player) for captain in position.seats if captain.side == side)
    return tuple(sorted(seat for seat in held if isinstance(seat, int)))


def _higher_side(position: Position, points: tuple[int, int]) -> str:
    if points[0] == points[1]:
        return DRAW_WINNER
    return position.sides[0 if points[0] > points[1] else 1]

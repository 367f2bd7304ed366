"""Which team gets which side, in games whose sides are not equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder
from rules.core.protocol import Seat


def draw_sides(option: str, dice: Dice) -> tuple[bool, int, Dice]:
    """Whether the first team gets the second side, by the option `sides`; the die, 0 if none was rolled; the dice left.

    `first` and `second` name the first team's side. With `dice` an odd number gives the first side to the first team.
    """
    if option != "dice":
        return option == "second", 0, dice
    die, dice = dice.throw_die(6)
    return die % 2 == 0, die, dice


def check_teams(teams: Sequence[int], most: int, rule: str) -> None:
    """Raise `IllegalOrder`, with this rule, unless there are two teams, of at most so many seats."""
    if {*teams} != {0, 1} or max(map(teams.count, (0, 1))) > most:
        raise IllegalOrder("bad_teams", rule, piece=" ".join(map(str, teams)), most=most)


def seats_with(sides: Iterable[object], side: object) -> tuple[Seat, ...]:
    """The seats that have this side, or team, by those of all seats in order."""
    return tuple(seat for seat, theirs in enumerate(sides) if theirs == side)


def leading_seats(teams: Iterable[int], scores: Mapping[int, float]) -> tuple[Seat, ...]:
    """The seats of the team that has the highest score; none if another has as much."""
    best = [team for team, score in scores.items() if score == max(scores.values())]
    return seats_with(teams, best[0]) if len(best) == 1 else ()


def letter_of(seat: Seat) -> str:
    """The letter with which the ids of a seat's ships begin: A is seat 0."""
    return chr(ord("A") + seat)


def seat_of(ship: str) -> Seat:
    """The seat whose letter an id begins with."""
    return ord(ship[0]) - ord("A")

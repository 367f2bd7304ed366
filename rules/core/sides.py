"""Assignment of sides to teams, and of seats to ships."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import UNSET

from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder
from rules.core.protocol import Seat, Setup

SIDES_LOT: Final = "sides"  # name of the lot that gives sides to teams


def draw_lot(setup: Setup, name: str, faces: int, dice: Dice, *, rule: str) -> tuple[int, Dice]:
    """Return a die, and the remaining dice. A lot that the setup brings from an earlier game isn't thrown.

    Raises `IllegalOrder` with `rule` for a lot that the die does not have.
    """
    if setup.lots is UNSET or name not in setup.lots:
        return dice.throw_die(faces)
    lot = setup.lots[name]
    if not 1 <= lot <= faces:
        raise IllegalOrder("unknown_option_value", rule, piece=str(lot), key=name, legal=f"1–{faces}")
    return lot, dice


def draw_sides(setup: Setup, option: str, dice: Dice, *, rule: str) -> tuple[bool, int, Dice]:
    """Return whether the first team gets the second side, the die (0 if none was rolled), and the remaining dice.

    The option `first` or `second` names the first team's side. With `dice` an odd number gives it the first side.
    Raises like `draw_lot`.
    """
    if option != "dice":
        return option == "second", 0, dice
    die, dice_left = draw_lot(setup, SIDES_LOT, 6, dice, rule=rule)
    return die % 2 == 0, 0 if dice_left is dice else die, dice_left


def lot_of_first_side(setup: Setup, first_side: Sequence[Seat]) -> int:
    """Return the lot by which `draw_sides` gives the first side to the team of these seats."""
    return 1 if setup.teams[first_side[0]] == 0 else 2


def check_teams(teams: Sequence[int], most: int, rule: str) -> None:
    """Raise `IllegalOrder` with `rule` unless there are two teams of at most `most` seats."""
    if {*teams} != {0, 1} or max(map(teams.count, (0, 1))) > most:
        raise IllegalOrder("bad_teams", rule, piece=" ".join(map(str, teams)), most=most)


def seats_with(sides: Iterable[object], side: object) -> tuple[Seat, ...]:
    """Return the seats whose side or team is `side`. `sides` lists those of all seats in order."""
    return tuple(seat for seat, side_of_seat in enumerate(sides) if side_of_seat == side)


def leading_seats(teams: Iterable[int], scores: Mapping[int, float]) -> tuple[Seat, ...]:
    """Return the seats of the team with the highest score; empty if two teams share it."""
    best = [team for team, score in scores.items() if score == max(scores.values())]
    return seats_with(teams, best[0]) if len(best) == 1 else ()


def letter_of(seat: Seat) -> str:
    """Return the letter that begins the ids of a seat's ships, `A` for seat 0."""
    return chr(ord("A") + seat)


def seat_of(ship: str) -> Seat:
    return ord(ship[0]) - ord("A")

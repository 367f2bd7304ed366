"""How places, captains and battles are named: places by code and name, captains by who has their seat."""

from __future__ import annotations

from collections.abc import Iterable

from rules.core.sides import seat_of
from rules.core.view import Text


def place_names(sea: str, *places: str) -> tuple[Text, ...]:
    """Places of a map by their names, in this order."""
    return tuple(Text(f"place.{sea}.{code}") for code in places)


def coded_place_names(sea: str, *places: str) -> tuple[Text, ...]:
    """Places of a map by their codes and names, in this order."""
    return tuple(Text("place", {"code": code, "name": place_names(sea, code)}) for code in places)


def captain_names(letters: Iterable[str]) -> tuple[Text, ...]:
    """Captains by their names, in this order."""
    return tuple(Text("captain", {"seat": seat_of(letter)}) for letter in letters)


def battle_number(battle: str) -> str:
    """The number of a battle, by its id: galleys have letters, too."""
    return battle.removeprefix("B")


def battle_request_id(battle: str) -> str:
    """The id of the request that a battle's end answers, by the battle's id."""
    return f"battle.{battle}"

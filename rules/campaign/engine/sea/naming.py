"""Names of places, captains and battles in texts: places by code and name, captains by their seats."""

from __future__ import annotations

from collections.abc import Iterable

from rules.core.sides import seat_of
from rules.core.view import Text


def place_names(map_name: str, *places: str) -> tuple[Text, ...]:
    return tuple(Text(f"place.{map_name}.{code}") for code in places)


def coded_place_names(map_name: str, *places: str) -> tuple[Text, ...]:
    return tuple(Text("place", {"code": code, "name": place_names(map_name, code)}) for code in places)


def captain_names(letters: Iterable[str]) -> tuple[Text, ...]:
    return tuple(Text("captain", {"seat": seat_of(letter)}) for letter in letters)


def battle_number(battle: str) -> str:
    """Return a battle's number without the letter of its id, as galleys have letters, too."""
    return battle.removeprefix("B")


def battle_request_id(battle: str) -> str:
    return f"battle.{battle}"

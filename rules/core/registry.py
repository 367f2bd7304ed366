"""All games by name. A game's code is imported at its first use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, Final

from rules.core.ruleset import Ruleset


class Rulesets(MutableMapping[str, Ruleset[Any]]):
    def __init__(self, modules: Mapping[str, str]) -> None:
        self._entries: dict[str, Ruleset[Any] | str] = {**modules}  # games, or modules not imported yet

    def __getitem__(self, name: str) -> Ruleset[Any]:
        entry = self._entries[name]
        if isinstance(entry, str):
            entry = self._entries[name] = import_module(entry).GAME
        return entry

    def __setitem__(self, name: str, game: Ruleset[Any]) -> None:
        self._entries[name] = game

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


RULESETS: Final = Rulesets(
    {name: f"rules.{name}" for name in ("matchbox", "forts", "ramspeed", "squadrons", "campaign")}
)

DEFAULT_SYSTEM: Final = next(iter(RULESETS))


def register_game(game: Ruleset[Any]) -> None:
    """Make a game from another package playable. Raises `ValueError` if its name is taken or malformed."""
    if not re.fullmatch("[a-z][a-z0-9_]{0,39}", game.name):
        raise ValueError(f"{game.name!r} is no name of a game: small letters, digits and underscores, at most 40")
    if game.name in RULESETS:
        raise ValueError(f"there is a game called {game.name} already")
    RULESETS[game.name] = game

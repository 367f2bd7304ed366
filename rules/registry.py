"""The one place that knows every game by name. A game's code is loaded when the game is first asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, Final

from rules.ruleset import Ruleset


class Rulesets(MutableMapping[str, Ruleset[Any]]):
    """Games by name, each the `GAME` of a module that is imported when the game is first asked for.

    Unlisted ones are found by name, and are not among those that are offered, told of and tested one by one.
    """

    def __init__(self, modules: Mapping[str, str], unlisted: Mapping[str, str]) -> None:
        self._found: dict[str, Ruleset[Any] | str] = {**modules, **unlisted}
        self._unlisted = {*unlisted}

    def __getitem__(self, name: str) -> Ruleset[Any]:
        found = self._found[name]
        if isinstance(found, str):
            found = self._found[name] = import_module(found).GAME
        return found

    def __setitem__(self, name: str, game: Ruleset[Any]) -> None:
        self._found[name] = game

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    @property
    def unlisted(self) -> frozenset[str]:
        """Names of games that are not offered."""
        return frozenset(self._unlisted)

    def offer(self, name: str, *, listed: bool = True) -> None:
        """List a game that isn't, or no longer."""
        (self._unlisted.discard if listed else self._unlisted.add)(name)

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in self._found if name not in self._unlisted])

    def __len__(self) -> int:
        return len(list(iter(self)))


UNFINISHED: Final = {"campaign": "rules.campaign"}
"""Not listed yet: it can be played where a bot's host names it in `GAMES`."""

RULESETS: Final = Rulesets(
    {name: f"rules.{name}" for name in ("matchbox", "forts", "ramspeed", "squadrons")}, UNFINISHED
)
"""Every game that can be played, by the name used on disk and in chat."""

FIRST: Final = next(iter(RULESETS))
"""The game that is meant where none is named."""


def add(game: Ruleset[Any]) -> None:
    """Let a game from elsewhere be played. Raises `ValueError` if its name is taken or is no name."""
    if not re.fullmatch("[a-z][a-z0-9_]{0,39}", game.name):
        raise ValueError(f"{game.name!r} is no name of a game: small letters, digits and underscores, at most 40")
    if game.name in RULESETS:
        raise ValueError(f"there is a game called {game.name} already")
    RULESETS[game.name] = game

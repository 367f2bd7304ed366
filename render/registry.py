"""The one place of the pictures that knows every game by name. A painter is loaded when its game is first drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, Final

from render.painter import Painter
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from rules.core.view import View


class PainterRegistry(MutableMapping[type[View], Painter[Any]]):
    """Painters by the type of view that they draw; those of our own games are `render.<game>.PAINTER`."""

    def __init__(self, games: Mapping[str, Ruleset[Any]]) -> None:
        self._games = games
        self._found: dict[type[View], Painter[Any]] = {}

    def __getitem__(self, view_type: type[View]) -> Painter[Any]:
        if view_type not in self._found:
            room, _, inner = view_type.__module__.partition(".")
            name = inner.partition(".")[0]
            if room != "rules" or name not in self._games:
                raise KeyError(view_type)
            self._found[view_type] = import_module(f"render.{name}").PAINTER
        return self._found[view_type]

    def __setitem__(self, view_type: type[View], painter: Painter[Any]) -> None:
        self._found[view_type] = painter

    def __delitem__(self, view_type: type[View]) -> None:
        del self._found[view_type]

    def __iter__(self) -> Iterator[type[View]]:
        """Every view that can be drawn; of our own games all are loaded for it."""
        own = [rules.view_type for rules in self._games.values()]
        return iter(dict.fromkeys((*own, *self._found)))

    def __len__(self) -> int:
        return len(list(iter(self)))


PAINTERS: Final = PainterRegistry(RULESETS)
"""Who draws which view."""


def add_painter(painter: Painter[Any]) -> None:
    """Let a game from elsewhere be drawn. Raises `ValueError` if its views are drawn by another painter."""
    if painter.view_type in PAINTERS:
        raise ValueError(f"{painter.view_type.__name__} is drawn already")
    PAINTERS[painter.view_type] = painter

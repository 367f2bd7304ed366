"""The only shared module of `render` that names the games. It imports a game's painter when the game is first drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, Final

from render.painter import Painter
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from rules.core.view import View


class PainterRegistry(MutableMapping[type[View], Painter[Any]]):
    """Painters by the type of view that they draw. Those of the repository's own games are `render.<game>.PAINTER`."""

    def __init__(self, games: Mapping[str, Ruleset[Any]]) -> None:
        self._games = games
        self._painters: dict[type[View], Painter[Any]] = {}

    def __getitem__(self, view_type: type[View]) -> Painter[Any]:
        if view_type not in self._painters:
            package, _, module_path = view_type.__module__.partition(".")
            game = module_path.partition(".")[0]
            if package != "rules" or game not in self._games:
                raise KeyError(view_type)
            self._painters[view_type] = import_module(f"render.{game}").PAINTER
        return self._painters[view_type]

    def __setitem__(self, view_type: type[View], painter: Painter[Any]) -> None:
        self._painters[view_type] = painter

    def __delitem__(self, view_type: type[View]) -> None:
        del self._painters[view_type]

    def __iter__(self) -> Iterator[type[View]]:
        """Yield every type of view that can be drawn. This imports the rules of all own games, but no painter."""
        own_types = [rules.view_type for rules in self._games.values()]
        return iter(dict.fromkeys((*own_types, *self._painters)))

    def __len__(self) -> int:
        return len(list(iter(self)))


PAINTERS: Final = PainterRegistry(RULESETS)


def add_painter(painter: Painter[Any]) -> None:
    """Register the painter of a game from another package. Raises ValueError if its views already have a painter."""
    if painter.view_type in PAINTERS:
        raise ValueError(f"{painter.view_type.__name__} is drawn already")
    PAINTERS[painter.view_type] = painter

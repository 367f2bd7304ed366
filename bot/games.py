"""Load games from packages that a host names in `GAMES` or that are installed with an entry point `war_galley.games`.

A package has the same three parts as a built-in game: `rules` exports GAME, `render` exports PAINTER, `data` has the
texts. Its code runs in the bot and its workers with all their permissions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points

_loaded: list[str] = []


class GameLoadError(Exception):
    """A package is missing or contains no playable game."""


def load_packages(packages: Iterable[str]) -> None:
    """Register the games of these packages unless they are loaded already. Raises `GameLoadError`."""
    for package in packages:
        if package not in _loaded:
            _load(package)


def installed_packages() -> list[str]:
    """Return the packages of installed games that are not built in. An entry point names a package's `rules`."""
    modules = (entry.value for entry in entry_points(group="war_galley.games"))
    return [module.removesuffix(".rules") for module in modules if not module.startswith("rules.")]


def loaded_packages() -> tuple[str, ...]:
    return tuple(_loaded)


@contextmanager
def temporarily_loaded(package: str) -> Iterator[None]:
    """Register a package's game for the duration of the block, for tests. Raises `GameLoadError`."""
    import render.registry as pictures  # noqa: PLC0415 -- see `_load`
    import rules.core.registry as games  # noqa: PLC0415

    games_before, painters_before = set(games.RULESETS), set(pictures.PAINTERS)
    _load(package)
    try:
        yield
    finally:
        _loaded.remove(package)
        for name in games.RULESETS.keys() - games_before:
            del games.RULESETS[name]
        for view in pictures.PAINTERS.keys() - painters_before:
            del pictures.PAINTERS[view]


def _load(package: str) -> None:
    # Imported here because a worker sets its limits before it loads any rules.
    import render.registry as pictures  # noqa: PLC0415
    import rules.core.registry as games  # noqa: PLC0415

    try:
        game = import_module(f"{package}.rules").GAME
        painter = import_module(f"{package}.render").PAINTER
        games.register_game(game)
        pictures.add_painter(painter)
    except (ImportError, AttributeError, ValueError) as wrong:
        raise GameLoadError(f"{package}: {wrong}") from wrong
    _loaded.append(package)

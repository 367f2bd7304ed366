"""Games from elsewhere: packages that a host names in `GAMES`, each made as our own games are.

A package holds the same three folders: `rules` exports GAME, `render` exports PAINTER, `data` has the words. Its code
is the bot's own once it is named: it runs in the bot and in its workers, with all that they may do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module

_loaded: list[str] = []


class GameLoadError(Exception):
    """A package is not there, or holds no game that can be played."""


def load_packages(packages: Iterable[str]) -> None:
    """Let the games of these packages be played, where they are not yet. Raises `GameLoadError`."""
    for package in packages:
        if package not in _loaded:
            _load(package)


def loaded_packages() -> tuple[str, ...]:
    """The packages that were loaded, for processes that must know the same games."""
    return tuple(_loaded)


@contextmanager
def temporarily_loaded(package: str) -> Iterator[None]:
    """Let a package's game be played for a while, as tests do. Raises `GameLoadError`."""
    import render.registry as pictures  # noqa: PLC0415 -- see `_load`
    import rules.core.registry as games  # noqa: PLC0415

    before, drawn = set(games.RULESETS), set(pictures.PAINTERS)
    _load(package)
    try:
        yield
    finally:
        _loaded.remove(package)
        for name in games.RULESETS.keys() - before:
            del games.RULESETS[name]
        for view in pictures.PAINTERS.keys() - drawn:
            del pictures.PAINTERS[view]


def _load(package: str) -> None:
    # Here, not above: a worker sets its bounds before it loads any rules.
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

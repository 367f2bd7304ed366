"""Choose the games that are tested: all, or one with `pytest --game NAME`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot import games
from rules.core.registry import RULESETS

HERE = Path(__file__).parent
ROOMS = {"cases", "laws", "pictures", "playthroughs", "rules", "test_catalogues.py"}
"""Where games are tested without a bot: what lies elsewhere is not even read when one game is tested."""

games.load_packages(os.environ.get("GAMES", "").replace(",", " ").split())  # as a bot's host names them
tested = tuple(RULESETS)  # names of the games of this run; settled before any test is read


def choose(name: str) -> None:
    """Test one game alone. Raises `pytest.UsageError` if there is none of this name."""
    global tested  # noqa: PLW0603 - lists of parameters are made of it while tests are read
    if name not in RULESETS:
        raise pytest.UsageError(f"--game {name}: there is no such game; there are {', '.join(RULESETS)}")
    tested = (name,)


def home(name: str) -> str:
    """Return the package of a game from elsewhere; empty for one of the house."""
    return type(RULESETS[name]).__module__.rpartition("rules.")[0].rstrip(".")


def elsewhere(path: Path) -> bool:
    """Return if a file or folder has no tests for the games of this run."""
    first, *rest = path.relative_to(HERE).parts or ("",)
    others = RULESETS.keys() - set(tested)
    return len(tested) < len(RULESETS) and (first not in {*ROOMS, "", "conftest.py"} or not others.isdisjoint(rest))


def about(item: pytest.Item) -> set[str]:
    """Return the games that a test is about, by its marks or parameters; empty if it concerns all."""
    marked = {name for mark in item.iter_markers("game") for name in mark.args}
    callspec = getattr(item, "callspec", None)
    named = {value for value in callspec.params.values() if isinstance(value, str)} if callspec else set()
    return marked | (named & RULESETS.keys())

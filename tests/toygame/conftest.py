# ruff: noqa: F401 - pytest finds fixtures by their names
"""The toy game is played in these tests alone: in the bot and in workers that are started while it is there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot import games
from tests.bot.conftest import database, empty_database, found, new_database, postgres, process, sea, settings, workers


@pytest.fixture(scope="module", autouse=True)
def toygame() -> Iterator[None]:
    """Let the toy game be played meanwhile."""
    with games.temporarily_loaded("tests.toygame"):
        yield

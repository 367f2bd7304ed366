"""The toy game is played in these tests alone: in the bot and in workers that are started while it is there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot import games
from bot.work.workers import Workers
from tests.bot.conftest import database, empty_database, sea, settings

__all__ = ["database", "empty_database", "sea", "settings", "workers"]


@pytest.fixture(scope="module", autouse=True)
def toygame() -> Iterator[None]:
    """Let the toy game be played meanwhile."""
    with games.added("tests.toygame"):
        yield


@pytest.fixture(scope="module")
def workers(toygame: None) -> Iterator[Workers]:
    """A process that knows the toy game."""
    pool = Workers(1)
    yield pool
    pool.close()

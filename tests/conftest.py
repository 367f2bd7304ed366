"""A sea to play on: the real bot in simcord's Discord, a real SQLite file, real worker processes."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.workers import Workers
from tests.sea import Sea


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """One process for all tests of this runner."""
    pool = Workers(1)
    yield pool
    pool.close()


@pytest.fixture
async def sea(tmp_path: Path, workers: Workers) -> AsyncIterator[Sea]:
    """A server with a channel, three players and the bot."""
    world = Sea(f"sqlite+aiosqlite:///{tmp_path / 'games.sqlite'}", workers, itertools.count(1))
    async with world.open():
        yield world

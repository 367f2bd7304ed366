"""A file for a game's database."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import pytest

from tests.bot.conftest import IN_MEMORY


@pytest.fixture
def url() -> Iterator[str]:
    """The address of a database that does not exist yet; in memory, where there is a place for it."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as folder:
        yield f"sqlite+aiosqlite:///{folder}/games.sqlite"

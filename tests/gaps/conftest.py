"""A file for a game's database."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import pytest

from tests.bot.conftest import IN_MEMORY


@pytest.fixture
def url() -> Iterator[str]:
    """Return the address of a new database, in memory where possible."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as folder:
        yield f"sqlite+aiosqlite:///{folder}/games.sqlite"

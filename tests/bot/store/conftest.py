"""Tests of the store have SQLite as the bot has it: with aiosqlite's thread."""

import pytest


@pytest.fixture
def connect() -> None:
    """Leave the driver as it is."""

"""The same sea as the bot's own tests have."""

from tests.bot.conftest import (
    database,
    empty_database,
    every_game_counts,
    found,
    new_database,
    postgres,
    process,
    sea,
    settings,
    workers,
)

__all__ = [
    "database",
    "empty_database",
    "every_game_counts",
    "found",
    "new_database",
    "postgres",
    "process",
    "sea",
    "settings",
    "workers",
]

# ruff: noqa: F401 - pytest finds fixtures by their names
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

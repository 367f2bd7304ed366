# ruff: noqa: F401 - pytest finds fixtures by their names
from tests.bot.conftest import database, empty_database, found, new_database, postgres, sea, settings, workers

"""The toy game, whose fights are games of their own."""

from tests.bot.conftest import database, empty_database, process, sea, settings, workers
from tests.toygame.conftest import toygame

__all__ = ["database", "empty_database", "process", "sea", "settings", "toygame", "workers"]

"""The bot's sea, for forged buttons."""

from tests.bot.conftest import database, empty_database, found, new_database, postgres, sea, settings, workers

__all__ = ["database", "empty_database", "found", "new_database", "postgres", "sea", "settings", "workers"]

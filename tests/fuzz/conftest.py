"""The bot's sea, for forged buttons."""

from tests.bot.conftest import connect, database, empty_database, sea, settings, workers

__all__ = ["connect", "database", "empty_database", "sea", "settings", "workers"]

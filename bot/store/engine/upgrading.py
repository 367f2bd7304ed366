"""Brings the tables up to date; loaded only where they are not, for Alembic is a fifth of the bot's start."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from bot.store.engine.revisions import VERSIONS_FOLDER


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's settings for our migrations, on an open connection."""
    config = Config()
    config.set_main_option("script_location", str(VERSIONS_FOLDER.parent))
    config.attributes["connection"] = connection
    return config


def upgrade_tables(connection: Connection) -> None:
    """Run all migrations that the tables have not seen."""
    command.upgrade(alembic_config(connection), "head")

"""Run migrations. Imported only when needed, because Alembic takes a fifth of the bot's start-up time."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from bot.store.engine.revisions import VERSIONS_FOLDER


def alembic_config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(VERSIONS_FOLDER.parent))
    config.attributes["connection"] = connection
    return config


def upgrade_tables(connection: Connection) -> None:
    command.upgrade(alembic_config(connection), "head")

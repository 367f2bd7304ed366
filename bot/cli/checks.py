"""Check, before the bot starts, for settings that are well formed but cannot work on this machine."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from bot.cli.exiting import CannotRun
from bot.config import BotSettings


def check_settings(config: BotSettings) -> None:
    if config.health_file:
        _check_health_file(Path(config.health_file))
    if config.database_url.rstrip("/").endswith((":", ":memory:")):
        raise CannotRun("DATABASE_URL names no file, so all games would be lost when the bot stops; name a file")
    if config.interactions_port and importlib.util.find_spec("nacl") is None:
        raise CannotRun("INTERACTIONS_PORT needs PyNaCl: install requirements/interactions.txt")
    same_host = config.interactions_host == config.http_host
    if config.interactions_port and config.interactions_port == config.http_port and same_host:
        raise CannotRun("HTTP_PORT and INTERACTIONS_PORT are the same; choose another for one of them")


def _check_health_file(file: Path) -> None:
    folder = file.parent
    if not folder.is_dir():
        raise CannotRun(f"HEALTH_FILE: there is no folder {folder}")
    if file.is_dir():
        raise CannotRun(f"HEALTH_FILE: {file} is a folder")
    if not os.access(file if file.exists() else folder, os.W_OK):
        raise CannotRun(f"HEALTH_FILE: {file} cannot be written")

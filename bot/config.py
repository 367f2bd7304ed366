"""Settings, from the environment or a `.env` file."""

from __future__ import annotations

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Config(BaseSettings):
    """How one bot runs. Each field is the environment variable of the same name in capitals."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True)

    discord_token: SecretStr = SecretStr("")
    """The bot's secret token, from Discord's developer portal."""
    database_url: str = "sqlite+aiosqlite:///war-galley.sqlite"
    """Where games are kept, as SQLAlchemy writes it."""
    log_level: str = "INFO"
    workers: int = Field(default=1, ge=1, le=32)
    """Processes that compute and draw."""
    phase_length: str = "24h"
    """Time for each phase where a game does not say otherwise."""
    most_games: int = Field(default=10, ge=1)
    """Games that one player may have open at once."""
    members_intent: bool = False
    """Hear at once who leaves a server: needs the privileged Server Members Intent in the developer portal. Without it
    the bot asks, when somebody has missed a deadline or takes no messages."""
    health_file: str = ""
    """A file touched once a minute while all is well, for a container's health check; empty: none."""

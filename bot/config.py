"""Settings, from the environment or a `.env` file."""

from __future__ import annotations

import os
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot import logs
from bot.errors import Refusal
from bot.store.models import pace

_SETTINGS_CONFIG: Final = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True)


def _validate_token(secret: SecretStr) -> SecretStr:
    """Return `secret`. Raise if it has inner spaces, outer quotes, or anything but printable ASCII."""
    token = secret.get_secret_value().strip()
    if not (token.isascii() and token.isprintable() and " " not in token and token.strip("\"'") == token):
        raise PydanticCustomError("token", "a token has no spaces, quotes or other such characters; copy it alone")
    return secret


def _validate_pace(text: str) -> str:
    """Return the text of a pace unchanged. Raises `PydanticCustomError` if it is no pace."""
    try:
        pace.parse_pace(text)
    except Refusal:
        why = "{text} is not a time from a minute to 30 days; write it as 24h, 2d 12h or 20:00"
        raise PydanticCustomError("pace", why, {"text": repr(text)}) from None
    return text


class ExitSettings(BaseSettings):
    """How the bot ends. Each field is the environment variable of the same name in capitals."""

    model_config = _SETTINGS_CONFIG

    exit_delay_s: int = Field(default=900, ge=0, le=86_400)
    """Seconds before it exits with 2, unless it was started from a terminal."""


class GameSettings(BaseSettings):
    """Which games there are. Each field is the environment variable of the same name in capitals."""

    model_config = _SETTINGS_CONFIG

    games: str = ""
    """Packages of games besides the bot's own, parted by commas or spaces: see `bot.games`."""

    @property
    def package_names(self) -> list[str]:
        """Their names."""
        return self.games.replace(",", " ").split()


class BotSettings(GameSettings, ExitSettings):
    """How one bot runs. Each field is the environment variable of the same name in capitals."""

    discord_token: Annotated[SecretStr, AfterValidator(_validate_token)] = SecretStr("")
    """The bot's secret token, from Discord's developer portal."""
    database_url: str = "sqlite+aiosqlite:///war-galley.sqlite"
    """Where games are kept, as SQLAlchemy writes it: SQLite, or PostgreSQL with `postgresql+psycopg://`."""
    shards: int = Field(default=0, ge=0, le=1024)
    """Parts of all servers, each looked after by one of the bots that play on one PostgreSQL, the same for all of them;
    0: one bot plays alone."""
    log_level: Annotated[logs.LogLevel, BeforeValidator(str.upper)] = "INFO"
    """The least weight of lines that are logged; libraries tell no more than INFO."""
    log_format: Annotated[logs.LogFormat, BeforeValidator(str.lower)] = "text"
    """`text` to be read, or `json`: one object a line."""
    workers: int = Field(default_factory=lambda: min(2, os.cpu_count() or 1), ge=1, le=32)
    """Processes that compute and draw."""
    phase_length: Annotated[str, AfterValidator(_validate_pace)] = "24h"
    """Time for each phase where a game does not say otherwise."""
    most_games: int = Field(default=10, ge=1)
    """Games that one player may have open at once."""
    picture_format: Annotated[Literal["png", "webp"], BeforeValidator(str.lower)] = "png"
    """Of stills: `png`, or `webp`, which weighs half as much and takes half as long, but not every program shows it."""
    picture_width: int = Field(default=1600, ge=200, le=1600)
    """Pixels across of stills; a captain's plan has four fifths of it."""
    members_intent: bool = False
    """Hear at once who leaves a server: needs the privileged Server Members Intent in the developer portal. Without it
    the bot asks, when somebody has missed a deadline or takes no messages."""
    http_host: str = Field(default="127.0.0.1", min_length=1)
    """The address on which `/healthz` and `/metrics` are served; as it is, this machine alone can ask."""
    http_port: int = Field(default=0, ge=0, le=65535)
    """The port on which they are served; 0: not at all."""
    interactions_host: str = Field(default="127.0.0.1", min_length=1)
    """The address on which a load balancer, or a proxy with TLS, finds `/interactions`."""
    interactions_port: int = Field(default=0, ge=0, le=65535)
    """The port on which presses and commands are taken over HTTP; 0: they come through the gateway."""
    health_file: str = ""
    """A file touched once a minute while all is well, for a container's health check; empty: none."""

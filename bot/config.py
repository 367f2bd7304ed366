"""Settings, from the environment or a `.env` file."""

from __future__ import annotations

import os
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot import logs
from bot.errors import Refusal
from bot.store.models import pace
from bot.store.queries.games import Terms

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


def _validate_public_url(text: str) -> str:
    """Return an address without its last slash; an empty text stays. Raises `PydanticCustomError` if it is none."""
    parts = urlsplit(text)
    if text and not (parts.scheme in ("http", "https") and parts.netloc and not parts.query and not parts.fragment):
        why = "{text} is no address such as https://galley.example"
        raise PydanticCustomError("public_url", why, {"text": repr(text)})
    return text.rstrip("/")


class ExitSettings(BaseSettings):
    """Settings for the end of the bot. Each field is the environment variable of the same name in capitals."""

    model_config = _SETTINGS_CONFIG

    exit_delay_s: int = Field(
        default=900,
        ge=0,
        le=86_400,
        description="Seconds before the bot exits with 2, unless it was started from a terminal.",
    )


class GameSettings(BaseSettings):
    """The games that can be played. Each field is the environment variable of the same name in capitals."""

    model_config = _SETTINGS_CONFIG

    games: str = Field(
        default="",
        description="Python packages with more games, separated by commas, each with `rules`, `render` and `data` in"
        " it. Their code can do anything the bot can. Every command of `war-galley` knows them."
        " Installed games (entry point war_galley.games) need no setting.",
    )

    @property
    def package_names(self) -> list[str]:
        return self.games.replace(",", " ").split()


class PageSettings(GameSettings):
    """Settings of the pages of games. Each field is the environment variable of the same name in capitals."""

    public_url: Annotated[str, AfterValidator(_validate_public_url)] = Field(
        default="",
        description="Address at which readers find the pages of games (`war-galley pages`), such as"
        " `https://galley.example`. Empty: no game has a page.",
    )
    pages_dir: str = Field(
        default="pages", min_length=1, description="Folder in which the bot keeps what these pages show."
    )
    pages_host: str = Field(
        default="127.0.0.1", min_length=1, description="Address on which a proxy with TLS finds the pages."
    )
    pages_port: int = Field(
        default=8378,
        ge=0,
        le=65535,
        description="Port for them. `war-galley run` serves them in a process of its own; 0: it doesn't, and"
        " `war-galley pages --port` does.",
    )
    log_level: Annotated[logs.LogLevel, BeforeValidator(str.upper)] = Field(
        default="INFO", description="`DEBUG`, `INFO`, `WARNING` or `ERROR`. Libraries log at `INFO` and above only."
    )
    log_format: Annotated[logs.LogFormat, BeforeValidator(str.lower)] = Field(
        default="text", description="`text` for people, `json` for machines: one object per line."
    )


class BotSettings(PageSettings, ExitSettings):
    """Settings of one bot. Each field is the environment variable of the same name in capitals."""

    pages_days: int = Field(
        default=90,
        ge=1,
        description="Days after the end of a game on which the pictures and films of its page are removed. Who opens"
        " the page later waits until they are drawn again.",
    )
    pages_megabytes: int = Field(
        default=1000,
        ge=1,
        description="Megabytes that the pages of one server may take. If they are more, the pictures and films of the"
        " oldest finished games are removed.",
    )

    discord_token: Annotated[SecretStr, AfterValidator(_validate_token)] = Field(
        default=SecretStr(""), description="The bot's secret token, from Discord's developer portal."
    )
    database_url: str = Field(
        default="sqlite+aiosqlite:///war-galley.sqlite",
        description="Where games are kept: SQLite (`sqlite:///` works, too; four slashes begin an absolute path) or"
        " PostgreSQL (`postgresql+psycopg://…`).",
    )
    shards: int = Field(
        default=0,
        ge=0,
        le=1024,
        description="0: one bot plays alone. Otherwise several bots share a PostgreSQL, and each takes some of this"
        " many shards. The same number for all of them.",
    )
    workers: int = Field(
        default_factory=lambda: min(2, os.cpu_count() or 1),
        ge=1,
        le=32,
        description="Processes that compute and draw, up to 200 MB each; by default one per core, two at most. One more"
        " process works only for presses.",
    )
    phase_length: Annotated[str, AfterValidator(_validate_pace)] = Field(
        default="24h",
        description="Time for orders unless a game says otherwise, written as in `phase:` of `/galley new`.",
    )
    most_games: int = Field(
        default=10,
        ge=1,
        description="Games that one host may have open.",
    )
    most_openings: int = Field(
        default=10, ge=1, description="Games that one person may open within an hour, however those end."
    )
    most_server_openings: int = Field(
        default=30, ge=1, description="Games that may be opened on one server within an hour."
    )
    lobby_days: int = Field(
        default=7, ge=1, le=365, description="Days after its last change on which a lobby is called off."
    )
    idle_days: int = Field(
        default=30,
        ge=1,
        le=365,
        description="Days after which a game in which no person has acted is called off, unrated; two phases if those"
        " are longer.",
    )
    pause_days: int = Field(
        default=30,
        ge=1,
        le=365,
        description="Days after which an agreed pause ends. A game that stands still for another reason is called off.",
    )
    picture_format: Annotated[Literal["png", "webp"], BeforeValidator(str.lower)] = Field(
        default="png",
        description="Format of stills: `png`, or `webp`, which is half the size. Films are always WebP or GIF.",
    )
    picture_width: int = Field(
        default=1600,
        ge=200,
        le=1600,
        description="Width of stills in pixels. Smaller ones are drawn and sent faster. A captain's plan has four"
        " fifths of it.",
    )
    members_intent: bool = Field(
        default=False,
        description="Notice at once when a player leaves the server; needs the privileged *Server Members Intent*."
        " Without it the bot asks Discord when somebody misses a deadline or can't be messaged.",
    )
    http_host: str = Field(
        default="127.0.0.1", min_length=1, description="Address for `/healthz` and `/metrics`, which have no password."
    )
    http_port: int = Field(default=0, ge=0, le=65535, description="Port for them; 0 turns them off.")
    interactions_host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address on which a load balancer, or a proxy with TLS, finds `/interactions`.",
    )
    interactions_port: int = Field(
        default=0, ge=0, le=65535, description="Port for presses over HTTP; 0: presses come through the gateway."
    )
    health_file: str = Field(
        default="",
        description="File that is touched once a minute while Discord can be reached, for a container's health check.",
    )

    @property
    def terms(self) -> Terms:
        lobby_s, idle_s, pause_s = (days * 86_400 for days in (self.lobby_days, self.idle_days, self.pause_days))
        return Terms(lobby_s=lobby_s, idle_s=idle_s, pause_s=pause_s)

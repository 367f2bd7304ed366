"""Serve the pages of games in a process of its own, which knows neither the token nor the database."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import sys
import time
from pathlib import Path
from typing import Final

import typer
from aiohttp import web
from aiohttp.http import HttpProcessingError

from bot import logs
from bot.config import PageSettings
from bot.discord.identifying import Backoff
from bot.pages.folder import PageFolder
from bot.pages.site import create_site

log = logging.getLogger(__name__)

_SECRET_VARIABLES: Final = ("DISCORD_TOKEN", "DATABASE_URL", "PGPASSWORD")


MAX_OPEN_FILES: Final = 4_096
"""More would take the bot's memory rather than serve readers."""
_NICENESS: Final = 10  # workers that resolve steps have 5
_LOG_PAUSE_S: Final = 60.0


class RepetitionFilter(logging.Filter):
    """Lets each text pass once a minute, because readers can cause some errors a thousand times a second.

    Drops what a reader caused by a malformed request: nothing is wrong here, and the line would name the reader.
    """

    def __init__(self) -> None:
        super().__init__()
        self._passes_at: dict[str, float] = {}  # by the first line of the text

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], (HttpProcessingError, web.RequestPayloadError)):
            return False
        now, kind = time.monotonic(), str(record.msg).partition("\n")[0]
        if now < self._passes_at.get(kind, now):
            return False
        self._passes_at[kind] = now + _LOG_PAUSE_S
        return True


def serve_pages(config: PageSettings, port: int) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises `OSError` if the port cannot be used."""
    logs.configure_logging(config.log_level, config.log_format)
    for handler in logging.getLogger().handlers:
        handler.addFilter(RepetitionFilter())
    os.nice(_NICENESS)
    _allow_more_open_files()
    site = create_site(PageFolder(Path(config.pages_dir)), config.public_url)
    web.run_app(
        site,
        host=config.pages_host,
        port=port,
        access_log=None,
        shutdown_timeout=1,
        keepalive_timeout=30,
        print=lambda _: typer.echo(f"Pages are served on {config.pages_host}, port {port}"),
    )


def _allow_more_open_files() -> None:
    """Raise the soft limit of open files, which most systems set to 1,024: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


async def keep_serving() -> None:
    """Run `war-galley pages` as a child until cancelled; start it again when it ends, with longer and longer pauses."""
    environment = {name: value for name, value in os.environ.items() if name.upper() not in _SECRET_VARIABLES}
    backoff = Backoff()
    while True:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "pages", env=environment, stdin=asyncio.subprocess.DEVNULL
        )
        try:
            code = await child.wait()
        finally:
            if child.returncode is None:
                child.terminate()
                await child.wait()
        pause_s = backoff.next_pause_s()
        log.warning("pages are not served", extra={"code": code, "seconds": round(pause_s)})
        await asyncio.sleep(pause_s)

"""Serve the pages of games in a process of its own, which knows neither the token nor the database."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Final

import typer
from aiohttp import web

from bot.config import PageSettings
from bot.discord.identifying import Backoff
from bot.pages.folder import PageFolder
from bot.pages.site import create_site

log = logging.getLogger(__name__)

_SECRET_VARIABLES: Final = ("DISCORD_TOKEN", "DATABASE_URL")


def serve_pages(config: PageSettings, port: int) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises `OSError` if the port cannot be used."""
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


async def keep_serving() -> None:
    """Run `war-galley pages` as a child until cancelled; start it again when it ends, with longer and longer pauses."""
    environment = {name: value for name, value in os.environ.items() if name not in _SECRET_VARIABLES}
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

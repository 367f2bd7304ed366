"""Runs the bot on Discord until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import signal
from pathlib import Path

import aiohttp
import discord

from bot.app import build
from bot.config import Config
from bot.store import StoreUnavailable
from bot.workers import Workers

log = logging.getLogger(__name__)


class CannotRun(Exception):
    """Why the bot cannot run, in one line."""


def serve(config: Config) -> None:
    """Run until Ctrl-C or SIGTERM. Raises `CannotRun`."""
    logging.basicConfig(level=config.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if not config.discord_token.get_secret_value().strip():
        raise CannotRun("DISCORD_TOKEN is not set; put the bot's token into the environment or a .env file")
    workers = Workers(config.workers)
    try:
        asyncio.run(_serve(config, workers))
    except discord.LoginFailure as refused:
        raise CannotRun("Discord does not accept DISCORD_TOKEN; copy it again from the developer portal") from refused
    except StoreUnavailable as closed:
        raise CannotRun(f"the database cannot be opened: {closed}") from closed
    except (aiohttp.ClientConnectionError, OSError) as unreachable:
        raise CannotRun(f"Discord cannot be reached: {unreachable}") from unreachable
    except (KeyboardInterrupt, asyncio.CancelledError):
        log.info("stopped")
    finally:
        workers.close()


async def _serve(config: Config, workers: Workers) -> None:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - we are a task
    # A container is stopped by SIGTERM: the bot then finishes the step in hand, as on Ctrl-C.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with build(config, workers=workers) as bot:
        await bot.open()
        beating = asyncio.create_task(_beat(bot, config.health_file))
        try:
            await bot.start(config.discord_token.get_secret_value().strip())
        finally:
            beating.cancel()


async def _beat(bot: discord.Client, health_file: str) -> None:
    """Touch a file once a minute while Discord is reached."""
    while health_file:
        if bot.is_ready():
            await asyncio.to_thread(Path(health_file).touch)
        await asyncio.sleep(60)

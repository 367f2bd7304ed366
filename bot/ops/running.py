"""Runs the bot on Discord until it is stopped."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import discord

from bot import logs
from bot.config import Config
from bot.discord.app import WarGalley, build, system_chance, system_clock
from bot.store import StoreUnavailable
from bot.work.workers import Workers

log = logging.getLogger(__name__)


class CannotRun(Exception):
    """Why the bot cannot run, in one line."""


class Unreachable(CannotRun):
    """The bot can't run just now; trying again may help."""


def serve(config: Config, workers: Workers) -> None:
    """Run until Ctrl-C or SIGTERM. Raises `CannotRun`."""
    logs.configure(config.log_level, config.log_format)
    try:
        asyncio.run(_serve(config, workers))
    except discord.LoginFailure as refused:
        raise CannotRun("Discord does not accept DISCORD_TOKEN; copy it again from the developer portal") from refused
    except StoreUnavailable as closed:
        raise CannotRun(f"the database cannot be opened: {closed}") from closed
    except (aiohttp.ClientConnectionError, OSError) as unreachable:
        raise Unreachable(f"Discord cannot be reached: {unreachable}") from unreachable
    except (KeyboardInterrupt, asyncio.CancelledError):
        log.info("stopped")


async def _serve(config: Config, workers: Workers) -> None:
    own = asyncio.current_task()
    assert own is not None  # noqa: S101 - we are a task
    # Containers are stopped by SIGTERM. As on Ctrl-C, the bot then finishes its step.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, own.cancel)
    async with AsyncExitStack() as stack:
        bot = _built(config, workers)
        if config.http_port:
            # Entered first, so that health checks still get answers while the bot stops.
            await stack.enter_async_context(_told(bot, config))
        await stack.enter_async_context(bot)
        await bot.open()
        beside = [asyncio.create_task(_beat(bot, config.health_file)), asyncio.create_task(_settle(bot))]
        try:
            await bot.login(config.discord_token.get_secret_value().strip())
            if config.interactions_port:
                await stack.enter_async_context(_taken(bot, config))
            await bot.connect()
        finally:
            for task in beside:
                task.cancel()


def _built(config: Config, workers: Workers) -> WarGalley:
    """The bot, alone or as one of several."""
    if not config.shards:
        return build(config, workers=workers)
    from bot.discord.sharded import ShardedWarGalley  # noqa: PLC0415 - most bots play alone

    return ShardedWarGalley(config, clock=system_clock, workers=workers, chance=system_chance)


@asynccontextmanager
async def _told(bot: WarGalley, config: Config) -> AsyncIterator[None]:
    from bot.ops.health import served  # noqa: PLC0415 - a web server that most operators don't use

    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(served(bot, config.http_host, config.http_port))
        except OSError as taken:
            raise CannotRun(f"HTTP_HOST and HTTP_PORT cannot be had: {taken.strerror or taken}") from taken
        yield


@asynccontextmanager
async def _taken(bot: WarGalley, config: Config) -> AsyncIterator[None]:
    try:
        from bot.ops.interactions import NoKey, served  # noqa: PLC0415 - it needs an extra that most operators don't
    except ModuleNotFoundError as missing:
        raise CannotRun("INTERACTIONS_PORT needs PyNaCl: install requirements/interactions.txt") from missing
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(served(bot, config.interactions_host, config.interactions_port))
        except OSError as taken:
            why = taken.strerror or taken
            raise CannotRun(f"INTERACTIONS_HOST and INTERACTIONS_PORT cannot be had: {why}") from taken
        except NoKey as unusable:
            raise CannotRun(
                "INTERACTIONS_PORT cannot be used: Discord names no valid public key of the application"
            ) from unusable
        yield


async def _settle(bot: WarGalley) -> None:
    """Exclude what is loaded by now from garbage collection, which would block the event loop again and again."""
    await bot.wait_until_ready()
    gc.freeze()


async def _beat(bot: WarGalley, health_file: str) -> None:
    """Touch a file once a minute while Discord can be reached."""
    while health_file:
        if bot.connected:
            await asyncio.to_thread(Path(health_file).touch)
        await asyncio.sleep(60)

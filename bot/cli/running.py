"""Run the bot on Discord until it is stopped, restarting it after failures unless only a person can help."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import logging
import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from bot import logs
from bot.allocator import return_freed_memory
from bot.cli.exiting import CannotRun, interrupt_on_sigterm
from bot.cli.failures import Failure, FailureKind, PortUnavailable, explain_failure
from bot.config import BotSettings
from bot.discord.app import WarGalley, build_bot, system_clock, system_entropy
from bot.discord.identifying import MAX_PAUSE_S, Backoff, UnreadableResponse
from bot.discord.metrics import Metrics
from bot.jobs.workers import Workers
from bot.store import StoreUnavailable
from bot.store.models.records import BotStatistics

log = logging.getLogger(__name__)


def run_bot(config: BotSettings, workers: Workers) -> None:
    """Run until Ctrl-C or SIGTERM. Raises `CannotRun` if only a person can help."""
    return_freed_memory()
    logs.configure_logging(config.log_level, config.log_format)
    check_settings(config)
    try:
        asyncio.run(_run_until_stopped(Supervisor(config, workers)))
    except (KeyboardInterrupt, asyncio.CancelledError):
        log.info("stopped")
    finally:
        interrupt_on_sigterm()  # restored, because the event loop has installed its own handler


async def _run_until_stopped(supervisor: Supervisor) -> None:
    this_task = asyncio.current_task()
    assert this_task is not None  # noqa: S101 - we are a task
    # Containers are stopped by SIGTERM. The bot then finishes its step, as on Ctrl-C.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this_task.cancel)
    await supervisor.run_until_ended()


class Supervisor:
    """Builds and runs one bot after another. Between two bots it reports their health."""

    def __init__(self, config: BotSettings, workers: Workers) -> None:
        self.workers = workers
        self.metrics = Metrics()
        self._config = config
        self._bot: WarGalley | None = None  # the one that runs now
        self._health_server = AsyncExitStack()  # stays open from one bot to the next
        self._serves_health = False  # whether the server has been started

    @property
    def is_connected(self) -> bool:
        return self._bot is not None and self._bot.is_connected

    async def statistics(self) -> BotStatistics:
        """Count games and messages. Raises `StoreUnavailable`, or an error of the database."""
        if self._bot is None:
            raise StoreUnavailable("no bot runs just now")
        return await self._bot.statistics()

    async def run_until_ended(self) -> None:
        """Run bots until one ends by itself. Raises `CannotRun` if only a person can help."""
        async with AsyncExitStack() as stack:
            if self._config.public_url and self._config.pages_port:
                from bot.cli.pages import keep_serving  # noqa: PLC0415 - most hosts serve no pages

                stack.push_async_callback(_cancel_task, asyncio.create_task(keep_serving(), name="pages"))
            await self._run_bots()

    async def _run_bots(self) -> None:
        backoff = Backoff()
        clock = asyncio.get_running_loop().time
        async with self._health_server:
            began_at = clock()
            while failure := await self._run_once():
                _collect_garbage()
                if failure.kind is FailureKind.FINAL:
                    raise CannotRun(failure.line)
                if clock() - began_at > MAX_PAUSE_S:  # this bot ran for long
                    backoff.reset()
                pause_s = max(backoff.next_pause_s(), failure.retry_after_s)
                log.warning("the bot waits", extra={"why": failure.line, "seconds": round(pause_s)})
                await asyncio.sleep(pause_s)
                began_at = clock()

    async def _run_once(self) -> Failure | None:
        """Run one bot. Return why it failed, or None if it ended by itself."""
        try:
            await self._serve_health()
            await self._run_bot()
        except Exception as error:
            failure = explain_failure(error, _secret_values(self._config))
            if failure.kind is FailureKind.UNFORESEEN:
                log.exception("the bot failed")
            return failure
        return None

    async def _run_bot(self) -> None:
        async with AsyncExitStack() as stack:
            bot = self._bot = self._build_bot()
            stack.callback(self._forget_bot)
            await stack.enter_async_context(bot)
            await bot.open_database()
            background_work = (_touch_health_file(bot, self._config.health_file), _freeze_garbage(bot))
            for work in background_work:
                stack.push_async_callback(_cancel_task, asyncio.create_task(work))
            await _log_in(bot, self._config)
            if self._config.interactions_port:
                await _receive_interactions(stack, bot, self._config)
            await bot.connect()

    def _build_bot(self) -> WarGalley:
        if not self._config.shards:
            return build_bot(self._config, workers=self.workers, metrics=self.metrics)
        from bot.discord.sharded import ShardedWarGalley  # noqa: PLC0415 - most bots play alone

        return ShardedWarGalley(
            self._config, clock=system_clock, workers=self.workers, chance=system_entropy, metrics=self.metrics
        )

    def _forget_bot(self) -> None:
        self._bot = None

    async def _serve_health(self) -> None:
        if not self._config.http_port or self._serves_health:
            return
        from bot.cli.health import serve_health  # noqa: PLC0415 - a web server that most operators don't use

        try:
            await self._health_server.enter_async_context(
                serve_health(self, self._config.http_host, self._config.http_port)
            )
        except OSError as error:
            raise PortUnavailable("HTTP", error) from error
        self._serves_health = True


async def _log_in(bot: WarGalley, config: BotSettings) -> None:
    try:
        await bot.login(config.discord_token.get_secret_value().strip())
    except (LookupError, TypeError, ValueError) as error:
        if bot.application is None:  # discord.py has not read Discord's first answers yet
            raise UnreadableResponse from error
        raise


async def _receive_interactions(stack: AsyncExitStack, bot: WarGalley, config: BotSettings) -> None:
    from bot.cli.interactions import NoPublicKey, serve_interactions  # noqa: PLC0415 - it needs an extra that most operators don't

    try:
        await stack.enter_async_context(serve_interactions(bot, config.interactions_host, config.interactions_port))
    except OSError as error:
        raise PortUnavailable("INTERACTIONS", error) from error
    except NoPublicKey as error:
        raise CannotRun(
            "INTERACTIONS_PORT cannot be used: Discord names no valid public key of the application"
        ) from error


async def _freeze_garbage(bot: WarGalley) -> None:
    """Exclude loaded objects from garbage collection, which would block the event loop repeatedly."""
    await bot.wait_until_ready()
    gc.freeze()


def _collect_garbage() -> None:
    gc.unfreeze()
    gc.collect()


async def _touch_health_file(bot: WarGalley, health_file: str) -> None:
    """Touch a file every minute while the bot is connected. An empty name ends this at once."""
    while health_file:
        if bot.is_connected:
            try:
                await asyncio.to_thread(Path(health_file).touch)
            except OSError as error:
                log.warning("health file cannot be written", extra={"why": str(error)})
        await asyncio.sleep(60)


async def _cancel_task(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _secret_values(config: BotSettings) -> list[str]:
    """Return the token and the database's passwords, which must not be shown."""
    secrets = [config.discord_token.get_secret_value().strip()]
    try:
        url = make_url(config.database_url)
    except (ArgumentError, ValueError):
        return secrets
    query_passwords = url.query.get("password", ())  # a text, or several
    if isinstance(query_passwords, str):
        query_passwords = (query_passwords,)
    return [*secrets, str(url.password or ""), *query_passwords]


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

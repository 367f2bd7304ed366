"""Serve `/healthz` for health checks and `/metrics` for Prometheus. Off by default."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final, Protocol

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError

from bot.discord.metrics import Metrics
from bot.jobs.workers import Workers
from bot.store import NotWritten, StoreUnavailable
from bot.store.models.records import BotStatistics

log = logging.getLogger(__name__)

DATABASE_TIMEOUT_S: Final = 2.0
MAX_JOB_AGE_S: Final = 300.0
"""A job this old counts as stuck. It is longer than two of the longest jobs (`JobLimits.film_s`)."""
_LAG_INTERVAL_S: Final = 0.25


class WatchedBot(Protocol):
    """A source of health figures: a bot, or the supervisor that runs one bot after another."""

    @property
    def workers(self) -> Workers:
        """The pool of worker processes and its queue of jobs."""

    @property
    def metrics(self) -> Metrics:
        """The counters and gauges that `/metrics` shows."""

    @property
    def is_connected(self) -> bool:
        """Whether Discord's gateway is connected."""

    async def statistics(self) -> BotStatistics:
        """Count games and messages. Raises `StoreUnavailable` while no bot has the database open."""


@asynccontextmanager
async def serve_health(bot: WatchedBot, host: str, port: int) -> AsyncIterator[str]:
    """Serve `/healthz` and `/metrics` in the block. Yields the address. Raises `OSError` if the port is taken."""
    handler = _HealthHandler(bot)
    app = web.Application()
    app.router.add_get("/healthz", handler.healthz)
    app.router.add_get("/metrics", handler.metrics)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        bound_host, bound_port = runner.addresses[0][:2]
        address = f"http://{bound_host}:{bound_port}"
        log.debug("health is told", extra={"address": address})
        lag_task = asyncio.create_task(handler.measure_lag(), name="event loop's lag")
        try:
            yield address
        finally:
            lag_task.cancel()
            with suppress(asyncio.CancelledError):
                await lag_task
    finally:
        await runner.cleanup()


class _HealthHandler:
    def __init__(self, bot: WatchedBot) -> None:
        self._bot = bot

    async def healthz(self, _request: web.Request) -> web.Response:
        """Return 200 while Discord is connected, the database can be read and jobs are done; otherwise 503.

        A blocked event loop answers no requests.
        """
        statistics = await self._read_statistics()
        oldest_s = self._bot.workers.oldest_job_s
        are_jobs_done = oldest_s < MAX_JOB_AGE_S
        report: dict[str, bool | int] = {
            "discord": self._bot.is_connected,
            "database": statistics is not None,
            "workers": are_jobs_done,
            "jobs": self._bot.workers.job_count,
            "oldest_job_s": int(oldest_s),
        }
        if statistics:
            report |= {"outbox_waiting": statistics.waiting_messages, "outbox_oldest_s": statistics.oldest_waiting_s}
        is_healthy = self._bot.is_connected and statistics is not None and are_jobs_done
        return web.json_response(report, status=200 if is_healthy else 503)

    async def metrics(self, _request: web.Request) -> web.Response:
        statistics = await self._read_statistics()
        text = self._bot.metrics.render_metrics(statistics, self._bot.workers, connected=self._bot.is_connected)
        return web.Response(body=text, headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def _read_statistics(self) -> BotStatistics | None:
        try:
            return await asyncio.wait_for(self._bot.statistics(), DATABASE_TIMEOUT_S)
        except (StoreUnavailable, NotWritten, SQLAlchemyError, OSError) as error:
            log.warning("database cannot be read", extra={"why": type(error).__name__})
            return None

    async def measure_lag(self) -> None:
        """Record again and again how much later than wanted the event loop wakes this task."""
        loop = asyncio.get_running_loop()
        while True:
            wake_at = loop.time() + _LAG_INTERVAL_S
            await asyncio.sleep(_LAG_INTERVAL_S)
            self._bot.metrics.record_loop_lag(max(0.0, loop.time() - wake_at))

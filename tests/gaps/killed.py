"""A bot that counts a gap and is killed at a commit: `main` with DATABASE, the time in Unix seconds, and the commit.

It says how many commits it has made.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime

from bot.services.table import Services
from bot.store import Store
from bot.store.engine.driver import Connection
from tests import here
from tests.crash.player import Points


async def _live(url: str, now: int, points: Points) -> None:
    plain = Connection.commit

    async def commit(connection: Connection) -> None:
        if not connection._is_reading:
            points()
        await plain(connection)
        if not connection._is_reading:
            points()

    Connection.commit = commit  # type: ignore[method-assign]
    store = await Store.open(url)
    table = Services(store, here.workers(), lambda: datetime.fromtimestamp(now, UTC), lambda: "0" * 64)
    await table.step_runner.run_due_work()
    await store.close()


def main() -> None:
    """Live once."""
    url, now, kill_at = sys.argv[1:]
    points = Points(int(kill_at))
    asyncio.run(_live(url, int(now), points))
    sys.stdout.write(f"{points.passed}\n")

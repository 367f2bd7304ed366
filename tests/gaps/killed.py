"""A bot that counts a gap and is killed at a commit: `main` with DATABASE, the time in Unix seconds, and the commit.

It says how many commits it has made.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime

from bot.services.table import Services
from bot.store import Store
from bot.store.engine.sqlite_pool import SqliteConnection
from tests import here
from tests.crash.player import Points


async def _live(url: str, now: int, points: Points) -> None:
    plain = SqliteConnection.commit

    async def commit(connection: SqliteConnection) -> None:
        points()
        await plain(connection)
        points()

    SqliteConnection.commit = commit  # type: ignore[method-assign]
    store = await Store.open(url)
    table = Services(store, here.workers(), lambda: datetime.fromtimestamp(now, UTC), lambda: "0" * 64)
    await table.step_runner.run_due_work()
    await store.close()


def main() -> None:
    url, now, kill_at = sys.argv[1:]
    points = Points(int(kill_at))
    asyncio.run(_live(url, int(now), points))
    sys.stdout.write(f"{points.passed}\n")

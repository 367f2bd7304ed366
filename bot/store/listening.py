"""A connection of its own to PostgreSQL, on which a bot hears that others have changed something."""

from __future__ import annotations

from typing import Final

import psycopg
from sqlalchemy import URL

from bot.store import postgres
from bot.store.errors import DatabaseAway

CHANNEL: Final = "war_galley"
"""What the tables' triggers speak on when a message is wanted or a deadline is set: see migration 0004."""


class Listener:
    """Hears what others say on our channel; connects when it is first asked, and again after a loss."""

    def __init__(self, url: URL) -> None:
        self._address = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._given = postgres.connecting(url)
        self._connection: psycopg.AsyncConnection | None = None

    async def heard(self, most_s: float) -> bool:
        """Wait until somebody says something, but no longer than so; whether they did, or may have done so unheard.

        Raises `DatabaseAway`.
        """
        try:
            if self._connection is None or self._connection.closed:
                self._connection = await psycopg.AsyncConnection.connect(self._address, autocommit=True, **self._given)
                await self._connection.execute(f"LISTEN {CHANNEL}")
                return True  # whatever was told before
            async for _ in self._connection.notifies(timeout=most_s, stop_after=1):
                return True
        except psycopg.OperationalError as away:
            raise DatabaseAway(str(away).strip()) from away
        return False

    async def close(self) -> None:
        """Listen no more."""
        if self._connection is not None:
            await self._connection.close()

"""A connection of its own to PostgreSQL, on which a bot hears that others have changed something."""

from __future__ import annotations

from typing import Final

import msgspec
import psycopg
from sqlalchemy import URL

from bot.store.engine import postgres
from bot.store.engine.shard import DraftVersion, Notifications
from bot.store.errors import DatabaseAway
from bot.store.queries.requests import DRAFTS_CHANNEL

CHANNEL: Final = "war_galley"
"""What the tables' triggers speak on when a message is wanted or a deadline is set: see migration 0004."""

_DRAFTS_DECODER: Final = msgspec.json.Decoder(list[DraftVersion])


class Listener:
    """Hears what others say on our channels; connects when it is first asked, and again after a loss."""

    def __init__(self, url: URL) -> None:
        self._conninfo = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._connect_arguments = postgres.connect_arguments(url)
        self._connection: psycopg.AsyncConnection | None = None

    async def wait_for_notification(self, most_s: float) -> Notifications:
        """Wait until somebody says something, but no longer than so. Raises `DatabaseAway`."""
        try:
            if self._connection is None or self._connection.closed:
                self._connection = await psycopg.AsyncConnection.connect(
                    self._conninfo, autocommit=True, **self._connect_arguments
                )
                for channel in (CHANNEL, DRAFTS_CHANNEL):
                    await self._connection.execute(f"LISTEN {channel}")
                return Notifications(has_changes=True)  # whatever was told before
            # Several may come at once: all of them are taken.
            told = [one async for one in self._connection.notifies(timeout=most_s, stop_after=1)]
        except psycopg.OperationalError as away:
            raise DatabaseAway(str(away).strip()) from away
        drafted = [draft for one in told if one.channel == DRAFTS_CHANNEL for draft in _parse_drafts(one.payload)]
        return Notifications(any(one.channel == CHANNEL for one in told), drafted)

    async def close(self) -> None:
        """Listen no more."""
        if self._connection is not None:
            await self._connection.close()


def _parse_drafts(note: str) -> list[DraftVersion]:
    """What a note says; nothing if another version, or somebody who is no bot of ours, has written it otherwise.

    Notes only spare us pictures that another bot has overtaken: what counts stands in the tables.
    """
    try:
        return _DRAFTS_DECODER.decode(note)
    except msgspec.MsgspecError:
        return []

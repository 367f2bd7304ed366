"""Receive PostgreSQL notifications about changes by other bots."""

from __future__ import annotations

from typing import Final

import msgspec
import psycopg
from sqlalchemy import URL

from bot.store.engine import postgres
from bot.store.engine.shard import DraftVersion, Notifications
from bot.store.errors import DatabaseAway
from bot.store.queries.requests import DRAFTS_CHANNEL

CHANNEL: Final = "war_galley"  # channel of the triggers for new messages and deadlines (see migration 0001)

_DRAFTS_DECODER: Final = msgspec.json.Decoder(list[DraftVersion])


class Listener:
    def __init__(self, url: URL) -> None:
        self._conninfo = url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._connect_arguments = postgres.connect_arguments(url)
        self._connection: psycopg.AsyncConnection | None = None

    async def wait_for_notification(self, most_s: float) -> Notifications:
        """Wait for a notification, at most `most_s` seconds. Raises `DatabaseAway`."""
        try:
            if self._connection is None or self._connection.closed:
                self._connection = await psycopg.AsyncConnection.connect(
                    self._conninfo, autocommit=True, **self._connect_arguments
                )
                for channel in (CHANNEL, DRAFTS_CHANNEL):
                    await self._connection.execute(f"LISTEN {channel}")
                return Notifications(has_changes=True)  # changes before the connection are unknown
            # `stop_after` stops after the batch that has arrived.
            notifications = [
                notification async for notification in self._connection.notifies(timeout=most_s, stop_after=1)
            ]
        except psycopg.OperationalError as away:
            raise DatabaseAway(str(away).strip()) from away
        drafted = [
            draft
            for notification in notifications
            if notification.channel == DRAFTS_CHANNEL
            for draft in _parse_drafts(notification.payload)
        ]
        return Notifications(any(notification.channel == CHANNEL for notification in notifications), drafted)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()


def _parse_drafts(payload: str) -> list[DraftVersion]:
    """Decode a notification about drafts; empty if it is malformed, as from another version.

    Such notifications only save drawing outdated pictures. The tables are authoritative.
    """
    try:
        return _DRAFTS_DECODER.decode(payload)
    except msgspec.MsgspecError:
        return []

"""What all queries share: the connection, and records made of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Row, Table
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.engine.built import upsert_row
from bot.store.engine.direct import DirectConnection
from bot.store.engine.shard import HeldShards
from bot.store.models import subjects
from bot.store.models.pace import Pace
from bot.store.models.records import Game, LogEntryRow, OutboxMessage, Player, RequestRow, StepCause, StepRow
from bot.store.queries.locks import lock_game
from rules.core.protocol import Request, Setup

R = TypeVar("R")
RowLike = Row[Any] | Mapping[str, Any]
"""A row, or the part of a joined row that is one table's."""
AnyConnection = AsyncConnection | DirectConnection
"""What statements are carried out on."""


def to_column(value: msgspec.Struct) -> str:
    """A value as its column holds it, as text."""
    return msgspec.json.encode(value).decode()


def record_from_row(row: RowLike, of: type[R]) -> R:
    """Read a row whose columns are a record's fields."""
    return of(**_column_values(row))


def split_row(row: Row[Any], *tables: Table) -> Iterator[Mapping[str, Any]]:
    """The columns of each of these tables, in a row that was selected from all of them in this order."""
    at = 0
    for table in tables:
        names = table.c.keys()
        yield dict(zip(names, row[at : at + len(names)], strict=True))
        at += len(names)


def game_from_row(row: RowLike) -> Game:
    """The game in a row of `games`."""
    columns = _column_values(row)
    setup = msgspec.json.decode(columns["setup"], type=Setup)
    return Game(**{**columns, "setup": setup, "pace": msgspec.json.decode(columns["pace"], type=Pace)})


def request_from_row(row: RowLike) -> RequestRow:
    """The request in a row of `requests`."""
    columns = {**_column_values(row)}
    del columns["awaits_battle"]  # it is said by what is asked
    return RequestRow(**{**columns, "body": msgspec.json.decode(columns["body"], type=Request)})


def step_from_row(row: RowLike) -> StepRow:
    """The step in a row of `steps`."""
    columns = _column_values(row)
    return StepRow(**{**columns, "cause": msgspec.json.decode(columns["cause"], type=StepCause)})


def message_from_row(row: RowLike) -> OutboxMessage:
    """The message in a row of `outbox`."""
    columns = {**_column_values(row)}
    return OutboxMessage(subject=subjects.parse_subject(columns.pop("ref")), **columns)


def player_from_row(row: RowLike) -> Player:
    """The player in a row of `players`."""
    columns = _column_values(row)
    return Player(**{**columns, "standing": msgspec.json.decode(columns["standing"])})


def log_entry_from_row(row: RowLike) -> LogEntryRow:
    """The entry in a row of `acts`."""
    columns = _column_values(row)
    return LogEntryRow(**{**columns, "params": msgspec.json.decode(columns["params"])})


def _column_values(row: RowLike) -> Mapping[Any, Any]:
    return row._mapping if isinstance(row, Row) else row  # noqa: SLF001 - the public name has the underscore


class QueryGroup:
    """Asks the database within one transaction."""

    def __init__(self, connection: AnyConnection, share: HeldShards | None = None) -> None:
        self._connection = connection
        self._share = share
        """What part of all games is ours; None: all of them."""

    async def lock_game(self, game_id: int) -> bool:
        """Let nobody else write about a game until this transaction ends (`bot.store.queries.locks`)."""
        return await lock_game(self._connection, game_id)

    async def _upsert(self, table: Table, values: Mapping[str, Any]) -> None:
        """Store a row, or, if there is one with its primary key, these columns of it."""
        await self._connection.execute(upsert_row(self._connection.dialect.name, table, tuple(values)), values)

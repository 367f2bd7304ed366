"""Define the base class of queries, and conversions between rows and records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Row, Table
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.engine.built import upsert_row
from bot.store.engine.shard import HeldShards
from bot.store.engine.sqlite_pool import SqliteConnection
from bot.store.models import subjects
from bot.store.models.pace import Pace
from bot.store.models.records import Game, LogEntryRow, OutboxMessage, Player, RequestRow, StepCause, StepRow
from bot.store.queries.locks import lock_game, lock_games
from rules.core.protocol import Request, Setup

R = TypeVar("R")
RowLike = Row[Any] | Mapping[str, Any]
AnyConnection = AsyncConnection | SqliteConnection


def to_column(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()


def record_from_row(row: RowLike, of: type[R]) -> R:
    return of(**_column_values(row))


def split_row(row: Row[Any], *tables: Table) -> Iterator[Mapping[str, Any]]:
    """Yield the columns of each table by name, of a row that was selected from all these tables."""
    begin = 0
    for table in tables:
        names = table.c.keys()
        yield dict(zip(names, row[begin : begin + len(names)], strict=True))
        begin += len(names)


def game_from_row(row: RowLike) -> Game:
    columns = _column_values(row)
    setup = msgspec.json.decode(columns["setup"], type=Setup)
    return Game(**{**columns, "setup": setup, "pace": msgspec.json.decode(columns["pace"], type=Pace)})


def request_from_row(row: RowLike) -> RequestRow:
    columns = {**_column_values(row)}
    del columns["awaits_battle"]  # derived from the body
    return RequestRow(**{**columns, "body": msgspec.json.decode(columns["body"], type=Request)})


def step_from_row(row: RowLike) -> StepRow:
    columns = _column_values(row)
    return StepRow(**{**columns, "cause": msgspec.json.decode(columns["cause"], type=StepCause)})


def message_from_row(row: RowLike) -> OutboxMessage:
    columns = {**_column_values(row)}
    return OutboxMessage(subject=subjects.parse_subject(columns.pop("ref")), **columns)


def player_from_row(row: RowLike) -> Player:
    columns = _column_values(row)
    return Player(**{**columns, "standing": msgspec.json.decode(columns["standing"])})


def log_entry_from_row(row: RowLike) -> LogEntryRow:
    columns = _column_values(row)
    return LogEntryRow(**{**columns, "params": msgspec.json.decode(columns["params"])})


def _column_values(row: RowLike) -> Mapping[Any, Any]:
    return row._mapping if isinstance(row, Row) else row  # noqa: SLF001 - the public name has the underscore


class QueryGroup:
    def __init__(self, connection: AnyConnection, share: HeldShards | None = None) -> None:
        self._connection = connection
        self._share = share  # this bot's shards; None if it is the only bot

    async def lock_game(self, game_id: int) -> None:
        """Lock a game and those linked to it for writing until the transaction ends (`bot.store.queries.locks`)."""
        await lock_game(self._connection, game_id)

    async def lock_games(self, game_ids: Collection[int]) -> None:
        await lock_games(self._connection, game_ids)

    async def _upsert(self, table: Table, values: Mapping[str, Any]) -> None:
        """Insert a row, or update these columns of the row with the same primary key."""
        await self._connection.execute(upsert_row(self._connection.dialect.name, table, tuple(values)), values)

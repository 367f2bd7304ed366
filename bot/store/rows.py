"""What all queries share: the connection, and records made of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Row, Table
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store import subjects
from bot.store.built import keeping
from bot.store.direct import DirectConnection
from bot.store.held import hold_game
from bot.store.pace import Pace
from bot.store.records import ActRow, Cause, Game, Message, Player, RequestRow, StepRow
from bot.store.share import Share
from rules.protocol import Request, Setup

R = TypeVar("R")
Columns = Row[Any] | Mapping[str, Any]
"""A row, or the part of a joined row that is one table's."""
Connected = AsyncConnection | DirectConnection
"""What statements are carried out on."""


def written(value: msgspec.Struct) -> str:
    """A value as its column holds it, as text."""
    return msgspec.json.encode(value).decode()


def record(row: Columns, of: type[R]) -> R:
    """Read a row whose columns are a record's fields."""
    return of(**_named(row))


def parts(row: Row[Any], *tables: Table) -> Iterator[Mapping[str, Any]]:
    """The columns of each of these tables, in a row that was selected from all of them in this order."""
    at = 0
    for table in tables:
        names = table.c.keys()
        yield dict(zip(names, row[at : at + len(names)], strict=True))
        at += len(names)


def game_of(row: Columns) -> Game:
    """The game in a row of `games`."""
    columns = _named(row)
    setup = msgspec.json.decode(columns["setup"], type=Setup)
    return Game(**{**columns, "setup": setup, "pace": msgspec.json.decode(columns["pace"], type=Pace)})


def request_of(row: Columns) -> RequestRow:
    """The request in a row of `requests`."""
    columns = {**_named(row)}
    del columns["awaits_battle"]  # it is said by what is asked
    return RequestRow(**{**columns, "body": msgspec.json.decode(columns["body"], type=Request)})


def step_of(row: Columns) -> StepRow:
    """The step in a row of `steps`."""
    columns = _named(row)
    return StepRow(**{**columns, "cause": msgspec.json.decode(columns["cause"], type=Cause)})


def message_of(row: Columns) -> Message:
    """The message in a row of `outbox`."""
    columns = {**_named(row)}
    return Message(subject=subjects.read(columns.pop("ref")), **columns)


def player_of(row: Columns) -> Player:
    """The player in a row of `players`."""
    columns = _named(row)
    return Player(**{**columns, "standing": msgspec.json.decode(columns["standing"])})


def act_of(row: Columns) -> ActRow:
    """The entry in a row of `acts`."""
    columns = _named(row)
    return ActRow(**{**columns, "params": msgspec.json.decode(columns["params"])})


def _named(row: Columns) -> Mapping[Any, Any]:
    return row._mapping if isinstance(row, Row) else row  # noqa: SLF001 - the public name has the underscore


class Queries:
    """Asks the database within one transaction."""

    def __init__(self, connection: Connected, share: Share | None = None) -> None:
        self._connection = connection
        self._share = share
        """What part of all games is ours; None: all of them."""

    async def hold(self, game_id: int) -> bool:
        """Let nobody else write about a game until this transaction ends, if it writes: see `bot.store.held`."""
        return await hold_game(self._connection, game_id)

    async def _upsert(self, table: Table, values: Mapping[str, Any]) -> None:
        """Store a row, or, if there is one with its primary key, these columns of it."""
        await self._connection.execute(keeping(self._connection.dialect.name, table, tuple(values)), values)

"""What all queries share: the connection, and records made of rows."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store import subjects
from bot.store.pace import Pace
from bot.store.records import ActRow, Cause, Game, Message, Player, RequestRow, StepRow
from rules.protocol import Request, Setup

R = TypeVar("R")


def written(value: msgspec.Struct) -> str:
    """Write a value as its column holds it."""
    return msgspec.json.encode(value).decode()


def record(row: Row[Any], of: type[R]) -> R:
    """Read a row whose columns are a record's fields."""
    return of(**row._mapping)  # noqa: SLF001 - the public name of a row's mapping has the underscore


def game_of(row: Row[Any]) -> Game:
    """Read a row of `games`."""
    read = {"setup": msgspec.json.decode(row.setup, type=Setup), "pace": msgspec.json.decode(row.pace, type=Pace)}
    return Game(**{**row._mapping, **read})  # noqa: SLF001 - as above


def request_of(row: Row[Any]) -> RequestRow:
    """Read a row of `requests`."""
    return RequestRow(**{**row._mapping, "body": msgspec.json.decode(row.body, type=Request)})  # noqa: SLF001 - as above


def step_of(row: Row[Any]) -> StepRow:
    """Read a row of `steps`."""
    return StepRow(**{**row._mapping, "cause": msgspec.json.decode(row.cause, type=Cause)})  # noqa: SLF001 - as above


def message_of(row: Row[Any]) -> Message:
    """Read a row of `outbox`."""
    columns = {**row._mapping, "subject": subjects.read(row.ref)}  # noqa: SLF001 - as above
    del columns["ref"]
    return Message(**columns)


def player_of(row: Row[Any]) -> Player:
    """Read a row of `players`."""
    return Player(**{**row._mapping, "standing": msgspec.json.decode(row.standing)})  # noqa: SLF001 - as above


def act_of(row: Row[Any]) -> ActRow:
    """Read a row of `acts`."""
    return ActRow(**{**row._mapping, "params": msgspec.json.decode(row.params)})  # noqa: SLF001 - as above


class Queries:
    """Asks the database within one transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

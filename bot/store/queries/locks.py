"""Lock games for writing in PostgreSQL, which has many writers. SQLite has one writer and needs no locks.

A transaction that writes about a game first locks the game's row, so transactions about one game run one after another.
A transaction about many games locks the whole table before anything else and waits for all holders, which prevents
deadlocks.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.engine.sqlite_pool import SqliteConnection
from bot.store.models.tables import games

HELD_OPTION: Final = "war_galley_held"
"""Execution option of a connection: the set of games that its transaction has locked. Absent if no locks are needed."""

_LOCK_GAME: Final = (
    select(games.c.id)
    .where(games.c.id == bindparam("held", type_=BigInteger))
    .with_for_update(key_share=True)  # other rows that refer to the game may be inserted
)
_LOCK_ALL_GAMES: Final = text("LOCK TABLE games IN EXCLUSIVE MODE")
_LOCK_RATINGS: Final = text("LOCK TABLE ratings IN SHARE ROW EXCLUSIVE MODE")
_ALL_GAMES_ID: Final = 0


def _held_game_ids(connection: AsyncConnection | SqliteConnection) -> set[int] | None:
    if isinstance(connection, SqliteConnection) or connection.sync_connection is None:
        return None
    game_ids: set[int] | None = connection.sync_connection.get_execution_options().get(HELD_OPTION)
    return game_ids


async def lock_game(connection: AsyncConnection | SqliteConnection, game_id: int) -> bool:
    """Lock a game for writing until the transaction ends. Reads after that see its newest state.

    Returns whether a lock was taken, in which case earlier reads may be outdated.
    """
    held_ids = _held_game_ids(connection)
    if held_ids is None or game_id in held_ids or _ALL_GAMES_ID in held_ids:
        return False
    await connection.execute(_LOCK_GAME, {"held": game_id})
    held_ids.add(game_id)
    return True


async def lock_all_games(connection: AsyncConnection | SqliteConnection) -> None:
    held_ids = _held_game_ids(connection)
    if held_ids is not None:
        await connection.execute(_LOCK_ALL_GAMES)
        held_ids.add(_ALL_GAMES_ID)


async def lock_ratings(connection: AsyncConnection | SqliteConnection) -> None:
    if _held_game_ids(connection) is not None:
        await connection.execute(_LOCK_RATINGS)

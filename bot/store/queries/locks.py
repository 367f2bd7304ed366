"""Lock games for writing in PostgreSQL, which has many writers. SQLite has one writer and needs no locks.

A family of games is a game, its battles, and the second game of its match, with the battles of those. A transaction
that writes about a game first locks its family, so transactions about one family run one after another. The lock is
that of the oldest game's row, whichever game is meant. If each game had its own, a season's turn and a battle's would
take them in opposite orders and wait for each other.

Several families are locked together, by the id of the oldest game. A transaction about many games locks the whole table
before anything else and waits for all holders.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import bindparam, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.engine.sqlite_pool import SqliteConnection
from bot.store.models.tables import games

HELD_OPTION: Final = "war_galley_held"
"""Execution option of a connection: the set of games whose family its transaction has locked. Absent if no locks are
needed."""

_older = games.alias("older")
_lineage = (
    select(games.c.id, func.coalesce(games.c.parent_id, games.c.first_game_id).label("older_id"))
    .where(games.c.id.in_(bindparam("held", expanding=True)))
    .cte("lineage", recursive=True)
)
_lineage = _lineage.union(
    select(_older.c.id, func.coalesce(_older.c.parent_id, _older.c.first_game_id)).where(
        _older.c.id == _lineage.c.older_id
    )
)
_LOCK_FAMILIES: Final = (
    select(games.c.id)
    .where(games.c.id.in_(select(_lineage.c.id).where(_lineage.c.older_id.is_(None))))
    .order_by(games.c.id)
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


async def lock_game(connection: AsyncConnection | SqliteConnection, game_id: int) -> None:
    """Lock a game's family for writing until the transaction ends. Reads after that see its newest state."""
    await lock_games(connection, (game_id,))


async def lock_games(connection: AsyncConnection | SqliteConnection, game_ids: Collection[int]) -> None:
    """Lock the families of several games, always in the same order.

    A transaction that locks families one after another, as one about a rematch does, locks the older one first.
    """
    held_ids = _held_game_ids(connection)
    if held_ids is None or _ALL_GAMES_ID in held_ids or held_ids.issuperset(game_ids):
        return
    await connection.execute(_LOCK_FAMILIES, {"held": [*game_ids]})
    held_ids.update(game_ids)


async def lock_all_games(connection: AsyncConnection | SqliteConnection) -> None:
    held_ids = _held_game_ids(connection)
    if held_ids is not None:
        await connection.execute(_LOCK_ALL_GAMES)
        held_ids.add(_ALL_GAMES_ID)


async def lock_ratings(connection: AsyncConnection | SqliteConnection) -> None:
    if _held_game_ids(connection) is not None:
        await connection.execute(_LOCK_RATINGS)

"""Who may write about what at the same time, where the database has many writers.

SQLite has one writer, and needs none of this. On PostgreSQL a transaction that writes about a game first takes the row
of that game, so that those about one game come one after the other, and those about several side by side. One about
many games takes them all before anything else, and waits while anybody holds one: so no two wait for each other.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.engine.direct import DirectConnection
from bot.store.models.tables import games

HELD_OPTION: Final = "war_galley_held"
"""The execution option of a connection that says, as a set, which games its transaction holds, if it must hold any."""

_LOCK_GAME: Final = (
    select(games.c.id)
    .where(games.c.id == bindparam("held", type_=BigInteger))
    .with_for_update(key_share=True)  # what refers to the game may be added
)
_LOCK_ALL_GAMES: Final = text("LOCK TABLE games IN EXCLUSIVE MODE")
_LOCK_RATINGS: Final = text("LOCK TABLE ratings IN SHARE ROW EXCLUSIVE MODE")
_ALL_GAMES_ID: Final = 0
"""In place of a game's number: all of them."""


def _held_game_ids(connection: AsyncConnection | DirectConnection) -> set[int] | None:
    """Which games the transaction of a connection holds; None where it needs to hold nothing."""
    if isinstance(connection, DirectConnection) or connection.sync_connection is None:
        return None
    held: set[int] | None = connection.sync_connection.get_execution_options().get(HELD_OPTION)
    return held


async def lock_game(connection: AsyncConnection | DirectConnection, game_id: int) -> bool:
    """Let nobody else write about a game until the transaction ends, if it writes; what is read then is the newest.

    Returns whether it had to be asked for, so that what was read before may be old.
    """
    held = _held_game_ids(connection)
    if held is None or game_id in held or _ALL_GAMES_ID in held:
        return False
    await connection.execute(_LOCK_GAME, {"held": game_id})
    held.add(game_id)
    return True


async def lock_all_games(connection: AsyncConnection | DirectConnection) -> None:
    """Let nobody else write about any game until the transaction ends: the first that it does."""
    held = _held_game_ids(connection)
    if held is not None:
        await connection.execute(_LOCK_ALL_GAMES)
        held.add(_ALL_GAMES_ID)


async def lock_ratings(connection: AsyncConnection | DirectConnection) -> None:
    """Let nobody else rate anybody until the transaction ends, which may hold games already."""
    if _held_game_ids(connection) is not None:
        await connection.execute(_LOCK_RATINGS)

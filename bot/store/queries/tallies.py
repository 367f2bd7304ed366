"""Count what people do against limits, beyond the life of games and of what is stored about a person."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct
from sqlalchemy import delete, select, update

from bot.store.engine.built import insert_row
from bot.store.models.tables import tallies
from bot.store.queries.base import QueryGroup


class Tally(Struct, frozen=True):
    at: int  # Unix seconds
    until: int  # time after which it no longer counts


class TallyQueries(QueryGroup):
    async def add(self, kind: str, user_id: int, *, at: int, until: int, game_id: int | None = None) -> None:
        columns = {"kind": kind, "user_id": user_id, "about_game": game_id, "at": at, "until": until}
        await self._connection.execute(insert_row(tallies), columns)

    async def of_users(
        self, kind: str, user_ids: Collection[int], *, now: int, game_id: int | None = None
    ) -> list[Tally]:
        """Return what still counts in a game, or (None) in any, oldest first."""
        query = select(tallies.c.at, tallies.c.until).where(
            tallies.c.kind == kind, tallies.c.user_id.in_([*user_ids]), tallies.c.until > now
        )
        if game_id is not None:
            query = query.where(tallies.c.about_game == game_id)
        rows = await self._connection.execute(query.order_by(tallies.c.at, tallies.c.id))
        return [Tally(row.at, row.until) for row in rows]

    async def delete(self, kinds: Collection[str], user_ids: Collection[int], *, game_id: int) -> None:
        query = delete(tallies).where(tallies.c.kind.in_([*kinds]), tallies.c.about_game == game_id)
        await self._connection.execute(query.where(tallies.c.user_id.in_([*user_ids])))

    async def has_any(self, user_id: int) -> bool:
        query = select(tallies.c.id).where(tallies.c.user_id == user_id).limit(1)
        return (await self._connection.execute(query)).first() is not None

    async def has_forgotten(self) -> bool:
        """Return whether anything counts for forgotten people."""
        query = select(tallies.c.id).where(tallies.c.user_id < 0).limit(1)
        return (await self._connection.execute(query)).first() is not None

    async def replace_user(self, user_id: int, number: int) -> None:
        await self._connection.execute(update(tallies).where(tallies.c.user_id == user_id).values(user_id=number))

    async def delete_expired(self, *, now: int) -> None:
        await self._connection.execute(delete(tallies).where(tallies.c.until <= now))

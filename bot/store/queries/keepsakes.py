"""What captains keep from one game to the next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import and_, delete, or_, select, update

from bot.store.engine.built import insert_row, match_values, select_rows, update_rows
from bot.store.models.records import KeepsakeRow
from bot.store.models.tables import keepsakes
from bot.store.queries.base import QueryGroup, record_from_row
from bot.store.queries.locks import lock_ratings


class KeepsakeQueries(QueryGroup):
    """Queries and changes of keepsakes."""

    async def lock_all(self) -> None:
        """Let nobody else change anybody's until this transaction ends: two games of one captain may end at once."""
        await lock_ratings(self._connection)

    async def of_users(self, user_ids: Collection[int], system: str) -> list[KeepsakeRow]:
        """What these people keep of a game, by user and number."""
        query = select(keepsakes).where(keepsakes.c.user_id.in_([*user_ids]), keepsakes.c.system == system)
        query = query.order_by(keepsakes.c.user_id, keepsakes.c.number)
        return [record_from_row(row, KeepsakeRow) for row in await self._connection.execute(query)]

    async def of_user(self, user_id: int) -> list[KeepsakeRow]:
        """What somebody keeps of all games, by game and number."""
        query = select_rows(keepsakes, "user_id", order=("system", "number"))
        return [
            record_from_row(row, KeepsakeRow)
            for row in await self._connection.execute(query, match_values(user_id=user_id))
        ]

    async def add(self, row: KeepsakeRow) -> None:
        """Store a new one."""
        given = {name: getattr(row, name) for name in row.__struct_fields__}
        await self._connection.execute(insert_row(keepsakes), given)

    async def store_note(self, row: KeepsakeRow) -> None:
        """Store one, or its body in the place of what it was."""
        given = {name: getattr(row, name) for name in row.__struct_fields__}
        await self._upsert(keepsakes, given)

    async def change(self, row: KeepsakeRow, **columns: Any) -> bool:  # noqa: ANN401 - columns of `keepsakes`
        """Set columns of one if its game still has it, or if it is with none as before; whether it was so."""
        key = match_values(user_id=row.user_id, system=row.system, number=row.number)
        query = update_rows(keepsakes, "user_id", "system", "number")
        there = keepsakes.c.game_id.is_(None) if row.game_id is None else keepsakes.c.game_id == row.game_id
        return (await self._connection.execute(query.where(there), key | columns)).rowcount == 1

    async def delete_unused(self, row: KeepsakeRow) -> bool:
        """Keep one no longer, unless a game has it; whether it is gone."""
        same = (keepsakes.c.user_id == row.user_id, keepsakes.c.system == row.system, keepsakes.c.number == row.number)
        query = delete(keepsakes).where(*same, keepsakes.c.game_id.is_(None))
        return (await self._connection.execute(query)).rowcount == 1

    async def release_from_game(self, game_id: int, user_id: int) -> None:
        """Let a game have nothing of somebody's any more."""
        theirs = (keepsakes.c.game_id == game_id, keepsakes.c.user_id == user_id)
        await self._connection.execute(update(keepsakes).where(*theirs).values(game_id=None))

    async def take_along(self, game_id: int, system: str, brought: Mapping[tuple[int, int], str]) -> int:
        """Let a game have these, by user and number, each if its body is still that, and if no other game has it.

        The game gives up its others. Returns how many it has.
        """
        wanted = [
            and_(keepsakes.c.user_id == user_id, keepsakes.c.number == number, keepsakes.c.body == body)
            for (user_id, number), body in brought.items()
        ]
        these = and_(keepsakes.c.system == system, or_(*wanted)) if wanted else keepsakes.c.user_id.is_(None)
        ours, free = keepsakes.c.game_id == game_id, keepsakes.c.game_id.is_(None)
        await self._connection.execute(update(keepsakes).where(ours, ~these).values(game_id=None))
        await self._connection.execute(update(keepsakes).where(free, these).values(game_id=game_id))
        return len((await self._connection.execute(select(keepsakes.c.number).where(ours))).all())

"""Query and change items that captains keep from one game to the next."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, or_, select, update

from bot.store.engine.built import insert_row, match_values, select_rows, update_rows
from bot.store.models.records import KeepsakeRow
from bot.store.models.tables import acts, captains, games, keepsakes, seats
from bot.store.queries.base import QueryGroup, record_from_row
from bot.store.queries.captains import has_played
from bot.store.queries.locks import lock_ratings


class KeepsakeQueries(QueryGroup):
    async def lock_all(self) -> None:
        """Lock all keepsakes until the transaction ends, because two games of one captain may end at the same time."""
        await lock_ratings(self._connection)

    async def of_users(self, user_ids: Collection[int], system: str) -> list[KeepsakeRow]:
        query = select(keepsakes).where(keepsakes.c.user_id.in_([*user_ids]), keepsakes.c.system == system)
        query = query.order_by(keepsakes.c.user_id, keepsakes.c.number)
        return [record_from_row(row, KeepsakeRow) for row in await self._connection.execute(query)]

    async def of_user(self, user_id: int) -> list[KeepsakeRow]:
        query = select_rows(keepsakes, "user_id", order=("system", "number"))
        return [
            record_from_row(row, KeepsakeRow)
            for row in await self._connection.execute(query, match_values(user_id=user_id))
        ]

    async def add(self, row: KeepsakeRow) -> None:
        columns = {name: getattr(row, name) for name in row.__struct_fields__}
        await self._connection.execute(insert_row(keepsakes), columns)

    async def store_note(self, row: KeepsakeRow) -> None:
        columns = {name: getattr(row, name) for name in row.__struct_fields__}
        await self._upsert(keepsakes, columns)

    async def change(self, row: KeepsakeRow, **columns: Any) -> bool:  # noqa: ANN401 - columns of `keepsakes`
        """Set columns of a keepsake if the game that uses it has not changed. Returns whether it was changed."""
        key = match_values(user_id=row.user_id, system=row.system, number=row.number)
        query = update_rows(keepsakes, "user_id", "system", "number")
        same_game = keepsakes.c.game_id.is_(None) if row.game_id is None else keepsakes.c.game_id == row.game_id
        return (await self._connection.execute(query.where(same_game), key | columns)).rowcount == 1

    async def delete_unused(self, row: KeepsakeRow) -> bool:
        """Delete a keepsake that no game uses. Returns whether it was deleted."""
        key = (keepsakes.c.user_id == row.user_id, keepsakes.c.system == row.system, keepsakes.c.number == row.number)
        query = delete(keepsakes).where(*key, keepsakes.c.game_id.is_(None))
        return (await self._connection.execute(query)).rowcount == 1

    async def release_from_game(self, game_id: int, user_id: int) -> None:
        theirs = (keepsakes.c.game_id == game_id, keepsakes.c.user_id == user_id)
        await self._connection.execute(update(keepsakes).where(*theirs).values(game_id=None))

    async def sides_in_teaching_games(
        self, system: str, user_ids: Iterable[int], *, since: int, until: int
    ) -> dict[int, dict[int, set[int]]]:
        """Return the sides of these users in games that taught their keepsakes, by game and user.

        The games ended between two times (Unix seconds). A game that taught nothing has a log entry that says why.
        """
        taught_nothing = select(acts.c.id).where(acts.c.game_id == games.c.id, acts.c.kind.startswith("kept_")).exists()
        query = select(captains.c.game_id, captains.c.user_id, seats.c.team)
        query = query.join(games, games.c.id == captains.c.game_id)
        query = query.join(seats, and_(seats.c.game_id == captains.c.game_id, seats.c.seat == captains.c.seat))
        query = query.where(captains.c.user_id.in_([*user_ids]), games.c.system == system, has_played())
        query = query.where(games.c.ended_at > since, games.c.ended_at <= until, ~taught_nothing)
        query = query.where(games.c.setup.contains('"keepsakes":'))
        sides: dict[int, dict[int, set[int]]] = {}
        for row in await self._connection.execute(query):
            sides.setdefault(row.game_id, {}).setdefault(row.user_id, set()).add(row.team)
        return sides

    async def take_along(self, game_id: int, system: str, brought: Mapping[tuple[int, int], str]) -> int:
        """Assign keepsakes to a game, by user and number, and return the number of keepsakes it has now.

        Each must still have this body and be in no other game. The game's other keepsakes are released.
        """
        is_unchanged = [
            and_(keepsakes.c.user_id == user_id, keepsakes.c.number == number, keepsakes.c.body == body)
            for (user_id, number), body in brought.items()
        ]
        # No row has a null user: without keepsakes to bring, the condition selects none.
        is_brought: ColumnElement[bool] = keepsakes.c.user_id.is_(None)
        if is_unchanged:
            is_brought = and_(keepsakes.c.system == system, or_(*is_unchanged))
        in_game = keepsakes.c.game_id == game_id
        is_free = keepsakes.c.game_id.is_(None)
        await self._connection.execute(update(keepsakes).where(in_game, ~is_brought).values(game_id=None))
        await self._connection.execute(update(keepsakes).where(is_free, is_brought).values(game_id=game_id))
        return len((await self._connection.execute(select(keepsakes.c.number).where(in_game))).all())

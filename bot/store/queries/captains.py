"""Query and change the history of who held which seat."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, bindparam, or_, select, update

from bot.store.engine.built import insert_row, match_values, select_rows
from bot.store.models.records import Captaincy
from bot.store.models.tables import acts, captains, games, seats
from bot.store.queries.base import AnyConnection, QueryGroup, record_from_row

_CURRENT_CAPTAINCY: Final = update(captains).where(
    captains.c.game_id == bindparam("game"), captains.c.to_step.is_(None)
)
_END_CAPTAINCY: Final = _CURRENT_CAPTAINCY.where(captains.c.seat == bindparam("number"))
_NOTE_ORDERS: Final = _CURRENT_CAPTAINCY.where(
    captains.c.seat.in_(bindparam("numbers", expanding=True)), ~captains.c.acted
).values(acted=True)


class CaptaincyQueries(QueryGroup):
    def __init__(self, connection: AnyConnection) -> None:
        super().__init__(connection)
        self.cache: dict[int, Any] = {}
        """Values computed from captaincies in this transaction, by game. Every change clears it."""

    async def of_game(self, game_id: int) -> list[Captaincy]:
        query = select_rows(captains, "game_id", order=("seat", "id"))
        return [
            record_from_row(row, Captaincy)
            for row in await self._connection.execute(query, match_values(game_id=game_id))
        ]

    async def sides_of(self, user_id: int, *, since: int) -> dict[int, dict[int, int]]:
        """Return a user's sides in games that ended since `since` or still run, by game and seat.

        They are rated games, and games to which captains brought keepsakes.
        """
        query = select(captains.c.game_id, captains.c.seat, seats.c.team).join(games, games.c.id == captains.c.game_id)
        query = query.join(seats, and_(seats.c.game_id == captains.c.game_id, seats.c.seat == captains.c.seat))
        counts_between_pairs = or_(games.c.rated, games.c.setup.contains('"keepsakes":'))
        runs_or_ended_since = or_(games.c.ended_at.is_(None), games.c.ended_at >= since)
        sides: dict[int, dict[int, int]] = {}
        for row in await self._connection.execute(
            query.where(captains.c.user_id == user_id, counts_between_pairs, runs_or_ended_since)
        ):
            sides.setdefault(row.game_id, {})[row.seat] = row.team
        return sides

    async def begin(
        self,
        game_id: int,
        seat: int,
        *,
        user_id: int | None,
        from_step: int,
        put_by: int | None = None,
        acted: bool = False,
    ) -> None:
        """Store that a user holds a seat from a step on. None as user is the computer or nobody.

        `acted`: whether the user has given orders already, in the first game of the match.
        """
        self.cache.clear()
        columns = {"game_id": game_id, "seat": seat, "user_id": user_id, "from_step": from_step, "put_by": put_by}
        await self._connection.execute(insert_row(captains), {"acted": acted, "left": False, **columns})

    async def end(self, game_id: int, seat: int, *, to_step: int, left: bool) -> None:
        """End the captaincy of a seat. `left` says whether the captain gave it away or was absent."""
        self.cache.clear()
        params = {"game": game_id, "number": seat, "to_step": to_step, "left": left}
        await self._connection.execute(_END_CAPTAINCY, params)

    async def forget_pseudonyms(self, game_id: int, nobody: int) -> None:
        """Replace the pseudonyms (negative numbers) of forgotten users when a game is over."""
        self.cache.clear()
        for table, column in ((captains, captains.c.user_id), (captains, captains.c.put_by), (acts, acts.c.user_id)):
            query = update(table).where(table.c.game_id == game_id, column < 0)
            await self._connection.execute(query.values({column.name: nobody}))

    async def note_orders(self, game_id: int, numbers: Collection[int]) -> None:
        """Note that the present captains of these seats have acted in the game."""
        if numbers:
            self.cache.clear()
            await self._connection.execute(_NOTE_ORDERS, {"game": game_id, "numbers": [*numbers]})


def has_played() -> ColumnElement[bool]:
    """Return the condition that a captaincy is one whose captain has played, see `Captaincy.has_played`."""
    return or_(captains.c.put_by.is_(None), captains.c.acted)

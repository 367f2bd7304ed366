"""The seats of games."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import structs
from sqlalchemy import delete, insert, select, update

from bot.store.records import SeatRow
from bot.store.rows import Queries, record
from bot.store.tables import seats


class Seats(Queries):
    """Queries and changes of seats."""

    async def add(self, **columns: Any) -> None:  # noqa: ANN401 - columns of `seats`
        """Store a seat."""
        await self._connection.execute(insert(seats).values(**columns))

    async def replace(self, game_id: int, rows: Sequence[SeatRow]) -> None:
        """Put other seats in the place of all that a game has, which has not begun."""
        await self._connection.execute(delete(seats).where(seats.c.game_id == game_id))
        await self._connection.execute(insert(seats), [structs.asdict(row) for row in rows])

    async def of(self, game_id: int) -> list[SeatRow]:
        """All seats of a game, in order."""
        query = select(seats).where(seats.c.game_id == game_id).order_by(seats.c.seat)
        return [record(row, SeatRow) for row in await self._connection.execute(query)]

    async def change(self, game_id: int, seat: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `seats`
        """Set columns of a seat."""
        query = update(seats).where(seats.c.game_id == game_id, seats.c.seat == seat)
        await self._connection.execute(query.values(**columns))

    async def move_draws(self, game_id: int, numbers: Collection[int], step_no: int) -> None:
        """Let the offers of a draw by these seats stand after this step."""
        if numbers:
            query = update(seats).where(seats.c.game_id == game_id, seats.c.seat.in_(numbers))
            await self._connection.execute(query.values(draw_at=step_no))

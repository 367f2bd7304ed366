"""The seats of games."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct, structs
from sqlalchemy import and_, delete, insert, select, update

from bot.store.records import Game, SeatRow
from bot.store.rows import Queries, game_of, parts, record
from bot.store.tables import captains, games, seats


class Held(Struct, frozen=True):
    """A seat in its game."""

    game: Game
    seat: SeatRow
    acted: bool
    """Whether its holder has given orders in it, or has none to give."""


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

    async def held(self, game_id: int, number: int) -> Held | None:
        """A seat with its game, which who writes about it holds from now on; None if there is no such seat."""
        await self.hold(game_id)
        holds = and_(captains.c.game_id == seats.c.game_id, captains.c.seat == seats.c.seat)
        joined = games.join(seats, seats.c.game_id == games.c.id)
        joined = joined.outerjoin(captains, and_(holds, captains.c.to_step.is_(None)))
        query = select(games, seats, captains.c.acted).select_from(joined)
        query = query.where(games.c.id == game_id, seats.c.seat == number)
        row = (await self._connection.execute(query)).first()
        if row is None:
            return None
        game, seat = parts(row, games, seats)
        return Held(game=game_of(game), seat=record(seat, SeatRow), acted=row[-1] is not False)

    async def change(self, game_id: int, seat: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `seats`
        """Set columns of a seat."""
        query = update(seats).where(seats.c.game_id == game_id, seats.c.seat == seat)
        await self._connection.execute(query.values(**columns))

    async def move_draws(self, game_id: int, numbers: Collection[int], step_no: int) -> None:
        """Let the offers of a draw by these seats stand after this step."""
        if numbers:
            query = update(seats).where(seats.c.game_id == game_id, seats.c.seat.in_(numbers))
            await self._connection.execute(query.values(draw_at=step_no))

"""Query and change the seats of games."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from msgspec import Struct, structs
from sqlalchemy import and_, bindparam, delete, select, update

from bot.store.engine.built import insert_row, match_values, select_rows, update_rows
from bot.store.models.records import Game, SeatRow
from bot.store.models.tables import captains, games, seats
from bot.store.queries.base import QueryGroup, game_from_row, record_from_row, split_row

_IS_CURRENT_CAPTAIN: Final = and_(captains.c.game_id == seats.c.game_id, captains.c.seat == seats.c.seat)
_SELECT_SEAT_IN_GAME: Final = (
    select(games, seats, captains.c.acted)
    .select_from(
        games.join(seats, seats.c.game_id == games.c.id).outerjoin(
            captains, and_(_IS_CURRENT_CAPTAIN, captains.c.to_step.is_(None))
        )
    )
    .where(games.c.id == bindparam("game"), seats.c.seat == bindparam("number"))
)


class SeatInGame(Struct, frozen=True):
    game: Game
    seat: SeatRow  # with its present holder
    has_ordered: bool  # whether the holder has given orders in this seat; True if the seat has no current captaincy


class SeatQueries(QueryGroup):
    async def add(self, **columns: Any) -> None:  # noqa: ANN401 - columns of `seats`
        await self._connection.execute(insert_row(seats), columns)

    async def replace(self, game_id: int, rows: Sequence[SeatRow]) -> None:
        await self._connection.execute(delete(seats).where(seats.c.game_id == game_id))
        await self._connection.execute(insert_row(seats), [structs.asdict(row) for row in rows])

    async def of_game(self, game_id: int) -> list[SeatRow]:
        query = select_rows(seats, "game_id", order=("seat",))
        return [
            record_from_row(row, SeatRow)
            for row in await self._connection.execute(query, match_values(game_id=game_id))
        ]

    async def seat_in_game(self, game_id: int, number: int) -> SeatInGame | None:
        """Lock a game and return it with one of its seats; None if there is no such seat."""
        await self.lock_game(game_id)
        row = (await self._connection.execute(_SELECT_SEAT_IN_GAME, {"game": game_id, "number": number})).first()
        if row is None:
            return None
        game, seat = split_row(row, games, seats)
        return SeatInGame(
            game=game_from_row(game), seat=record_from_row(seat, SeatRow), has_ordered=row[-1] is not False
        )

    async def change(self, game_id: int, seat: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `seats`
        which = match_values(game_id=game_id, seat=seat)
        await self._connection.execute(update_rows(seats, "game_id", "seat"), which | columns)

    async def note_hopeless(self, game_id: int, numbers: Collection[int], step_no: int) -> None:
        if numbers:
            query = update(seats).where(seats.c.game_id == game_id, seats.c.seat.in_(numbers))
            await self._connection.execute(query.values(hopeless_step=step_no))

    async def move_draw_offers(self, game_id: int, numbers: Collection[int], step_no: int) -> None:
        if numbers:
            query = update(seats).where(seats.c.game_id == game_id, seats.c.seat.in_(numbers))
            await self._connection.execute(query.values(draw_at=step_no))

"""Query and extend the audit logs of games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from sqlalchemy import BindParameter, bindparam, select

from bot.store.engine.built import insert_row, match_values, select_rows, update_rows
from bot.store.models.records import Game, LogEntryRow
from bot.store.models.tables import acts, captains, seats
from bot.store.queries.base import QueryGroup, log_entry_from_row

_GAME_PARAM: Final[BindParameter[int]] = bindparam("game")
_SEAT_HELD_BY_USER: Final = select(seats.c.seat).where(
    seats.c.game_id == _GAME_PARAM, seats.c.user_id == bindparam("user")
)
_SEAT_LENT_BY_USER: Final = (
    select(captains.c.seat)
    .where(captains.c.game_id == _GAME_PARAM, captains.c.user_id == bindparam("user"))
    .order_by(captains.c.id.desc())
    .limit(1)
)


class AuditLogQueries(QueryGroup):
    async def add_for_game(
        self,
        game: Game,
        kind: str,
        *,
        now: int,
        user_id: int | None = None,
        seat: int | None = None,
        params: Mapping[str, str | int] | None = None,
    ) -> int:
        """Store an action outside the rules and return the entry's id.

        A user's entry names the seat they hold or lent.
        """
        by_seat = None
        if user_id is not None:  # without a user, a free seat would match
            params_of_user = {"game": game.id, "user": user_id}
            by_seat = (await self._connection.execute(_SEAT_HELD_BY_USER, params_of_user)).scalar()
            if by_seat is None:  # the user may have lent the seat
                by_seat = (await self._connection.execute(_SEAT_LENT_BY_USER, params_of_user)).scalar()
        columns = {"at": now, "step_no": game.step_no, "user_id": user_id, "by_seat": by_seat, "seat": seat}
        return await self.add_entry(game.id, kind, params or {}, **columns)

    async def add_entry(self, game_id: int, kind: str, params: Mapping[str, str | int], **columns: int | None) -> int:
        values = {"game_id": game_id, "kind": kind, "params": msgspec.json.encode(params).decode(), **columns}
        key = (await self._connection.execute(insert_row(acts), values)).inserted_primary_key
        assert key is not None  # noqa: S101 - every database here gives it
        return int(key[0])

    async def replace_entry(self, act_id: int, kind: str, params: Mapping[str, str | int]) -> None:
        changed = {"kind": kind, "params": msgspec.json.encode(params).decode()}
        await self._connection.execute(update_rows(acts, "id"), match_values(id=act_id) | changed)

    async def of_game(self, game_id: int) -> list[LogEntryRow]:
        query = select_rows(acts, "game_id", order=("id",))
        return [log_entry_from_row(row) for row in await self._connection.execute(query, match_values(game_id=game_id))]

    async def find(self, act_id: int) -> LogEntryRow | None:
        row = (await self._connection.execute(select_rows(acts, "id"), match_values(id=act_id))).first()
        return log_entry_from_row(row) if row else None

"""The audit log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from sqlalchemy import BindParameter, bindparam, select

from bot.store.built import adding, by, changing, rows_by
from bot.store.records import ActRow, Game
from bot.store.rows import Queries, act_of
from bot.store.tables import acts, captains, seats

_ITS: Final[BindParameter[int]] = bindparam("game")
_HELD: Final = select(seats.c.seat).where(seats.c.game_id == _ITS, seats.c.user_id == bindparam("user"))
_LENT: Final = (
    select(captains.c.seat)
    .where(captains.c.game_id == _ITS, captains.c.user_id == bindparam("user"))
    .order_by(captains.c.id.desc())
    .limit(1)
)


class Acts(Queries):
    """Queries and additions of the audit log."""

    async def add(
        self,
        game: Game,
        kind: str,
        *,
        now: int,
        user_id: int | None = None,
        seat: int | None = None,
        params: Mapping[str, str | int] | None = None,
    ) -> int:
        """Store what somebody, or the bot itself, did beside the rules; returns its number."""
        by_seat = None
        if user_id is not None:  # a seat without a captain is not the bot's
            theirs = {"game": game.id, "user": user_id}
            by_seat = (await self._connection.execute(_HELD, theirs)).scalar()
            if by_seat is None:  # they may have lent it
                by_seat = (await self._connection.execute(_LENT, theirs)).scalar()
        columns = {"at": now, "step_no": game.step_no, "user_id": user_id, "by_seat": by_seat, "seat": seat}
        return await self.enter(game.id, kind, params or {}, **columns)

    async def enter(self, game_id: int, kind: str, params: Mapping[str, str | int], **columns: int | None) -> int:
        """Enter what was done into a game's audit log, with all columns of `acts` as they are given."""
        values = {"game_id": game_id, "kind": kind, "params": msgspec.json.encode(params).decode(), **columns}
        key = (await self._connection.execute(adding(acts), values)).inserted_primary_key
        assert key is not None  # noqa: S101 - every database here gives it
        return int(key[0])

    async def correct(self, act_id: int, kind: str, params: Mapping[str, str | int]) -> None:
        """Enter something else in place of what was done: it was changed a moment later."""
        changed = {"kind": kind, "params": msgspec.json.encode(params).decode()}
        await self._connection.execute(changing(acts, "id"), by(id=act_id) | changed)

    async def of(self, game_id: int) -> list[ActRow]:
        """The audit log of a game, oldest first."""
        query = rows_by(acts, "game_id", order=("id",))
        return [act_of(row) for row in await self._connection.execute(query, by(game_id=game_id))]

    async def find(self, act_id: int) -> ActRow | None:
        """The entry of an audit log with this number; None if there is none."""
        row = (await self._connection.execute(rows_by(acts, "id"), by(id=act_id))).first()
        return act_of(row) if row else None

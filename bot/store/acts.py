"""The audit log."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from sqlalchemy import insert, select, update

from bot.store.records import ActRow, Game
from bot.store.rows import Queries, act_of
from bot.store.tables import acts, captains, seats


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
            held = select(seats.c.seat).where(seats.c.game_id == game.id, seats.c.user_id == user_id)
            lent = select(captains.c.seat).where(captains.c.game_id == game.id, captains.c.user_id == user_id)
            by_seat = (await self._connection.execute(held)).scalar()
            if by_seat is None:  # they may have lent it
                by_seat = (await self._connection.execute(lent.order_by(captains.c.id.desc()).limit(1))).scalar()
        columns = {"at": now, "step_no": game.step_no, "user_id": user_id, "by_seat": by_seat, "seat": seat}
        return await self.enter(game.id, kind, params or {}, **columns)

    async def enter(self, game_id: int, kind: str, params: Mapping[str, str | int], **columns: int | None) -> int:
        """Enter what was done into a game's audit log, with all columns of `acts` as they are given."""
        values = {"game_id": game_id, "kind": kind, "params": msgspec.json.encode(params).decode(), **columns}
        key = (await self._connection.execute(insert(acts).values(**values))).inserted_primary_key
        assert key is not None  # noqa: S101 - every database here gives it
        return int(key[0])

    async def correct(self, act_id: int, kind: str, params: Mapping[str, str | int]) -> None:
        """Enter something else in place of what was done: it was changed a moment later."""
        changed = {"kind": kind, "params": msgspec.json.encode(params).decode()}
        await self._connection.execute(update(acts).where(acts.c.id == act_id).values(**changed))

    async def of(self, game_id: int) -> list[ActRow]:
        """The audit log of a game, oldest first."""
        query = select(acts).where(acts.c.game_id == game_id).order_by(acts.c.id)
        return [act_of(row) for row in await self._connection.execute(query)]

    async def find(self, act_id: int) -> ActRow | None:
        """The entry of an audit log with this number; None if there is none."""
        row = (await self._connection.execute(select(acts).where(acts.c.id == act_id))).first()
        return act_of(row) if row else None

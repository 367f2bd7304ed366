"""Query and change players."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from sqlalchemy import bindparam, select

from bot.store.engine.built import match_values, update_rows
from bot.store.models.records import Player
from bot.store.models.tables import players
from bot.store.queries.base import QueryGroup, player_from_row

_SELECT_SOME: Final = select(players).where(players.c.user_id.in_(bindparam("some", expanding=True)))


class PlayerQueries(QueryGroup):
    async def remember(self, player: Player) -> None:
        values = {"user_id": player.user_id, "name": player.name, "locale": player.locale}
        await self._upsert(players, values)

    async def find_all(self, user_ids: Iterable[int]) -> dict[int, Player]:
        """Return players by user id, without unknown ones."""
        rows = [player_from_row(row) for row in await self._connection.execute(_SELECT_SOME, {"some": [*user_ids]})]
        return {row.user_id: row for row in rows}

    async def change(self, user_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `players`
        if isinstance(standing := columns.get("standing"), dict):
            columns["standing"] = msgspec.json.encode(standing).decode()
        await self._connection.execute(update_rows(players, "user_id"), match_values(user_id=user_id) | columns)

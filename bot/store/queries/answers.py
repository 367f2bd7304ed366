"""Query and change sealed answers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import select

from bot.store.engine.built import insert_row, match_values, select_rows
from bot.store.models.records import AnswerRow
from bot.store.models.tables import answers, requests
from bot.store.queries.base import QueryGroup, record_from_row
from bot.store.queries.notes import PublishedHashQueries


class AnswerQueries(QueryGroup):
    async def add(self, answer: AnswerRow) -> None:
        await self._connection.execute(insert_row(answers), msgspec.structs.asdict(answer))

    async def add_all(self, rows: Sequence[AnswerRow]) -> None:
        if rows:
            await self._connection.execute(insert_row(answers), [msgspec.structs.asdict(row) for row in rows])

    async def break_seal(self, game_id: int, request_id: str, *, now: int) -> None:
        """Delete a sealed answer, and note that its published hash is void."""
        await PublishedHashQueries(self._connection).note_broken(game_id, request_id, now=now)
        query = answers.delete().where(answers.c.game_id == game_id, answers.c.request_id == request_id)
        await self._connection.execute(query)

    async def by_request(self, game_id: int, request_ids: Sequence[str]) -> dict[str, AnswerRow]:
        query = select(answers).where(answers.c.game_id == game_id, answers.c.request_id.in_(request_ids))
        rows = [record_from_row(row, AnswerRow) for row in await self._connection.execute(query)]
        return {row.request_id: row for row in rows}

    async def to_required_requests(self, game_id: int, request_ids: Sequence[str]) -> dict[str, AnswerRow]:
        """Return the answers to those of these requests that somebody had to answer, by request id."""
        query = select(answers).join(
            requests, (requests.c.game_id == answers.c.game_id) & (requests.c.id == answers.c.request_id)
        )
        query = query.where(answers.c.game_id == game_id, answers.c.request_id.in_(request_ids))
        rows = await self._connection.execute(query.where(requests.c.optional.is_(False)))
        return {row.request_id: record_from_row(row, AnswerRow) for row in rows}

    async def of_game(self, game_id: int) -> dict[str, AnswerRow]:
        query = select_rows(answers, "game_id", order=("request_id",))
        rows = await self._connection.execute(query, match_values(game_id=game_id))
        return {row.request_id: record_from_row(row, AnswerRow) for row in rows}

"""Sealed answers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import select

from bot.store.built import adding, by, rows_by
from bot.store.notes import PublishedHashes
from bot.store.records import Answer
from bot.store.rows import Queries, record
from bot.store.tables import answers


class Answers(Queries):
    """Queries and changes of sealed answers."""

    async def add(self, answer: Answer) -> None:
        """Store a sealed answer."""
        await self._connection.execute(adding(answers), msgspec.structs.asdict(answer))

    async def add_all(self, rows: Sequence[Answer]) -> None:
        """Store sealed answers."""
        if rows:
            await self._connection.execute(adding(answers), [msgspec.structs.asdict(row) for row in rows])

    async def drop(self, game_id: int, request_id: str, *, now: int) -> None:
        """Break a seal: the answer is forgotten, though not that its hash was published."""
        await PublishedHashes(self._connection).note_broken(game_id, request_id, now=now)
        query = answers.delete().where(answers.c.game_id == game_id, answers.c.request_id == request_id)
        await self._connection.execute(query)

    async def to(self, game_id: int, request_ids: Sequence[str]) -> dict[str, Answer]:
        """Sealed answers to these requests, by request."""
        query = select(answers).where(answers.c.game_id == game_id, answers.c.request_id.in_(request_ids))
        rows = [record(row, Answer) for row in await self._connection.execute(query)]
        return {row.request_id: row for row in rows}

    async def of(self, game_id: int) -> dict[str, Answer]:
        """Everything sealed in a game, by request."""
        query = rows_by(answers, "game_id", order=("request_id",))
        found = await self._connection.execute(query, by(game_id=game_id))
        return {row.request_id: record(row, Answer) for row in found}

"""What captains are asked and answer, and the steps that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import String, func, insert, select, true, update

from bot.store.notes import Notes
from bot.store.records import (
    ASIDE,
    Answer,
    Cause,
    RequestRow,
    StepRow,
)
from bot.store.rows import record, request_of, step_of, written
from bot.store.tables import answers, outbox, requests, steps
from rules.protocol import Request
from rules.replay import Undone


class Questions(Notes):
    """Queries and changes of requests, answers and steps."""

    async def add_request(
        self, game_id: int, request: Request, *, step_no: int, now: int, deadline: int | None, status: str = "open"
    ) -> None:
        """Store what a seat is asked."""
        values = {
            "game_id": game_id,
            "id": request.id,
            "seat": request.seat,
            "body": written(request),
            "step_no": step_no,
            "asked_at": now,
            "deadline": deadline,
            "optional": request.optional or request.ahead or request.battle is not None,
            "status": status,
            "draft": "",
            "focus": "",
            "version": 0,
        }
        await self._connection.execute(insert(requests).values(**values))

    async def request(self, game_id: int, request_id: str) -> RequestRow | None:
        """Find what was asked."""
        query = select(requests).where(requests.c.game_id == game_id, requests.c.id == request_id)
        row = (await self._connection.execute(query)).first()
        return request_of(row) if row else None

    async def requests(self, game_id: int, *, step_no: int | None = None) -> list[RequestRow]:
        """What is asked and not yet resolved, by seat; or all that a certain step asked."""
        query = select(requests).where(requests.c.game_id == game_id).order_by(requests.c.seat, requests.c.id)
        query = query.where(requests.c.status != "closed" if step_no is None else requests.c.step_no == step_no)
        return [request_of(row) for row in await self._connection.execute(query)]

    async def requests_since(self, game_id: int, step_no: int) -> list[RequestRow]:
        """All that was asked by a step and by those after it, in that order."""
        query = select(requests).where(requests.c.game_id == game_id, requests.c.step_no >= step_no)
        query = query.order_by(requests.c.step_no, requests.c.seat, requests.c.id)
        return [request_of(row) for row in await self._connection.execute(query)]

    async def last_closed(self, game_id: int, seat: int) -> list[RequestRow]:
        """What a seat is asked no more: the last of it for which the game waited, and all that was asked since."""
        closed = (requests.c.game_id == game_id, requests.c.seat == seat, requests.c.status == "closed")
        last = select(func.max(requests.c.step_no)).where(*closed, requests.c.optional.is_(False)).scalar_subquery()
        rows = await self._connection.execute(select(requests).where(*closed, requests.c.step_no >= last))
        return [request_of(row) for row in rows]

    async def change_request(
        self,
        row: RequestRow,
        **columns: Any,  # noqa: ANN401 - columns of `requests`
    ) -> RequestRow | None:
        """Change a request as it was read, by compare-and-set on its version; None if it has changed since."""
        values = {"version": row.version + 1, **columns}
        query = update(requests).where(
            requests.c.game_id == row.game_id, requests.c.id == row.id, requests.c.version == row.version
        )
        result = await self._connection.execute(query.values(**values))
        return msgspec.structs.replace(row, **values) if result.rowcount == 1 else None

    async def ask_now(
        self, row: RequestRow, request: Request, *, step_no: int, now: int, deadline: int | None, status: str
    ) -> RequestRow:
        """Ask what could be answered ahead so far, with the draft and seal that it has."""
        values = {
            "body": written(request),
            "step_no": step_no,
            "asked_at": now,
            "deadline": deadline,
            "optional": request.optional,
            "status": status,
            "inherited": row.inherited and status == "sealed",
            "version": row.version + 1,
        }
        same = (requests.c.game_id == row.game_id, requests.c.id == row.id)
        await self._connection.execute(update(requests).where(*same).values(**values))
        return msgspec.structs.replace(row, **{**values, "body": request})

    async def put_aside(self, row: RequestRow, request_id: str) -> None:
        """Close a request for good and keep it, its answer and its private messages under another id."""
        same = (requests.c.game_id == row.game_id, requests.c.id == row.id)
        closed = {"id": request_id, "status": "closed", "version": row.version + 1}
        await self._connection.execute(update(requests).where(*same).values(**closed))
        own = (answers.c.game_id == row.game_id, answers.c.request_id == row.id)
        await self._connection.execute(update(answers).where(*own).values(request_id=request_id))
        shown = (outbox.c.game_id == row.game_id, outbox.c.ref == row.id, outbox.c.user_id.is_not(None))
        key = outbox.c.key.concat(ASIDE).concat(outbox.c.id.cast(String))
        kept = {"key": key, "ref": request_id, "wanted": outbox.c.wanted + 1, "attempts": 0}
        await self._connection.execute(update(outbox).where(*shown).values(**kept))

    async def add_answer(self, answer: Answer) -> None:
        """Store a sealed answer."""
        await self._connection.execute(insert(answers).values(**msgspec.structs.asdict(answer)))

    async def drop_answer(self, game_id: int, request_id: str, *, now: int) -> None:
        """Break a seal: the answer is forgotten, though not that its hash was published."""
        await self.note_broken(game_id, request_id, now=now)
        query = answers.delete().where(answers.c.game_id == game_id, answers.c.request_id == request_id)
        await self._connection.execute(query)

    async def answers(self, game_id: int, request_ids: Sequence[str]) -> dict[str, Answer]:
        """Sealed answers to these requests, by request."""
        query = select(answers).where(answers.c.game_id == game_id, answers.c.request_id.in_(request_ids))
        rows = [record(row, Answer) for row in await self._connection.execute(query)]
        return {row.request_id: row for row in rows}

    async def all_answers(self, game_id: int) -> dict[str, Answer]:
        """Everything sealed in a game, by request."""
        query = select(answers).where(answers.c.game_id == game_id).order_by(answers.c.request_id)
        return {row.request_id: record(row, Answer) for row in await self._connection.execute(query)}

    # --- steps -------------------------------------------------------------------------------------------------

    async def add_step(self, step: StepRow) -> None:
        """Store what happened."""
        columns = {**msgspec.structs.asdict(step), "cause": written(step.cause)}
        await self._connection.execute(insert(steps).values(**columns))

    async def step(self, game_id: int, no: int) -> StepRow | None:
        """Find a step."""
        query = select(steps).where(steps.c.game_id == game_id, steps.c.no == no)
        row = (await self._connection.execute(query)).first()
        return step_of(row) if row else None

    async def causes(self, game_id: int) -> list[tuple[int, Cause]]:
        """Numbers of all steps of a game, in order, with what was put into each."""
        query = select(steps.c.no, steps.c.cause).where(steps.c.game_id == game_id).order_by(steps.c.no)
        rows = await self._connection.execute(query)
        return [(row.no, msgspec.json.decode(row.cause, type=Cause)) for row in rows]

    async def change_cause(self, game_id: int, no: int, cause: Cause) -> None:
        """Say otherwise what was put into a step, when its requests have got other ids."""
        query = update(steps).where(steps.c.game_id == game_id, steps.c.no == no)
        await self._connection.execute(query.values(cause=written(cause)))

    async def rounds_asked(self, game_id: int) -> dict[str, int]:
        """The round of everything that a game has ever asked, by request."""
        query = select(requests.c.id, requests.c.body).where(requests.c.game_id == game_id)
        rows = await self._connection.execute(query)
        return {row.id: msgspec.json.decode(row.body, type=Request).round for row in rows}

    async def happened_before(self, row: RequestRow) -> tuple[tuple[str, ...], frozenset[int]]:
        """Events of the steps that led to a question, since its seat was last asked something, each step's as text.

        Where the game went back in between, only of those after it. With them the seats whose captains let their time
        pass meanwhile.
        """
        last = select(func.max(requests.c.step_no)).where(
            requests.c.game_id == row.game_id, requests.c.seat == row.seat, requests.c.step_no < row.step_no
        )
        since = func.coalesce(last.scalar_subquery(), -1)
        meanwhile = (requests.c.step_no >= since, requests.c.step_no < row.step_no)
        late = select(answers.c.seat).join(
            requests, (requests.c.game_id == answers.c.game_id) & (requests.c.id == answers.c.request_id)
        )
        late = late.where(answers.c.game_id == row.game_id, answers.c.given_by == "deadline", *meanwhile).distinct()
        missed = late.subquery()
        query = select(steps.c.no, steps.c.cause, steps.c.events, missed.c.seat)
        query = query.select_from(steps.outerjoin(missed, true()))  # a row for each step and each who was late
        query = query.where(steps.c.game_id == row.game_id, steps.c.no <= row.step_no, steps.c.no > since)
        rows = (await self._connection.execute(query.order_by(steps.c.no))).all()
        found: list[str] = []
        for step in {step.no: step for step in rows}.values():
            undone = isinstance(msgspec.json.decode(step.cause, type=Cause), Undone)
            found = [] if undone else [*found, step.events]
        return tuple(found), frozenset(step.seat for step in rows if step.seat is not None)

    async def steps(self, game_id: int) -> list[StepRow]:
        """All steps of a game, in order."""
        query = select(steps).where(steps.c.game_id == game_id).order_by(steps.c.no)
        return [step_of(row) for row in await self._connection.execute(query)]

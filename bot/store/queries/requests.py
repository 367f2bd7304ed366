"""Query and change requests to captains, with their drafts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import structs
from sqlalchemy import BindParameter, ColumnElement, Select, and_, bindparam, func, or_, select, update

from bot.store.engine.built import insert_row, match_values, select_rows, update_rows
from bot.store.engine.shard import CLOSED_VERSION, DraftVersion
from bot.store.models.records import AnswerRow, RequestRow
from bot.store.models.tables import answers, requests, seats, steps
from bot.store.queries.base import QueryGroup, record_from_row, request_from_row, split_row, to_column
from bot.store.queries.messages import MessageQueries
from rules.core.protocol import Request

DRAFTS_CHANNEL: Final = "war_galley_drafts"
_NOTIFY: Final = select(func.pg_notify(DRAFTS_CHANNEL, bindparam("drafts")))
_MAX_DRAFTS_PER_NOTIFICATION: Final = 30  # PostgreSQL limits a notification to 8,000 bytes


def _requests_with_answers(*conditions: ColumnElement[bool]) -> Select[Any]:
    of_request = and_(answers.c.game_id == requests.c.game_id, answers.c.request_id == requests.c.id)
    return select(requests, answers).select_from(requests.outerjoin(answers, of_request)).where(*conditions)


@cache
def _recent_requests() -> Select[Any]:
    is_recent = or_(requests.c.step_no >= bindparam("step"), requests.c.status != "closed")
    return _requests_with_answers(requests.c.game_id == bindparam("game"), is_recent)


@cache
def _open_and_last_closed_query() -> Select[Any]:
    game: BindParameter[int] = bindparam("game")
    closed = requests.alias()
    closed_of_seat = (closed.c.game_id == game, closed.c.seat == requests.c.seat, closed.c.status == "closed")
    last_closed_step = (
        select(func.max(closed.c.step_no)).where(*closed_of_seat, closed.c.optional.is_(False)).scalar_subquery()
    )
    return _requests_with_answers(
        requests.c.game_id == game, or_(requests.c.status != "closed", requests.c.step_no >= last_closed_step)
    )


_SELECT_ROUNDS: Final = select(requests.c.id, requests.c.body).where(requests.c.game_id == bindparam("game"))
_SELECT_OPEN: Final = (
    select(requests)
    .where(requests.c.game_id == bindparam("game"), requests.c.status != "closed")
    .order_by(requests.c.seat, requests.c.id)
)
_SELECT_OPEN_OF_USER: Final = (
    select(requests)
    .join(seats, and_(seats.c.game_id == requests.c.game_id, seats.c.seat == requests.c.seat))
    .where(seats.c.user_id == bindparam("user"), or_(requests.c.status == "open", requests.c.status == "sealed"))
    .order_by(requests.c.game_id, requests.c.id)
)


class RequestQueries(QueryGroup):
    async def add_all(self, rows: Sequence[RequestRow]) -> None:
        if rows:
            values = [{**structs.asdict(row), **_body_columns(row.body)} for row in rows]
            await self._connection.execute(insert_row(requests), values)

    async def close(self, rows: Collection[RequestRow]) -> None:
        for game_id in {row.game_id for row in rows}:
            ids = [row.id for row in rows if row.game_id == game_id]
            query = update(requests).where(requests.c.game_id == game_id, requests.c.id.in_(ids))
            await self._connection.execute(query.values(status="closed", version=requests.c.version + 1))
        await self.notify_draft_versions([(row, CLOSED_VERSION, CLOSED_VERSION) for row in rows])

    async def notify_draft_versions(self, drafts: Sequence[tuple[RequestRow, int, int]]) -> None:
        """Report drafts to other bots: (request, version since which it was only extended, present version)."""
        if self._share is None:
            return
        versions = [
            DraftVersion(self._share.bot_name, row.game_id, row.id, row.step_no, *version_range)
            for row, *version_range in drafts
        ]
        for first in range(0, len(versions), _MAX_DRAFTS_PER_NOTIFICATION):
            batch = versions[first : first + _MAX_DRAFTS_PER_NOTIFICATION]
            await self._connection.execute(_NOTIFY, {"drafts": msgspec.json.encode(batch).decode()})

    async def add(
        self, game_id: int, request: Request, *, step_no: int, now: int, deadline: int | None, status: str = "open"
    ) -> None:
        values = {
            "game_id": game_id,
            "id": request.id,
            "seat": request.seat,
            **_body_columns(request),
            "step_no": step_no,
            "asked_at": now,
            "deadline": deadline,
            "optional": request.optional or request.ahead or request.battle is not None,
            "status": status,
            "draft": "",
            "focus": "",
            "version": 0,
        }
        await self._connection.execute(insert_row(requests), values)

    async def rewrite(self, row: RequestRow) -> None:
        key = match_values(game_id=row.game_id, id=row.id)
        await self._connection.execute(update_rows(requests, "game_id", "id"), key | _body_columns(row.body))

    async def find(self, game_id: int, request_id: str) -> RequestRow | None:
        query = select_rows(requests, "game_id", "id")
        row = (await self._connection.execute(query, match_values(game_id=game_id, id=request_id))).first()
        return request_from_row(row) if row else None

    async def open_of_game(self, game_id: int) -> list[RequestRow]:
        """Return the requests of a game that are not closed, by seat."""
        rows = await self._connection.execute(_SELECT_OPEN, {"game": game_id})
        return [request_from_row(row) for row in rows]

    async def first_asked_after(self, game_id: int, at: int) -> int | None:
        """Return when a step after `at` first asked something, both in Unix seconds; None: nothing yet.

        Optional requests don't count: a captain's hidden step may ask one. Gaps move the times of open requests, but
        not their steps.
        """
        last_step = select(func.max(steps.c.no)).where(steps.c.game_id == game_id, steps.c.resolved_at <= at)
        query = select(func.min(requests.c.asked_at)).where(
            requests.c.game_id == game_id, requests.c.step_no > last_step.scalar_subquery(), ~requests.c.optional
        )
        first: int | None = (await self._connection.execute(query)).scalar()
        return first

    async def asked_since(self, game_id: int, step_no: int) -> list[RequestRow]:
        query = select(requests).where(requests.c.game_id == game_id, requests.c.step_no >= step_no)
        query = query.order_by(requests.c.step_no, requests.c.seat, requests.c.id)
        return [request_from_row(row) for row in await self._connection.execute(query)]

    async def recent_with_answers(self, game_id: int, step_no: int) -> list[tuple[RequestRow, AnswerRow | None]]:
        pairs = await self._fetch_with_answers(_recent_requests(), {"game": game_id, "step": step_no})
        return sorted(pairs, key=lambda pair: (pair[0].step_no, pair[0].seat, pair[0].id))

    async def open_and_last_closed(self, game_id: int) -> list[tuple[RequestRow, AnswerRow | None]]:
        """Return the requests that are not closed, by seat, then recently closed ones, each with its sealed answer.

        Recently closed means: for each seat, made no earlier than the last closed request that was not optional.
        """
        pairs = await self._fetch_with_answers(_open_and_last_closed_query(), {"game": game_id})
        return sorted(pairs, key=lambda pair: _open_first_key(pair[0]))

    async def closed_on_budgets(
        self, game_id: int, budgets: Collection[str]
    ) -> list[tuple[RequestRow, AnswerRow | None]]:
        has_budget = or_(
            *(requests.c.body.contains(f'"budget":"{budget}"', autoescape=True) for budget in sorted(budgets))
        )
        query = _requests_with_answers(requests.c.game_id == game_id, requests.c.status == "closed", has_budget)
        pairs = await self._fetch_with_answers(query, {})
        return sorted(pairs, key=lambda pair: (pair[0].step_no, pair[0].id))

    async def _fetch_with_answers(
        self, query: Select[Any], params: Mapping[str, object]
    ) -> list[tuple[RequestRow, AnswerRow | None]]:
        rows = [split_row(row, requests, answers) for row in await self._connection.execute(query, params)]
        return [
            (request_from_row(request), None if answer["request_id"] is None else record_from_row(answer, AnswerRow))
            for request, answer in rows
        ]

    async def change(
        self,
        row: RequestRow,
        *,
        since: int | None = None,
        **columns: Any,  # noqa: ANN401 - columns of `requests`
    ) -> RequestRow | None:
        """Change a request by compare-and-set on its version. Returns None if it has changed since it was read.

        The new version is reported to other bots. `since` is the version since which the draft was only extended.
        """
        values = {"version": row.version + 1, **columns}
        expected = match_values(game_id=row.game_id, id=row.id, version=row.version)
        result = await self._connection.execute(update_rows(requests, "game_id", "id", "version"), expected | values)
        if result.rowcount != 1:
            return None
        changed = msgspec.structs.replace(row, **values)
        if changed.version != row.version:
            await self.notify_draft_versions([(changed, changed.version if since is None else since, changed.version)])
        return changed

    async def promote_early(self, row: RequestRow) -> None:
        """Store an early request with its present columns, when the game has reached it."""
        values = {**structs.asdict(row), **_body_columns(row.body)}
        key = (requests.c.game_id == row.game_id, requests.c.id == row.id)
        await self._connection.execute(update(requests).where(*key).values(values))

    async def set_aside(self, row: RequestRow, request_id: str) -> None:
        """Close a request for good, and move it, its answer and its private messages to another id."""
        key = (requests.c.game_id == row.game_id, requests.c.id == row.id)
        closed = {"id": request_id, "status": "closed", "version": row.version + 1}
        await self._connection.execute(update(requests).where(*key).values(**closed))
        of_request = (answers.c.game_id == row.game_id, answers.c.request_id == row.id)
        await self._connection.execute(update(answers).where(*of_request).values(request_id=request_id))
        await MessageQueries(self._connection).rename_request(row.game_id, row.id, request_id)

    async def rounds_by_request(self, game_id: int) -> dict[str, int]:
        rows = await self._connection.execute(_SELECT_ROUNDS, {"game": game_id})
        return {row.id: msgspec.json.decode(row.body, type=Request).round for row in rows}

    async def open_of_user(self, user_id: int) -> list[RequestRow]:
        return [
            request_from_row(row) for row in await self._connection.execute(_SELECT_OPEN_OF_USER, {"user": user_id})
        ]


def _body_columns(request: Request) -> dict[str, str | bool]:
    return {"body": to_column(request), "awaits_battle": request.battle is not None and not request.optional}


def _open_first_key(row: RequestRow) -> tuple[bool, int, str]:
    is_closed = row.status == "closed"
    return is_closed, row.step_no if is_closed else row.seat, row.id

"""What captains are asked, and their drafts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import structs
from sqlalchemy import BindParameter, ColumnElement, Select, and_, bindparam, func, or_, select, update

from bot.store.engine.built import insert_row, match_values, select_rows, update_rows
from bot.store.engine.shard import CLOSED_VERSION, DraftVersion, HeldShards
from bot.store.models.records import AnswerRow, RequestRow
from bot.store.models.tables import answers, requests, seats
from bot.store.queries.base import AnyConnection, QueryGroup, record_from_row, request_from_row, split_row, to_column
from bot.store.queries.messages import MessageQueries
from rules.core.protocol import Request

DRAFTS_CHANNEL: Final = "war_galley_drafts"
"""Where bots that share a PostgreSQL tell each other which drafts have changed."""
_NOTIFY: Final = select(func.pg_notify(DRAFTS_CHANNEL, bindparam("told")))
_MAX_DRAFTS_PER_NOTIFICATION: Final = 30
"""PostgreSQL takes less than 8,000 bytes at once."""


def _requests_with_answers(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Requests that meet conditions, with their answers."""
    own = and_(answers.c.game_id == requests.c.game_id, answers.c.request_id == requests.c.id)
    return select(requests, answers).select_from(requests.outerjoin(answers, own)).where(*conditions)


@cache
def _recent_requests() -> Select[Any]:
    """`RequestQueries.lately`, built once."""
    late = or_(requests.c.step_no >= bindparam("step"), requests.c.status != "closed")
    return _requests_with_answers(requests.c.game_id == bindparam("game"), late)


@cache
def _open_and_last_closed_query() -> Select[Any]:
    """`RequestQueries.open_and_last_closed`, built once."""
    game: BindParameter[int] = bindparam("game")
    later = requests.alias()
    same = (later.c.game_id == game, later.c.seat == requests.c.seat, later.c.status == "closed")
    last = select(func.max(later.c.step_no)).where(*same, later.c.optional.is_(False)).scalar_subquery()
    return _requests_with_answers(
        requests.c.game_id == game, or_(requests.c.status != "closed", requests.c.step_no >= last)
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
    """Queries and changes of requests."""

    def __init__(self, connection: AnyConnection, share: HeldShards | None = None) -> None:
        """`share`: where several bots play, ours, which tells the others of drafts."""
        super().__init__(connection)
        self._share = share

    async def add_all(self, rows: Sequence[RequestRow]) -> None:
        """Store what seats are asked."""
        if rows:
            values = [{**structs.asdict(row), **_body_columns(row.body)} for row in rows]
            await self._connection.execute(insert_row(requests), values)

    async def close(self, rows: Collection[RequestRow]) -> None:
        """Ask this no more."""
        for game_id in {row.game_id for row in rows}:
            ids = [row.id for row in rows if row.game_id == game_id]
            query = update(requests).where(requests.c.game_id == game_id, requests.c.id.in_(ids))
            await self._connection.execute(query.values(status="closed", version=requests.c.version + 1))
        await self.notify_draft_versions([(row, CLOSED_VERSION, CLOSED_VERSION) for row in rows])

    async def notify_draft_versions(self, drafts: Sequence[tuple[RequestRow, int, int]]) -> None:
        """Tell other bots which version each of these drafts has, and since which it was only added to."""
        if self._share is None:
            return
        told = [DraftVersion(self._share.bot_name, row.game_id, row.id, row.step_no, *run) for row, *run in drafts]
        for at in range(0, len(told), _MAX_DRAFTS_PER_NOTIFICATION):
            some = told[at : at + _MAX_DRAFTS_PER_NOTIFICATION]
            await self._connection.execute(_NOTIFY, {"told": msgspec.json.encode(some).decode()})

    async def add(
        self, game_id: int, request: Request, *, step_no: int, now: int, deadline: int | None, status: str = "open"
    ) -> None:
        """Store what a seat is asked."""
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
        """Store what a request that stays is from now on."""
        same = match_values(game_id=row.game_id, id=row.id)
        await self._connection.execute(update_rows(requests, "game_id", "id"), same | _body_columns(row.body))

    async def find(self, game_id: int, request_id: str) -> RequestRow | None:
        """The request of a game with this id; None if there is none."""
        query = select_rows(requests, "game_id", "id")
        row = (await self._connection.execute(query, match_values(game_id=game_id, id=request_id))).first()
        return request_from_row(row) if row else None

    async def open_of_game(self, game_id: int, *, step_no: int | None = None) -> list[RequestRow]:
        """What is asked and not yet resolved, by seat; or all that a certain step asked."""
        if step_no is None:
            found = await self._connection.execute(_SELECT_OPEN, {"game": game_id})
        else:
            query = select_rows(requests, "game_id", "step_no", order=("seat", "id"))
            found = await self._connection.execute(query, match_values(game_id=game_id, step_no=step_no))
        return [request_from_row(row) for row in found]

    async def asked_since(self, game_id: int, step_no: int) -> list[RequestRow]:
        """All that was asked by a step and by those after it, in that order."""
        query = select(requests).where(requests.c.game_id == game_id, requests.c.step_no >= step_no)
        query = query.order_by(requests.c.step_no, requests.c.seat, requests.c.id)
        return [request_from_row(row) for row in await self._connection.execute(query)]

    async def recent_with_answers(self, game_id: int, step_no: int) -> list[tuple[RequestRow, AnswerRow | None]]:
        """What a step and those after it asked, then all that is open, with the sealed answers."""
        found = await self._fetch_with_answers(_recent_requests(), {"game": game_id, "step": step_no})
        return sorted(found, key=lambda one: (one[0].step_no, one[0].seat, one[0].id))

    async def open_and_last_closed(self, game_id: int) -> list[tuple[RequestRow, AnswerRow | None]]:
        """What is asked, by seat, then of each seat the last request the game waited for, and all closed since.

        Each with its sealed answer.
        """
        found = await self._fetch_with_answers(_open_and_last_closed_query(), {"game": game_id})
        return sorted(found, key=lambda one: _open_first(one[0]))

    async def closed_on_budgets(
        self, game_id: int, budgets: Collection[str]
    ) -> list[tuple[RequestRow, AnswerRow | None]]:
        """What was asked on these budgets and is closed, oldest first, each with its sealed answer."""
        shared = or_(*(requests.c.body.contains(f'"budget":"{one}"', autoescape=True) for one in sorted(budgets)))
        found = await self._select_with_answers(requests.c.game_id == game_id, requests.c.status == "closed", shared)
        return sorted(found, key=lambda one: (one[0].step_no, one[0].id))

    async def _select_with_answers(self, *conditions: ColumnElement[bool]) -> list[tuple[RequestRow, AnswerRow | None]]:
        return await self._fetch_with_answers(_requests_with_answers(*conditions), {})

    async def _fetch_with_answers(
        self, query: Select[Any], given: Mapping[str, object]
    ) -> list[tuple[RequestRow, AnswerRow | None]]:
        rows = [split_row(row, requests, answers) for row in await self._connection.execute(query, given)]
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
        """Change a request as it was read, by compare-and-set on its version; None if it has changed since.

        Other bots hear of its new version, and that its draft was only added to `since` one.
        """
        values = {"version": row.version + 1, **columns}
        same = match_values(game_id=row.game_id, id=row.id, version=row.version)
        result = await self._connection.execute(update_rows(requests, "game_id", "id", "version"), same | values)
        if result.rowcount != 1:
            return None
        changed = msgspec.structs.replace(row, **values)
        if changed.version != row.version:
            await self.notify_draft_versions([(changed, changed.version if since is None else since, changed.version)])
        return changed

    async def promote_early(self, row: RequestRow) -> None:
        """Ask what could be answered ahead so far, as it is now."""
        values = {**structs.asdict(row), **_body_columns(row.body)}
        same = (requests.c.game_id == row.game_id, requests.c.id == row.id)
        await self._connection.execute(update(requests).where(*same).values(values))

    async def set_aside(self, row: RequestRow, request_id: str) -> None:
        """Close a request for good and keep it, its answer and its private messages under another id."""
        same = (requests.c.game_id == row.game_id, requests.c.id == row.id)
        closed = {"id": request_id, "status": "closed", "version": row.version + 1}
        await self._connection.execute(update(requests).where(*same).values(**closed))
        own = (answers.c.game_id == row.game_id, answers.c.request_id == row.id)
        await self._connection.execute(update(answers).where(*own).values(request_id=request_id))
        await MessageQueries(self._connection).rename_request(row.game_id, row.id, request_id)

    async def rounds_by_request(self, game_id: int) -> dict[str, int]:
        """The round of everything that a game has ever asked, by request."""
        rows = await self._connection.execute(_SELECT_ROUNDS, {"game": game_id})
        return {row.id: msgspec.json.decode(row.body, type=Request).round for row in rows}

    async def open_of_user(self, user_id: int) -> list[RequestRow]:
        """Everything that somebody is asked just now, in all games."""
        return [
            request_from_row(row) for row in await self._connection.execute(_SELECT_OPEN_OF_USER, {"user": user_id})
        ]


def _body_columns(request: Request) -> dict[str, str | bool]:
    """The columns of what is asked."""
    return {"body": to_column(request), "awaits_battle": request.battle is not None and not request.optional}


def _open_first(row: RequestRow) -> tuple[bool, int, str]:
    closed = row.status == "closed"
    return closed, row.step_no if closed else row.seat, row.id

"""Query and change requests of the operator's shell, which wait until a bot has carried them out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from sqlalchemy import and_, delete, func, or_, select, update

from bot.store.engine.built import insert_row, match_values, select_rows, update_rows
from bot.store.models.tables import host_requests
from bot.store.queries.base import QueryGroup

HostRequestKind = Literal[
    "forget", "delete_game", "delete_server", "deny_user", "deny_server", "allow_user", "allow_server", "announce"
]

CLAIM_S: Final = 60


class HostRequest(Struct, frozen=True, kw_only=True):
    """A request of the bot's operator (its host), made in the shell and carried out by a running bot."""

    id: int = 0  # 0: not stored yet
    kind: HostRequestKind
    user_id: int | None = None  # the user that it concerns; None: none
    target_id: int | None = None  # the game or server that it concerns; None: none
    params: dict[str, Any] = {}  # texts and progress, by key
    asked_at: int  # Unix seconds
    taken_until: int | None = None  # until when other bots leave it to the bot that took it (Unix seconds)
    done_at: int | None = None  # Unix seconds; None: not carried out yet
    refused: bool = False  # whether nothing was done
    outcome: str = ""  # one English line for the operator; "" while it waits


class HostRequestQueries(QueryGroup):
    async def add(self, request: HostRequest) -> int:
        columns = {"params": _params_json(request.params), "asked_at": request.asked_at}
        columns |= {"kind": request.kind, "user_id": request.user_id, "target_id": request.target_id}
        result = await self._connection.execute(insert_row(host_requests), columns)
        key = result.inserted_primary_key
        assert key is not None  # noqa: S101 - every database here gives it
        return int(key[0])

    async def find(self, number: int) -> HostRequest | None:
        row = (await self._connection.execute(select_rows(host_requests, "id"), match_values(id=number))).first()
        return _request_from_row(row) if row else None

    async def claim_oldest(self, *, now: int, skipped_ids: Collection[int] = ()) -> HostRequest | None:
        """Claim the oldest waiting request that is not in `skipped_ids`; None if none is free.

        A single bot also gets requests that an earlier process had claimed.
        """
        is_free = and_(host_requests.c.done_at.is_(None), host_requests.c.id.not_in([*skipped_ids]))
        if self._share is not None:
            is_free &= or_(host_requests.c.taken_until.is_(None), host_requests.c.taken_until <= now)
        oldest_id = select(func.min(host_requests.c.id)).where(is_free).scalar_subquery()
        claim_query = (
            update(host_requests).where(host_requests.c.id == oldest_id, is_free).values(taken_until=now + CLAIM_S)
        )
        row = (await self._connection.execute(claim_query.returning(host_requests))).first()
        return _request_from_row(row) if row else None

    async def store_progress(self, request: HostRequest, params: dict[str, Any], *, until: int | None = None) -> None:
        """Store the progress of a request. Other bots may continue it after `until`, or at once if None."""
        changed = {"params": _params_json(params), "taken_until": until}
        await self._connection.execute(update_rows(host_requests, "id"), match_values(id=request.id) | changed)

    async def finish(self, request: HostRequest, outcome: str, *, now: int, refused: bool = False) -> None:
        """Store the outcome of a request, and erase its subject."""
        changed = {"done_at": now, "refused": refused, "outcome": outcome}
        changed |= {"user_id": None, "target_id": None, "params": "{}", "taken_until": None}
        await self._connection.execute(update_rows(host_requests, "id"), match_values(id=request.id) | changed)

    async def finish_times(self, kind: HostRequestKind, since: int) -> list[int]:
        """Return when requests of a kind were carried out since a time (Unix seconds), oldest first."""
        was_done = (host_requests.c.kind == kind, ~host_requests.c.refused, host_requests.c.done_at >= since)
        query = select(host_requests.c.done_at).where(*was_done).order_by(host_requests.c.done_at)
        return [*(await self._connection.execute(query)).scalars()]

    async def count_waiting(self) -> int:
        query = select(func.count()).select_from(host_requests).where(host_requests.c.done_at.is_(None))
        return int((await self._connection.execute(query)).scalar_one())

    async def delete_finished(self, *, before: int) -> None:
        await self._connection.execute(delete(host_requests).where(host_requests.c.done_at < before))


def _params_json(params: dict[str, Any]) -> str:
    return msgspec.json.encode(params).decode()


def _request_from_row(row: Any) -> HostRequest:  # noqa: ANN401 - a row of any database
    columns = dict(row._mapping)  # noqa: SLF001 - its public name
    return HostRequest(**{**columns, "params": msgspec.json.decode(columns["params"])})

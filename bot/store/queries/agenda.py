"""Query when the next deadline, message or deletion is due."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, Final

from msgspec import Struct, structs
from sqlalchemy import BigInteger, BindParameter, ColumnElement, Integer, Select, Table, bindparam, func, select, true

from bot.store.engine.leases import is_about_own_game, is_in_own_shard, own_shard_params, shard_of_game
from bot.store.models.tables import games, outbox, removals
from bot.store.queries.base import QueryGroup
from bot.store.queries.games import is_awaiting_battle
from bot.store.queries.messages import IS_WAITING

_FRESH_PARAM: Final = bindparam("fresh", expanding=True, type_=Integer)
_NO_GAME: Final = 0  # SQLAlchemy makes a subquery of an empty list
_WAITING_PARAM: Final = bindparam("waiting", expanding=True, type_=BigInteger)


class DueTimes(Struct, frozen=True):
    """The next due times (Unix seconds); None if there is none."""

    oldest_claim: int | None  # time of the oldest claim of a game; 0 if unknown
    next_deadline: int | None
    """The next deadline of a running game, which may have passed. Games that wait for a battle are left out."""
    next_message: int | None  # to send or edit
    next_removal: int | None  # of a direct message
    has_unsent: bool  # whether a message is due now
    has_due_removal: bool  # whether a deletion is due now


@cache
def _due_times_query(*, shared: bool) -> Select[Any]:
    """Build the query of `due_times`; if `shared`, it concerns only this bot's shards."""
    now = bindparam("now", type_=BigInteger)
    own_games = [is_in_own_shard()] if shared else []
    oldest_claim = select(func.min(func.coalesce(games.c.claimed_at, 0))).where(
        games.c.phase == "resolving", *own_games
    )
    # With this order and limit the index is enough. A minimum would scan all games.
    deadline = select(games.c.deadline).where(games.c.phase == "running", games.c.deadline.is_not(None), *own_games)
    deadline = deadline.where(games.c.id.not_in(_WAITING_PARAM))
    deadline = deadline.where(games.c.paused_at.is_(None), ~is_awaiting_battle()).order_by(games.c.deadline).limit(1)
    if shared:
        deadline = deadline.where(shard_of_game().in_(_FRESH_PARAM))
    message = _next_due_query(outbox, IS_WAITING, now, shared=shared)
    removal = _next_due_query(removals, true(), now, shared=shared)
    times: list[ColumnElement[Any]] = [query.scalar_subquery() for query in (oldest_claim, deadline, message, removal)]
    unsent_messages = select(outbox.c.id).where(IS_WAITING, outbox.c.due_at <= now)
    due_removals = select(removals.c.id).where(removals.c.due_at <= now)
    if shared:
        unsent_messages = unsent_messages.where(is_about_own_game(outbox.c.game_id))
        due_removals = due_removals.where(is_about_own_game(removals.c.game_id))
    return select(*times, unsent_messages.exists(), due_removals.exists())


def _next_due_query(
    table: Table, condition: ColumnElement[bool], now: BindParameter[int], *, shared: bool
) -> Select[Any]:
    if not shared:
        return select(func.min(table.c.due_at)).where(condition, table.c.due_at > now)
    # Several bots use the database. The index's order finds the first row of this bot's shards without scanning all.
    own_rows = select(table.c.due_at).where(condition, table.c.due_at > now, is_about_own_game(table.c.game_id))
    return own_rows.order_by(table.c.due_at).limit(1)


class AgendaQueries(QueryGroup):
    async def due_times(
        self, now: int, fresh: Collection[int] | None = None, *, waiting: Collection[int] = ()
    ) -> DueTimes:
        """Return what is due next. Deadlines count only in the shards `fresh`, whose captains can act; None: in all.

        Deadlines of the games `waiting` do not count.
        """
        params: dict[str, Any] = {"now": now, "waiting": [*waiting] or [_NO_GAME]}
        if self._share:
            fresh_shards = self._share.held_tokens if fresh is None else fresh
            params |= {**own_shard_params(self._share), "fresh": [*fresh_shards]}
        query = _due_times_query(shared=self._share is not None)
        times = DueTimes(*(await self._connection.execute(query, params)).one())
        # A single bot has one shard: without a fresh beat of it, no deadline counts.
        no_shard_is_fresh = fresh is not None and not fresh
        return structs.replace(times, next_deadline=None) if no_shard_is_fresh and not self._share else times

"""When there is something to do next."""

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
"""Shards whose deadlines count."""


class DueTimes(Struct, frozen=True):
    """When something is due next, in Unix seconds; None: nothing is."""

    oldest_claim: int | None
    """Since when a game has been claimed for longest; 0: it is not known."""
    next_deadline: int | None
    """When the time of a running game is up, or was; of those that wait for a battle it makes no difference."""
    next_message: int | None
    """When a message is due that waits for another try, or for its time."""
    next_removal: int | None
    """When a deletion is due that waits for another try."""
    has_unsent: bool
    """Whether a message is due now."""
    has_due_removal: bool
    """Whether a deletion is due now."""


@cache
def _due_times_query(*, shared: bool) -> Select[Any]:
    """`AgendaQueries.next`, of all games or of our share of them."""
    now = bindparam("now", type_=BigInteger)
    ours = [is_in_own_shard()] if shared else []
    claimed = select(func.min(func.coalesce(games.c.claimed_at, 0))).where(games.c.phase == "resolving", *ours)
    # In this order, and no further, the index has it at once; a minimum would look at every game.
    deadline = select(games.c.deadline).where(games.c.phase == "running", games.c.deadline.is_not(None), *ours)
    deadline = deadline.where(games.c.paused_at.is_(None), ~is_awaiting_battle()).order_by(games.c.deadline).limit(1)
    if shared:
        deadline = deadline.where(shard_of_game().in_(_FRESH_PARAM))
    message, removal = (
        _next_due_query(outbox, IS_WAITING, now, shared=shared),
        _next_due_query(removals, true(), now, shared=shared),
    )
    times: list[ColumnElement[Any]] = [one.scalar_subquery() for one in (claimed, deadline, message, removal)]
    unsent = select(outbox.c.id).where(IS_WAITING, outbox.c.due_at <= now)
    passed = select(removals.c.id).where(removals.c.due_at <= now)
    if shared:
        unsent, passed = (
            unsent.where(is_about_own_game(outbox.c.game_id)),
            passed.where(is_about_own_game(removals.c.game_id)),
        )
    return select(*times, unsent.exists(), passed.exists())


def _next_due_query(table: Table, which: ColumnElement[bool], now: BindParameter[int], *, shared: bool) -> Select[Any]:
    """When one of these rows is due next."""
    query = select(func.min(table.c.due_at)).where(which, table.c.due_at > now)
    if shared:  # row by row, in the index's order, until one is ours
        ours = select(table.c.due_at).where(which, table.c.due_at > now, is_about_own_game(table.c.game_id))
        return ours.order_by(table.c.due_at).limit(1)
    return query


class AgendaQueries(QueryGroup):
    """Looks at all games at once, by their indices alone."""

    async def due_times(self, now: int, fresh: Collection[int] | None = None) -> DueTimes:
        """Return what is due next. Deadlines count only in `fresh` shards; None: in all."""
        ours = (
            {**own_shard_params(self._share), "fresh": [*(self._share.held_tokens if fresh is None else fresh)]}
            if self._share
            else {}
        )
        query = _due_times_query(shared=self._share is not None)
        found = DueTimes(*(await self._connection.execute(query, {"now": now, **ours})).one())
        return found if self._share or fresh is None or fresh else structs.replace(found, next_deadline=None)

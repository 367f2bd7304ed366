"""Query and change direct messages that are to be deleted because they are outdated."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, Final

from sqlalchemy import BigInteger, Integer, Select, and_, bindparam, delete, or_, select, update

from bot.store.engine.built import insert_row, match_values, update_rows
from bot.store.engine.leases import is_about_own_game, own_shard_params
from bot.store.models.records import OutboxMessage, Removal
from bot.store.models.tables import outbox, players, removals
from bot.store.queries.base import QueryGroup, record_from_row


@cache
def _due_query(*, shared: bool) -> Select[Any]:
    now = bindparam("now", type_=BigInteger)
    has_unsent_message = (
        select(outbox.c.id)
        .where(outbox.c.game_id == removals.c.game_id, outbox.c.wanted > outbox.c.sent)
        .where(outbox.c.problem.is_(None), outbox.c.due_at <= now)
        .exists()
    )
    query = select(removals, players.c.dm_channel_id.label("direct"))
    query = query.outerjoin(players, players.c.user_id == removals.c.user_id)
    query = query.where(removals.c.due_at <= now, ~has_unsent_message).order_by(removals.c.due_at)
    query = query.where(is_about_own_game(removals.c.game_id)) if shared else query
    return query.limit(bindparam("most", type_=Integer))


_DETACH_MESSAGES: Final = (
    update(outbox)
    .where(outbox.c.id.in_(bindparam("rows", expanding=True)))
    # The next version is a new message, even if this one still lacks its picture.
    .values(message_id=None, attempts=0, shown=None, edited_at=None, wanted_at=outbox.c.wanted_at + 1)
)
_MAKE_DUE: Final = update(removals).where(
    removals.c.game_id == bindparam("game"),
    removals.c.user_id.in_(bindparam("users", expanding=True)),
    removals.c.due_at.is_(None),
)


class RemovalQueries(QueryGroup):
    async def add(
        self, game_id: int, user_id: int, *, channel_id: int, message_id: int, due_at: int | None = None
    ) -> None:
        """Schedule the deletion of a message. None as time: when its reader gets the next request of this game."""
        place = {"channel_id": channel_id, "message_id": message_id}
        columns = {"game_id": game_id, "user_id": user_id, "due_at": due_at}
        await self._connection.execute(insert_row(removals), columns | place)

    async def take_away(self, messages: Collection[OutboxMessage], *, now: int) -> None:
        """Delete the direct messages of these outbox rows. If one is requested again, it is sent as a new message."""
        deletable = [
            message for message in messages if None not in (message.user_id, message.message_id, message.channel_id)
        ]
        if not deletable:
            return
        columns = ("game_id", "user_id", "channel_id", "message_id")
        rows = [{**{name: getattr(message, name) for name in columns}, "due_at": now} for message in deletable]
        await self._connection.execute(insert_row(removals), rows)
        await self._connection.execute(_DETACH_MESSAGES, {"rows": [message.id for message in deletable]})

    async def make_due(self, game_id: int, users: Collection[int], *, now: int) -> None:
        """Make deletions due now that wait for the next request to these users."""
        if users:
            await self._connection.execute(_MAKE_DUE, {"game": game_id, "users": [*users], "due_at": now})

    async def remove_all(self, game_id: int, *, now: int) -> None:
        """Make all scheduled deletions of a game due now."""
        query = update(removals).where(removals.c.game_id == game_id)
        await self._connection.execute(query.values(due_at=now))

    async def due_now(self, *, now: int, most: int) -> list[Removal]:
        """Return deletions that are due, oldest first.

        Games with unsent messages are left out, so that no captain is left without a panel.
        """
        shard_params = own_shard_params(self._share) if self._share else {}
        query = _due_query(shared=self._share is not None)
        rows = await self._connection.execute(query, {"now": now, "most": most, **shard_params})
        return [record_from_row(row, Removal) for row in rows]

    async def message_ids_of_user(self, user_id: int) -> set[int]:
        query = select(removals.c.message_id).where(removals.c.user_id == user_id, removals.c.due_at.is_not(None))
        return {*(await self._connection.execute(query)).scalars()}

    async def delete_done(self, deleted: Collection[Removal]) -> None:
        if deleted:
            of_removals = (
                and_(removals.c.user_id == removal.user_id, removals.c.message_id == removal.message_id)
                for removal in deleted
            )
            await self._connection.execute(delete(removals).where(or_(*of_removals)))

    async def postpone(self, removal: Removal, due_at: int) -> None:
        await self._connection.execute(update_rows(removals, "id"), match_values(id=removal.id) | {"due_at": due_at})

"""When there is something to do next."""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import Struct
from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, func, select

from bot.store.games import awaits_battle
from bot.store.messages import WAITING
from bot.store.rows import Queries
from bot.store.tables import games, outbox, removals


class Next(Struct, frozen=True):
    """When something is due next, in Unix seconds; None: nothing is."""

    claimed: int | None
    """Since when a game has been claimed for longest; 0: it is not known."""
    deadline: int | None
    """When the time of a running game is up, or was; of those that wait for a battle it makes no difference."""
    message: int | None
    """When a message is due that waits for another try, or for its time."""
    removal: int | None
    """When a deletion is due that waits for another try."""
    unsent: bool
    """Whether a message is due now."""
    passed: bool
    """Whether a deletion is due now."""


@cache
def _next() -> Select[Any]:
    """`Agenda.next`, built once."""
    now = bindparam("now", type_=BigInteger)
    claimed = select(func.min(func.coalesce(games.c.claimed_at, 0))).where(games.c.phase == "resolving")
    # In this order, and no further, the index has it at once; a minimum would look at every game.
    deadline = select(games.c.deadline).where(games.c.phase == "running", games.c.deadline.is_not(None))
    deadline = deadline.where(games.c.paused_at.is_(None), ~awaits_battle()).order_by(games.c.deadline).limit(1)
    message = select(func.min(outbox.c.due_at)).where(WAITING, outbox.c.due_at > now)
    removal = select(func.min(removals.c.due_at)).where(removals.c.due_at > now)
    times: list[ColumnElement[Any]] = [one.scalar_subquery() for one in (claimed, deadline, message, removal)]
    unsent = select(outbox.c.id).where(WAITING, outbox.c.due_at <= now).exists()
    now_due: list[ColumnElement[Any]] = [unsent, select(removals.c.id).where(removals.c.due_at <= now).exists()]
    return select(*times, *now_due)


class Agenda(Queries):
    """Looks at all games at once, by their indices alone."""

    async def next(self, now: int) -> Next:
        """What is due next."""
        return Next(*(await self._connection.execute(_next(), {"now": now})).one())

"""Who does what where several bots play on one PostgreSQL: leases that run out by the database's clock.

A row's key says what is leased. Of a shard (`shard:0`) its holder sends the messages, keeps the deadlines, and has the
connection to Discord's gateway. A bot (`bot:` and its name) shows by its own lease that it lives. A turn (`turn:`) is
nobody's: by its time those who take it keep a distance from each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Double,
    Integer,
    Select,
    String,
    Update,
    and_,
    bindparam,
    case,
    cast,
    delete,
    extract,
    func,
    literal,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from bot.store.engine import revisions
from bot.store.engine.shard import HeldShards
from bot.store.models.tables import games, leases, outbox
from bot.store.queries.base import QueryGroup

SHARD_PREFIX: Final = "shard:"
BOT_PREFIX: Final = "bot:"
TURN_PREFIX: Final = "turn:"
"""What keys begin with."""
ONCE_PREFIX: Final = "once:"
"""And those of turns that nobody takes a second time."""

DATABASE_NOW: Final[ColumnElement[float]] = cast(extract("epoch", func.clock_timestamp()), Double)
"""The database's clock, in Unix seconds."""

_SHARD_COUNT_PARAM: Final = bindparam("of_shards", type_=Integer)
_OWN_SHARDS_PARAM: Final = bindparam("mine", expanding=True, type_=Integer)
_OWN_TOKENS_PARAM: Final[BindParameter[Any]] = bindparam("tenures", expanding=True)
_HOLDER_PARAM: Final = bindparam("by_bot", type_=String)
_SECONDS_PARAM: Final = bindparam("seconds", type_=Double)


class Lease(NamedTuple):
    """A lease as it stands."""

    key: str
    holder: str | None
    token: int
    is_live: bool
    """Whether it has not run out."""


def shard_of_game() -> ColumnElement[int]:
    """The shard of a row of `games`, as Discord reckons it from the server's id."""
    return (games.c.guild_id // 4_194_304) % _SHARD_COUNT_PARAM


def is_in_own_shard() -> ColumnElement[bool]:
    """Whether a row of `games` is in one of the shards that we hold."""
    return shard_of_game().in_(_OWN_SHARDS_PARAM)


def is_about_own_game(game_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a row is about a game in one of the shards that we hold."""
    return select(games.c.id).where(games.c.id == game_id, is_in_own_shard()).exists()


def is_still_held(game_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether we hold the shard of a row's game at this very moment, by the token with which we took it."""
    key = literal(SHARD_PREFIX).concat(shard_of_game().cast(String))
    held = and_(leases.c.key == key, leases.c.holder == _HOLDER_PARAM, leases.c.until > DATABASE_NOW)
    same = tuple_(leases.c.key, leases.c.token).in_(_OWN_TOKENS_PARAM)
    return select(games.c.id).where(games.c.id == game_id, held, same).exists()


def is_claim_released() -> ColumnElement[bool]:
    """Whether a row of `games` was claimed by us, or by a bot that lives no more."""
    alive = select(leases.c.key).where(
        leases.c.key == literal(BOT_PREFIX).concat(games.c.claimed_by), leases.c.until > DATABASE_NOW
    )
    return or_(games.c.claimed_by == _HOLDER_PARAM, ~alive.exists())


def own_shard_params(share: HeldShards, among: Collection[int] | None = None) -> dict[str, Any]:
    """Return the parameters of `is_in_own_shard` and `is_about_own_game` for the shards held, or those in `among`."""
    held = [shard for shard in share.held_tokens if among is None or shard in among]
    return {"of_shards": share.shard_count, "mine": held}


def own_token_params(share: HeldShards) -> dict[str, Any]:
    """What `is_still_held` is given."""
    tenures = [(f"{SHARD_PREFIX}{shard}", token) for shard, token in share.all_tokens.items()]
    return {"of_shards": share.shard_count, "by_bot": share.bot_name, "tenures": tenures or [("", 0)]}


@cache
def only_if_held(statement: Update) -> Update:
    """A change of `outbox` that is made only while we hold the shard of the message's game."""
    return statement.where(is_still_held(outbox.c.game_id))


@cache
def only_held_rows(query: Select[Any]) -> Select[Any]:
    """Rows of `outbox`, as long as we hold the shard of their game."""
    return query.where(is_still_held(outbox.c.game_id))


_RENEW: Final = (
    update(leases)
    .where(leases.c.holder == _HOLDER_PARAM, leases.c.key.not_in(bindparam("leaving", expanding=True, type_=String)))
    .values(until=DATABASE_NOW + _SECONDS_PARAM)
    .returning(leases.c.key, leases.c.token)
)
_TAKE_FREE: Final = (
    update(leases)
    .where(
        leases.c.key.in_(
            select(leases.c.key)
            .where(
                leases.c.key.startswith(SHARD_PREFIX),
                # No lease is so long: the clock has been set back, and who has it renews it at once if they live.
                or_(
                    leases.c.holder.is_(None),
                    leases.c.until <= DATABASE_NOW,
                    leases.c.until > DATABASE_NOW + 2 * _SECONDS_PARAM,
                ),
            )
            .order_by(leases.c.key)
            .limit(bindparam("most", type_=Integer))
            .with_for_update(skip_locked=True)
        )
    )
    .values(holder=_HOLDER_PARAM, token=leases.c.token + 1, until=DATABASE_NOW + _SECONDS_PARAM)
    .returning(leases.c.key, leases.c.token)
)
_RELEASE: Final = update(leases).where(leases.c.holder == _HOLDER_PARAM).values(holder=None, until=DATABASE_NOW)
_RELEASE_SOME: Final = _RELEASE.where(leases.c.key.in_(bindparam("some", expanding=True, type_=String)))
_SELECT_ALL: Final = select(
    leases.c.key, leases.c.holder, leases.c.token, (leases.c.until > DATABASE_NOW).label("live")
).where(~leases.c.key.startswith(TURN_PREFIX))
_COST_PARAM: Final = bindparam("cost", type_=Double)
_EARLY_PARAM: Final = bindparam("early", type_=Double)
_FARTHEST_PARAM: Final = bindparam("farthest", type_=Double)
_TAKE_TURN: Final = (
    insert(leases)
    .values(key=bindparam("turn", type_=String), token=1, until=DATABASE_NOW - _EARLY_PARAM + _COST_PARAM)
    .on_conflict_do_update(
        index_elements=["key"],
        set_={
            "token": leases.c.token + 1,
            # A turn farther ahead was taken by a clock that has been set back since.
            "until": case(
                (leases.c.until.between(DATABASE_NOW - _EARLY_PARAM, DATABASE_NOW + _FARTHEST_PARAM), leases.c.until),
                else_=DATABASE_NOW - _EARLY_PARAM,
            )
            + _COST_PARAM,
        },
    )
    .returning(leases.c.until - _COST_PARAM - DATABASE_NOW)
)
_TAKE_LOCK: Final = (
    insert(leases)
    .values(key=bindparam("turn", type_=String), token=1, until=DATABASE_NOW + _COST_PARAM)
    .on_conflict_do_update(
        index_elements=["key"],
        set_={"token": leases.c.token + 1, "until": DATABASE_NOW + _COST_PARAM},
        where=leases.c.until <= DATABASE_NOW,
    )
    .returning(leases.c.key)
)
_DELETE_EXPIRED: Final = delete(leases).where(
    leases.c.key.in_(
        select(leases.c.key)
        .where(leases.c.key.startswith(f"{TURN_PREFIX}{ONCE_PREFIX}"), leases.c.until <= DATABASE_NOW)
        .with_for_update(skip_locked=True)
    )
)
_DEAD_BOT_EXPIRY_S: Final = 86_400.0
"""After so long nobody asks any more for what a bot was doing when it died."""


class LeaseQueries(QueryGroup):
    """Takes, keeps and gives up leases; on PostgreSQL alone."""

    async def create_shard_leases(self, shards: int) -> None:
        """See to it that there is a lease for each shard, and none for bots that died long ago."""
        rows = [{"key": f"{SHARD_PREFIX}{shard}", "holder": None, "token": 0, "until": 0.0} for shard in range(shards)]
        await self._connection.execute(insert(leases).on_conflict_do_nothing(), rows)
        dead = and_(leases.c.key.startswith(BOT_PREFIX), leases.c.until < DATABASE_NOW - _DEAD_BOT_EXPIRY_S)
        await self._connection.execute(delete(leases).where(dead))

    async def announce_bot(self, name: str, shards: int, *, seconds: float) -> None:
        """Show for some seconds that a bot lives, and with how many shards it reckons."""
        values = {"key": f"{BOT_PREFIX}{name}", "holder": name, "token": shards, "until": DATABASE_NOW + seconds}
        new = insert(leases).values(values)
        await self._connection.execute(
            new.on_conflict_do_update(index_elements=["key"], set_={"until": new.excluded.until})
        )

    async def renew(self, name: str, *, seconds: float, leaving: Collection[str] = ()) -> dict[str, int]:
        """Keep all that a bot has for some seconds more, but what it is `leaving`; tokens by key."""
        given = {"by_bot": name, "seconds": seconds, "leaving": [*leaving]}
        return {row.key: row.token for row in await self._connection.execute(_RENEW, given)}

    async def take_free(self, name: str, *, seconds: float, most: int) -> dict[str, int]:
        """Take shards that nobody has any more; tokens by key."""
        given = {"by_bot": name, "seconds": seconds, "most": most}
        return {row.key: row.token for row in await self._connection.execute(_TAKE_FREE, given)}

    async def release(self, name: str, some: Collection[str] | None = None) -> None:
        """Leave to others at once what a bot has by these keys; None: all of it."""
        if some is None:
            await self._connection.execute(_RELEASE, {"by_bot": name})
        elif some:
            await self._connection.execute(_RELEASE_SOME, {"by_bot": name, "some": [*some]})

    async def all_leases(self) -> Sequence[Lease]:
        """All leases of shards and bots."""
        return [Lease(*row) for row in await self._connection.execute(_SELECT_ALL)]

    async def take_turn(self, key: str, *, cost_s: float, early_s: float = 0.0, farthest_s: float = 60.0) -> float:
        """Take the next turn of a kind, `cost_s` after the one before; for how many seconds to wait for it.

        Who comes after a pause may have turns ahead of time that are worth `early_s`. Nobody waits longer than
        `farthest_s`, even if the database's clock is set back.
        """
        given = {"turn": f"{TURN_PREFIX}{key}", "cost": cost_s, "early": early_s, "farthest": farthest_s}
        wait: float = (await self._connection.execute(_TAKE_TURN, given)).scalar_one()
        return max(0.0, wait)

    async def try_lock(self, what: str, *, seconds: float) -> bool:
        """Do something alone, for so long; whether nobody else does it just now."""
        given = {"turn": f"{TURN_PREFIX}{what}", "cost": seconds}
        return (await self._connection.execute(_TAKE_LOCK, given)).first() is not None

    async def delete_expired(self) -> None:
        """Forget turns that were to be taken once, and that have run out."""
        await self._connection.execute(_DELETE_EXPIRED)

    async def is_version_supported(self) -> bool:
        """Whether our version can work with the tables, which a newer one may have changed."""
        query = select(leases.c.token).where(leases.c.key == revisions.COMPATIBILITY_KEY)
        oldest: int | None = (await self._connection.execute(query)).scalar()
        return oldest is None or oldest <= int(revisions.newest_revision())

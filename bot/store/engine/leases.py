"""Coordinate several bots on one PostgreSQL by leases that expire by the database's clock.

The key of a row says what is leased. The holder of a shard (`shard:0`) sends its messages, keeps its deadlines and has
its connection to Discord's gateway. A bot renews the lease `bot:<name>` while it runs. A turn (`turn:<key>`) has no
holder; its time is when the next one may begin, which spaces out actions of all bots.
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
ONCE_PREFIX: Final = "once:"

DATABASE_NOW: Final[ColumnElement[float]] = cast(extract("epoch", func.clock_timestamp()), Double)

_SHARD_COUNT_PARAM: Final = bindparam("of_shards", type_=Integer)
_OWN_SHARDS_PARAM: Final = bindparam("mine", expanding=True, type_=Integer)
_OWN_TOKENS_PARAM: Final[BindParameter[Any]] = bindparam("tenures", expanding=True)
_HOLDER_PARAM: Final = bindparam("by_bot", type_=String)
_SECONDS_PARAM: Final = bindparam("seconds", type_=Double)


class Lease(NamedTuple):
    key: str  # what is leased, such as "shard:0"
    holder: str | None  # name of a bot; None: free
    token: int  # grows whenever it is taken; of a bot's own lease: its shard count
    is_live: bool  # whether it has not expired


def shard_of_game() -> ColumnElement[int]:
    return (games.c.guild_id // 2**22) % _SHARD_COUNT_PARAM  # Discord's formula


def is_in_own_shard() -> ColumnElement[bool]:
    return shard_of_game().in_(_OWN_SHARDS_PARAM)


def is_about_own_game(game_id: ColumnElement[int]) -> ColumnElement[bool]:
    return select(games.c.id).where(games.c.id == game_id, is_in_own_shard()).exists()


def is_still_held(game_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Return a condition: this bot still holds the shard of the game under the token with which it took it."""
    key = literal(SHARD_PREFIX).concat(shard_of_game().cast(String))
    is_own_lease = and_(leases.c.key == key, leases.c.holder == _HOLDER_PARAM, leases.c.until > DATABASE_NOW)
    has_own_token = tuple_(leases.c.key, leases.c.token).in_(_OWN_TOKENS_PARAM)
    return select(games.c.id).where(games.c.id == game_id, is_own_lease, has_own_token).exists()


def is_claim_released() -> ColumnElement[bool]:
    """Return a condition on `games`: the claim is this bot's own, or that of a bot that has died."""
    alive = select(leases.c.key).where(
        leases.c.key == literal(BOT_PREFIX).concat(games.c.claimed_by), leases.c.until > DATABASE_NOW
    )
    return or_(games.c.claimed_by == _HOLDER_PARAM, ~alive.exists())


def own_shard_params(share: HeldShards, among: Collection[int] | None = None) -> dict[str, Any]:
    """Return the parameters of `is_in_own_shard` and `is_about_own_game` for the held shards, or those in `among`."""
    shards = [shard for shard in share.held_tokens if among is None or shard in among]
    return {"of_shards": share.shard_count, "mine": shards}


def own_token_params(share: HeldShards) -> dict[str, Any]:
    tenures = [(f"{SHARD_PREFIX}{shard}", token) for shard, token in share.all_tokens.items()]
    return {"of_shards": share.shard_count, "by_bot": share.bot_name, "tenures": tenures or [("", 0)]}


@cache
def only_if_held(statement: Update) -> Update:
    return statement.where(is_still_held(outbox.c.game_id))


@cache
def only_held_rows(query: Select[Any]) -> Select[Any]:
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
                # A longer lease means that the clock was set back. A living holder renews it at once.
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
_RELEASE_SOME: Final = _RELEASE.where(leases.c.key.in_(bindparam("keys", expanding=True, type_=String)))
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
            # A turn farther ahead was taken before the clock was set back.
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


class LeaseQueries(QueryGroup):
    async def create_shard_leases(self, shards: int) -> None:
        rows = [{"key": f"{SHARD_PREFIX}{shard}", "holder": None, "token": 0, "until": 0.0} for shard in range(shards)]
        await self._connection.execute(insert(leases).on_conflict_do_nothing(), rows)
        dead = and_(leases.c.key.startswith(BOT_PREFIX), leases.c.until < DATABASE_NOW - _DEAD_BOT_EXPIRY_S)
        await self._connection.execute(delete(leases).where(dead))

    async def announce_bot(self, name: str, shards: int, *, seconds: float) -> None:
        """Create or renew the lease of a bot. Its token is the number of shards that the bot was started with."""
        values = {"key": f"{BOT_PREFIX}{name}", "holder": name, "token": shards, "until": DATABASE_NOW + seconds}
        new = insert(leases).values(values)
        await self._connection.execute(
            new.on_conflict_do_update(index_elements=["key"], set_={"until": new.excluded.until})
        )

    async def renew(self, name: str, *, seconds: float, leaving: Collection[str] = ()) -> dict[str, int]:
        """Renew all leases of a bot except those it is `leaving`. Returns tokens by key."""
        params = {"by_bot": name, "seconds": seconds, "leaving": [*leaving]}
        return {row.key: row.token for row in await self._connection.execute(_RENEW, params)}

    async def take_free(self, name: str, *, seconds: float, most: int) -> dict[str, int]:
        """Take up to `most` shards whose leases are free or expired. Returns tokens by key."""
        params = {"by_bot": name, "seconds": seconds, "most": most}
        return {row.key: row.token for row in await self._connection.execute(_TAKE_FREE, params)}

    async def release(self, name: str, keys: Collection[str] | None = None) -> None:
        if keys is None:
            await self._connection.execute(_RELEASE, {"by_bot": name})
        elif keys:
            await self._connection.execute(_RELEASE_SOME, {"by_bot": name, "keys": [*keys]})

    async def all_leases(self) -> Sequence[Lease]:
        return [Lease(*row) for row in await self._connection.execute(_SELECT_ALL)]

    async def take_turn(self, key: str, *, cost_s: float, early_s: float = 0.0, farthest_s: float = 60.0) -> float:
        """Take the next turn, `cost_s` after the previous one, and return the seconds to wait for it.

        After a pause, turns worth `early_s` may be taken without waiting. Nobody waits longer than `farthest_s`, even
        if the database's clock is set back.
        """
        params = {"turn": f"{TURN_PREFIX}{key}", "cost": cost_s, "early": early_s, "farthest": farthest_s}
        wait: float = (await self._connection.execute(_TAKE_TURN, params)).scalar_one()
        return max(0.0, wait)

    async def try_lock(self, what: str, *, seconds: float) -> bool:
        """Lock `what` for some seconds. Returns whether it was free."""
        params = {"turn": f"{TURN_PREFIX}{what}", "cost": seconds}
        return (await self._connection.execute(_TAKE_LOCK, params)).first() is not None

    async def delete_expired(self) -> None:
        await self._connection.execute(_DELETE_EXPIRED)

    async def is_version_supported(self) -> bool:
        """Return whether this version can work with the tables, which a newer version may have changed."""
        query = select(leases.c.token).where(leases.c.key == revisions.COMPATIBILITY_KEY)
        oldest: int | None = (await self._connection.execute(query)).scalar()
        return oldest is None or oldest <= int(revisions.newest_revision())

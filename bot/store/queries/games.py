"""Games."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from sqlalchemy import BigInteger, ColumnElement, Exists, Integer, Select, and_, bindparam, delete, func, or_, select

from bot.store.engine.built import insert_row, match_values, select_rows, update_rows
from bot.store.engine.leases import is_claim_released, is_in_own_shard, own_shard_params
from bot.store.models.pace import Pace
from bot.store.models.records import Game, Player, SeatRow
from bot.store.models.tables import captains, games, players, requests, seats
from bot.store.queries.base import QueryGroup, game_from_row, player_from_row, record_from_row, split_row, to_column
from rules.chance import fairness
from rules.core.protocol import Setup

_OPEN_PHASES: Final = ("lobby", "running", "resolving")
"""Phases of games that are not over."""


class NewGameRow(Struct, frozen=True, kw_only=True):
    """A game as it is opened; what is not said here is as in any new game."""

    setup: Setup
    pace: Pace
    name: str
    locale: str
    guild_id: int
    channel_id: int
    host_id: int
    seed: str
    created_at: int
    """Unix time, s."""
    early: bool = True
    extensions: int = 2
    private: bool = False
    rated: bool = True
    parent_id: int | None = None
    parent_request: str | None = None
    phase: Literal["lobby", "over"] = "lobby"
    scheme: fairness.HashScheme = fairness.NEWEST_SCHEME
    step_no: int = -1
    ended_at: int | None = None
    digest: str | None = None

    @classmethod
    def copy_of(cls, game: Game, *, setup: Setup, seed: str, created_at: int, **other: Any) -> NewGameRow:  # noqa: ANN401 - its own fields
        """A game like another one: in the same place, at the same pace and as private, but for these fields."""
        shared = ("pace", "name", "locale", "guild_id", "channel_id", "host_id", "early", "extensions", "private")
        kept = {name: getattr(game, name) for name in shared}
        return cls(**{**kept, "setup": setup, "seed": seed, "created_at": created_at, **other})


@cache
def _with_players() -> Select[Any]:
    """`GameQueries.with_players`, built once."""
    there = players.c.user_id.in_([seats.c.user_id, seats.c.kept_for, games.c.host_id])
    joined = games.outerjoin(seats, seats.c.game_id == games.c.id).outerjoin(players, there)
    query = select(games, seats, players).select_from(joined).where(games.c.id == bindparam("game"))
    return query.order_by(seats.c.seat)


def is_awaiting_battle() -> Exists:
    """Whether a game of `games` waits for a battle: while it does, it doesn't go on, not even when its time is up.

    The end of the battle lets it go on.
    """
    asked = select(requests.c.id).where(requests.c.game_id == games.c.id, requests.c.status == "open")
    return asked.where(requests.c.awaits_battle).exists()


def _newest_games(*conditions: ColumnElement[bool], most: int | None = None) -> Select[Any]:
    """Games that meet conditions, newest first."""
    return select(games).where(*conditions).order_by(games.c.id.desc()).limit(most)


_HAS_PARENT: Final = games.c.parent_id == bindparam("parent")
_IN_CHANNEL: Final = games.c.channel_id == bindparam("channel")
_LOBBIES: Final = _newest_games(_IN_CHANNEL, games.c.phase == "lobby", games.c.parent_id.is_(None), most=25)
_OPEN_GAMES: Final = _newest_games(_IN_CHANNEL, games.c.phase.in_(_OPEN_PHASES))
_BATTLES_OF: Final = _newest_games(_HAS_PARENT)
_CLAIMED: Final = _newest_games(games.c.phase == "resolving", most=100)
_CLAIMED_ELSEWHERE: Final = _CLAIMED.where(
    or_(is_claim_released(), games.c.claimed_at <= bindparam("before", type_=BigInteger))
)


@cache
def _games_of_user(*, limited: bool) -> Select[Any]:
    """`GameQueries.of_user`, built once with and without a limit."""
    sits = select(seats.c.game_id).where(seats.c.user_id == bindparam("user"))
    query = _newest_games(games.c.phase.in_(bindparam("phases", expanding=True)), games.c.id.in_(sits))
    return query.limit(bindparam("most", type_=Integer)) if limited else query


@cache
def _unfinished_battles() -> Select[Any]:
    """`GameQueries.battles_in_hand`, built once."""
    asked = select(requests.c.id).where(
        requests.c.game_id == games.c.parent_id,
        requests.c.id == games.c.parent_request,
        requests.c.status == "open",
    )
    in_hand = or_(games.c.phase == "lobby", games.c.phase == "over")
    return _newest_games(games.c.parent_id.is_not(None), in_hand, asked.exists())


class GameQueries(QueryGroup):
    """Queries and changes of games."""

    async def add(self, opening: NewGameRow) -> int:
        """Store a new game; returns its number."""
        columns = {name: getattr(opening, name) for name in NewGameRow.__struct_fields__}
        columns |= {"setup": to_column(opening.setup), "pace": to_column(opening.pace), "system": opening.setup.system}
        result = await self._connection.execute(insert_row(games), columns)
        key = result.inserted_primary_key
        assert key is not None  # noqa: S101 - every database here gives it
        return int(key[0])

    async def find_for_update(self, game_id: int) -> Game | None:
        """The game with this number; None if there is none. Who writes about it holds it from now on."""
        await self.lock_game(game_id)
        return await self.find_without_lock(game_id)

    async def find_without_lock(self, game_id: int) -> Game | None:
        """The game with this number, of which nothing is written; None if there is none."""
        row = (await self._connection.execute(select_rows(games, "id"), match_values(id=game_id))).first()
        return game_from_row(row) if row else None

    async def with_players(self, game_id: int) -> tuple[Game, list[SeatRow], dict[int, Player]] | None:
        """A game, its seats in order, and by user id its host and all who sit there or have a seat reserved.

        Who writes about it holds it from now on.
        """
        await self.lock_game(game_id)
        found = await self._connection.execute(_with_players(), {"game": game_id})
        rows = [[*split_row(row, games, seats, players)] for row in found]
        if not rows:
            return None
        manned = {seat["seat"]: seat for _, seat, _ in rows if seat["seat"] is not None}
        known = {player["user_id"]: player for _, _, player in rows if player["user_id"] is not None}
        return (
            game_from_row(rows[0][0]),
            [record_from_row(seat, SeatRow) for seat in manned.values()],
            {user_id: player_from_row(player) for user_id, player in known.items()},
        )

    async def by_thread(self, place_id: int) -> Game | None:
        """The game whose thread this is; None if it is no game's."""
        row = (
            await self._connection.execute(select_rows(games, "thread_id"), match_values(thread_id=place_id))
        ).first()
        return game_from_row(row) if row else None

    async def by_seed(self, seed: str) -> Game | None:
        """The game that was played with these dice; None if none was."""
        row = (await self._connection.execute(select(games).where(games.c.seed == seed))).first()
        return game_from_row(row) if row else None

    async def lobbies_in(self, channel_id: int) -> list[Game]:
        """Games of a channel that have not begun and are no battles, newest first."""
        return await self._fetch_games(_LOBBIES, channel=channel_id)

    async def open_in(self, channel_id: int) -> list[Game]:
        """Games of a channel that are not over, newest first."""
        return await self._fetch_games(_OPEN_GAMES, channel=channel_id)

    async def open_on(self, guild_id: int) -> list[Game]:
        """Games of a server that are not over, newest first."""
        return await self.select_games(games.c.guild_id == guild_id, games.c.phase.in_(_OPEN_PHASES), most=None)

    async def paused_on_server(self, guild_id: int) -> list[Game]:
        """Games of a server in which no time passes, newest first."""
        paused = games.c.paused_at.is_not(None)
        return await self.select_games(games.c.guild_id == guild_id, games.c.phase == "running", paused, most=None)

    async def open_systems(self) -> list[str]:
        """The game that is played, for each that is not over. Every such game is looked at."""
        return list(
            (await self._connection.execute(select(games.c.system).where(games.c.phase.in_(_OPEN_PHASES)))).scalars()
        )

    async def running_of_systems(self, systems: Collection[str]) -> list[Game]:
        """Running games of these kinds, newest first."""
        return await self.select_games(games.c.phase == "running", games.c.system.in_(systems), most=None)

    async def paused_except(self, systems: Collection[str]) -> list[Game]:
        """Games in which no time passes, of all kinds but these, newest first. Every running game is looked at."""
        paused = and_(games.c.phase == "running", games.c.paused_at.is_not(None))
        return await self.select_games(paused, games.c.system.not_in(systems), most=None)

    async def servers_with_open_games(self) -> set[int]:
        """Servers with games that are not over, as far as they are ours. Every such game is looked at."""
        query = select(games.c.guild_id).where(games.c.phase.in_(_OPEN_PHASES)).distinct()
        found = set((await self._connection.execute(query)).scalars())
        return found if self._share is None else {guild_id for guild_id in found if self._share.has_server(guild_id)}

    async def threads_of_finished(self, guild_id: int) -> list[int]:
        """Threads of a server's games that are over, those that ended first first."""
        over = and_(games.c.guild_id == guild_id, games.c.phase == "over", games.c.thread_id.is_not(None))
        query = select(games.c.thread_id).where(over).order_by(games.c.ended_at).limit(1000)
        return list((await self._connection.execute(query)).scalars())

    async def games_in_progress(self) -> list[Game]:
        """Games that have begun and are not over, oldest first, of all shards. Every such game is looked at."""
        query = select(games).where(games.c.phase.in_(("running", "resolving"))).order_by(games.c.id)
        return [game_from_row(row) for row in await self._connection.execute(query)]

    async def select_games(self, *conditions: ColumnElement[bool], most: int | None = 100) -> list[Game]:
        """Games that meet conditions on the `games` table, newest first."""
        return await self._fetch_games(_newest_games(*conditions, most=most))

    async def _fetch_games(self, query: Select[Any], **given: Any) -> list[Game]:  # noqa: ANN401 - of any column
        return [game_from_row(row) for row in await self._connection.execute(query, given)]

    async def of_user(
        self, user_id: int, *, phases: Iterable[str] = ("lobby", "running", "resolving"), most: int | None = None
    ) -> list[Game]:
        """Games in which somebody sits, newest first; no more than `most`."""
        limit = {} if most is None else {"most": most}
        return await self._fetch_games(
            _games_of_user(limited=most is not None), user=user_id, phases=[*phases], **limit
        )

    async def hosted_by_user(
        self, user_id: int, *, phases: Iterable[str] = _OPEN_PHASES, most: int | None = None
    ) -> list[Game]:
        """Games that somebody hosts, wherever they sit, newest first; no more than `most`. Battles are nobody's own."""
        own = and_(games.c.host_id == user_id, games.c.parent_id.is_(None))
        return await self.select_games(own, games.c.phase.in_([*phases]), most=most)

    async def involves_user(self, game_id: int, user_id: int) -> bool:
        """Whether somebody sits in a game or has sat in it, or a seat is kept for them."""
        his = or_(seats.c.user_id == user_id, seats.c.kept_for == user_id)
        sits = select(seats.c.seat).where(seats.c.game_id == game_id, his)
        sat = select(captains.c.seat).where(captains.c.game_id == game_id, captains.c.user_id == user_id)
        return (await self._connection.execute(sits.union_all(sat).limit(1))).first() is not None

    async def with_offered_seats(self, guild_id: int) -> list[Game]:
        """Running games of a server in which a seat is offered, newest first."""
        own = select(seats.c.seat).where(seats.c.game_id == games.c.id, ~seats.c.conceded)
        offered = own.where(seats.c.offered_at.is_not(None)).exists()
        running = games.c.phase.in_(["running", "resolving"])
        return await self.select_games(games.c.guild_id == guild_id, running, offered)

    async def change(self, game_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `games`
        """Set columns of a game."""
        if isinstance(setup := columns.get("setup"), Setup):
            columns["setup"] = to_column(setup)
        if isinstance(pace := columns.get("pace"), Pace):
            columns["pace"] = to_column(pace)
        await self._connection.execute(update_rows(games, "id"), match_values(id=game_id) | columns)

    async def delete(self, game_id: int) -> None:
        """Delete a game with all that is stored of it; its battles must be gone."""
        await self.lock_game(game_id)
        await self._connection.execute(delete(games).where(games.c.id == game_id))

    async def all_ids(self) -> list[int]:
        """Return the numbers of all games."""
        return [*(await self._connection.execute(select(games.c.id).order_by(games.c.id))).scalars()]

    async def ids_on_server(self, guild_id: int) -> list[int]:
        """Return the numbers of all games of a server that are no battles, also of those that are over."""
        own = select(games.c.id).where(games.c.guild_id == guild_id, games.c.parent_id.is_(None))
        return [*(await self._connection.execute(own.order_by(games.c.id))).scalars()]

    async def count_by_server(self) -> dict[int, dict[str, int]]:
        """Return how many games, without battles, there are in each phase, by server."""
        query = select(games.c.guild_id, games.c.phase, func.count().label("number")).where(games.c.parent_id.is_(None))
        found: dict[int, dict[str, int]] = {}
        for row in await self._connection.execute(query.group_by(games.c.guild_id, games.c.phase)):
            found.setdefault(row.guild_id, {})[row.phase] = row.number
        return found

    async def running_after(self, game_id: int, *, most: int) -> list[Game]:
        """Return running games with higher numbers that are no battles, the lowest numbers first."""
        running = and_(games.c.id > game_id, games.c.phase.in_(("running", "resolving")), games.c.parent_id.is_(None))
        return await self._fetch_games(select(games).where(running).order_by(games.c.id).limit(most))

    async def claim(self, game: Game, *, now: int) -> Game | None:
        """Take a running game for resolving, by compare-and-set; None if somebody else was first."""
        taken: dict[str, Any] = {"phase": "resolving", "version": game.version + 1, "claimed_at": now}
        by_us = {"claimed_by": self._share.bot_name} if self._share else {}
        same = match_values(id=game.id, version=game.version, phase=game.phase)
        result = await self._connection.execute(update_rows(games, "id", "version", "phase"), same | taken | by_us)
        return msgspec.structs.replace(game, **taken) if result.rowcount == 1 else None

    async def break_claim(self, game: Game) -> bool:
        """Let a game go on whose claim nobody will end, unless it goes on by now; whether it was still claimed so."""
        free = {"phase": "running", "version": game.version + 1, "claimed_at": None}
        same = match_values(id=game.id, version=game.version, phase="resolving")
        result = await self._connection.execute(update_rows(games, "id", "version", "phase"), same | free)
        return result.rowcount == 1

    async def battles_of(self, parent_id: int) -> list[Game]:
        """Battles that were opened for a game, newest first. Who writes about it holds them from now on."""
        found = await self._fetch_games(_BATTLES_OF, parent=parent_id)
        held = [await self.lock_game(battle.id) for battle in reversed(found)]
        return await self._fetch_games(_BATTLES_OF, parent=parent_id) if any(held) else found

    async def unfinished_battles(self) -> list[Game]:
        """Battles that have not begun, and those that are over though what they answer is still open."""
        return await self._fetch_own_games(_unfinished_battles())

    async def overdue_hosts(self, now: int, fresh: Collection[int] | None = None) -> dict[int, int]:
        """Hosts of running games whose time is up, by game; not of those that wait for a battle to end.

        If shards that are `fresh` are given, of games there alone.
        """
        if fresh is not None and not fresh:
            return {}
        query = select(games.c.id, games.c.host_id).where(games.c.phase == "running", games.c.deadline <= now)
        return await self._fetch_hosts(query.where(games.c.paused_at.is_(None), ~is_awaiting_battle()), fresh)

    async def claimed_before(self, *, before: int) -> list[Game]:
        """Games that are being resolved, or were by a process that has died.

        Where several bots play: those of our shards, but for what another bot that lives has claimed since `before`
        (Unix seconds). What it has claimed earlier it looks at no more if it has lost the shard meanwhile.
        """
        if self._share is None:
            return await self._fetch_games(_CLAIMED)
        return await self._fetch_own_games(_CLAIMED_ELSEWHERE, by_bot=self._share.bot_name, before=before)

    async def _fetch_own_games(self, query: Select[Any], **given: Any) -> list[Game]:  # noqa: ANN401 - of any column
        if self._share is None:
            return await self._fetch_games(query, **given)
        return await self._fetch_games(query.where(is_in_own_shard()), **given, **own_shard_params(self._share))

    async def ready_hosts(self, now: int) -> dict[int, int]:
        """Hosts, by game, of running games whose time is up, that wait for nobody, or that were offered something.

        Some may still have to wait: the step looks again. Every running game is looked at.
        """
        own = requests.c.game_id == games.c.id
        awaited = select(requests.c.id).where(own, requests.c.status == "open", ~requests.c.optional).exists()
        offered = select(requests.c.id).where(own, requests.c.status == "sealed", requests.c.optional).exists()
        hasty = or_(requests.c.body.contains('"live":true'), requests.c.body.contains('"sealed":false'))
        at_once = select(requests.c.id).where(own, requests.c.status == "sealed", hasty).exists()
        goes_on = and_(~awaited, or_(games.c.early, games.c.deadline.is_(None), at_once))
        query = select(games.c.id, games.c.host_id).where(games.c.phase == "running", games.c.paused_at.is_(None))
        return await self._fetch_hosts(query.where(or_(games.c.deadline <= now, goes_on, offered)))

    async def _fetch_hosts(
        self, query: Select[tuple[int, int]], among: Collection[int] | None = None
    ) -> dict[int, int]:
        """Of our games alone, where several bots play, and `among` certain shards of ours."""
        ours: dict[str, Any] = {}
        if self._share is not None:
            query, ours = query.where(is_in_own_shard()), own_shard_params(self._share, among)
        return {row.id: row.host_id for row in await self._connection.execute(query, ours)}

    async def count_open(self, guild_id: int) -> int:
        """How many games of a server have not ended."""
        running = games.c.phase.in_(["lobby", "running", "resolving"])
        query = select(func.count()).select_from(games).where(games.c.guild_id == guild_id, running)
        return int((await self._connection.execute(query)).scalar_one())

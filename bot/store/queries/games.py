"""Query and change games."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Exists,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    update,
)

from bot.store.engine.built import insert_row, match_values, select_rows, update_rows
from bot.store.engine.leases import is_claim_released, is_in_own_shard, own_shard_params
from bot.store.models.pace import Pace
from bot.store.models.records import OWN_GIVERS, Game, Player, SeatRow
from bot.store.models.tables import acts, answers, captains, games, players, requests, seats, servers, steps
from bot.store.queries.base import QueryGroup, game_from_row, player_from_row, record_from_row, split_row, to_column
from rules.chance import fairness
from rules.core.protocol import Setup

_OPEN_PHASES: Final = ("lobby", "running", "resolving")


class NewGameRow(Struct, frozen=True, kw_only=True):
    setup: Setup  # options, teams and keepsakes
    pace: Pace  # rule for the length of a phase
    name: str  # "" if the host gave none
    locale: str  # language of its thread
    guild_id: int  # 0: imported for all servers
    channel_id: int  # channel of the lobby's message
    host_id: int  # the user who opens it
    seed: str  # secret seed of the dice (hex)
    created_at: int  # Unix seconds
    early: bool = True  # whether a phase ends as soon as all captains have sealed
    extensions: int = 2  # how often each side may extend a phase without asking the others
    private: bool = False  # whether only invited users may join
    rated: bool = True  # whether the host wants it rated
    parent_id: int | None = None  # the game whose battle this is; None: no battle
    parent_request: str | None = None  # id of the request that the result of the battle answers
    second_seed: str | None = None  # secret seed of the second game, were this a match (hex); None: no lobby
    is_match: bool = False  # whether it is the first game of a match
    first_game_id: int | None = None  # the first game of the match whose second game this is
    phase: Literal["lobby", "over"] = "lobby"  # "over": imported from a file
    scheme: fairness.HashScheme = fairness.NEWEST_SCHEME  # how seals and dice are computed from the seed
    step_no: int = -1  # number of the last step; -1: not begun
    ended_at: int | None = None  # Unix seconds; None: not over
    digest: str | None = None  # published hash of an imported record; None: none

    @classmethod
    def copy_of(cls, game: Game, *, setup: Setup, seed: str, created_at: int, **other: Any) -> NewGameRow:  # noqa: ANN401 - its own fields
        """Return a new game with the place, pace and privacy of `game`, and the other fields from the arguments."""
        shared = ("pace", "name", "locale", "guild_id", "channel_id", "host_id", "early", "extensions", "private")
        copied = {name: getattr(game, name) for name in shared}
        return cls(**{**copied, "setup": setup, "seed": seed, "created_at": created_at, **other})


@cache
def _with_players() -> Select[Any]:
    is_involved = players.c.user_id.in_([seats.c.user_id, seats.c.kept_for, games.c.host_id])
    tables = games.outerjoin(seats, seats.c.game_id == games.c.id).outerjoin(players, is_involved)
    query = select(games, seats, players).select_from(tables).where(games.c.id == bindparam("game"))
    return query.order_by(seats.c.seat)


def is_awaiting_battle() -> Exists:
    """Return a condition on `games`: the game waits for a battle. It does not go on before, even after its deadline."""
    open_requests = select(requests.c.id).where(requests.c.game_id == games.c.id, requests.c.status == "open")
    return open_requests.where(requests.c.awaits_battle).exists()


def _newest_games(*conditions: ColumnElement[bool], most: int | None = None) -> Select[Any]:
    return select(games).where(*conditions).order_by(games.c.id.desc()).limit(most)


_IN_CHANNEL: Final = games.c.channel_id == bindparam("channel")
_LOBBIES: Final = _newest_games(
    _IN_CHANNEL, games.c.phase == "lobby", games.c.parent_id.is_(None), games.c.first_game_id.is_(None), most=25
)
_OPEN_GAMES: Final = _newest_games(_IN_CHANNEL, games.c.phase.in_(_OPEN_PHASES))
_BATTLES_OF: Final = _newest_games(games.c.parent_id == bindparam("parent"))
_CLAIMED: Final = _newest_games(games.c.phase == "resolving", most=100)
_CLAIMED_ELSEWHERE: Final = _CLAIMED.where(
    or_(is_claim_released(), games.c.claimed_at <= bindparam("before", type_=BigInteger))
)


@cache
def _games_of_user(*, limited: bool) -> Select[Any]:
    seated_games = select(seats.c.game_id).where(seats.c.user_id == bindparam("user"))
    query = _newest_games(games.c.phase.in_(bindparam("phases", expanding=True)), games.c.id.in_(seated_games))
    return query.limit(bindparam("most", type_=Integer)) if limited else query


@cache
def _unfinished_battles() -> Select[Any]:
    open_requests = select(requests.c.id).where(
        requests.c.game_id == games.c.parent_id,
        requests.c.id == games.c.parent_request,
        requests.c.status == "open",
    )
    is_lobby_or_over = or_(games.c.phase == "lobby", games.c.phase == "over")
    return _newest_games(games.c.parent_id.is_not(None), is_lobby_or_over, open_requests.exists())


class Terms(Struct, frozen=True, kw_only=True):
    """Seconds after which what nobody ends ends by itself."""

    lobby_s: int  # after the last change of a lobby
    idle_s: int  # after the last act of a person in a running game
    pause_s: int  # after the beginning of a pause


def _has_term() -> ColumnElement[bool]:
    return and_(games.c.phase.in_(("lobby", "running")), games.c.idle_since.is_not(None))


def _term_ends_at(terms: Terms) -> ColumnElement[int]:
    """Return when a game's term is over at the earliest. A battle has one only while it is paused."""
    term_s = case(
        (games.c.phase == "lobby", terms.lobby_s), (games.c.paused_at.is_not(None), terms.pause_s), else_=terms.idle_s
    )
    return games.c.idle_since + term_s


class GameQueries(QueryGroup):
    async def add(self, opening: NewGameRow) -> int:
        columns = {name: getattr(opening, name) for name in NewGameRow.__struct_fields__}
        is_lobby = opening.phase == "lobby" and opening.parent_id is None and opening.first_game_id is None
        columns |= {"idle_since": opening.created_at if is_lobby else None}
        columns |= {"setup": to_column(opening.setup), "pace": to_column(opening.pace), "system": opening.setup.system}
        result = await self._connection.execute(insert_row(games), columns)
        key = result.inserted_primary_key
        assert key is not None  # noqa: S101 - every database here gives it
        return int(key[0])

    async def find_for_update(self, game_id: int) -> Game | None:
        """Lock a game for writing and return it; None if there is none."""
        await self.lock_game(game_id)
        return await self.find_without_lock(game_id)

    async def find_without_lock(self, game_id: int) -> Game | None:
        row = (await self._connection.execute(select_rows(games, "id"), match_values(id=game_id))).first()
        return game_from_row(row) if row else None

    async def with_players(self, game_id: int) -> tuple[Game, list[SeatRow], dict[int, Player]] | None:
        """Lock a game and return it with its seats in order and its players by user id.

        Players are the host, the captains and users with a reserved seat. Returns None if there is no such game.
        """
        await self.lock_game(game_id)
        result = await self._connection.execute(_with_players(), {"game": game_id})
        rows = [[*split_row(row, games, seats, players)] for row in result]
        if not rows:
            return None
        seats_by_no = {seat["seat"]: seat for _, seat, _ in rows if seat["seat"] is not None}
        players_by_id = {player["user_id"]: player for _, _, player in rows if player["user_id"] is not None}
        return (
            game_from_row(rows[0][0]),
            [record_from_row(seat, SeatRow) for seat in seats_by_no.values()],
            {user_id: player_from_row(player) for user_id, player in players_by_id.items()},
        )

    async def by_thread(self, thread_id: int) -> Game | None:
        row = (
            await self._connection.execute(select_rows(games, "thread_id"), match_values(thread_id=thread_id))
        ).first()
        return game_from_row(row) if row else None

    async def by_seed(self, seed: str) -> Game | None:
        row = (await self._connection.execute(select(games).where(games.c.seed == seed))).first()
        return game_from_row(row) if row else None

    async def lobbies_in(self, channel_id: int) -> list[Game]:
        return await self._fetch_games(_LOBBIES, channel=channel_id)

    async def open_in(self, channel_id: int) -> list[Game]:
        return await self._fetch_games(_OPEN_GAMES, channel=channel_id)

    async def open_on(self, guild_id: int) -> list[Game]:
        return await self.select_games(games.c.guild_id == guild_id, games.c.phase.in_(_OPEN_PHASES), most=None)

    async def paused_on_server(self, guild_id: int) -> list[Game]:
        paused = games.c.paused_at.is_not(None)
        return await self.select_games(games.c.guild_id == guild_id, games.c.phase == "running", paused, most=None)

    async def open_systems(self) -> list[str]:
        return list(
            (await self._connection.execute(select(games.c.system).where(games.c.phase.in_(_OPEN_PHASES)))).scalars()
        )

    async def open_ids(self) -> list[int]:
        return [*(await self._connection.execute(select(games.c.id).where(games.c.phase.in_(_OPEN_PHASES)))).scalars()]

    async def running_of_systems(self, systems: Collection[str]) -> list[Game]:
        return await self.select_games(games.c.phase == "running", games.c.system.in_(systems), most=None)

    async def paused_except(self, systems: Collection[str]) -> list[Game]:
        paused = and_(games.c.phase == "running", games.c.paused_at.is_not(None))
        return await self.select_games(paused, games.c.system.not_in(systems), most=None)

    async def servers_with_open_games(self) -> set[int]:
        """Return servers with games that are not over, limited to this bot's shards. Scans all such games."""
        query = select(games.c.guild_id).where(games.c.phase.in_(_OPEN_PHASES)).distinct()
        guild_ids = set((await self._connection.execute(query)).scalars())
        if self._share is None:
            return guild_ids
        return {guild_id for guild_id in guild_ids if self._share.has_server(guild_id)}

    async def threads_of_finished(self, guild_id: int) -> list[int]:
        has_ended_in_thread = and_(
            games.c.guild_id == guild_id, games.c.phase == "over", games.c.thread_id.is_not(None)
        )
        query = select(games.c.thread_id).where(has_ended_in_thread).order_by(games.c.ended_at).limit(1000)
        return list((await self._connection.execute(query)).scalars())

    async def games_in_progress(self) -> list[Game]:
        """Return games that have begun and are not over, oldest first, of all shards. Scans all such games."""
        query = select(games).where(games.c.phase.in_(("running", "resolving"))).order_by(games.c.id)
        return [game_from_row(row) for row in await self._connection.execute(query)]

    async def select_games(self, *conditions: ColumnElement[bool], most: int | None = 100) -> list[Game]:
        return await self._fetch_games(_newest_games(*conditions, most=most))

    async def _fetch_games(self, query: Select[Any], **params: Any) -> list[Game]:  # noqa: ANN401 - of any column
        return [game_from_row(row) for row in await self._connection.execute(query, params)]

    async def of_user(
        self, user_id: int, *, phases: Iterable[str] = ("lobby", "running", "resolving"), most: int | None = None
    ) -> list[Game]:
        limit = {} if most is None else {"most": most}
        return await self._fetch_games(
            _games_of_user(limited=most is not None), user=user_id, phases=[*phases], **limit
        )

    async def hosted_by_user(self, user_id: int, *, phases: Iterable[str] = _OPEN_PHASES) -> list[Game]:
        is_hosted = and_(games.c.host_id == user_id, games.c.parent_id.is_(None))
        return await self.select_games(is_hosted, games.c.phase.in_([*phases]), most=None)

    async def openings_on_server(self, guild_id: int, *, since: int) -> list[int]:
        """Return when a server's games were opened after `since`, oldest first.

        Battles and second games of matches do not count.
        """
        was_opened = and_(games.c.created_at > since, games.c.parent_id.is_(None), games.c.first_game_id.is_(None))
        query = select(games.c.created_at).where(was_opened, games.c.guild_id == guild_id).order_by(games.c.created_at)
        return [*(await self._connection.execute(query)).scalars()]

    async def with_pages(self, guild_id: int | None, *, everywhere: bool) -> list[int]:
        """Return ids of games that have or had a page, and of running ones that may get one; None: of all servers.

        With `everywhere`, they may unless their server has turned pages off.
        """
        settings = select(servers.c.guild_id).where(servers.c.guild_id == games.c.guild_id)
        has_pages = (
            ~settings.where(~servers.c.pages).exists() if everywhere else settings.where(servers.c.pages).exists()
        )
        may_get_page = and_(games.c.phase.in_(("running", "resolving")), has_pages)
        has_had_page = or_(games.c.page_key.is_not(None), games.c.page_step.is_not(None))
        query = select(games.c.id).where(or_(has_had_page, may_get_page)).order_by(games.c.id)
        if guild_id is not None:
            query = query.where(games.c.guild_id == guild_id)
        return [*(await self._connection.execute(query)).scalars()]

    async def related_pages(self, game: Game) -> list[Game]:
        """Return the games with pages that a game is a battle of, its battles, and the other game of its match."""
        is_parent = games.c.id == (game.parent_id or 0)
        is_first = games.c.id == (game.first_game_id or 0)
        is_related = or_(is_parent, is_first, games.c.parent_id == game.id, games.c.first_game_id == game.id)
        query = select(games).where(is_related, games.c.page_key.is_not(None)).order_by(games.c.id)
        related = [game_from_row(row) for row in await self._connection.execute(query)]
        return [other for other in related if other.shown_page_key]

    async def shown_on_pages(self, guild_id: int) -> list[Game]:
        """Return a server's games whose pages show a step, newest first."""
        is_shown = and_(games.c.page_key.is_not(None), games.c.page_step >= 0)
        query = select(games).where(games.c.guild_id == guild_id, is_shown).order_by(games.c.id.desc())
        return [game_from_row(row) for row in await self._connection.execute(query)]

    async def users_on_pages(self, guild_id: int) -> dict[tuple[int, int], int]:
        """Return the users of a server's games with pages, by game and seat."""
        query = select(seats.c.game_id, seats.c.seat, seats.c.user_id).join(games, games.c.id == seats.c.game_id)
        query = query.where(games.c.guild_id == guild_id, games.c.page_key.is_not(None), seats.c.user_id.is_not(None))
        return {(row.game_id, row.seat): row.user_id for row in await self._connection.execute(query)}

    async def by_page_key(self, key: str) -> Game | None:
        row = (await self._connection.execute(select(games).where(games.c.page_key == key))).first()
        return game_from_row(row) if row else None

    async def with_page_keys(self, guild_id: int | None = None, channel_id: int | None = None) -> list[Game]:
        """Return the games with pages, of one server or channel or (None) of all."""
        query = select(games).where(games.c.page_key.is_not(None)).order_by(games.c.id)
        if guild_id is not None:
            query = query.where(games.c.guild_id == guild_id)
        if channel_id is not None:
            query = query.where(games.c.channel_id == channel_id)
        return [game_from_row(row) for row in await self._connection.execute(query)]

    async def page_keys(self) -> list[str]:
        query = select(games.c.page_key).where(games.c.page_key.is_not(None))
        return [*(await self._connection.execute(query)).scalars()]

    async def involves_user(self, game_id: int, user_id: int) -> bool:
        is_own_seat = or_(seats.c.user_id == user_id, seats.c.kept_for == user_id)
        present_seats = select(seats.c.seat).where(seats.c.game_id == game_id, is_own_seat)
        former_seats = select(captains.c.seat).where(captains.c.game_id == game_id, captains.c.user_id == user_id)
        return (await self._connection.execute(present_seats.union_all(former_seats).limit(1))).first() is not None

    async def with_offered_seats(self, guild_id: int) -> list[Game]:
        playable_seats = select(seats.c.seat).where(seats.c.game_id == games.c.id, ~seats.c.conceded)
        has_offered_seat = playable_seats.where(seats.c.offered_at.is_not(None)).exists()
        is_running = games.c.phase.in_(["running", "resolving"])
        return await self.select_games(games.c.guild_id == guild_id, is_running, has_offered_seat)

    async def change(self, game_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `games`
        await self.lock_game(game_id)
        if isinstance(setup := columns.get("setup"), Setup):
            columns["setup"] = to_column(setup)
        if isinstance(pace := columns.get("pace"), Pace):
            columns["pace"] = to_column(pace)
        await self._connection.execute(update_rows(games, "id"), match_values(id=game_id) | columns)

    async def delete(self, game_id: int) -> None:
        await self.lock_game(game_id)
        await self._connection.execute(delete(games).where(games.c.id == game_id))

    async def all_ids(self) -> list[int]:
        return [*(await self._connection.execute(select(games.c.id).order_by(games.c.id))).scalars()]

    async def ids_on_server(self, guild_id: int) -> list[int]:
        query = select(games.c.id).where(games.c.guild_id == guild_id, games.c.parent_id.is_(None))
        return [*(await self._connection.execute(query.order_by(games.c.id))).scalars()]

    async def count_by_server(self) -> dict[int, dict[str, int]]:
        query = select(games.c.guild_id, games.c.phase, func.count().label("number")).where(games.c.parent_id.is_(None))
        counts: dict[int, dict[str, int]] = {}
        for row in await self._connection.execute(query.group_by(games.c.guild_id, games.c.phase)):
            counts.setdefault(row.guild_id, {})[row.phase] = row.number
        return counts

    async def running_after(self, game_id: int, *, most: int) -> list[Game]:
        is_running = and_(
            games.c.id > game_id, games.c.phase.in_(("running", "resolving")), games.c.parent_id.is_(None)
        )
        return await self._fetch_games(select(games).where(is_running).order_by(games.c.id).limit(most))

    async def claim(self, game: Game, *, now: int) -> Game | None:
        """Claim a running game for resolving by compare-and-set on its version.

        Returns None if another process was first.
        """
        changes: dict[str, Any] = {"phase": "resolving", "version": game.version + 1, "claimed_at": now}
        await self.lock_game(game.id)
        claimant = {"claimed_by": self._share.bot_name} if self._share else {}
        expected = match_values(id=game.id, version=game.version, phase=game.phase)
        result = await self._connection.execute(
            update_rows(games, "id", "version", "phase"), expected | changes | claimant
        )
        return msgspec.structs.replace(game, **changes) if result.rowcount == 1 else None

    async def break_claim(self, game: Game) -> bool:
        """Release a claim that its holder will not release. Returns False if the game has changed since it was read."""
        changes = {"phase": "running", "version": game.version + 1, "claimed_at": None}
        await self.lock_game(game.id)
        expected = match_values(id=game.id, version=game.version, phase="resolving")
        result = await self._connection.execute(update_rows(games, "id", "version", "phase"), expected | changes)
        return result.rowcount == 1

    async def battles_of(self, parent_id: int) -> list[Game]:
        """Lock a game's family and return its battles, newest first."""
        await self.lock_game(parent_id)
        return await self._fetch_games(_BATTLES_OF, parent=parent_id)

    async def second_game_of(self, first_game_id: int) -> Game | None:
        """Return the second game of the match whose first game this is, or None."""
        return next(iter(await self.select_games(games.c.first_game_id == first_game_id)), None)

    async def second_games_not_begun(self) -> list[Game]:
        return await self._fetch_own_games(_newest_games(games.c.first_game_id.is_not(None), games.c.phase == "lobby"))

    async def unfinished_battles(self) -> list[Game]:
        """Return battles that have not begun, and finished ones whose parent's request is still open."""
        return await self._fetch_own_games(_unfinished_battles())

    async def overdue_hosts(self, now: int, fresh: Collection[int] | None = None) -> dict[int, int]:
        """Return the hosts of running games past their deadline, by game id. Games that wait for a battle are left out.

        If `fresh` is not None, only games of these shards are returned.
        """
        if fresh is not None and not fresh:
            return {}
        query = select(games.c.id, games.c.host_id).where(games.c.phase == "running", games.c.deadline <= now)
        return await self._fetch_hosts(query.where(games.c.paused_at.is_(None), ~is_awaiting_battle()), fresh)

    async def claimed_before(self, *, before: int) -> list[Game]:
        """Return games that are claimed for resolving, possibly by a process that has died.

        If several bots share the database, only games of this bot's shards are returned, and only if the claim is its
        own, a dead bot's or from `before` (Unix seconds) or earlier.
        """
        if self._share is None:
            return await self._fetch_games(_CLAIMED)
        return await self._fetch_own_games(_CLAIMED_ELSEWHERE, by_bot=self._share.bot_name, before=before)

    async def _fetch_own_games(self, query: Select[Any], **params: Any) -> list[Game]:  # noqa: ANN401 - of any column
        if self._share is None:
            return await self._fetch_games(query, **params)
        return await self._fetch_games(query.where(is_in_own_shard()), **params, **own_shard_params(self._share))

    async def ready_hosts(self, now: int) -> dict[int, int]:
        """Return the hosts, by game id, of running games that may go on or need attention. Scans all running games.

        These are past their deadline, wait for no answer, or have a sealed optional answer. The step checks again
        whether the game can go on.
        """
        of_game = requests.c.game_id == games.c.id
        waits_for_answer = (
            select(requests.c.id).where(of_game, requests.c.status == "open", ~requests.c.optional).exists()
        )
        has_sealed_offer = (
            select(requests.c.id).where(of_game, requests.c.status == "sealed", requests.c.optional).exists()
        )
        # A body is JSON of a `Request`.
        takes_effect_at_once = or_(requests.c.body.contains('"live":true'), requests.c.body.contains('"sealed":false'))
        has_sealed_at_once = (
            select(requests.c.id).where(of_game, requests.c.status == "sealed", takes_effect_at_once).exists()
        )
        may_go_on = and_(~waits_for_answer, or_(games.c.early, games.c.deadline.is_(None), has_sealed_at_once))
        query = select(games.c.id, games.c.host_id).where(games.c.phase == "running", games.c.paused_at.is_(None))
        return await self._fetch_hosts(query.where(or_(games.c.deadline <= now, may_go_on, has_sealed_offer)))

    async def _fetch_hosts(
        self, query: Select[tuple[int, int]], shards: Collection[int] | None = None
    ) -> dict[int, int]:
        """Return hosts by game id, limited to this bot's shards and, if `shards` is not None, to these of them."""
        params: dict[str, Any] = {}
        if self._share is not None:
            query = query.where(is_in_own_shard())
            params = own_shard_params(self._share, shards)
        return {row.id: row.host_id for row in await self._connection.execute(query, params)}

    async def count_open(self, guild_id: int, systems: Collection[str]) -> int:
        """Return how many games of these systems are open on a server, without battles of other games."""
        is_open = and_(games.c.phase.in_(_OPEN_PHASES), games.c.parent_id.is_(None), games.c.system.in_([*systems]))
        query = select(func.count()).select_from(games).where(games.c.guild_id == guild_id, is_open)
        return int((await self._connection.execute(query)).scalar_one())

    # --- terms: see `bot.lifecycle.process.terms` ----------------------------------------------------------------

    async def restart_term(self, game_id: int, *, now: int) -> None:
        """Let the term of a lobby count from now; do nothing for other games."""
        await self.lock_game(game_id)
        is_lobby = and_(games.c.id == game_id, games.c.phase == "lobby", games.c.idle_since.is_not(None))
        await self._connection.execute(update(games).where(is_lobby).values(idle_since=now))

    async def past_term(self, now: int, terms: Terms) -> list[int]:
        """Return games of this bot's shards whose term may be over, at most 100, those that wait longest first."""
        query = select(games).where(_has_term(), _term_ends_at(terms) <= now).order_by(games.c.idle_since).limit(100)
        return [game.id for game in await self._fetch_own_games(query)]

    async def next_term(self, now: int, terms: Terms) -> int | None:
        """Return when the next term that is not over ends at the earliest (Unix seconds); None if there is none."""
        query = select(func.min(_term_ends_at(terms))).where(_has_term(), _term_ends_at(terms) > now)
        params: dict[str, Any] = {}
        if self._share is not None:
            query, params = query.where(is_in_own_shard()), own_shard_params(self._share)
        return (await self._connection.execute(query, params)).scalar()

    async def last_act_at(self, game_ids: Collection[int], ends_of_pauses: Collection[str], *, public: bool) -> int:
        """Return when a person last acted in one of the games, or one began or was resumed (Unix seconds).

        If `public`, answers that others must not learn of do not count.
        """
        answered = select(func.max(answers.c.sealed_at)).where(
            answers.c.game_id.in_([*game_ids]), answers.c.given_by.in_([*OWN_GIVERS])
        )
        if public:
            is_optional = and_(requests.c.game_id == answers.c.game_id, requests.c.id == answers.c.request_id)
            answered = answered.where(~select(requests.c.id).where(is_optional, requests.c.optional).exists())
        is_act = or_(acts.c.user_id.is_not(None), acts.c.kind.in_([*ends_of_pauses]))
        logged = select(func.max(acts.c.at)).where(acts.c.game_id.in_([*game_ids]), is_act)
        is_own_step = ~steps.c.cause.contains('"RequestsAnswered"')
        stepped = select(func.max(steps.c.resolved_at)).where(steps.c.game_id.in_([*game_ids]), is_own_step)
        times = [(await self._connection.execute(query)).scalar() for query in (answered, logged, stepped)]
        return max(time or 0 for time in times)

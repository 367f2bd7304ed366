"""Players, their ratings, and servers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import Select, and_, case, func, insert, or_, select, tuple_, update

from bot.store.records import (
    Player,
    RatingRow,
    RequestRow,
    Score,
    ServerRow,
)
from bot.store.rows import Queries, player_of, record, request_of
from bot.store.tables import games, kept_facts, players, ratings, requests, seats, servers


class People(Queries):
    """Queries and changes of players, ratings and servers."""

    async def remembered(self, key: str) -> str | None:
        """What the bot itself keeps under a name."""
        kept: str | None = (
            await self._connection.execute(select(kept_facts.c.value).where(kept_facts.c.key == key))
        ).scalar()
        return kept

    async def remember(self, key: str, value: str) -> None:
        """Keep it from now on."""
        changed = await self._connection.execute(update(kept_facts).where(kept_facts.c.key == key).values(value=value))
        if changed.rowcount == 0:
            await self._connection.execute(insert(kept_facts).values(key=key, value=value))

    async def server(self, guild_id: int) -> ServerRow:
        """What a server's managers have settled; as every server begins if that is nothing."""
        row = (await self._connection.execute(select(servers).where(servers.c.guild_id == guild_id))).first()
        if row is None:
            return ServerRow(guild_id=guild_id)
        channels = msgspec.json.decode(row.channels, type=tuple[int, ...])
        return ServerRow(**{**row._mapping, "channels": channels})  # noqa: SLF001 - as above

    async def keep_server(self, server: ServerRow) -> None:
        """Store a server's settings."""
        columns = {**msgspec.structs.asdict(server), "channels": msgspec.json.encode(server.channels).decode()}
        known = servers.c.guild_id == server.guild_id
        changed = await self._connection.execute(update(servers).where(known).values(**columns))
        if changed.rowcount == 0:
            await self._connection.execute(insert(servers).values(**columns))

    async def open_games(self, guild_id: int) -> int:
        """How many games of a server have not ended."""
        running = games.c.phase.in_(["lobby", "running", "resolving"])
        query = select(func.count()).select_from(games).where(games.c.guild_id == guild_id, running)
        return int((await self._connection.execute(query)).scalar_one())

    # --- players -----------------------------------------------------------------------------------------------

    async def know(self, player: Player) -> None:
        """Remember a player's name and language."""
        values = {"name": player.name, "locale": player.locale}
        known = players.c.user_id == player.user_id
        result = await self._connection.execute(update(players).where(known).values(**values))
        if result.rowcount == 0:
            await self._connection.execute(insert(players).values(user_id=player.user_id, **values))

    async def players(self, user_ids: Iterable[int]) -> dict[int, Player]:
        """Players by user id; unknown ones are left out."""
        query = select(players).where(players.c.user_id.in_(list(user_ids)))
        rows = [player_of(row) for row in await self._connection.execute(query)]
        return {row.user_id: row for row in rows}

    async def change_player(self, user_id: int, **columns: Any) -> None:  # noqa: ANN401 - columns of `players`
        """Set columns of a player."""
        if isinstance(standing := columns.get("standing"), dict):
            columns["standing"] = msgspec.json.encode(standing).decode()
        await self._connection.execute(update(players).where(players.c.user_id == user_id).values(**columns))

    async def open_requests_of(self, user_id: int) -> list[RequestRow]:
        """Everything that somebody is asked just now in all his games."""
        query = (
            select(requests)
            .join(seats, and_(seats.c.game_id == requests.c.game_id, seats.c.seat == requests.c.seat))
            .where(seats.c.user_id == user_id, or_(requests.c.status == "open", requests.c.status == "sealed"))
            .order_by(requests.c.game_id, requests.c.id)
        )
        return [request_of(row) for row in await self._connection.execute(query)]

    # --- ratings -----------------------------------------------------------------------------------------------

    async def add_rating(self, row: RatingRow) -> None:
        """Store what a game has made of a player."""
        await self._connection.execute(insert(ratings).values(**msgspec.structs.asdict(row)))

    async def last_ratings(
        self, system: str, user_ids: Iterable[int], *, before: int | None = None
    ) -> dict[int, RatingRow]:
        """The newest ratings of players in a system, or those of before a time; newcomers are left out."""
        query = select(ratings).where(ratings.c.system == system, ratings.c.user_id.in_(list(user_ids)))
        query = query if before is None else query.where(ratings.c.rated_at < before)
        rows = await self._connection.execute(query.order_by(ratings.c.rated_at))
        return {row.user_id: record(row, RatingRow) for row in rows}

    async def ratings_in(self, game_id: int) -> list[RatingRow]:
        """What a game has made of its players, by seat."""
        query = select(ratings).where(ratings.c.game_id == game_id).order_by(ratings.c.seat)
        return [record(row, RatingRow) for row in await self._connection.execute(query)]

    async def ratings_of(self, user_id: int) -> list[RatingRow]:
        """What all finished games have made of a player, oldest first."""
        query = select(ratings).where(ratings.c.user_id == user_id).order_by(ratings.c.rated_at)
        return [record(row, RatingRow) for row in await self._connection.execute(query)]

    async def rated_together(self, system: str, user_ids: Iterable[int], *, since: int) -> list[dict[int, int]]:
        """Rated games of a system that ended since then and in which any of these played: the side of each of them."""
        mine = (ratings.c.system == system, ratings.c.user_id.in_(list(user_ids)), ratings.c.rated_at >= since)
        counted = select(ratings.c.game_id).where(*mine, ratings.c.counted)
        query = select(ratings.c.game_id, ratings.c.user_id, seats.c.team)
        query = query.join(seats, and_(seats.c.game_id == ratings.c.game_id, seats.c.seat == ratings.c.seat))
        found: dict[int, dict[int, int]] = {}
        for row in await self._connection.execute(query.where(*mine, ratings.c.game_id.in_(counted))):
            found.setdefault(row.game_id, {})[row.user_id] = row.team
        return list(found.values())

    async def servers_of(self, user_id: int, *, most: int = 5) -> list[int]:
        """Servers on which somebody has finished games, those of the newest games first."""
        query = select(games.c.guild_id).join(ratings, ratings.c.game_id == games.c.id)
        query = query.where(ratings.c.user_id == user_id, games.c.guild_id != 0).group_by(games.c.guild_id)
        query = query.order_by(func.max(ratings.c.rated_at).desc()).limit(most)
        return list((await self._connection.execute(query)).scalars())

    async def scores(self, *, guild_id: int | None = None, user_id: int | None = None) -> list[Score]:
        """Players who have finished rated games, by system; of a server those who have finished one there."""
        rated = select(ratings.c.system, ratings.c.user_id).join(games, games.c.id == ratings.c.game_id)
        rated = rated.where(ratings.c.counted)
        who = tuple_(ratings.c.system, ratings.c.user_id)
        ended = ("won", "lost", "drawn")
        sums = [func.sum(case((ratings.c.outcome == one, 1), else_=0)).label(one) for one in ended]
        query = rated.add_columns(func.max(ratings.c.rated_at).label("last"), *sums)
        if guild_id is not None:
            query = query.where(who.in_(rated.where(games.c.guild_id == guild_id)))
        if user_id is not None:
            query = query.where(ratings.c.user_id == user_id)
        total = query.group_by(ratings.c.system, ratings.c.user_id).subquery()
        newest = and_(
            ratings.c.system == total.c.system,
            ratings.c.user_id == total.c.user_id,
            ratings.c.rated_at == total.c.last,
        )
        columns: list[Any] = [total.c[key] for key in ("system", "user_id", *ended)]
        found: Select[Any] = select(*columns, ratings.c.mu, ratings.c.sigma, players.c.name)
        found = found.join(ratings, newest).join(players, players.c.user_id == total.c.user_id)
        return [record(row, Score) for row in await self._connection.execute(found)]

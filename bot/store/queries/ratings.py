"""Query and store players' ratings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import Select, and_, case, func, insert, or_, select, tuple_

from bot.store.models.records import RatingRow, RatingSummary
from bot.store.models.tables import captains, games, players, ratings, seats
from bot.store.queries.base import QueryGroup, record_from_row
from bot.store.queries.captains import has_played
from bot.store.queries.locks import lock_ratings


class RatingQueries(QueryGroup):
    async def lock_all(self) -> None:
        await lock_ratings(self._connection)

    async def add(self, row: RatingRow) -> None:
        await self._connection.execute(insert(ratings).values(**msgspec.structs.asdict(row)))

    async def last_of_users(
        self, system: str, user_ids: Iterable[int], *, before: int | None = None
    ) -> dict[int, RatingRow]:
        """Return players' newest ratings in a system, or the newest before a time. Players without one are left out."""
        query = select(ratings).where(ratings.c.system == system, ratings.c.user_id.in_(list(user_ids)))
        query = query if before is None else query.where(ratings.c.rated_at < before)
        rows = await self._connection.execute(query.order_by(ratings.c.rated_at))
        return {row.user_id: record_from_row(row, RatingRow) for row in rows}

    async def of_game(self, game_id: int) -> list[RatingRow]:
        query = select(ratings).where(ratings.c.game_id == game_id).order_by(ratings.c.seat)
        return [record_from_row(row, RatingRow) for row in await self._connection.execute(query)]

    async def of_user(self, user_id: int) -> list[RatingRow]:
        query = select(ratings).where(ratings.c.user_id == user_id).order_by(ratings.c.rated_at)
        return [record_from_row(row, RatingRow) for row in await self._connection.execute(query)]

    async def on_pages(self, guild_id: int) -> list[RatingRow]:
        """Return the results in a server's games with pages, oldest first."""
        query = select(ratings).join(games, games.c.id == ratings.c.game_id)
        query = query.where(games.c.guild_id == guild_id, games.c.page_key.is_not(None)).order_by(ratings.c.rated_at)
        return [record_from_row(row, RatingRow) for row in await self._connection.execute(query)]

    async def battles_of_user(self, user_id: int) -> dict[int, str]:
        parents = games.alias()
        query = select(games.c.id, parents.c.system).join(parents, parents.c.id == games.c.parent_id)
        query = query.join(ratings, ratings.c.game_id == games.c.id).where(ratings.c.user_id == user_id)
        return {row.id: row.system for row in await self._connection.execute(query)}

    async def sides_in_shared_games(
        self, system: str, user_ids: Iterable[int], *, since: int, until: int
    ) -> dict[int, dict[int, set[int]]]:
        """Return the sides of these users in rated games that ended between two times, by game and user."""
        # Of a match the second game is rated; in the first its two sides, 0 and 1, were exchanged.
        is_first_game = captains.c.game_id == games.c.first_game_id
        query = select(games.c.id, is_first_game.label("is_first"), captains.c.user_id, seats.c.team)
        query = query.join(captains, or_(captains.c.game_id == games.c.id, is_first_game))
        query = query.join(seats, and_(seats.c.game_id == captains.c.game_id, seats.c.seat == captains.c.seat))
        query = query.where(
            captains.c.user_id.in_(list(user_ids)), games.c.id.in_(_counted_games(system, since, until)), has_played()
        )
        sides: dict[int, dict[int, set[int]]] = {}
        for row in await self._connection.execute(query):
            team = 1 - row.team if row.is_first else row.team
            sides.setdefault(row.id, {}).setdefault(row.user_id, set()).add(team)
        return sides

    async def servers_of_user(self, user_id: int) -> list[int]:
        query = select(games.c.guild_id).join(ratings, ratings.c.game_id == games.c.id)
        query = query.where(ratings.c.user_id == user_id, games.c.guild_id != 0).group_by(games.c.guild_id)
        query = query.order_by(func.max(ratings.c.rated_at).desc()).limit(5)
        return list((await self._connection.execute(query)).scalars())

    async def scores(self, *, guild_id: int | None = None, user_id: int | None = None) -> list[RatingSummary]:
        """Return rating summaries by system and user, optionally of users with a rated game on one server."""
        rated_games = select(ratings.c.system, ratings.c.user_id).join(games, games.c.id == ratings.c.game_id)
        rated_games = rated_games.where(ratings.c.counted)
        user_in_system = tuple_(ratings.c.system, ratings.c.user_id)
        outcomes = ("won", "lost", "drawn")
        outcome_counts = [
            func.sum(case((ratings.c.outcome == outcome, 1), else_=0)).label(outcome) for outcome in outcomes
        ]
        query = rated_games.add_columns(func.max(ratings.c.rated_at).label("last"), *outcome_counts)
        if guild_id is not None:
            query = query.where(user_in_system.in_(rated_games.where(games.c.guild_id == guild_id)))
        if user_id is not None:
            query = query.where(ratings.c.user_id == user_id)
        totals = query.group_by(ratings.c.system, ratings.c.user_id).subquery()
        is_newest = and_(
            ratings.c.system == totals.c.system,
            ratings.c.user_id == totals.c.user_id,
            ratings.c.rated_at == totals.c.last,
        )
        columns: list[Any] = [totals.c[key] for key in ("system", "user_id", *outcomes)]
        summaries: Select[Any] = select(*columns, ratings.c.mu, ratings.c.sigma, players.c.name)
        summaries = summaries.join(ratings, is_newest).join(players, players.c.user_id == totals.c.user_id)
        return [record_from_row(row, RatingSummary) for row in await self._connection.execute(summaries)]


def _counted_games(system: str, since: int, until: int) -> Select[Any]:
    ended = ratings.c.rated_at.between(since, until)
    return select(ratings.c.game_id).where(ratings.c.system == system, ended, ratings.c.counted)

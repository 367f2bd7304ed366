"""Query and change the users and servers that the operator has blocked."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct
from sqlalchemy import delete, select

from bot.store.models.tables import denied_servers, denied_users
from bot.store.queries.base import QueryGroup


class DeniedIds(Struct, frozen=True):
    users: frozenset[int] = frozenset()  # Discord ids of blocked users
    servers: frozenset[int] = frozenset()  # Discord ids of blocked servers


class DenialQueries(QueryGroup):
    async def all_denied(self) -> DeniedIds:
        users = (await self._connection.execute(select(denied_users.c.user_id))).scalars()
        servers = (await self._connection.execute(select(denied_servers.c.guild_id))).scalars()
        return DeniedIds(users=frozenset(users), servers=frozenset(servers))

    async def denied_among(self, users: Collection[int]) -> set[int]:
        query = select(denied_users.c.user_id).where(denied_users.c.user_id.in_([*users]))
        return {*(await self._connection.execute(query)).scalars()}

    async def deny_user(self, user_id: int, *, now: int) -> None:
        await self._upsert(denied_users, {"user_id": user_id, "since": now})

    async def deny_server(self, guild_id: int, *, now: int) -> None:
        await self._upsert(denied_servers, {"guild_id": guild_id, "since": now})

    async def allow_user(self, user_id: int) -> bool:
        """Unblock a user. Returns whether they were blocked."""
        result = await self._connection.execute(delete(denied_users).where(denied_users.c.user_id == user_id))
        return result.rowcount > 0

    async def allow_server(self, guild_id: int) -> bool:
        """Unblock a server. Returns whether it was blocked."""
        result = await self._connection.execute(delete(denied_servers).where(denied_servers.c.guild_id == guild_id))
        return result.rowcount > 0

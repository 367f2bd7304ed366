"""Query and change servers' settings, and the list of servers that the bot is on."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from sqlalchemy import delete, select

from bot.store.engine.built import match_values, select_rows
from bot.store.models.records import ServerRow
from bot.store.models.tables import bot_servers, servers
from bot.store.queries.base import QueryGroup


class ServerQueries(QueryGroup):
    async def find(self, guild_id: int) -> ServerRow:
        """Return a server's settings, or the defaults."""
        row = (
            await self._connection.execute(select_rows(servers, "guild_id"), match_values(guild_id=guild_id))
        ).first()
        if row is None:
            return ServerRow(guild_id=guild_id)
        channels = msgspec.json.decode(row.channels, type=tuple[int, ...])
        return ServerRow(**{**row._mapping, "channels": channels})  # noqa: SLF001 - its public name

    async def store(self, server: ServerRow) -> None:
        columns = {**msgspec.structs.asdict(server), "channels": msgspec.json.encode(server.channels).decode()}
        await self._upsert(servers, columns)

    async def page_keys(self) -> dict[int, str]:
        """Return the keys of archives by server."""
        query = select(servers.c.guild_id, servers.c.page_key).where(servers.c.page_key.is_not(None))
        return {row.guild_id: row.page_key for row in await self._connection.execute(query)}

    async def names_by_id(self) -> dict[int, str]:
        return {row.guild_id: row.name for row in await self._connection.execute(select(bot_servers))}

    async def name_of(self, guild_id: int) -> str:
        """Return the name of a server; empty if it is unknown."""
        query = select(bot_servers.c.name).where(bot_servers.c.guild_id == guild_id)
        return (await self._connection.execute(query)).scalar() or ""

    async def is_present(self, guild_id: int) -> bool:
        """Return whether the bot is on a server."""
        query = select(bot_servers.c.guild_id).where(bot_servers.c.guild_id == guild_id)
        return (await self._connection.execute(query)).first() is not None

    async def note_present(self, names: Mapping[int, str]) -> None:
        for guild_id, name in names.items():
            await self._upsert(bot_servers, {"guild_id": guild_id, "name": name[:100]})

    async def note_absent(self, guild_ids: Collection[int]) -> None:
        if guild_ids:
            await self._connection.execute(delete(bot_servers).where(bot_servers.c.guild_id.in_([*guild_ids])))

"""What servers' managers have settled, and which servers the bot is on."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from sqlalchemy import delete, select

from bot.store.engine.built import match_values, select_rows
from bot.store.models.records import ServerRow
from bot.store.models.tables import bot_servers, servers
from bot.store.queries.base import QueryGroup


class ServerQueries(QueryGroup):
    """Queries and changes of servers."""

    async def find(self, guild_id: int) -> ServerRow:
        """What a server's managers have settled; as every server begins if that is nothing."""
        row = (
            await self._connection.execute(select_rows(servers, "guild_id"), match_values(guild_id=guild_id))
        ).first()
        if row is None:
            return ServerRow(guild_id=guild_id)
        channels = msgspec.json.decode(row.channels, type=tuple[int, ...])
        return ServerRow(**{**row._mapping, "channels": channels})  # noqa: SLF001 - as above

    async def store(self, server: ServerRow) -> None:
        """Store a server's settings."""
        columns = {**msgspec.structs.asdict(server), "channels": msgspec.json.encode(server.channels).decode()}
        await self._upsert(servers, columns)

    async def names_by_id(self) -> dict[int, str]:
        """Return the names of the servers that the bot is on, by number."""
        return {row.guild_id: row.name for row in await self._connection.execute(select(bot_servers))}

    async def note_present(self, names: Mapping[int, str]) -> None:
        """Store that the bot is on these servers, by number."""
        for guild_id, name in names.items():
            await self._upsert(bot_servers, {"guild_id": guild_id, "name": name[:100]})

    async def note_absent(self, guild_ids: Collection[int]) -> None:
        """Store that the bot is not on these servers."""
        if guild_ids:
            await self._connection.execute(delete(bot_servers).where(bot_servers.c.guild_id.in_([*guild_ids])))

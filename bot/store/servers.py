"""What servers' managers have settled."""

from __future__ import annotations

import msgspec

from bot.store.built import by, rows_by
from bot.store.records import ServerRow
from bot.store.rows import Queries
from bot.store.tables import servers


class Servers(Queries):
    """Queries and changes of servers."""

    async def find(self, guild_id: int) -> ServerRow:
        """What a server's managers have settled; as every server begins if that is nothing."""
        row = (await self._connection.execute(rows_by(servers, "guild_id"), by(guild_id=guild_id))).first()
        if row is None:
            return ServerRow(guild_id=guild_id)
        channels = msgspec.json.decode(row.channels, type=tuple[int, ...])
        return ServerRow(**{**row._mapping, "channels": channels})  # noqa: SLF001 - as above

    async def keep(self, server: ServerRow) -> None:
        """Store a server's settings."""
        columns = {**msgspec.structs.asdict(server), "channels": msgspec.json.encode(server.channels).decode()}
        await self._upsert(servers, columns)

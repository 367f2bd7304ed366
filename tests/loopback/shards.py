"""A gateway of two shards, each with one server; direct messages, and presses in them, come to shard 0 alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from aiohttp import web

from tests.loopback.gateway import Gateway
from tests.loopback.rest import CHANNEL, GUILD

SHARDS: Final = 2
OTHER_GUILD: Final = GUILD + (1 << 22)
OTHER_CHANNEL: Final = CHANNEL + 1


class ShardedGateway(Gateway):
    """Bots connect for one shard each time; of a shard the newest connection hears what happens."""

    def __init__(self) -> None:
        super().__init__()
        self.guilds[OTHER_CHANNEL] = OTHER_GUILD
        self.channels[OTHER_CHANNEL] = []
        self._sockets: dict[int, list[web.WebSocketResponse]] = defaultdict(list)
        self.resumable = False

    def connected(self, *shards: int) -> bool:
        """Return if each of these shards has a bot."""
        return all(self._open_of(shard) for shard in shards)

    def _open_of(self, shard: int) -> list[web.WebSocketResponse]:
        return [socket for socket in self._sockets[shard] if not socket.closed]

    async def _identified(self, socket: web.WebSocketResponse, session: Mapping[str, Any]) -> None:
        shard, count = session["shard"]
        assert count == SHARDS
        self._sockets[shard].append(socket)
        there = {channel: guild for channel, guild in self.guilds.items() if (guild >> 22) % SHARDS == shard}
        await self._greet(socket, [shard, SHARDS], there)

    def _left(self, socket: web.WebSocketResponse) -> None:
        for sockets in self._sockets.values():
            if socket in sockets:
                sockets.remove(socket)

    async def _tell_of(self, place: int, event: str, data: Mapping[str, Any]) -> None:
        shard = 0 if place in self.direct.values() else (self.guild_of(place) >> 22) % SHARDS
        if sockets := self._open_of(shard):  # else nobody hears it, as with Discord
            await self._tell(sockets[-1], event, data)

"""A gateway of two shards, each with one server; direct messages, and presses in them, come to shard 0 alone."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from aiohttp import WSMsgType, web

from tests.loopback.gateway import _ACK, _HEARTBEAT, _HELLO, _IDENTIFY, APPLICATION, Gateway
from tests.loopback.rest import BOT, CHANNEL, GUILD

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
        self._sequences = itertools.count(1)
        self.identified: list[tuple[int, float]] = []
        """Shards for which a bot has connected, and when, by the event loop's clock."""

    def connected(self, *shards: int) -> bool:
        """Whether there is a bot for each of these."""
        return all(self._open_of(shard) for shard in shards)

    def _open_of(self, shard: int) -> list[web.WebSocketResponse]:
        return [socket for socket in self._sockets[shard] if not socket.closed]

    async def _listen(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": _HELLO, "d": {"heartbeat_interval": 41_250}, "s": None, "t": None})
        shard = -1
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            said = json.loads(message.data)
            if said["op"] == _HEARTBEAT:
                await asyncio.sleep(0.05)
                with suppress(ConnectionError):  # its bot has just been killed
                    await socket.send_json({"op": _ACK, "d": None, "s": None, "t": None})
            elif said["op"] == _IDENTIFY:
                shard, count = said["d"]["shard"]
                assert count == SHARDS
                self.identifies += 1
                self.remaining -= 1
                if self.close_codes:
                    await socket.close(code=self.close_codes.pop(0))
                    continue
                self.identified.append((shard, asyncio.get_running_loop().time()))
                self._sockets[shard].append(socket)
                await self._greet_shard(shard)
        if socket in self._sockets[shard]:
            self._sockets[shard].remove(socket)
        return socket

    async def _greet_shard(self, shard: int) -> None:
        there = [(channel, guild) for channel, guild in self.guilds.items() if (guild >> 22) % SHARDS == shard]
        guilds = [{"id": str(guild), "unavailable": True} for _, guild in there]
        session = {"session_id": "s", "resume_gateway_url": self.gateway, "shard": [shard, SHARDS]}
        application = {"id": str(APPLICATION), "flags": 0}
        ready = {"v": 10, "user": BOT, "guilds": guilds, "application": application, **session}
        await self._tell_shard(shard, "READY", ready)
        for channel, guild in there:
            await self._tell_shard(shard, "GUILD_CREATE", self._guild(guild, channel))
        self.ready.set()

    async def _tell_of(self, place: int, event: str, data: Mapping[str, Any]) -> None:
        direct = place in self.direct.values()
        await self._tell_shard(0 if direct else (self.guild_of(place) >> 22) % SHARDS, event, data)

    async def _tell_shard(self, shard: int, event: str, data: Mapping[str, Any]) -> None:
        if sockets := self._open_of(shard):  # else nobody hears it, as with Discord
            with suppress(ConnectionError):  # its bot has just been killed
                await sockets[-1].send_json({"op": 0, "t": event, "s": next(self._sequences), "d": data})

"""A Discord that sends interactions to addresses, signed, as to an application with an endpoint for them."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from typing import Any

import aiohttp
from nacl.signing import SigningKey

from bot.cli.interactions import INTERACTIONS_PATH
from tests.loopback.gateway import Gateway
from tests.loopback.shards import ShardedGateway


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class Signing(Gateway):
    """A Discord that sends signed interactions to its `ports` in turn; without ports, through the gateway."""

    def __init__(self) -> None:
        super().__init__()
        self.key = SigningKey.generate()
        self.verify_key = self.key.verify_key.encode().hex()
        self.ports: list[int] = []
        self.sent: list[bytes] = []  # bodies of interactions, as they were sent

    async def _tell_of(self, place: int, event: str, data: Mapping[str, Any]) -> None:
        if event != "INTERACTION_CREATE" or not self.ports:
            await super()._tell_of(place, event, data)
            return
        body = json.dumps(data).encode()
        self.sent.append(body)
        self.ports.append(self.ports.pop(0))
        assert await self.post(self.ports[-1], body, *self.signed(body)) == (202, "")

    def signed(self, body: bytes, *, late_s: float = 0.0) -> tuple[str, str]:
        """Return the time of a request, and its signature."""
        stamp = str(int(time.time() + late_s))
        return stamp, self.key.sign(stamp.encode() + body).signature.hex()

    async def post(self, port: int, body: bytes, stamp: str, signature: str, method: str = "POST") -> tuple[int, str]:
        """Send a request; return the status and text of its answer."""
        headers = {"X-Signature-Timestamp": stamp, "X-Signature-Ed25519": signature}
        address = f"http://127.0.0.1:{port}{INTERACTIONS_PATH}"
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, address, data=body, headers=headers) as answer,
        ):
            return answer.status, await answer.text()


class SigningShards(Signing, ShardedGateway):
    """A signing Discord with two shards."""

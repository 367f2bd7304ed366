"""As much of Discord's REST API as the outbox needs, on the loopback, in a process that is not killed."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

BOT = {"id": "900", "username": "war-galley", "discriminator": "0", "avatar": None, "bot": True}
GUILD, CHANNEL = 800, 801
NONCES_KEPT_S = 300
"""How long a nonce is remembered; Discord says "the past few minutes"."""


class Discord:
    """Channels and the messages in them, as a user sees them."""

    def __init__(self) -> None:
        self.channels: dict[int, list[dict[str, Any]]] = {CHANNEL: []}
        self.direct: dict[int, int] = {}
        self.guilds = {CHANNEL: GUILD}
        """Servers, each by the channel in it where games are opened."""
        self.home: dict[int, int] = {}
        """The channel in which a thread is."""
        self.names: dict[int, str] = {}
        """What threads are called."""
        self.nonces_kept_s = NONCES_KEPT_S
        self._nonces: dict[tuple[str, str], tuple[float, str]] = {}
        """When a place's nonce was used, and the message that came of it."""
        self._numbers = itertools.count(1000)
        self.verify_key = ""
        """The key by which what is sent to an application's own address can be known as Discord's."""
        self.repeated = 0
        """Messages that were not made a second time, as Discord knew their nonce."""
        self.url = ""

    def guild_of(self, place: int) -> int:
        """The server of a channel or thread."""
        return self.guilds.get(self.home.get(place, place), GUILD)

    def marks(self) -> list[tuple[int, int]]:
        """Channel and outer component id of each message: which wish of the outbox it shows."""
        return [(place, found["components"][0]["id"]) for place, told in self.channels.items() for found in told]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Discord]:
        """Serve on a free port."""
        app = web.Application(client_max_size=2**25)
        app.router.add_route("*", "/api/v10/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/v10"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        parts = request.match_info["path"].split("/")
        body = await _body(request)
        match request.method, parts:
            case "GET", ["users", "@me"]:
                return _json(BOT)
            case "GET", ["users", user]:
                return _json({**BOT, "id": user, "username": f"user{user}", "bot": False})
            case "GET", ["guilds", _, "members", user]:
                known = {**BOT, "id": user, "username": f"user{user}", "bot": False}
                return _json({"user": known, "roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "flags": 0})
            case "GET", ["oauth2", "applications", "@me"] | ["applications", "@me"]:
                named = {"id": "900", "name": "war-galley", "description": "", "icon": None}
                return _json(
                    {
                        **named,
                        "verify_key": self.verify_key,
                        "bot_public": True,
                        "bot_require_code_grant": False,
                        "owner": BOT,
                    }
                )
            case "POST", ["users", "@me", "channels"]:
                user = int(body["recipient_id"])
                place = self.direct.setdefault(user, next(self._numbers))
                self.channels.setdefault(place, [])
                return _json(self._channel(place))
            case "GET", ["channels", place]:
                return _json(self._channel(int(place)))
            case "POST", ["channels", _, "messages", message, "threads"] if int(message) in self.channels:
                return _json({"message": "A thread has already been created for this message", "code": 160004}, 400)
            case "POST", ["channels", place, "messages", message, "threads"]:
                self.channels[int(message)] = []
                self.home[int(message)] = int(place)
                self.names[int(message)] = body["name"]
                return _json(self._channel(int(message), parent=int(place)), status=201)
            case "POST", ["channels", place, "threads"]:
                thread = next(self._numbers)
                self.channels[thread], self.names[thread], self.home[thread] = [], body["name"], int(place)
                return _json(self._channel(thread, parent=int(place)), status=201)
            case "GET", ["guilds", _, "threads", "active"]:
                threads = [self._channel(place, parent=CHANNEL) for place in self.names]
                return _json({"threads": threads, "members": []})
            case "PATCH", ["channels", place]:
                self.names[int(place)] = body.get("name", self.names[int(place)])
                return _json(self._channel(int(place)))
            case "GET", ["channels", place, "messages"]:
                return _json(self.channels[int(place)][::-1][: int(request.query.get("limit", "50"))])
            case "POST", ["channels", place, "messages"]:
                nonce = (place, str(body.get("nonce")))
                at, known = self._nonces.get(nonce, (-math.inf, ""))
                stands = next((found for found in self.channels[int(place)] if found["id"] == known), None)
                if stands and body.get("enforce_nonce") and time.monotonic() - at < self.nonces_kept_s:
                    # Discord knows a request that is made once more, and answers with the message as it stands.
                    self.repeated += 1
                    return _json(stands)
                told = self._message(int(place), next(self._numbers), body)
                self._nonces[nonce] = time.monotonic(), told["id"]
                self.channels[int(place)].append(told)
                return _json(told)
            case "DELETE", ["channels", place, "messages", message]:
                told = self.channels[int(place)]
                told[:] = [found for found in told if found["id"] != message]
                return web.Response(status=204)
            case "PATCH", ["channels", place, "messages", message]:
                told = self.channels[int(place)]
                index = next((i for i, found in enumerate(told) if found["id"] == message), None)
                if index is None:
                    return _json({"message": "Unknown Message", "code": 10008}, 404)
                told[index] = self._message(int(place), int(message), body)
                return _json(told[index])
        return _json([])

    def _channel(self, place: int, parent: int | None = None) -> dict[str, Any]:
        if place in self.direct.values():
            user = next(user for user, at in self.direct.items() if at == place)
            return {"id": str(place), "type": 1, "recipients": [{**BOT, "id": str(user), "username": "player"}]}
        shared = {
            "id": str(place),
            "guild_id": str(self.guild_of(place)),
            "name": "place",
            "position": 0,
            "permission_overwrites": [],
        }
        if place in self.guilds:
            return {**shared, "type": 0, "parent_id": None, "nsfw": False}
        since = "2026-01-01T00:00:00+00:00"
        thread = {"archived": False, "auto_archive_duration": 60, "archive_timestamp": since, "locked": False}
        counts = {"owner_id": "900", "message_count": len(self.channels.get(place, ())), "member_count": 1}
        called = {"name": self.names[place]} if place in self.names else {}
        return {
            **shared,
            **called,
            **counts,
            "type": 11,
            "parent_id": str(parent or self.home.get(place, CHANNEL)),
            "thread_metadata": thread,
        }

    def _message(self, place: int, number: int, body: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": str(number),
            "channel_id": str(place),
            "author": BOT,
            "content": "",
            "timestamp": "2026-01-01T00:00:00+00:00",
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "pinned": False,
            "type": 0,
            "flags": 1 << 15,
            "components": _numbered(body.get("components", [])),
        }


def _numbered(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Discord numbers components that come without an id, and shows pictures from addresses of its own."""
    numbers = itertools.count(1)

    def visit(component: dict[str, Any]) -> dict[str, Any]:
        found = {"id": next(numbers), **component}
        for item in found.get("items", []):
            item["media"] = {"url": "http://127.0.0.1/picture", "proxy_url": "http://127.0.0.1/picture"}
        return {**found, "components": [visit(inner) for inner in found.get("components", [])]}

    return [visit(component) for component in components]


def _json(value: Any, status: int = 200) -> web.Response:
    # discord.py reads JSON only where the content type says nothing else, not even a charset
    return web.Response(body=json.dumps(value).encode(), content_type="application/json", status=status)


def uploads(request: web.Request) -> bool:
    """Whether files come with it."""
    return request.content_type == "multipart/form-data"


async def _body(request: web.Request) -> dict[str, Any]:
    if uploads(request):
        form = await request.post()
        return dict(json.loads(str(form["payload_json"])))
    if request.can_read_body:
        found = await request.json()
        return found if isinstance(found, dict) else {}
    return {}

"""As much of Discord's REST API as the outbox needs, on the loopback, in a process that is not killed."""

from __future__ import annotations

import io
import itertools
import json
import math
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from msgspec import Struct, structs

from bot.sandbox.strict import (
    FILES_KEY,
    AlteredAnswer,
    ApiCall,
    CallGuard,
    DiscordError,
    RateLimits,
    ServerChannel,
    ServerInteraction,
    ServerMessage,
    ServerState,
)

BOT = {"id": "900", "username": "war-galley", "discriminator": "0", "avatar": None, "bot": True}
GUILD, CHANNEL = 800, 801
UNKNOWN_CHANNEL = {"message": "Unknown Channel", "code": 10003}
UNKNOWN_MESSAGE = {"message": "Unknown Message", "code": 10008}
_BODY = web.RequestKey("body", object)
NONCES_KEPT_S = 300  # how long a nonce is remembered; Discord says "the past few minutes"


class Thread(Struct, kw_only=True):
    kind: int = 11
    archived: bool = False
    locked: bool = False
    auto_archive_duration: int = 1440


class Discord:
    """Channels and the messages in them, as a user sees them.

    `guard` decides on every request before `_answer` carries it out.
    """

    def __init__(self) -> None:
        self.guard = CallGuard(LoopbackState(self))
        self.kinds: dict[int, int] = {}  # channel types; those of other channels are 0
        self.metadata: dict[int, Thread] = {}
        self.files: dict[int, dict[str, str]] = {}
        """Of each message the names of its attachments by id, also of those that only components show."""
        self.sent_at: dict[int, float] = {}  # when messages were sent (Unix time)
        self.interactions: dict[str, ServerInteraction] = {}  # by token
        self.replies: dict[int, dict[str, Any]] = {}  # messages that answer interactions
        self.command_names: frozenset[tuple[str, int]] = frozenset()
        self.channels: dict[int, list[dict[str, Any]]] = {CHANNEL: []}
        self.direct: dict[int, int] = {}
        self.guilds = {CHANNEL: GUILD}  # servers, each by the channel in it where games are opened
        self.home: dict[int, int] = {}  # the channel in which a thread is
        self.names: dict[int, str] = {}  # names of threads by id
        self.nonces_kept_s = NONCES_KEPT_S
        self._nonces: dict[tuple[str, str], tuple[float, str]] = {}
        """When a place's nonce was used, and the message that came of it."""
        self._numbers = itertools.count(1000)
        self.verify_key = ""  # the key by which what is sent to an application's own address can be known as Discord's
        self.repeated = 0  # messages that were not made a second time, as Discord knew their nonce
        self.url = ""
        self.gateway = ""

    def guild_of(self, place: int) -> int:
        return self.guilds.get(self.home.get(place, place), GUILD)

    def marks(self) -> list[tuple[int, int]]:
        """Return each message's channel and outer component id: the outbox row that it shows."""
        return [
            (place, message["components"][0]["id"]) for place, messages in self.channels.items() for message in messages
        ]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Discord]:
        app = web.Application(client_max_size=2**25)
        app.router.add_route("*", "/api/v10/{path:.*}", self._decide)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/v10"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _decide(self, request: web.Request) -> web.Response:
        call = ApiCall(request.method, f"/{request.match_info['path']}", await _body(request))
        if refusal := self.guard.decide(call):
            return refused(refusal)
        special = self.guard.answer_for(call) or AlteredAnswer()
        place = self.guard.state.channel_of(call)
        if special.unarchives and place in self.metadata:
            self.metadata[place].archived = False
        if special.message and place:
            # Discord knows a request that is made once more, and answers with the message as it stands.
            self.repeated += 1
            return _json(next(message for message in self.channels[place] if message["id"] == str(special.message)))
        response = await self._answer(request)
        self._note(call, response)
        return response

    def _note(self, call: ApiCall, response: web.Response) -> None:
        """Remember what a request that was carried out has changed."""
        if response.status >= 300:
            return
        if call.is_callback or call.token_of_followup:
            token = call.parts[2]
            if known := self.interactions.get(token):
                followups = known.followups + bool(call.token_of_followup)
                self.interactions[token] = structs.replace(known, acknowledged=True, followups=followups)
        if call.method == "PUT" and call.parts[-1] == "commands":
            self.command_names = frozenset((command["name"], command.get("type", 1)) for command in call.body)

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
                named = {"id": "900", "name": "war-galley", "description": "", "icon": None, "owner": BOT}
                public = {"bot_public": True, "bot_require_code_grant": False, "verify_key": self.verify_key}
                return _json({**named, **public, "approximate_guild_count": len(self.guilds)})
            case "POST", ["users", "@me", "channels"]:
                user = int(body["recipient_id"])
                place = self.direct.setdefault(user, next(self._numbers))
                self.channels.setdefault(place, [])
                return _json(self._channel(place))
            case "GET", ["gateway", "bot"]:
                return _json(self._session_start())
            case "GET", ["channels", place]:
                return _json(self._channel(int(place)))
            case "POST", ["channels", place, "messages", message, "threads"]:
                return _json(self._thread(int(message), int(place), body), status=201)
            case "POST", ["channels", place, "threads"]:
                return _json(self._thread(next(self._numbers), int(place), body), status=201)
            case "GET", ["guilds", _, "threads", "active"]:
                active = [place for place in self.names if not self._metadata(place).archived]
                return _json({"threads": [self._channel(place, parent=CHANNEL) for place in active], "members": []})
            case "PATCH", ["channels", place]:
                self.names[int(place)] = body.get("name", self.names.get(int(place), "place"))
                thread = self._metadata(int(place))
                changes = {key: body[key] for key in ("archived", "locked", "auto_archive_duration") if key in body}
                self.metadata[int(place)] = structs.replace(thread, **changes)
                return _json(self._channel(int(place)))
            case "GET", ["channels", place, "messages"] if int(place) not in self.channels:
                return _json(UNKNOWN_CHANNEL, 404)
            case "GET", ["channels", place, "messages"]:
                return _json(self.channels[int(place)][::-1][: int(request.query.get("limit", "50"))])
            case "GET", ["channels", place, "messages", message]:
                known = (stands for stands in self.channels.get(int(place), ()) if stands["id"] == message)
                return _json(stands) if (stands := next(known, None)) else _json(UNKNOWN_MESSAGE, 404)
            case "POST", ["channels", place, "messages"]:
                told = self._message(int(place), next(self._numbers), body)
                self._nonces[place, str(body.get("nonce"))] = time.monotonic(), told["id"]
                self.channels[int(place)].append(told)
                return _json(told)
            case "DELETE", ["channels", place, "messages", message]:
                told = self.channels[int(place)]
                told[:] = [found for found in told if found["id"] != message]
                return web.Response(status=204)
            case "PATCH", ["channels", place, "messages", message]:
                edited = self._edit(int(place), message, body)
                return _json(edited) if edited else _json(UNKNOWN_MESSAGE, 404)
        return _json([])

    def _session_start(self) -> dict[str, Any]:
        left = self.guard.state.remaining_identifies
        limit = {"total": 1_000, "remaining": left, "reset_after": 86_400_000, "max_concurrency": 1}
        return {"url": self.gateway, "shards": 1, "session_start_limit": limit}

    def _thread(self, number: int, parent: int, body: Mapping[str, Any]) -> dict[str, Any]:
        self.channels[number], self.names[number], self.home[number] = [], body["name"], parent
        kind = 10 if self.kinds.get(parent) == 5 else body.get("type", 11)
        thread = Thread(kind=kind, auto_archive_duration=body.get("auto_archive_duration") or 1440)
        self.metadata[number] = thread
        return self._channel(number, parent=parent)

    def _metadata(self, place: int) -> Thread:
        return self.metadata.get(place, Thread())

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
            return {**shared, "type": self.kinds.get(place, 0), "parent_id": None, "nsfw": False}
        known = self._metadata(place)
        thread = {
            "archived": known.archived,
            "auto_archive_duration": known.auto_archive_duration,
            "archive_timestamp": "2026-01-01T00:00:00+00:00",
            "locked": known.locked,
        }
        counts = {"owner_id": "900", "message_count": len(self.channels.get(place, ())), "member_count": 1}
        called = {"name": self.names[place]} if place in self.names else {}
        return {
            **shared,
            **called,
            **counts,
            "type": known.kind,
            "parent_id": str(parent or self.home.get(place, CHANNEL)),
            "thread_metadata": thread,
        }

    def _edit(self, place: int, number: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Edit a message and return it; None if it was deleted."""
        messages = self.channels[place]
        index = next((index for index, message in enumerate(messages) if message["id"] == number), None)
        if index is None:
            return None
        messages[index] = self._message(place, int(number), body)
        return messages[index]

    def _message(self, place: int, number: int, body: dict[str, Any]) -> dict[str, Any]:
        """Return a message as a body makes it: a new one, or one with attachments after an edit."""
        self.sent_at.setdefault(number, time.time())
        files = self.files[number] = self._attachments(number, body)
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
            "components": _numbered(body.get("components", []), place, files),
        }

    def _attachments(self, number: int, body: Mapping[str, Any]) -> dict[str, str]:
        """Return the names of a message's attachments by id.

        An edit that lists attachments keeps those that it lists, and uploads; one that lists none keeps all.
        """
        before = self.files.get(number, {})
        listed = body.get("attachments")
        left = before if listed is None else {}
        for entry in listed or ():
            if (key := str(entry.get("id"))) in before:
                left[key] = before[key]
        return {**left, **{str(next(self._numbers)): name for name in body.get(FILES_KEY, ())}}


class LoopbackState(ServerState):
    """The state of this Discord. Time is real."""

    def __init__(self, discord: Discord) -> None:
        super().__init__(RateLimits(response_s=None))  # a busy machine takes longer
        self._discord = discord

    @property
    def now(self) -> float:
        return time.time()

    def message(self, place: int, number: int) -> ServerMessage | None:
        reply = next((known for known in self._discord.channels.get(place, ()) if known["id"] == str(number)), None)
        reply = reply or self._discord.replies.get(number)
        if reply is None:
            return None
        sent_at = self._discord.sent_at.get(number, self.now)
        return ServerMessage(sent_at=sent_at, flags=reply["flags"], attachments=self._discord.files.get(number, {}))

    def channel(self, number: int) -> ServerChannel | None:
        discord = self._discord
        if number in discord.direct.values():
            return ServerChannel(kind=1, recipient=next(user for user, at in discord.direct.items() if at == number))
        if number not in discord.channels:
            return None
        guild = discord.guild_of(number)
        if number in discord.guilds:
            threads = frozenset(thread for thread, home in discord.home.items() if home == number)
            return ServerChannel(kind=discord.kinds.get(number, 0), guild=guild, has_thread=threads)
        thread = discord.metadata.get(number, Thread())
        return ServerChannel(kind=thread.kind, guild=guild, archived=thread.archived, locked=thread.locked)

    def interaction(self, token: str) -> ServerInteraction | None:
        return self._discord.interactions.get(token)

    def active_threads(self, guild: int, kind: int | None = None) -> int:
        threads = self._discord.metadata.items()
        ours = (thread for place, thread in threads if self._discord.guild_of(place) == guild and not thread.archived)
        return sum(kind in {None, thread.kind} for thread in ours)

    def may_unarchive(self, place: int, user: int) -> bool:
        return True

    def manages_threads(self, place: int) -> bool:
        return False  # the invitation doesn't ask for the permission

    def has_dm_channel(self, user: int) -> bool:
        return user in self._discord.direct

    def command_names(self, guild: int | None) -> frozenset[tuple[str, int]]:
        return self._discord.command_names

    def message_of_nonce(self, place: int, nonce: str) -> int | None:
        at, known = self._discord._nonces.get((str(place), nonce), (-math.inf, ""))
        stands = any(message["id"] == known for message in self._discord.channels[place])
        return int(known) if stands and time.monotonic() - at < self._discord.nonces_kept_s else None


def _numbered(components: list[dict[str, Any]], place: int, files: Mapping[str, str]) -> list[dict[str, Any]]:
    numbers = itertools.count(1)
    by_name = {name: number for number, name in files.items()}

    def visit(component: dict[str, Any]) -> dict[str, Any]:
        component_with_id = {"id": next(numbers), **component}
        for item in component_with_id.get("items", []):
            item["media"] = _media(item["media"]["url"].removeprefix("attachment://"))
        return {**component_with_id, "components": [visit(inner) for inner in component_with_id.get("components", [])]}

    def _media(name: str) -> dict[str, Any]:
        number = by_name.get(name)
        address = f"http://127.0.0.1/attachments/{place}/{number}/{name}?ex=1"
        return {"url": address, "proxy_url": address, **({"attachment_id": number} if number else {})}

    return [visit(component) for component in components]


def refused(refusal: DiscordError) -> web.Response:
    """Return a refusal as an HTTP response."""
    headers = refusal.all_headers()
    kind = headers.pop("Content-Type")
    return web.Response(body=refusal.body().encode(), status=refusal.status, headers=headers, content_type=kind)


def _json(value: Any, status: int = 200) -> web.Response:
    # discord.py reads JSON only where the content type says nothing else, not even a charset
    return web.Response(body=json.dumps(value).encode(), content_type="application/json", status=status)


def uploads(request: web.Request) -> bool:
    """Return if a request uploads files."""
    return request.content_type == "multipart/form-data"


async def _body(request: web.Request) -> Any:
    """Return the JSON of a request, with the names of its files under `FILES_KEY`. Several may ask for it."""
    if _BODY not in request:
        request[_BODY] = await _read(request)
    return request[_BODY]


def _size(part: web.FileField) -> int:
    size = part.file.seek(0, io.SEEK_END)
    part.file.seek(0)
    return size


async def _read(request: web.Request) -> Any:
    if uploads(request):
        form = await request.post()
        files = {part.filename: _size(part) for part in form.values() if isinstance(part, web.FileField)}
        return {**json.loads(str(form["payload_json"])), FILES_KEY: files}
    return await request.json() if request.can_read_body else {}

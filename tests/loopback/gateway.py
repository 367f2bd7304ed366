"""Discord's gateway beside its REST API (`rest.py`), and users who press, type and use commands, on the loopback.

The bot is a process of its own (`whole.py`), which knows nothing but these two addresses.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import subprocess
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from aiohttp import WSMsgType, web
from msgspec import structs

from bot.discord.ids import CustomId, parse_custom_id
from bot.sandbox.strict import ServerInteraction
from tests.forked import Forked, start
from tests.loopback import rest
from tests.loopback.rest import BOT, CHANNEL, Discord

APPLICATION = 900
_HELLO, _HEARTBEAT, _IDENTIFY, _RESUME, _INVALID, _ACK = 10, 1, 2, 6, 9, 11
_COMMAND, _COMPONENT, _FORM = 2, 3, 5
_EVERYTHING = str((1 << 50) - 1)
_SINCE = "2026-01-01T00:00:00+00:00"
WHOLE = "tests.crash.whole:main"  # the entry point of such a process
_ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


class Answered(NamedTuple):
    noticed_s: float  # until the first sign of it
    answered_s: float  # until it was answered in words
    said: str
    drawn_s: asyncio.Future[float]  # until the picture that belongs to it; never, if a newer press has a newer one
    reply: dict[str, Any] | None = None  # the private message that answers it, if one does


class _Open:
    """An interaction; it may be answered more than once."""

    def __init__(self, message: dict[str, Any] | None) -> None:
        self.began = time.perf_counter()
        self.message = message
        self.reply: dict[str, Any] | None = None  # the newest message that answers it
        self.noticed = 0.0
        self.answered: asyncio.Future[tuple[float, str]] = asyncio.get_running_loop().create_future()
        self.drawn: asyncio.Future[float] = asyncio.get_running_loop().create_future()


class Gateway(Discord):
    """A server with one channel and as many users as act."""

    heartbeat_ms = 41_250  # between two heartbeats of the bot

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[str, _Open] = {}
        self._socket: web.WebSocketResponse | None = None
        self._sequence = itertools.count(1)
        self._events: deque[dict[str, Any]] = deque(maxlen=1000)  # the newest, for who resumes a session
        self._news: dict[int, asyncio.Event] = {}
        self.ready = asyncio.Event()
        self.gateway = ""
        self.identifies = 0  # how often the bot has begun a session
        self.resumes = 0  # how often it has gone on with one
        self.resumable = True  # whether a bot may go on with its session
        self.remaining = 1000  # how many sessions may still begin, until `reset_after_s` have passed
        self.reset_after_s = 86_400.0
        self.close_codes: list[int] = []  # with which code each of the next sessions is closed when it begins
        self.handshakes_fail = 0  # how many of the next connections to the gateway fail
        self.failures: list[Callable[[], web.Response]] = []  # how each of the next requests is answered

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Gateway]:
        app = web.Application()
        app.router.add_get("/", self._listen)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.gateway = f"ws://127.0.0.1:{runner.addresses[0][1]}/"
        try:
            async with super().open():
                yield self
        finally:
            await runner.cleanup()

    # --- the bot's side ----------------------------------------------------------------------------------------

    async def _listen(self, request: web.Request) -> web.StreamResponse:
        if self.handshakes_fail:
            self.handshakes_fail -= 1
            return web.Response(status=503)
        self._socket = socket = web.WebSocketResponse()
        await socket.prepare(request)
        await self._send(socket, _HELLO, {"heartbeat_interval": self.heartbeat_ms})
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            said = json.loads(message.data)
            if said["op"] == _HEARTBEAT:
                await asyncio.sleep(0.05)  # discord.py takes an answer for an old one if it comes too early
                await self._send(socket, _ACK, None)
            elif said["op"] == _IDENTIFY:
                self.identifies += 1
                self.remaining -= 1
                if self.close_codes:
                    await socket.close(code=self.close_codes.pop(0))
                else:
                    await self._identified(socket, said["d"])
            elif said["op"] == _RESUME:
                await self._resume(socket, said["d"]["seq"])
        self._left(socket)
        return socket

    async def _identified(self, socket: web.WebSocketResponse, session: Mapping[str, Any]) -> None:
        await self._greet(socket, [0, 1], self.guilds)

    def _left(self, socket: web.WebSocketResponse) -> None:
        self.ready.clear()

    async def _resume(self, socket: web.WebSocketResponse, heard: int) -> None:
        if not self.resumable:
            await self._send(socket, _INVALID, False)
            return
        self.resumes += 1
        for event in [event for event in self._events if event["s"] > heard]:
            await self._send(socket, **event)
        await self._tell(socket, "RESUMED", {})
        self.ready.set()

    async def hang_up(self, code: int = 1011) -> None:
        assert self._socket is not None
        await self._socket.close(code=code)

    def _session_start(self) -> dict[str, Any]:
        starts = {"total": 1000, "remaining": self.remaining, "reset_after": int(self.reset_after_s * 1000)}
        return {"url": self.gateway, "shards": 1, "session_start_limit": {**starts, "max_concurrency": 1}}

    async def _greet(self, socket: web.WebSocketResponse, shard: list[int], places: Mapping[int, int]) -> None:
        guilds = [{"id": str(guild), "unavailable": True} for guild in places.values()]
        session = {"session_id": "s", "resume_gateway_url": self.gateway, "shard": shard}
        application = {"id": str(APPLICATION), "flags": 0}
        ready = {"v": 10, "user": BOT, "guilds": guilds, "application": application, **session}
        await self._tell(socket, "READY", ready)
        for channel, guild in places.items():
            await self._tell(socket, "GUILD_CREATE", self._guild(guild, channel))
        self.ready.set()

    def _guild(self, number: int, channel: int) -> dict[str, Any]:
        """A server with one channel, where everybody may do everything."""
        everyone = {"id": str(number), "name": "@everyone", "permissions": _EVERYTHING, "position": 0, "color": 0}
        role = {**everyone, "hoist": False, "managed": False, "mentionable": False, "flags": 0}
        empty = ("emojis", "features", "stickers", "threads", "voice_states", "presences", "stage_instances")
        levels = ("verification_level", "default_message_notifications", "explicit_content_filter", "mfa_level")
        return {
            **{key: [] for key in (*empty, "guild_scheduled_events", "soundboard_sounds")},
            **dict.fromkeys((*levels, "system_channel_flags", "premium_tier", "nsfw_level"), 0),
            **dict.fromkeys(("premium_progress_bar_enabled", "large", "unavailable"), False),
            "id": str(number),
            "name": "Sea",
            "owner_id": "1",
            "roles": [role],
            "preferred_locale": "en-US",
            "member_count": 2,
            "members": [{**_member(BOT), "joined_at": _SINCE}],
            "joined_at": _SINCE,
            "channels": [self._channel(channel)],
        }

    async def _tell_of(self, place: int, event: str, data: Mapping[str, Any]) -> None:
        assert self._socket is not None
        await self._tell(self._socket, event, data)

    async def _tell(self, socket: web.WebSocketResponse, event: str, data: Mapping[str, Any]) -> None:
        self._events.append({"op": 0, "t": event, "s": next(self._sequence), "d": data})
        await self._send(socket, **self._events[-1])

    async def _send(self, socket: web.WebSocketResponse, op: int, d: Any, *, s: int | None = None, t: str = "") -> None:
        with suppress(ConnectionError):  # a lost connection may be resumed, and then hears it again
            await socket.send_json({"op": op, "d": d, "s": s, "t": t or None})

    async def _answer(self, request: web.Request) -> web.Response:
        now = time.perf_counter()
        parts = request.match_info["path"].split("/")
        if self.failures:
            return self.failures.pop(0)()
        match request.method, parts:
            case "POST", ["interactions", number, token, "callback"]:
                body = await rest._body(request)
                opened = self._open[token]
                opened.noticed = opened.noticed or now
                if body["type"] not in (5, 6):  # it is no mere sign that one works on it
                    self._said(opened, now, body.get("data") or {})
                if body["type"] in (4, 5):  # a message of its own, not the one that was pressed
                    self.interactions[token] = structs.replace(self.interactions[token], message=None)
                    self._reply(token, body.get("data") or {}, original=True)
                message = self.interactions[token].message
                interaction = {"id": number, "type": body["type"], "response_message_id": str(message or 1)}
                return rest._json({"interaction": interaction})
            case ("POST", ["webhooks", _, token]) | ("PATCH", ["webhooks", _, token, "messages", _]):
                body = await rest._body(request)
                opened = self._open[token]
                opened.noticed = opened.noticed or now
                pressed, original = opened.message, parts[-1] == "@original"
                known = self.interactions[token]
                if original and pressed and known.message == known.source:
                    told = self._edit(int(pressed["channel_id"]), pressed["id"], body)
                else:
                    told = self._reply(token, body, original=original, number=parts[-1])
                if told is None:
                    self._said(opened, now, {})  # those who pressed it see what replaced it
                    return rest._json(rest.UNKNOWN_MESSAGE, 404)
                self._said(opened, now, body)
                if rest.uploads(request) and not opened.drawn.done():
                    opened.drawn.set_result(now - opened.began)
                return rest._json(told)
            case "GET", ["webhooks", _, token, "messages", _]:
                return rest._json(self._open[token].message or self._reply(token, {}, original=True))
        answer = await super()._answer(request)
        match request.method, parts:
            case "POST", ["channels", place, "messages"]:
                self._followed(int(place), now, pictured=rest.uploads(request))
            case "PATCH", ["channels", place, "messages", number]:
                self._followed(int(place), now, pictured=rest.uploads(request), edited=number)
        if request.method in ("POST", "PATCH") and parts[0] == "channels" and int(parts[1]) in self._news:
            self._news[int(parts[1])].set()
        return answer

    def _reply(self, token: str, body: dict[str, Any], *, original: bool, number: str = "") -> dict[str, Any]:
        """Send or edit a message that answers an interaction, and return it."""
        interaction = self.interactions[token]
        known = interaction.message if original else int(number) if number.isdecimal() else None
        message_id = known or next(self._numbers)
        if original:
            self.interactions[token] = structs.replace(interaction, message=message_id)
        message = self.replies[message_id] = self._message(interaction.channel, message_id, body)
        self._open[token].reply = message
        return message

    def _edit(self, place: int, number: str, body: dict[str, Any]) -> dict[str, Any] | None:
        edited = super()._edit(place, number, body)
        if edited is None and int(number) in self.replies:
            edited = self.replies[int(number)] = self._message(place, int(number), body)
        return edited

    def _followed(self, place: int, now: float, *, pictured: bool, edited: str | None = None) -> None:
        """Take a message of the outbox as the answer to those who pressed there and have had none. The next question is
        a new message; `edited` may be the message that was pressed."""
        for opened in self._open.values():
            if not opened.message or edited not in (None, opened.message["id"]):
                continue
            if opened.noticed and int(opened.message["channel_id"]) == place:
                if pictured and not (opened.answered.done() or opened.drawn.done()):
                    opened.drawn.set_result(now - opened.began)
                self._said(opened, now, {})

    def _said(self, opened: _Open, now: float, body: dict[str, Any]) -> None:
        if not opened.answered.done():
            opened.answered.set_result((now, json.dumps(body, ensure_ascii=False)))

    # --- the users' side ---------------------------------------------------------------------------------------

    async def press(self, user: int, message: dict[str, Any], custom_id: str, value: str | None = None) -> Answered:
        chosen = {"component_type": 2} if value is None else {"component_type": 3, "values": [value]}
        return await self._interact(user, _COMPONENT, {"custom_id": custom_id, **chosen}, message)

    async def change(
        self,
        user: int,
        message: dict[str, Any],
        custom_id: str,
        value: str | None = None,
        *,
        pressed: dict[str, Any] | None = None,
    ) -> None:
        """Press what changes a message to all, there or in `pressed`, and wait for that edit: it is the answer."""
        await self._until_changed(message, self.press(user, pressed or message, custom_id, value))

    async def join(self, user: int, lobby: dict[str, Any]) -> None:
        """Send the form that a lobby's **Join** opens, with no word for the dice, and wait for the lobby's edit."""
        button = next(ref for ref in pressable(lobby) if ref.verb == "join")
        form_id = CustomId(verb="join_sent", game=button.game, token=button.token).pack()
        await self._until_changed(lobby, self._interact(user, _FORM, {"custom_id": form_id, "components": []}, lobby))

    async def _until_changed(self, message: dict[str, Any], interacting: Coroutine[Any, Any, Answered]) -> None:
        pressing = asyncio.create_task(interacting)
        while any(seen == message for seen in self.channels[CHANNEL]):  # noqa: ASYNC110 - as a user waits
            await asyncio.sleep(0.005)
        pressing.cancel()

    async def command(self, user: int, name: str, at: int = CHANNEL, **options: str | int) -> Answered:
        """Use `/galley NAME`, or `/galley-host NAME` for a name that begins with `host`; in a group: `history log`."""
        values = [{"name": key, "type": _option_type(value), "value": value} for key, value in options.items()]
        *groups, last = name.split()
        root = "galley-host" if groups[:1] == ["host"] else "galley"
        inner: dict[str, Any] = {"name": last, "type": 1, "options": values}
        for group in groups[root == "galley-host" :]:
            inner = {"name": group, "type": 2, "options": [inner]}
        return await self._interact(user, _COMMAND, {"id": "1", "name": root, "type": 1, "options": [inner]}, None, at)

    async def submit(self, user: int, message: dict[str, Any], custom_id: str, text: str) -> Answered:
        """Send a form with one field of text, which a press on a message has opened."""
        field = {"type": 18, "id": 1, "component": {"type": 4, "id": 2, "custom_id": "text", "value": text}}
        return await self._interact(user, _FORM, {"custom_id": custom_id, "components": [field]}, message)

    async def _interact(
        self, user: int, kind: int, data: dict[str, Any], message: dict[str, Any] | None, at: int = CHANNEL
    ) -> Answered:
        number = next(self._numbers)
        token = f"token-{number}"
        place = int(message["channel_id"]) if message else at
        known = {"id": str(user), "username": f"user{user}", "global_name": f"User {user}", "discriminator": "0"}
        who = {**known, "avatar": None, "bot": False}
        direct = place in self.direct.values()
        acting = (
            {"user": who}
            if direct
            else {"member": {**_member(who), "permissions": _EVERYTHING}, "guild_id": str(self.guild_of(place))}
        )
        if message:  # Discord sends a message as it stands, whatever its reader saw of it
            messages = self.channels.get(place, [])
            message = next((stands for stands in messages if stands["id"] == message["id"]), message)
        opened = self._open[token] = _Open(message)
        source = int(message["id"]) if message else None
        self.interactions[token] = ServerInteraction(
            created_at=time.time(), channel=place, message=source, source=source
        )
        interaction = {
            "id": str(number),
            "application_id": str(APPLICATION),
            "type": kind,
            "data": data,
            "token": token,
            "version": 1,
            "locale": "en-US",
            "guild_locale": "en-US",
            "app_permissions": _EVERYTHING,
            "channel_id": str(place),
            "channel": self._channel(place),
            "context": int(direct),
            "entitlements": [],
            "authorizing_integration_owners": {},
            "attachment_size_limit": 10**7,
            **acting,
            **({"message": message} if message else {}),
        }
        await self._tell_of(place, "INTERACTION_CREATE", interaction)
        answered, said = await asyncio.wait_for(opened.answered, 120)
        return Answered(opened.noticed - opened.began, answered - opened.began, said, opened.drawn, opened.reply)

    async def news(self, user: int) -> None:
        """Wait until something changes in a user's direct messages, or for a while, if there are none yet."""
        place = self.direct.get(user)
        if place is None:
            await asyncio.sleep(0.2)
            return
        event = self._news.setdefault(place, asyncio.Event())
        event.clear()
        await event.wait()

    def panels(self, user: int) -> Iterator[tuple[dict[str, Any], list[CustomId]]]:
        """Yield direct messages that can be pressed, newest first, with the custom ids of their buttons and selects."""
        for message in reversed(self.channels.get(self.direct.get(user, 0), [])):
            refs = list(pressable(message))
            if refs:
                yield message, refs


def pressable(message: dict[str, Any]) -> Iterator[CustomId]:
    return (unpacked for unpacked, _ in choosable(message))


def choosable(message: dict[str, Any]) -> Iterator[tuple[CustomId, list[str]]]:
    """Yield what can be pressed or chosen from in a message, with the values of a select."""
    waiting = list(message["components"])
    while waiting:
        part = waiting.pop(0)
        waiting += [*part.get("components", []), *filter(None, [part.get("accessory"), part.get("component")])]
        ref = parse_custom_id(part.get("custom_id") or "")
        if ref and not part.get("disabled"):
            yield ref, [option["value"] for option in part.get("options", [])]


def _option_type(value: str | int) -> int:
    return 5 if isinstance(value, bool) else 4 if isinstance(value, int) else 3


def _member(user: dict[str, Any]) -> dict[str, Any]:
    plain = {"nick": None, "avatar": None, "roles": [], "joined_at": _SINCE, "deaf": False, "mute": False, "flags": 0}
    return {"user": user, **plain}


@asynccontextmanager
async def living(folder: Path, discord: Gateway, *, calls: str = WHOLE, **settings: str) -> AsyncIterator[Forked]:
    """Run the bot from start to SIGKILL; its lines go to `log` in the folder."""
    with (folder / "log").open("ab") as log:
        process = start(calls, *_arguments(folder, discord), err=log, environment=_environment(folder, settings))
        async with _killed(process):
            yield process
    discord.guard.expected.add("thread of a message")  # the next bot asks for one that this one may have begun


@asynccontextmanager
async def measured(folder: Path, discord: Gateway, **settings: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a bot as a host does, with nothing loaded before it, so that its memory and time can be measured."""
    module, function = WHOLE.split(":")
    loads = f"from {module} import {function}; {function}()"  # not `-m`: each worker would load that module, too
    with (folder / "log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", loads, *_arguments(folder, discord)),
            env=_environment(folder, settings),
            stderr=log,
            stdout=subprocess.DEVNULL,
        )
        async with _killed(process):
            yield process


def _arguments(folder: Path, discord: Gateway) -> tuple[str, ...]:
    return discord.url, discord.gateway, str(folder / "holds")


def _environment(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    values = {
        "DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'games.sqlite'}",
        "DISCORD_TOKEN": "token",
        "EXIT_DELAY_S": "0",
        "LOG_FORMAT": "json",
    }
    return {**_ENVIRONMENT, **values, **settings}


@asynccontextmanager
async def _killed(process: asyncio.subprocess.Process | Forked) -> AsyncIterator[None]:
    try:
        yield
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def log_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log").read_text("utf-8").splitlines() if re.match(r"\{.*\}$", line)]

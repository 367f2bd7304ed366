"""Serves the sandbox's page and its requests, on this machine's own address only."""

from __future__ import annotations

import asyncio
import functools
import importlib.resources
import mimetypes
import re
import signal
import socket
from collections.abc import Awaitable, Callable

import msgspec
from aiohttp import web
from babel.messages.pofile import read_po

from bot.sandbox import acts, private
from bot.sandbox.screen import acted, glance, offers, screen
from bot.sandbox.world import Refused, World
from bot.words.i18n import Catalogue
from bot.words.whole import playable
from rules.registry import RULESETS

HOST = "127.0.0.1"
LANGUAGES = {"en": "en-US", "hu": "hu"}
"""The page's languages, and what Discord calls them."""
_PAGE = importlib.resources.files("bot.sandbox") / "page"
_PICTURES = ("image/png", "image/webp", "image/gif", "image/jpeg")
_WORLD = web.AppKey("world", World)
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def application(world: World) -> web.Application:
    """Return the page of a world as an aiohttp application."""
    app = web.Application(middlewares=[_guard])
    app[_WORLD] = world
    app.router.add_get("/", _page)
    app.router.add_get("/page/{name}", _page)
    app.router.add_get("/words/{language}", _words)
    app.router.add_get("/screen", _screen)
    app.router.add_get("/commands", _commands)
    app.router.add_get("/media/{id}", _media)
    app.router.add_get("/emoji", _emoji)
    app.router.add_post("/do", _do)
    return app


def listen(port: int) -> socket.socket:
    """Bind a port of this machine; 0 takes a free one. Raises `OSError`."""
    return socket.create_server((HOST, port))


async def serve(world: World, door: socket.socket, ready: Callable[[str], None]) -> None:
    """Serve the page until Ctrl-C or SIGTERM; calls `ready` with its address."""
    runner = web.AppRunner(application(world), access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.SockSite(runner, door).start()
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        ready(f"http://{HOST}:{door.getsockname()[1]}/")
        await stop.wait()
    finally:
        await runner.cleanup()


@web.middleware
async def _guard(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse requests that don't come from this page: other sites in the same browser, other names for this address."""
    if request.host.rpartition(":")[0] not in (HOST, "localhost"):
        raise web.HTTPForbidden(text="not this host")
    if request.method == "POST" and request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(text="JSON only")
    response = await handler(request)
    response.headers.update(_HEADERS)
    return response


async def _page(request: web.Request) -> web.Response:
    name = request.match_info.get("name", "index.html")
    file = next((file for file in _PAGE.iterdir() if file.name == name), None)  # so that no path leads elsewhere
    if file is None:
        raise web.HTTPNotFound
    kind = mimetypes.guess_type(name)[0]
    return web.Response(
        body=file.read_bytes(), content_type=kind, charset="utf-8", headers={"Cache-Control": "no-cache"}
    )


async def _words(request: web.Request) -> web.Response:
    language = request.match_info["language"]
    if language not in LANGUAGES:
        raise web.HTTPNotFound
    return _json({"locale": LANGUAGES[language], "words": _catalogue(language), "games": _games(language)})


@functools.cache
def _catalogue(language: str) -> dict[str, str]:
    with (importlib.resources.files("data.shared") / f"{language}.po").open("rb") as file:
        known = read_po(file, locale=language)
    return {str(entry.id): str(entry.string) for entry in known if str(entry.id).startswith("sandbox.")}


@functools.cache
def _games(language: str) -> list[dict[str, str]]:
    """Return the guide's text for each game, in the game's own words; `lesson` is empty if it has none."""
    found = []
    for system in playable():
        words, first = Catalogue.load(language, system), RULESETS[system].lessons[:1]
        lesson = "".join(words.say(f"lesson.{one.key}.title") for one in first)
        found.append({"system": system, "name": words.say("game"), "guide": words.say("guide"), "lesson": lesson})
    return found


async def _screen(request: web.Request) -> web.Response:
    world = request.app[_WORLD]
    if request.query.get("since") == str(world.version):
        return web.Response(status=204)
    player, channel = _whereabouts(request)
    return _json(screen(world, player, channel))


async def _commands(request: web.Request) -> web.Response:
    player, channel = _whereabouts(request)
    return _json(offers(request.app[_WORLD], player, channel, request.query.get("locale", "")))


def _whereabouts(request: web.Request) -> tuple[int, int]:
    """Return who is looking at which channel; by default the first player at the common channel."""
    world = request.app[_WORLD]
    player, channel = (request.query.get(key, "") for key in ("player", "channel"))
    known = next((one for one in world.players if str(one) == player), world.players[0])
    return known, int(channel) if re.fullmatch(r"[0-9]{1,20}", channel) else 0


async def _media(request: web.Request) -> web.Response:
    blobs = private.blobs(request.app[_WORLD].env.backend)
    address = next((address for address in blobs if address.split("/")[-2] == request.match_info["id"]), None)
    if address is None:
        raise web.HTTPNotFound
    kind = mimetypes.guess_type(address)[0]
    safe = kind if kind in _PICTURES else "application/octet-stream"
    return web.Response(body=blobs[address], content_type=safe, headers={"Cache-Control": "private, max-age=31536000"})


async def _emoji(_request: web.Request) -> web.FileResponse:
    font = private.emoji_font()
    if font is None:
        raise web.HTTPNotFound
    return web.FileResponse(font, headers={"Cache-Control": "private, max-age=31536000"})


async def _do(request: web.Request) -> web.Response:
    try:
        act = msgspec.json.decode(await request.read(), type=acts.Any, strict=False)  # ids come as text
    except msgspec.DecodeError as error:
        return _json({"refused": str(error)}, status=400)
    world = request.app[_WORLD]
    whose = (act.player, act.channel) if isinstance(act, acts.PlayerAct) and act.player in world.players else None
    before = glance(world, *whose) if whose else None
    try:
        reply = await world.do(act)
    except Refused as refused:
        return _json({"refused": str(refused)}, status=409)
    if whose and before:
        acted(world, *whose, before)
    return _json(reply)


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(body=private.encode(value), status=status, content_type="application/json")

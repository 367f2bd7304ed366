"""Serves the sandbox's page and its requests, on the local address only."""

from __future__ import annotations

import asyncio
import functools
import importlib.resources
import mimetypes
import re
import signal
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import simcord
from aiohttp import web
from babel.messages.pofile import read_po

from bot.pages.folder import PageFolder
from bot.pages.site import create_site
from bot.sandbox import acts, private
from bot.sandbox.known import encode_json
from bot.sandbox.screen import draw_screen, note_action, offered_commands, screen_state
from bot.sandbox.world import PAGE_LOCALES, SandboxWorld, SimulatorRefusal
from bot.texts.i18n import Catalogue, language_for_locale, languages
from bot.texts.whole import playable_systems
from rules.core.registry import RULESETS

HOST = "127.0.0.1"
PAGES_PATH = "/pages"
_PAGE_FOLDER = importlib.resources.files("bot.sandbox") / "page"
_PICTURE_TYPES = ("image/png", "image/webp", "image/gif", "image/jpeg")
_WORLD_KEY = web.AppKey("world", SandboxWorld)
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def create_application(world: SandboxWorld) -> web.Application:
    app = web.Application(middlewares=[_refuse_foreign_requests])
    app[_WORLD_KEY] = world
    app.router.add_get("/", _get_page)
    app.router.add_get("/page/{name}", _get_page)
    app.router.add_get("/words/{locale:[A-Za-z]{2,3}(?:-[A-Za-z]+)?}", _get_texts)
    app.router.add_get("/screen", _get_screen)
    app.router.add_get("/commands", _get_commands)
    app.router.add_get("/media/{id}", _get_media)
    app.router.add_get("/emoji", _get_emoji_font)
    app.router.add_post("/do", _post_action)
    if world.pages_folder:
        site = create_site(PageFolder(world.pages_folder), world.public_url, on_request=world.draw_pages_again)
        app.add_subapp(PAGES_PATH, site)
    return app


def bind_port(port: int) -> socket.socket:
    """Bind a local port; 0 takes a free one. Raises `OSError`."""
    return socket.create_server((HOST, port))


async def serve_page(world: SandboxWorld, listener: socket.socket, ready: Callable[[str], None]) -> None:
    """Serve the page until Ctrl-C or SIGTERM; call `ready` with its address."""
    runner = web.AppRunner(create_application(world), access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        ready(f"http://{HOST}:{listener.getsockname()[1]}/")
        await stop.wait()
    finally:
        await runner.cleanup()


@web.middleware
async def _refuse_foreign_requests(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse requests from other sites in the same browser, or with other host names."""
    if request.host.rpartition(":")[0] not in (HOST, "localhost"):
        raise web.HTTPForbidden(text="not this host")
    if request.method == "POST" and request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(text="JSON only")
    response = await handler(request)
    for name, value in _HEADERS.items():  # pages of games have their own
        response.headers.setdefault(name, value)
    return response


async def _get_page(request: web.Request) -> web.Response:
    name = request.match_info.get("name", "index.html")
    file = next((file for file in _PAGE_FOLDER.iterdir() if file.name == name), None)  # other paths are not accessible
    if file is None:
        raise web.HTTPNotFound
    kind = mimetypes.guess_type(name)[0]
    return web.Response(
        body=file.read_bytes(), content_type=kind, charset="utf-8", headers={"Cache-Control": "no-cache"}
    )


async def _get_texts(request: web.Request) -> web.Response:
    language = language_for_locale(request.match_info["locale"])
    all_languages = languages()
    next_language = all_languages[(all_languages.index(language) + 1) % len(all_languages)]
    return _json_response(
        {
            "language": language,
            "next": next_language,
            "locale": PAGE_LOCALES[language],
            "words": _page_texts(language),
            "games": _game_guides(language),
        }
    )


@functools.cache
def _page_texts(language: str) -> dict[str, str]:
    with (importlib.resources.files("data.shared") / f"{language}.po").open("rb") as file:
        entries = read_po(file, locale=language)
    return {str(entry.id): str(entry.string) for entry in entries if str(entry.id).startswith("sandbox.")}


@functools.cache
def _game_guides(language: str) -> list[dict[str, str]]:
    """Return each game's name, guide and first lesson; `lesson` is empty if it has none."""
    guides = []
    for system in playable_systems():
        catalogue = Catalogue.load(language, system)
        lessons = RULESETS[system].lessons
        lesson = catalogue.say(f"lesson.{lessons[0].key}.title") if lessons else ""
        guide = catalogue.say("guide")
        guides.append({"system": system, "name": catalogue.say("game"), "guide": guide, "lesson": lesson})
    return guides


async def _get_screen(request: web.Request) -> web.Response:
    world = request.app[_WORLD_KEY]
    if request.query.get("since") == str(world.version):
        return web.Response(status=204)
    player, channel = _viewer_and_channel(request)
    return _json_response(draw_screen(world, player, channel))


async def _get_commands(request: web.Request) -> web.Response:
    player, channel = _viewer_and_channel(request)
    return _json_response(offered_commands(request.app[_WORLD_KEY], player, channel, request.query.get("locale", "")))


def _viewer_and_channel(request: web.Request) -> tuple[int, int]:
    """Return player and channel of a request; the default is the first player, and 0 for the common channel."""
    world = request.app[_WORLD_KEY]
    player_text = request.query.get("player", "")
    channel_text = request.query.get("channel", "")
    player = next((player for player in world.players if str(player) == player_text), world.players[0])
    channel = int(channel_text) if re.fullmatch(r"[0-9]{1,20}", channel_text) else 0
    return player, channel


async def _get_media(request: web.Request) -> web.Response:
    blobs = private.uploaded_files(request.app[_WORLD_KEY].env.backend)
    address = next((address for address in blobs if address.split("/")[-2] == request.match_info["id"]), None)
    if address is None:
        raise web.HTTPNotFound
    kind = mimetypes.guess_type(address)[0]
    safe_type = kind if kind in _PICTURE_TYPES else "application/octet-stream"  # never run as a page
    return web.Response(
        body=blobs[address], content_type=safe_type, headers={"Cache-Control": "private, max-age=31536000"}
    )


async def _get_emoji_font(_request: web.Request) -> web.FileResponse:
    # A desktop may have none; simcord's preview brings one.
    fonts = Path(simcord.__file__).parent / "preview" / "static" / "fonts"
    font = next(iter(sorted(fonts.glob("noto-color-emoji*.ttf"))), None)
    if font is None:
        raise web.HTTPNotFound
    return web.FileResponse(font, headers={"Cache-Control": "private, max-age=31536000"})


async def _post_action(request: web.Request) -> web.Response:
    try:
        act = msgspec.json.decode(await request.read(), type=acts.AnyAction, strict=False)  # ids come as text
    except msgspec.DecodeError as error:
        return _json_response({"refused": str(error)}, status=400)
    world = request.app[_WORLD_KEY]
    player_and_channel = (
        (act.player, act.channel) if isinstance(act, acts.PlayerAction) and act.player in world.players else None
    )
    state_before = screen_state(world, *player_and_channel) if player_and_channel else None
    try:
        reply = await world.perform(act)
    except SimulatorRefusal as refusal:
        return _json_response({"refused": str(refusal)}, status=409)
    if player_and_channel and state_before:
        note_action(world, *player_and_channel, state_before)
    return _json_response(reply)


def _json_response(value: object, status: int = 200) -> web.Response:
    return web.Response(body=encode_json(value), status=status, content_type="application/json")

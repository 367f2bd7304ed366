"""The site: serves pages of games and rulebooks from the folder that the bot writes. It knows no secrets.

It has no cookies, no forms and no database. Every address of a game contains the game's key.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.resources
import mimetypes
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import jinja2
import msgspec
from aiohttp import web
from markupsafe import Markup as SafeMarkup
from markupsafe import escape

from bot.pages.folder import FILE_PATTERN, KEY_PATTERN, PageFolder, page_address
from bot.pages.values import GameHead, PageStep, StepEntry
from bot.pages.wording import PageTexts, language_of, lines_as_html, safe_html
from bot.texts import speech
from bot.texts.i18n import DEFAULT_LANGUAGE, Catalogue, Localizer, languages
from bot.texts.rule_text import describe_rule
from bot.texts.rulebooks import Book, load_rulebook
from bot.texts.story import tell_story
from bot.texts.style import HTML_STYLE, PLAIN_STYLE
from bot.texts.whole import playable_systems
from rules.core.registry import RULESETS
from rules.core.rulebook import RULE_NUMBER
from rules.core.sides import letter_of
from rules.core.view import View
from rules.interface import outcomes

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MAX_STREAMS: Final = 200
"""Readers that are told of new steps at once; all others ask every `POLL_S` seconds."""
WATCH_S: Final = 1.0
POLL_S: Final = 10
_KEEPALIVE_S: Final = 25.0
_MAX_STORY_CHARS: Final = 100_000
_STEP_PATTERN: Final = r"r[0-9]{1,5}\.[0-9]{1,5}"
_FOREVER: Final = "public, max-age=31536000, immutable"
_NEVER: Final = "no-store"
_CONTENT_TYPES: Final = {
    ".json": "application/json",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
_DETAIL_MARK: Final = "· "
"""Before a story's line about one step of a round."""
_STATIC_FOLDER: Final = importlib.resources.files("bot.pages") / "static"
_TEMPLATE_FOLDER: Final = importlib.resources.files("bot.pages") / "templates"
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def create_site(folder: PageFolder, public_url: str) -> web.Application:
    """Return the application. `public_url` is the address at which readers find its root."""
    site = _Site(folder, public_url)
    app = web.Application(middlewares=[_add_headers, site.explain_missing], client_max_size=1024)
    app.router.add_get("/", site.get_start)
    app.router.add_get("/robots.txt", site.get_robots)
    app.router.add_get("/static/{name}", site.get_static)
    app.router.add_get("/rules/{system:[a-z][a-z0-9_]*}", site.get_rules)
    game = f"/g/{{key:{KEY_PATTERN}}}"
    app.router.add_get(game, site.get_game)
    app.router.add_get(game + "/head", site.get_head)
    app.router.add_get(game + "/live", site.get_live, allow_head=False)
    app.router.add_get(game + f"/{{label:{_STEP_PATTERN}}}", site.get_game)
    app.router.add_get(game + f"/part/{{label:{_STEP_PATTERN}}}", site.get_part)
    app.router.add_get(game + f"/{{name:{FILE_PATTERN}}}", site.get_file)
    app.on_shutdown.append(site.close)
    return app


@web.middleware
async def _add_headers(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        response = await handler(request)
    except web.HTTPException as error:
        error.headers.update(_HEADERS)
        error.headers["Cache-Control"] = _NEVER
        raise
    if not response.prepared:
        response.headers.update(_HEADERS)
    return response


class _Site:
    def __init__(self, folder: PageFolder, public_url: str) -> None:
        self._folder = folder
        self._public_url = public_url.rstrip("/")
        self._base = urlsplit(self._public_url).path  # in front of all paths
        self._stream_count = 0
        self._is_closing = asyncio.Event()
        self._templates = jinja2.Environment(
            loader=jinja2.FunctionLoader(lambda name: (_TEMPLATE_FOLDER / name).read_text("utf-8")),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    async def close(self, _app: web.Application) -> None:
        self._is_closing.set()

    @web.middleware
    async def explain_missing(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a reader who opens an address without a page in words."""
        try:
            return await handler(request)
        except web.HTTPNotFound:
            if "text/html" not in request.headers.get("Accept", ""):
                raise
            page = self._page("missing.html", language_of(request), f"{self._base}/", title="War Galley")
            page.set_status(web.HTTPNotFound.status_code)
            return page

    # --- pages -------------------------------------------------------------------------------------------------

    async def get_start(self, request: web.Request) -> web.Response:
        language = language_of(request)
        books = [(system, Catalogue.load(language, system).say("game")) for system in playable_systems()]
        return self._page("start.html", language, f"{self._base}/", title="War Galley", books=books)

    async def get_game(self, request: web.Request) -> web.Response:
        key, label = request.match_info["key"], request.match_info.get("label")
        head = await self._read_head(key)
        language = language_of(request, head.language)
        entry = _find_entry(head, label)
        step = await self._read_step(key, entry)
        shown = _describe_step(head, step, language, self._base)
        index = head.steps.index(entry)
        return self._page(
            "game.html",
            language,
            f"{self._base}/g/{key}" + (f"/{label}" if label else ""),
            title=head.titles[language],
            key=key,
            head=head,
            entry=entry,
            step=shown,
            before=head.steps[index - 1].label if index else None,
            after=head.steps[index + 1].label if index + 1 < len(head.steps) else None,
            index=index,
            address=page_address(self._public_url, key),
            picture_address=f"{page_address(self._public_url, key)}/{entry.picture}",
            captains=_describe_captains(head, language),
            result=[SafeMarkup(line) for line in head.result.get(language, ())],  # noqa: S704 - HTML of our own style
            closing=[lines_as_html(line) for line in head.closing.get(language, ())],
            about=_about_lines(head, language),
            poll_s=POLL_S,
        )

    async def get_part(self, request: web.Request) -> web.Response:
        """Return the part of a game's page that shows one step."""
        key = request.match_info["key"]
        head = await self._read_head(key)
        language = language_of(request, head.language)
        entry = _find_entry(head, request.match_info["label"])
        shown = _describe_step(head, await self._read_step(key, entry), language, self._base)
        html = self._templates.get_template("step.html").render(
            base=self._base, key=key, entry=entry, step=shown, t=PageTexts(language)
        )
        return web.Response(text=html, content_type="text/html", headers={"Cache-Control": _NEVER})

    async def get_rules(self, request: web.Request) -> web.Response:
        language, system = language_of(request), request.match_info["system"]
        if system not in playable_systems() or (book := load_rulebook(system, language)) is None:
            raise web.HTTPNotFound
        html = await asyncio.to_thread(self._render_rules, book, language, system)
        return web.Response(text=html, content_type="text/html", headers={"Cache-Control": _NEVER})

    def _render_rules(self, book: Book, language: str, system: str) -> str:
        return self._templates.get_template("rules.html").render(
            **self._page_values(language, f"{self._base}/rules/{system}"),
            title=str(replace(Localizer(Catalogue.load(language, system)), style=PLAIN_STYLE).say("game")),
            book=_describe_book(book, self._base),
        )

    def _page(self, template: str, language: str, path: str, **values: Any) -> web.Response:  # noqa: ANN401 - of any template
        html = self._templates.get_template(template).render(**self._page_values(language, path), **values)
        return web.Response(text=html, content_type="text/html", headers={"Cache-Control": _NEVER})

    def _page_values(self, language: str, path: str) -> dict[str, Any]:
        return {
            "base": self._base,
            "language": language,
            "path": path,
            "languages": languages(),
            "t": PageTexts(language),
            "styles": _static_name("page.css"),
            "script": _static_name("page.js"),
            "icon": _static_name("icon.svg"),
        }

    # --- what the page's script asks for ------------------------------------------------------------------------

    async def get_head(self, request: web.Request) -> web.Response:
        head = await self._read_head(request.match_info["key"])
        body = _head_json(head)
        tag = hashlib.sha256(body).hexdigest()[:32]
        headers = {"Cache-Control": "no-cache", "ETag": f'"{tag}"'}
        if any(known.value == tag for known in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        return web.Response(body=body, content_type="application/json", headers=headers)

    async def get_live(self, request: web.Request) -> web.StreamResponse:
        """Send a line whenever the game's head changes, until it has no page any more."""
        key = request.match_info["key"]
        sent = _head_json(await self._read_head(key))
        if self._stream_count >= MAX_STREAMS:
            raise web.HTTPServiceUnavailable(headers={"Retry-After": str(POLL_S)})
        self._stream_count += 1
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": _NEVER, **_HEADERS}
        )
        try:
            await response.prepare(request)
            await response.write(b"data: " + sent + b"\n\n")
            silent_s = 0.0
            while not self._is_closing.is_set():
                try:
                    await asyncio.wait_for(self._is_closing.wait(), WATCH_S)
                except TimeoutError:
                    silent_s += WATCH_S
                head = await asyncio.to_thread(self._folder.read_head, key)
                if head is None:
                    await response.write(b"event: gone\ndata: \n\n")
                    break
                if (body := _head_json(head)) != sent:
                    sent, silent_s = body, 0.0
                    await response.write(b"data: " + sent + b"\n\n")
                elif silent_s >= _KEEPALIVE_S:
                    silent_s = 0.0
                    await response.write(b": still here\n\n")
            return response
        except ConnectionError:  # the reader has left
            return response
        finally:
            self._stream_count -= 1

    async def get_file(self, request: web.Request) -> web.StreamResponse:
        path = await asyncio.to_thread(self._folder.file_path, request.match_info["key"], request.match_info["name"])
        if path is None:
            raise web.HTTPNotFound
        kind = _CONTENT_TYPES[path.suffix]
        return web.FileResponse(path, headers={"Cache-Control": _FOREVER, "Content-Type": kind})

    async def get_static(self, request: web.Request) -> web.Response:
        name = re.sub(r"\.[0-9a-f]{12}\.", ".", request.match_info["name"])
        body = _static_files().get(name)
        if body is None:
            raise web.HTTPNotFound
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        is_named_by_content = request.match_info["name"] == _static_name(name)
        caching = _FOREVER if is_named_by_content else "no-cache"
        return web.Response(body=body, content_type=kind, charset="utf-8", headers={"Cache-Control": caching})

    async def get_robots(self, _request: web.Request) -> web.Response:
        return web.Response(text="User-agent: *\nDisallow: /\n", content_type="text/plain")

    # --- the folder --------------------------------------------------------------------------------------------

    async def _read_head(self, key: str) -> GameHead:
        head = await asyncio.to_thread(self._folder.read_head, key)
        if head is None or not head.steps or head.system not in playable_systems():
            raise web.HTTPNotFound
        return head

    async def _read_step(self, key: str, entry: StepEntry) -> PageStep:
        step = await asyncio.to_thread(self._folder.read_step, key, entry.data)
        if step is None:
            raise web.HTTPNotFound
        return step


class StepDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A step in the reader's language; texts are safe HTML."""

    heading: SafeMarkup  # the round
    headline: SafeMarkup
    lines: tuple[SafeMarkup, ...]  # the story
    score: SafeMarkup | None
    explanations: tuple[SafeMarkup, ...]  # each event with dice, sums and rules
    table: tuple[SafeMarkup, ...]  # the position in words
    alt: str  # what the picture shows


def _find_entry(head: GameHead, label: str | None) -> StepEntry:
    """Return a step by its label, or the newest one. Raises `HTTPNotFound`."""
    if label is None:
        return head.steps[-1]
    entry = next((entry for entry in head.steps if entry.label == label), None)
    if entry is None:
        raise web.HTTPNotFound
    return entry


def _describe_step(head: GameHead, step: PageStep, language: str, base: str) -> StepDescription:
    rules = RULESETS[step.system]
    catalogue = Catalogue.load(language, step.system)
    plain = Localizer(catalogue, head.captains[language], style=PLAIN_STYLE)
    givers = {seat: plain.say(f"giver.{key}", who=seat) for seat, key in step.late.items()}
    localizer = replace(plain, style=HTML_STYLE, giver_names=givers)
    try:
        view: View = msgspec.json.decode(step.view, type=rules.view_type)
        events = msgspec.json.decode(step.events, type=tuple[rules.event_type, ...])  # type: ignore[name-defined]
    except msgspec.DecodeError as error:  # another version of the game wrote it
        raise web.HTTPNotFound from error
    quiet_key = "headline.waits" if step.awaits else "headline.quiet"
    if not step.round and catalogue.has("story.opening"):
        quiet_key = "story.opening"
    ships = outcomes.story_ships(step.holders, None, step.teams, events)
    story = tell_story(localizer, events, None, _MAX_STORY_CHARS, quiet_key=quiet_key, story_ships=ships)
    if step.caption:
        view = msgspec.structs.replace(view, phase=step.caption)
    missed = [localizer.say("thread.missed_line", who=seat) for seat in step.missed]
    return StepDescription(
        heading=safe_html(localizer.say("round", round=step.round) if step.round else localizer.say("page.prepared")),
        headline=safe_html(story.headline),
        lines=tuple(map(_story_line, [*story.lines, *missed])),
        score=safe_html(localizer.say_text(view.score)) if view.score else None,
        explanations=tuple(_link_rules(speech.explained_line(localizer, event), base, language) for event in events),
        table=tuple(safe_html(line) for page in speech.table_pages(localizer, view) for line in page.split("\n")),
        alt=speech.alt_text(plain, view, events),
    )


def _about_lines(head: GameHead, language: str) -> list[SafeMarkup]:
    """Return where the game is played, and until when orders are due."""
    texts = PageTexts(language)
    place = [escape(head.server)] if head.server else []
    return [*place, *([texts("deadline", when=head.deadline)] if head.deadline else [])]


def _story_line(html: str) -> SafeMarkup:
    """Return a line of a story; one that belongs to the line before is set off by a style in place of a mark."""
    is_detail = html.startswith(_DETAIL_MARK)
    return safe_html(f'<li class="detail">{html.removeprefix(_DETAIL_MARK)}</li>' if is_detail else f"<li>{html}</li>")


def _describe_captains(head: GameHead, language: str) -> list[tuple[str, str]]:
    """Return the letter and the captain's name of each seat."""
    names = head.captains[language]
    return [(letter_of(seat), names.get(seat, "")) for seat in range(head.seat_count)]


@cache
def _describe_book(book: Book, base: str) -> dict[str, Any]:
    """Return a rulebook for its template: the turn, then chapters of rules, with links from rule to rule."""
    chapters = []
    for chapter in book.facts.chapters:
        rules = []
        for number in chapter.rules:
            rule = describe_rule(book, book.rules[number], style=HTML_STYLE)
            parts = [*rule.paragraphs, *rule.terms, *rule.changes]
            rules.append(
                {
                    "number": number,
                    "title": safe_html(rule.title),
                    "paragraphs": [_link_rules(part, base, book.language) for part in parts],
                    "table": rule.table,
                    "source": [_link_rules(part, base, book.language) for part in rule.source],
                }
            )
        title = HTML_STYLE.fill_sentence(book.texts.chapters[chapter.key], ())
        chapters.append({"key": chapter.key, "title": safe_html(title), "rules": rules})
    turn = [_link_rules(HTML_STYLE.fill_sentence(line, ()), base, book.language) for line in book.texts.turn]
    return {"turn": turn, "chapters": chapters}


def _link_rules(html: str, base: str, language: str) -> SafeMarkup:
    """Make each number of a rule in a text a link to the rule."""

    def link(match: re.Match[str]) -> str:
        system = _systems_of_rules().get(match[0])
        return f'<a href="{base}/rules/{system}?lang={language}#{match[0]}">{match[0]}</a>' if system else match[0]

    return safe_html(RULE_NUMBER.sub(link, html))


@cache
def _systems_of_rules() -> dict[str, str]:
    """Return the game of each numbered rule."""
    books = {system: load_rulebook(system, DEFAULT_LANGUAGE) for system in playable_systems()}
    return {number: system for system, book in books.items() if book for number in book.rules}


def _head_json(head: GameHead) -> bytes:
    """Return what a page's script needs to know of a game: its steps."""
    return msgspec.json.encode({"steps": [entry.label for entry in head.steps], "over": head.is_over})


@cache
def _static_files() -> dict[str, bytes]:
    return {
        file.name: file.read_bytes() for file in _STATIC_FOLDER.iterdir() if file.name.endswith((".css", ".js", ".svg"))
    }


@cache
def _static_name(name: str) -> str:
    """Return a file's name with a hash of its content."""
    stem, _, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(_static_files()[name]).hexdigest()[:12]}.{suffix}"

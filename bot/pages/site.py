"""The site: serves pages of games and rulebooks from the folder that the bot writes. It knows no secrets.

It has no cookies, no forms and no database. Every address of a game contains the game's key.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.resources
import logging
import mimetypes
import re
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import jinja2
import msgspec
from aiohttp import web
from markupsafe import Markup as SafeMarkup

from bot.pages.archive import ArchivePages
from bot.pages.describing import NotDrawn, about_lines, describe_step, link_rules
from bot.pages.downloads import DownloadPages
from bot.pages.folder import FILE_PATTERN, KEY_PATTERN, PageFolder, page_address
from bot.pages.headers import HEADERS
from bot.pages.sending import FileSender, break_off_slow_answers
from bot.pages.values import GameHead, PageStep, StepEntry
from bot.pages.watching import Watcher
from bot.pages.wording import PageTexts, language_of, lines_as_html, safe_html
from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.rule_text import describe_rule
from bot.texts.rulebooks import Book, load_rulebook
from bot.texts.style import HTML_STYLE, PLAIN_STYLE, HtmlMarkup, Markup
from bot.texts.whole import playable_systems

log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MAX_STREAMS: Final = 200
"""Readers that are told of new steps at once; all others ask every `POLL_S` seconds."""
POLL_S: Final = 10
_KEEPALIVE_S: Final = 25.0
CHECK_S: Final = 1.0
"""A stream notices this soon that its reader has left. A line that is sent tells it only of the line before."""
_MARK_DIGITS: Final = 8
_STEP_PATTERN: Final = r"r[0-9]{1,5}\.[0-9]{1,5}"
_FOREVER: Final = "public, max-age=31536000, immutable"
_NEVER: Final = "no-store"
_HAS_BEGUN: Final = web.RequestKey("has_begun", bool)  # whether a part of the answer has been sent
_CONTENT_TYPES: Final = {
    ".json": "application/json",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
_STATIC_FOLDER: Final = importlib.resources.files("bot.pages") / "static"
_TEMPLATE_FOLDER: Final = importlib.resources.files("bot.pages") / "templates"


def create_site(
    folder: PageFolder, public_url: str, *, on_request: Callable[[], None] = lambda: None
) -> web.Application:
    """Return the application. `public_url` is the address at which readers find its root.

    It calls `on_request` after it has left a request for pictures in the folder, for a bot in the same process.
    """
    site = _Site(folder, public_url, on_request)
    app = web.Application(
        middlewares=[break_off_slow_answers, _answer_errors, site.explain_missing], client_max_size=1024
    )
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
    site.archives.add_routes(app)
    DownloadPages(folder, site.base, site.render_page, site.request_drawing, site.files).add_routes(app)
    app.on_response_prepare.append(_add_headers)
    app.on_shutdown.append(site.close)
    return app


@web.middleware
async def _answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPException:
        raise
    except Exception as error:
        # Neither the path of the request nor that of a file is logged, because they contain the game's key.
        resource = request.match_info.route.resource
        path = resource.canonical if resource else ""
        if isinstance(error, OSError):
            log.error("a page was not served", extra={"path": path, "why": error.strerror})
        else:
            log.exception("a page was not served", extra={"path": path})
        if _HAS_BEGUN in request:  # another answer would be taken for more of this one
            if request.transport:
                request.transport.abort()
            raise ConnectionResetError("an answer was broken off") from error
        return web.Response(status=500, text="500: Internal Server Error")


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    request[_HAS_BEGUN] = True
    response.headers.update(HEADERS)
    response.headers.setdefault("Cache-Control", _NEVER)
    if response.status == web.HTTPExpectationFailed.status_code:  # of which no middleware knows
        response.force_close()


class _Site:
    def __init__(self, folder: PageFolder, public_url: str, on_request: Callable[[], None]) -> None:
        self._folder = folder
        self._on_request = on_request
        self._public_url = public_url.rstrip("/")
        self.base = urlsplit(self._public_url).path  # in front of all paths
        self.archives: Final = ArchivePages(folder, self.base, self.render_page)
        self._stream_count = 0
        self.files: Final = FileSender()
        self._is_closing = False
        self._watcher = Watcher(self._read_head_json)
        self._templates = _load_templates()
        self._rulebooks: dict[tuple[str, str], bytes] = {}  # HTML by game and language

    async def close(self, _app: web.Application) -> None:
        self._is_closing = True
        self._watcher.wake_all()

    @web.middleware
    async def explain_missing(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a reader who opens an address without a page in words."""
        try:
            return await handler(request)
        except NotDrawn:
            return await self._ask_for_drawing(request)
        except web.HTTPNotFound:
            if "text/html" not in request.headers.get("Accept", ""):
                raise
            page = self.render_page("missing.html", language_of(request), f"{self.base}/", title="War Galley")
            page.set_status(web.HTTPNotFound.status_code)
            return page

    # --- pages -------------------------------------------------------------------------------------------------

    async def get_start(self, request: web.Request) -> web.Response:
        language = language_of(request)
        localizers = {
            system: Localizer(Catalogue.load(language, system), style=HTML_STYLE) for system in playable_systems()
        }
        books = [(system, localizer.say("game"), _intro(localizer)) for system, localizer in localizers.items()]
        return self.render_page("start.html", language, f"{self.base}/", title="War Galley", books=books)

    async def get_game(self, request: web.Request) -> web.Response:
        key, label = request.match_info["key"], request.match_info.get("label")
        head = await self._read_head(key)
        language = language_of(request, head.language)
        entry = _find_entry(head, label)
        step = await self._read_step(key, entry)
        description = describe_step(head, entry, step, language, self.base)
        index = head.steps.index(entry)
        return self.render_page(
            "game.html",
            language,
            f"{self.base}/g/{key}" + (f"/{label}" if label else ""),
            title=head.titles[language],
            key=key,
            head=head,
            entry=entry,
            step=description,
            before=head.steps[index - 1].label if index else None,
            first=head.steps[0].label if index else None,
            last=head.steps[-1].label if index + 1 < len(head.steps) else None,
            after=head.steps[index + 1].label if index + 1 < len(head.steps) else None,
            index=index,
            address=page_address(self._public_url, key),
            picture_address=f"{page_address(self._public_url, key)}/{entry.picture}",
            result=_describe_result(head, language),
            closing=[lines_as_html(line) for line in head.closing.get(language, ())],
            closing_title=PageTexts(language, head.system)("end"),
            proof=safe_html(head.proof.get(language, "")),
            about=about_lines(head, language),
            poll_s=POLL_S,
            round_text=_round_text(head, language),
            book=safe_html(Localizer(Catalogue.load(language, head.system), style=HTML_STYLE).say("game")),
            related=await self._describe_related(head, language),
        )

    async def _describe_related(self, head: GameHead, language: str) -> list[SafeMarkup]:
        """Return a link to each game that belongs to this one and has a page."""
        texts, links = PageTexts(language), list[SafeMarkup]()
        for related in head.related:
            other = await asyncio.to_thread(self._folder.read_head, related.key)
            if other and other.steps:
                link = SafeMarkup('<a href="{}/g/{}?lang={}">{}</a>')
                title = link.format(self.base, related.key, language, other.titles[language])
                line = texts.localizer.say(f"page.related.{related.relation}", game=HtmlMarkup(title))
                links.append(safe_html(line))
        return links

    async def _ask_for_drawing(self, request: web.Request) -> web.Response:
        """Have a game's pictures drawn again. Return a page that says so and loads itself again."""
        await self.request_drawing(request.match_info["key"])
        page = self.render_page("drawing.html", language_of(request), self.base + request.path, title="War Galley")
        page.set_status(web.HTTPServiceUnavailable.status_code)
        page.headers["Retry-After"] = str(POLL_S)
        return page

    async def request_drawing(self, key: str, *, film: bool = False) -> None:
        await asyncio.to_thread(self._folder.request_drawing, key, film=film)
        self._on_request()

    async def get_part(self, request: web.Request) -> web.Response:
        """Return the part of a game's page that shows one step."""
        key = request.match_info["key"]
        head = await self._read_head(key)
        language = language_of(request, head.language)
        entry = _find_entry(head, request.match_info["label"])
        description = describe_step(head, entry, await self._read_step(key, entry), language, self.base)
        html = self._templates.get_template("part.html").render(
            base=self.base, key=key, entry=entry, step=description, t=PageTexts(language)
        )
        return web.Response(text=html, content_type="text/html", headers={"Cache-Control": _NEVER})

    async def get_rules(self, request: web.Request) -> web.Response:
        language, system = language_of(request), request.match_info["system"]
        if system not in playable_systems() or (book := load_rulebook(system, language)) is None:
            raise web.HTTPNotFound
        if (system, language) not in self._rulebooks:
            html = await asyncio.to_thread(self._render_rules, book, language, system)
            self._rulebooks[system, language] = html.encode()
        html_bytes = self._rulebooks[system, language]
        return web.Response(
            body=html_bytes, content_type="text/html", charset="utf-8", headers={"Cache-Control": _NEVER}
        )

    def _render_rules(self, book: Book, language: str, system: str) -> str:
        localizer = Localizer(Catalogue.load(language, system), style=HTML_STYLE)
        return self._templates.get_template("rules.html").render(
            **self._page_values(language, f"{self.base}/rules/{system}"),
            title=safe_html(localizer.say("game")),
            intro=_intro(localizer),
            search_script=_static_name("rules.js"),
            book=_describe_book(book, self.base),
        )

    def render_page(self, template: str, language: str, path: str, **values: Any) -> web.Response:  # noqa: ANN401 - of any template
        html = self._templates.get_template(template).render(**self._page_values(language, path), **values)
        return web.Response(text=html, content_type="text/html", headers={"Cache-Control": _NEVER})

    def _page_values(self, language: str, path: str) -> dict[str, Any]:
        return {
            "base": self.base,
            "language": language,
            "path": path,
            "languages": languages(),
            "t": PageTexts(language),
            "styles": _static_name("page.css"),
            "script": _static_name("page.js"),
            "waiting_script": _static_name("waiting.js"),
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
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": _NEVER})
        try:
            await response.prepare(request)
            await response.write(b"data: " + sent + b"\n\n")
            loop = asyncio.get_running_loop()
            next_line_at = loop.time() + _KEEPALIVE_S
            async with self._watcher.watch(key, sent) as watch:
                while not (self._is_closing or _has_left(request)):
                    await watch.wait_for_change(sent, CHECK_S)
                    if watch.content is None:
                        await response.write(b"event: gone\ndata: \n\n")
                        break
                    is_changed = watch.content != sent
                    if is_changed or loop.time() >= next_line_at:
                        sent, next_line_at = watch.content, loop.time() + _KEEPALIVE_S
                        await response.write(b"data: " + sent + b"\n\n" if is_changed else b": still here\n\n")
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
        return await self.files.send(request, path, {"Cache-Control": _FOREVER, "Content-Type": kind})

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

    async def _read_head_json(self, key: str) -> bytes | None:
        head = await asyncio.to_thread(self._folder.read_head, key)
        return _head_json(head) if head else None

    async def _read_step(self, key: str, entry: StepEntry) -> PageStep:
        lacks_files = await asyncio.to_thread(self._folder.lacks_files, key, entry)
        step = None if lacks_files else await asyncio.to_thread(self._folder.read_step, key, entry.data)
        if step is None:
            raise NotDrawn
        return step


def _has_left(request: web.Request) -> bool:
    """Return whether a reader has closed the connection."""
    return request.transport is None or request.transport.is_closing()


def _find_entry(head: GameHead, label: str | None) -> StepEntry:
    """Return a step by its label, or the newest one. Raises `HTTPNotFound`."""
    if label is None:
        return head.steps[-1]
    entry = next((entry for entry in head.steps if entry.label == label), None)
    if entry is None:
        raise web.HTTPNotFound
    return entry


@cache
def _load_templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (_TEMPLATE_FOLDER / name).read_text("utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


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
                    "tags": ", ".join(book.texts.tags[tag] for tag in book.facts.rules[number].tags),
                    "paragraphs": [link_rules(part, base, book.language) for part in parts],
                    "table": rule.table,
                    "source": [link_rules(part, base, book.language) for part in rule.source],
                }
            )
        title = HTML_STYLE.fill_sentence(book.texts.chapters[chapter.key], ())
        chapters.append({"key": chapter.key, "title": safe_html(title), "rules": rules})
    turn = [link_rules(HTML_STYLE.fill_sentence(line, ()), base, book.language) for line in book.texts.turn]
    return {"turn": turn, "chapters": chapters}


def _intro(localizer: Localizer) -> SafeMarkup:
    """Return what a game is about and who wins it; empty if it doesn't say that."""
    key = "page.intro"
    return safe_html(localizer.say(key) if localizer.catalogue.has(key) else "")


def _describe_result(head: GameHead, language: str) -> list[SafeMarkup]:
    """Return who has won, and the reasons; empty while the game is played."""
    lines = head.result.get(language, ())
    if not lines:
        return []
    return [PageTexts(language)("result_is", result=HtmlMarkup(lines[0])), *map(safe_html, lines[1:])]


def _round_text(head: GameHead, language: str) -> str:
    """Return how the game names a round, with `{n}` for its number."""
    catalogue = Catalogue.load(language, head.system)
    return Localizer(catalogue, style=PLAIN_STYLE).say("round", round=Markup("{n}"))


def _head_json(head: GameHead) -> bytes:
    """Return what a page's script needs to know of a game: its steps, and for each a mark that changes with it."""
    labels = [entry.label for entry in head.steps]
    marks = [entry.data[:_MARK_DIGITS] + ("u" if entry.is_undone else "") for entry in head.steps]
    return msgspec.json.encode({"steps": labels, "marks": marks, "over": head.is_over})


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

"""Downloads of a finished game: its record, its film and its pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, Protocol

from aiohttp import web

from bot.pages.archive import RenderPage
from bot.pages.folder import KEY_PATTERN, PageFolder
from bot.pages.values import NO_FILM, GameHead
from bot.pages.wording import PageTexts, language_of
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import HTML_STYLE


class RequestDrawing(Protocol):
    def __call__(self, key: str, *, film: bool = False) -> Awaitable[None]: ...


class DownloadPages:
    def __init__(self, folder: PageFolder, base: str, render: RenderPage, request_drawing: RequestDrawing) -> None:
        """Create the handlers. `render` returns a page made from a template; `base` is in front of all paths."""
        self._folder = folder
        self._base = base
        self._render = render
        self._request_drawing = request_drawing

    def add_routes(self, app: web.Application) -> None:
        game = f"/g/{{key:{KEY_PATTERN}}}"
        app.router.add_get(f"{game}/files", self.get_files)
        app.router.add_get(f"{game}/record", self.get_record)

    async def get_files(self, request: web.Request) -> web.Response:
        """Return the list of files. The first reader has the whole game filmed, and lost pictures drawn again."""
        key, head = await self._read_head(request)
        language = language_of(request, head.language)
        stored = {*await asyncio.to_thread(self._folder.content_names, key)}
        lacks_film = head.film != NO_FILM and head.film not in stored
        lacks_pictures = any(step.picture not in stored for step in head.steps)
        if lacks_film or lacks_pictures:
            await self._request_drawing(key, film=lacks_film)
        address = f"{self._base}/g/{key}"
        return self._render(
            "files.html",
            language,
            f"{address}/files",
            title=head.titles[language],
            address=address,
            record_name=_record_name(head),
            film=head.film if head.film in stored else "",
            can_be_filmed=head.film != NO_FILM,
            is_waiting=lacks_film or lacks_pictures,
            steps=_describe_steps(head, stored, language),
        )

    async def get_record(self, request: web.Request) -> web.Response:
        key, head = await self._read_head(request)
        record = await asyncio.to_thread(self._folder.read_record, key)
        if record is None:
            raise web.HTTPNotFound
        headers = {
            "Cache-Control": "no-store",  # it has the captains' names
            "Content-Disposition": f'attachment; filename="{_record_name(head)}"',
        }
        return web.Response(body=record, content_type="application/json", headers=headers)

    async def _read_head(self, request: web.Request) -> tuple[str, GameHead]:
        """Return a finished game's key and head; a running game has no record yet."""
        key = request.match_info["key"]
        head = await asyncio.to_thread(self._folder.read_head, key)
        if head is None or not head.is_over:
            raise web.HTTPNotFound
        return key, head


def _record_name(head: GameHead) -> str:
    return f"war-galley-{head.number}.json"


def _describe_steps(head: GameHead, stored: set[str], language: str) -> list[dict[str, Any]]:
    localizer = Localizer(Catalogue.load(language, head.system), style=HTML_STYLE)
    texts = PageTexts(language)
    return [
        {
            "heading": localizer.say("round", round=step.round) if step.round else texts("prepared"),
            "label": step.label,
            "picture": step.picture if step.picture in stored else "",
            "film": step.film if step.film in stored else "",
        }
        for step in head.steps
    ]

"""Downloads of a finished game: its record, its film and its pictures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from io import RawIOBase
from pathlib import Path
from typing import Any, Final, Protocol
from zipfile import ZipFile, ZipInfo

from aiohttp import web

from bot.pages.archive import RenderPage
from bot.pages.describing import step_name
from bot.pages.folder import KEY_PATTERN, PageFolder
from bot.pages.sending import MAX_PART_S, DownloadPlaces, FileSender
from bot.pages.values import NO_FILM, GameHead
from bot.pages.wording import language_of
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import HTML_STYLE

MAX_ARCHIVES: Final = 8
"""Readers who download all pictures of a game at once; others are asked to wait."""
MIN_ARCHIVE_S: Final = 120.0
"""An archive that has been sent for so long ends when another reader needs its place."""
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)  # archives don't say when a picture was made


class RequestDrawing(Protocol):
    def __call__(self, key: str, *, film: bool = False) -> Awaitable[None]: ...


class DownloadPages:
    def __init__(
        self, folder: PageFolder, base: str, render: RenderPage, request_drawing: RequestDrawing, files: FileSender
    ) -> None:
        """Create the handlers. `render` returns a page made from a template; `base` is in front of all paths."""
        self._folder = folder
        self._base = base
        self._render = render
        self._request_drawing = request_drawing
        self._files = files
        self._places = DownloadPlaces()

    def add_routes(self, app: web.Application) -> None:
        game = f"/g/{{key:{KEY_PATTERN}}}"
        app.router.add_get(f"{game}/files", self.get_files)
        app.router.add_get(f"{game}/record", self.get_record)
        app.router.add_get(f"{game}/pictures.zip", self.get_pictures, allow_head=False)

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
            archive_bytes=await asyncio.to_thread(self._folder.content_bytes, key),
        )

    async def get_record(self, request: web.Request) -> web.StreamResponse:
        key, head = await self._read_head(request)
        path = await asyncio.to_thread(self._folder.record_path, key)
        if path is None:
            raise web.HTTPNotFound
        headers = {
            "Cache-Control": "no-store",  # it has the captains' names
            "Content-Disposition": f'attachment; filename="{_record_name(head)}"',
            "Content-Type": "application/json",
        }
        return await self._files.send(request, path, headers)

    async def get_pictures(self, request: web.Request) -> web.StreamResponse:
        """Send all pictures and films that are stored as one archive, file by file."""
        key, head = await self._read_head(request)
        response = web.StreamResponse(
            headers={
                "Content-Type": "application/zip",
                "Cache-Control": "no-store",
                "Content-Disposition": f'attachment; filename="war-galley-{head.number}.zip"',
            }
        )
        with self._places.take(request, MAX_ARCHIVES, MIN_ARCHIVE_S):
            await response.prepare(request)
            async for part in self._zip_pictures(key, head):
                await asyncio.wait_for(response.write(part), MAX_PART_S)
        return response

    async def _zip_pictures(self, key: str, head: GameHead) -> AsyncIterator[bytes]:
        """Yield the parts of an archive, which has only one file at a time in memory."""
        parts = _Parts()
        with ZipFile(parts, "w") as archive:  # pictures do not get smaller by compression
            for name, file_name in _archive_names(head):
                path = await asyncio.to_thread(self._folder.file_path, key, file_name)
                if path:
                    await asyncio.to_thread(_add_to_archive, archive, name, path)
                    yield parts.take()
        yield parts.take()

    async def _read_head(self, request: web.Request) -> tuple[str, GameHead]:
        """Return a finished game's key and head; a running game has no record yet."""
        key = request.match_info["key"]
        head = await asyncio.to_thread(self._folder.read_head, key)
        if head is None or not head.is_over:
            raise web.HTTPNotFound
        return key, head


class _Parts(RawIOBase):
    """A file that is written from the beginning to its end, and taken away part by part."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401 - any buffer
        self._written += data
        return len(data)

    def take(self) -> bytes:
        part = bytes(self._written)
        self._written.clear()
        return part


def _add_to_archive(archive: ZipFile, name: str, path: Path) -> None:
    archive.writestr(ZipInfo(name, _NO_TIME), path.read_bytes())


def _archive_names(head: GameHead) -> Iterator[tuple[str, str]]:
    """Yield the name in the archive of each picture and film, and the name of its file."""
    for step in head.steps:
        for kind, file_name in (("picture", step.picture), ("film", step.film)):
            if file_name:
                yield f"{step.label}-{kind}.{file_name.rpartition('.')[2]}", file_name
    if head.film and head.film != NO_FILM:
        yield f"game.{head.film.rpartition('.')[2]}", head.film


def _record_name(head: GameHead) -> str:
    return f"war-galley-{head.number}.json"


def _describe_steps(head: GameHead, stored: set[str], language: str) -> list[dict[str, Any]]:
    localizer = Localizer(Catalogue.load(language, head.system), style=HTML_STYLE)
    return [
        {
            "name": step_name(localizer, head, step),
            "label": step.label,
            "picture": step.picture if step.picture in stored else "",
            "film": step.film if step.film in stored else "",
        }
        for step in head.steps
    ]

"""Send files part by part to a limited number of readers, and no answer to a reader who doesn't take it.

A reader who reads slowly keeps a connection, and so an open file of the process, for as long as the reader likes.
Therefore each answer and each part of a file has a time limit, and when all places are taken, the longest download
makes room.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from aiohttp import web

MAX_DOWNLOADS: Final = 100
"""Readers who download large files at once; as many may download small ones, so that slow readers of films keep none
from pictures."""
MIN_DOWNLOAD_S: Final = 10.0
"""A download that has lasted so long ends when another reader needs its place."""
MAX_PART_S: Final = 60.0
"""A reader who does not take a page or a part of a file within this time loses the connection."""
RETRY_S: Final = 10
_PART_BYTES: Final = 2**18  # more than most pictures have


@web.middleware
async def break_off_slow_answers(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Send the rest of each answer within `MAX_PART_S`, else close the connection; aiohttp would wait without end."""
    if request.transport:
        request.transport.set_write_buffer_limits(0)  # an answer is sent when the kernel has all of it
    try:
        response = await handler(request)
    except web.HTTPException as error:
        await _send_rest(request, error)
        raise
    await _send_rest(request, response)
    return response


async def _send_rest(request: web.Request, response: web.StreamResponse) -> None:
    try:
        async with asyncio.timeout(MAX_PART_S):
            await response.prepare(request)
            await response.write_eof()
    except OSError:  # the reader has left or reads too slowly
        _close(request)


class _Download(NamedTuple):
    request: web.Request
    started_at: float  # by the clock of the event loop


class DownloadPlaces:
    def __init__(self) -> None:
        self._downloads: list[_Download] = []  # oldest first

    @contextmanager
    def take(self, request: web.Request, max_count: int, min_s: float) -> Iterator[None]:
        """Hold a place while a response is sent; on an error of the connection or the file, close the connection.

        If `max_count` readers have a place, the oldest download ends, or `HTTPServiceUnavailable` is raised if it has
        not lasted `min_s` seconds.
        """
        now = asyncio.get_running_loop().time()
        if len(self._downloads) >= max_count:
            if not self._downloads or now - self._downloads[0].started_at < min_s:
                refusal = web.HTTPServiceUnavailable(headers={"Retry-After": str(RETRY_S)})
                refusal.force_close()  # else it would wait for another request, and be one more open file
                raise refusal
            _close(self._downloads.pop(0).request)
        download = _Download(request, now)
        self._downloads.append(download)
        try:
            yield
        except OSError:  # the reader has left or reads too slowly, or the file was removed
            _close(request)
        finally:
            if download in self._downloads:
                self._downloads.remove(download)


class FileSender:
    def __init__(self) -> None:
        self._small, self._large = DownloadPlaces(), DownloadPlaces()

    async def send(self, request: web.Request, path: Path, headers: dict[str, str]) -> web.StreamResponse:
        """Send a file, always all of it: conditional requests would tell when it was written.

        `break_off_slow_answers` has to be in use.
        """
        response = web.StreamResponse(headers=headers)
        try:
            status = await asyncio.to_thread(path.stat)
        except FileNotFoundError:
            raise web.HTTPNotFound from None
        size = response.content_length = status.st_size
        if request.method == "HEAD":
            return response
        places = self._small if size <= _PART_BYTES else self._large
        with places.take(request, MAX_DOWNLOADS, MIN_DOWNLOAD_S):
            await response.prepare(request)
            for begin in range(0, size, _PART_BYTES):
                end = min(begin + _PART_BYTES, size)
                part = await asyncio.to_thread(_read_part, path, status, begin, end)
                send = response.write if end < size else response.write_eof  # which waits for small parts, too
                await asyncio.wait_for(send(part), MAX_PART_S)
        return response


def _read_part(path: Path, status: os.stat_result, begin: int, end: int) -> bytes:
    """Return a part of a file. Does not keep it open, so that a download holds one open file only."""
    with path.open("rb") as file:
        if not os.path.samestat(os.fstat(file.fileno()), status):
            raise OSError("a file has been replaced")
        file.seek(begin)
        part = file.read(end - begin)
    if len(part) < end - begin:
        raise OSError("a file has become shorter")
    return part


def _close(request: web.Request) -> None:
    if request.transport:
        request.transport.abort()

"""Keep the folder of pages in bounds, and draw again what readers ask for.

Files of finished games are removed some time after the end, or earlier if a server's pages take too much room. When
somebody opens such a page, the site leaves a request in the folder, because it knows neither bot nor database.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from bot.lifecycle.process.own_tasks import OwnTasks
from bot.pages.folder import PageFolder
from bot.services.pages import PageWriter
from bot.store import NotWritten, Store
from bot.store.models.records import Game

log = logging.getLogger(__name__)

POLL_S: Final = 2.0
SWEEP_S: Final = 3600.0
MAX_REDRAWN_PER_HOUR: Final = 60
"""Games that readers can have drawn again within an hour; further requests wait."""
_MEGABYTE: Final = 10**6
_DAY_S: Final = 86_400


class PageLimits(Struct, frozen=True, kw_only=True):
    days: int  # after the end of a game, or after its pictures were drawn again, until they are removed
    megabytes: int  # of one server's pages


class PageUpkeep:
    def __init__(
        self,
        store: Store,
        writer: PageWriter,
        limits: PageLimits,
        *,
        now: Callable[[], int],
        on_measured: Callable[[int], None],
        poll_s: float | None = POLL_S,
    ) -> None:
        """Create the upkeep, which calls `on_measured` with the bytes of all pages.

        It looks for requests every `poll_s` seconds; None: only when `answer_requests` is called.
        """
        self._store = store
        self._writer = writer
        self._folder: PageFolder = writer.folder
        self._limits = limits
        self._now = now
        self._on_measured = on_measured
        self._poll_s = poll_s
        self._own_tasks = OwnTasks()
        self._task: asyncio.Task[None] | None = None
        self._redrawn_at: deque[int] = deque()  # when games were drawn again within the last hour (Unix seconds)

    def start(self) -> None:
        if self._poll_s is not None and self._task is None:
            self._task = self._own_tasks.start_task(self._keep_running(self._poll_s), "upkeep of pages")

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _keep_running(self, poll_s: float) -> None:
        loop = asyncio.get_running_loop()
        next_sweep = loop.time()
        while True:
            try:
                if loop.time() >= next_sweep:
                    next_sweep = loop.time() + SWEEP_S
                    await self.sweep()
                await self.answer_requests()
            except (NotWritten, OSError) as error:
                log.warning("pages are not kept in bounds", extra={"why": str(error)})
            except Exception:
                log.exception("pages were not kept in bounds")
            await asyncio.sleep(poll_s)

    async def answer_requests(self) -> None:
        """Have games drawn again for which readers have asked."""
        for request in await asyncio.to_thread(self._folder.requests):
            async with self._store.read() as tx:
                game = await tx.games.by_page_key(request.key)
            if game is None:
                if self._writer.owns_folder:
                    await asyncio.to_thread(self._folder.drop_request, request)
                continue
            if not self._writer.is_responsible(game):
                continue  # another bot answers it
            if self._writer.is_drawing(game.id, film=request.film):  # a reader who waits asks again and again
                await asyncio.to_thread(self._folder.drop_request, request)
                continue
            if not self._may_redraw():
                return
            await asyncio.to_thread(self._folder.drop_request, request)
            await asyncio.to_thread(self._folder.note_use, request.key, self._now())
            self._writer.redraw(game.id, film=request.film)

    def _may_redraw(self) -> bool:
        now = self._now()
        while self._redrawn_at and self._redrawn_at[0] <= now - SWEEP_S:
            self._redrawn_at.popleft()
        if len(self._redrawn_at) >= MAX_REDRAWN_PER_HOUR:
            return False
        self._redrawn_at.append(now)
        return True

    async def sweep(self) -> None:
        """Remove what nothing names, what is too old, and what is too much for a server. Measure the rest."""
        await self._writer.check_pages(only_removes=True)
        self._writer.archives.wake_changed()
        self._writer.try_again()
        await self._writer.remove_strays()
        async with self._store.read() as tx:
            games = await tx.games.with_page_keys()
        own_games = [game for game in games if self._writer.is_responsible(game)]
        games_without_end = (game.id for game in own_games if game.phase == "over" and game.page_step != game.step_no)
        self._writer.check_threads(games_without_end)  # of these, some may have no thread any more
        await asyncio.to_thread(self._folder.remove_drafts)
        for game in own_games:
            await asyncio.to_thread(self._folder.remove_unnamed, game.page_key or "")
        sizes = await asyncio.to_thread(self._folder.sizes)
        by_server: dict[int, list[Game]] = {}
        for game in own_games:
            by_server.setdefault(game.guild_id, []).append(game)
        for server_games in by_server.values():
            await self._keep_limits(server_games, sizes)
        self._on_measured(sum((await asyncio.to_thread(self._folder.sizes)).values()))

    async def _keep_limits(self, games: list[Game], sizes: dict[str, int]) -> None:
        """Remove files of one server's games, those that have been unused for longest first."""
        uses: list[tuple[float, str]] = []
        for game in games:
            key = game.page_key or ""
            if game.phase == "over" and sizes.get(key):
                used_at = await asyncio.to_thread(self._folder.used_at, key)
                uses.append((max(game.ended_at or 0, used_at), key))
        total = sum(sizes.get(game.page_key or "", 0) for game in games)
        for used_at, key in sorted(uses):
            is_old = used_at < self._now() - self._limits.days * _DAY_S
            if is_old or total > self._limits.megabytes * _MEGABYTE:
                total -= await asyncio.to_thread(self._folder.remove_content, key)
        running = sorted((game for game in games if game.phase != "over"), key=lambda game: game.id)
        for game in running:
            if total > self._limits.megabytes * _MEGABYTE:
                total -= await self._writer.remove_films(game)
        if total > self._limits.megabytes * _MEGABYTE:
            log.warning("pages are larger than allowed", extra={"server": games[0].guild_id, "bytes": total})

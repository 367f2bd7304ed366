"""Write the pages of games: each step once the thread shows it, and whatever changes about a game."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from bot.errors import Refusal
from bot.jobs import page_steps
from bot.jobs.values import PictureStyle, StillSettings
from bot.jobs.workers import Workers
from bot.lifecycle.process.own_tasks import OwnTasks
from bot.pages.folder import PageFolder, new_key
from bot.pages.values import PageStep, StepEntry
from bot.presenters.pages import NewStep, PageFacts, page_head, read_page
from bot.presenters.reader import Reader
from bot.presenters.wording import stand_in_key
from bot.store import NotWritten, Store
from bot.store.models.records import Game, ServerRow
from bot.store.models.subjects import StartSubject
from rules.core.sides import letter_of

log = logging.getLogger(__name__)

PAGE_WIDTH_PX: Final = 1280
RETRY_S: Final = 60.0  # after the database or the folder could not be written


class PageWriter:
    """Keeps the pages of a bot's games up to date in a task of its own, one game after another."""

    def __init__(
        self,
        store: Store,
        workers: Workers,
        reader: Reader,
        folder: Path,
        *,
        now: Callable[[], int],
        is_readable: Callable[[Game], bool | None],
        on_messages_wanted: Callable[[], None],
        everywhere: bool = False,
    ) -> None:
        """Create a writer.

        `is_readable` returns whether everybody on its server may read the game's channel; None: it is unknown at the
        moment. With `everywhere`, servers have pages unless they turn them off.
        """
        self._store = store
        self._workers = workers
        self._reader = reader
        self.folder = PageFolder(folder)
        self._now = now
        self._is_readable = is_readable
        self._on_messages_wanted = on_messages_wanted
        self._everywhere = everywhere
        self._own_tasks = OwnTasks()
        self._task: asyncio.Task[None] | None = None
        self._waiting: dict[int, None] = {}  # ids of games to look at, in order
        self._closed = False
        self._lock = asyncio.Lock()
        """Held while a page begins or ends to be served, so that no removed page comes back."""

    def wake(self, game_ids: Iterable[int]) -> None:
        """Look at these games soon."""
        self._waiting |= dict.fromkeys(game_ids)
        if self._waiting and not self._closed and (self._task is None or self._task.done()):
            self._task = self._own_tasks.start_task(self._work(), "pages")

    def is_on(self, server: ServerRow) -> bool:
        """Return whether the games of a server have pages."""
        return self._everywhere if server.pages is None else server.pages

    async def check_pages(self, guild_id: int | None = None) -> None:
        """Remove at once what may not be shown any more, of one server or (None) of all; look at the rest soon."""
        async with self._store.read() as tx:
            game_ids = await tx.games.with_pages(guild_id, everywhere=self._everywhere)
        for game_id in game_ids:
            game, may_have_page = await self._find_game(game_id)
            if game and may_have_page is False:
                try:
                    await self._remove_page(game)
                except OSError:
                    self.wake([game_id])  # tries again, and logs it
            elif may_have_page:
                self.wake([game_id])

    async def start(self) -> None:
        """Remove pages that no game has any more, and look at all others."""
        async with self._store.read() as tx:
            keys = await tx.games.page_keys()
        for key in {*await asyncio.to_thread(self.folder.stored_keys)} - {*keys}:
            await asyncio.to_thread(self.folder.remove, key)
        await self.check_pages()

    async def settle(self) -> None:
        while self._task and not self._task.done():
            await asyncio.wait([self._task])

    async def close(self) -> None:
        self._closed = True
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        while self._waiting and not self._closed:
            game_id = next(iter(self._waiting))
            del self._waiting[game_id]
            try:
                await self.update_page(game_id)
            except Refusal:
                log.debug("a game without a page", extra={"game": game_id})  # it has been deleted, or has not begun
            except (NotWritten, OSError) as error:
                log.warning("a page waits", extra={"game": game_id, "why": str(error), "seconds": RETRY_S})
                self._waiting[game_id] = None
                await asyncio.sleep(RETRY_S)
            except Exception:
                log.exception("a page was not written", extra={"game": game_id})

    async def update_page(self, game_id: int) -> None:
        """Write what a game's page lacks; remove the page if the game may not have one. Raises `Refusal`."""
        game, may_have_page = await self._find_game(game_id)
        if game is None or may_have_page is None:
            return
        if not may_have_page:
            await self._remove_page(game)
            return
        if game.step_no < 0 or (game.phase == "over" and game.page_key is None):
            return
        key = game.page_key or await self._give_key(game_id)
        if key:
            await self._write_page(game_id, key)

    async def _find_game(self, game_id: int) -> tuple[Game | None, bool | None]:
        """Return a game, and whether it may have a page; None: that is unknown at the moment."""
        async with self._store.read() as tx:
            game = await tx.games.find_without_lock(game_id)
            server = await tx.servers.find(game.guild_id) if game else None
        if game is None or server is None:
            return None, None
        if game.private or game.phase == "cancelled" or not self.is_on(server):
            return game, False
        return game, self._is_readable(game)

    async def _remove_page(self, game: Game) -> None:
        if game.page_key is None:
            return
        async with self._lock:
            await asyncio.to_thread(self.folder.remove, game.page_key)
            async with self._store.write() as tx:
                await tx.games.change(game.id, page_key=None, page_step=None)
                await tx.messages.renew_keys(game.id, [StartSubject().key], now=self._now())
        self._on_messages_wanted()

    async def _give_key(self, game_id: int) -> str | None:
        """Store a key for a game's page. Return it, or None if the game has been deleted."""
        async with self._store.write() as tx:
            game = await tx.games.find_for_update(game_id)
            if game is None:
                return None
            key = game.page_key or new_key()
            await tx.games.change(game_id, page_key=key)
        return key

    async def _write_page(self, game_id: int, key: str) -> None:
        known = await asyncio.to_thread(self.folder.read_head, key)
        async with self._reader.open_game(game_id) as source:
            facts = await read_page(source, known)
        entries = await self._write_steps(key, facts)
        if not entries:
            return  # the thread shows nothing yet
        analysis = await self._reader.rounds.analyse_end(facts.end) if facts.end else None
        head, last_step = page_head(facts, entries, analysis), max(entry.last for entry in entries)
        async with self._lock:
            async with self._store.read() as tx:
                game = await tx.games.find_without_lock(game_id)
            if game is None or game.page_key != key:  # turned off meanwhile
                await asyncio.to_thread(self.folder.remove, key)
                return
            await asyncio.to_thread(self.folder.write_head, key, head)
            if game.page_step == last_step:
                return
            async with self._store.write() as tx:
                await tx.games.change(game_id, page_step=last_step)
                if game.page_step is None:  # from now on the thread's first message names the page
                    await tx.messages.renew_keys(game_id, [StartSubject().key], now=self._now())
        self._on_messages_wanted()

    async def _write_steps(self, key: str, facts: PageFacts) -> tuple[StepEntry, ...]:
        """Write the files of new steps. Return the list of all steps that the thread shows."""
        counts: Counter[int] = Counter()
        entries: list[StepEntry] = []
        for step in facts.steps:
            entry = step if isinstance(step, StepEntry) else await self._write_step(key, step, counts)
            counts[entry.round] += 1
            entries.append(entry)
        return tuple(entries)

    async def _write_step(self, key: str, new_step: NewStep, counts: Mapping[int, int]) -> StepEntry:
        """Write the files of a step. `counts`: how many earlier steps each round has."""
        facts = new_step.facts
        game = facts.seated_game.game
        style = PictureStyle(
            system=game.system,
            language="en",  # the picture has no words
            names={seat.seat: letter_of(seat.seat) for seat in facts.seated_game.seats},
            caption=facts.picture_caption,
            stills=StillSettings(format="webp", width_px=PAGE_WIDTH_PX),
        )
        content = facts.round_content
        drawn = await self._workers.run_illustration(
            lambda: True,
            page_steps.draw_page_step,
            game.system,
            content.state,
            content.events,
            style,
            round_number=facts.round,
            told_events_json=tuple(step.events for step in facts.steps),
        )
        film = await self._workers.run_illustration(
            lambda: True, page_steps.film_page_step, game.system, content.state, content.events, style
        )
        step = PageStep(
            system=game.system,
            round=facts.round,
            caption=facts.picture_caption,
            view=msgspec.Raw(drawn.view.encode()),
            events=msgspec.Raw(drawn.events.encode()),
            teams=game.setup.teams,
            holders=drawn.holders,
            seats=drawn.seats,
            outlines=drawn.outlines,
            size=drawn.size,
            late={seat: stand_in_key(facts.seated_game, giver) for seat, giver in sorted(facts.late_answers.items())},
            missed=facts.missed_seats,
            awaits=any(row.body.live for row in facts.next_requests),
        )
        picture = await asyncio.to_thread(self.folder.write_file, key, drawn.picture.data, drawn.picture.format)
        film_name = await asyncio.to_thread(self.folder.write_file, key, film.data, film.format) if film else ""
        data = await asyncio.to_thread(self.folder.write_step, key, step)
        return StepEntry(
            message=new_step.message,
            last=new_step.last,
            round=facts.round,
            label=f"r{facts.round}.{counts[facts.round] + 1}",
            data=data,
            picture=picture,
            film=film_name,
        )

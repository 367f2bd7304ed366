"""Write the pages of games: each step once the thread shows it, and whatever changes about a game."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import structs

from bot.errors import Refusal
from bot.jobs import page_steps
from bot.jobs.values import PictureStyle, StillSettings
from bot.jobs.workers import Workers
from bot.pages.describing import can_be_described, keepsakes_told
from bot.pages.folder import PageFolder, new_key
from bot.pages.values import NO_FILM, GameHead, PageSeat, PageStep, StepEntry
from bot.presenters.pages import NewStep, PageFacts, names_on_page, page_head, read_page
from bot.presenters.reader import Reader
from bot.presenters.wording import stand_in_key
from bot.record.writing import RecordFile
from bot.services.page_archive import ArchiveWriter
from bot.services.page_queue import PageQueue
from bot.store import NotWritten, Store
from bot.store.models.records import PAGE_REMOVED, Game, ServerRow
from bot.store.models.subjects import StartSubject
from bot.store.queries.transaction import Transaction
from rules.core.sides import letter_of

log = logging.getLogger(__name__)

PAGE_WIDTH_PX: Final = 1280
_OWNER_FACT: Final = "pages.owner"
THREAD_PAUSE_S: Final = 0.2  # between two threads about which Discord is asked


class PageWriter:
    """Keeps the pages of a bot's games up to date in the background.

    Lost files and films of whole games are drawn in a task of their own: they take long, and nothing else waits.
    """

    def __init__(
        self,
        store: Store,
        workers: Workers,
        reader: Reader,
        folder: Path,
        *,
        now: Callable[[], int],
        is_readable: Callable[[Game], bool | None],
        is_thread_deleted: Callable[[Game], Awaitable[bool]],
        thread_pause_s: float,
        on_messages_wanted: Callable[[], None],
        write_record: Callable[[int], Awaitable[RecordFile]],
        public_url: str = "",
        everywhere: bool = False,
    ) -> None:
        """Create a writer.

        `is_readable` returns whether everybody on its server may read the game's channel; None: it is unknown at the
        moment. `write_record` returns the record of a finished game. With `everywhere`, servers have pages unless
        they turn them off.
        """
        self._store = store
        self._workers = workers
        self._reader = reader
        self.folder = PageFolder(folder)
        self._now = now
        self._is_readable = is_readable
        self._on_messages_wanted = on_messages_wanted
        self._write_record = write_record
        self.public_url = public_url
        self._everywhere = everywhere
        self._is_thread_deleted = is_thread_deleted
        self._thread_pause_s = thread_pause_s
        self._names = PageQueue(self._withdraw_names, name="names on pages")
        self._games = PageQueue(self.update_page, name="pages")
        self._drawings = PageQueue(self._redraw, name="drawings of pages")
        self._threads = PageQueue(self._look_at_thread, name="threads of pages")
        self._joined_servers: set[int] = set()  # which the database may not know as present yet
        self._left_servers: set[int] = set()  # which the database may still know as present
        self.owns_folder: bool | None = None
        """Whether what no game of the database has may be removed from the folder; None: the folder isn't read yet."""
        self._checked_keys: set[str] = set()  # of pages whose files this version of the bot can read
        self._lock = asyncio.Lock()
        """Held while a page begins or ends to be served, so that no removed page comes back."""
        self.archives = ArchiveWriter(store, self.folder, has_pages=self._has_pages)

    def wake(self, game_ids: Iterable[int], *, first: bool = False) -> None:
        """Look at these games soon; before all others if they come `first`."""
        self._games.add(game_ids, first=first)

    def forget_names(self, game_id: int) -> None:
        """Remove at once what a game's page has of somebody who has been forgotten; write it again soon."""
        self._names.add([game_id])

    def try_again(self) -> None:
        """Look again soon at games whose pages could not be written."""
        for queue in (self._names, self._games):
            queue.try_again()

    def redraw(self, game_id: int, *, film: bool = False) -> None:
        """Draw a game's lost files soon, because a reader asks for them; also film all of it if that is asked."""
        self._drawings.add([(game_id, film)])

    def check_threads(self, game_ids: Iterable[int]) -> None:
        """Look soon at the threads of these finished games, and remove the pages of those that were deleted."""
        self._threads.add(game_ids)

    def is_drawing(self, game_id: int, *, film: bool) -> bool:
        """Return whether what a reader asks for is being drawn already, or waits for it."""
        return (game_id, True) in self._drawings or (game_id, film) in self._drawings

    def is_responsible(self, game: Game) -> bool:
        """Return whether this bot writes the game's page; of several bots, one does."""
        return self._is_readable(game) is not None

    def is_on(self, server: ServerRow) -> bool:
        """Return whether a server wants pages."""
        return self._everywhere if server.pages is None else server.pages

    async def _has_pages(self, tx: Transaction, server: ServerRow) -> bool:
        """Return whether the games of a server have pages: it wants them, and the bot is on it."""
        if not self.is_on(server) or server.guild_id in self._left_servers:
            return False
        return server.guild_id in self._joined_servers or await tx.servers.is_present(server.guild_id)

    async def check_pages(self, guild_id: int | None = None, *, only_removes: bool = False) -> None:
        """Remove at once what may not be shown any more, of one server or (None) of all; look at the rest soon."""
        forbidden = await self.remove_forbidden_files(guild_id)
        if not only_removes:
            async with self._store.read() as tx:
                game_ids = await tx.games.with_pages(guild_id, everywhere=self._everywhere)
            self.wake({*game_ids} - {game.id for game in forbidden})
        await self.archives.remove_unwanted()
        for game in forbidden:  # all files are gone before the database is written, which may be full
            try:
                await self._remove_page(game)
            except (NotWritten, OSError):
                self.wake([game.id])  # tries again, and logs it

    async def remove_forbidden_files(self, guild_id: int | None, channel_id: int | None = None) -> list[Game]:
        """Serve at once nothing more that may not be shown any more, of a server, a channel or (None) of all.

        Returns the games whose pages it has removed. It writes nothing into the database: `check_pages` has to follow.
        """
        async with self._store.read() as tx:
            games = await tx.games.with_page_keys(guild_id, channel_id)
            guild_ids = {game.guild_id for game in games}
            has_pages = {each: await self._has_pages(tx, await tx.servers.find(each)) for each in guild_ids}
        forbidden = [game for game in games if self._may_have_page(game, has_pages=has_pages[game.guild_id]) is False]
        for game in forbidden:
            await self._remove_files(game)
        await self.archives.remove_unwanted_files(guild_id)
        return forbidden

    def _may_have_page(self, game: Game, *, has_pages: bool) -> bool | None:
        """Return whether a game may have a page; None: that is unknown at the moment."""
        if game.private or game.phase == "cancelled" or not has_pages:
            return False
        return self._is_readable(game)

    async def _remove_files(self, game: Game) -> None:
        if game.page_key:  # without the lock, which may be held while the database is written
            with suppress(OSError):  # `_remove_page` tries again
                await asyncio.to_thread(self.folder.remove, game.page_key)
            self.archives.note_change(game.guild_id, game.page_key)

    async def start(self) -> None:
        """Look at all pages and at their threads, and remove those that no game has any more."""
        await self.check_pages()  # first, so that nothing closed is shown, whatever is wrong with the folder
        await self.archives.write_all_again()
        await self.check_finished_threads()
        self.owns_folder = None
        await self._try_to_remove_strays()

    async def check_finished_threads(self, guild_id: int | None = None) -> None:
        """Look soon whether threads of finished games still exist, of one server or (None) of all."""
        async with self._store.read() as tx:
            games = await tx.games.with_page_keys()
        self.check_threads(game.id for game in games if game.phase == "over" and guild_id in (None, game.guild_id))

    async def remove_strays(self) -> None:
        """Remove pages that no game has, and archives that no server has, unless the folder is another database's."""
        if not self.owns_folder:
            await self._claim_folder()
        if not self.owns_folder:
            return
        async with self._lock:
            stored_keys = await asyncio.to_thread(self.folder.stored_keys)
            async with self._store.read() as tx:  # later, because a key is stored before its folder appears
                keys = await tx.games.page_keys()
            for key in {*stored_keys} - {*keys}:
                try:
                    if await asyncio.to_thread(self.folder.has_only_our_files, key):
                        await asyncio.to_thread(self.folder.remove, key)
                except OSError as error:  # it may be no folder, or not ours
                    log.warning("pages are not kept in bounds", extra={"why": str(error)})
        await self.archives.remove_strays()

    async def _try_to_remove_strays(self) -> None:
        try:
            await self.remove_strays()
        except OSError as error:  # the next sweep tries again
            log.warning("pages are not kept in bounds", extra={"why": str(error)})

    async def forget_deleted_games(self, guild_ids: Collection[int]) -> None:
        """Remove what is left of games of these servers that have just been deleted."""
        await self._try_to_remove_strays()
        self.archives.wake(guild_ids)

    async def _claim_folder(self) -> None:
        async with self._store.read() as tx:
            owner = await tx.facts.find(_OWNER_FACT)
        if owner is None:
            async with self._store.write() as tx:
                owner = await tx.facts.find(_OWNER_FACT) or new_key()
                await tx.facts.store(_OWNER_FACT, owner)
        owns_folder = await asyncio.to_thread(self.folder.claim, owner)
        if self.owns_folder is None and not owns_folder:
            log.warning("pages of another database are in the folder", extra={"folder": str(self.folder.root)})
        self.owns_folder = owns_folder

    def note_presence(self, guild_id: int, *, is_present: bool) -> None:
        """Note that a server has added or removed the bot; then `check_pages` has to follow."""
        if is_present:
            self._joined_servers.add(guild_id)
            self._left_servers.discard(guild_id)
        else:
            self._joined_servers.discard(guild_id)
            self._left_servers.add(guild_id)

    def forget_presence(self, guild_id: int | None = None) -> None:
        """Rely on the database again for whether a server, or (None) any server, has the bot.

        It knows by now, or another process serves the server from now on.
        """
        for servers in (self._joined_servers, self._left_servers):
            servers.difference_update([*servers] if guild_id is None else [guild_id])

    def forget_departure(self, guild_id: int) -> None:
        """Rely on the database again for whether a server has removed the bot."""
        self._left_servers.discard(guild_id)

    async def forget_thread(self, thread_id: int) -> None:
        """Remove the page of a finished game whose thread was deleted, for good."""
        async with self._store.read() as tx:
            game = await tx.games.by_thread(thread_id)
        if game and game.phase == "over":
            await self._remove_page(game, for_good=True)

    async def _look_at_thread(self, game_id: int) -> None:
        """Remove the page of a finished game whose thread was deleted while the bot was away."""
        async with self._store.read() as tx:
            game = await tx.games.find_without_lock(game_id)
        if game is None or game.page_key is None or game.thread_id is None or not self.is_responsible(game):
            return
        if await self._is_thread_deleted(game):
            await self.forget_thread(game.thread_id)
        await asyncio.sleep(self._thread_pause_s)

    async def renew_key(self, game_id: int) -> str | None:
        """Give a game's page another address. Return its key, or None if the game has no page."""
        async with self._lock:
            async with self._store.read() as tx:
                game = await tx.games.find_without_lock(game_id)
            old_key = game.shown_page_key if game else None
            if game is None or old_key is None:
                return None
            key = new_key()
            await asyncio.to_thread(self.folder.move, old_key, key)
            try:
                async with self._store.write() as tx:
                    await tx.games.change(game_id, page_key=key)
                    await tx.messages.renew_keys(game_id, [StartSubject().key], now=self._now())
            except NotWritten:
                if await asyncio.to_thread(self.folder.is_withdrawn, old_key):  # the page was closed meanwhile
                    await asyncio.to_thread(self.folder.remove, key)
                else:
                    await asyncio.to_thread(self.folder.move, key, old_key)
                raise
            if await asyncio.to_thread(self.folder.is_withdrawn, old_key):
                await asyncio.to_thread(self.folder.remove, key)
                return None
            await asyncio.to_thread(self.folder.withdraw, old_key)
        self.archives.note_change(game.guild_id, key)
        await self.archives.update(game.guild_id)
        self._on_messages_wanted()
        async with self._store.read() as tx:
            related_ids = [other.id for other in await tx.games.related_pages(game)]
        self.wake([game_id, *related_ids])
        return key

    async def remove_films(self, game: Game) -> int:
        """Remove the films of a game's steps except the last. Return their bytes."""
        key = game.page_key or ""
        async with self._lock:
            head = await asyncio.to_thread(self.folder.read_head, key)
            if head is None:
                return 0
            films = {step.film for step in head.steps[:-1]} - {head.steps[-1].film}
            steps = (*(structs.replace(step, film="") for step in head.steps[:-1]), *head.steps[-1:])
            await asyncio.to_thread(self.folder.write_head, key, structs.replace(head, steps=steps))
            return await asyncio.to_thread(self.folder.remove_files, key, films)

    async def settle(self) -> None:
        """Wait until nothing is left to do, for tests."""
        queues = (self._names, self._games, self._drawings, self._threads, self.archives.queue)
        while any(queue.is_busy for queue in queues):
            for queue in queues:
                await queue.settle()

    async def close(self) -> None:
        for queue in (self._names, self._games, self._drawings, self._threads, self.archives.queue):
            await queue.close()

    async def _withdraw_names(self, game_id: int) -> None:
        """Remove old names from a game's page at once, and write it again soon. Raises `Refusal`."""
        await self._remove_names(game_id)
        self.wake([game_id], first=True)

    async def _remove_names(self, game_id: int) -> None:
        """Remove old names, and all that only workers can write without them. Raises `Refusal`."""
        async with self._lock:
            async with self._reader.open_game(game_id) as source:
                game, seated_game = source.game, source.seated_game
            key = game.page_key or ""
            known = await asyncio.to_thread(self.folder.read_head, key) if key else None
            if known:
                titles, captains = names_on_page(seated_game, known.steps)
                nameless = structs.replace(known, titles=titles, captains=captains, result={}, closing={}, record="")
                await asyncio.to_thread(self.folder.remove_record, key)
                try:
                    await asyncio.to_thread(self.folder.write_head, key, nameless)
                except OSError:  # as when the disk is full: no page is shown rather than the old names
                    await asyncio.to_thread(self.folder.remove_head, key)
                    self.archives.note_change(game.guild_id, key)
                    raise
        if known:
            self.archives.note_change(game.guild_id, key)

    async def _remove_old_names(self, game: Game) -> None:
        known = await asyncio.to_thread(self.folder.read_head, game.page_key) if game.page_key else None
        if known:
            async with self._reader.open_game(game.id) as source:
                facts = await read_page(source, known, lost=())
            if _has_old_names(known, facts):
                await self._remove_names(game.id)

    async def update_page(self, game_id: int) -> None:
        """Write what a game's page lacks; remove the page if the game may not have one. Raises `Refusal`."""
        game, may_have_page = await self._find_game(game_id)
        if game is None:
            return
        if may_have_page is None:
            await self._remove_old_names(game)  # whatever is unknown at the moment
            return
        if not may_have_page:
            await self._remove_page(game)
            return
        has_had_page = game.page_key is not None or game.page_step is not None
        if game.step_no < 0 or (game.phase == "over" and not has_had_page):
            return
        key = game.page_key
        if key is None or await asyncio.to_thread(self.folder.is_withdrawn, key):
            key = await self._give_key(game_id)
        if key:
            await self._write_page(game_id, key)

    async def _redraw(self, drawing: tuple[int, bool]) -> None:
        """Draw the lost files of a game's page; film the whole game if that is asked, too."""
        game_id, is_filmed = drawing
        game, may_have_page = await self._find_game(game_id)
        if game and game.page_key and may_have_page:
            await self._write_page(game_id, game.page_key, is_asked=True)
            if is_filmed:
                await self._film_game(game_id, game.page_key)

    async def _find_game(self, game_id: int) -> tuple[Game | None, bool | None]:
        """Return a game, and whether it may have a page; None: that is unknown at the moment."""
        async with self._store.read() as tx:
            game = await tx.games.find_without_lock(game_id)
            if game is None:
                return None, None
            has_pages = await self._has_pages(tx, await tx.servers.find(game.guild_id))
        return game, self._may_have_page(game, has_pages=has_pages)

    async def _remove_page(self, game: Game, *, for_good: bool = False) -> None:
        if game.page_key is None:
            if for_good and game.page_step is not None:  # its page was off when its thread was deleted
                async with self._store.write() as tx:
                    await tx.games.change(game.id, page_step=None)
            return
        async with self._lock:
            await asyncio.to_thread(self.folder.remove, game.page_key)
            async with self._store.write() as tx:
                await tx.games.change(game.id, page_key=None, page_step=None if for_good else PAGE_REMOVED)
                await tx.messages.renew_keys(game.id, [StartSubject().key], now=self._now())
        self.archives.note_change(game.guild_id, game.page_key)
        self._on_messages_wanted()

    async def _give_key(self, game_id: int) -> str | None:
        """Store a key for a game's page if it has none in use. Return it, or None if the game has been deleted."""
        async with self._store.write() as tx:
            game = await tx.games.find_for_update(game_id)
            if game is None:
                return None
            key = game.page_key
            if key is None or await asyncio.to_thread(self.folder.is_withdrawn, key):
                key = new_key()
                await tx.games.change(game_id, page_key=key)
                if game.shown_page_key is not None:  # an older database names a key that was renewed since
                    await tx.messages.renew_keys(game_id, [StartSubject().key], now=self._now())
        return key

    async def _write_page(self, game_id: int, key: str, *, is_asked: bool = False) -> None:
        """Write what a page lacks. Of a finished game, lost files are drawn only if a reader has asked for them."""
        while not await self._try_to_write_page(game_id, key, is_asked=is_asked):
            pass

    async def _try_to_write_page(self, game_id: int, key: str, *, is_asked: bool) -> bool:
        """Write what a page lacks. Return False if something else has changed it meanwhile."""
        known = await asyncio.to_thread(self.folder.read_head, key)
        if is_asked:
            self._checked_keys.discard(key)
        lost = await asyncio.to_thread(self._lost_steps, key, known) if known else set()
        async with self._reader.open_game(game_id) as source:
            is_drawn = is_asked or source.game.phase != "over"
            facts = await read_page(source, known, lost=lost if is_drawn else ())
        if known and _has_old_names(known, facts):
            await self._remove_names(game_id)  # before drawings and records, which may wait or fail
            return False
        entries = await self._write_steps(key, facts, draws=is_drawn or known is not None)
        if not entries:
            return True  # the thread shows nothing yet
        is_recorded = known and known.record == facts.record and await asyncio.to_thread(self.folder.has_record, key)
        record = await self._write_record(game_id) if facts.record and not is_recorded else None
        analysis = await self._reader.rounds.analyse_end(facts.end) if facts.end else None
        head, last_step = page_head(facts, entries, analysis), max(entry.last for entry in entries)
        head = structs.replace(head, film=known.film if known else "")
        async with self._lock:
            game, may_have_page = await self._find_game(game_id)
            is_allowed = game is not None and game.page_key == key and may_have_page is not False
            if game is None or not is_allowed or await asyncio.to_thread(self.folder.is_withdrawn, key):
                await asyncio.to_thread(self.folder.remove, key)  # it was closed or moved meanwhile
                return True
            if await asyncio.to_thread(self.folder.read_head, key) != known:
                return False  # what was read may name somebody who has been forgotten since
            if record:
                await asyncio.to_thread(self.folder.write_record, key, record.data)
            has_changed = await asyncio.to_thread(self.folder.write_head, key, head)
            if game.page_step == last_step:
                if has_changed:
                    self.archives.note_change(game.guild_id, key)
                return True
            async with self._store.write() as tx:
                await tx.games.change(game_id, page_step=last_step)
                if game.shown_page_key is None:  # from now on the thread's first message names the page
                    await tx.messages.renew_keys(game_id, [StartSubject().key], now=self._now())
        self.archives.note_change(game.guild_id, key)  # the archive lists the game only now
        self._on_messages_wanted()
        if game.shown_page_key is None:
            async with self._store.read() as tx:
                self.wake(other.id for other in await tx.games.related_pages(game))
        return True

    def _lost_steps(self, key: str, head: GameHead) -> set[str]:
        """Return the messages whose steps lack files, or have files that this version of the bot cannot read."""
        lost = {step.message for step in head.steps if self.folder.lacks_files(key, step)}
        if key not in self._checked_keys:
            steps = ((entry, self.folder.read_step(key, entry.data)) for entry in head.steps)
            lost |= {entry.message for entry, step in steps if not (step and can_be_described(step))}
            self._checked_keys.add(key)
        return lost

    async def _film_game(self, game_id: int, key: str) -> None:
        """Film a whole finished game."""
        head = await asyncio.to_thread(self.folder.read_head, key)
        stored = await asyncio.to_thread(self.folder.content_names, key)
        if head is None or not head.is_over or head.film in stored:
            return
        try:
            picture = await self._reader.pictures.film_for_page(game_id)
        except Refusal:  # it is too long, or there is nothing to film
            picture = None
        async with self._lock:
            async with self._store.read() as tx:
                game = await tx.games.find_without_lock(game_id)
            if game is None or game.page_key != key or await asyncio.to_thread(self.folder.is_withdrawn, key):
                return  # the page has moved or was removed meanwhile
            name = NO_FILM
            if picture:
                name = await asyncio.to_thread(self.folder.write_file, key, picture.data, picture.format)
            head = await asyncio.to_thread(self.folder.read_head, key)
            if head:
                await asyncio.to_thread(self.folder.write_head, key, structs.replace(head, film=name))

    async def _write_steps(self, key: str, facts: PageFacts, *, draws: bool) -> tuple[StepEntry, ...]:
        """Write the files of new steps if `draws`. Return the list of all steps that the thread shows."""
        counts: Counter[int] = Counter()
        entries: list[StepEntry] = []
        for step in facts.steps:
            if isinstance(step, StepEntry):
                entry = step
            elif draws:
                entry = await self._write_step(key, step, counts, entries[-1] if entries else None)
            else:
                entry = _new_entry(step, counts)
            counts[entry.round] += 1
            entries.append(entry)
        return tuple(entries)

    async def _write_step(
        self, key: str, new_step: NewStep, counts: Mapping[int, int], previous: StepEntry | None
    ) -> StepEntry:
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
            kept_window=previous.window if previous else None,
        )
        film = await self._workers.run_illustration(
            lambda: True,
            page_steps.film_page_step,
            game.system,
            content.state,
            content.events,
            style,
            round_number=facts.round,
            window=drawn.window,
        )
        step = PageStep(
            system=game.system,
            round=facts.round,
            caption=facts.picture_caption,
            view=msgspec.Raw(drawn.view.encode()),
            events=msgspec.Raw(drawn.events.encode()),
            teams=game.setup.teams,
            holders=drawn.holders,
            seats=await self._keep_sides(key, drawn.seats, previous),
            outlines=drawn.outlines,
            marks=drawn.marks,
            size=drawn.size,
            late={seat: stand_in_key(facts.seated_game, giver) for seat, giver in sorted(facts.late_answers.items())},
            missed=facts.missed_seats,
            awaits=any(row.body.live for row in facts.next_requests),
        )
        pictures = {"picture": drawn.picture, "film": film, "samples": drawn.samples}
        names = {
            kind: await asyncio.to_thread(self.folder.write_file, key, picture.data, picture.format) if picture else ""
            for kind, picture in pictures.items()
        }
        data = await asyncio.to_thread(self.folder.write_step, key, step)
        entry = structs.replace(_new_entry(new_step, counts), data=data, window=drawn.window, **names)
        if not game.setup.keepsakes:
            return entry
        return structs.replace(entry, keepsakes=await asyncio.to_thread(keepsakes_told, entry, step))

    async def _keep_sides(
        self, key: str, seats: tuple[PageSeat, ...], previous: StepEntry | None
    ) -> tuple[PageSeat, ...]:
        """Return the seats, with the sides of captains who have lost all their ships to captors since."""
        if all(seat.side for seat in seats) or previous is None or not previous.data:
            return seats
        known = await asyncio.to_thread(self.folder.read_step, key, previous.data)
        sides = [seat.side for seat in known.seats] if known else []
        if len(sides) != len(seats):
            return seats
        return tuple(structs.replace(seat, side=seat.side or side) for seat, side in zip(seats, sides, strict=True))


def _has_old_names(known: GameHead, facts: PageFacts) -> bool:
    is_record_old = known.record not in ("", facts.record)
    return is_record_old or (known.titles, known.captains) != names_on_page(facts.seated_game, known.steps)


def _new_entry(step: NewStep, counts: Mapping[int, int]) -> StepEntry:
    """Return the entry of a step that has not been drawn. `counts`: how many earlier steps each round has."""
    number = step.facts.round
    label = f"r{number}.{counts[number] + 1}"
    return StepEntry(message=step.message, last=step.last, round=number, label=label, data="", picture="")

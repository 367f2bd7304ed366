"""Write the archive of each server: a small file of its games with pages and their ladder, and one for each captain."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from msgspec import structs

from bot.lifecycle.ratings.ratings import MIN_RANKED_GAMES
from bot.pages.folder import PageFolder, new_key
from bot.pages.values import ArchivedCaptain, ArchivedGame, ArchiveHead, LadderLine
from bot.presenters.page_archive import ArchiveFacts, archived_game, captain_profiles, ladder_lines, read_archive
from bot.services.page_queue import PageQueue
from bot.store import NotWritten, Store
from bot.store.models.records import ServerRow
from bot.store.queries.transaction import Transaction

_TOKEN_DIGITS: Final = 22


class ArchiveWriter:
    """Keeps the archives of a bot's servers up to date in a task of its own.

    Methods may raise `NotWritten` and `OSError`.
    """

    def __init__(
        self, store: Store, folder: PageFolder, *, has_pages: Callable[[Transaction, ServerRow], Awaitable[bool]]
    ) -> None:
        """Create a writer. `has_pages` returns whether the games of a server have pages."""
        self._store = store
        self._folder = folder
        self._has_pages = has_pages
        self.queue = PageQueue(self.update, name="archives of pages")
        self._changed_keys: dict[int, set[str]] = {}  # by server: pages that have changed since its archive was written
        self._lock = asyncio.Lock()

    def note_change(self, guild_id: int, key: str) -> None:
        """Note that a game's page has changed; the archive follows soon."""
        self._changed_keys.setdefault(guild_id, set()).add(key)
        self.wake([guild_id])

    def wake(self, guild_ids: Iterable[int]) -> None:
        """Write the archives of these servers soon."""
        self.queue.add(guild_ids)

    def wake_changed(self) -> None:
        """Write those archives soon that could not be written when their games' pages changed."""
        self.wake(self._changed_keys)

    async def write_all_again(self) -> None:
        """Write all archives soon, because the bot may have been stopped after it had changed games and pages."""
        async with self._store.read() as tx:
            games = await tx.games.with_page_keys()
            guild_ids = [*await tx.servers.page_keys()]
        for game in games:
            self.note_change(game.guild_id, game.page_key or "")
        self.wake(guild_ids)

    async def update(self, guild_id: int) -> None:
        """Write the archive of a server; remove it if the server has no pages."""
        async with self._lock:
            changed_keys = self._changed_keys.pop(guild_id, set())
            try:
                await self._update(guild_id, changed_keys)
            except BaseException:
                self._changed_keys.setdefault(guild_id, set()).update(changed_keys)
                raise

    async def renew_key(self, guild_id: int) -> str | None:
        """Give a server's archive another address. Return its key, or None if the server has no archive."""
        async with self._lock:
            async with self._store.read() as tx:
                old_key = (await tx.servers.find(guild_id)).page_key
            if old_key is None:
                return None
            await asyncio.to_thread(self._folder.withdraw_archive, old_key)
            await self._store_key(guild_id, new_key())
        await self.update(guild_id)
        async with self._store.read() as tx:
            return (await tx.servers.find(guild_id)).page_key

    async def remove_strays(self) -> None:
        """Remove archives that no server has."""
        async with self._lock:
            stored_keys = await asyncio.to_thread(self._folder.stored_archives)
            async with self._store.read() as tx:  # later, because a key is stored before its folder appears
                keys = await tx.servers.page_keys()
            for key in {*stored_keys} - {*keys.values()}:
                await asyncio.to_thread(self._folder.remove_archive, key)

    async def remove_unwanted_files(self, guild_id: int | None) -> None:
        """Remove at once the archives of servers that have no pages any more, of one server or (None) of all.

        `remove_unwanted` has to follow.
        """
        async with self._store.read() as tx:
            guild_ids = [*await tx.servers.page_keys()] if guild_id is None else [guild_id]
            servers = [await tx.servers.find(each) for each in guild_ids]
            keys = [server.page_key for server in servers if server.page_key and not await self._has_pages(tx, server)]
        for key in keys:  # without the lock, which may be held while the database is written
            await asyncio.to_thread(self._folder.withdraw_archive, key)

    async def remove_unwanted(self) -> None:
        """Remove at once the archives of servers that have no pages any more."""
        async with self._store.read() as tx:
            guild_ids = [*await tx.servers.page_keys()]
        for guild_id in guild_ids:
            async with self._store.read() as tx:
                has_pages = await self._has_pages(tx, await tx.servers.find(guild_id))
            if not has_pages:
                try:
                    await self.update(guild_id)
                except (NotWritten, OSError):
                    self.wake([guild_id])  # tries again, and logs it

    async def _update(self, guild_id: int, changed_keys: set[str]) -> None:
        async with self._store.read() as tx:
            facts = await read_archive(tx, guild_id)
            has_pages = await self._has_pages(tx, facts.server)
        key = facts.server.page_key
        if not (has_pages and facts.games):
            if key and has_pages:  # a server that only has no games keeps its address
                await asyncio.to_thread(self._folder.remove_archive, key)
            elif key:
                await asyncio.to_thread(self._folder.withdraw_archive, key)
                await self._store_key(guild_id, None)
            return
        marks = await self._give_marks(facts)
        if key is None or await asyncio.to_thread(self._folder.is_withdrawn, key):  # an older database names an old one
            key = new_key()
            await self._store_key(guild_id, key)

        def token_of(user_id: int) -> str:
            mark = marks.get(user_id)
            return hashlib.sha256(f"{key}.{mark}".encode()).hexdigest()[:_TOKEN_DIGITS] if mark else ""

        await asyncio.to_thread(self._write, key, facts, changed_keys, token_of)

    def _write(self, key: str, facts: ArchiveFacts, changed_keys: set[str], token_of: Callable[[int], str]) -> None:
        known = self._folder.read_archive(key)
        known_games = {game.key: game for game in known.games} if known else {}
        games: list[ArchivedGame] = []
        shows_all_ends = True
        for game in facts.games:
            entry = known_games.get(game.page_key or "")
            if entry is None or entry.key in changed_keys:
                game_head = self._folder.read_head(game.page_key or "")
                if game_head is None:
                    continue  # it is being written
                entry = archived_game(game, game_head)
            shows_all_ends &= entry.is_over or game.phase != "over"
            users = [facts.users.get((game.id, seat)) for seat in range(len(entry.captains))]
            captains = zip(entry.captains, users, strict=True)
            games.append(structs.replace(entry, captains=tuple(_with_token(*who, token_of) for who in captains)))
        tokens = {token_of(user_id) for user_id in facts.users.values()}
        if shows_all_ends:
            ladder = ladder_lines(facts, token_of)
        else:  # a ladder would tell who won before the thread does
            ladder = _without_others(known.ladder if known else {}, tokens)
        head = ArchiveHead(
            server=facts.name,
            language=facts.language,
            games=tuple(games),
            ladder=ladder,
            min_ranked_games=MIN_RANKED_GAMES,
        )
        profiles = captain_profiles(facts, token_of) if shows_all_ends else {}
        try:
            self._folder.write_archive(key, head)
            self._folder.write_profiles(key, profiles, kept=tokens)
        except OSError:  # as when the disk is full: no archive is shown rather than names that may be forgotten
            self._folder.remove_archive(key)
            raise

    async def _give_marks(self, facts: ArchiveFacts) -> dict[int, str]:
        """Return by user the random marks from which their addresses are made; store those that are missing."""
        marks = {user_id: player.page_mark for user_id, player in facts.players.items()}
        unmarked = [user_id for user_id, mark in marks.items() if mark is None]
        if unmarked:
            async with self._store.write() as tx:
                for user_id, player in (await tx.players.find_all(unmarked)).items():
                    marks[user_id] = player.page_mark or new_key()
                    await tx.players.change(user_id, page_mark=marks[user_id])
        return {user_id: mark for user_id, mark in marks.items() if mark}

    async def _store_key(self, guild_id: int, key: str | None) -> None:
        async with self._store.write() as tx:
            await tx.servers.store(structs.replace(await tx.servers.find(guild_id), page_key=key))


def _with_token(captain: ArchivedCaptain, user_id: int | None, token_of: Callable[[int], str]) -> ArchivedCaptain:
    return structs.replace(captain, token=token_of(user_id) if user_id else "")


def _without_others(ladder: dict[str, tuple[LadderLine, ...]], tokens: set[str]) -> dict[str, tuple[LadderLine, ...]]:
    """Return a ladder without captains who have been forgotten since."""
    return {system: tuple(line for line in lines if line.token in tokens) for system, lines in ladder.items()}

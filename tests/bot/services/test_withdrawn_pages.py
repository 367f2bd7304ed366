"""Addresses of pages that were taken away show nothing again: not by a drawing that goes on, nor from a backup."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from bot.pages.folder import PageFolder, new_key
from bot.store import NotWritten, Store
from tests.bot.pages import key_of, page_files
from tests.bot.services.test_page_archive import archive_key
from tests.bot.services.test_page_upkeep import close_channel, folder, played, writer
from tests.sea import Sea


def is_served(folder: PageFolder, key: str) -> bool:
    return folder.read_head(key) is not None or folder.record_path(key) is not None


def database_of(sea: Sea) -> Path:
    return Path(str(make_url(sea.database_url).database))


def back_up(sea: Sea, to: Path) -> None:
    with sqlite3.connect(database_of(sea)) as source, sqlite3.connect(to) as copy:
        source.backup(copy)


async def restore(sea: Sea, backup: Path) -> None:
    """Put an older database beside the newer files of pages, and start the bot."""
    await sea.bot.close()
    database = database_of(sea)
    for suffix in ("-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    shutil.copy(backup, database)
    sea.bot = sea.make_bot()
    await sea.env.restart_bot(sea.bot)
    await sea.env.settle()
    await sea.settle()
    await page_files(sea)
    sea.faults.clear()


async def test_a_page_that_is_closed_while_it_is_drawn_again_does_not_come_back(
    site: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await played(site)
    key = key_of(site) or ""
    await asyncio.to_thread(folder(site).remove_content, key)
    write_step = writer(site)._write_step
    has_begun, may_go_on = asyncio.Event(), asyncio.Event()

    async def write_slowly(*args: Any) -> Any:
        has_begun.set()
        await may_go_on.wait()
        return await write_step(*args)

    @asynccontextmanager
    async def refuse(*_: object, **__: object) -> AsyncIterator[None]:
        raise NotWritten("the disk is full")
        yield

    monkeypatch.setattr(writer(site), "_write_step", write_slowly)
    writer(site).redraw(1)
    await asyncio.wait_for(has_begun.wait(), 60)
    with monkeypatch.context() as full:
        full.setattr(Store, "write", refuse)
        close_channel(site)
        await writer(site).check_pages(site.guild.id)
        assert not is_served(folder(site), key)
        may_go_on.set()
        for _ in range(6000):  # what failed waits for another attempt
            if writer(site)._drawings._handled is None:
                break
            await asyncio.sleep(0.01)
        assert not is_served(folder(site), key)
    site.faults.clear()


async def test_a_renewed_address_shows_nothing_after_an_older_backup_was_restored(site: Sea, tmp_path: Path) -> None:
    await played(site)
    old_key, old_archive = key_of(site) or "", archive_key(site) or ""
    back_up(site, tmp_path / "backup.sqlite")
    assert await writer(site).renew_key(1)
    assert await writer(site).archives.renew_key(site.guild.id)
    await page_files(site)
    await restore(site, tmp_path / "backup.sqlite")
    assert not is_served(folder(site), old_key)
    assert folder(site).read_archive(old_archive) is None
    assert is_served(folder(site), key_of(site) or ""), "it has a new address"
    assert folder(site).read_archive(archive_key(site) or "")


async def test_pages_that_were_turned_off_come_back_at_new_addresses_after_a_backup(site: Sea, tmp_path: Path) -> None:
    manager = await played(site)
    old_key, old_archive = key_of(site) or "", archive_key(site) or ""
    back_up(site, tmp_path / "backup.sqlite")
    await site.command(manager, "host settings", pages=False)
    await page_files(site)
    await restore(site, tmp_path / "backup.sqlite")
    assert not is_served(folder(site), old_key)
    assert folder(site).read_archive(old_archive) is None
    assert key_of(site) not in (None, old_key)


def test_nothing_is_written_at_a_withdrawn_address(tmp_path: Path) -> None:
    folder, key, other = PageFolder(tmp_path), new_key(), new_key()
    folder.write_file(key, b"a picture", "png")
    folder.move(key, other)
    folder.withdraw(key)
    for write in (lambda: folder.write_file(key, b"a picture", "png"), lambda: folder.write_record(key, b"{}")):
        with pytest.raises(OSError, match="withdrawn"):
            write()
    folder.move(other, key)
    assert folder.is_withdrawn(key), "nothing takes the mark away"
    folder.remove(other)
    assert folder.is_withdrawn(other)


async def test_pages_stay_when_another_process_takes_over_a_shard(site: Sea) -> None:
    await played(site)
    key = key_of(site) or ""
    writer(site).forget_presence(site.guild.id)
    await writer(site).check_pages(only_removes=True)
    assert is_served(folder(site), key)


@pytest.mark.parametrize("comes_back", [False, True])
async def test_a_server_that_removes_the_bot_has_no_pages_until_the_bot_is_back(site: Sea, comes_back: bool) -> None:
    await played(site)
    key = key_of(site) or ""
    writer(site).note_presence(site.guild.id, is_present=False)
    if comes_back:
        writer(site).note_presence(site.guild.id, is_present=True)
    await writer(site).remove_forbidden_files(site.guild.id)
    assert is_served(folder(site), key) == comes_back


async def test_while_the_database_is_away_closing_waits_and_all_else_follows(
    site: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await played(site)
    key = key_of(site) or ""
    channel, _ = close_channel(site)

    @asynccontextmanager
    async def refuse(*_: object, **__: object) -> AsyncIterator[None]:
        raise NotWritten("the database is away")
        yield

    with monkeypatch.context() as away:
        away.setattr(Store, "read", refuse)
        await site.bot.hide_pages(site.guild.id)  # it raises nothing, so that the handler goes on
    await site.bot.update_pages(channel.guild.id)
    assert not is_served(folder(site), key)
    site.faults.clear()


@pytest.mark.parametrize("is_refused", [False, True])
async def test_a_page_that_is_closed_while_its_address_is_renewed_stays_closed(
    site: Sea, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await played(site)
    old_key = key_of(site) or ""
    write = Store.write
    has_begun, may_go_on = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def write_slowly(self: Store, *args: Any, **options: Any) -> AsyncIterator[Any]:
        has_begun.set()
        await may_go_on.wait()
        if is_refused:
            raise NotWritten("the disk is full")
        async with write(self, *args, **options) as tx:
            yield tx

    with monkeypatch.context() as slow:
        slow.setattr(Store, "write", write_slowly)
        renewal = asyncio.create_task(writer(site).renew_key(1))
        await asyncio.wait_for(has_begun.wait(), 60)
        close_channel(site)
        await writer(site).remove_forbidden_files(site.guild.id)
        may_go_on.set()
        await asyncio.gather(renewal, return_exceptions=True)
    for key in {old_key, *folder(site).stored_keys()}:
        assert not is_served(folder(site), key)
    site.faults.clear()


async def test_a_server_that_came_back_to_another_bot_keeps_its_pages(site: Sea) -> None:
    await played(site)
    key = key_of(site) or ""
    writer(site).note_presence(site.guild.id, is_present=False)  # it has removed the bot, and the shard moves
    writer(site).forget_presence()
    await writer(site).check_pages(only_removes=True)
    assert is_served(folder(site), key)

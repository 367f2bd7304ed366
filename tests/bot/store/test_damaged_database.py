"""Databases that are damaged, cut short or of other programs: one clear sentence, never a traceback."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from bot.store import Store, StoreTemporarilyUnavailable, StoreUnavailable
from tests.bot.services.test_import import shelled, url

EXAMPLE = Path(__file__).parents[3] / "docs" / "example.json"
PAGE = 4096
"""Bytes of a page of SQLite."""


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def without_its_head(file: Path) -> None:
    file.write_bytes(bytes(PAGE) + file.read_bytes()[PAGE:])


def with_empty_pages(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for start in range(PAGE, len(data), 2 * PAGE):
        data[start : start + PAGE] = bytes(PAGE)
    file.write_bytes(data)


def of_a_newer_war_galley(file: Path) -> None:
    changed(file, "UPDATE alembic_version SET version_num = '9999'")


def of_an_unknown_one(file: Path) -> None:
    changed(file, "UPDATE alembic_version SET version_num = 'main'")


def without_a_table(file: Path) -> None:
    changed(file, "DROP TABLE answers")


def of_another_program(file: Path) -> None:
    file.unlink()
    changed(file, "CREATE TABLE games (id TEXT)")


def changed(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)


async def test_what_cannot_be_opened_leaves_no_thread_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that outlives the program ends in a traceback."""
    started: list[object] = []
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", counted)
    with pytest.raises(StoreUnavailable, match="unable to open database file"):
        await Store.open(url(tmp_path))
    assert not started


async def opening(address: str) -> StoreUnavailable:
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open(address)
    return refused.value


@pytest.mark.parametrize("damage", [without_its_head, of_a_newer_war_galley, of_an_unknown_one, of_another_program])
async def test_a_file_that_is_no_database_of_ours_is_left_alone(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    file = tmp_path / "games.sqlite"
    await (await Store.open(url(file))).close()
    changed(file, "PRAGMA journal_mode=DELETE")
    damage(file)
    before = file.read_bytes()
    assert not isinstance(await opening(url(file)), StoreTemporarilyUnavailable)
    with closing(sqlite3.connect(file)) as connection, suppress(sqlite3.DatabaseError):
        connection.execute("PRAGMA journal_mode=DELETE")
    assert file.read_bytes()[PAGE:] == before[PAGE:]  # the first page says how the file was last opened


async def test_a_database_that_is_in_use_or_not_there_yet_may_be_tried_again(tmp_path: Path) -> None:
    store = await Store.open(url(tmp_path / "games.sqlite"))
    assert isinstance(await opening(url(tmp_path / "games.sqlite")), StoreTemporarilyUnavailable)
    await store.close()
    assert isinstance(await opening(url(tmp_path)), StoreTemporarilyUnavailable)


@pytest.mark.parametrize(
    "address",
    [
        *(
            "",
            "games.sqlite",
            "sqlite+pysqlite:///games.sqlite",
            "sqlite://games.sqlite",
            "mysql+aiomysql://host/games",
        ),
        *("postgresql+asyncpg://a/b", "postgresql://user:secret@host:port/games", "sqlite:///games.sqlite?mode=memory"),
    ],
)
async def test_an_address_that_cannot_be_meant_is_refused_without_its_password(address: str) -> None:
    refused = await opening(address)
    assert not isinstance(refused, StoreTemporarilyUnavailable)
    assert "DATABASE_URL" in str(refused)
    assert "secret" not in str(refused)


async def test_sqlite_needs_no_driver_in_its_address(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path / 'games.sqlite'}")
    assert store.kind == "SQLite"
    await store.close()
    assert (tmp_path / "games.sqlite").exists()


@pytest.mark.parametrize(
    "damage",
    [
        cut_short,
        without_its_head,
        with_empty_pages,
        of_a_newer_war_galley,
        of_an_unknown_one,
        without_a_table,
        of_another_program,
    ],
)
async def test_a_damaged_database_is_told_in_one_sentence(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    file, out = tmp_path / "games.sqlite", tmp_path / "game.json"
    said = await shelled("import", EXAMPLE, "--database", url(file))
    assert said.exit_code == 0, said.output
    changed(file, "PRAGMA journal_mode=DELETE")
    damage(file)
    said = await shelled("export", 1, "-o", out, "--database", url(file))
    assert said.exit_code == 2, (said.output, said.exception)
    assert said.output.count("\n") == 1, said.output
    assert not out.exists()
    said = await shelled("import", EXAMPLE, "--database", url(file))
    assert said.exit_code in (0, 2), (said.output, said.exception)
    assert said.output.count("\n") == 1, said.output

"""The disk is full, another process holds the database, somebody copies it: nothing is lost, and it goes on."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url
from typer.testing import CliRunner

from bot.cli.main import app
from bot.lifecycle.steps.runner import RETRY_AFTER_S
from bot.store.engine.sqlite_pool import SqliteConnection
from tests.bot.papers import exported
from tests.bot.records import assert_holds
from tests.sea import AFAR, Sea

pytestmark = pytest.mark.sqlite
HOLD = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(5)
connection.execute("COMMIT")
"""


def path_of(sea: Sea) -> Path:
    return Path(str(make_url(sea.database_url).database))


class Disk:
    """Room for a database to grow: SQLite itself refuses a page more."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._pages: int | None = None
        begin = SqliteConnection.begin

        async def begins(connection: SqliteConnection) -> None:
            connection._connection.connection.execute(f"PRAGMA max_page_count={self._pages or 2**30}")
            await begin(connection)

        patch.setattr(SqliteConnection, "begin", begins)

    def fill(self) -> None:
        """Not a page more than there are: SQLite takes the least that it can."""
        self._pages = 1

    def clear(self) -> None:
        self._pages = None


async def test_a_full_disk_refuses_loses_nothing_and_goes_on_when_there_is_room(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    sea.change_rows("VACUUM")  # no free pages
    disk = Disk(monkeypatch)
    disk.fill()
    said = ""
    for who in (sea.cili, sea.anna, sea.bela) * 9:
        before = sea.rows()
        said = await sea.command(who, "new", galleys="1", name="x" * 60)
        if "save anything" in said:
            break
    assert "save anything" in said
    assert sea.rows() == before
    number = said.rstrip(".").split("`")[-2]
    told = [record for record in sea.faults if getattr(record, "number", "") == number]
    assert "is full" in str(told[0].exc_info)
    # Orders are taken, or refused and not taken; the round waits where it has no room.
    await sea.both_seal("A1 FLFRF", "B1 RLRLF")
    assert len(sea.rows("steps")["steps"]) == 1
    before_room = len(sea.thread.history())
    disk.clear()
    await sea.env.advance_time(RETRY_AFTER_S + 1)  # a claim of our own that no step ended isn't waited for
    await sea.env.settle()
    if len(sea.rows("answers")["answers"]) < 2:
        for who, text in ((sea.anna, "A1 FLFRF"), (sea.bela, "B1 RLRLF")):
            if await sea.asked(who, 1):
                await sea.seal(who, text)
    assert len(sea.rows("steps")["steps"]) == 2
    assert len(sea.thread.history()) > before_room
    assert sea.told().count("Round 1\n") == 1
    late = [
        row["key"] for row in sea.rows("outbox")["outbox"] if row["sent"] < row["wanted"] and row["kind"] != "remind"
    ]
    assert not late
    secrets = ("FLFRF", "RLRLF", *sea.chances)
    lines = [logging.Formatter().format(record) for record in sea.faults]
    assert lines
    assert not [line for line in lines for secret in secrets if secret in line]
    sea.faults.clear()
    await sea.concede(sea.bela)
    await assert_holds(sea)


@pytest.mark.begun
async def test_a_seal_waits_for_a_process_that_holds_the_database_for_five_seconds(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FFFFF")
    panel = sea.panel(sea.anna)
    calls = len(sea.env.http_requests)
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(path_of(sea)), stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    assert holder.returncode is None
    await sea.press(sea.anna, panel, "seal")
    assert await holder.wait() == 0
    assert [row["body"][:8] for row in sea.rows("answers")["answers"]] == ["A1 FFFFF"]
    first = sea.env.http_requests[calls]
    assert first.path.endswith("/callback")  # Discord had its answer before the database was asked
    assert "Sealed by anna" in sea.told()


async def copied(sea: Sea, *arguments: object) -> Any:
    command = ["backup", *map(str, arguments), "--database", sea.database_url]
    return await asyncio.to_thread(CliRunner().invoke, app, command)


@pytest.mark.begun
async def test_a_copy_of_a_running_database_plays_on(sea: Sea, tmp_path: Path) -> None:
    await sea.seal(sea.anna, "A1 FFFFF")
    copy = tmp_path / "copy.sqlite"
    done = await copied(sea, copy)
    assert done.exit_code == 0, done.output
    refused = await copied(sea, copy)
    assert (refused.exit_code, "--force" in refused.output) == (2, True)
    await sea.seal(sea.bela, "B1 FFFFF")
    assert len(sea.rows("steps")["steps"]) == 2
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM steps").fetchone() == (1,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    # The bot on the copy: what was sealed before is sealed, what was sealed since is asked again.
    sea.database_url = f"sqlite+aiosqlite:///{copy}"
    await sea.restart()
    assert not await sea.asked(sea.anna)
    asked = await sea.asked(sea.bela)
    asked = await sea.bot.services.orders.type_text(asked, "B1 RLRLF")
    await sea.bot.services.orders.seal_draft(asked, asked.row.version)
    await sea.settle()
    assert len(sea.rows("steps")["steps"]) == 2
    assert await exported(sea, sea.anna)


async def test_what_cannot_be_copied_is_said_in_one_line(sea: Sea, tmp_path: Path) -> None:
    for url, said in (
        (f"sqlite+aiosqlite:///{tmp_path / 'none.sqlite'}", "no such file"),
        ("postgresql+psycopg://somewhere/games", "its own tool"),
        ("nonsense", "of no use"),
    ):
        done = CliRunner().invoke(app, ["backup", str(tmp_path / "copy"), "--database", url])
        assert (done.exit_code, said in done.output, done.output.count("\n")) == (2, True, 1), done.output
    (tmp_path / "torn.sqlite").write_bytes(b"SQLite format 3\x00" + b"\x00" * 5000)
    done = CliRunner().invoke(
        app, ["backup", str(tmp_path / "copy"), "--database", f"sqlite+aiosqlite:///{tmp_path / 'torn.sqlite'}"]
    )
    assert done.exit_code == 2
    assert not (tmp_path / "copy").exists()
    assert not (tmp_path / "copy.part").exists()


@pytest.mark.begun
async def test_a_database_at_rest_is_copied_too(sea: Sea, tmp_path: Path) -> None:
    await sea.bot.close()
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(b"something else")
    assert (await copied(sea, copy)).exit_code == 2
    assert copy.read_bytes() == b"something else"
    done = await copied(sea, copy, "--force")
    assert done.exit_code == 0, done.output
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM steps").fetchone() == (1,)

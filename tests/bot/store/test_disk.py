"""Another process holds the database, somebody copies it: nothing is lost, and it goes on."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url
from typer.testing import CliRunner

from bot.cli.main import app
from tests.bot.papers import exported
from tests.sea import Sea

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
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM steps").fetchone() == (1,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    # The bot on the copy: what was sealed before is sealed. After a further round it would ask everybody again.
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

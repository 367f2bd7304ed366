"""A backup is proved to be one that can be restored, by the command and by what the docs tell operators to run."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests import pg
from tests.bot.services.test_import import shelled
from tests.english import ROOT
from tests.sea import AFAR, Sea

RUNNING = (ROOT / "docs" / "running.md").read_text("utf-8")
BIN = Path(sys.executable).parent


@pytest.fixture
async def backup(sea: Sea, tmp_path: Path) -> Path:
    """Return a backup of a bot with a running game and a lobby, made while the bot runs."""
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.anna, "new")
    file = tmp_path / "backup.sqlite"
    done = await shelled("backup", file, "--database", sea.database_url)
    assert done.exit_code == 0, done.output
    return file


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def changed(statement: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("PRAGMA foreign_keys=OFF")
            connection.execute(statement)

    return change


def cut(file: Path) -> None:
    """Cut a file short, as a full disk does."""
    os.truncate(file, file.stat().st_size // 2)


def scratched(file: Path) -> None:
    """Overwrite the page with which the table of steps begins."""
    with closing(sqlite3.connect(file)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'steps'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with file.open("r+b") as opened:
        opened.seek((page - 1) * size)
        opened.write(b"\xff" * size)


async def test_a_backup_is_read_game_by_game_and_left_as_it_was(backup: Path) -> None:
    before = contents(backup.parent)
    done = await shelled("check", backup)
    assert (done.exit_code, done.stdout) == (0, f"{backup}: 2 games, 1 of them running, and all can be read\n")
    assert contents(backup.parent) == before


async def test_a_bad_backup_is_refused_in_one_line(backup: Path, tmp_path: Path) -> None:
    damages: list[Callable[[Path], object]] = [
        cut,
        scratched,
        lambda file: file.write_bytes(b""),
        lambda file: file.write_text("no database"),
        changed("DROP TABLE alembic_version"),
        changed("UPDATE alembic_version SET version_num = '9999'"),
        changed("UPDATE steps SET state = '{}'"),
        changed("UPDATE games SET setup = substr(setup, 1, 20)"),
        changed("DELETE FROM steps"),
        changed("DELETE FROM games WHERE phase = 'running'"),
    ]
    for damage in damages:
        bad = shutil.copy(backup, tmp_path / "bad.sqlite")
        damage(bad)
        done = await shelled("check", bad)
        assert (done.exit_code, done.stdout) == (2, ""), (damage, done.output)
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"war-galley: {bad}: ")


def carried_out(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    environment |= {"DATABASE_URL": "sqlite+aiosqlite:///war-galley.sqlite"}
    return subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def nightly() -> dict[str, str]:
    """The commands that cron and systemd begin, as a shell gets them."""
    (cron,) = re.findall(r"^10 4 \* \* \* cd /var/lib/war-galley && (.*)$", RUNNING, re.MULTILINE)
    (unit,) = re.findall(r"^ExecStart=/bin/sh -c '(f=.*)'$", RUNNING, re.MULTILINE)
    return {
        "cron": cron.replace("\\%", "%"),
        "systemd": unit.replace("%%", "%").replace("/opt/war-galley/.venv/bin/", ""),
    }


@pytest.mark.parametrize("by", ["cron", "systemd"])
def test_the_nightly_backup_fails_unless_it_can_be_restored(by: str, empty_database: Path, tmp_path: Path) -> None:
    database = shutil.copy(empty_database, tmp_path / "war-galley.sqlite")
    done = carried_out(nightly()[by], tmp_path)
    assert done.returncode == 0, done.stderr
    (made,) = tmp_path.glob("backup-?.sqlite")
    if by != "cron":  # a start of the shell takes a second, and the commands differ only in where the program is
        return
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    done = carried_out(nightly()[by], tmp_path)
    assert done.returncode != 0
    assert made.name in done.stderr


def test_the_docs_restore_a_backup_with_docker(empty_database: Path, tmp_path: Path) -> None:
    (restore,) = re.findall(r'war-galley sh -c "(rm -f .*)"$', RUNNING, re.MULTILINE)
    shutil.copy(empty_database, tmp_path / "backup.sqlite")
    for name in ("war-galley.sqlite", "war-galley.sqlite-wal", "war-galley.sqlite-shm"):
        (tmp_path / name).write_bytes(b"what was lost")
    assert carried_out(restore, tmp_path).returncode == 0
    assert {file.name for file in tmp_path.iterdir()} == {"backup.sqlite", "war-galley.sqlite"}
    done = carried_out("war-galley check war-galley.sqlite", tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_dump_of_postgresql_is_proved_in_a_database_of_its_own(postgres: pg.Server, tmp_path: Path) -> None:
    """With the programs that docs/running.md names, between two databases of one server."""
    dump, trial = tmp_path / "war-galley.dump", postgres.database(name="trial")
    tool = {name: str(postgres.bin / name) for name in ("pg_dump", "pg_restore")}
    subprocess.run(
        [tool["pg_dump"], "--format=custom", f"--file={dump}", pg.plain(postgres.database(pg.MIGRATED))], check=True
    )
    bad = carried_out(f"war-galley check '{trial}'", tmp_path)
    assert bad.returncode == 2, bad.stderr
    subprocess.run([tool["pg_restore"], "--dbname", pg.plain(trial), str(dump)], check=True)
    done = carried_out(f"war-galley check '{trial}'", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    postgres.drop(trial)

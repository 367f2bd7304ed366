"""The host's commands beside a bot that is a process: they wait for it, and nothing is lost if it is killed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.store import Store
from bot.store.queries.host_requests import HostRequest, HostRequestKind
from bot.texts.i18n import Catalogue
from tests import pg
from tests.crash.fleet import begin as begin_two
from tests.crash.fleet import fleet, halves
from tests.crash.test_stopping import begin, query, until
from tests.forked import run
from tests.loopback.gateway import Gateway, living, log_lines
from tests.loopback.rest import GUILD
from tests.loopback.shards import OTHER_GUILD

EN = Catalogue.load("en")
TEXT = "Down at 20:00"
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Make a database: of SQLite, unless a test asks for PostgreSQL."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'games.sqlite'}"
    address: str = request.getfixturevalue("server").database()
    return address


def rows(database: str, folder: Path, statement: str) -> list[Any]:
    if database.startswith("sqlite"):
        return query(folder, statement)
    with psycopg.connect(pg.plain(database)) as connection:
        return connection.execute(statement).fetchall()


async def shell(database: str, *arguments: str) -> tuple[int, str]:
    code, said, complaint = await run("bot.cli.main:app", *arguments, "--database", database)
    return code, said + complaint


async def leave(database: str, kind: HostRequestKind, **about: Any) -> int:
    store = await Store.open_unclaimed(database)
    async with store.write() as tx:
        number = await tx.host_requests.add(HostRequest(kind=kind, asked_at=0, **about))
    await store.close()
    return number


def count_messages(discord: Gateway, text: str) -> int:
    return sum(text in json.dumps(message) for messages in discord.channels.values() for message in messages)


async def test_a_running_bot_carries_out_what_the_shell_asks_for(database: str, tmp_path: Path) -> None:
    async with Gateway().open() as discord:
        async with living(tmp_path, discord, DATABASE_URL=database):
            await begin(discord)
            await until(lambda: rows(database, tmp_path, "SELECT 1 FROM games WHERE phase = 'running'"))
            code, said = await shell(database, "announce", TEXT)
            assert (code, said.partition(" (")[0]) == (0, "on its way to 1 running games")
            await until(lambda: count_messages(discord, TEXT))
            code, said = await shell(database, "status")
            assert code == 0
            assert "bot: running" in said
            assert "(Sea): 1 running" in said
            code, said = await shell(database, "deny", "--user", "77")
            assert code == 0, said
            code, said = await shell(database, "forget", "1")
            assert code == 2
            assert "#1" in said
            code, said = await shell(database, "delete", "--game", "1", "--yes")
            assert (code, said.partition(" (")[0]) == (0, "1 games deleted, battles included"), said
            assert rows(database, tmp_path, "SELECT 1 FROM games") == []
            assert count_messages(discord, "deleted game #1") == 1
            code, said = await shell(database, "forget", "1")
            assert (code, said.partition(" (")[0]) == (0, "forgotten"), said
            assert rows(database, tmp_path, "SELECT 1 FROM players") == []
        assert count_messages(discord, TEXT) == 1
        assert not [line for line in log_lines(tmp_path) if line["level"] in ("error", "critical")]
    code, said = await shell(database, "status")
    assert "bot: not running" in said
    assert "denied users: 77" in said


@pytest.mark.parametrize(
    ("database", "key"),
    [("sqlite", "announcement:1"), pytest.param("postgres", "deleted", marks=pytest.mark.long)],
    indirect=["database"],
)
async def test_what_a_killed_bot_had_in_hand_is_done_once_by_the_next(database: str, tmp_path: Path, key: str) -> None:
    text = TEXT if key == "announcement:1" else "deleted game #1"
    async with Gateway().open() as discord:
        async with living(tmp_path, discord, DATABASE_URL=database, STOPS_BEFORE=key) as process:
            await begin(discord)
            await until(lambda: rows(database, tmp_path, "SELECT 1 FROM games WHERE phase = 'running'"))
            if key == "deleted":
                await leave(database, "delete_game", target_id=1)
            else:
                await leave(database, "announce", params={"texts": {"en": TEXT}})
            await until(lambda: "stopped" in state_of(process.pid))
            assert count_messages(discord, text) == 0
        # Killed as it stood.
        async with living(tmp_path, discord, DATABASE_URL=database):
            await until(lambda: rows(database, tmp_path, "SELECT 1 FROM host_requests WHERE done_at IS NOT NULL"))
            await until(lambda: count_messages(discord, text))
        assert count_messages(discord, text) == 1
        left = rows(database, tmp_path, "SELECT phase FROM games")
        assert left == ([] if key == "deleted" else [("running",)])


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
@pytest.mark.long
async def test_a_request_outlives_a_bot_that_is_killed_before_it_looks(database: str, tmp_path: Path) -> None:
    async with Gateway().open() as discord:
        async with living(tmp_path, discord, DATABASE_URL=database):
            await begin(discord)
            await until(lambda: rows(database, tmp_path, "SELECT 1 FROM games WHERE phase = 'running'"))
            await leave(database, "deny_user", user_id=1)
        async with living(tmp_path, discord, DATABASE_URL=database):
            await until(lambda: rows(database, tmp_path, "SELECT 1 FROM host_requests WHERE done_at IS NOT NULL"))
        assert rows(database, tmp_path, "SELECT user_id FROM denied_users") == [(1,)]
        assert rows(database, tmp_path, "SELECT 1 FROM seats WHERE user_id = 1 AND offered_at IS NOT NULL")


@pytest.mark.long
async def test_several_bots_carry_out_together_what_the_shell_asks_for(server: pg.Server, tmp_path: Path) -> None:
    seats = await begin_two(server.database(name="several"))
    async with fleet(tmp_path, server, "several", seats) as playing:
        await halves(playing)
        code, said = await shell(playing.database, "announce", TEXT)
        assert (code, said.partition(" (")[0]) == (0, "on its way to 2 running games")
        await playing.until(lambda: count_messages(playing.discord, TEXT) == 2)
        code, said = await shell(playing.database, "status")
        assert "bot: 2 running" in said
        assert "servers: 2" in said
        code, said = await shell(playing.database, "delete", "--server", str(OTHER_GUILD), "--yes")
        assert (code, said.partition(" (")[0]) == (0, "1 games deleted, battles included"), said
        assert playing.rows("SELECT guild_id FROM games") == [(GUILD,)]
        code, said = await shell(playing.database, "deny", "--user", "1")
        assert code == 0, said
        assert playing.rows("SELECT 1 FROM seats WHERE user_id = 1 AND offered_at IS NOT NULL") == [(1,)]
        assert count_messages(playing.discord, TEXT) == 2
        for name in playing.bots:
            assert [line for line in playing.lines(name) if line["level"] == "error"] == []


def state_of(pid: int) -> str:
    return next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("State:"))

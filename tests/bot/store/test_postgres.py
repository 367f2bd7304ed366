"""The store on a real PostgreSQL: what SQLite's one writer does by itself, many must do by waiting for each other."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, select
from typer.testing import CliRunner

from bot.cli.main import app
from bot.store import DatabaseAway, NotWritten, Store, StoreTemporarilyUnavailable, StoreUnavailable
from bot.store.engine import opening
from bot.store.engine.postgres import _CLAIM_POLL_INTERVAL_S, _LOCK_CLASS, _RUNNING_LOCK
from bot.store.engine.transfer import COPIED_TABLES
from bot.store.models.records import KeepsakeRow, Player, ServerRow
from bot.store.models.subjects import LobbySubject, LogEntrySubject
from bot.store.models.tables import metadata
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Request
from tests import pg
from tests.bot.store.test_store import a_game

WRITERS = 8


@pytest.fixture
async def store(postgres_address: str) -> AsyncIterator[Store]:
    store = await Store.open(postgres_address)
    yield store
    await store.close()


async def new_game(store: Store) -> int:
    async with store.write(of_many=True) as tx:
        return await a_game(tx)


async def side_by_side(*doing: object) -> list[object]:
    """Run all concurrently; return what each returns or raises."""
    return await asyncio.gather(*doing, return_exceptions=True)  # type: ignore[call-overload,no-any-return]


async def test_who_writes_about_a_game_reads_what_the_one_before_has_written(store: Store) -> None:
    games = [await new_game(store) for _ in range(2)]

    async def add(number: int) -> None:
        async with store.write() as tx:
            game = await tx.games.find_for_update(games[number % 2])
            assert game
            await asyncio.sleep(0)
            await tx.games.change(game.id, extensions=game.extensions + 1)

    assert {*await side_by_side(*map(add, range(2 * WRITERS)))} == {None}
    async with store.read() as tx:
        assert [game.extensions for game in await tx.games.select_games()] == [2 + WRITERS] * 2


async def test_who_writes_about_many_games_waits_for_none_and_none_for_it(store: Store) -> None:
    games = [await new_game(store) for _ in range(3)]

    async def all_of_them(_: int) -> None:
        async with store.write(of_many=True) as tx:
            for game in await tx.games.open_on(1):  # the newest first
                await tx.games.change(game.id, extensions=game.extensions + 1)
                await tx.messages.request(game.id, LobbySubject(), now=5)

    async def some(number: int) -> None:
        async with store.write() as tx:
            for game_id in games[number % 2 : number % 2 + 2]:
                game = await tx.games.find_for_update(game_id)
                assert game
                await tx.messages.request(game_id, LobbySubject(), now=6)
                await tx.games.change(game_id, extensions=game.extensions + 1)

    doing = [(all_of_them if number % 3 else some)(number) for number in range(12)]
    assert {*await side_by_side(*doing)} == {None}
    async with store.read() as tx:
        assert sum(game.extensions for game in await tx.games.select_games()) == 3 * 2 + 3 * 8 + 2 * 4


async def test_only_one_of_many_at_the_same_time_claims_a_game_and_changes_a_draft(store: Store) -> None:
    game_id = await new_game(store)
    async with store.write() as tx:
        await tx.requests.add(game_id, Request(id="r1", seat=0, kind="any", round=1), step_no=0, now=0, deadline=None)
        game, row = await tx.games.find_for_update(game_id), await tx.requests.find(game_id, "r1")
    assert game
    assert row

    async def claim(number: int) -> object:
        async with store.write() as tx:
            return await tx.games.claim(game, now=number)

    async def draft(number: int) -> object:
        async with store.write() as tx:
            return await tx.requests.change(row, draft=f"draft {number}")

    for act in (claim, draft):
        done = await side_by_side(*map(act, range(WRITERS)))
        assert [one for one in done if isinstance(one, BaseException)] == []
        assert sum(one is not None for one in done) == 1


async def test_what_is_stored_by_several_for_the_first_time_is_one_row(store: Store) -> None:
    game_id = await new_game(store)

    async def keep(number: int) -> None:
        async with store.write() as tx:
            await tx.facts.store("a fact", str(number))
            await tx.servers.store(ServerRow(guild_id=1, most_games=number))
            await tx.players.remember(Player(user_id=3, name=f"name {number}", locale="en"))
            await tx.messages.request(game_id, LobbySubject(), now=number)

    assert {*await side_by_side(*map(keep, range(WRITERS)))} == {None}
    async with store.read() as tx:
        (message,) = await tx.messages.of_game(game_id)
        assert message.wanted == WRITERS
        assert {*await tx.players.find_all([3])} == {3}


async def test_one_of_two_games_that_begin_at_once_has_what_a_captain_brings_to_both(store: Store) -> None:
    games = [await new_game(store) for _ in range(2)]
    async with store.write() as tx:
        await tx.keepsakes.add(KeepsakeRow(user_id=3, system="any", number=1, name="Argo", body="{}"))

    async def begin(game_id: int) -> int:
        async with store.write() as tx:
            await tx.games.lock_game(game_id)
            await tx.keepsakes.lock_all()
            return await tx.keepsakes.take_along(game_id, "any", {(3, 1): "{}"})

    assert sorted(await side_by_side(*map(begin, games))) == [0, 1]  # type: ignore[type-var]


async def test_wanting_a_message_again_uses_up_no_number(store: Store) -> None:
    game_id = await new_game(store)
    for now in range(5):
        async with store.write() as tx:
            await tx.messages.request(game_id, LobbySubject(), now=now)
    async with store.write() as tx:
        both = [await tx.messages.request(game_id, what, now=9) for what in (LobbySubject(), LogEntrySubject(1))]
    assert both[1].id == both[0].id + 1


async def test_a_reader_sees_one_moment_and_changes_nothing(store: Store) -> None:
    game_id = await new_game(store)
    async with store.read() as tx:
        before = await tx.games.find_for_update(game_id)
        async with store.write() as other:
            await other.games.change(game_id, name="another")
        assert await tx.games.find_for_update(game_id) == before
        with pytest.raises(Exception, match="read-only"):
            await tx.games.change(game_id, name="a third")


async def test_games_that_end_at_once_rate_a_captain_one_after_the_other(store: Store) -> None:
    games = [await new_game(store) for _ in range(4)]

    async def end(game_id: int) -> None:
        async with store.write() as tx:
            await tx.games.find_for_update(game_id)
            await tx.ratings.lock_all()
            last = (await tx.ratings.last_of_users("any", [3])).get(3)
            values = {"mu": (last.mu if last else 25.0) + 1, "rated_at": (last.rated_at if last else 0) + 1}
            await _rate(tx, game_id, **values)

    assert {*await side_by_side(*map(end, games))} == {None}
    async with store.read() as tx:
        assert [row.mu for row in await tx.ratings.of_user(3)] == [25.0 + number for number in range(1, 5)]


async def _rate(tx: Transaction, game_id: int, **values: float) -> None:
    rating = {"game_id": game_id, "user_id": 3, "system": "any", "seat": 0, "outcome": "won", "sigma": 8.0}
    await tx.ratings._connection.execute(metadata.tables["ratings"].insert().values(**rating, facts="{}", **values))


async def test_a_second_bot_is_refused_after_the_server_was_away(postgres: pg.Server, postgres_address: str) -> None:
    store = await Store.open(postgres_address)
    program = f"import asyncio; from bot.store import Store; asyncio.run(Store.open({postgres_address!r}))"
    game_id = await new_game(store)
    for _ in range(2):
        second = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert second.returncode != 0
        assert "another war-galley is running on this database" in second.stderr
        postgres.stop()
        with pytest.raises(DatabaseAway):
            async with store.read() as tx:
                await tx.games.find_for_update(game_id)
        with pytest.raises(NotWritten):
            async with store.write() as tx:
                await a_game(tx)
        with pytest.raises(StoreUnavailable, match="socket"):
            await Store.open_for_reading(postgres_address)
        with pytest.raises(StoreTemporarilyUnavailable, match="socket"):
            await Store.open(postgres_address)
        postgres.start()
        async with store.write() as tx:
            assert await tx.games.find_for_update(game_id)
    await store.close()
    await (await Store.open(postgres_address)).close()


async def test_a_database_that_does_not_exist_or_is_of_another_program_is_not_tried_again(postgres: pg.Server) -> None:
    address = postgres.database()
    with psycopg.connect(pg.plain(address)) as connection:
        connection.execute("CREATE TABLE people (id integer)")
    with pytest.raises(StoreUnavailable, match="another program") as refused:
        await Store.open(address)
    assert not isinstance(refused.value, StoreTemporarilyUnavailable)
    postgres.drop(address)
    with pytest.raises(StoreUnavailable, match="does not exist") as refused:
        await Store.open(address)
    assert not isinstance(refused.value, StoreTemporarilyUnavailable)


async def test_a_bot_that_comes_right_after_another_waits_until_the_server_has_noticed(postgres_address: str) -> None:
    gone = psycopg.connect(pg.plain(postgres_address), autocommit=True)
    gone.execute("SELECT pg_advisory_lock(%s, %s)", (_LOCK_CLASS, _RUNNING_LOCK))
    opening_it = asyncio.create_task(Store.open(postgres_address))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(opening_it), 3 * _CLAIM_POLL_INTERVAL_S)
    gone.close()
    await (await opening_it).close()


async def test_processes_that_start_at_once_bring_the_tables_up_to_date_together(postgres: pg.Server) -> None:
    address = postgres.database()
    engines = [opening._create_engine(opening._parse_url(address)) for _ in range(3)]
    assert await side_by_side(*map(opening._upgrade_schema, engines)) == [None] * 3
    for engine in engines:
        await engine.dispose()
    with create_engine(address).connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection), metadata)
    # Comments are for readers of our code; a later one changes no table.
    assert [one for one in found if not (isinstance(one, list) and one[0][0] == "modify_comment")] == []
    postgres.drop(address)


def test_a_backup_is_made_with_postgresqls_own_tool(postgres_address: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["backup", str(tmp_path / "copy"), "--database", postgres_address])
    assert done.exit_code != 0
    assert f"pg_dump --format=custom --file={tmp_path / 'copy'}" in done.output


@pytest.mark.long
async def test_a_game_is_taken_in_once_while_no_bot_plays_there(postgres_address: str, tmp_path: Path) -> None:
    game, again = Path("docs/example.json"), tmp_path / "again.json"
    given = game.read_bytes()  # noqa: ASYNC240 - nothing else goes on

    async def shelled(*arguments: object) -> tuple[int, str]:
        line = [str(argument) for argument in (*arguments, "--database", postgres_address)]
        done = await asyncio.to_thread(CliRunner().invoke, app, line)
        return done.exit_code, done.output

    for shared in (False, True):
        bot = await Store.open(postgres_address, shared=shared)
        code, said = await shelled("import", game)
        assert (code, "another war-galley is running on this database" in said) == (2, True), said
        await bot.close()
    assert await shelled("import", game) == (0, f"{game}: #1\n")
    assert await shelled("import", game) == (0, f"{game}: #1, here already\n")
    assert (await shelled("export", 1, "-o", again))[0] == 0
    assert again.read_bytes() == given


def test_everything_moves_there_and_back(postgres: pg.Server, postgres_address: str, tmp_path: Path) -> None:
    first, last = (f"sqlite+aiosqlite:///{tmp_path / name}" for name in ("first", "last"))
    done = CliRunner().invoke(app, ["import", "docs/example.json", "--database", first])
    assert done.exit_code == 0, done.output

    async def begin() -> None:
        store = await Store.open(first)
        async with store.write() as tx:
            await tx.messages.request(await a_game(tx), LobbySubject(), now=3)
            await tx.keepsakes.add(KeepsakeRow(user_id=3, system="any", number=1, name="Argo", body="{}", game_id=2))
        await store.close()

    asyncio.run(begin())
    for source, target in ((first, postgres_address), (postgres_address, last)):
        done = CliRunner().invoke(app, ["move", "--to", target, "--database", source])
        assert done.exit_code == 0, done.output
        assert done.output.startswith("2 games, ")
    rows = []
    for url in (first, postgres_address, last):
        with create_engine(url.replace("+aiosqlite", "")).connect() as connection:
            every = [connection.execute(select(table).order_by(*table.primary_key)) for table in COPIED_TABLES]
            rows.append([[tuple(row) for row in found] for found in every])
    assert rows[0] == rows[1] == rows[2]
    done = CliRunner().invoke(app, ["move", "--to", postgres_address, "--database", first])
    assert done.exit_code != 0
    assert "isn't empty" in done.output

    async def go_on() -> None:
        store = await Store.open(postgres_address)
        assert await new_game(store) == 3
        await store.close()

    asyncio.run(go_on())
    with psycopg.connect(pg.plain(postgres_address)) as connection:
        assert connection.execute("SELECT max(id) FROM games").fetchone() == (3,)

"""The store: real files, real transactions."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from msgspec import structs
from sqlalchemy import bindparam, create_engine, make_url, select, text
from sqlalchemy.exc import StatementError

from bot import urgency
from bot.store import Store, StoreUnavailable
from bot.store.engine import revisions, sqlite, sqlite_pool, upgrading
from bot.store.engine.opening import MAX_SHARED_WRITES
from bot.store.engine.sqlite_pool import SqliteConnection
from bot.store.engine.writer_queue import MAX_PASSES, WriterQueue
from bot.store.models.pace import Pace
from bot.store.models.records import KeepsakeRow
from bot.store.models.subjects import LobbySubject, LogEntrySubject, PanelSubject, ReminderSubject
from bot.store.models.tables import games, metadata
from bot.store.queries.games import NewGameRow
from bot.store.queries.transaction import Transaction
from rules.core.protocol import NO_SEAT, BattleSpec, Request, Setup
from tests.statements import heard

LATER = f"{int(revisions.newest_revision()) + 1:04}"
"""The number of the next migration."""
A_COLOUR = f"""
import sqlalchemy as sa
from alembic import op

revision = "{LATER}"
down_revision = "{revisions.newest_revision()}"


def upgrade():
    with op.batch_alter_table("games", recreate="always") as games:
        games.add_column(sa.Column("colour", sa.String(8), server_default="blue", nullable=False))
"""
"""A migration as a later version may have."""


def url(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path / 'games.sqlite'}"


@pytest.fixture
def folder(tmp_path: Path, empty_database: Path) -> Path:
    shutil.copy(empty_database, tmp_path / "games.sqlite")
    return tmp_path


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[Store]:
    store = await Store.open(url(folder))
    yield store
    await store.close()


@pytest.fixture
async def any_store(database: str) -> AsyncIterator[Store]:
    """Open a store on SQLite or, in `make test-postgres`, on PostgreSQL."""
    store = await Store.open(database)
    yield store
    await store.close()


async def a_game(tx: Transaction) -> int:
    opening = NewGameRow(
        setup=Setup(system="any", teams=(0, 1)),
        pace=Pace(seconds=60),
        name="a game",
        locale="en",
        guild_id=1,
        channel_id=2,
        host_id=3,
        seed="00",
        created_at=0,
    )
    game_id = await tx.games.add(opening)
    await tx.games.change(game_id, phase="running", deadline=100)
    return game_id


async def test_the_migrations_make_the_tables_that_the_code_knows(tmp_path: Path) -> None:
    store = await Store.open(url(tmp_path))
    await store.close()
    with create_engine(f"sqlite:///{tmp_path / 'games.sqlite'}").connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


async def test_the_last_migration_is_known_by_its_name(tmp_path: Path) -> None:
    assert revisions.newest_revision() == ScriptDirectory.from_config(upgrading.alembic_config()).get_current_head()
    with create_engine(f"sqlite:///{tmp_path / 'games.sqlite'}").connect() as connection:
        assert revisions.database_revision(connection) is None
        command.upgrade(upgrading.alembic_config(connection), "0001")
        assert (
            revisions.database_revision(connection)
            == MigrationContext.configure(connection).get_current_revision()
            == "0001"
        )


async def test_a_migration_that_makes_a_table_again_keeps_what_refers_to_it(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await Store.open(url(folder))
    async with store.write() as tx:
        game_id = await a_game(tx)
        await tx.seats.add(game_id=game_id, seat=0, team=0)
    await store.close()
    migrations = tmp_path_factory.mktemp("later") / "migrations"
    shutil.copytree(revisions.VERSIONS_FOLDER.parent, migrations)
    (migrations / "versions" / f"{LATER}_a_colour.py").write_text(A_COLOUR)
    for module in (revisions, upgrading):
        monkeypatch.setattr(module, "VERSIONS_FOLDER", migrations / "versions")
    store = await Store.open(url(folder))
    async with store.read() as tx:
        assert len(await tx.seats.of_game(game_id)) == 1
    await store.close()
    with create_engine(f"sqlite:///{folder / 'games.sqlite'}").connect() as connection:
        assert revisions.database_revision(connection) == LATER
        assert connection.execute(text("SELECT colour FROM games")).scalar() == "blue"


async def test_a_game_waits_for_its_battles_but_not_for_those_that_are_optional(store: Store) -> None:
    battle = BattleSpec(setup=Setup(system="any", teams=(0, 1)), seats=(0, 1))
    asked = (
        Request(id="orders", seat=0, kind="orders", round=1),
        Request(id="awaited", seat=NO_SEAT, kind="battle", round=1, battle=battle),
        Request(id="begun", seat=NO_SEAT, kind="battle", round=1, battle=battle, optional=True),
    )
    async with store.write() as tx:
        season, fought = await a_game(tx), await a_game(tx)
        await tx.games.change(fought, parent_id=season, parent_request="awaited")
        for request in asked:
            await tx.requests.add(season, request, step_no=0, now=0, deadline=None)
    async with store.read() as tx:
        assert (await tx.agenda.due_times(1000)).next_deadline == 100, "of the battle; the season waits for it"
        assert await tx.games.overdue_hosts(1000) == {fought: 3}
        rows = await tx.requests.open_of_game(season)
    async with store.write() as tx:
        await tx.requests.close([row for row in rows if row.id == "awaited"])
    async with store.read() as tx:
        assert season in await tx.games.overdue_hosts(1000)


async def test_a_game_takes_what_its_captains_have_along_and_no_other_game_gets_it_meanwhile(store: Store) -> None:
    async with store.write() as tx:
        games = [await a_game(tx), await a_game(tx)]
    crew = KeepsakeRow(user_id=2**60, system="any", number=1, name="Argo", body="{}")
    async with store.write() as tx:
        await tx.keepsakes.add(crew)
        assert await tx.keepsakes.take_along(games[0], "any", {(crew.user_id, 1): "{}", (crew.user_id, 2): "{}"}) == 1
        assert await tx.keepsakes.take_along(games[1], "any", {crew.key: "{}"}) == 0, "it is at sea already"
        (there,) = await tx.keepsakes.of_users([crew.user_id], "any")
        assert there == structs.replace(crew, game_id=games[0])
        assert not await tx.keepsakes.delete_unused(there), "not as long as a game has it"
        assert not await tx.keepsakes.change(crew, body="[]")
        assert await tx.keepsakes.change(there, body="[1]")
        assert await tx.keepsakes.take_along(games[0], "any", {}) == 0
        assert (await tx.keepsakes.of_user(crew.user_id))[0].body == "[1]"
        assert await tx.keepsakes.take_along(games[0], "any", {crew.key: "{}"}) == 0, "it has changed"
        assert await tx.keepsakes.delete_unused(crew)


async def test_a_second_process_on_the_file_is_refused(folder: Path) -> None:
    store = await Store.open(url(folder))
    program = f"import asyncio; from bot.store import Store; asyncio.run(Store.open({url(folder)!r}))"
    second = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert second.returncode != 0
    assert "another war-galley is running" in second.stderr
    await store.close()
    again = await Store.open(url(folder))
    await again.close()


async def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "games.sqlite").write_text("this is a letter to my aunt, and no database at all\n" * 100)
    with pytest.raises(StoreUnavailable, match=r"games\.sqlite: .*not a database"):
        await Store.open(url(tmp_path))
    (tmp_path / "games.sqlite").unlink()
    store = await Store.open(url(tmp_path))  # the claim on the file was given free
    await store.close()


async def test_many_writers_take_turns_in_the_order_in_which_they_come(store: Store) -> None:
    async with store.write() as tx:
        game_id = await a_game(tx)
    began = []

    async def write(number: int) -> None:
        async with store.write() as tx:
            began.append(number)
            await tx.messages.request(game_id, LogEntrySubject(number), now=number)
            if number % 7 == 3:
                raise ZeroDivisionError  # a job that fails passes its turn on

    done = await asyncio.gather(*map(write, range(60)), return_exceptions=True)
    assert began == [*range(60)]
    failed = [number for number in range(60) if number % 7 == 3]
    assert [number for number, error in enumerate(done) if error] == failed
    async with store.read() as tx:
        kept = [message.key for message in await tx.messages.of_game(game_id)]
    assert kept == [f"act:{number}" for number in range(60) if number not in failed]


async def test_what_was_sent_though_nobody_wants_it_any_more_leaves_no_row(any_store: Store) -> None:
    async with any_store.write() as tx:
        game_id = await a_game(tx)
        await tx.messages.request(game_id, ReminderSubject("r1", "half"), user_id=3, now=5)
        (reminder,) = await tx.messages.of_game(game_id)
        await tx.messages.delete_untried([reminder.id])
        assert await tx.messages.by_ids([reminder.id]) == {}
        await tx.messages.record([reminder])
        assert await tx.messages.of_game(game_id) == []


async def test_nothing_of_a_broken_transaction_stays(any_store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        async with any_store.write() as tx:
            await a_game(tx)
            _ = 1 / 0
    async with any_store.read() as tx:
        assert await tx.games.select_games() == []


async def test_one_who_is_cancelled_while_they_wait_for_the_file_leaves_nothing_begun(
    store: Store, folder: Path
) -> None:
    with closing(sqlite3.connect(folder / "games.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        async def write() -> None:
            async with store.write() as tx:
                await a_game(tx)

        waiting = asyncio.create_task(write())
        for _ in range(2):  # on a connection of its own; the writer's has its first statement by then
            async with store.read() as tx:
                await tx.servers.find(1)
        waiting.cancel()
        await asyncio.sleep(0)
        other.execute("ROLLBACK")
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with store.write() as tx:
            await a_game(tx)
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")


@pytest.fixture
def thread_work(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    work: list[object] = []
    plain = SqliteConnection._run_in_thread

    def counted(self: SqliteConnection, act: Any) -> Any:
        work.append(act)
        return plain(self, act)

    monkeypatch.setattr(SqliteConnection, "_run_in_thread", counted)
    return work


async def test_a_query_and_all_that_it_finds_take_one_turn_of_a_thread(store: Store, thread_work: list[object]) -> None:
    async with store.write() as tx:
        games = [await a_game(tx) for _ in range(3)]
    thread_work.clear()
    for _ in range(2):
        async with store.read() as tx:
            assert sorted(game.id for game in await tx.games.select_games()) == games
    assert len(thread_work) == 2


@pytest.mark.parametrize(("spared_s", "expected"), [(float("inf"), 1), (-1.0, 8)])
async def test_who_writes_waits_for_the_thread_only_to_commit_unless_the_loop_was_held_for_long(
    store: Store, monkeypatch: pytest.MonkeyPatch, thread_work: list[object], spared_s: float, expected: int
) -> None:
    monkeypatch.setattr(sqlite_pool, "MAX_LOOP_HOLD_S", spared_s)
    async with store.write() as tx:
        game_id = await a_game(tx)
        for number in range(5):
            await tx.games.change(game_id, name=f"game {number}")
    assert len(thread_work) == expected
    async with store.read() as tx:
        assert [game.name for game in await tx.games.select_games()] == ["game 4"]


async def test_a_statement_that_is_built_once_has_the_values_of_each_time(store: Store) -> None:
    some = select(games.c.name).where(
        games.c.id.in_(bindparam("ids", expanding=True)), games.c.name != bindparam("not")
    )
    async with store.write() as tx:
        numbers = [await a_game(tx) for _ in range(4)]
        for number in numbers:
            await tx.games.change(number, name=f"game {number}")
        one, two, three, four = numbers
        for ids, but in (
            ([one, two], two),
            ([three, four], three),
            ([], one),
            ([two], three),
            ([], two),
            (numbers, one),
        ):
            found = await tx.games._connection.execute(some, {"ids": ids, "not": f"game {but}"})
            assert sorted(found.scalars()) == [f"game {number}" for number in ids if number != but]
        with pytest.raises(StatementError, match="ids"):
            await tx.games._connection.execute(some, {"not": "game 1"})


async def test_who_is_cancelled_at_any_moment_leaves_no_transaction_open(store: Store) -> None:

    async def write() -> None:
        async with store.write() as tx:
            await a_game(tx)

    async def cancelled_after(turns: int) -> bool:
        task = asyncio.create_task(write())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert store._file_pool is not None
        with store._file_pool._engine.connect() as kept:
            assert not kept.connection.driver_connection.in_transaction  # type: ignore[union-attr]
        return task.cancelled()

    await write()
    assert any([await cancelled_after(turns) for turns in range(8)])
    await write()


async def test_only_one_claim_wins(any_store: Store) -> None:
    async with any_store.write() as tx:
        game = await tx.games.find_for_update(await a_game(tx))
    assert game is not None
    async with any_store.write() as tx:
        assert (claimed := await tx.games.claim(game, now=7)) is not None
    async with any_store.write() as tx:
        assert await tx.games.claim(game, now=8) is None
        assert await tx.games.claimed_before(before=0) == [claimed]


async def test_a_draft_that_has_changed_is_not_overwritten(any_store: Store) -> None:
    async with any_store.write() as tx:
        game_id = await a_game(tx)
        await tx.requests.add(game_id, Request(id="r1", seat=0, kind="any", round=1), step_no=0, now=0, deadline=None)
        row = await tx.requests.find(game_id, "r1")
        assert row is not None
        assert await tx.requests.change(row, draft="first") is not None
        assert await tx.requests.change(row, draft="second") is None
        read = await tx.requests.find(game_id, "r1")
    assert read is not None
    assert (read.draft, read.version) == ("first", 1)


async def test_wishes_for_one_message_are_one_row(any_store: Store) -> None:
    async with any_store.write() as tx:
        game_id = await a_game(tx)
        await tx.messages.request(game_id, LobbySubject(), now=5)
        await tx.messages.request(game_id, LobbySubject(), now=6)
        (message,) = await tx.messages.unsent(now=6)
        assert (message.wanted, message.sent) == (2, 0)
        await tx.messages.change(message.id, sent=2)
        assert await tx.messages.unsent(now=6) == []
        await tx.messages.request(game_id, LobbySubject(), now=9)
        assert await tx.messages.unsent(now=8) == []
        assert (await tx.agenda.due_times(8)).next_message == 9


async def test_what_is_wanted_for_later_holds_nothing_up(any_store: Store) -> None:
    async with any_store.write() as tx:
        game_id = await a_game(tx)
        await tx.messages.request(game_id, ReminderSubject("r1", "half"), user_id=3, now=1000)
        await tx.messages.request(game_id, PanelSubject("r1"), user_id=3, now=5)
        assert [message.key for message in await tx.messages.unsent(now=6)] == ["panel:r1"]
        assert (await tx.agenda.due_times(6)).next_message == 1000
        # Moved, after a failed try too, it still waits for its new time, and nobody waits for it.
        (reminder,) = await tx.messages.of_kinds(game_id, ["remind"])
        await tx.messages.change(reminder.id, attempts=3, due_at=7)
        await tx.messages.request(game_id, ReminderSubject("r1", "half"), user_id=3, now=2000)
        assert [message.key for message in await tx.messages.unsent(now=8)] == ["panel:r1"]
        await tx.messages.delete_untried([reminder.id])
        assert await tx.messages.of_kinds(game_id, ["remind"]) == []


async def test_what_is_asked_at_every_press_looks_at_no_whole_table(folder: Path) -> None:
    """So that one more game costs nobody anything."""
    asked: list[tuple[str, Any]] = []
    store = await Store.open(url(folder))
    with heard(asked=lambda *call: asked.append(call)):
        async with store.read() as tx:
            for query in (tx.messages.unsent(now=5), tx.agenda.due_times(5), tx.games.overdue_hosts(5)):
                await query
            for query in (
                tx.games.claimed_before(before=0),
                tx.games.by_thread(5),
                tx.requests.open_of_user(5),
                tx.games.of_user(5),
            ):
                await query
            for query in (tx.games.involves_user(5, 5), tx.captaincies.of_game(5), tx.games.battles_of(5)):
                await query
    await store.close()
    plans = []
    with closing(sqlite3.connect(folder / "games.sqlite")) as connection:
        for statement, values in asked:
            if statement.startswith("SELECT"):
                plans += [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
    assert len(plans) >= 10
    # A row of constants, of which the agenda's answers are made, is no table.
    assert [plan for plan in plans if plan.startswith("SCAN") and plan != "SCAN CONSTANT ROW"] == []


async def test_what_somebody_waits_for_is_written_first_and_nothing_waits_for_ever() -> None:
    turn, done = WriterQueue(), list[str]()

    async def write(what: str, *, waited_for: bool) -> None:
        if not waited_for:
            urgency.mark_unhurried()
        async with turn:
            done.append(what)
            await asyncio.sleep(0)

    async with turn:
        names = [("outbox", False), *((f"press {number}", True) for number in range(MAX_PASSES + 3))]
        tasks = [asyncio.create_task(write(name, waited_for=waited_for)) for name, waited_for in names]
        await asyncio.sleep(0)
        tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert done[0] == "press 1", "who no longer waits leaves no gap"
    assert done.index("outbox") == MAX_PASSES
    async with turn:
        assert len(done) == MAX_PASSES + 3


async def test_a_press_is_written_before_the_steps_of_games_and_these_before_what_nobody_waits_for() -> None:
    """A seal waited for the transactions of all steps that were ready before it, each ten times as long as its own."""
    turn, done = WriterQueue(), list[str]()

    async def write(what: str) -> None:
        if what == "outbox":
            urgency.mark_unhurried()
        with urgency.as_step() if what == "step" else nullcontext():
            async with turn:
                done.append(what)

    async with turn:
        tasks = [asyncio.create_task(write(what)) for what in ("outbox", "step", "step", "press", "press")]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert done == ["press", "press", "step", "step", "outbox"]


async def test_waiting_changes_share_transactions_and_none_is_lost_for_anothers_fault(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'games.sqlite'}")
    began: list[object] = []

    async def note(number: int, tx: Transaction) -> int:
        if number == 5:
            raise ValueError
        await tx.servers.find(number)
        return number

    try:
        async with store.write():
            waiting = [
                asyncio.create_task(store.write_shared(partial(note, number))) for number in range(MAX_SHARED_WRITES)
            ]
            await asyncio.sleep(0)
            waiting[3].cancel()
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(one) for one in found] == [int] * 3 + [asyncio.CancelledError, int, ValueError, int, int]
        with heard(commits=began.append):
            async with store.write():
                waiting = [
                    asyncio.create_task(store.write_shared(partial(note, 6))) for _ in range(2 * MAX_SHARED_WRITES)
                ]
                await asyncio.sleep(0)
            assert await asyncio.gather(*waiting) == [6] * 2 * MAX_SHARED_WRITES
        assert len(began) == 3
    finally:
        await store.close()


def test_two_databases_in_one_folder_are_two_claims(tmp_path: Path) -> None:
    claims = [
        sqlite.lock_file(make_url(f"sqlite+aiosqlite:///{tmp_path / name}")) for name in ("games.sqlite", "games.db")
    ]
    assert all(claim is not None and claim.is_locked for claim in claims)
    with pytest.raises(sqlite.FileInUse):
        sqlite.lock_file(make_url(f"sqlite+aiosqlite:///{tmp_path / 'games.db'}"))
    for claim in claims:
        if claim is not None:
            claim.release()

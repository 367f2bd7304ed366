"""A sea to play on: the real bot in simcord's Discord, and a real SQLite file, or a real PostgreSQL."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, make_url

from bot.jobs import kept
from bot.jobs.workers import Workers
from bot.lifecycle.ratings import limits
from bot.services import pages
from bot.store import Store
from bot.store.engine import sqlite_pool
from render.drawing import backgrounds
from tests import here, pg
from tests.bot.pages import ADDRESS
from tests.sea import AFAR, Begun, Sea

kept.MAX_CACHED = 1_000
"""Pictures that a process of tests keeps: games of many tests begin alike, and of what has been drawn before it must
only be shown that it is drawn."""
backgrounds._draw = lru_cache(maxsize=32)(backgrounds._draw.__wrapped__)
"""Backgrounds that such a process keeps. The bot caches few, as large ones take 8 MB."""
IN_MEMORY = Path("/dev/shm")
"""Linux keeps files there in memory: every commit waits for its bytes, and a disk takes milliseconds over each."""
SETTINGS: dict[str, Any] = {"picture_width": 320}
"""Settings of the bot in tests that give no others."""
pages.PAGE_WIDTH_PX = 320  # type: ignore[misc]
SHARED = create_engine("sqlite+pysqlite://", execution_options={"compiled_cache": {}})
SHARED.connect().close()  # fills its dialect in


def create_sharing_engine(*args: Any, **options: Any) -> Engine:
    """Create an engine that compiles no statement again: each test has a database, and so an engine, of its own."""
    engine = create_engine(*args, **options, execution_options=SHARED.get_execution_options())
    engine.dialect = SHARED.dialect
    return engine


sqlite_pool.create_engine = create_sharing_engine  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def process() -> Iterator[Workers]:
    """Start one worker in a process of its own, as hosts have it."""
    pool = Workers(1)
    yield pool
    pool.close()


@pytest.fixture
def workers(request: pytest.FixtureRequest) -> Workers:
    """Return one worker in this process; for a test marked `processes`, in one of its own."""
    if request.node.get_closest_marker("processes"):
        return request.getfixturevalue("process")
    return here.workers()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a database with all migrations once: they take longer than the rest of the bot's start."""
    file = tmp_path_factory.mktemp("empty") / "games.sqlite"

    async def migrate() -> None:
        await (await Store.open(f"sqlite+aiosqlite:///{file}")).close()

    asyncio.run(migrate())
    return file


@pytest.fixture(scope="session")
def postgres() -> Iterator[pg.Server]:
    install = pg.binaries()
    if install is None:
        pytest.skip(pg.NO_SERVER)
    with pg.server(install) as server:

        async def migrate() -> None:
            await (await Store.open(server.database(name=pg.MIGRATED))).close()

        asyncio.run(migrate())
        server.know_json(pg.MIGRATED)
        yield server


@pytest.fixture
def postgres_address(postgres: pg.Server) -> Iterator[str]:
    address = postgres.database(pg.MIGRATED)
    yield address
    postgres.drop(address)


@pytest.fixture
def new_database(request: pytest.FixtureRequest, empty_database: Path) -> Iterator[Callable[[], str]]:
    """Makes an empty database and returns its address, for tests that play in several: a file, or one on a server."""
    if pg.EVERYWHERE and not request.node.get_closest_marker("sqlite"):
        server: pg.Server = request.getfixturevalue("postgres")
        yield lambda: server.database(pg.MIGRATED)
        return
    quick = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="war-galley-", dir=quick) as folder:
        files = (Path(folder) / f"games-{number}.sqlite" for number in itertools.count(1))
        yield lambda: f"sqlite+aiosqlite:///{shutil.copy(empty_database, next(files))}"


@pytest.fixture(scope="session")
def afar(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Begun:
    """Begin a game of Anna and Bela once, with galleys out of each other's reach: a start takes a bot longest."""
    file = shutil.copy(empty_database, tmp_path_factory.mktemp("afar") / "games.sqlite")
    world = Sea(f"sqlite+aiosqlite:///{file}", here.workers(), itertools.count(1), **SETTINGS)

    async def begin() -> None:
        async with world.open():
            await world.begin_at(AFAR, world.bela)

    asyncio.run(begin())
    return world.begun()


@pytest.fixture
def found(request: pytest.FixtureRequest) -> Begun | None:
    """Return the game in which a test marked `begun` starts; None for other tests and on a server."""
    called = getattr(request.node, "callspec", None)
    on_server = called is not None and called.params.get("database") == "postgres"
    return request.getfixturevalue("afar") if _begun(request) and not on_server else None


@pytest.fixture
def database(request: pytest.FixtureRequest, found: Begun | None) -> Iterator[str]:
    """Return the address of a new database, a copy of `found`'s if any; for `postgres` also one on a server."""
    if getattr(request, "param", "sqlite") == "postgres":
        server: pg.Server = request.getfixturevalue("postgres")
        address = server.database(pg.MIGRATED)
        yield address
        server.drop(address)
        return
    new_database: Callable[[], str] = request.getfixturevalue("new_database")
    address = new_database()
    if found:
        shutil.copy(found.database, str(make_url(address).database))
    yield address


@pytest.fixture
def settings() -> dict[str, Any]:
    """Return the bot's settings, with small pictures; tests that look at pictures override this fixture."""
    return {**SETTINGS}


@pytest.fixture
def every_game_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all games count for the ladder, however short and frequent; other tests hold those limits."""
    monkeypatch.setattr(limits, "MIN_ROUNDS", 0)
    monkeypatch.setattr(limits, "MAX_GAMES_PER_PAIR", 1000)


@pytest.fixture
async def sea(
    request: pytest.FixtureRequest, database: str, workers: Workers, settings: dict[str, Any], found: Begun | None
) -> AsyncIterator[Sea]:
    world = Sea(database, workers, itertools.count(1), **settings)
    if (marker := request.node.get_closest_marker("refused")) is not None:
        world.expect(*marker.args)
    workers.queue._users.clear()  # each test has an event loop of its own
    async with world.open(found):
        if _begun(request) and not found:
            await world.begin_at(AFAR, world.bela)
        yield world


@pytest.fixture
async def site(
    new_database: Callable[[], str], workers: Workers, settings: dict[str, Any], tmp_path: Path
) -> AsyncIterator[Sea]:
    """Open a sea whose host serves pages of games; its managers must turn them on."""
    pages = {"public_url": ADDRESS, "pages_dir": str(tmp_path / "pages")}
    workers.queue._users.clear()
    sea = Sea(new_database(), workers, itertools.count(1), **settings, **pages)
    async with sea.open():
        yield sea


def _begun(request: pytest.FixtureRequest) -> bool:
    return request.node.get_closest_marker("begun") is not None

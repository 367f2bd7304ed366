"""The whole bot under load: `python -m tests.bench.load [--cases …] [--games N] [--rounds N] [--running N] …`.

The bot is a process of its own, as its host runs it, with a Discord on the loopback (`tests/loopback`): its real
gateway, REST, database and workers. Users press, wait, think and press again. All runs on one machine, so that
Discord and the users take their share of it; the load average below the table says who else did, and the anchor how
fast the machine is. Ends with 1 if a goal is missed.

A press is answered three times: at once by a sign, without which Discord tells the user after 3 s that the bot has
failed; by text and buttons, over the old picture; and by the picture drawn for it, unless a newer press has overtaken
it. The goals are the sign's, and those of text and buttons; pictures come when there is time for them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from sqlalchemy import make_url

from tests import pg
from tests.bench.crowd import BACK, Row, crowd, opened, ready, started
from tests.bench.due import due
from tests.bench.processes import family, memory_mib, processor_of_all_s, processor_s
from tests.bench.rounds import anchor
from tests.loopback.gateway import Gateway, measured

WRITTEN = Path("build/load.json")
CASES = ("start", "crowd", "due")
START_MOST_S, COST_GROWTH = 2.0, 1.2
MANY, START_WITH_MANY_MOST_S = 100_000, 3.0
"""Games in the database, and the goal with so many."""
IDLE_MEMORY_MOST_MIB = 200.0
DUE_PAUSE_S = 10.0
"""Seconds of thought at most while large games are due: these take less than a minute."""
STARTS = 3
PRESSES = 100
"""Of which the cost of one is the mean."""
STILL, STILL_MOST_S = 0.02, 60.0
"""The part of a processor below which a bot counts as having nothing to do, and for how long one waits for that."""
UNSENT = "SELECT count(*) FROM outbox WHERE wanted > sent AND kind <> 'remind'"


# --- many games in the database --------------------------------------------------------------------------------------


class Started(NamedTuple):
    """Measurements of a start of the bot."""

    seconds: float
    """From the beginning of the process to the first answer."""
    processor_s: float
    """Processor time of the bot and its worker until that answer."""
    early_press_s: float
    """Processor time of the bot for one press, without its worker's, while it may still be busy with its start."""
    press_s: float
    """Processor time of the bot for one press once it has nothing else to do."""
    idle: float
    """The part of a processor that it uses then, while nobody presses."""
    memory_mib: float
    """Memory of all its processes then."""
    server_press_s: float
    """Processor time of PostgreSQL for one press; 0 on SQLite."""


class Kept(NamedTuple):
    """The database with the games."""

    url: str
    server: pg.Server | None

    @contextmanager
    def open(self) -> Iterator[Any]:
        address = make_url(self.url)
        if self.server:
            with psycopg.connect(pg.plain(self.url)) as connection:
                yield connection
        else:
            with closing(sqlite3.connect(str(address.database))) as connection, connection:
                yield connection

    def columns(self, connection: Any, table: str) -> list[str]:
        named = (
            f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}'"
            if self.server
            else f"SELECT name FROM pragma_table_info('{table}')"
        )
        return [name for (name,) in connection.execute(named).fetchall()]


@contextmanager
def _kept(folder: Path, *, on_postgres: bool) -> Iterator[Kept]:
    if not on_postgres:
        yield Kept(f"sqlite+aiosqlite:///{folder / 'games.sqlite'}", None)
        return
    install = pg.binaries()
    if install is None:
        sys.exit(pg.NO_SERVER)
    with pg.server(install) as server:
        server.stop()
        server.start(durable=True)
        yield Kept(server.database(name="games"), server)


async def weight(running: int, *, on_postgres: bool) -> list[Row]:
    """Measure a start, and a press, of a bot with one running game and of one with many.

    They start by turns, because the speed of a machine changes.
    """
    async with AsyncExitStack() as stack:
        lone, crowded = [await stack.enter_async_context(_alone(on_postgres=on_postgres)) for _ in range(2)]
        _copy(crowded.kept, running - 1)
        starts = [(await _start(lone), await _start(crowded)) for _ in range(STARTS)]
        assert not _unsent(crowded.kept), "only the first game has been played"
    few, many = zip(*starts, strict=True)
    start_most_s = START_WITH_MANY_MOST_S if running >= MANY else START_MOST_S
    return [
        Row("running games", running, ""),
        *_rows(
            "start to first answer",
            "s",
            [start.seconds for start in few],
            [start.seconds for start in many],
            start_most_s,
        ),
        *_rows(
            "the same, processor time", "s", [start.processor_s for start in few], [start.processor_s for start in many]
        ),
        *_rows("an early press", "s", [start.early_press_s for start in few], [start.early_press_s for start in many]),
        *_rows(
            "a press, processor time",
            "s",
            [start.press_s for start in few],
            [start.press_s for start in many],
            ratio=COST_GROWTH,
        ),
        *_of_server([start.server_press_s for start in few], [start.server_press_s for start in many]),
        Row("of a processor while nobody presses", min(start.idle for start in many), ""),
        Row("memory while nobody presses", min(start.memory_mib for start in many), "MiB", IDLE_MEMORY_MOST_MIB),
    ]


def _of_server(few: list[float], many: list[float]) -> Iterator[Row]:
    if min(few):
        yield from _rows("the same in PostgreSQL", "s", few, many, ratio=COST_GROWTH)


def _unsent(database: Kept) -> int:
    with database.open() as connection:
        ((count,),) = connection.execute(UNSENT).fetchall()
    return int(count)


def _rows(
    figure: str,
    unit: str,
    few: list[float],
    many: list[float],
    goal: float | None = None,
    *,
    ratio: float | None = None,
) -> Iterator[Row]:
    """Return the best of several starts: other processes only ever add to it."""
    yield Row(f"{figure}, 1 game", min(few), unit)
    yield Row(f"{figure}, all games", min(many), unit, goal)
    yield Row(f"{figure}, all over 1", min(many) / min(few), "", ratio)


class Alone(NamedTuple):
    """A bot with one running game, or with that and many that nobody plays."""

    folder: Path
    discord: Gateway
    kept: Kept

    def running(self) -> AbstractAsyncContextManager[asyncio.subprocess.Process]:
        return measured(self.folder, self.discord, LOG_LEVEL="WARNING", DATABASE_URL=self.kept.url)


@asynccontextmanager
async def _alone(*, on_postgres: bool) -> AsyncIterator[Alone]:
    """Begin a game, and send all its messages: else each copy of it would send them, too."""
    with tempfile.TemporaryDirectory() as name, _kept(Path(name), on_postgres=on_postgres) as database:
        async with Gateway().open() as discord:
            alone = Alone(Path(name), discord, database)
            async with alone.running() as process:
                await ready(discord, process)
                await _begin(discord)
                while _unsent(database):  # noqa: ASYNC110 - another process sends
                    await asyncio.sleep(0.1)
                await _stop(process)
            yield alone


async def _begin(discord: Gateway) -> None:
    lobby = await opened(discord, 1, {"galleys": "1"}, computer=1)
    await started(discord, 1, lobby)
    while not any(ref.token == "order.F" for _, refs in discord.panels(1) for ref in refs):
        sealing = [(message, ref) for message, refs in discord.panels(1) for ref in refs if ref.verb == "seal"]
        if sealing:
            await discord.press(1, sealing[0][0], sealing[0][1].pack())
        await asyncio.sleep(0.1)


async def _start(alone: Alone) -> Started:
    """Start the bot, press until one can tell what a press costs, and stop it."""
    began, discord, database = time.perf_counter(), alone.discord, alone.kept
    async with alone.running() as process:
        await ready(discord, process)
        await _press(discord)
        took, busy = time.perf_counter() - began, sum(map(processor_s, family(process.pid)))
        early, _ = await _presses(discord, process, database)
        idle, memory = await _still(process), memory_mib(process.pid)
        press_s, server_s = await _presses(discord, process, database)
        await _stop(process)
    return Started(took, busy, early, press_s, idle, memory, server_s)


async def _presses(discord: Gateway, process: asyncio.subprocess.Process, database: Kept) -> tuple[float, float]:
    """Press, and return the processor seconds of the bot and of PostgreSQL for one press."""
    server = database.server.pid if database.server else None
    used, served = processor_s(process.pid), processor_of_all_s(server) if server else 0.0
    for _ in range(PRESSES):
        await _press(discord)
    used, served = processor_s(process.pid) - used, (processor_of_all_s(server) if server else 0.0) - served
    return used / PRESSES, served / PRESSES


async def _still(process: asyncio.subprocess.Process) -> float:
    """Wait until a bot has nothing to do, and return the part of a processor that it uses then."""
    idle, until = 1.0, time.monotonic() + STILL_MOST_S
    while idle > STILL and time.monotonic() < until:
        used, at = processor_s(process.pid), time.monotonic()
        await asyncio.sleep(2)
        idle = (processor_s(process.pid) - used) / (time.monotonic() - at)
    return idle


async def _press(discord: Gateway) -> None:
    message, refs = next(
        (message, refs) for message, refs in discord.panels(1) if any(ref.verb == "press" for ref in refs)
    )
    ordered = [ref for ref in refs if ref.token in ("order.F", BACK)]
    await discord.press(1, message, ordered[-1 if any(ref.token == BACK for ref in ordered) else 0].pack())


async def _stop(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0


def _copy(database: Kept, times: int) -> None:
    """Add copies of the game, each with its own players."""
    apart = {
        "user_id": "user_id + 10 * k",
        "host_id": "host_id + 10 * k",
        "thread_id": "thread_id + k * CAST(100000 AS BIGINT)",
    }
    with database.open() as connection:
        for table in ("games", "players", "seats", "requests", "answers", "steps", "outbox", "acts"):
            columns = database.columns(connection, table)
            own = "game_id" if table != "games" else "id"
            copied = [column for column in columns if table == "games" or column != "id" or table == "requests"]
            values = [f"{own} + k" if column == own else apart.get(column, column) for column in copied]
            connection.execute(
                f"WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < {times}) "
                f"INSERT INTO {table} ({', '.join(copied)}) SELECT {', '.join(values)} FROM {table}, n"
            )


def tell(rows: list[Row]) -> None:
    for row in rows:
        goal = "" if row.goal is None else f"goal {row.goal:g} {row.unit}".rstrip()
        line = f"{row.figure:<42}  {row.value:>10.3f} {row.unit:<4} {goal:<14} {row.verdict}"
        sys.stdout.write(line.rstrip() + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.load", description="The whole bot under load.")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--games", type=int, default=200, help="played at once, each by two users")
    parser.add_argument("--rounds", type=int, default=1000, help="of all games together")
    parser.add_argument("--running", type=int, default=10_000, help="games in the database at the start")
    parser.add_argument("--postgres", action="store_true", help="start on a PostgreSQL, not on a file")
    parser.add_argument(
        "--pause", type=float, default=60.0, help="seconds that a user thinks before a press, on average"
    )
    parser.add_argument("--large", type=int, default=10, help="large games that are due at once")
    parser.add_argument("--users", type=int, default=50, help="who press meanwhile")
    parser.add_argument("--waves", type=int, default=2, help="how often the large games are due")
    parser.add_argument("--json", type=Path, metavar="FILE", default=WRITTEN, help=f"where to write it, else {WRITTEN}")
    options = parser.parse_args()
    parts: dict[str, Callable[[], Coroutine[Any, Any, list[Row]]]] = {
        "start": partial(weight, options.running, on_postgres=options.postgres),
        "crowd": partial(crowd, options.games, options.rounds, options.pause),
        "due": partial(due, options.large, options.users, min(options.pause, DUE_PAUSE_S), options.waves),
    }
    before, unit_s = os.getloadavg()[0], anchor()
    rows = []
    for case in options.cases:
        found = asyncio.run(parts[case]())
        tell(found)
        rows += found
    sys.stdout.write(
        f"{os.cpu_count()} processors; load average {before:.1f} before, {os.getloadavg()[0]:.1f} after; "
        f"{options.pause:g} s of thought before a press; anchor {unit_s:.3f} s before, {anchor():.3f} s after\n"
    )
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([{**row._asdict(), "verdict": row.verdict} for row in rows], indent=2) + "\n")
    return int(any(row.verdict == "missed" for row in rows))


if __name__ == "__main__":
    sys.exit(main())

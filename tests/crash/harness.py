"""Kills the bot at each point of scripted games in turn, restarts it, and compares the end with a calm one.

`python -m tests.crash.harness [EVERY] [PLAYED ...]` tries every point, or one in EVERY, of a duel, of a season with a
battle and of a duel with own crews, or of those that are named, and prints what it found. With `--postgres` the games
are kept in a PostgreSQL.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from bot.store import Store
from tests import pg
from tests.forked import start
from tests.loopback.rest import Discord

PLAYED = {"duel": "tests.crash.player:main", "season": "tests.crash.season:main", "crews": "tests.crash.crews:main"}
"""Scripted games, and what each life of the bot runs."""


class Found(NamedTuple):
    killed: bool
    states_equal: bool
    seals_lost: int
    doubled: int  # messages and threads that stand there twice
    missing: int


GOOD = Found(killed=True, states_equal=True, seals_lost=0, doubled=0, missing=0)


class End(NamedTuple):
    states: list[str]  # after each step; then what captains keep
    answers: dict[str, str]
    marks: Counter[tuple[int, int]]
    threads: Counter[str]  # by their names
    public: int
    """Messages outside direct messages; a panel whose question is answered before it is sent is rightly never sent."""


async def life(
    folder: Path, discord: Discord, kill_at: int, played: str = "duel", *, database: str = ""
) -> tuple[int, int]:
    """Run the bot once, on a file in the folder if nothing is said; its exit code and the points it passed."""
    url = database or f"sqlite+aiosqlite:///{folder / 'games.sqlite'}"
    arguments = (url, discord.url, str(folder / "journal"), str(kill_at))
    with (folder / "passed").open("wb") as passed:
        code = await start(PLAYED[played], *arguments, out=passed).wait()
    return code, int((folder / "passed").read_text() or 0)


@contextmanager
def _looking(folder: Path, database: str) -> Iterator[Any]:
    """Connect to the database, in a file or on a server."""
    if database:
        with psycopg.connect(pg.plain(database)) as on_server:
            yield on_server
    else:
        with closing(sqlite3.connect(folder / "games.sqlite")) as connection:
            yield connection


def end_of(folder: Path, discord: Discord, database: str = "") -> End:
    with _looking(folder, database) as connection:
        states = [state for (state,) in connection.execute("SELECT state FROM steps ORDER BY game_id, no")]
        columns = "user_id || ' ' || number || ' ' || name || ' ' || body || ' ' || coalesce(game_id, 0)"
        states += [
            column for (column,) in connection.execute(f"SELECT {columns} FROM keepsakes ORDER BY user_id, number")
        ]
        answers = dict(connection.execute("SELECT game_id || ' ' || request_id, body FROM answers").fetchall())
        wishes = connection.execute("SELECT count(*) FROM outbox WHERE sent < wanted").fetchone()[0]
    assert wishes == 0, "something was never sent"
    marks = Counter(discord.marks())
    threads = Counter(discord.names.values())
    return End(states, answers, marks, threads, sum(place not in discord.direct.values() for place, _ in marks))


def _number_as_on_a_file(database: str) -> None:
    """Give the next game of a server's database the number that one has taken which was never stored.

    Scripts know their games by them.
    """
    if database:
        with psycopg.connect(pg.plain(database)) as on_server:
            on_server.execute(
                "SELECT setval(pg_get_serial_sequence('games', 'id'), coalesce(max(id), 0) + 1, false) FROM games"
            )


@contextmanager
def _empty(server: pg.Server | None) -> Iterator[str]:
    """A database of one's own on a server, with tables and no games; without a server nothing, for a file."""
    if server is None:
        yield ""
        return
    database = server.database(pg.MIGRATED)
    yield database
    server.drop(database)


async def undisturbed(played: str = "duel", server: pg.Server | None = None) -> tuple[End, int]:
    with tempfile.TemporaryDirectory() as name, _empty(server) as database:
        async with Discord().open() as discord:
            code, points = await life(Path(name), discord, 0, played, database=database)
            assert code == 0, f"the undisturbed game ended with exit code {code}"
            return end_of(Path(name), discord, database), points


async def disturbed(kill_at: int, calm: End, played: str = "duel", server: pg.Server | None = None) -> Found:
    with tempfile.TemporaryDirectory() as name, _empty(server) as database:
        folder = Path(name)
        async with Discord().open() as discord:
            code, _ = await life(folder, discord, kill_at, played, database=database)
            killed = code == -9
            if killed:
                _number_as_on_a_file(database)
                code, _ = await life(folder, discord, 0, played, database=database)
            assert code == 0, f"killed at {kill_at}: the second life ended with exit code {code}"
            end = end_of(folder, discord, database)
            journal = folder / "journal"
            sealed = dict(line.split("\t") for line in journal.read_text().splitlines()) if journal.exists() else {}
    return Found(
        killed=killed,
        states_equal=end.states == calm.states,
        seals_lost=sum(end.answers.get(request) != body for request, body in sealed.items()),
        doubled=sum(count - 1 for count in (*end.marks.values(), *end.threads.values())),
        missing=calm.public - end.public,
    )


async def main(every: int, names: Sequence[str], server: pg.Server | None = None) -> int:
    if server:
        await (await Store.open(server.database(name=pg.MIGRATED))).close()
    return max([await _tried(name, every, server) for name in names or PLAYED])


async def _tried(name: str, every: int, server: pg.Server | None) -> int:
    calm, points = await undisturbed(name, server)
    tried = []
    # As long as there is anything to kill: what is sent together may take more points or fewer.
    for kill_at in itertools.count(1, every):
        life = await disturbed(kill_at, calm, name, server)
        if not life.killed:
            break
        tried.append(life)
        if life != GOOD:
            sys.stdout.write(f"{name}, killed at {kill_at}: {life}\n")
    rows = {
        f"points of the {name}": points,
        "kill points tried": sum(life.killed for life in tried),
        "states equal": sum(life.states_equal for life in tried),
        "orders lost": sum(life.seals_lost for life in tried),
        "messages doubled": sum(life.doubled for life in tried),
        "messages missing": sum(life.missing for life in tried),
    }
    sys.stdout.writelines(f"{name:<20}{count:>6}\n" for name, count in rows.items())
    sys.stdout.flush()
    return 0 if all(life == GOOD for life in tried) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.crash.harness", description="Kills the bot at each point.")
    parser.add_argument("every", type=int, nargs="?", default=1, help="one point in so many")
    parser.add_argument("played", nargs="*", metavar="|".join(PLAYED), help="the games; all, if none is named")
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL of its own")
    given = parser.parse_intermixed_args()
    install = pg.binaries() if given.postgres else None
    if given.postgres and install is None:
        sys.exit(pg.NO_SERVER)
    with pg.server(install) if install else nullcontext() as found:
        sys.exit(asyncio.run(main(given.every, given.played, found)))

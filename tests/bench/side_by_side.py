"""Rounds an hour of one bot, and of two side by side, on one PostgreSQL: `python -m tests.bench.side_by_side`.

Each bot is a process as its host runs it, with pictures of full size and one worker, behind a load balancer that gives
it every second press. Their Discord has two shards. Its users, more than the bots can serve, press at
once what they are asked. PostgreSQL, Discord and users run on the same machine, and take their share of it: so the
table says what each of them used for a round. `--cores-each 0.5` gives each bot with its worker half a processor of
its own and no more, so that there is one for a second bot, and the rest for the others. With a longer `--pause` before
each press nobody is overloaded: then what one bot uses for a round can be compared with what two use.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import psycopg
from aiohttp import web

from tests import pg
from tests.bench.crowd import Crowd, faults
from tests.bench.processes import processor_of_all_s
from tests.bench.shares import NoShares, share
from tests.crash.fleet import PLACES, begin
from tests.loopback import rest
from tests.loopback.endpoint import SigningShards, free_port
from tests.loopback.gateway import measured
from tests.loopback.shards import SHARDS

WRITTEN = Path("build/side_by_side.json")
FREE = ("interactions", "webhooks")  # how paths begin of requests that don't count towards Discord's limit
ROUNDS = """
SELECT count(DISTINCT (game_id, split_part(id, '.', 1))) FROM requests WHERE status = 'closed' AND id LIKE 'r%.orders.%'
"""
WARM_S = 25.0
GAIN = 1.7  # so many times as much two should do as one does, where there are processors for both
HOUR_S = 3600
BUSY = 3  # processors that a bot alone keeps busy, with its database, Discord and users
OTHERS = 1  # processors for database, Discord and users where each bot has a share of its own


class Counting(SigningShards):
    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[bool] = Counter()  # requests, by whether they count
        self.pictures = 0

    async def _answer(self, request: web.Request) -> web.Response:
        self.asked[not request.match_info["path"].startswith(FREE)] += 1
        self.pictures += rest.uploads(request)
        return await super()._answer(request)


class Used(NamedTuple):
    at: float
    rounds: int
    asked: int
    pictures: int
    bots: tuple[float, ...]  # processor seconds of each bot with its workers
    server: float  # of PostgreSQL
    others: float  # of Discord and its users, which are this process


class Line(NamedTuple):
    bots: int
    rounds_an_hour: float
    requests: float  # a round, of those that count towards the limit
    requests_a_second: float
    pictures: float  # a round: those that are left out are the first to be, where a bot has too much to do
    bot_s: float  # processor seconds for a round, of all bots with their workers
    shares: tuple[float, ...]  # the part of that which each bot had
    server_s: float
    others_s: float
    busy: float  # how many processors all of them kept busy
    share_s: float  # processor seconds a second of the bot that used most
    faults: int


async def measure(
    server: pg.Server, template: str, games: int, bots: int, seconds: float, pause_s: float, cores: float | None
) -> Line:
    """Let so many bots play for a while, each with so many processors of its own. Raises `NoShares`."""
    database = server.database(template)
    with tempfile.TemporaryDirectory() as name:
        async with Counting().open() as discord, AsyncExitStack() as stack:
            assert isinstance(discord, Counting)
            ports, folders, running = [free_port() for _ in range(bots)], [], []
            settings = {"DATABASE_URL": database, "SHARDS": str(SHARDS), "LOG_LEVEL": "WARNING", "WORKERS": "1"}
            for number, port in enumerate(ports):
                folders.append(folder := Path(name) / str(number))
                folder.mkdir()
                own = stack.enter_context(share(str(number), cores)) if cores else None
                bot = measured(folder, discord, **settings, INTERACTIONS_PORT=str(port))
                running.append(await stack.enter_async_context(bot))
                if own:
                    own.add(running[-1].pid)
            await _all_held(database, bots, discord)
            discord.ports = [*ports]
            crowd = Crowd(discord, games=games, pause_s=pause_s)
            async with crowd.playing():
                await asyncio.sleep(WARM_S)
                before = _used(server, database, discord, running)
                while time.monotonic() < before.at + seconds:
                    await asyncio.sleep(1)
                    crowd.check()
                after = _used(server, database, discord, running)
            for process in running:
                process.send_signal(signal.SIGTERM)
            await asyncio.gather(*(process.wait() for process in running))
            wrong = sum(map(faults, folders))
    server.drop(database)
    return _line(before, after, wrong)


async def _all_held(database: str, bots: int, discord: Counting) -> None:
    live = "holder IS NOT NULL AND until > extract(epoch FROM clock_timestamp()) AND starts_with(key, 'shard:')"
    held = f"SELECT count(DISTINCT holder), count(*) FROM leases WHERE {live}"
    while True:
        with suppress(psycopg.Error), psycopg.connect(pg.plain(database)) as connection:  # its tables may not be there
            if connection.execute(held).fetchone() == (bots, SHARDS) and discord.connected(*range(SHARDS)):
                return
        await asyncio.sleep(0.1)


def _used(server: pg.Server, database: str, discord: Counting, running: list[asyncio.subprocess.Process]) -> Used:
    with psycopg.connect(pg.plain(database)) as connection:
        found: tuple[Any, ...] | None = connection.execute(ROUNDS).fetchone()
    assert found
    return Used(
        at=time.monotonic(),
        rounds=found[0],
        asked=discord.asked[True],
        pictures=discord.pictures,
        bots=tuple(processor_of_all_s(process.pid) for process in running),
        server=processor_of_all_s(server.pid),
        others=time.process_time(),
    )


def _line(before: Used, after: Used, wrong: int) -> Line:
    took, rounds = after.at - before.at, after.rounds - before.rounds
    bots = [late - early for early, late in zip(before.bots, after.bots, strict=True)]
    server, others = after.server - before.server, after.others - before.others
    return Line(
        bots=len(bots),
        rounds_an_hour=HOUR_S * rounds / took,
        requests=(after.asked - before.asked) / rounds,
        requests_a_second=(after.asked - before.asked) / took,
        pictures=(after.pictures - before.pictures) / rounds,
        bot_s=sum(bots) / rounds,
        shares=tuple(one / sum(bots) for one in bots),
        server_s=server / rounds,
        others_s=others / rounds,
        busy=(sum(bots) + server + others) / took,
        share_s=max(bots) / took,
        faults=wrong,
    )


def tell(line: Line, cores: float | None) -> None:
    shares = " and ".join(f"{share:.0%}" for share in line.shares)
    for figure, value in (
        ("bots", line.bots),
        ("rounds an hour", line.rounds_an_hour),
        (f"processor for a round, in bots ({shares}), s", line.bot_s),
        ("the same in PostgreSQL, s", line.server_s),
        ("the same in Discord and its users, s", line.others_s),
        ("requests that count, a round", line.requests),
        ("the same, a second", line.requests_a_second),
        ("pictures sent, a round", line.pictures),
        ("processors busy", line.busy),
        (f"those of the busiest bot{f', of its {cores:g}' if cores else ''}", line.share_s),
        ("faults logged", line.faults),
    ):
        sys.stdout.write(f"{figure:<58}{value:>10,.{0 if value >= 100 else 2}f}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.side_by_side", description=__doc__.partition(":")[0])
    parser.add_argument("--games", type=int, default=20, help="on each of two servers, each by two users")
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long each is measured")
    parser.add_argument("--bots", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--pause", type=float, default=0.5, help="seconds of thought before a press, on average")
    parser.add_argument(
        "--as-many-each", action="store_true", help="with fewer bots fewer games, so that each bot has as many"
    )
    parser.add_argument("--runs", type=int, default=1, help="how often all of it is measured")
    parser.add_argument("--cores-each", type=float, help="processors that each bot has with its worker, and no more")
    given = parser.parse_args()
    install = pg.binaries()
    if install is None:
        sys.exit(pg.NO_SERVER)
    lines: list[Line] = []
    with pg.server(install) as server:
        asyncio.run(begin(server.database(name="begun"), given.games))
        server.stop()
        server.start(durable=True)
        for bots in given.bots * given.runs:
            games = (
                given.games * len(PLACES) * bots // max(given.bots) if given.as_many_each else given.games * len(PLACES)
            )
            measured = measure(server, "begun", games, bots, given.seconds, given.pause, given.cores_each)
            try:
                lines.append(asyncio.run(measured))
            except NoShares as none:
                sys.exit(f"--cores-each cannot be kept here: {none}")
            tell(lines[-1], given.cores_each)
    runs = [lines[at : at + len(given.bots)] for at in range(0, len(lines), len(given.bots))]
    gains = [run[-1].rounds_an_hour / run[0].rounds_an_hour for run in runs]
    needed = given.cores_each * max(given.bots) + OTHERS if given.cores_each else BUSY * max(given.bots)
    enough = (os.cpu_count() or 1) >= needed
    verdict = f"goal {GAIN:g}" if enough else f"goal {GAIN:g} with more processors than the {os.cpu_count()} here"
    told = ", ".join(f"{gain:.2f}" for gain in gains)
    sys.stdout.write(f"{lines[-1].bots} over {lines[0].bots}: {told} times as many rounds ({verdict})\n")
    WRITTEN.parent.mkdir(parents=True, exist_ok=True)
    WRITTEN.write_text(json.dumps([line._asdict() for line in lines], indent=2) + "\n")
    return int(enough and median(gains) < GAIN)


if __name__ == "__main__":
    sys.exit(main())

"""Rounds an hour of one bot, and of two side by side, on one PostgreSQL: `python -m tests.bench.side_by_side [CORES]`.

Each bot with its worker has a share of the machine's processors, half of one unless CORES says otherwise, by the
kernel's control groups. The database, Discord and its users take what is left. Where there are processors for all,
two bots should play about twice as many rounds as one.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg
from aiohttp import web

from tests import pg
from tests.bench.crowd import Crowd, faults
from tests.bench.processes import processor_of_all_s
from tests.crash.fleet import PLACES, begin
from tests.loopback import rest
from tests.loopback.endpoint import SigningShards, free_port
from tests.loopback.gateway import measured
from tests.loopback.shards import SHARDS

GAMES, PAUSE_S = 20, 0.5  # on each of two servers; seconds of thought before a press, on average
WARM_S, MEASURED_S, HOUR_S = 25.0, 60.0, 3600
FREE = ("interactions", "webhooks")  # how paths begin of requests that don't count towards Discord's limit
GROUPS: Final = Path("/sys/fs/cgroup")
PERIOD_US: Final = 100_000  # the kernel's default: who has used their share stands still for the rest of it
ROUNDS = """
SELECT count(DISTINCT (game_id, split_part(id, '.', 1))) FROM requests WHERE status = 'closed' AND id LIKE 'r%.orders.%'
"""


@contextmanager
def share(name: str, cores: float) -> Iterator[Callable[[int], object]]:
    """Limit processes to `cores` processors together; yield a function that adds one. Raises `OSError` if the kernel
    can't."""
    quota = str(round(cores * PERIOD_US))
    old = next((folder for folder in (GROUPS / "cpu", GROUPS / "cpu,cpuacct") if folder.exists()), None)
    if old:
        parent, limits = old, {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": quota}
    else:
        parent, limits = GROUPS, {"cpu.max": f"{quota} {PERIOD_US}"}
        (GROUPS / "cgroup.subtree_control").write_text("+cpu")
    folder = parent / f"war-galley-{os.getpid()}-{name}"
    folder.mkdir()
    try:
        for file, text in limits.items():
            (folder / file).write_text(text)
        yield lambda pid: (folder / "cgroup.procs").write_text(str(pid))
    finally:
        for _ in range(100):  # workers of a bot that was killed end by themselves
            try:
                folder.rmdir()
                break
            except OSError:
                time.sleep(0.1)


class Counting(SigningShards):
    def __init__(self) -> None:
        super().__init__()
        self.counted = 0  # requests that count towards the limit
        self.pictures = 0

    async def _answer(self, request: web.Request) -> web.Response:
        self.counted += not request.match_info["path"].startswith(FREE)
        self.pictures += rest.uploads(request)
        return await super()._answer(request)


class Used(NamedTuple):
    """Counts since the start of the run, and processor time used, in seconds."""

    at: float
    rounds: int
    requests: int
    pictures: int
    bots_s: float  # of all bots with their workers
    server_s: float
    others_s: float  # of Discord and its users, which are this process


def _used(server: pg.Server, database: str, discord: Counting, running: list[asyncio.subprocess.Process]) -> Used:
    with psycopg.connect(pg.plain(database)) as connection:
        ((rounds,),) = connection.execute(ROUNDS).fetchall()
    bots_s = sum(processor_of_all_s(process.pid) for process in running)
    server_s = processor_of_all_s(server.pid)
    return Used(time.monotonic(), rounds, discord.counted, discord.pictures, bots_s, server_s, time.process_time())


async def _all_held(database: str, bots: int, discord: Counting) -> None:
    live = "holder IS NOT NULL AND until > extract(epoch FROM clock_timestamp()) AND starts_with(key, 'shard:')"
    held = f"SELECT count(DISTINCT holder), count(*) FROM leases WHERE {live}"
    while True:
        with suppress(psycopg.Error), psycopg.connect(pg.plain(database)) as connection:  # its tables may not be there
            if connection.execute(held).fetchone() == (bots, SHARDS) and discord.connected(*range(SHARDS)):
                return
        await asyncio.sleep(0.1)


async def measure(server: pg.Server, template: str, bots: int, cores: float) -> dict[str, float]:
    """Let bots play for a while, each with its own share of processors; return figures by name."""
    database = server.database(template)
    with tempfile.TemporaryDirectory() as name:
        async with Counting().open() as discord, AsyncExitStack() as stack:
            assert isinstance(discord, Counting)
            ports, folders, running = [free_port() for _ in range(bots)], [], []
            settings = {"DATABASE_URL": database, "SHARDS": str(SHARDS), "LOG_LEVEL": "WARNING", "WORKERS": "1"}
            for number, port in enumerate(ports):
                folders.append(folder := Path(name) / str(number))
                folder.mkdir()
                add = stack.enter_context(share(str(number), cores))
                bot = measured(folder, discord, **settings, INTERACTIONS_PORT=str(port))
                running.append(await stack.enter_async_context(bot))
                add(running[-1].pid)
            await _all_held(database, bots, discord)
            discord.ports = [*ports]
            crowd = Crowd(discord, games=GAMES * len(PLACES), pause_s=PAUSE_S)
            async with crowd.playing():
                await asyncio.sleep(WARM_S)
                before = _used(server, database, discord, running)
                while time.monotonic() < before.at + MEASURED_S:
                    await asyncio.sleep(1)
                    crowd.check()
                after = _used(server, database, discord, running)
            for process in running:
                process.send_signal(signal.SIGTERM)
            await asyncio.gather(*(process.wait() for process in running))
            wrong = sum(map(faults, folders))
    server.drop(database)
    used = Used(*(late - early for early, late in zip(before, after, strict=True)))
    return {
        "bots": bots,
        "rounds an hour": HOUR_S * used.rounds / used.at,
        "processor for a round, in bots, s": used.bots_s / used.rounds,
        "the same in PostgreSQL, s": used.server_s / used.rounds,
        "the same in Discord and its users, s": used.others_s / used.rounds,
        "requests that count, a round": used.requests / used.rounds,
        "the same, a second": used.requests / used.at,
        "pictures sent, a round": used.pictures / used.rounds,
        "processors busy": (used.bots_s + used.server_s + used.others_s) / used.at,
        "faults logged": wrong,
    }


def main(cores: float) -> None:
    install = pg.binaries()
    if install is None:
        sys.exit(pg.NO_SERVER)
    rounds: list[Any] = []
    with pg.server(install) as server:
        asyncio.run(begin(server.database(name="begun"), GAMES))
        server.stop()
        server.start(durable=True)
        for bots in (1, 2):
            figures = asyncio.run(measure(server, "begun", bots, cores))
            rounds.append(figures["rounds an hour"])
            for figure, value in figures.items():
                print(f"{figure:<42}{value:>10,.{0 if value >= 100 else 2}f}", flush=True)
    print(f"two bots play {rounds[1] / rounds[0]:.2f} times as many rounds as one")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.5)

"""Measure how readers of a game's page slow the bot: `python -m tests.bench.readers [--seconds N] [--turns N]`.

A thousand readers follow one game: 200 by streams, 800 ask for its head every ten seconds. The bot keeps its own core
if the machine has two, the site and its readers share the other. Captains press meanwhile. The same load on a site that
has nothing to do with the bot is the anchor, by turns, because it takes as much of the machine. Prints how long the
bot's answers took in both. Ends with 1 if the goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp

from bot.pages.site import MAX_STREAMS, POLL_S
from tests.bench.crowd import ready
from tests.bench.load import _begin, _press
from tests.loopback.gateway import Gateway, measured
from tests.loopback.rest import GUILD

READERS = 1000
GOAL = 1.10
PATIENCE_S = 60.0


# --- the readers, in a process of their own ---------------------------------------------------------------------------


async def read(address: str) -> None:
    """Read a game's page like a thousand people until the process is ended. Print how many streams there are."""
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=PATIENCE_S)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
        streams = [asyncio.create_task(_follow(session, address)) for _ in range(MAX_STREAMS)]
        polls = [asyncio.create_task(_poll(session, address, n)) for n in range(READERS - MAX_STREAMS)]
        print("reading", flush=True)
        await asyncio.gather(*streams, *polls)


async def _follow(session: aiohttp.ClientSession, address: str) -> None:
    while True:  # places of readers who have left are free after some seconds
        async with session.get(f"{address}/live") as stream:
            if stream.status == 200:
                async for _ in stream.content:
                    pass
        await asyncio.sleep(1.0)


async def _poll(session: aiohttp.ClientSession, address: str, number: int) -> None:
    await asyncio.sleep(POLL_S * number / (READERS - MAX_STREAMS))
    tag = ""
    while True:
        began = time.monotonic()
        async with session.get(f"{address}/head", headers={"If-None-Match": tag}) as answer:
            assert answer.status in (200, 304)
            tag = answer.headers["ETag"]
        await asyncio.sleep(max(0.0, POLL_S - (time.monotonic() - began)))


# --- the bot and two sites -------------------------------------------------------------------------------------------


def _free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def _running(*command: str, environment: dict[str, str], cores: set[int]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        os.sched_setaffinity(process.pid, cores)
        assert process.stdout
        try:
            assert process.stdout.readline(), "it has not begun"
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def _page_key(database: Path) -> str | None:
    with closing(sqlite3.connect(database)) as connection:
        row = connection.execute("SELECT page_key FROM games WHERE page_step >= 0").fetchone()
    return row[0] if row else None


def _turn_pages_on(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO servers (guild_id, channels, pages) VALUES (?, '[]', 1)", (GUILD,))


async def _page(folder: Path) -> str:
    """Return the key of the game's page once it is there."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if key := _page_key(folder / "games.sqlite"):
            return key
        await asyncio.sleep(0.2)
    raise AssertionError("the game has no page")


async def _answers(discord: Gateway, seconds: float) -> list[float]:
    """Press one button after another; return how long each answer took, in seconds."""
    times: list[float] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.perf_counter()
        await _press(discord)
        times.append(time.perf_counter() - began)
    return times


async def measure(seconds: float, turns: int) -> dict[str, list[float]]:
    """Return the answers' times while readers read the bot's page (`own`), another site's (`other`), and none."""
    everywhere = os.sched_getaffinity(0)
    bots, sites = ({min(everywhere)}, {max(everywhere)}) if len(everywhere) > 1 else (everywhere, everywhere)
    os.sched_setaffinity(0, bots)  # also of the bot, which is a child
    times: dict[str, list[float]] = {"none": [], "own": [], "other": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = {"PUBLIC_URL": "http://127.0.0.1", "PAGES_DIR": str(folder / "pages"), "PAGES_PORT": "0"}
        async with Gateway().open() as discord, measured(folder, discord, LOG_LEVEL="WARNING", **pages) as process:
            await ready(discord, process)
            _turn_pages_on(folder / "games.sqlite")
            await _begin(discord)
            key = await _page(folder)
            shutil.copytree(folder / "pages", folder / "other")
            addresses: dict[str, str] = {}
            with ExitStack() as stack:
                for which, place in (("own", "pages"), ("other", "other")):
                    port = _free_port()
                    addresses[which] = f"http://127.0.0.1:{port}/g/{key}"
                    environment = {**pages, "PAGES_DIR": str(folder / place)}
                    command = ("-m", "bot", "pages", "--port", str(port))
                    stack.enter_context(_running(*command, environment=environment, cores=sites))
                for turn in range(turns):
                    times["none"] += await _answers(discord, seconds)
                    for which in ("own", "other") if turn % 2 else ("other", "own"):
                        module = ("-m", "tests.bench.readers", "--read", addresses[which])
                        with _running(*module, environment={}, cores=sites):
                            await asyncio.sleep(2.0)  # all have connected
                            times[which] += await _answers(discord, seconds)
    os.sched_setaffinity(0, everywhere)
    return times


def _quantile(times: list[float], part: float) -> float:
    return sorted(times)[min(len(times) - 1, int(part * len(times)))]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.readers", description="Readers beside the bot.")
    parser.add_argument("--seconds", type=float, default=20.0, help="of pressing in each turn")
    parser.add_argument("--turns", type=int, default=3, help="with each kind of load")
    parser.add_argument("--read", metavar="ADDRESS", help="only read this page")
    options: Any = parser.parse_args()
    if options.read:
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        asyncio.run(read(options.read))
        return 0
    before = os.getloadavg()[0]
    times = asyncio.run(measure(options.seconds, options.turns))
    p99 = {which: _quantile(found, 0.99) for which, found in times.items()}
    for which, label in (("none", "no readers"), ("own", "readers of the bot's page"), ("other", "of another site")):
        print(
            f"{label:<26} {len(times[which]):>6} presses, median {1000 * median(times[which]):6.1f} ms,"
            f" p99 {1000 * p99[which]:6.1f} ms"
        )
    ratio = p99["own"] / p99["other"]
    print(f"p99, the bot's page over another site: {ratio:.2f} (goal {GOAL:.2f})")
    print(f"{os.cpu_count()} processors; load average {before:.1f} before, {os.getloadavg()[0]:.1f} after")
    return int(ratio > GOAL)


if __name__ == "__main__":
    sys.exit(main())

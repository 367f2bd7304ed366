"""Many games at once, by simulated users: `python -m tests.bench.load [--games N] [--rounds N] [--running N]`.

The bot is a process of its own, as its host runs it, with a Discord on the loopback (`tests/crash/gateway.py`): its
real gateway, REST, database and worker. Users press, wait, think and press again. All runs on one machine, so that
Discord and the users take their share of it; the load average below the table says who else did. Ends with 1 if a goal
is missed.

A press is answered three times: at once by a sign, without which Discord tells the user after 3 s that the bot has
failed; by text and buttons, over the old picture; and by the picture drawn for it, unless a newer press has overtaken
it. The goal of 100 ms is the sign's; none may take 3 s.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from tests.loopback.gateway import Answered, Gateway, choosable, living, pressable
from tests.loopback.rest import CHANNEL

WRITTEN = Path("build/load.json")
SIGN_P99_S, PANEL_MOST_S, HELD_MOST_S, START_MOST_S = 0.1, 3.0, 0.05, 2.0
MEMORY_GROWTH, COST_GROWTH = 1.1, 1.2
STARTS = 3
PRESSES = 60
"""Of which the cost of one is the mean."""
BACK = "order.back"


class Row(NamedTuple):
    """One line of the table."""

    figure: str
    value: float
    unit: str
    goal: float | None = None

    @property
    def verdict(self) -> str:
        """Whether the goal is reached, if there is one."""
        return "" if self.goal is None else "ok" if self.value <= self.goal else "missed"


# --- many games at once ----------------------------------------------------------------------------------------------


class Crowd:
    """Two users a game, who play until enough rounds are over."""

    def __init__(self, discord: Gateway, folder: Path, *, games: int, pause_s: float) -> None:
        self._discord, self._folder = discord, folder
        self._games, self._pause_s = games, pause_s
        self._random = random.Random(1)
        self.answers: list[Answered] = []
        self.memory: list[tuple[int, int]] = []
        """Rounds over, and bytes of the bot and its worker."""

    async def play(self, rounds: int, pid: int) -> None:
        """Open the games one after another, then play them all at once."""
        for number in range(self._games):
            await self._begin(2 * number + 1)
        users = [asyncio.create_task(self._user(user)) for user in range(1, 2 * self._games + 1)]
        try:
            over = 0
            while over < rounds and not all(user.done() for user in users):
                await asyncio.sleep(2)
                over = rounds_over(self._folder)
                self.memory.append((over, sum(map(_resident, family(pid)))))
                for user in users:
                    if user.done() and not user.cancelled() and (fault := user.exception()):
                        raise fault
        finally:
            for user in users:
                user.cancel()
            await asyncio.gather(*users, return_exceptions=True)

    async def _begin(self, host: int) -> None:
        known = len(self._discord.channels[CHANNEL])
        await self._discord.command(host, "new", game="matchbox")
        while len(self._discord.channels[CHANNEL]) == known:  # noqa: ASYNC110 - as a user waits
            await asyncio.sleep(0.01)
        lobby = self._discord.channels[CHANNEL][-1]
        await self._discord.choose(host, lobby, _galleys(lobby), "1")
        for user, verb in ((host + 1, "join"), (host, "start")):
            ref = next(ref for ref in pressable(lobby) if ref.verb == verb)
            await self._discord.press(user, lobby, ref.pack())

    async def _user(self, user: int) -> None:
        while True:
            act = self._next(user)
            if act is None:
                await self._discord.news(user)
                continue
            await asyncio.sleep(self._random.expovariate(1 / self._pause_s))
            if act := self._next(user):
                self.answers.append(await self._discord.press(user, *act))

    def _next(self, user: int) -> tuple[dict[str, Any], str, str | None] | None:
        """What to press now: an order or a choice, then the seal."""
        for message, refs in self._discord.panels(user):
            if seal := next((ref for ref in refs if ref.verb == "seal"), None):
                return message, seal.pack(), None
            free = [ref for ref in refs if ref.verb == "press" and ref.token not in (BACK, "order.clear")]
            if free:
                return message, self._random.choice(free).pack(), None
            for ref, values in choosable(message):
                if ref.verb == "pick" and values and not any(other.verb == "unseal" for other in refs):
                    return message, ref.pack(), self._random.choice(values)
        return None


def rounds_over(folder: Path) -> int:
    """Rounds of all games whose orders are carried out."""
    rounds = "SELECT count(DISTINCT game_id || '/' || substr(id, 1, instr(id, '.'))) FROM requests"
    (count,) = _query(folder, f"{rounds} WHERE status = 'closed' AND id LIKE 'r%.orders.%'")
    return int(count)


async def crowd(games: int, rounds: int, pause_s: float) -> list[Row]:
    """Play, and sum up."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with Gateway().open() as discord, living(folder, discord, LOG_LEVEL="WARNING") as process:
            await discord.ready.wait()
            process.send_signal(signal.SIGUSR1)
            playing = Crowd(discord, folder, games=games, pause_s=pause_s)
            began = time.monotonic()
            await playing.play(rounds, process.pid)
            took = time.monotonic() - began
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
        longest, busiest = map(float, (folder / "holds").read_text().split())
        over = rounds_over(folder)
        wrong = (folder / "log").read_text("utf-8").count('"level": "error"')
    noticed = sorted(one.noticed_s for one in playing.answers)
    answered = sorted(one.answered_s for one in playing.answers)
    drawn = sorted(one.drawn_s.result() for one in playing.answers if one.drawn_s.done())
    warm = [used for done, used in playing.memory if done <= over / 4][-1:] or [playing.memory[0][1]]
    grown = playing.memory[-1][1] / warm[0]
    return [
        Row("games at once", games, ""),
        Row("rounds", over, ""),
        Row("presses a second", len(answered) / took, ""),
        Row("faults logged", wrong, "", 0),
        Row("press to first sign, median", median(noticed), "s"),
        Row("press to first sign, p99", _p99(noticed), "s", SIGN_P99_S),
        Row("press to text and buttons, median", median(answered), "s"),
        Row("press to text and buttons, p99", _p99(answered), "s"),
        Row("press to text and buttons, longest", answered[-1], "s", PANEL_MOST_S),
        Row("presses with a picture of their own", len(drawn), ""),
        Row("press to its picture, median", median(drawn), "s"),
        Row("press to its picture, p99", _p99(drawn), "s"),
        Row("press to its picture, longest", drawn[-1], "s", PANEL_MOST_S),
        Row("event loop held, longest", longest, "s"),
        Row("event loop held, longest, processor time", busiest, "s", HELD_MOST_S),
        Row("memory at the end, bot and worker", playing.memory[-1][1] / 2**20, "MiB"),
        Row("memory at the end over that after a quarter", grown, "", MEMORY_GROWTH),
    ]


# --- many games in the database --------------------------------------------------------------------------------------


class Started(NamedTuple):
    """How a start went."""

    seconds: float
    """From the beginning of the process to the first answer."""
    processor_s: float
    """What the bot and its worker used meanwhile."""
    press_s: float
    """Processor time of the bot for one press, without its worker's."""


async def weight(running: int) -> list[Row]:
    """Start with one running game and with so many; the time to the first answer, and what a press costs the bot."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with Gateway().open() as discord:
            async with living(folder, discord, LOG_LEVEL="WARNING") as process:
                await discord.ready.wait()
                await _alone(discord)
                await _stop(process)
            few = [await _start(folder, discord) for _ in range(STARTS)]
            _copy(folder, running - 1)
            many = [await _start(folder, discord) for _ in range(STARTS)]
    return [
        Row("running games", running, ""),
        *_rows("start to first answer", "s", [one.seconds for one in few], [one.seconds for one in many], START_MOST_S),
        *_rows("the same, processor time", "s", [one.processor_s for one in few], [one.processor_s for one in many]),
        *_rows(
            "a press, processor time",
            "s",
            [one.press_s for one in few],
            [one.press_s for one in many],
            ratio=COST_GROWTH,
        ),
    ]


def _rows(
    figure: str,
    unit: str,
    few: list[float],
    many: list[float],
    goal: float | None = None,
    *,
    ratio: float | None = None,
) -> Iterator[Row]:
    """The best of several starts: others on the machine only ever add to it."""
    yield Row(f"{figure}, 1 game", min(few), unit)
    yield Row(f"{figure}, all games", min(many), unit, goal)
    yield Row(f"{figure}, all over 1", min(many) / min(few), "", ratio)


def _galleys(lobby: dict[str, Any]) -> str:
    """With what the host chooses how many galleys a captain has."""
    return next(ref.pack() for ref in pressable(lobby) if (ref.verb, ref.token) == ("option", "galleys"))


async def _alone(discord: Gateway) -> None:
    await discord.command(1, "new", game="matchbox", computer=1)
    while not discord.channels[CHANNEL]:  # noqa: ASYNC110 - as a user waits
        await asyncio.sleep(0.01)
    (lobby,) = discord.channels[CHANNEL]
    await discord.choose(1, lobby, _galleys(lobby), "1")
    await discord.press(1, lobby, next(ref for ref in pressable(lobby) if ref.verb == "start").pack())
    while not any(ref.token == "order.F" for _, refs in discord.panels(1) for ref in refs):
        sealing = [(message, ref) for message, refs in discord.panels(1) for ref in refs if ref.verb == "seal"]
        if sealing:
            await discord.press(1, sealing[0][0], sealing[0][1].pack())
        await asyncio.sleep(0.1)


async def _start(folder: Path, discord: Gateway) -> Started:
    """Start the bot, press until one can tell what a press costs, and stop it."""
    began = time.perf_counter()
    async with living(folder, discord, LOG_LEVEL="WARNING") as process:
        await discord.ready.wait()
        await _press(discord)
        took, busy = time.perf_counter() - began, sum(map(processor_s, family(process.pid)))
        await asyncio.sleep(2)  # what the start itself costs is over
        used = processor_s(process.pid)
        for _ in range(PRESSES):
            await _press(discord)
        used = processor_s(process.pid) - used
        await _stop(process)
    return Started(took, busy, used / PRESSES)


async def _press(discord: Gateway) -> None:
    """Order something, or take it back."""
    message, refs = next(
        (message, refs) for message, refs in discord.panels(1) if any(ref.verb == "press" for ref in refs)
    )
    ordered = [ref for ref in refs if ref.token in ("order.F", BACK)]
    await discord.press(1, message, ordered[-1 if any(ref.token == BACK for ref in ordered) else 0].pack())


async def _stop(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0


def _copy(folder: Path, times: int) -> None:
    """Give the game so many likenesses, each with players of its own."""
    apart = {"user_id": "user_id + 10 * k", "host_id": "host_id + 10 * k", "thread_id": "thread_id + k * 100000"}
    with closing(sqlite3.connect(folder / "games.sqlite")) as connection, connection:
        for table in ("games", "players", "seats", "requests", "answers", "steps", "outbox", "acts"):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            own = "game_id" if table != "games" else "id"
            kept = [column for column in columns if table == "games" or column != "id" or table == "requests"]
            given = [f"{own} + k" if column == own else apart.get(column, column) for column in kept]
            connection.execute(
                f"WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < {times}) "
                f"INSERT INTO {table} ({', '.join(kept)}) SELECT {', '.join(given)} FROM {table}, n"
            )


# --- what is measured ------------------------------------------------------------------------------------------------


def _query(folder: Path, statement: str) -> tuple[Any, ...]:
    with closing(sqlite3.connect(f"file:{folder / 'games.sqlite'}?mode=ro", uri=True, timeout=60)) as connection:
        found: tuple[Any, ...] = connection.execute(statement).fetchone()
        return found


def _p99(ordered: list[float]) -> float:
    return quantiles(ordered, n=100, method="inclusive")[-1]


def family(pid: int) -> Iterator[int]:
    """A process and those that it has started."""
    yield pid
    with suppress(OSError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in children.read_text().split():
                yield from family(int(child))


def _resident(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def processor_s(pid: int) -> float:
    """What the bot itself has used, without its worker."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tell(rows: list[Row]) -> None:
    """Print a part of the table."""
    for row in rows:
        goal = "" if row.goal is None else f"goal {row.goal:g} {row.unit}".rstrip()
        line = f"{row.figure:<42}  {row.value:>10.3f} {row.unit:<4} {goal:<14} {row.verdict}"
        sys.stdout.write(line.rstrip() + "\n")
    sys.stdout.flush()


def main() -> int:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.load", description="Many games at once.")
    parser.add_argument("--games", type=int, default=200, help="played at once, each by two users")
    parser.add_argument("--rounds", type=int, default=1000, help="of all games together")
    parser.add_argument("--running", type=int, default=10_000, help="games in the database at the start")
    parser.add_argument(
        "--pause", type=float, default=60.0, help="seconds that a user thinks before a press, on average"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", default=WRITTEN, help=f"where to write it, else {WRITTEN}")
    given = parser.parse_args()
    before = os.getloadavg()[0]
    rows = []
    for part in (weight(given.running), crowd(given.games, given.rounds, given.pause)):
        found = asyncio.run(part)
        tell(found)
        rows += found
    sys.stdout.write(
        f"{os.cpu_count()} processors; load average {before:.1f} before, {os.getloadavg()[0]:.1f} after; "
        f"{given.pause:g} s of thought before a press\n"
    )
    given.json.parent.mkdir(parents=True, exist_ok=True)
    given.json.write_text(json.dumps([{**row._asdict(), "verdict": row.verdict} for row in rows], indent=2) + "\n")
    return int(any(row.verdict == "missed" for row in rows))


if __name__ == "__main__":
    sys.exit(main())

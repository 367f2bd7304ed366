"""Games of all kinds in a real process that is killed, stopped by SIGSTOP, or cut off from Discord at random moments.

`python -m tests.gaps.processes [RUNS]` does that `EACH` times in each of so many runs, and prints what captains missed.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

from aiohttp import web

from bot.lifecycle.process.pulse import uptime
from bot.services.lobby import NewGame
from bot.services.table import Services
from bot.store import Store
from bot.store.models.pace import Pace
from bot.store.models.records import LATE_GIVERS
from rules.core.registry import RULESETS
from tests import here
from tests.forked import Forked
from tests.gaps import fast
from tests.gaps.fast import BEGAN, EPOCH, SPEED
from tests.gaps.on_a_clock import PEOPLE, Missed, unfair
from tests.loopback.gateway import Gateway, living
from tests.loopback.rest import CHANNEL, GUILD

EACH: Final = 5  # disturbances a run
KINDS: Final = ("killed", "stopped", "cut off")
PHASE_S: Final = 600
MOST_WAIT_S: Final = 300  # seconds for the bot to be connected again


class CutGateway(Gateway):
    """A Discord that can be cut off, and acknowledges heartbeats as often as a fast world needs."""

    heartbeat_ms = 41_250 // SPEED

    def __init__(self) -> None:
        super().__init__()
        self.away = False
        self.guard.expected.add("global limit")  # thirty seconds of the bot's are one of this Discord's

    async def cut(self) -> None:
        self.away = True
        if self._socket is not None:
            await self._socket.close()

    async def _listen(self, request: web.Request) -> web.WebSocketResponse:
        if self.away:
            raise web.HTTPServiceUnavailable
        return await super()._listen(request)

    async def _answer(self, request: web.Request) -> web.Response:
        if self.away:
            raise web.HTTPServiceUnavailable
        return await super()._answer(request)


class Run:
    """A run with one database, one Discord, and the times at which captains could act."""

    def __init__(self, folder: Path, seed: str) -> None:
        self._folder = folder
        self._chance = random.Random(seed)
        self._able: list[list[float]] = []  # spans of fast time in which captains could act; the last one may go on
        self._disturbed: list[float] = []
        self._first: dict[tuple[int, str], tuple[float, int]] = {}
        """By question, when it was asked, and how many seconds its captain was given."""

    async def play(self, disturbances: Sequence[str]) -> list[Missed]:
        """Play through disturbances of these kinds, then until nobody's time can be left; return what was missed."""
        os.environ[BEGAN] = str(uptime())
        await self._begin()
        async with CutGateway().open() as discord:
            noting = asyncio.create_task(self._note_again_and_again())
            try:
                await self._disturb(discord, disturbances)
            finally:
                noting.cancel()
        return self._missed()

    async def _begin(self) -> None:
        """Open a game of each kind and start it; no bot runs yet."""
        store = await Store.open(self._url)
        chance = hashlib.sha256(b"always the same game").hexdigest()
        table = Services(store, here.workers(), fast.now, lambda: chance, opening_limits=here.MANY_GAMES)
        for system in RULESETS:
            pace = Pace(seconds=PHASE_S)
            wish = NewGame(system=system, guild_id=GUILD, channel_id=CHANNEL, locale="en", pace=pace, rated=False)
            await here.begin(table, wish, *PEOPLE)
        await table.step_runner.close()
        await store.close()
        self._note()

    @property
    def _url(self) -> str:
        return f"sqlite+aiosqlite:///{self._folder / 'games.sqlite'}"

    @asynccontextmanager
    async def _living(self, discord: CutGateway) -> AsyncIterator[Forked]:
        settings = {"PICTURE_WIDTH": "200", BEGAN: os.environ[BEGAN]}
        async with living(self._folder, discord, calls="tests.gaps.fast:main", **settings) as process:
            await self._connected(discord)
            yield process

    async def _connected(self, discord: CutGateway) -> None:
        await asyncio.wait_for(discord.ready.wait(), MOST_WAIT_S)
        self._able.append([fast.up(), float("inf")])

    def _disconnected(self) -> None:
        self._able[-1][1] = fast.up()
        self._disturbed.append(fast.up())

    async def _disturb(self, discord: CutGateway, disturbances: Sequence[str]) -> None:
        left = [*disturbances]
        while left:
            discord.ready.clear()
            async with self._living(discord) as process:
                killed = False
                while left and not killed:
                    await self._wait(self._chance.uniform(0, 1.3 * PHASE_S))
                    kind, gap_s = left.pop(0), self._chance.uniform(150, 2 * PHASE_S)
                    self._disconnected()
                    match kind:
                        case "killed":
                            process.kill()
                            await process.wait()
                            killed = True
                        case "stopped":
                            process.send_signal(signal.SIGSTOP)
                        case _:
                            await discord.cut()
                    await self._wait(gap_s)
                    if kind == "stopped":
                        process.send_signal(signal.SIGCONT)
                        self._able.append([fast.up(), float("inf")])
                    elif kind == "cut off":
                        discord.ready.clear()
                        discord.away = False
                        await self._connected(discord)
                if not left and not killed:
                    await self._wait(2.5 * PHASE_S)
        if killed:
            discord.ready.clear()
            async with self._living(discord):
                await self._wait(2.5 * PHASE_S)
        self._able[-1][1] = fast.up()

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds / SPEED)

    # --- what captains had ---------------------------------------------------------------------------------------

    def _rows(self, statement: str) -> list[Any]:
        with closing(sqlite3.connect(f"file:{self._folder / 'games.sqlite'}?mode=ro", uri=True, timeout=30)) as file:
            return file.execute(statement).fetchall()

    async def _note_again_and_again(self) -> None:
        while True:
            await asyncio.to_thread(self._note)
            await asyncio.sleep(0.1)

    def _note(self) -> None:
        asked = "SELECT game_id, id, asked_at, deadline FROM requests WHERE deadline IS NOT NULL AND status <> 'closed'"
        for game, request, asked_at, deadline in self._rows(asked):
            self._first.setdefault((game, request), (asked_at - EPOCH, deadline - asked_at))

    def _missed(self) -> list[Missed]:
        systems = dict(self._rows("SELECT id, system FROM games"))
        late = {*self._rows("SELECT game_id, request_id FROM answers WHERE given_by IN (" + _listed(LATE_GIVERS) + ")")}
        found: list[Missed] = []
        for game, cause, at in self._rows("SELECT game_id, cause, resolved_at FROM steps ORDER BY game_id, no"):
            for request in json.loads(cause).get("requests", ()):
                if (game, request) not in late or (game, request) not in self._first:
                    continue
                since, given_s = self._first[game, request]
                until = at - EPOCH
                could = sum(max(0.0, min(end, until) - max(begin, since)) for begin, end in self._able)
                gaps = sum(since <= moment <= until for moment in self._disturbed)
                found.append(Missed(request, could, given_s, gaps, system=systems[game]))
        return found

    @property
    def log(self) -> str:
        return (self._folder / "log").read_text("utf-8")


def _listed(names: Sequence[str] | frozenset[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names))


async def main(runs: int) -> int:
    chance = random.Random("processes")
    missed: list[Missed] = []
    for number in range(runs):
        kinds = [KINDS[(number * EACH + at) % len(KINDS)] for at in range(EACH)]
        chance.shuffle(kinds)
        with tempfile.TemporaryDirectory() as folder:
            missed += await Run(Path(folder), f"run {number}").play(kinds)
        over = Counter(one.system for one in missed if one.gaps)
        sys.stdout.write(f"run {number}: {len(missed)} missed, {sum(map(unfair, missed))} unfairly, {dict(over)}\n")
        sys.stdout.flush()
    for one in filter(unfair, missed):
        sys.stdout.write(f"{one}\n")
    return 1 if any(map(unfair, missed)) or {one.system for one in missed} != RULESETS.keys() else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)))

"""Many games at once by simulated users, who press, wait, think and press again."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from bot.discord.ids import CustomId
from tests.bench.processes import memory_mib
from tests.loopback.gateway import Answered, Gateway, choosable, log_lines, measured, pressable
from tests.loopback.rest import CHANNEL

SIGN_P99_S, TEXT_P99_S, TEXT_MOST_S, HELD_MOST_S = 0.1, 0.5, 2.0, 0.05
MEMORY_GROWTH = 1.1
MEMORY_MOST_MIB = 350.0  # of all processes of the bot, with a hundred games at once
OPENED_AT_ONCE = 10
START_MOST_S = 60.0
BACK = "order.back"


class Row(NamedTuple):
    figure: str
    value: float
    unit: str
    goal: float | None = None

    @property
    def verdict(self) -> str:
        return "" if self.goal is None else "ok" if self.value <= self.goal else "missed"


class Pressed(NamedTuple):
    at: float  # when it came, as `time.monotonic` counts
    verb: str
    answer: Answered


class Crowd:
    """Users who play one-galley duels, two for each game; the first is number 1."""

    def __init__(self, discord: Gateway, *, games: int, pause_s: float) -> None:
        self._discord = discord
        self._games, self._pause_s = games, pause_s
        self._random = random.Random(1)
        self._users: list[asyncio.Task[None]] = []
        self.presses: list[Pressed] = []

    async def begin(self) -> None:
        """Open the games, a few at a time: each lobby is edited twice, and the bot lets seconds pass between."""
        places = asyncio.Semaphore(OPENED_AT_ONCE)

        async def begin(host: int) -> None:
            async with places:
                lobby = await opened(self._discord, host, {"galleys": "1"})
                await self._discord.join(host + 1, lobby)
                await started(self._discord, host, lobby)

        await asyncio.gather(*(begin(2 * number + 1) for number in range(self._games)))

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        self._users = [asyncio.create_task(self._user(user)) for user in range(1, 2 * self._games + 1)]
        try:
            yield
        finally:
            # More than once: `wait_for` forgets that it was cancelled if what it waits for comes at the same time.
            while playing := [user for user in self._users if not user.done()]:
                for user in playing:
                    user.cancel()
                await asyncio.wait(playing, timeout=1)

    def check(self) -> None:
        for user in self._users:
            if user.done() and not user.cancelled() and (fault := user.exception()):
                raise fault

    async def _user(self, user: int) -> None:
        while True:
            act = self._next(user)
            if act is None:
                await self._discord.news(user)
                continue
            await asyncio.sleep(self._random.expovariate(1 / self._pause_s))
            if act := self._next(user):
                verb, *pressed = act
                at = time.monotonic()
                self.presses.append(Pressed(at, verb, await self._discord.press(user, *pressed)))

    def _next(self, user: int) -> tuple[str, dict[str, Any], str, str | None] | None:
        for message, refs in self._discord.panels(user):
            if seal := next((ref for ref in refs if ref.verb == "seal"), None):
                return "seal", message, seal.pack(), None
            free = [ref for ref in refs if ref.verb == "press" and ref.token not in (BACK, "order.clear")]
            if free:
                return "press", message, self._random.choice(free).pack(), None
            for ref, values in choosable(message):
                if ref.verb == "pick" and values and not any(other.verb == "unseal" for other in refs):
                    return "pick", message, ref.pack(), self._random.choice(values)
        return None


def ref_of(message: dict[str, Any], verb: str, token: str | None = None) -> str:
    return next(ref.pack() for ref in pressable(message) if ref.verb == verb and (token is None or ref.token == token))


async def opened(discord: Gateway, host: int, options: dict[str, str], **fields: str | int) -> dict[str, Any]:
    """Open a lobby in which the host has chosen these options one after another."""
    known = len(discord.channels[CHANNEL])
    await discord.command(host, "new", game="matchbox", **fields)
    while not (new := [sent for sent in discord.channels[CHANNEL][known:] if f"<@{host}>" in json.dumps(sent)]):  # noqa: ASYNC110 - as a user waits
        await asyncio.sleep(0.01)
    number = new[0]["id"]
    for key, value in options.items():
        lobby = _message(discord, number)
        option = CustomId(verb="option", game=_game_of(lobby), token=key)
        chosen = {"type": 3, "id": 1, "custom_id": option.pack(), "options": [{"label": value, "value": value}]}
        # The host chooses in a private list of options: a message of its own.
        listed = {
            **lobby,
            "id": f"9{number}",
            "flags": 64,
            "components": [{"type": 1, "id": 2, "components": [chosen]}],
        }
        async with asyncio.timeout(START_MOST_S):
            await discord.change(host, lobby, option.pack(), value, pressed=listed)
    return _message(discord, number)


async def started(discord: Gateway, host: int, lobby: dict[str, Any]) -> None:
    lobby = _message(discord, lobby["id"])
    async with asyncio.timeout(START_MOST_S):
        await discord.change(host, lobby, ref_of(lobby, "start"))


async def ready(discord: Gateway, process: asyncio.subprocess.Process) -> None:
    there, ended = asyncio.create_task(discord.ready.wait()), asyncio.create_task(process.wait())
    await asyncio.wait([there, ended], return_when=asyncio.FIRST_COMPLETED)
    if not discord.ready.is_set():
        raise RuntimeError(f"the bot has ended with {process.returncode}")
    ended.cancel()


def _game_of(lobby: dict[str, Any]) -> int:
    return next(ref.game for ref in pressable(lobby) if ref.verb == "start")


def _message(discord: Gateway, number: str) -> dict[str, Any]:
    return next(message for message in discord.channels[CHANNEL] if message["id"] == number)


def rounds_over(folder: Path) -> int:
    rounds = "SELECT count(DISTINCT game_id || '/' || substr(id, 1, instr(id, '.'))) FROM requests"
    (count,) = query(folder, f"{rounds} WHERE status = 'closed' AND id LIKE 'r%.orders.%'")
    return int(count)


def query(folder: Path, statement: str) -> tuple[Any, ...]:
    with closing(sqlite3.connect(f"file:{folder / 'games.sqlite'}?mode=ro", uri=True, timeout=60)) as connection:
        row: tuple[Any, ...] = connection.execute(statement).fetchone()
        return row


def p99(ordered: list[float]) -> float:
    return quantiles(ordered, n=100, method="inclusive")[-1]


def faults(folder: Path) -> int:
    """Print the errors that the bot has logged, and return their number."""
    wrong = [line for line in log_lines(folder) if line.get("level") == "error"]
    counts = Counter(
        f"{line.get('event')}: {str(line.get('exception', '')).strip().rpartition(chr(10))[2]}" for line in wrong
    )
    for what, times in counts.items():
        sys.stdout.write(f"{times} x {what}\n")
    return len(wrong)


async def crowd(games: int, rounds: int, pause_s: float) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory: list[tuple[int, float]] = []
        async with Gateway().open() as discord, measured(folder, discord, LOG_LEVEL="WARNING") as process:
            await ready(discord, process)
            process.send_signal(signal.SIGUSR1)
            playing = Crowd(discord, games=games, pause_s=pause_s)
            await playing.begin()
            began = time.monotonic()
            async with playing.playing():
                over = 0
                while over < rounds:
                    await asyncio.sleep(2)
                    playing.check()
                    over = rounds_over(folder)
                    memory.append((over, memory_mib(process.pid)))
            took = time.monotonic() - began
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
        longest, busiest = map(float, (folder / "holds").read_text().split())
        over = rounds_over(folder)
        wrong = faults(folder)
    warm = [used for done, used in memory if done <= over / 4][-1:] or [memory[0][1]]
    last_mib = median(used for done, used in memory if done >= 0.75 * over)
    drawn = sorted(press.answer.drawn_s.result() for press in playing.presses if press.answer.drawn_s.done())
    return [
        Row("games at once", games, ""),
        Row("rounds", over, ""),
        Row("presses a second", len(playing.presses) / took, ""),
        Row("faults logged", wrong, "", 0),
        *of_presses(playing.presses, text_p99_s=TEXT_P99_S, text_most_s=TEXT_MOST_S),
        Row("presses with a picture of their own", len(drawn), ""),
        Row("press to its picture, median", median(drawn), "s"),
        Row("press to its picture, p99", p99(drawn), "s"),
        Row("press to its picture, longest", drawn[-1], "s"),
        Row("event loop held, longest", longest, "s"),
        Row("event loop held, longest, processor time", busiest, "s", HELD_MOST_S),
        Row("memory in the last quarter, bot and workers, median", last_mib, "MiB", MEMORY_MOST_MIB),
        Row("memory in the last quarter over that after the first", last_mib / warm[0], "", MEMORY_GROWTH),
    ]


def of_presses(presses: list[Pressed], *, text_p99_s: float, text_most_s: float | None) -> list[Row]:
    noticed = sorted(press.answer.noticed_s for press in presses)
    answered = sorted(press.answer.answered_s for press in presses)
    sealed = sorted(press.answer.answered_s for press in presses if press.verb == "seal")
    return [
        Row("press to first sign, median", median(noticed), "s"),
        Row("press to first sign, p99", p99(noticed), "s", SIGN_P99_S),
        Row("press to text and buttons, median", median(answered), "s"),
        Row("press to text and buttons, p99", p99(answered), "s", text_p99_s),
        Row("press to text and buttons, longest", answered[-1], "s", text_most_s),
        Row("the same of seals, median", median(sealed), "s"),
        Row("the same of seals, p99", p99(sealed), "s"),
    ]

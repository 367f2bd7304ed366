"""The bot as its host stops it: SIGTERM finishes the step in hand; SIGKILL leaves no process behind."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.gateway import Gateway, living, log_lines, pressable
from tests.loopback.rest import CHANNEL

ANNA = 1
MOST_WAIT_S = 60
STOPPED_WITHIN_S = 30
pytestmark = pytest.mark.timeout(300)


def query(folder: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(f"file:{folder / 'games.sqlite'}?mode=ro", uri=True, timeout=30)) as connection:
        return connection.execute(statement).fetchall()


async def until(happened: Any) -> None:
    async with asyncio.timeout(MOST_WAIT_S):
        while not happened():  # noqa: ASYNC110 - it happens in another process
            await asyncio.sleep(0.002)


async def begin(discord: Gateway) -> None:
    await asyncio.wait_for(discord.ready.wait(), MOST_WAIT_S)
    await discord.command(ANNA, "new", game="matchbox", computer=1)
    await until(lambda: discord.channels[CHANNEL])
    (lobby,) = discord.channels[CHANNEL]
    (galleys,) = [ref for ref in pressable(lobby) if (ref.verb, ref.token) == ("option", "galleys")]
    await asyncio.wait_for(discord.change(ANNA, lobby, galleys.pack(), "1"), MOST_WAIT_S)
    (lobby,) = discord.channels[CHANNEL]  # Start holds the settings that its presser sees
    (start,) = [ref for ref in pressable(lobby) if ref.verb == "start"]
    await discord.press(ANNA, lobby, start.pack())


async def press(discord: Gateway, verb: str) -> None:
    """Press the newest panel; the answer may never come."""
    message, refs = next(discord.panels(ANNA))
    ref = next(ref for ref in refs if ref.verb == verb and ref.token != "order.back")
    await discord.press(ANNA, message, ref.pack())


def asked(discord: Gateway, verb: str) -> bool:
    newest = next(discord.panels(ANNA), None)
    return newest is not None and any(ref.verb == verb for ref in newest[1])


async def test_a_step_in_hand_is_finished(tmp_path: Path) -> None:
    async with Gateway().open() as discord:
        async with living(tmp_path, discord) as process:
            await begin(discord)
            await until(lambda: asked(discord, "seal"))
            sealing = asyncio.create_task(press(discord, "seal"))
            await until(lambda: query(tmp_path, "SELECT 1 FROM games WHERE phase = 'resolving'"))
            ((before,),) = query(tmp_path, "SELECT step_no FROM games")
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), STOPPED_WITHIN_S) == 0
            sealing.cancel()
        assert query(tmp_path, "SELECT phase, step_no > ? FROM games".replace("?", str(before))) == [("running", 1)]
        assert log_lines(tmp_path)[-1]["event"] == "stopped"
        assert not [line for line in log_lines(tmp_path) if line["level"] == "error"]
        # The next start sends what had not begun to be sent, and nothing twice.
        async with living(tmp_path, discord):
            await until(
                lambda: (
                    not query(
                        tmp_path,
                        "SELECT 1 FROM outbox WHERE sent < wanted AND due_at < 4000000000 AND kind <> 'remind'",
                    )
                )
            )
        assert max(Counter(discord.marks()).values()) == 1


async def test_a_killed_bot_leaves_no_process_behind(tmp_path: Path) -> None:
    async with Gateway().open() as discord, living(tmp_path, discord) as process:
        await begin(discord)
        started = offspring(process.pid)
        assert sum(map(_forked, started)) > 1  # their server, and a worker
        process.kill()
        await process.wait()
        await until(lambda: all(map(_dead, started)))


def offspring(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that these have started."""
    # Each is the child of the thread that started it.
    own = [int(child) for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]
    return [*own, *(descendant for child in own for descendant in offspring(child))]


def _forked(pid: int) -> bool:
    return "forkserver" in Path(f"/proc/{pid}/cmdline").read_text()


def _dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except OSError:
        return True

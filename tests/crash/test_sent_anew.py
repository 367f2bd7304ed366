"""A bot that is killed while a panel is deleted and sent again: one panel is left, with all that was ordered."""

from __future__ import annotations

import asyncio
import copy
import shutil
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from tests.loopback.rest import Discord

pytestmark = pytest.mark.timeout(120)
BEFORE_SENDING, AFTER_SENDING, _BEFORE_DELETION, AFTER_DELETION = range(1, 5)
HOST = 1
"""As in `tests/crash/player.py`, which none but a process of its own may load: it lets the bot wait for nothing."""
ORDERS = "A1 6/2 @600,80^0"


class Lives:
    """A process that lives as the bot, again and again (`tests/crash/writer.py`)."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def live(self, folder: Path, discord: Discord, kill_at: int, orders: str) -> tuple[int, int]:
        """One life; its exit code and the points it passed."""
        assert self._process.stdin
        assert self._process.stdout
        given = (f"sqlite+aiosqlite:///{folder / 'games.sqlite'}", discord.url, str(kill_at), orders)
        self._process.stdin.write("\t".join(given).encode() + b"\n")
        code, passed = (await self._process.stdout.readline()).split()
        return int(code), int(passed)


@asynccontextmanager
async def lives() -> AsyncIterator[Lives]:
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "tests.crash.writer")
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    try:
        yield Lives(process)
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def another(discord: Discord) -> AsyncIterator[Discord]:
    """A Discord of one's own with the same messages."""
    async with Discord().open() as copied:
        for name in ("channels", "direct", "names", "_nonces"):
            setattr(copied, name, copy.deepcopy(getattr(discord, name)))
        copied._numbers = copy.copy(discord._numbers)
        yield copied


async def test_a_panel_that_is_sent_anew_and_deleted_survives_a_kill_in_between(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()
    async with lives() as bot, Discord().open() as discord:
        assert (await bot.live(begun, discord, 0, ""))[0] == 0
        (old,) = discord.channels[discord.direct[HOST]]
        for kill_at in (BEFORE_SENDING, AFTER_SENDING, AFTER_DELETION):
            folder = tmp_path / str(kill_at)
            shutil.copytree(begun, folder)
            async with another(discord) as own:
                assert (await bot.live(folder, own, kill_at, ORDERS))[0] == -9
                assert (await bot.live(folder, own, 0, ORDERS))[0] == 0
                (panel,) = own.channels[own.direct[HOST]]
                assert panel["id"] != old["id"], kill_at
                assert "wg/seal/" in str(panel["components"]), kill_at
            with closing(sqlite3.connect(folder / "games.sqlite")) as connection:
                for left in ("removals", "outbox WHERE sent < wanted AND kind <> 'remind'"):
                    assert connection.execute(f"SELECT count(*) FROM {left}").fetchone() == (0,), (left, kill_at)
                ((draft,),) = connection.execute("SELECT draft FROM requests WHERE seat = 0").fetchall()
            assert draft == ORDERS

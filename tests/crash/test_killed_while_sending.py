"""A bot that is killed while it sends: one panel is left, with all that was ordered, and its picture comes."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from tests.crash.test_stopping import ANNA, MOST_WAIT_S, asked, begin, until
from tests.forked import start
from tests.loopback.gateway import Gateway, living
from tests.loopback.rest import Discord

pytestmark = pytest.mark.timeout(300)
BEFORE_SENDING, AFTER_SENDING, _BEFORE_DELETION, AFTER_DELETION = range(1, 5)
HOST = 1
"""As in `tests/crash/player.py`, which none but a process of its own may load: it lets the bot wait for nothing."""
ORDERS = "A1 6/2 @600,80^0"


async def live(folder: Path, discord: Discord, kill_at: int, orders: str) -> int:
    arguments = (f"sqlite+aiosqlite:///{folder / 'games.sqlite'}", discord.url, str(kill_at), orders)
    return await start("tests.crash.writer:main", *arguments).wait()


@asynccontextmanager
async def another(discord: Discord) -> AsyncIterator[Discord]:
    async with Discord().open() as copied:
        for name in ("channels", "direct", "names", "files", "_nonces"):
            setattr(copied, name, copy.deepcopy(getattr(discord, name)))
        copied._numbers = copy.copy(discord._numbers)
        yield copied


@pytest.mark.long
async def test_a_panel_that_is_sent_anew_and_deleted_survives_a_kill_in_between(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()
    async with Discord().open() as discord:
        assert await live(begun, discord, 0, "") == 0
        (old,) = discord.channels[discord.direct[HOST]]
        for kill_at in (BEFORE_SENDING, AFTER_SENDING, AFTER_DELETION):
            folder = tmp_path / str(kill_at)
            shutil.copytree(begun, folder)
            async with another(discord) as own:
                assert await live(folder, own, kill_at, ORDERS) == -9
                assert await live(folder, own, 0, ORDERS) == 0
                (panel,) = own.channels[own.direct[HOST]]
                assert panel["id"] != old["id"], kill_at
                assert "wg/seal/" in str(panel["components"]), kill_at
            with closing(sqlite3.connect(folder / "games.sqlite")) as connection:
                for left in ("removals", "outbox WHERE sent < wanted AND kind <> 'remind'"):
                    assert connection.execute(f"SELECT count(*) FROM {left}").fetchone() == (0,), (left, kill_at)
                ((draft,),) = connection.execute("SELECT draft FROM requests WHERE seat = 0").fetchall()
            assert draft == ORDERS


def panel(discord: Gateway) -> dict[str, Any]:
    return next(discord.panels(ANNA))[0]


def has_picture(message: dict[str, Any]) -> bool:
    return '"type": 12' in json.dumps(message["components"])  # a gallery


@pytest.mark.long
async def test_the_picture_of_a_panel_comes_after_a_kill(tmp_path: Path) -> None:
    pipes = [tmp_path / name for name in ("begun", "go_on")]
    for pipe in pipes:
        os.mkfifo(pipe)
    ends = [os.open(pipe, os.O_RDWR) for pipe in pipes]  # opened for both, so that neither end waits for the other
    try:
        async with Gateway().open() as discord:
            async with living(tmp_path, discord, HELD_PICTURES=str(tmp_path)):
                await begin(discord)
                await asyncio.wait_for(asyncio.to_thread(os.read, ends[0], 1), MOST_WAIT_S)
                await until(lambda: asked(discord, "seal"))  # while its picture is being made
                before = panel(discord)
                assert not has_picture(before)
            async with living(tmp_path, discord):
                await until(lambda: has_picture(panel(discord)))
            assert panel(discord)["id"] == before["id"]
            assert max(Counter(discord.marks()).values()) == 1
    finally:
        for end in ends:
            os.close(end)

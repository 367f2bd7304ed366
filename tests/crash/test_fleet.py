"""Several bots on one PostgreSQL, as processes, with a Discord of two shards: killed, stopped, and side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.pages.folder import PageFolder
from tests import pg
from tests.crash.fleet import Fleet, Seat, begin, calmly, fleet, killed, spread, stopped

STEPS = 3
pytestmark = [pytest.mark.timeout(300), pytest.mark.long]  # `make crash` plays them, too
States = list[tuple[Any, ...]]
Begun = tuple[pg.Server, str, list[Seat]]


@pytest.fixture(scope="module")
def begun(server: pg.Server) -> Begun:
    """Return a server with a database in which two games have begun, one on each shard."""
    return server, "begun", asyncio.run(begin(server.database(name="begun")))


@pytest.fixture(scope="module")
def calm(begun: Begun, tmp_path_factory: pytest.TempPathFactory) -> States:
    async def play() -> States:
        async with fleet(tmp_path_factory.mktemp("calm"), *begun) as playing:
            await calmly(playing, STEPS)
            states = playing.states()
            playing.check(states)
            return states

    return asyncio.run(play())


def test_a_calm_run(calm: States) -> None:
    assert {game for game, _, _ in calm} == {1, 2}
    assert len(calm) >= 2 * (STEPS + 1)


# `make crash` goes on with a database that is away, and with another version.
@pytest.mark.parametrize("happens", [killed, stopped, spread])
async def test_nothing_is_lost_doubled_or_otherwise(
    happens: Callable[[Fleet, int], Awaitable[object]], begun: Begun, calm: States, tmp_path: Path
) -> None:
    async with fleet(tmp_path, *begun) as playing:
        await happens(playing, STEPS)
        playing.check(calm)


async def test_bots_with_shards_look_after_pages(begun: Begun, tmp_path: Path) -> None:
    """The folder of pages is claimed, a page that no game has is removed, and a reader's request is answered."""
    folder = PageFolder(tmp_path / "pages")
    stray = "A" * 22
    (folder.root / stray).mkdir(parents=True)
    (folder.root / stray / "head.json").write_text("{}")
    pages = {"PUBLIC_URL": "https://pages.example", "PAGES_DIR": str(folder.root), "PAGES_PORT": "0"}
    async with fleet(tmp_path, *begun) as playing:
        await playing.start("alone", **pages)
        await playing.until(lambda: playing.holders().keys() == {0, 1} and playing.discord.connected(0, 1))
        await playing.until(lambda: stray not in folder.stored_keys())
        folder.request_drawing(stray)
        await playing.until(lambda: not folder.requests())
        assert await playing.stop("alone") == 0

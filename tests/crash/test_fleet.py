"""Several bots on one PostgreSQL, as processes, with a Discord of two shards: killed, stopped, and side by side."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import pg
from tests.crash.fleet import RESOLVING, Fleet, Seat, begin, fleet

STEPS = 3
pytestmark = pytest.mark.timeout(300)
States = list[tuple[Any, ...]]
Begun = tuple[pg.Server, str, list[Seat]]
Play = Callable[[], AbstractAsyncContextManager[Fleet]]


@pytest.fixture(scope="module")
def begun() -> Iterator[Begun]:
    """A server with a database in which two games have begun, one on each shard."""
    install = pg.binaries()
    if install is None:
        pytest.skip(pg.NO_SERVER)
    with pg.server(install) as server:
        database = server.database(name="begun")
        yield server, "begun", asyncio.run(begin(database))


@pytest.fixture(scope="module")
def calm(begun: Begun, tmp_path_factory: pytest.TempPathFactory) -> States:
    """All states of a run in which two bots play side by side, undisturbed."""

    async def play() -> States:
        async with fleet(tmp_path_factory.mktemp("calm"), *begun) as calmly:
            await asyncio.gather(calmly.start("one"), calmly.start("two"))
            await calmly.until(lambda: len({*calmly.holders().values()}) == 2)
            await calmly.play(STEPS)
            await calmly.settled()
            states = calmly.states()
            calmly.check(states)
            for name in ("one", "two"):
                assert await calmly.stop(name) == 0
                assert [line for line in calmly.lines(name) if line["level"] == "error"] == []
            return states

    return asyncio.run(play())


@pytest.fixture
def play(begun: Begun, tmp_path: Path) -> Play:
    return partial(fleet, tmp_path, *begun)


async def test_a_calm_run(calm: States) -> None:
    assert {game for game, _, _ in calm} == {1, 2}
    assert len(calm) >= 2 * (STEPS + 1)


async def halves(playing: Fleet, **of_the_first: str) -> None:
    """Two bots, of which the one called `victim` holds shard 0."""
    await playing.start("victim", **of_the_first)
    await playing.until(lambda: playing.holders().keys() == {0, 1})
    await playing.start("other")
    await playing.until(lambda: len({*playing.holders().values()}) == 2 and playing.discord.connected(0, 1))


async def test_games_go_on_when_a_bot_is_killed_in_the_middle_of_a_step(play: Play, calm: States) -> None:
    async with play() as playing:
        await halves(playing, STEPS_TAKE_S="60")  # it never ends one
        captains = asyncio.create_task(playing.play(STEPS))
        await playing.until(lambda: playing.rows(RESOLVING))
        playing.bots["victim"].kill()
        await playing.until(lambda: len({*playing.holders().values()}) == 1)
        await captains
        await playing.settled()
        playing.check(calm)


async def test_a_bot_that_was_stopped_sends_nothing_twice_when_it_wakes(play: Play, calm: States) -> None:
    async with play() as playing:
        playing.discord.nonces_kept_s = 0  # Discord itself notices no repetition
        await halves(playing, STOPS_BEFORE="step:1")
        victim = next(holder for shard, holder in playing.holders().items() if shard == 0)
        captains = asyncio.create_task(playing.play(STEPS))
        await playing.until(lambda: playing.stopped("victim"))
        await playing.until(lambda: victim not in playing.holders().values())
        await playing.until(lambda: playing.discord.connected(0, 1))
        await captains
        await playing.settled()
        playing.bots["victim"].send_signal(signal.SIGCONT)
        await playing.until(lambda: victim in playing.holders().values())  # it plays again, with a share of its own
        await playing.settled()
        playing.check(calm)

"""Games go on at once unless another act has claimed them: none waits for a slow step, no host takes all places."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.jobs import play
from bot.jobs.workers import Workers
from bot.lifecycle.steps.places import GroupSemaphore
from bot.lifecycle.steps.runner import CLAIM_TIMEOUT_S
from tests.bot import fake_jobs
from tests.sea import AFAR, Sea


@pytest.mark.begun
async def test_no_game_is_taken_over_while_an_act_waits_for_a_worker(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await sea.settle()
    rounds, step = sea.bot.services.step_runner, sea.bot.workers.run_step
    claimed, go_on = asyncio.Event(), asyncio.Event()

    async def late(*args: Any, **named: Any) -> Any:
        claimed.set()
        await go_on.wait()
        return await step(*args, **named)

    monkeypatch.setattr(sea.bot.workers, "run_step", late)
    giving_up = asyncio.create_task(sea.bot.services.concede_game(sea.bela.id, 1))
    await claimed.wait()
    (claim,) = sea.rows("games")["games"]
    assert claim["phase"] == "resolving"
    sea.change_rows("UPDATE games SET claimed_at = claimed_at - ?", CLAIM_TIMEOUT_S + 1)
    await rounds.start_due_work(await rounds.find_due_work())
    assert sea.rows("games")["games"][0]["version"] == claim["version"]
    go_on.set()
    await giving_up
    await sea.settle()
    assert [row["no"] for row in sea.rows("steps")["steps"]] == [0, 1]
    assert sea.rows("games")["games"][0]["phase"] == "over"


@pytest.mark.begun
async def test_an_act_that_fails_leaves_the_game_to_go_on(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await sea.settle()
    with monkeypatch.context() as ill:
        ill.setattr(play, "apply_out_of_turn", fake_jobs.stumble_over)
        with pytest.raises(Exception, match="stumbled"):
            await sea.bot.services.concede_game(sea.bela.id, 1)
    assert sea.rows("games")["games"][0]["phase"] == "running"
    await sea.bot.services.concede_game(sea.bela.id, 1)
    await sea.settle()
    assert sea.rows("games")["games"][0]["phase"] == "over"


@pytest.mark.begun
async def test_an_act_is_refused_if_the_game_has_gone_on(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    await sea.settle()
    step = sea.bot.workers.run_step

    async def overtaken(*args: Any, **named: Any) -> Any:
        sea.change_rows("UPDATE games SET version = version + 1")
        return await step(*args, **named)

    monkeypatch.setattr(sea.bot.workers, "run_step", overtaken)
    with pytest.raises(Exception, match="busy"):
        await sea.bot.services.concede_game(sea.bela.id, 1)
    assert [row["no"] for row in sea.rows("steps")["steps"]] == [0]


async def test_one_hosts_games_leave_places_for_others() -> None:
    places, over, begun = GroupSemaphore(4, each=2), asyncio.Event(), []

    async def game(host: int) -> None:
        async with places.slot(host):
            begun.append(host)
            await over.wait()

    async with asyncio.TaskGroup() as games:
        for host in (1, 1, 1, 1, 1, 2, 3):
            games.create_task(game(host))
        for _ in range(3):
            await asyncio.sleep(0)
        assert begun == [1, 1, 2, 3]
        over.set()
    assert sorted(begun) == [1, 1, 1, 1, 1, 2, 3], "in the end it is everybody's turn"


async def test_a_hosts_overdue_games_leave_a_place_for_another_hosts(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        await sea.begin_at(AFAR)
    await sea.command(sea.bela, "new")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", AFAR)
    await sea.command(sea.bela, "start", game="4")
    await sea.settle()
    rounds, step = sea.bot.services.step_runner, sea.bot.workers.run_step
    monkeypatch.setattr(rounds, "_slots", GroupSemaphore(2, each=1))
    begun: list[int] = []
    bela, go_on = asyncio.Event(), asyncio.Event()

    async def held(host: int, *args: Any, **named: Any) -> Any:
        begun.append(host)
        if host == sea.bela.id:
            bela.set()
        await go_on.wait()
        return await step(host, *args, **named)

    monkeypatch.setattr(sea.bot.workers, "run_step", held)
    for table in ("games", "requests"):
        sea.change_rows(f"UPDATE {table} SET deadline = deadline - ?", 10 * 86_400)
    await rounds.start_due_work(await rounds.find_due_work())
    await asyncio.wait_for(bela.wait(), 20)
    assert sorted(begun) == sorted([sea.anna.id, sea.bela.id]), "one of each host"
    go_on.set()
    await sea.settle()
    assert [row["step_no"] for row in sea.rows("games")["games"]] == [1] * 4, "in the end it is every game's turn"


LONG_AGO = 10 * 24 * 3600


@pytest.fixture
async def own_sea(tmp_path: Path) -> AsyncIterator[Sea]:
    """Open a sea with processes as a host has them, of which one may be held up."""
    workers = Workers(2, for_presses=1)
    world = Sea(f"sqlite+aiosqlite:///{tmp_path / 'games.sqlite'}", workers, itertools.count(1))
    try:
        async with world.open():
            yield world
    finally:
        workers.close()


def _steps(sea: Sea) -> dict[int, int]:
    return {row["id"]: row["step_no"] for row in sea.rows("games")["games"]}


async def test_a_slow_step_holds_up_neither_other_games_nor_presses_and_is_finished_at_the_end(
    own_sea: Sea, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sea, rounds = own_sea, own_sea.bot.services.step_runner
    for _ in range(3):
        await sea.begin_at(AFAR, sea.bela)
    await sea.settle()
    monkeypatch.setattr(play, "carry_out_answers", partial(fake_jobs.first_held, str(tmp_path)))
    before = _steps(sea)
    sea.change_rows("UPDATE games SET deadline = deadline - ? WHERE id < 3", LONG_AGO)
    sea.change_rows("UPDATE requests SET deadline = deadline - ? WHERE game_id < 3", LONG_AGO)
    await rounds.start_due_work(await rounds.find_due_work())
    while sum(_steps(sea).values()) == sum(before.values()):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.01)
    after = _steps(sea)
    held = next(game for game in (1, 2) if after[game] == before[game])
    assert after[3 - held] > before[3 - held], "the other one has gone on"
    await rounds.start_due_work(await rounds.find_due_work())
    assert [*rounds._tasks.values()].count(held) == 1, "what is in hand is not begun again"
    pending = await sea.asked(sea.anna, 3)
    assert (await sea.bot.services.orders.type_text(pending, "A1 FFFRX")).row.as_draft.text == "A1 FFFRX"
    closing = asyncio.create_task(rounds.close())
    (tmp_path / "go_on").touch()
    await closing
    assert _steps(sea)[held] > before[held], "a bot that is stopped finishes what it has begun"

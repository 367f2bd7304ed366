"""How many games that are due go on at a time: no host's take all places."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.lifecycle.steps.places import GroupSemaphore
from tests.sea import AFAR, Sea


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

    async def held(host: int, *given: Any, **named: Any) -> Any:
        begun.append(host)
        if host == sea.bela.id:
            bela.set()
        await go_on.wait()
        return await step(host, *given, **named)

    monkeypatch.setattr(sea.bot.workers, "run_step", held)
    for table in ("games", "requests"):
        sea.change_rows(f"UPDATE {table} SET deadline = deadline - ?", 10 * 86_400)
    await rounds.start_due_work(await rounds.find_due_work())
    await asyncio.wait_for(bela.wait(), 20)
    assert sorted(begun) == sorted([sea.anna.id, sea.bela.id]), "one of each host"
    go_on.set()
    await sea.settle()
    assert [row["step_no"] for row in sea.rows("games")["games"]] == [1] * 4, "in the end it is every game's turn"

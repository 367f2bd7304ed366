"""Hosts take turns in the queue of jobs, however many of their games are due."""

from __future__ import annotations

import asyncio

from bot.jobs.turns import MAX_STEPS_PER_ROUND, JobQueue


async def test_a_host_with_many_large_games_keeps_anothers_duel_waiting_for_one_step() -> None:
    """With all workers at steps of hosts with many games due, another's step waited for all that were due before it."""
    turns, order = JobQueue(2), list[int]()

    async def step(host: int) -> None:
        place = await turns.acquire_slot("step", host)
        order.append(host)
        for _ in range(3):
            await asyncio.sleep(0)
        turns.release_slot(place)

    async with asyncio.TaskGroup() as games:
        for _ in range(5):
            for host in (1, 2):
                games.create_task(step(host))
        await asyncio.sleep(0)
        assert order == [1, 2]
        games.create_task(step(3))
        games.create_task(step(3))
    assert order[2] == 3
    assert sorted(order[2:5]) == [1, 2, 3]
    assert order.count(3) == 2
    assert order[5:8].count(3) == 1, "neither do new hosts keep others waiting for more than that"
    assert len(turns._next_rounds) <= 3


async def test_hosts_who_come_keep_no_step_waiting_for_ever() -> None:
    turns, order = JobQueue(1), list[int]()

    async def step(host: int) -> None:
        place = await turns.acquire_slot("step", host)
        order.append(host)
        await asyncio.sleep(0)
        if host < 3 * MAX_STEPS_PER_ROUND:
            games.create_task(step(host + 1))  # another host comes all the time
        await asyncio.sleep(0)
        turns.release_slot(place)

    async with asyncio.TaskGroup() as games:
        for host in (100, 100, 1):
            games.create_task(step(host))
    assert order.index(1) < 2
    assert [at for at, host in enumerate(order) if host == 100][1] <= MAX_STEPS_PER_ROUND

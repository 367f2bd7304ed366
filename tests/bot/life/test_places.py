"""How many games that are due go on at a time: no host's take all places."""

from __future__ import annotations

import asyncio

from bot.life.places import Places


async def test_one_hosts_games_leave_places_for_others() -> None:
    places, over, begun = Places(4, each=2), asyncio.Event(), []

    async def game(host: int) -> None:
        async with places.of(host):
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

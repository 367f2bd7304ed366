"""One game that is slow to be told keeps no other waiting, and what it has to tell keeps its order."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.life.outbox import Outbox, Sent
from bot.store import Store
from bot.store.records import Message
from tests.bot.store.test_store import a_game, url


class Slow:
    """A Discord that takes what is told of one game only when it is let."""

    def __init__(self, slow: int) -> None:
        self._slow = slow
        self.told: list[tuple[int, str]] = []
        self.news = asyncio.Condition()
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def deliver(self, message: Message) -> Sent:
        """Take a message, which is its own number."""
        if message.game_id == self._slow:
            self.asked.set()
            await self.go_on.wait()
        async with self.news:
            self.told.append((message.game_id, message.key))
            self.news.notify_all()
        return Sent(channel_id=1, message_id=message.id, shown=message.key, edited=False)

    async def hears(self, game_id: int, key: str) -> None:
        """Wait until this is told."""
        async with self.news:
            await self.news.wait_for(lambda: (game_id, key) in self.told)


async def test_a_slow_game_keeps_no_other_waiting(tmp_path: Path) -> None:
    store = await Store.open(url(tmp_path))
    async with store.write() as tx:
        slow, quick = [await a_game(tx) for _ in range(2)]
        for game_id in (slow, quick):
            await tx.messages.want(game_id, "first", kind="story", now=5)
    discord = Slow(slow)
    outbox = Outbox(store, lambda: 9, discord.deliver)
    outbox.wake()
    await discord.hears(quick, "first")
    # What is wanted while the slow one is still being told, of both.
    async with store.write() as tx:
        for game_id in (slow, quick):
            await tx.messages.want(game_id, "second", kind="story", now=6)
    outbox.wake()
    await discord.hears(quick, "second")
    assert all(game_id == quick for game_id, _ in discord.told)
    discord.go_on.set()
    await outbox.settle()
    assert [key for game_id, key in discord.told if game_id == slow] == ["first", "second"]
    assert len(discord.told) == 4
    async with store.read() as tx:
        assert await tx.messages.unsent(now=9) == []
    await outbox.close(1)
    await store.close()


async def test_games_that_are_being_told_are_left_when_the_bot_stops(tmp_path: Path) -> None:
    store = await Store.open(url(tmp_path))
    async with store.write() as tx:
        game_id = await a_game(tx)
        await tx.messages.want(game_id, "first", kind="story", now=5)
    discord = Slow(game_id)
    outbox = Outbox(store, lambda: 9, discord.deliver)
    outbox.wake()
    await discord.asked.wait()
    await outbox.close(0)
    assert discord.told == []
    async with store.read() as tx:
        assert [message.key for message in await tx.messages.unsent(now=9)] == ["first"]
    await store.close()

"""One game that is slow to be told keeps no other waiting, and what it has to tell keeps its order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.lifecycle.outbox.outbox import Outbox, SentMessage
from bot.store import Store
from bot.store.models.records import OutboxMessage
from bot.store.models.subjects import LogEntrySubject, PanelSubject, ReminderSubject
from tests.bot.store.test_store import a_game, url
from tests.sea import Sea


class Slow:
    """A Discord that accepts the messages of some games only when the test lets it."""

    def __init__(self, *slow: int) -> None:
        self._slow = slow
        self.told: list[tuple[int, str]] = []
        self.news = asyncio.Condition()
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def deliver(self, message: OutboxMessage) -> SentMessage:
        if message.game_id in self._slow:
            self.asked.set()
            await self.go_on.wait()
        async with self.news:
            self.told.append((message.game_id, message.key))
            self.news.notify_all()
        return SentMessage(channel_id=1, message_id=message.id, content_hash=message.key, is_edit=False)

    async def hears(self, game_id: int, key: str) -> None:
        async with self.news:
            await self.news.wait_for(lambda: (game_id, key) in self.told)


async def test_a_slow_game_keeps_no_other_waiting(tmp_path: Path) -> None:
    store = await Store.open(url(tmp_path))
    async with store.write() as tx:
        slow, quick = [await a_game(tx) for _ in range(2)]
        for game_id in (slow, quick):
            await tx.messages.request(game_id, LogEntrySubject(1), now=5)
    discord = Slow(slow)
    outbox = Outbox(store, lambda: 9, discord.deliver)
    outbox.wake()
    await discord.hears(quick, "act:1")
    # What is wanted while the slow one is still being told, of both.
    async with store.write() as tx:
        for game_id in (slow, quick):
            await tx.messages.request(game_id, LogEntrySubject(2), now=6)
    outbox.wake()
    await discord.hears(quick, "act:2")
    assert all(game_id == quick for game_id, _ in discord.told)
    discord.go_on.set()
    await outbox.settle()
    assert [key for game_id, key in discord.told if game_id == slow] == ["act:1", "act:2"]
    assert len(discord.told) == 4
    async with store.read() as tx:
        assert await tx.messages.unsent(now=9) == []
    await outbox.close(1)
    await store.close()


async def test_as_many_slow_games_as_are_told_at_once_keep_no_other_waiting(tmp_path: Path) -> None:
    store = await Store.open(url(tmp_path))
    async with store.write() as tx:
        *slow, quick = [await a_game(tx) for _ in range(9)]
        for number in (1, 2):
            for game_id in (*slow, quick):
                await tx.messages.request(game_id, LogEntrySubject(number), now=4 + number)
    discord = Slow(*slow)
    outbox = Outbox(store, lambda: 9, discord.deliver, slow_s=0.01)
    outbox.wake()
    try:
        await asyncio.wait_for(discord.hears(quick, "act:2"), 20)
        assert {game_id for game_id, _ in discord.told} == {quick}
    finally:
        discord.go_on.set()
        await outbox.settle()
        await outbox.close(1)
        await store.close()
    for game_id in slow:
        assert [key for number, key in discord.told if number == game_id] == ["act:1", "act:2"], "each in its order"


@pytest.mark.parametrize("apart", [True, False])
async def test_a_panel_waits_for_no_story_of_its_game_once_that_has_a_thread(tmp_path: Path, *, apart: bool) -> None:
    store = await Store.open(url(tmp_path))
    async with store.write() as tx:
        game_id = await a_game(tx)
        for number in (1, 2):
            await tx.messages.request(game_id, LogEntrySubject(number), now=5)
        await tx.messages.request(game_id, PanelSubject("r1"), user_id=3, now=5)
        await tx.messages.request(game_id, ReminderSubject("r1", "half"), user_id=3, now=5)
    keys: list[str] = []
    panels = asyncio.Event()

    async def deliver(message: OutboxMessage, _: object) -> SentMessage:
        if message.user_id is None and apart:
            await panels.wait()
        keys.append(message.key)
        if len(keys) == 2:
            panels.set()
        return SentMessage(channel_id=1, message_id=message.id, content_hash="", is_edit=False)

    async def load(messages: Sequence[OutboxMessage]) -> int:
        return len(messages)

    outbox = Outbox(store, lambda: 9, deliver, load=load, may_send_in_parallel=lambda loaded: apart and loaded == 4)
    outbox.wake()
    await asyncio.wait_for(outbox.settle(), 20)
    to_one, to_all = ["panel:r1", "remind:half:r1"], ["act:1", "act:2"]
    assert keys == ([*to_one, *to_all] if apart else [*to_all, *to_one])
    async with store.read() as tx:
        assert await tx.messages.unsent(now=9) == []
    await outbox.close(1)
    await store.close()


async def test_games_that_are_being_told_are_left_when_the_bot_stops(tmp_path: Path) -> None:
    store = await Store.open(url(tmp_path))
    async with store.write() as tx:
        game_id = await a_game(tx)
        await tx.messages.request(game_id, LogEntrySubject(1), now=5)
    discord = Slow(game_id)
    outbox = Outbox(store, lambda: 9, discord.deliver)
    outbox.wake()
    await discord.asked.wait()
    await outbox.close(0)
    assert discord.told == []
    async with store.read() as tx:
        assert [message.key for message in await tx.messages.unsent(now=9)] == ["act:1"]
    await store.close()


MANY = 120
"""Messages of old games: some ten games of twelve rounds."""


# When somebody is forgotten, the messages of their old games do not go before everybody's new ones.
@pytest.mark.begun
async def test_forgetting_makes_everybody_wait_for_old_games(sea: Sea) -> None:
    await sea.concede(sea.bela)
    columns = "mark, game_id, kind, ref, wanted, sent, attempts, due_at, wanted_at, channel_id, message_id"
    copied = (
        f"INSERT INTO outbox (key, {columns}) SELECT 'seals:x' || ?, {columns} FROM outbox WHERE kind = 'seals' LIMIT 1"
    )
    for number in range(MANY):
        sea.change_rows(copied, number)
    begun = len(sea.env.http_requests)
    with sea.at_once():
        await sea.bot.services.privacy.forget_user(sea.bela.id)
        # Somebody else, in a game that has nothing to do with it.
        await sea.cili.slash(sea.channel, "galley new", game="matchbox")
    await sea.settle()
    calls = [str(call) for call in sea.env.http_requests[begun:]]
    edits = [number for number, call in enumerate(calls) if "PATCH" in call and "/messages/" in call]
    (opened,) = [
        number for number, call in enumerate(calls) if "POST" in call and f"/channels/{sea.channel.id}/mess" in call
    ]
    assert len([number for number in edits if number < opened]) < MANY // 2

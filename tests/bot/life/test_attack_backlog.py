"""Attack: one game with a long backlog, and a Discord that is slow for it, keeps others from being told at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.life.outbox import Outbox
from bot.store import Store
from tests.bot.life.test_outbox_games import Slow
from tests.bot.store.test_store import a_game, url


async def test_a_game_with_a_long_backlog_keeps_no_other_waiting(tmp_path: Path) -> None:
    store = await Store.open(url(tmp_path))
    async with store.write() as tx:
        slow, quick = [await a_game(tx) for _ in range(2)]
        for number in range(60):
            await tx.messages.want(slow, f"act {number}", kind="story", now=5)
        await tx.messages.want(quick, "first", kind="story", now=5)
    discord = Slow(slow)
    outbox = Outbox(store, lambda: 9, discord.deliver)
    outbox.wake()
    try:
        await discord.asked.wait()
        await asyncio.wait_for(discord.hears(quick, "first"), 5)
    finally:
        discord.go_on.set()
        await outbox.settle()
        await outbox.close(1)
        await store.close()
    assert len(discord.told) == 61

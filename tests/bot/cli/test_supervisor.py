"""A bot that failed is let go: nothing of it is left when the next one is built."""

from __future__ import annotations

import asyncio
import weakref
from pathlib import Path

import discord
import pytest
import yarl
from discord.gateway import DiscordWebSocket

from bot.cli.running import Supervisor
from bot.config import BotSettings
from bot.discord import identifying
from bot.discord.app import WarGalley
from tests import here
from tests.loopback import failing
from tests.loopback.gateway import Gateway

TRIES = 4


@pytest.mark.parametrize("after_login", [False, True])
async def test_of_bots_that_failed_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, after_login: bool
) -> None:
    monkeypatch.setattr(identifying, "FIRST_PAUSE_S", 0.0)
    bots: weakref.WeakSet[WarGalley] = weakref.WeakSet()
    seen: list[tuple[int, int, int]] = []
    enough = asyncio.Event()
    build = Supervisor._build_bot

    def counted(supervisor: Supervisor) -> WarGalley:
        seen.append((len(bots), len(asyncio.all_tasks()), len([*Path("/proc/self/fd").iterdir()])))
        bots.add(bot := build(supervisor))
        if len(seen) == TRIES:
            enough.set()
        return bot

    monkeypatch.setattr(Supervisor, "_build_bot", counted)
    async with Gateway().open() as gateway:
        monkeypatch.setattr(discord.http.Route, "BASE", gateway.url)
        monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(gateway.gateway))
        if after_login:
            gateway.remaining, gateway.reset_after_s = 0, 0.0
        else:
            gateway.failures = [failing.OUT_OF_ORDER] * TRIES
        config = BotSettings(
            database_url=f"sqlite:///{tmp_path / 'games.sqlite'}", discord_token="token", _env_file=None
        )
        running = asyncio.create_task(Supervisor(config, here.workers()).run_until_ended())
        await enough.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert [left for left, _, _ in seen] == [0] * TRIES
    assert len({tasks for _, tasks, _ in seen[1:]}) == 1, seen
    assert len({files for _, _, files in seen[1:]}) == 1, seen

"""A bot that is killed between a message's text and its picture: the next start brings the picture, and no more."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.crash.test_stopping import ANNA, MOST_WAIT_S, asked, begin, until
from tests.loopback.gateway import Gateway, living

pytestmark = pytest.mark.timeout(300)


def panel(discord: Gateway) -> dict[str, Any]:
    return next(discord.panels(ANNA))[0]


def has_picture(message: dict[str, Any]) -> bool:
    return '"type": 12' in json.dumps(message["components"])  # a gallery


async def test_the_picture_of_a_panel_comes_after_a_kill(tmp_path: Path) -> None:
    pipes = [tmp_path / name for name in ("begun", "go_on")]
    for pipe in pipes:
        os.mkfifo(pipe)
    ends = [os.open(pipe, os.O_RDWR) for pipe in pipes]  # so that nobody waits for the other to open it
    try:
        async with Gateway().open() as discord:
            async with living(tmp_path, discord, HELD_PICTURES=str(tmp_path)):
                await begin(discord)
                await asyncio.wait_for(asyncio.to_thread(os.read, ends[0], 1), MOST_WAIT_S)
                await until(lambda: asked(discord, "seal"))  # while its picture is being made
                before = panel(discord)
                assert not has_picture(before)
            async with living(tmp_path, discord):
                await until(lambda: has_picture(panel(discord)))
            assert panel(discord)["id"] == before["id"]
            assert max(Counter(discord.marks()).values()) == 1
    finally:
        for end in ends:
            os.close(end)

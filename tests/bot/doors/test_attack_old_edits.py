"""Attack: where Discord takes no more edits of old messages, whoever was forgotten stays named in them for good."""

from __future__ import annotations

import pytest

from tests.bot.discord.test_refused import Refusing, unsent
from tests.bot.doors.test_captains import concede
from tests.bot.doors.test_forgetting import NAME, naming, press_under_me, shown
from tests.sea import AFAR, Sea


async def test_old_rounds_name_whoever_was_forgotten(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    zephyrine = sea.member(NAME)
    await sea.begin_at(AFAR, zephyrine)
    await concede(sea, zephyrine)
    await sea.env.advance_time(7200)
    before = len(sea.thread.history())
    tired = Refusing(sea, monkeypatch, "PATCH", "/messages/", status=429, code=30046)
    await press_under_me(sea, zephyrine, "forget", "forget_now")
    await sea.settle()
    tired.on = False
    for _ in range(3):
        await sea.env.advance_time(3700)
        await sea.settle()
    assert not unsent(sea)
    assert naming(shown(sea), zephyrine) == []
    assert len(sea.thread.history()) == before

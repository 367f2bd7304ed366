"""Discord's moods: moderators delete threads and take permissions away; the game goes on, and says so."""

from __future__ import annotations

import pytest

from tests.bot.papers import sealed
from tests.sea import AFAR, Sea, refs, text_of


async def test_a_game_whose_thread_was_deleted_goes_on_in_another_and_says_so(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.bot.get_channel(sea.thread.id).delete()
    await sea.env.settle()
    assert not sea.channel.threads
    await sealed(sea, sea.anna, "A1 FFFFF")
    await sea.env.advance_time(60)
    await sea.env.settle()
    assert "begins" in sea.told()
    assert "deleted" in sea.told()
    assert "anna: sealed" in sea.told()
    assert sea.rows("games")["games"][0]["thread_id"] == sea.thread.id
    await sealed(sea, sea.bela, "B1 FFFFF")
    await sea.env.advance_time(60)
    assert "Round 1" in sea.told()
    assert "log" in refs(next(message for message in sea.thread.history() if "Round 1" in text_of(message)))


@pytest.mark.parametrize("language", ["en-US", "hu"])
async def test_the_host_is_told_which_permission_is_missing_and_nothing_is_lost(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language
    await sea.begin_at(AFAR, sea.bela)
    path = f"/channels/{sea.thread.id}/*"
    sea.env.inject_error("POST", path, status=403, code=50013, times=20)
    sea.env.inject_error("PATCH", path, status=403, code=50013, times=20)
    for who, text in ((sea.anna, "A1 FFFFF"), (sea.bela, "B1 FFFFF")):
        await sealed(sea, who, text)
    await sea.env.advance_time(3600)
    told = [text_of(message) for message in sea.dms(sea.anna)]
    key = "I lack a permission" if language == "en-US" else "Hiányzik egy jogosultságom"
    assert sum(key in text for text in told) == 1
    assert not any("lack a permission" in text_of(message) for message in sea.dms(sea.bela))
    assert not [row["key"] for row in sea.rows("outbox")["outbox"] if row["problem"]]
    await sea.env.advance_time(36_000)  # the permission is given, and what waited is told
    await sea.env.settle()
    assert "Round 1" in sea.told()

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


@pytest.mark.parametrize("language", ["en-US", "hu"])
async def test_a_game_whose_channel_was_deleted_stands_still_until_its_host_moves_it(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language
    other = sea.guild.create_text_channel("harbour")
    await sea.begin_at(AFAR, sea.bela, phase="1d")
    await sea.env.advance_time(3600)
    (before,) = sea.rows("games")["games"]
    await sea.bot.get_channel(sea.channel.id).delete()
    await sea.env.settle()
    paused_at = sea.rows("games")["games"][0]["paused_at"]
    assert paused_at is not None
    told = "The channel of this game was deleted" if language == "en-US" else "A játszma csatornáját törölték"
    assert sum(told in text_of(message) for message in sea.dms(sea.anna)) == 1
    assert not any("deleted" in text_of(message) for message in sea.dms(sea.bela))
    # He gives orders all the while, and nobody misses a deadline, however long it takes.
    await sealed(sea, sea.bela, "B1 FFFFF")
    await sea.env.advance_time(3 * 86_400)
    assert sum(told in text_of(message) for message in sea.dms(sea.anna)) == 1
    assert sea.rows("games")["games"][0]["step_no"] == before["step_no"]
    assert not [row["key"] for row in sea.rows("outbox")["outbox"] if row["problem"]]
    # Nobody but who is in charge moves it.
    refused = await sea.command(sea.bela, "admin repost", at=other, game="1")
    assert "host" in refused
    await sea.command(sea.anna, "admin repost", at=other, game="1")
    (after,) = sea.rows("games")["games"]
    assert (after["channel_id"], after["paused_at"]) == (other.id, None)
    waited = int(sea.now().timestamp()) - paused_at
    assert after["deadline"] == before["deadline"] + waited
    await sea.env.settle()
    (thread,) = other.threads
    said = "\n".join(map(text_of, thread.history()))
    assert "begins" in said or "kezdődik" in said
    assert "bela: sealed" in said or "bela: lepecsételve" in said
    # And it goes on as ever.
    await sealed(sea, sea.anna, "A1 FFFFF")
    assert sea.rows("games")["games"][0]["step_no"] > before["step_no"]
    waiting = [row for row in sea.rows("outbox")["outbox"] if row["sent"] < row["wanted"] and row["user_id"] is None]
    assert not [row["key"] for row in waiting]
    assert len([row for row in sea.rows("outbox")["outbox"] if row["kind"] == "homeless"]) == 1


async def test_a_lobby_whose_channel_was_deleted_is_moved(sea: Sea) -> None:
    other = sea.guild.create_text_channel("harbour")
    await sea.command(sea.anna, "new", galleys="1")
    await sea.bot.get_channel(sea.channel.id).delete()
    await sea.env.settle()
    assert sum("was deleted" in text_of(message) for message in sea.dms(sea.anna)) == 1
    await sea.command(sea.anna, "admin repost", at=other, game="1")
    await sea.press(sea.bela, other.last_message, "join 1")
    await sea.press(sea.anna, other.last_message, "start")
    assert len(other.threads) == 1
    assert sea.rows("games")["games"][0]["phase"] == "running"


async def test_a_game_is_not_moved_where_games_are_not_told(sea: Sea) -> None:
    other, allowed = (sea.guild.create_text_channel(name) for name in ("harbour", "arsenal"))
    await sea.begin_at(AFAR, sea.bela)
    sea.change_rows("INSERT INTO servers (guild_id, channels) VALUES (?, ?)", sea.guild.id, f"[{allowed.id}]")
    await sea.bot.get_channel(sea.channel.id).delete()
    await sea.env.settle()
    assert f"<#{allowed.id}>" in await sea.command(sea.anna, "admin repost", at=other, game="1")
    assert sea.rows("games")["games"][0]["channel_id"] == sea.channel.id
    await sea.command(sea.anna, "admin repost", at=allowed, game="1")
    assert sea.rows("games")["games"][0]["channel_id"] == allowed.id

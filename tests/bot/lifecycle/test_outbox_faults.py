"""Discord fails, the process dies, somebody deletes a message: the bot tells everything, and nothing twice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sea import AFAR, Sea, refs, text_of

MOST_NONCE = 25
"""Characters that Discord takes."""


async def test_what_discord_could_not_take_arrives_later_and_once(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    await sea.command(sea.bela, "join")
    sea.env.inject_error("POST", "/channels/*/messages", status=500, times=3)
    await sea.command(sea.anna, "start")
    waiting = [row["key"] for row in sea.rows("outbox")["outbox"] if row["sent"] < row["wanted"]]
    assert {"begin", "step:0", "seals:0"} <= set(waiting)  # later messages do not overtake it
    await sea.env.advance_time(60)
    assert all(row["sent"] == row["wanted"] for row in _due(sea))
    told = [text_of(message) for message in sea.thread.history()]
    assert ["begins" in told[0], "By lot" in told[1], "waiting for orders" in told[2]] == [True] * 3
    assert len(told) == len(set(told)) == 3
    assert sum(len(sea.dms(who)) for who in (sea.anna, sea.bela)) == 2


@pytest.mark.begun
async def test_what_arrived_although_the_process_died_is_not_sent_again(sea: Sea) -> None:
    before = _all(sea)
    # Sent, and dead before the commit: the row says that it was tried, and no more.
    sea.change_rows("UPDATE outbox SET sent = 0, message_id = NULL, attempts = 1 WHERE kind <> 'remind'")
    await sea.restart()
    assert _all(sea) == before
    assert all(row["sent"] == row["wanted"] and row["message_id"] for row in _due(sea))
    # And it is the same message that goes on to be edited.
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.F")
    assert _all(sea) == before


@pytest.mark.begun
async def test_what_arrived_unheard_and_is_to_show_more_by_now_is_edited(sea: Sea) -> None:
    before = len(list(sea.thread.history()))
    tried = "sent = 0, message_id = NULL, attempts = 1, due_at = due_at + 9"
    sea.change_rows(f"UPDATE outbox SET {tried} WHERE kind = 'seals'")
    await sea.seal(sea.anna, "A1 FFFFF")
    assert len(list(sea.thread.history())) == before
    assert sea.told().count("Sealed by anna") == 1
    # What is to be posted once more is not looked for.
    await sea.command(sea.manager(), "host repost", game="1")
    assert sea.told().count("Sealed by anna") == 2


@pytest.mark.begun
async def test_a_thread_that_was_opened_although_the_process_died_is_found_again(sea: Sea) -> None:
    thread = sea.thread.id
    sea.change_rows("UPDATE games SET thread_id = NULL")
    sea.change_rows("UPDATE outbox SET sent = 0, message_id = NULL, attempts = 1 WHERE key = 'begin'")
    sea.expect("thread of a message")
    await sea.restart()
    assert [found.id for found in sea.channel.threads] == [thread]
    assert sea.rows("games")["games"][0]["thread_id"] == thread
    assert sea.told().count("begins") == 1


@pytest.mark.begun
async def test_a_message_that_was_deleted_is_posted_again_with_its_next_change(sea: Sea) -> None:
    panel = sea.panel(sea.anna)
    sea.env.backend.delete_message(panel.channel.id, panel.id)
    listed = next(message for message in sea.thread.history() if "orders" in refs(message))
    sea.env.backend.delete_message(listed.channel.id, listed.id)
    await sea.write(sea.anna, "A1 FFFFF")
    found = [message for message in sea.dms(sea.anna) if "type" in refs(message)]
    assert len(found) == 1
    assert found[0].id != panel.id
    await sea.press(sea.anna, found[0], "seal")
    assert sea.told().count("Sealed by anna") == 1


async def test_a_lobby_that_was_deleted_still_gives_a_thread(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    lobby = sea.channel.last_message
    sea.env.backend.delete_message(lobby.channel.id, lobby.id)
    await sea.command(sea.bela, "join", game="1")
    assert f"<@{sea.bela.id}>" in text_of(sea.channel.last_message)
    lobby = sea.channel.last_message
    sea.env.backend.delete_message(lobby.channel.id, lobby.id)
    await sea.command(sea.anna, "start")
    assert len(sea.channel.threads) == 1
    assert "begins" in sea.told()
    assert not [row for row in sea.rows("outbox")["outbox"] if row["problem"]]


@pytest.mark.begun
async def test_a_thread_that_fell_asleep_is_woken(sea: Sea) -> None:
    thread = sea.bot.get_channel(sea.thread.id)
    await thread.edit(archived=True)
    await sea.env.settle()
    sea.expect("archived thread")
    calls = len(sea.env.http_requests)
    await sea.seal(sea.anna, "A1 FFFFF")
    assert "Sealed by anna" in sea.told()
    later = [(call.method, call.path) for call in sea.env.http_requests[calls:] if str(thread.id) in call.path]
    woken = later.index(("PATCH", f"/channels/{thread.id}"))
    assert "/messages/" in later[woken + 1][1]


async def test_nothing_is_asked_before_a_message_while_its_place_is_known(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    opened = [call for call in sea.env.http_requests if call.path == "/users/@me/channels"]
    assert len(opened) == 2
    direct = {row["user_id"]: row["dm_channel_id"] for row in sea.rows("players")["players"]}
    assert direct == {who.id: who.user.dm_channel.id for who in (sea.anna, sea.bela)}
    calls = len(sea.env.http_requests)
    await sea.restart()
    await sea.both_seal()
    asked = {(call.method, call.path) for call in sea.env.http_requests[calls:] if call.method == "GET"}
    # After a start, the thread is compared with the database once.
    assert asked == {("GET", "/oauth2/applications/@me"), ("GET", f"/channels/{sea.thread.id}/messages")}
    assert not [call for call in sea.env.http_requests[calls:] if call.path == "/users/@me/channels"]


@pytest.mark.begun
async def test_direct_messages_that_are_elsewhere_by_now_are_opened_again(sea: Sea) -> None:
    sea.change_rows("UPDATE players SET dm_channel_id = 17 WHERE user_id = ?", sea.anna.id)
    await sea.seal(sea.bela, "B1 FFFFF")
    await sea.seal(sea.anna, "A1 FFFFF")
    assert "press order.F" in refs(sea.panel(sea.anna))
    assert sea.rows("players")["players"][0]["dm_channel_id"] == sea.anna.user.dm_channel.id
    assert not [row for row in sea.rows("outbox")["outbox"] if row["problem"]]


async def test_every_message_has_a_name_by_which_discord_knows_it_again(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    sent = [call.json for call in sea.env.http_requests if call.method == "POST" and call.path.endswith("/messages")]
    named = [(body["nonce"], body["enforce_nonce"]) for body in sent]
    expected = [f"{row['mark']}-{row['wanted_at']}" for row in sea.rows("outbox")["outbox"] if row["sent"]]
    assert sorted(named) == sorted((name, True) for name in expected)
    assert max(len(name) for name, _ in named) <= MOST_NONCE


def _due(sea: Sea) -> list[dict[str, Any]]:
    return [row for row in sea.rows("outbox")["outbox"] if row["kind"] != "remind"]


def _all(sea: Sea) -> list[tuple[int, int]]:
    places = (sea.channel, sea.thread, sea.anna.user.dm_channel, sea.bela.user.dm_channel)
    return [(place.id, message.id) for place in places for message in place.history()]

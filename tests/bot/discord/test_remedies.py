"""The bot has a remedy for each meaning of Discord's refusals, and counts each refusal."""

from __future__ import annotations

import itertools
import json
import logging
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from bot.discord.delivery.refusals import RefusalKind
from bot.discord.delivery.threads import AUTO_ARCHIVE_MINUTES, QUARANTINE_RETRY_S
from bot.sandbox.private import PressLost
from bot.texts.i18n import Catalogue
from tests.bot.discord import test_moods, test_muted, test_refused
from tests.bot.discord.test_refused import told
from tests.bot.refusing import Refusing
from tests.bot.rows import unsent
from tests.bot.services import test_absence
from tests.sea import AFAR, Sea, refs, text_of

EN = Catalogue.load("en")
DAY_S = 86_400
STEP = "Round 1\n"


def refused(sea: Sea) -> Counter[tuple[int, str]]:
    text = sea.bot.metrics.render_metrics(None, sea.bot.workers, connected=True).decode()
    lines = re.findall(r'war_galley_refusals_total\{code="(\d+)",meaning="(\w+)"\} (\S+)', text)
    return Counter({(int(code), meaning): int(float(count)) for code, meaning, count in lines})


@pytest.mark.parametrize(("status", "code"), [(403, 40333), (503, 130000), (429, 20016)])
@pytest.mark.begun
async def test_what_discord_does_not_take_just_now_arrives_later(sea: Sea, status: int, code: int) -> None:
    busy = Refusing(sea, "POST", f"/channels/{sea.thread.id}/messages", status=status, code=code)
    await sea.both_seal()
    await sea.env.advance_time(600)
    assert "step:1" in unsent(sea)
    assert 1 <= busy.count < 15
    busy.on = False
    await sea.env.advance_time(900)
    assert not unsent(sea)
    assert STEP in sea.told()


@pytest.mark.begun
async def test_where_files_are_refused_messages_come_without_pictures_and_the_host_learns_why(sea: Sea) -> None:
    limited = Refusing(sea, "POST", f"/channels/{sea.thread.id}/", status=403, code=400001)
    limited.holding = lambda _, size: size > 0
    await sea.both_seal()
    (step,) = [message for message in sea.thread.history() if STEP in text_of(message)]
    assert EN.say("thread.no_uploads") in text_of(step)
    assert not step.attachments
    assert limited.count == 1
    assert told(sea, sea.anna, "isn't accepting files") == 1
    assert not unsent(sea)
    # Other games of the server don't try in vain for a while.
    await sea.begin_at(AFAR, sea.bela)
    assert limited.count == 1


@pytest.mark.begun
async def test_a_press_that_may_bring_no_files_is_answered_without_its_picture(sea: Sea) -> None:
    await sea.both_seal()
    (step,) = [message for message in sea.thread.history() if STEP in text_of(message)]
    for method in ("POST", "PATCH"):
        sea.env.inject_error(method, "/webhooks/*", status=403, code=400001)
    said = await sea.press(sea.anna, step, "view")
    assert "A1" in said
    assert EN.say("thread.no_uploads") in said
    assert not sea.answers[-1].attachments


@pytest.mark.parametrize(("status", "code"), [(404, 10008), (403, 50005)])
@pytest.mark.begun
async def test_a_message_that_is_gone_or_another_bots_is_sent_again(sea: Sea, status: int, code: int) -> None:
    gone = Refusing(sea, "PATCH", f"/channels/{sea.thread.id}/messages/", status=status, code=code)
    before = len(list(sea.thread.history()))
    await sea.seal(sea.anna, "A1 FFFFF")
    assert gone.count == 1
    assert len(list(sea.thread.history())) == before + 1
    assert "Sealed by anna" in text_of(list(sea.thread.history())[-1])


async def test_a_thread_that_is_there_already_is_taken(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "join")
    lobby = sea.channel.last_message
    sea.env.guard.expected.add("thread of a message")
    thread = await sea.bot.get_channel(sea.channel.id).get_partial_message(lobby.id).create_thread(name="somebody's")
    await sea.command(sea.anna, "start")
    assert [thread.id for thread in sea.channel.threads] == [thread.id]
    assert "begins" in sea.told()
    assert not unsent(sea)


async def test_in_quarantine_the_thread_offers_panels(sea: Sea, caplog: pytest.LogCaptureFixture) -> None:
    sea.change_rows("UPDATE players SET dm_channel_id = NULL")
    flagged = Refusing(sea, "POST", "/users/@me/channels", status=403, code=20026)
    await sea.begin_at(AFAR, sea.bela, phase="6h")
    assert flagged.count == 1  # of two captains
    assert unsent(sea) == [row["key"] for row in sea.rows("outbox")["outbox"] if row["problem"]]
    # The thread tells the host, and offers each captain their panel.
    assert sea.told().count("takes me for a spammer") == 1
    assert f"<@{sea.anna.id}>" in next(text_of(m) for m in sea.thread.history() if "me for a spammer" in text_of(m))
    notices = [m for m in sea.thread.history() if "can't send you direct messages" in text_of(m)]
    assert len(notices) == 2
    await sea.press(sea.bela, notices[0], "orders")
    assert "press order.F" in refs(sea.answers[0])
    # Neither another game nor a returning connection asks within the hour.
    await sea.begin_at(AFAR, sea.bela)
    await sea.bot.on_resumed()
    await sea.env.advance_time(QUARANTINE_RETRY_S - 120)
    assert flagged.count == 1
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [record.appeal for record in errors] == ["https://dis.gd/app-quarantine"]
    assert sea.faults == errors
    sea.faults.clear()
    text = sea.bot.metrics.render_metrics(None, sea.bot.workers, connected=True).decode()
    assert re.search(r"war_galley_quarantined_timestamp_seconds [1-9]", text)
    # Then it tries again.
    flagged.on = False
    await sea.env.advance_time(300)
    await both_seal_in_thread(sea)
    assert any("press order.F" in refs(message) for message in sea.dms(sea.bela))


async def both_seal_in_thread(sea: Sea) -> None:
    """Let both captains seal by private panels, so that something is asked next."""
    for who, text in ((sea.anna, "#1 A1 FFFFF"), (sea.bela, "#1 B1 FFFFF")):
        await sea.command(who, "orders", game="1", text=text.partition(" ")[2])
        await sea.press(who, sea.answers[-1], "seal")
    await sea.settle()


@pytest.mark.begun
async def test_a_rename_never_delays_a_report(sea: Sea) -> None:
    limited = Refusing(sea, "PATCH", f"/channels/{sea.thread.id}", status=429, code=0, retry_after=582)
    limited.holding = lambda body, _: '"name"' in body
    await sea.command(sea.manager(), "host replace", game="1", whose="bela", substitute=sea.cili)
    assert limited.count == 1
    assert sea.thread.name == "#1 War Galley · anna – bela"
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.seal(sea.cili, "B1 FFFFF")
    assert STEP in sea.told()  # nothing waits for the name
    assert not unsent(sea)
    assert limited.count == 1  # nor is it asked for before that time is over
    # The next message after it brings the name.
    limited.on = False
    await sea.env.advance_time(600)
    await sea.command(sea.anna, "extend", game="1")
    assert sea.thread.name == "#1 War Galley · anna – cili"


@pytest.mark.begun
async def test_a_third_name_of_a_thread_waits_until_discord_takes_one(sea: Sea) -> None:
    chief = sea.manager()
    captains = [sea.bela, sea.cili, sea.member("dora"), sea.member("eve")]
    for captain, substitute in itertools.pairwise(captains):
        await sea.command(chief, "host replace", game="1", whose=captain.name, substitute=substitute)
    assert sea.thread.name == "#1 War Galley · anna – dora"
    await sea.env.advance_time(600)
    await sea.command(sea.anna, "extend", game="1")
    assert sea.thread.name == "#1 War Galley · anna – eve"


async def start_without_lobby(sea: Sea, at: Any) -> None:
    """Begin a game whose lobby's message was deleted, so that its thread hangs on nothing."""
    await sea.command(sea.anna, "new", at=at)
    game = str(sea.rows("games")["games"][-1]["id"])
    await sea.command(sea.bela, "join", game=game)
    await sea.bot.get_channel(at.id).get_partial_message(at.last_message.id).delete()
    await sea.command(sea.anna, "start", game=game)


async def test_threads_stay_in_their_channels_list_for_a_week(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await start_without_lobby(sea, sea.channel)
    threads = [sea.bot.get_channel(thread.id) for thread in sea.channel.threads]
    assert [thread.auto_archive_duration for thread in threads] == [AUTO_ARCHIVE_MINUTES] * 2


async def test_a_thread_in_an_announcement_channel_is_of_the_kind_that_is_taken_there(sea: Sea) -> None:
    news = sea.guild.create_news_channel("news")
    await sea.env.settle()
    # simcord can't tell of such a thread, so that it must not open one.
    opening = Refusing(sea, "POST", f"/channels/{news.id}/threads", status=429, code=20028)
    bodies: list[dict[str, Any]] = []
    opening.holding = lambda body, _: bodies.append(json.loads(body)) is None
    await start_without_lobby(sea, news)
    assert [(body["type"], body["auto_archive_duration"]) for body in bodies] == [(10, AUTO_ARCHIVE_MINUTES)]


@pytest.mark.begun
async def test_who_is_forgotten_learns_so_though_discord_limits_deletions(sea: Sea) -> None:
    await sea.concede(sea.bela)
    await sea.settle()
    Refusing(sea, "DELETE", "/messages/", status=429, code=0, retry_after=900)
    await sea.command(sea.bela, "me")
    await sea.press(sea.bela, sea.answers[-1], "forget")
    said = await sea.press(sea.bela, sea.answers[-1], "forget_now")
    assert said == EN.say("say.forgotten_but_messages")


@pytest.mark.parametrize("status", [429, 503])
async def test_a_command_that_discord_does_not_answer_says_so(sea: Sea, status: int) -> None:
    await sea.command(sea.anna, "new")
    Refusing(sea, "GET", f"/channels/{sea.channel.id}", status=status, code=0, retry_after=900)
    said = await sea.command(sea.anna, "host repost", game="1")
    assert said == EN.say("refuse.discord_away")


@pytest.mark.begun
async def test_an_answer_to_a_deleted_message_arrives(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 nonsense")
    answers = [
        call.json["message_reference"] for call in sea.env.http_requests if (call.json or {}).get("message_reference")
    ]
    assert answers
    assert all(reference["fail_if_not_exists"] is False for reference in answers)


@pytest.mark.begun
async def test_refusals_are_counted_and_logged_once_for_each_game_and_day(
    sea: Sea, caplog: pytest.LogCaptureFixture
) -> None:
    before = refused(sea)
    # The outbox's: forbidden where it edits and where it sends.
    shut = [
        Refusing(sea, method, f"/channels/{sea.thread.id}/messages", status=403, code=50013)
        for method in ("POST", "PATCH")
    ]
    await sea.seal(sea.anna, "A1 FFFFF")
    # A press's, a command's and a greeting's.
    sea.env.inject_error("PATCH", "/webhooks/*", status=404, code=10015)
    await sea.click_only(sea.anna, sea.panel(sea.anna), refs(sea.panel(sea.anna))["unseal"])
    await sea.settle()
    sea.env.inject_error("POST", "/interactions/*/callback", status=404, code=10062)
    await sea.anna.slash(sea.channel, "galley games")
    await sea.settle()
    hello = Refusing(sea, "POST", f"/channels/{sea.channel.id}/messages", status=403, code=50001)
    await sea.bot.on_guild_join(sea.bot.get_guild(sea.guild.id))
    await sea.env.advance_time(3600)
    counted = refused(sea) - before
    assert counted[50013, "forbidden"] == sum(row.count for row in shut) > 1
    assert counted[50001, "forbidden"] == hello.count > 0
    assert counted[10015, "too_late"] == 1
    assert counted[10062, "too_late"] == 1

    def lines(code: int) -> int:
        logged = [record for record in caplog.records if record.getMessage() == "Discord refused"]
        return sum(record.code == code for record in logged)

    assert lines(50013) == 1
    await sea.env.advance_time(DAY_S)
    assert lines(50013) == 2
    assert lines(10015) == 1


SHOWN: dict[RefusalKind, Callable[..., Any]] = {
    RefusalKind.AWAY: test_what_discord_does_not_take_just_now_arrives_later,
    RefusalKind.LIMITED: test_what_discord_does_not_take_just_now_arrives_later,
    RefusalKind.QUARANTINED: test_in_quarantine_the_thread_offers_panels,
    RefusalKind.OPENING: test_refused.test_direct_messages_are_opened_slower_once_that_was_too_fast,
    RefusalKind.CLOSED: test_refused.test_a_captain_who_shares_no_server_plays_from_the_thread_and_is_asked_seldom,
    RefusalKind.GONE: test_absence.test_who_has_left_the_server_is_found_out_when_no_message_reaches_them,
    RefusalKind.REMOVED: test_moods.test_a_game_waits_while_the_bot_is_removed_from_its_server,
    RefusalKind.LOST_PLACE: test_moods.test_a_game_whose_thread_was_deleted_goes_on_in_another_and_says_so,
    RefusalKind.LOST_MESSAGE: test_a_message_that_is_gone_or_another_bots_is_sent_again,
    RefusalKind.FORBIDDEN: test_refused.test_where_403_is_known_nothing_is_asked_for_any_game,
    RefusalKind.LOCKED: test_muted.test_the_clock_stands_still_while_the_thread_is_locked_and_all_learn_why,
    RefusalKind.ASLEEP: test_refused.test_a_thread_that_sleeps_is_woken_and_one_that_is_locked_waits_for_its_key,
    RefusalKind.THREADS_FULL: test_refused.test_a_server_full_of_threads_makes_room_or_tells_the_game_in_its_channel,
    RefusalKind.THREAD_THERE: test_a_thread_that_is_there_already_is_taken,
    RefusalKind.NO_CHAT: test_refused.test_no_game_is_opened_in_a_post_and_none_told_in_a_forum,
    RefusalKind.FILTERED: test_refused.test_an_automatic_moderator_gets_no_names_and_no_links,
    RefusalKind.OLD_EDITS: test_refused.test_edits_of_old_messages_are_spared_and_what_matters_is_sent_again,
    RefusalKind.TOO_LARGE: test_refused.test_pictures_that_are_too_large_become_smaller_and_then_go,
    RefusalKind.NO_UPLOADS: test_where_files_are_refused_messages_come_without_pictures_and_the_host_learns_why,
    RefusalKind.TOO_LATE: test_refused.test_a_press_whose_answer_comes_too_late_is_done_and_shown,
    RefusalKind.COMMANDS: test_refused.test_commands_are_told_once_and_no_refusal_stops_the_bot,
    RefusalKind.UNKNOWN: test_refused.test_an_answer_nobody_foresaw_is_kept_and_steps_aside,
}
"""The test that shows what the bot does about a meaning."""


def test_each_meaning_has_a_remedy_that_a_test_shows() -> None:
    assert SHOWN.keys() == set(RefusalKind)


@pytest.mark.refused("press in an archived thread")
@pytest.mark.begun
async def test_a_press_in_an_archived_thread_wakes_it_or_never_reaches_the_bot(sea: Sea) -> None:
    """A client un-archives the thread first, and sends nothing if its user may not."""
    await sea.both_seal("A1 FFFRX", "B1 FFFLX")
    story = next(message for message in reversed(sea.thread.history()) if "film" in refs(message))

    def archive() -> None:
        sea.env.backend.edit_channel(sea.thread.id, {}, thread_metadata={"archived": True})

    archive()
    with pytest.raises(PressLost):
        await sea.click(sea.cili, story, refs(story)["film"])
    archive()
    await sea.click(sea.anna, story, refs(story)["film"])
    assert sea.env.server_state.channel(sea.thread.id).archived is False

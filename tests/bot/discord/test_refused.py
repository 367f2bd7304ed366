"""Whatever Discord refuses, no game is lost: each answer has a way out, and the bot tells those concerned once."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

import render
from bot.discord.delivery.memory import MEMORY_S, WINDOW_MINUTES, InvalidRequestBudget, RecentlyRefused, RefusalMemory
from bot.discord.delivery.refusals import DiscordRefusal, RefusalKind
from bot.texts.i18n import Catalogue
from tests.bot.refusing import Refusing
from tests.bot.rows import unsent
from tests.sea import AFAR, Sea, refs, text_of

EN = Catalogue.load("en")


def told(sea: Sea, who: Any, words: str) -> int:
    return sum(words in text_of(message) for message in sea.dms(who))


async def test_a_captain_who_shares_no_server_plays_from_the_thread_and_is_asked_seldom(sea: Sea) -> None:
    direct = sea.bela.user.dm_channel.id
    closed = Refusing(sea, "POST", f"/channels/{direct}/messages", status=403, code=50278)
    await sea.begin_at(AFAR, sea.bela, phase="6h")
    (notice,) = [message for message in sea.thread.history() if "can't send you direct messages" in text_of(message)]
    await sea.press(sea.bela, notice, "orders")
    assert "press order.F" in refs(sea.answers[0])
    assert closed.count == 1
    await sea.begin_at(AFAR, sea.bela, name="another")
    assert closed.count == 1  # the bot knows it for a while, whatever the game; and each thread offers Béla's panel
    assert "can't send you direct messages" in sea.told()
    # Béla writes to the bot, which means that Béla accepts messages again.
    closed.on = False
    await sea.seal(sea.bela, "#1 B1 FFFFF")
    assert any({"type", "unseal"} & refs(message).keys() for message in sea.dms(sea.bela))


async def test_an_automatic_moderator_gets_no_names_and_no_links(sea: Sea) -> None:
    for method in ("POST", "PATCH"):
        moderator = Refusing(sea, method, "/channels/", status=400, code=200000)
        moderator.holding = lambda body, _: any(word in body for word in ("Evil", "pirates", "anna", "bela"))
    await sea.begin_at(AFAR, sea.bela, name="Evil pirates.com")
    assert not unsent(sea)
    assert sea.thread.name == "#1"
    everything = sea.told() + text_of(sea.channel.last_message)
    assert "Evil" not in everything
    assert f"<@{sea.bela.id}>" in everything
    assert told(sea, sea.anna, "automatic moderator") == 1
    await sea.seal(sea.anna, "A1 FFFFF")
    assert f"Sealed by <@{sea.anna.id}>" in sea.told()
    assert "type" in refs(sea.panel(sea.bela)) or "press order.F" in refs(sea.panel(sea.bela))
    # A thread that refuses everything holds only itself up; afterwards the bot tells everything, in order.
    strict = Refusing(sea, "POST", f"/channels/{sea.thread.id}/", status=400, code=200000)
    await sea.seal(sea.bela, "B1 FFFFF")
    assert "Round 1" not in sea.told()
    assert await sea.asked(sea.bela)
    assert told(sea, sea.anna, "automatic moderator") == 1
    strict.on = moderator.on = False
    await sea.env.advance_time(1800)
    assert not unsent(sea)
    texts = [text_of(message) for message in sea.thread.history()]
    assert [sum(part in text for text in texts) for part in ("Round 1\n", "waiting for orders")] == [1, 1]
    assert "Round 1\n" in texts[-2]


@pytest.mark.begun
async def test_a_server_full_of_threads_makes_room_or_tells_the_game_in_its_channel(sea: Sea) -> None:
    first = sea.thread
    await sea.concede(sea.anna)
    full = Refusing(sea, "POST", "/threads", status=400, code=160006, times=1)
    await sea.begin_at(AFAR, sea.bela)
    assert full.count == 1
    assert sea.bot.get_channel(first.id) is None or sea.bot.get_channel(first.id).archived
    assert "begins" in sea.told()
    assert told(sea, sea.anna, "active threads") == 0
    # No game is over any more: the bot writes in the channel until there is room for a thread.
    full = Refusing(sea, "POST", "/threads", status=400, code=160006)
    threads = len(sea.channel.threads)
    await sea.begin_at(AFAR, sea.bela)
    assert (len(sea.channel.threads), full.count) == (threads, 1)
    assert "waiting for orders" in text_of(sea.channel.last_message)
    assert told(sea, sea.anna, "active threads") == 1
    full.on = False
    await sea.env.advance_time(MEMORY_S + 60)
    await sea.seal(sea.bela, "#3 B1 FFFFF")
    await sea.settle()
    assert len(sea.channel.threads) == threads + 1
    assert "begins" in sea.told()
    assert "Sealed by bela" in sea.told()
    assert not unsent(sea)


@pytest.mark.begun
async def test_edits_of_old_messages_are_spared_and_what_matters_is_sent_again(sea: Sea) -> None:
    await sea.env.advance_time(7200)
    tired = Refusing(sea, "PATCH", "/channels/", status=429, code=30046)
    before = len(sea.dms(sea.anna))
    await sea.seal(sea.anna, "A1 FFFFF")
    assert "Sealed by anna" not in sea.told()  # let be, for an hour
    assert len(sea.dms(sea.anna)) > before
    tries = tired.count
    await sea.env.advance_time(1800)
    assert tired.count == tries
    await sea.seal(sea.bela, "B1 FFFFF")
    assert "Round 1" in sea.told()  # no edit holds up what follows
    tired.on = False
    await sea.env.advance_time(3700)
    assert not unsent(sea)
    assert "Sealed by anna" in sea.told()


@pytest.mark.begun
async def test_an_old_panel_that_may_not_be_edited_for_an_unknown_reason_is_sent_again(sea: Sea) -> None:
    await sea.env.advance_time(7200)
    (panel,) = [message for message in sea.dms(sea.anna) if "type" in refs(message)]
    strange = Refusing(sea, "PATCH", f"/messages/{panel.id}", status=400, code=987654)
    await sea.command(sea.bela, "extend", game="1")
    assert strange.count == 1
    assert sea.panel(sea.anna).id != panel.id
    assert not unsent(sea)


async def test_pictures_that_are_too_large_become_smaller_and_then_go(sea: Sea) -> None:
    huge = Refusing(sea, "POST", "/messages", status=413, code=40005)
    sizes: list[int] = []

    def too_large(_: str, size: int) -> bool:
        sizes.append(size)
        return size > 0 and len([size for size in sizes if size]) == 1

    huge.holding = too_large
    await sea.begin_at(AFAR, sea.bela)
    full_size, smaller = [size for size in sizes if size][:2]
    assert 0 < smaller < full_size
    huge.holding = lambda _, size: size > 0
    await sea.both_seal()
    (step,) = [message for message in sea.thread.history() if "Round 1\n" in text_of(message)]
    assert EN.say("thread.no_picture") in text_of(step)
    assert not step.attachments
    assert "log" in refs(step)
    assert not unsent(sea)


@pytest.mark.begun
async def test_a_thread_that_sleeps_is_woken_and_one_that_is_locked_waits_for_its_key(sea: Sea) -> None:
    path = f"/channels/{sea.thread.id}/messages"
    asleep = Refusing(sea, "PATCH", path, status=400, code=50083, times=1)
    await sea.seal(sea.anna, "A1 FFFFF")
    assert asleep.count == 1
    assert "Sealed by anna" in sea.told()
    thread = sea.bot.get_channel(sea.thread.id)
    await thread.edit(locked=True)
    locked = [Refusing(sea, method, path, status=400, code=160005) for method in ("POST", "PATCH")]
    await sea.seal(sea.bela, "B1 FFFFF")
    await sea.env.advance_time(7200)
    assert "Round 1" not in sea.told()
    assert told(sea, sea.anna, "is locked") == 1
    assert sum(refusing.count for refusing in locked) < 15
    for refusing in locked:
        refusing.on = False
    await thread.edit(locked=False)
    await sea.env.settle()
    await sea.settle()
    assert "Round 1" in sea.told()
    assert not unsent(sea)


async def test_where_403_is_known_nothing_is_asked_for_any_game(sea: Sea) -> None:
    shut = Refusing(sea, "POST", f"/channels/{sea.channel.id}/messages", status=403, code=50013)
    for number in range(4):
        await sea.command(sea.anna, "new", name=f"game {number}")
    assert shut.count == 1
    await sea.env.advance_time(2 * MEMORY_S)
    assert shut.count <= 1 + 2 * 4  # each game asks once at most in the time for which a refusal is known
    assert len(unsent(sea)) == 4
    shut.on = False
    role = sea.bot.get_guild(sea.guild.id).default_role
    await role.edit(permissions=type(role.permissions)(role.permissions.value ^ 64))
    await sea.env.settle()
    await sea.settle()
    assert not unsent(sea)


async def test_an_answer_nobody_foresaw_is_kept_and_steps_aside(sea: Sea, caplog: pytest.LogCaptureFixture) -> None:
    await sea.begin_at(AFAR, sea.bela, phase="2h")
    path = f"/channels/{sea.thread.id}/messages"
    strange = Refusing(sea, "POST", path, status=400, code=987654)
    strange.holding = lambda body, _: "Round 1" in body
    await sea.both_seal()
    logged = [record for record in caplog.records if record.getMessage() == "Discord refused"]
    assert [(record.code, record.meaning) for record in logged] == [(987654, "unknown")]
    assert "seals:1" in unsent(sea)  # later messages do not overtake it at first
    await sea.env.advance_time(5 * 3600)
    assert "step:1" in unsent(sea)
    assert "seals:1" not in unsent(sea)
    strange.on = False
    await sea.env.advance_time(2 * 3600)
    assert "step:1" not in unsent(sea)
    assert "Round 1" in sea.told()


async def test_direct_messages_are_opened_slower_once_that_was_too_fast(sea: Sea) -> None:
    sea.change_rows("UPDATE players SET dm_channel_id = NULL")
    fast = Refusing(sea, "POST", "/users/@me/channels", status=400, code=40003)
    await sea.begin_at(AFAR, sea.bela)
    assert fast.count == 1  # of two captains
    await sea.env.advance_time(200)
    assert fast.count == 1
    fast.on = False
    await sea.env.advance_time(600)
    assert not unsent(sea)
    for who in (sea.anna, sea.bela):
        assert "press order.F" in refs(sea.panel(who))


@pytest.mark.begun
async def test_a_press_whose_answer_comes_too_late_is_done_and_shown(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FFFFF")
    late = Refusing(sea, "POST", "/callback", status=404, code=10062, times=1)
    expired = Refusing(sea, "PATCH", "/webhooks/", status=401, code=50027)
    await sea.click_only(sea.anna, sea.reply(sea.anna), refs(sea.reply(sea.anna))["seal"])
    await sea.settle()
    await sea.env.advance_time(30)
    assert "Sealed by anna" in sea.told()
    assert any("unseal" in refs(message) for message in sea.dms(sea.anna))
    # Acknowledged already, by a try that was not heard: the answer follows it.
    assert late.count
    expired.on = False
    Refusing(sea, "PATCH", "/webhooks/", status=404, code=10015)
    await sea.click_only(sea.anna, sea.panel(sea.anna), refs(sea.panel(sea.anna))["unseal"])
    await sea.settle()
    await sea.env.advance_time(30)
    assert "Sealed by anna" not in sea.told()
    assert "seal" in refs(sea.panel(sea.anna))


async def test_commands_are_told_once_and_no_refusal_stops_the_bot(sea: Sea) -> None:
    def tellings() -> int:
        return sum(call.method == "PUT" and call.path.endswith("/commands") for call in sea.env.http_requests)

    async def help_() -> str:
        return await sea.command(sea.anna, "help")

    assert tellings() == 1
    # Her Discord speaks English, in which the command is called so; a mention opens it in any language.
    await sea.command(sea.anna, "me", language="hu")
    mention = f"</galley new:{sea.env.backend.commands[None]['galley', 1]['id']}>"
    assert mention in await help_()
    await sea.restart()
    assert tellings() == 1  # nothing has changed
    assert mention in await help_()
    sea.change_rows("UPDATE kept_facts SET value = 'older'")
    sea.env.inject_error("PUT", "/applications/*/commands", status=400, code=30034)
    await sea.restart()
    assert tellings() == 2
    assert "`/galley new`" in await help_()
    await sea.command(sea.anna, "new")
    assert len(sea.rows("games")["games"]) == 1
    await sea.env.advance_time(120)
    assert tellings() == 3
    assert mention in await help_()
    await sea.env.advance_time(7200)
    assert tellings() == 3


@pytest.mark.begun
async def test_no_game_is_opened_in_a_post_and_none_told_in_a_forum(sea: Sea) -> None:
    said = await sea.command(sea.anna, "new", at=sea.thread)
    assert f"<#{sea.channel.id}>" in said
    assert len(sea.rows("games")["games"]) == 1
    forum = Refusing(sea, "POST", f"/channels/{sea.channel.id}/messages", status=400, code=40058)
    await sea.command(sea.anna, "new")
    assert told(sea, sea.anna, "only accepts posts") == 1
    assert unsent(sea) == ["lobby"]
    forum.on = False
    await sea.bot.on_resumed()
    await sea.settle()
    assert not unsent(sea)


def test_what_was_refused_is_forgotten_in_time() -> None:
    now = [1000]
    memory = RefusalMemory(lambda: now[0])
    memory.remember("place", 5, DiscordRefusal(kind=RefusalKind.FORBIDDEN, code=50013, status=403))
    with pytest.raises(RecentlyRefused) as known:
        memory.raise_if_refused("place", 5)
    assert known.value.refusal.code == 50013
    memory.raise_if_refused("place", 6)
    memory.raise_if_refused("person", 5)
    memory.clear("place", which=6)
    with pytest.raises(RecentlyRefused):
        memory.raise_if_refused("place", 5)
    now[0] += MEMORY_S
    memory.raise_if_refused("place", 5)
    now[0] += 1_000_000  # the clock is ahead for a while
    memory.remember("place", 5, DiscordRefusal(kind=RefusalKind.FORBIDDEN, code=50013, status=403))
    now[0] -= 1_000_000
    memory.raise_if_refused("place", 5)


def test_the_outbox_rests_long_before_discord_bans_the_address() -> None:
    now = [600_000]
    budget = InvalidRequestBudget(lambda: now[0], most=100)
    for status in (200, 404, 500) * 100:
        budget.count_response(status)
    for number in range(99):
        budget.count_response((401, 403, 429)[number % 3])
        now[0] += 1
    assert (budget.invalid_count, budget.paused_until()) == (99, None)
    budget.count_response(403)
    until = budget.paused_until()
    assert until is not None
    assert now[0] < until <= now[0] + (WINDOW_MINUTES + 1) * 60
    now[0] = until
    assert budget.paused_until() is None
    now[0] += 1_000_000  # the clock is ahead for a while
    for _ in range(100):
        budget.count_response(403)
    now[0] -= 1_000_000
    assert now[0] < (budget.paused_until() or 0) <= now[0] + (WINDOW_MINUTES + 1) * 60


@pytest.mark.parametrize(("kind", "frames"), [("PNG", 1), ("WEBP", 1), ("WEBP", 3), ("GIF", 3)])
def test_half_a_picture_is_half_as_wide_and_moves_as_before(kind: str, frames: int) -> None:
    still, shades = io.BytesIO(), [Image.new("RGB", (80, 60), (60 * number, 90, 120)) for number in range(frames)]
    moving = {"save_all": True, "append_images": shades[1:], "duration": 300} if frames > 1 else {}
    shades[0].save(still, kind, **moving)
    with Image.open(io.BytesIO(render.halve_picture(still.getvalue()))) as half:
        assert (half.format, half.size, getattr(half, "n_frames", 1)) == (kind, (40, 30), frames)
        if frames > 1:
            half.seek(1)
            half.load()
            assert half.info["duration"] == 300

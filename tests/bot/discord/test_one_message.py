"""A captain's direct messages: one live message a game, at the bottom; what is over and done with is gone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.texts.i18n import Catalogue, Localizer
from rules.chance.fairness import SHOWN_HASH_DIGITS
from tests.bot.rows import bot_messages
from tests.bot.services.test_open_turns import active, at_sea
from tests.sea import ABEAM, AFAR, Sea, refs, text_of

HU = Catalogue.load("hu")
MATCHBOX = {language: Catalogue.load(language, "matchbox") for language in ("en", "hu")}
DAY_S = 86_400


async def test_one_message_is_left_after_all_that_is_written_pressed_and_missed(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.begin_at(AFAR, sea.bela)
    (first,) = bot_messages(sea, sea.anna)
    assert "I don't understand “Q”" in await sea.write(sea.anna, "A1 FFQ")  # a refusal stands below what was written …
    assert len(bot_messages(sea, sea.anna)) == 2
    assert "**A1** F F" in await sea.write(sea.anna, "A1 FF")  # … until something is taken: the panel follows it
    (panel,) = bot_messages(sea, sea.anna)
    assert panel.id != first.id
    assert panel.id == sea.dms(sea.anna)[-1].id
    await sea.env.advance_time(DAY_S / 2 + 60)
    assert len(bot_messages(sea, sea.anna)) == 2  # with a reminder
    assert len(bot_messages(sea, sea.bela)) == 2
    await sea.both_seal("A1 LLLLL", "B1 BBBBB")
    for who, heading in ((sea.anna, "Round 2"), (sea.bela, "2\\. kör")):
        (panel,) = bot_messages(sea, who)
        assert heading in text_of(panel)
        assert "type" in refs(panel)
    # The panel tells of a missed deadline until the captain has answered the next question, and then no more.
    await sea.seal(sea.anna, "A1 LLLLL")
    await sea.write(sea.bela, "B1 FFQ")
    await sea.env.advance_time(DAY_S + 60)
    missed, panel = bot_messages(sea, sea.bela)
    assert HU.say("missed_by.mate") in text_of(missed)
    assert not refs(missed)
    assert "3\\. kör" in text_of(panel)
    await sea.both_seal("A1 LLLLL", "B1 BBBBB")
    (panel,) = bot_messages(sea, sea.bela)
    assert "4\\. kör" in text_of(panel)
    # The end stays where the captain is, alone.
    await sea.bot.services.concede_game(sea.anna.id, 1)
    await sea.settle()
    for who in (sea.anna, sea.bela):
        (last,) = bot_messages(sea, who)
        assert {*refs(last)} == {"why_last", "replay", "rematch"}
        lost = who == sea.anna
        words = Localizer(MATCHBOX["en" if lost else "hu"], {0: "anna", 1: "bela"})
        keys = ("fared.lost", "reason.conceded.yours") if lost else ("fared.won", "reason.conceded.short")
        for key in (*keys, "panel.over"):  # the winner, and the reason
            assert words.say(key, who=1, losers=(0,)) in text_of(last)
    assert not sea.rows("removals")["removals"]
    assert "Game #2 starts" in await sea.press(sea.anna, bot_messages(sea, sea.anna)[0], "rematch")


@pytest.mark.begun
async def test_a_plan_that_counted_unsealed_is_told_until_the_next_question_is_closed(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 LLLLL")
    await sea.env.advance_time(DAY_S + 60)
    counted, panel = bot_messages(sea, sea.anna)
    assert "**A1** L L L L L" in text_of(counted)
    assert "Round 2" in text_of(panel)
    await sea.write(sea.bela, "B1 LLLLL")
    await sea.seal(sea.bela, "B1 LLLLL")
    await sea.seal(sea.anna, "A1 LLLLL")
    (panel,) = bot_messages(sea, sea.anna)
    assert "Round 3" in text_of(panel)


async def test_who_waits_for_a_decision_of_the_other_reads_what_has_happened_so_far(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await sea.both_seal("A1 XFFFF; aim ask", "B1 XFFFF")
    assert "waiting for a decision by anna (Take aim)" in sea.told()
    (waiting,) = bot_messages(sea, sea.bela)
    assert not refs(waiting)
    assert "B1 (bela): `XFFFF`" in text_of(waiting)
    assert "quiet" not in text_of(waiting)
    await sea.press(sea.anna, sea.panel(sea.anna), "press steady")
    for who in (sea.anna, sea.bela):
        (panel,) = bot_messages(sea, who)
        assert "Round 2" in text_of(panel)
        assert "A1 fires at B1" in text_of(panel)


async def test_an_open_move_is_carried_out_and_never_called_sealed(sea: Sea) -> None:
    await at_sea(sea)
    who, _ = await active(sea)
    suggested = await who.autocomplete(sea.channel, "galley orders", "text", "br>")
    said = await sea.write(who, suggested[0]["value"])
    assert "sails from" in said
    assert "ealed" not in said
    assert len(bot_messages(sea, who)) == 1  # the turn goes on in one panel, below what was written
    said = await sea.write(who, "end")
    assert "Carried out: `end`" in said
    assert "ealed" not in said
    assert not [message for message in bot_messages(sea, who) if "ealed" in text_of(message)]
    other, _ = await active(sea)
    assert other is not who
    assert "press end" in refs(sea.panel(other))
    assert "sails from" in await sea.read(other)


@pytest.mark.begun
async def test_what_is_sealed_is_named_by_its_fingerprint_and_can_be_unsealed(sea: Sea) -> None:
    await sea.seal(sea.anna, "A1 FFRXF; aim ask")
    (hashed,) = (row["commitment"] for row in sea.rows("answers")["answers"])
    (panel,) = bot_messages(sea, sea.anna)
    text = text_of(panel)
    assert text.index("F F R X F") < text.index(f"Sealed (`{hashed[:8]}…`)")
    assert "ask me" in await sea.read(sea.anna)
    assert {"unseal", "page 1"} == refs(panel).keys()
    assert panel.attachments
    thread = sea.told()
    assert f"Sealed by anna: `{hashed[:SHOWN_HASH_DIGITS]}`" in thread
    assert hashed[:9] not in text
    assert "FFRXF" not in thread
    await sea.seal(sea.bela, "B1 LLLLL")
    await sea.command(sea.anna, "log", at=sea.thread)
    assert hashed in await sea.sealed_texts(sea.anna)


@pytest.mark.begun
async def test_of_orders_written_in_the_same_second_the_last_ones_panel_stays(sea: Sea) -> None:
    for text in ("FFLFF", "FFRFF"):
        await sea.write(sea.anna, f"A1 {text}")
    (panel,) = bot_messages(sea, sea.anna)  # Discord takes no second message for one that it knows from the first
    assert "F F R F F" in text_of(panel)
    assert not sea.rows("removals")["removals"]


@pytest.mark.begun
async def test_an_old_panel_that_is_still_seen_tells_where_the_new_one_is(sea: Sea) -> None:
    old = sea.panel(sea.anna)
    sea.env.inject_error("DELETE", "/channels/*/messages/*", status=503, code=0, message="away", times=None)
    await sea.write(sea.anna, "A1 LLLLL")
    new = sea.panel(sea.anna)
    assert new.id != old.id
    said = await sea.press(sea.anna, old, "press order.L")
    assert "have changed since" in said
    assert f"/{new.id}" in text_of(sea.again(sea.anna, old))
    assert sea.rows("requests")["requests"][0]["draft"] == "A1 LLLLL"
    await sea.seal(sea.bela, "B1 LLLLL")
    sealing = refs(new)["seal"]
    await sea.press(sea.anna, new, "seal")
    # That question is closed: what is said is true, and leads to the next one.
    assert "has continued meanwhile" in await sea.click(sea.anna, new, sealing)
    assert f"/{sea.panel(sea.anna).id}" in text_of(sea.again(sea.anna, new))
    sea.env.backend.faults.clear()
    await sea.env.advance_time(120)
    (panel,) = bot_messages(sea, sea.anna)
    assert "Round 2" in text_of(panel)


@pytest.mark.parametrize(("status", "code", "gone"), [(404, 10008, True), (403, 50013, True), (503, 0, False)])
@pytest.mark.begun
async def test_a_deletion_that_discord_refuses_holds_nothing_up(sea: Sea, status: int, code: int, gone: bool) -> None:
    sea.env.inject_error("DELETE", "/channels/*/messages/*", status=status, code=code, message="no", times=1)
    await sea.seal(sea.anna, "A1 LLLLL")
    assert "L L L L L" in text_of(sea.panel(sea.anna))
    assert bool(sea.rows("removals")["removals"]) is not gone
    await sea.env.advance_time(120)
    assert not sea.rows("removals")["removals"]
    assert len(bot_messages(sea, sea.anna)) == (2 if gone else 1)


@pytest.mark.begun
async def test_what_was_not_deleted_before_a_crash_is_deleted_after_it(sea: Sea) -> None:
    old = sea.panel(sea.anna)
    sea.env.inject_error("DELETE", "/channels/*/messages/*", status=503, code=0, message="away", times=None)
    await sea.write(sea.anna, "A1 LLLLL")
    assert {old.id} < {message.id for message in bot_messages(sea, sea.anna)}
    sea.env.backend.faults.clear()
    await sea.restart(after_s=120)
    (panel,) = bot_messages(sea, sea.anna)
    await sea.press(sea.anna, panel, "seal")
    assert "Sealed" in text_of(sea.panel(sea.anna))


@pytest.mark.parametrize(
    ("draft", "at_once", "later"),
    [
        (
            "",
            "you didn't seal anything in time",
            "Nobody sealed orders in time; your first mate gave them.",
        ),
        ("B1 LFFXF", "**B1** L F F X F", "**B1** L F F X F"),
    ],
)
async def test_what_became_of_a_deadline_is_read_after_the_other_has_taken_aim(
    sea: Sea, draft: str, at_once: str, later: str
) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    if draft:
        await sea.write(sea.bela, draft)
    await sea.seal(sea.anna, "A1 XFFFF; aim ask")
    await sea.env.advance_time(DAY_S + 60)  # Béla misses it; Anna is asked to take aim
    assert at_once in "\n".join(map(text_of, bot_messages(sea, sea.bela)))
    await sea.press(sea.anna, sea.panel(sea.anna), "press steady")
    messages = "\n".join(map(text_of, bot_messages(sea, sea.bela)))
    assert "Round 2" in messages
    assert later in messages


class Slow:
    """Holds up the next panel of Anna's that the outbox has brought, before that is written down."""

    def __init__(self, sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
        self.under_way, self.go = asyncio.Event(), asyncio.Event()
        deliver = sea.bot._outbox._deliver

        async def slow(message: Any, *loaded: Any) -> Any:
            sent = await deliver(message, *loaded)
            if message.kind == "panel" and message.user_id == sea.anna.id and not self.go.is_set():
                self.under_way.set()
                await self.go.wait()
            return sent

        monkeypatch.setattr(sea.bot._outbox, "_deliver", slow)


# A panel moves while an edit of it is under way.
@pytest.mark.parametrize("how", ["restart", "refused once"])
@pytest.mark.begun
async def test_a_panel_is_there_after_anything_that_was_under_way_when_it_moved(
    sea: Sea, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    slow = Slow(sea, monkeypatch)
    sea.env.inject_error("DELETE", "/channels/*/messages/*", status=503, code=0, message="away", times=1)
    with sea.at_once():
        await sea.anna.slash(sea.channel, "galley orders", text="A1 F")  # the outbox edits the panel
        await asyncio.wait_for(slow.under_way.wait(), 20)
        await sea.anna.user.send_dm("A1 FFFFF")  # meanwhile it is to be posted below this
        async with asyncio.timeout(20):
            while not sea.rows("removals")["removals"]:  # noqa: ASYNC110 - another connection writes it
                await asyncio.sleep(0.01)
        slow.go.set()
    await sea.settle()
    if how == "restart":
        await sea.restart(after_s=30)
    await sea.env.advance_time(300)
    await sea.settle()
    assert sea.rows("requests")["requests"][0]["draft"] == "A1 FFFFF"
    (panel,) = bot_messages(sea, sea.anna)
    assert "seal" in refs(panel)
    assert panel.id == sea.dms(sea.anna)[-1].id
    assert not sea.rows("removals")["removals"]


@pytest.mark.begun
async def test_no_closed_panel_is_posted_below_the_new_one_by_an_edit_under_way(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sea.seal(sea.bela, "B1 LLLLL")
    slow = Slow(sea, monkeypatch)
    with sea.at_once():
        await sea.anna.slash(sea.channel, "galley orders", text="A1 LLLLL")
        await asyncio.wait_for(slow.under_way.wait(), 20)
        pending = await sea.bot.services.reader.requests.pending_request(sea.anna.id)
        await sea.bot.services.orders.seal_draft(pending, pending.row.version)
        await sea.bot.services.step_runner.wait_until_idle()
        slow.go.set()
    await sea.settle()
    await sea.env.advance_time(60)
    await sea.settle()
    (panel,) = bot_messages(sea, sea.anna)
    assert "Round 2" in text_of(panel)
    assert "type" in refs(panel)

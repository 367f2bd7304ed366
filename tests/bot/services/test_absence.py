"""Captains who do not answer: their seats are offered, and somebody else takes over with all that they knew."""

from __future__ import annotations

import re
from typing import Any

import discord
import pytest

from bot.config import BotSettings
from bot.discord.ids import parse_custom_id
from bot.texts.i18n import Catalogue
from tests.bot.captains import by_typing, play
from tests.sea import AFAR, Sea, parts, refs, text_of
from tests.wire import readers

DAY_S = 86_400
EN, HU = Catalogue.load("en"), Catalogue.load("hu")
MOVE = {0: "A1 FFFFF", 1: "B1 FFFFF"}


def seat(sea: Sea, number: int) -> dict[str, Any]:
    return sea.rows("seats")["seats"][number]


def set_away(sea: Sea, who: Any, days: int) -> None:
    now = int(sea.now().timestamp())
    away = "UPDATE players SET away_from = ?, away_to = ? WHERE user_id = ?"
    sea.change_rows(away, now, now + days * DAY_S, who.id)


def offer(sea: Sea) -> Any:
    return next(message for message in reversed(sea.thread.history()) if "take over" in text_of(message).lower())


async def until_offered(sea: Sea) -> Any:
    """Let Béla miss two deadlines while Anna orders; return the message that offers the seat.

    If Béla's galley holds meanwhile, nobody gets into reach, and no dice fall.
    """
    for _ in range(2):
        await sea.seal(sea.anna, "A1 RLRLR")
        await sea.env.advance_time(DAY_S + 1)
    return offer(sea)


async def test_two_deadlines_in_a_row_offer_the_seat_and_a_substitute_plays_on_at_once(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await sea.seal(sea.anna, "A1 RLRLR")
    await sea.env.advance_time(DAY_S + 1)
    assert seat(sea, 1)["missed"] == 1
    assert seat(sea, 1)["offered_at"] is None
    assert sea.thread.name == "#1 War Galley · anna – bela"
    assert "The seat is free" not in sea.told()
    await sea.seal(sea.anna, "A1 RLRLR")
    await sea.env.advance_time(DAY_S + 1)
    message = offer(sea)
    assert f"<@{sea.bela.id}>" in text_of(message)
    (sent,) = [call for call in sea.env.http_requests if call.json and "take_over" in str(call.json)]
    assert sent.json["allowed_mentions"]["users"] == [sea.bela.id]

    old_panel = sea.panel(sea.bela)
    await sea.write(sea.bela, "#99 B1")  # a refusal does not count as an act in this game
    await sea.restart()
    assert "yours" in await sea.press(sea.cili, message, "take_over 1")
    assert (seat(sea, 1)["user_id"], seat(sea, 1)["missed"], seat(sea, 1)["offered_at"]) == (sea.cili.id, 0, None)
    assert not refs(sea.again(sea.anna, message))
    assert "took over from bela" in sea.told()
    assert sea.thread.name == "#1 War Galley · anna – cili"
    assert f"begins:** <@{sea.anna.id}> and <@{sea.cili.id}>" in sea.told()
    assert not refs(sea.again(sea.bela, old_panel))
    assert EN.say("panel.lost") in text_of(sea.again(sea.bela, old_panel))
    await sea.restart()
    await sea.seal(sea.cili, "B1 FFRFF")
    await sea.seal(sea.anna, "A1 RLRLR")
    assert (await sea.asked(sea.cili)).row.id == "r4.orders.1"
    assert re.search(r"Sealed by [^:]*cili", sea.told())


async def test_the_substitute_gets_the_seal_unopened_and_the_old_captain_nothing_more(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    message = await until_offered(sea)
    sea.change_rows("UPDATE seats SET offered_at = NULL WHERE seat = 1")
    await sea.seal(sea.bela, "B1 RFLFR")
    at = next(act["at"] for act in sea.rows("acts")["acts"] if act["kind"] == "offered")
    sea.change_rows("UPDATE seats SET offered_at = ? WHERE seat = 1", at)
    before = len(sea.env.http_requests)
    await sea.press(sea.cili, message, "take_over 1")
    assert "R F L F R" not in text_of(sea.panel(sea.cili))
    assert set(refs(sea.panel(sea.cili))) == {"unseal", "page 1"}
    await sea.press(sea.cili, sea.panel(sea.cili), "unseal")
    await sea.seal(sea.cili, "B1 FFFFR")
    seen = [text for (reader, text) in list(readers(sea))[before:] if reader == sea.bela.user.id]
    assert not any("FFFFR" in text or "F F F F R" in text for text in seen)
    assert "aren't a captain" in await sea.command(sea.bela, "orders", game="1")
    assert "isn't your turn" in await sea.write(sea.bela, "B1 FFFFF")


async def test_the_captain_comes_back_before_anybody_takes_over(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    message = await until_offered(sea)
    assert "its captain can return just by giving orders" in text_of(message)
    await sea.write(sea.bela, "B1 FFF")
    assert (seat(sea, 1)["missed"], seat(sea, 1)["offered_at"]) == (0, None)
    assert "bela is back" in sea.told()
    assert not refs(sea.again(sea.anna, message))
    before = sea.rows("seats")
    assert EN.say("refuse.not_offered") in await sea.command(sea.cili, "substitute", game="1")
    assert EN.say("refuse.none_seek") in await sea.command(sea.cili, "substitute")
    assert sea.rows("seats") == before


async def test_an_answer_of_ones_own_begins_the_count_again(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await sea.seal(sea.anna, "A1 RLRLR")
    await sea.env.advance_time(DAY_S + 1)
    assert seat(sea, 1)["missed"] == 1
    await sea.seal(sea.anna, "A1 RLRLR")
    await sea.write(sea.bela, "B1 RLRLR")  # complete, though not sealed
    await sea.env.advance_time(DAY_S + 1)
    assert seat(sea, 1)["missed"] == 0
    assert seat(sea, 0)["missed"] == 0


async def test_a_plan_that_counted_unsealed_is_echoed_to_its_captain_alone(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "A1 RFLFF; aim safe")
    await sea.write(sea.bela, "B1 FFRFF")
    await sea.env.advance_time(DAY_S + 1)
    notes = [text_of(message) for message in sea.dms(sea.anna)]
    (echo,) = [note for note in notes if EN.say("panel.counted") in note]
    assert "R F L F F" in echo  # in words, a line each, as in the panel
    assert "RFLFF; aim" not in echo
    assert "F F R F F" not in echo
    told = "\n".join(map(text_of, sea.dms(sea.bela)))
    assert HU.say("panel.counted") in told
    assert "E E J E E" in told  # in their own language
    # What was sealed, or missed, is not echoed.
    await sea.seal(sea.anna, "A1 RLRLR")
    await sea.env.advance_time(DAY_S + 1)
    assert not any("your unsealed orders were used" in text_of(message) for message in sea.dms(sea.anna))


async def test_who_may_not_take_over(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    before = sea.rows("seats")
    assert EN.say("refuse.none_seek") in await sea.command(sea.cili, "substitute")
    assert EN.say("refuse.not_offered") in await sea.command(sea.cili, "substitute", game="1")
    assert "no game `#77`" in await sea.command(sea.cili, "substitute", game="77")
    assert EN.say("refuse.guild_only") in await sea.direct_command(sea.cili, "substitute", game="1")
    assert sea.rows("seats") == before
    message = await until_offered(sea)
    assert EN.say("refuse.already_in") in await sea.press(sea.anna, message, "take_over 1")
    stranger = sea.env.create_guild("Pond")
    far = stranger.create_text_channel("hall")
    dora = stranger.add_member(sea.env.create_user("dora"))
    assert EN.say("refuse.unknown_game", piece="#1") in await sea.command(dora, "substitute", at=far, game="1")
    sea.change_rows("UPDATE games SET private = true")
    assert EN.say("refuse.unknown_game", piece="#1") in await sea.press(sea.cili, message, "take_over 1")
    assert EN.say("refuse.private") in await sea.press(sea.manager(), message, "take_over 1")
    sea.change_rows("UPDATE outbox SET wanted = wanted + 1 WHERE kind = 'act'")
    await sea.restart()
    assert "its host decides who takes over" in text_of(sea.again(sea.anna, message))
    assert not refs(sea.again(sea.anna, message))
    assert seat(sea, 1)["user_id"] == sea.bela.id


async def test_a_captain_of_the_other_side_knows_too_much(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    message = await until_offered(sea)
    await sea.press(sea.cili, message, "take_over 1")
    for _ in range(2):
        await sea.seal(sea.cili, "B1 RLRLR")
        await sea.env.advance_time(DAY_S + 1)
    message = offer(sea)
    assert f"<@{sea.anna.id}>" in text_of(message)
    assert EN.say("refuse.turncoat") in await sea.press(sea.bela, message, "take_over 0")
    assert seat(sea, 0)["user_id"] == sea.anna.id


async def test_several_games_that_seek_captains_are_listed(sea: Sea) -> None:
    sea.languages[sea.cili.id] = "hu"
    await sea.begin_at(AFAR, sea.bela)
    await sea.begin_at(AFAR, sea.bela)
    for _ in range(2):
        await sea.env.advance_time(DAY_S + 1)
    listed = await sea.command(sea.cili, "substitute")
    assert HU.say("substitute.title") in listed
    (message,) = sea.answers
    offers = [ref for part in parts(message) if (ref := parse_custom_id(getattr(part, "custom_id", None) or ""))]
    assert sorted((ref.game, ref.token) for ref in offers) == [(1, "0"), (1, "1"), (2, "0"), (2, "1")]
    assert HU.say("say.took_over") in await sea.click(sea.cili, message, offers[0])
    taken = [(row["game_id"], str(row["seat"])) for row in sea.rows("seats")["seats"] if row["user_id"] == sea.cili.id]
    assert taken == [(offers[0].game, offers[0].token)]


async def test_of_two_who_want_a_seat_one_gets_it(sea: Sea) -> None:
    dora = sea.member("dora")
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    message = await until_offered(sea)
    (ref,) = refs(message).values()
    with sea.at_once():
        results = [await sea.click_only(who, message, ref) for who in (sea.cili, dora)]
    await sea.env.settle()
    said = [sea.said(result, pressed=message.id) for result in results]
    assert sorted(text == EN.say("say.took_over") for text in said) == [False, True]
    assert EN.say("refuse.not_offered") in said


@pytest.mark.begun
async def test_who_has_left_the_server_is_found_out_at_the_deadline(sea: Sea) -> None:
    sea.guild.remove_member(sea.bela)
    await sea.seal(sea.anna, "A1 RLRLR")
    assert seat(sea, 1)["offered_at"] is None
    await sea.env.advance_time(DAY_S + 1)
    assert seat(sea, 1)["offered_at"]
    assert "bela has left the server" in sea.told()
    assert sea.told().count("has left the server") == 1
    await sea.press(sea.cili, next(m for m in sea.thread.history() if "take_over 1" in refs(m)), "take_over 1")
    assert seat(sea, 1)["user_id"] == sea.cili.id


async def test_who_has_left_the_server_is_found_out_when_no_message_reaches_them(sea: Sea) -> None:
    direct = sea.bela.user.dm_channel.id
    sea.env.inject_error(
        "POST", f"/channels/{direct}/messages", status=403, code=50007, message="Cannot send", times=None
    )
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "join")
    sea.guild.remove_member(sea.bela)
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?)", AFAR)
    await sea.command(sea.anna, "start")
    assert seat(sea, 1)["offered_at"]
    assert "bela has left the server" in sea.told()
    assert "can't send you direct messages" not in sea.told()


async def test_with_the_privileged_intent_it_is_heard_at_once(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMBERS_INTENT", "true")
    sea.env.approved_intents = discord.Intents.all()
    await sea.restart()
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.bela, "new", name="Mylae")
    await sea.command(sea.cili, "new", name="Ecnomus")
    await sea.command(sea.bela, "join", game="3")
    sea.guild.remove_member(sea.bela)
    await sea.env.settle()
    assert "bela has left the server" in sea.told()
    phases = {row["id"]: row["phase"] for row in sea.rows("games")["games"]}
    assert phases == {1: "running", 2: "cancelled", 3: "lobby"}
    assert [row["user_id"] for row in sea.rows("seats")["seats"] if row["game_id"] == 3] == [sea.cili.id, None]


def test_the_setting_is_off_where_nobody_asks_for_it() -> None:
    assert not BotSettings(_env_file=None).members_intent


async def test_who_has_said_that_they_are_away_misses_nothing(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    set_away(sea, sea.bela, 10)
    for _ in range(3):
        await sea.seal(sea.anna, "A1 RLRLR")
        await sea.env.advance_time(DAY_S + 1)
    assert (seat(sea, 1)["missed"], seat(sea, 1)["offered_at"]) == (0, None)
    set_away(sea, sea.bela, 0)
    await until_offered(sea)


async def absent_turns(sea: Sea, turns: int) -> None:
    for _ in range(turns):
        for _ in range(2):
            asked = await sea.asked(sea.anna, 1)
            if asked and not asked.row.optional:
                await sea.write(sea.anna, "pass" if asked.row.body.kind == "orders" else "end")
                if "seal" in refs(sea.panel(sea.anna)):
                    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
        await sea.env.advance_time(DAY_S + 1)
        await sea.settle()


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize(("system", "turns"), [("squadrons", 2), ("forts", 3)])
async def test_the_win_is_not_claimed_from_a_captain_who_had_announced_an_absence(
    sea: Sea, system: str, turns: int, announced: bool
) -> None:
    own = {"battle": "60", "sides": "first"} if system == "squadrons" else {}
    await sea.begin(sea.bela, system=system, missed="hold", **own)
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)
    if announced:
        set_away(sea, sea.bela, 100)
    await absent_turns(sea, turns)
    for _ in range(3):  # until Anna is asked something that is waited for
        asked = await sea.asked(sea.anna, 1)
        if asked and not asked.row.optional:
            break
        await sea.env.advance_time(DAY_S + 1)
        await sea.settle()
    said = await sea.write(sea.anna, "claim")
    refused = "The enemy hasn't missed" in said or "you can claim the win once" in said
    assert refused == announced, said
    if not announced and sea.rows("games")["games"][0]["phase"] != "over":
        if "seal" in refs(sea.panel(sea.anna)):
            await sea.press(sea.anna, sea.panel(sea.anna), "seal")
        await sea.env.advance_time(DAY_S + 1)
        await sea.settle()
    assert (sea.rows("games")["games"][0]["phase"] == "over") != announced


async def test_the_win_is_not_claimed_while_an_announced_absence_lasts(sea: Sea) -> None:
    await sea.begin(sea.bela, system="forts", missed="hold")
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)
    await absent_turns(sea, 3)
    while not ((asked := await sea.asked(sea.anna, 1)) and not asked.row.optional):
        await sea.env.advance_time(DAY_S + 1)
        await sea.settle()
    set_away(sea, sea.bela, 1)
    for sea.languages[sea.anna.id], texts in (("hu", HU), ("en-US", EN)):
        assert texts.say("refuse.claim_away", name="bela") in await sea.command(sea.anna, "orders", text="claim")
    assert sea.rows("games")["games"][0]["phase"] == "running"
    set_away(sea, sea.bela, 0)
    await sea.write(sea.anna, "claim")
    assert sea.rows("games")["games"][0]["phase"] == "over"


async def test_a_game_against_the_computer_alone_waits_for_its_captain(sea: Sea) -> None:
    """Else it would play on for weeks, computer against first mate, with a message a day."""
    await sea.begin_at(AFAR, computer=1)
    first = sea.panel(sea.anna)
    await sea.env.advance_time(DAY_S + 1)
    assert "Miss 1 more deadline and the game pauses until you're back." in text_of(sea.again(sea.anna, first))
    second = sea.panel(sea.anna)
    await sea.env.advance_time(DAY_S + 1)
    assert "Game over" not in sea.told()
    assert "anna isn't there and nobody else is waiting, so the game pauses." in sea.told()
    assert "free for others to take" not in sea.told() + text_of(sea.again(sea.anna, second))
    assert "The game is paused until you're back." in text_of(sea.again(sea.anna, second))
    assert "The game is paused until you're back: your next order resumes it." in text_of(sea.panel(sea.anna))
    seen = len(sea.dms(sea.anna)), len(list(sea.thread.history())), len(sea.rows("steps")["steps"])
    await sea.env.advance_time(9 * DAY_S)
    assert (len(sea.dms(sea.anna)), len(list(sea.thread.history())), len(sea.rows("steps")["steps"])) == seen
    before = len(sea.env.http_requests)
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.F")
    asked = await sea.asked(sea.anna)
    assert asked.seated_game.game.paused_at is None
    panels = [str(call.json) for call in sea.env.http_requests[before:] if "Round 3" in str(call.json)]
    shown = [time for panel in panels for time in re.findall(r"<t:([0-9]+):R>", panel)]
    assert shown
    assert {*map(int, shown)} == {asked.row.deadline}, "the answer to the press has the new deadline, too"
    assert asked.row.deadline == pytest.approx(sea.now().timestamp() + DAY_S, abs=120)
    assert "anna is back, so the game resumes" in sea.told()
    assert "paused" not in text_of(sea.panel(sea.anna))
    assert not sea.rows("seats")["seats"][0]["missed"]
    await sea.env.advance_time(DAY_S + 1)
    assert len(sea.rows("steps")["steps"]) == seen[2] + 1


async def test_who_is_away_from_the_computer_alone_is_waited_for_at_once_and_goes_on_by_command(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    set_away(sea, sea.anna, 10)
    await sea.env.advance_time(DAY_S + 1)
    assert "so the game pauses." in sea.told()
    await sea.command(sea.anna, "extend", pause=False)
    assert "anna is back, so the game resumes" in sea.told()
    assert sea.rows("games")["games"][0]["paused_at"] is None


async def test_whoever_is_put_in_the_seat_of_the_only_captain_lets_the_game_go_on(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    await sea.env.advance_time(3 * DAY_S)
    assert sea.rows("games")["games"][0]["paused_at"]
    await sea.command(sea.manager(), "host replace", game="1", whose="anna", substitute=sea.cili)
    await sea.command(sea.cili, "extend", game="1", pause=False)
    assert sea.rows("games")["games"][0]["paused_at"] is None


async def agreed_turns(sea: Sea, turns: int) -> None:
    for _ in range(turns):
        while (asked := await sea.asked(sea.anna, 1)) and not asked.row.optional:
            await sea.write(sea.anna, "pass" if asked.row.body.kind == "orders" else "end")
            if "seal" in refs(sea.panel(sea.anna)):
                await sea.press(sea.anna, sea.panel(sea.anna), "seal")
            if asked.row.body.kind == "orders":
                break
        await sea.command(sea.anna, "host resolve", game="1")
        offer, key = next(
            (message, key)
            for message in reversed(sea.thread.history())
            for key in refs(message)
            if key.startswith("agree_act")
        )
        await sea.press(sea.bela, offer, key)
        await sea.settle()


@pytest.mark.parametrize(("system", "turns"), [("squadrons", 2), ("forts", 3)])
async def test_the_win_is_not_claimed_from_who_agreed_to_go_on_early(sea: Sea, system: str, turns: int) -> None:
    own = {"battle": "60", "sides": "first"} if system == "squadrons" else {}
    await sea.begin(sea.bela, system=system, missed="hold", **own)
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)
    began = sea.now().timestamp()
    await agreed_turns(sea, turns)
    assert sea.now().timestamp() - began < DAY_S / 2
    assert seat(sea, 1)["missed"] == 0
    said = await sea.write(sea.anna, "claim")
    assert "The enemy hasn't missed" in said or "you can claim the win once" in said, said
    assert sea.rows("games")["games"][0]["phase"] == "running"

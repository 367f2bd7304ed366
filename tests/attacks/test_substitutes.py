"""A second account in an absent captain's seat: it decides nothing at once, and leaving changes no rating."""

from __future__ import annotations

from typing import Any

import pytest

from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.people.rounds import MIN_ROUNDS
from bot.lifecycle.ratings.ratings import rated_users
from bot.lifecycle.steps.playing import load_seated_game
from bot.texts.i18n import Catalogue
from tests.attacks.test_battles_of_a_season import anna_meets_bela
from tests.bot.services.test_absence import until_offered
from tests.sea import AFAR, Sea, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")


def outcomes(sea: Sea) -> dict[int, tuple[str, int]]:
    return {row["user_id"]: (row["outcome"], row["counted"]) for row in sea.rows("ratings")["ratings"]}


def phase(sea: Sea, number: int = 1) -> str:
    return str(sea.rows("games")["games"][number - 1]["phase"])


async def rounds(sea: Sea, who: Any, number: int) -> None:
    for _ in range(number):
        await sea.seal(sea.anna, "A1 RLRLR")
        await sea.seal(who, "B1 RLRLR")


async def give_back(sea: Sea, who: Any) -> None:
    """Give up a seat that was just taken over."""
    await sea.command(who, "concede", game="1")
    question = sea.answers[0]
    assert {*refs(question)} == {"give_back", "play_on"}
    await sea.press(who, question, "give_back")
    await sea.settle()


async def taken_over(sea: Sea) -> Any:
    """Both have ordered in three rounds; then Béla is absent, and Cili takes the seat. The offer."""
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await rounds(sea, sea.bela, MIN_ROUNDS)
    message = await until_offered(sea)
    await sea.press(sea.cili, message, "take_over 1")
    return message


@pytest.mark.parametrize("language", ["en-US", "hu"])
async def test_a_substitute_who_gives_up_at_once_loses_nobody_the_game(sea: Sea, language: str) -> None:
    await taken_over(sea)
    texts = HU if language == "hu" else EN
    sea.languages[sea.cili.id] = language
    await sea.command(sea.cili, "concede", game="1")
    question = sea.answers[0]
    assert texts.say("say.give_back_sure") in text_of(question)
    await sea.press(sea.cili, question, "give_back")
    await sea.settle()
    assert texts.say("say.gave_back") in text_of(sea.again(sea.cili, question))
    assert (phase(sea), outcomes(sea)) == ("running", {})
    assert f"<@{sea.cili.id}> gave the seat back. The seat is free" in sea.told()
    # The seat is on offer again, even to its first captain, who speaks for the side as ever.
    offer = next(message for message in reversed(sea.thread.history()) if "take_over 1" in refs(message))
    await sea.press(sea.bela, offer, "take_over 1")
    await sea.concede(sea.bela)
    assert (phase(sea), outcomes(sea)) == (
        "over",
        {sea.anna.id: ("won", 1), sea.bela.id: ("lost", 1), sea.cili.id: ("lost", 1)},
    )
    await sea.command(sea.anna, "export", game="1")
    assert "is consistent" in await sea.command(sea.anna, "verify", game="1")


async def test_a_confirmation_from_before_the_third_round_gives_nothing_up(sea: Sea) -> None:
    await taken_over(sea)
    await sea.command(sea.cili, "concede", game="1")
    question = sea.answers[0]
    await rounds(sea, sea.cili, MIN_ROUNDS)
    assert EN.say("refuse.stale") in await sea.press(sea.cili, question, "give_back")
    assert (phase(sea), sea.rows("seats")["seats"][1]["user_id"]) == ("running", sea.cili.id)
    await sea.concede(sea.cili)
    assert outcomes(sea) == {sea.anna.id: ("won", 1), sea.bela.id: ("lost", 1), sea.cili.id: ("lost", 1)}


async def test_a_seal_of_the_captain_who_left_is_no_round_of_the_substitute(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    message = await until_offered(sea)
    sea.change_rows("UPDATE seats SET offered_at = NULL WHERE seat = 1")
    await sea.seal(sea.bela, "B1 RLRLR")
    at = next(act["at"] for act in sea.rows("acts")["acts"] if act["kind"] == "offered")
    sea.change_rows("UPDATE seats SET offered_at = ? WHERE seat = 1", at)
    await sea.press(sea.cili, message, "take_over 1")
    await sea.seal(sea.anna, "A1 RLRLR")
    await rounds(sea, sea.cili, MIN_ROUNDS - 1)
    assert EN.say("refuse.no_say_yet", rounds=MIN_ROUNDS) in await sea.command(sea.cili, "draw", game="1")
    await rounds(sea, sea.cili, 1)
    assert "You've offered a draw" in await sea.command(sea.cili, "draw", game="1")


async def test_a_loser_is_spared_by_no_second_account_that_leaves_the_enemys_seat(sea: Sea) -> None:
    """A captain who gives a seat back counts neither as one who left it to the computer, nor as its strength."""
    await taken_over(sea)
    await give_back(sea, sea.cili)
    async with sea.bot.services.store.read() as tx:
        captains = await captains_of(tx, await load_seated_game(tx, 1))
    assert rated_users(captains) == {0: sea.anna.id, 1: sea.bela.id}
    await sea.concede(sea.anna)
    assert outcomes(sea)[sea.anna.id] == ("lost", 1)


async def test_a_substitute_neither_asks_to_go_back_nor_agrees_to_it(sea: Sea) -> None:
    await taken_over(sea)
    for question in ("draw", "host undo"):
        options = {"to_round": 2} if question == "host undo" else {}
        assert EN.say("refuse.no_voice") in await sea.command(sea.anna, question, game="1", **options)
    said = await sea.command(sea.cili, "host undo", game="1", to_round=2)
    assert EN.say("refuse.no_say_yet", rounds=MIN_ROUNDS) in said
    assert not any(act["kind"] == "undo_asked" for act in sea.rows("acts")["acts"])


async def test_the_last_captain_who_gives_a_seat_back_ends_the_game(sea: Sea) -> None:
    await taken_over(sea)
    await sea.command(sea.manager(), "host kick", game="1", whose="anna", to_computer=True)
    await give_back(sea, sea.cili)
    assert phase(sea) == "over"
    assert not any(counted for _, counted in outcomes(sea).values())


async def test_a_substitute_breaks_off_no_battle_of_a_season(sea: Sea) -> None:
    eve = sea.member("eve")
    await anna_meets_bela(sea)
    await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
    await sea.settle()
    await sea.command(eve, "substitute", game="1")
    assert await sea.asked(eve, 2) is not None
    for sea.languages[eve.id], texts in (("hu", HU), ("en-US", EN)):
        await sea.command(eve, "concede", game="2")
        said = await sea.press(eve, sea.answers[0], "give_back")
        assert texts.say("refuse.no_say_yet", rounds=MIN_ROUNDS) in said
    assert phase(sea, 2) == "running"
    await give_back(sea, eve)
    seats = [row for row in sea.rows("seats")["seats"] if row["seat"] == 1]
    assert [(row["user_id"], bool(row["offered_at"])) for row in seats] == [(None, True)] * 2

"""Captains who have given up a season command nothing in it: nobody waits for their orders or their agreement."""

from __future__ import annotations

from typing import Any

import pytest

from bot.lifecycle.people.rounds import MIN_ROUNDS
from bot.lifecycle.ratings.ratings import Skill
from bot.texts.i18n import Catalogue
from tests.attacks.test_battles_of_a_season import anna_meets_bela, ring
from tests.bot.lifecycle.test_rating_limits import changes
from tests.bot.test_campaign import lying, pass_a_turn, position
from tests.fuzz.forger import Forger
from tests.sea import Sea, refs, text_of

EN = Catalogue.load("en")
BESIDE = (*lying("N1", "A1", "A2", "A3"), *lying("W2", "B1", "B2"), *lying("MEL", "C1"))


async def three(sea: Sea, **options: Any) -> None:
    await sea.begin_at(ring(3, *BESIDE), sea.bela, sea.cili, system="campaign", map="ring", players="3", **options)


def givers_of_answers(sea: Sea, user_seat: int) -> list[tuple[str, str]]:
    rows = sea.rows("answers")["answers"]
    return [(row["request_id"], row["given_by"]) for row in rows if (row["game_id"], row["seat"]) == (1, user_seat)]


async def test_the_computer_sails_on_for_who_gave_up_and_nobody_waits_for_her(sea: Sea) -> None:
    await three(sea, early=True)
    await sea.write(sea.anna, "repair all")
    button = refs(sea.reply(sea.anna))["seal"].pack()
    await sea.concede(sea.anna, 1)
    assert not any(map(refs, sea.dms(sea.anna)))
    await Forger(sea, sea.anna).press(button)
    await sea.write(sea.anna, "pay B 3")
    assert await sea.asked(sea.anna) is None
    assert givers_of_answers(sea, 0) == [("t3.orders.A", "computer")]
    await sea.seal(sea.bela, "repair all")
    await sea.seal(sea.cili, "repair all")
    assert position(sea)["turn"] == 4, "they wait for who gave up"
    await sea.bot.services.privacy.forget_user(sea.anna.id)
    await pass_a_turn(sea)
    assert [by for _, by in givers_of_answers(sea, 0)] == ["computer"] * 3


@pytest.mark.proves("F9")
async def test_giving_up_is_taken_back_with_what_the_computer_ordered(sea: Sea) -> None:
    await three(sea, early=True)
    await sea.write(sea.anna, "repair all")
    await sea.concede(sea.anna, 1)
    await sea.command(sea.manager(), "host undo", game="1")
    await sea.settle()
    asked = await sea.asked(sea.anna)
    assert asked is not None
    assert (asked.row.status, asked.row.draft) == ("open", "repair all")
    await sea.seal(sea.anna, "A1: evade")
    await sea.seal(sea.bela, "repair all")
    await sea.seal(sea.cili, "repair all")
    assert position(sea)["turn"] == 4
    assert givers_of_answers(sea, 0)[0] == ("t3.orders.A", "captain")


async def test_who_gave_up_has_no_battles_that_begin_afterwards(sea: Sea) -> None:
    await three(sea)
    await sea.seal(sea.anna, "A1 A2 A3: W2 attack")
    await sea.concede(sea.anna, 1)
    assert givers_of_answers(sea, 0) == [("t3.orders.A", "captain")]
    await sea.seal(sea.bela, "repair all")
    await sea.seal(sea.cili, "repair all")
    await pass_a_turn(sea)
    assert [game["system"] for game in sea.rows("games")["games"]] == ["campaign", "matchbox"]
    assert await sea.asked(sea.anna, 2) is None
    (hers,) = {row["given_by"] for row in sea.rows("answers")["answers"] if (row["game_id"], row["seat"]) == (2, 0)}
    assert hers == "computer"


async def test_who_gives_up_leaves_her_battles_to_the_computer_until_it_is_taken_back(sea: Sea) -> None:
    await anna_meets_bela(sea)
    assert await sea.asked(sea.anna, 2) is not None
    await sea.concede(sea.anna, 1)
    assert await sea.asked(sea.anna, 2) is None
    await sea.concede(sea.anna, 2)
    assert sea.rows("games")["games"][1]["phase"] == "running", "she gives her battle away"
    await sea.command(sea.manager(), "host undo", game="1")
    await sea.settle()
    asked = await sea.asked(sea.anna, 2)
    assert asked is not None
    assert asked.row.status == "open"


@pytest.mark.usefixtures("every_game_counts")
async def test_who_gave_up_keeps_the_others_from_no_draw_and_has_lost_to_them(sea: Sea) -> None:
    await three(sea)
    await sea.concede(sea.cili, 1)
    await sea.command(sea.anna, "draw", game="1")
    await sea.command(sea.bela, "draw", game="1")
    assert sea.rows("games")["games"][0]["phase"] == "over"
    rated = {row["user_id"]: (row["outcome"], row["counted"]) for row in sea.rows("ratings")["ratings"]}
    assert rated == {sea.anna.id: ("drawn", 0), sea.bela.id: ("drawn", 0), sea.cili.id: ("lost", 1)}


async def test_a_season_that_its_last_captain_gives_up_ends_and_one_with_a_captain_left_goes_on(sea: Sea) -> None:
    await three(sea)
    for number, who in enumerate((sea.bela, sea.cili)):
        await sea.command(sea.manager(), "host kick", game="1", whose=who.name, to_computer=True)
        assert sea.rows("games")["games"][0]["phase"] == "running", f"{2 - number} captains are left"
    await sea.concede(sea.anna, 1)
    (game,) = sea.rows("games")["games"]
    assert (game["phase"], game["deadline"]) == ("over", None)
    told = [text_of(message) for message in sea.thread.history()]
    assert len([one for one in told if "Nobody is playing this game any more" in one]) == 1
    assert not any(row["counted"] for row in sea.rows("ratings")["ratings"])
    await sea.command(sea.anna, "export", game="1")
    assert "is consistent" in await sea.command(sea.anna, "verify", game="1")


@pytest.mark.usefixtures("every_game_counts")
async def test_who_leaves_a_season_to_computers_that_they_seated_has_lost_it(sea: Sea) -> None:
    await three(sea)
    async with sea.bot.services.store.write() as tx:
        for seat in (1, 2):
            await tx.seats.change(1, seat, offered_at=sea.bot.services.now())
    for who in (sea.bela, sea.cili):
        await sea.command(sea.anna, "host kick", game="1", whose=who.name, to_computer=True)
    await sea.concede(sea.anna, 1)
    assert "Nobody is playing this game any more" in sea.told()
    rated = {row["user_id"]: (row["outcome"], row["counted"]) for row in sea.rows("ratings")["ratings"]}
    assert rated == {sea.anna.id: ("lost", 1)}


async def test_a_referee_finds_another_captain_for_who_gave_up_and_nobody_else_does(sea: Sea) -> None:
    await three(sea, missed="hold")
    eve, chief = sea.member("eve"), sea.manager()
    await sea.concede(sea.cili, 1)
    for who, command in ((sea.anna, {"substitute": eve}), (chief, {})):
        said = await sea.command(who, "host replace" if command else "host kick", game="1", whose="#3", **command)
        assert "has conceded" in said
    for _ in range(2):
        await pass_a_turn(sea)
    assert "eve" in await sea.command(chief, "host replace", game="1", whose="#3", substitute=eve)
    assert await sea.asked(sea.cili) is None
    await sea.seal(eve, "C1: evade")
    await pass_a_turn(sea)
    assert givers_of_answers(sea, 2)[-1] == ("t5.orders.C", "captain")
    # Nobody goes back to when the seat was given up: she would lose it.
    assert EN.say("refuse.taken_up") in await sea.command(sea.anna, "host undo", game="1", to_round=4)
    for who in (sea.anna, sea.bela):
        await sea.concede(who, 1)
    (game,) = sea.rows("games")["games"]
    assert game["phase"] == "over"
    ended = {row["user_id"]: row["outcome"] for row in sea.rows("ratings")["ratings"]}
    assert ended[eve.id] == "won", "who was put there has given up no more"
    await sea.command(sea.anna, "export", game="1")
    assert "is consistent" in await sea.command(sea.anna, "verify", game="1")


async def test_who_gave_up_keeps_the_others_neither_from_going_on_early_nor_from_going_back(sea: Sea) -> None:
    await three(sea, missed="hold")
    await sea.concede(sea.cili, 1)
    for command, turn in (("host resolve", 4), ("host undo", 3)):
        about = {"to_round": 3} if turn == 3 else {}
        await sea.command(sea.anna, command, game="1", **about)
        asked = sea.thread.history()[-1]
        await sea.press(sea.bela, asked, next(key for key in refs(asked) if key.startswith("agree")))
        await sea.settle()
        assert position(sea)["turn"] == turn, text_of(asked)


async def test_who_gives_a_season_up_without_orders_does_not_rise_above_who_gives_it_up_later(sea: Sea) -> None:
    """Anna conceded three seasons at once, her second account later with fewer ports, and she rose by 130 points."""
    await sea.begin(sea.bela, sea.cili, system="campaign", map="ring", players="3", early=True)
    await sea.concede(sea.anna, 1)
    for _ in range(MIN_ROUNDS):
        for who in (sea.bela, sea.cili):
            request = await sea.bot.services.reader.requests.pending_request(who.id, 1)
            await sea.bot.services.orders.seal_draft(request, request.row.version)
        await sea.settle()
    await sea.concede(sea.bela, 1)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    ratings = {
        row["user_id"]: Skill(row["mu"], row["sigma"]).displayed_rating for row in sea.rows("ratings")["ratings"]
    }
    assert ratings[sea.anna.id] <= 1000
    assert ratings[sea.bela.id] < 1000


@pytest.mark.parametrize("leaves", ["server", pytest.param("own_seat", marks=pytest.mark.long)])
async def test_who_has_left_a_season_shares_no_rise_of_a_loser_who_is_not_the_last(sea: Sea, leaves: str) -> None:
    """Two accounts rose for one second place, and so did a host who had left the seat to the computer."""
    leaver, others = (sea.bela, (sea.anna, sea.cili)) if leaves == "server" else (sea.anna, (sea.bela, sea.cili))
    dan = sea.member("dan")
    await sea.begin_at(ring(20, *BESIDE), sea.bela, sea.cili, system="campaign", map="ring", players="3", early=True)
    for _ in range(MIN_ROUNDS):
        await order_a_turn(sea, sea.anna, sea.bela, sea.cili)
    if leaves == "server":
        await sea.bot.services.absence.offer_seats_of_departed(leaver.id, sea.guild.id)
        await sea.command(dan, "substitute", game="1")
        others = (*others, dan)
    else:
        await sea.command(leaver, "host kick", game="1", whose=leaver.name, to_computer=True)
    for _ in range(9):
        await order_a_turn(sea, *others)
        if sea.rows("games")["games"][0]["phase"] == "running":
            await pass_a_turn(sea)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert changes(sea)[1].get(leaver.id, 0) <= 0
    if leaves == "server":
        assert changes(sea)[1][dan.id] > 0, "for the same place"


async def order_a_turn(sea: Sea, *captains: Any) -> None:
    for who in captains:
        if sea.rows("games")["games"][0]["phase"] == "running" and await sea.asked(who, 1):
            await sea.seal(who, "repair all")
    await sea.settle()

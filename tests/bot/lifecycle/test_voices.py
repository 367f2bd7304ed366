"""Captains speak for a side from the start, substitutes after three rounds, and friends of the enemy never."""

from __future__ import annotations

from typing import Any

import pytest

from bot.lifecycle.people.rounds import MIN_ROUNDS
from bot.texts.i18n import Catalogue
from tests.bot.services.test_captains import changes, game
from tests.sea import AFAR, Sea, refs

pytestmark = pytest.mark.usefixtures("every_game_counts")

EN, HU = Catalogue.load("en"), Catalogue.load("hu")


async def give_back(sea: Sea, who: Any) -> None:
    """Give up a seat without a say in it: it is only given back."""
    await sea.command(who, "concede", game="1")
    await sea.press(who, sea.answers[0], "give_back")
    await sea.settle()


async def until_absent(sea: Sea) -> Any:
    """Let Béla be absent until the seat is offered; return Eve, who does not sit there yet."""
    eve = sea.member("eve")
    await sea.begin_at(AFAR, sea.bela)
    await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
    await sea.settle()
    return eve


async def put_there(sea: Sea, by: Any, eve: Any) -> Any:
    await sea.command(by, "host replace", game="1", whose="bela", substitute=eve)
    assert sea.rows("seats")["seats"][1]["user_id"] == eve.id
    return eve


async def planted(sea: Sea) -> Any:
    """Let Anna, who hosts the game, put Eve into the seat of absent Béla."""
    return await put_there(sea, eve=await until_absent(sea), by=sea.anna)


async def host_who_does_not_play(sea: Sea) -> Any:
    """Let Cili, who hosts a game of others, put Eve into the seat of absent Béla."""
    eve = await until_absent(sea)
    sea.change_rows("UPDATE games SET host_id = ?", sea.cili.id)
    return await put_there(sea, sea.cili, eve)


async def referee(sea: Sea) -> Any:
    """Let a manager who neither plays nor hosts put Eve into the seat of absent Béla."""
    return await put_there(sea, eve=await until_absent(sea), by=sea.manager())


async def by_herself(sea: Sea) -> Any:
    eve = await until_absent(sea)
    await sea.command(eve, "substitute", game="1")
    return eve


SILENT, HEARD = [planted, host_who_does_not_play], [referee, by_herself]


async def rounds(sea: Sea, eve: Any, number: int) -> None:
    """Anna and Eve order in so many rounds."""
    for _ in range(number):
        await sea.seal(sea.anna, "A1 RLRLR")
        await sea.seal(eve, "B1 RLRLR")


@pytest.mark.parametrize("seated", SILENT)
@pytest.mark.parametrize("host_first", [True, False])
async def test_nobody_draws_with_a_friend_in_the_absent_captains_seat(sea: Sea, seated: Any, host_first: bool) -> None:
    eve = await seated(sea)
    await rounds(sea, eve, MIN_ROUNDS)
    sea.languages[eve.id] = "hu"
    for who in (sea.anna, eve) if host_first else (eve, sea.anna):
        refused = HU.say("refuse.no_say") if who is eve else EN.say("refuse.no_voice")
        assert refused in await sea.command(who, "draw", game="1")
    assert (game(sea)["phase"], game(sea)["rated"]) == ("running", 1)
    # She loses by giving up instead.
    await sea.concede(sea.anna)
    assert changes(sea)[sea.anna.id] < 0


@pytest.mark.parametrize("seated", HEARD)
@pytest.mark.parametrize("host_first", [True, False])
async def test_a_captain_not_chosen_by_the_other_side_agrees_to_a_draw(sea: Sea, seated: Any, host_first: bool) -> None:
    eve = await seated(sea)
    await rounds(sea, eve, MIN_ROUNDS)
    first, last = (sea.anna, eve) if host_first else (eve, sea.anna)
    await sea.command(first, "draw", game="1")
    await sea.command(last, "draw", game="1")
    assert (game(sea)["phase"], changes(sea)) == ("over", {})


@pytest.mark.parametrize("seated", HEARD)
async def test_a_substitute_decides_nothing_before_three_rounds_with_orders(sea: Sea, seated: Any) -> None:
    eve = await seated(sea)
    await sea.command(sea.anna, "draw", game="1")
    for number in range(MIN_ROUNDS):
        sea.languages[eve.id], texts = (("en-US", EN), ("hu", HU))[number % 2]
        refused = texts.say("refuse.no_say_yet", rounds=MIN_ROUNDS)
        before = sea.rows("games", "acts", "seats")
        for command, options in (("draw", {}), ("extend", {}), ("extend", {"pause": True}), ("extend", {"by": "30d"})):
            assert refused in await sea.command(eve, command, game="1", **options)
        assert sea.rows("games", "acts", "seats") == before
        assert EN.say("refuse.no_voice") in await sea.command(sea.anna, "extend", game="1", pause=True)
        await rounds(sea, eve, 1)
    await sea.command(eve, "extend", game="1", pause=True)
    assert [act["kind"] for act in sea.rows("acts")["acts"]][-1] == "pause_asked"


@pytest.mark.begun
async def test_who_got_the_seat_from_its_own_captain_speaks_for_the_side(sea: Sea) -> None:
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    await sea.command(sea.bela, "draw", game="1")
    await sea.command(sea.cili, "draw", game="1")
    assert game(sea)["phase"] == "over"


@pytest.mark.parametrize("seated", SILENT)
async def test_a_friend_of_the_enemy_never_gives_up_for_the_side(sea: Sea, seated: Any) -> None:
    eve = await seated(sea)
    await rounds(sea, eve, MIN_ROUNDS)
    await give_back(sea, eve)
    assert (game(sea)["phase"], changes(sea)) == ("running", {})


@pytest.mark.parametrize("seated", HEARD)
async def test_a_captain_who_fled_shares_the_defeat_of_one_not_chosen_by_the_other_side(sea: Sea, seated: Any) -> None:
    eve = await seated(sea)
    await rounds(sea, eve, MIN_ROUNDS)
    await sea.concede(eve)
    assert changes(sea)[sea.bela.id] < 0 < changes(sea)[sea.anna.id]


@pytest.mark.parametrize("seated", SILENT)
async def test_a_friend_asks_for_no_time_in_the_name_of_the_other_side(sea: Sea, seated: Any) -> None:
    eve = await seated(sea)
    deadline = game(sea)["deadline"]
    for who, refused in ((eve, "refuse.no_say"), (sea.anna, "refuse.no_voice")):
        assert EN.say(refused) in await sea.command(who, "extend", game="1", pause=True)
        assert EN.say(refused) in await sea.command(who, "extend", game="1", by="30d")
    assert (game(sea)["paused_at"], game(sea)["deadline"]) == (None, deadline)


@pytest.mark.parametrize("seated", SILENT)
async def test_a_friend_does_not_let_the_game_go_on_early(sea: Sea, seated: Any) -> None:
    eve = await seated(sea)
    await sea.seal(sea.anna, "A1 RLRLR")
    said = await sea.command(sea.anna, "host resolve", game="1")
    assert EN.say("refuse.no_voice") in said or EN.say("refuse.not_in_charge") in said
    assert not any("agree_act" in str(refs(message)) for message in sea.thread.history())
    assert game(sea)["step_no"] == 0
    await sea.seal(eve, "B1 RLRLR")
    assert game(sea)["step_no"] == 1


async def test_one_put_there_by_a_planted_captain_speaks_for_nobody_either(sea: Sea) -> None:
    eve, fay = await planted(sea), sea.member("fay")
    sea.change_rows("UPDATE games SET host_id = ?", eve.id)
    await sea.command(eve, "host replace", game="1", whose="eve", substitute=fay)
    assert sea.rows("seats")["seats"][1]["user_id"] == fay.id
    assert EN.say("refuse.no_voice") in await sea.command(sea.anna, "draw", game="1")
    assert EN.say("refuse.no_say") in await sea.command(fay, "draw", game="1")

"""Neither a friend that the enemy has seated for an absent captain nor one captain alone speaks for a side."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Refusal
from bot.lifecycle.people.rounds import MIN_ROUNDS
from bot.texts.i18n import Catalogue
from tests.attacks.test_matches import play_rounds
from tests.bot.rows import game
from tests.sea import AFAR, Sea, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
FOUR = (
    "1800x600 ; A1:south 5-5+3/5 @300,80^0 ; B1:north 5-5+3/5 @300,520^180 ; "
    "C1:south 5-5+3/5 @1500,80^0 ; D1:north 5-5+3/5 @1500,520^180"
)


async def two_against_two(sea: Sea) -> Any:
    """Let Anna (host) and dan play bela and cili; put Anna's friend Eve into absent Cili's seat, and return Eve."""
    dan, eve = sea.member("dan"), sea.member("eve")
    await sea.begin_at(FOUR, sea.bela, dan, sea.cili, captains="2", galleys="1")
    seats = {row["user_id"]: row for row in sea.rows("seats")["seats"]}
    assert seats[sea.bela.id]["team"] == seats[sea.cili.id]["team"] != seats[sea.anna.id]["team"]
    await sea.bot.services.absence.offer_seats_of_departed(sea.cili.id, sea.guild.id)
    await sea.settle()
    await sea.command(sea.anna, "host replace", game="1", whose="cili", substitute=eve)
    assert eve.id in {row["user_id"] for row in sea.rows("seats")["seats"]}
    return eve


async def agree(sea: Sea, who: Any, told: str) -> None:
    asked = next(message for message in reversed(sea.thread.history()) if told in text_of(message))
    await sea.press(who, asked, next(key for key in refs(asked) if key.startswith("agree ")))


async def test_a_planted_friend_ends_no_pause_of_the_side_she_was_put_on(sea: Sea) -> None:
    eve = await two_against_two(sea)
    await sea.command(sea.bela, "extend", game="1", pause=True)
    await agree(sea, sea.anna, "asks for a pause")
    assert game(sea)["paused_at"], "Anna's side has agreed to Béla's pause"
    await sea.command(sea.anna, "extend", game="1", pause=False)
    assert game(sea)["paused_at"], "Anna's side alone may not end it"
    for sea.languages[eve.id], texts in (("hu", HU), ("en-US", EN)):
        assert texts.say("refuse.no_say") in await sea.command(eve, "extend", game="1", pause=False)
    assert game(sea)["paused_at"], "Anna's friend has ended Béla's pause for Béla's side"
    await agree(sea, eve, "wants to resume the game")
    assert game(sea)["paused_at"], "Anna's friend has agreed to its end"


async def test_a_planted_friend_uses_up_no_extensions_of_the_side_she_was_put_on(sea: Sea) -> None:
    eve = await two_against_two(sea)
    for _ in range(2):
        await sea.command(eve, "extend", game="1")
    await sea.command(sea.bela, "extend", game="1")
    kinds = [(act["kind"], act["user_id"]) for act in sea.rows("acts")["acts"]]
    assert ("extended", sea.bela.id) in kinds, f"Béla's side has no extensions left: {kinds}"


async def test_a_captain_who_plays_ends_no_pause_of_a_referee(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    chief = sea.manager()
    await sea.command(chief, "host pause", game="1")
    for who, command, options in ((sea.anna, "host resume", {}), (sea.bela, "extend", {"pause": False})):
        await sea.command(who, command, game="1", **options)
        assert game(sea)["paused_at"], f"{who.name} has ended a referee's pause without asking anybody"


@pytest.mark.parametrize("paused", [False, True])
async def test_nobody_resumes_a_game_that_has_no_channel(sea: Sea, *, paused: bool) -> None:
    await sea.begin_at(AFAR, sea.bela)
    other, chief = sea.guild.create_text_channel("elsewhere"), sea.manager()
    if paused:
        await sea.command(chief, "host pause", game="1")
    await sea.bot.get_channel(sea.channel.id).delete()
    await sea.settle()
    for who, command, options in ((sea.anna, "extend", {"pause": False}), (chief, "host resume", {})):
        for sea.languages[who.id], texts in (("hu", HU), ("en-US", EN)):
            said = await sea.command(who, command, game="1", at=other, **options)
            assert texts.say("refuse.homeless")[:30] in said
        assert game(sea)["paused_at"], f"{who.name} has let the clock run in a game that nobody can see"
    await sea.command(sea.bela, "host repost", game="1", at=other)
    assert bool(game(sea)["paused_at"]) == paused


async def test_two_of_three_take_no_time_from_the_third(sea: Sea) -> None:
    await sea.begin(sea.bela, sea.cili, system="campaign", players="3", map="ring")
    before = game(sea)["deadline"]
    for wish, told in (({"by": "30d"}, "asks for more time"), ({"pause": True}, "asks for a pause")):
        await sea.command(sea.anna, "extend", game="1", **wish)
        for _ in range(2):
            await agree(sea, sea.bela, told)
        assert (game(sea)["deadline"], game(sea)["paused_at"]) == (before, None)
        await agree(sea, sea.cili, told)
        assert (game(sea)["deadline"] > before) or game(sea)["paused_at"]
        before = game(sea)["deadline"]
    assert game(sea)["paused_at"]
    assert [act["kind"] for act in sea.rows("acts")["acts"]].count("wish_agreed") == 2


async def test_a_manager_who_let_a_paused_game_go_on_takes_no_seat_in_it(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    chief = sea.manager()
    await sea.command(sea.anna, "extend", game="1", pause=True)
    await agree(sea, sea.bela, "asks for a pause")
    await sea.command(chief, "host resume", game="1")
    assert [(one["kind"], one["user_id"]) for one in sea.rows("acts")["acts"]][-1] == ("resumed", chief.id)
    await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
    await sea.settle()
    said = await sea.command(chief, "substitute", game="1")
    holders = {row["user_id"] for row in sea.rows("seats")["seats"]}
    assert chief.id not in holders, said


async def test_a_planted_friend_who_gives_the_seat_back_and_takes_it_up_again_stays_planted(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, phase="2h")
    await play_rounds(sea, 1, 2, sea.anna)
    await sea.command(sea.anna, "host replace", game="1", whose="bela", substitute=sea.cili)
    await play_rounds(sea, 1, 1, sea.anna, sea.cili)
    await sea.bot.services.absence.give_back_seat(sea.cili.id, 1)
    await sea.settle()
    await sea.command(sea.cili, "substitute", game="1")
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.cili)
    assert EN.say("refuse.no_say") in await sea.command(sea.cili, "extend", game="1")
    with pytest.raises(Refusal, match="no_say"):
        await sea.bot.services.offer_draw(sea.cili.id, 1)

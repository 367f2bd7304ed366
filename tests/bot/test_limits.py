"""Whatever counts against a limit ends by itself, and a manager can end it earlier."""

from __future__ import annotations

from typing import Any

import pytest

from bot.texts.i18n import Catalogue, Localizer
from tests.bot.test_keepsakes import given, kept, opened
from tests.sea import AFAR, Sea, refs, text_of

DAY_S = 86_400
EN, HU = Catalogue.load("en"), Catalogue.load("hu")


def game(sea: Sea, game_id: int = 1) -> dict[str, Any]:
    return next(row for row in sea.rows("games")["games"] if row["id"] == game_id)


def kinds(sea: Sea) -> list[str]:
    return [row["kind"] for row in sea.rows("acts")["acts"]]


def agree(message: Any) -> str:
    return next(key for key in refs(message) if key.startswith("agree"))


async def pause_by_agreement(sea: Sea) -> None:
    await sea.command(sea.anna, "extend", game="1", pause=True)
    asked = sea.thread.history()[-1]
    await sea.press(sea.bela, asked, agree(asked))
    assert game(sea)["paused_at"]


async def is_room_for_another(sea: Sea) -> bool:
    before = len(sea.rows("games")["games"])
    await sea.command(sea.cili, "new")
    return len(sea.rows("games")["games"]) > before


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_lobby_ends_by_itself_and_says_so_to_its_channel_and_its_host(sea: Sea, language: str) -> None:
    sea.move_to_server(language)
    sea.languages[sea.anna.id] = language
    await sea.command(sea.manager(), "host settings", most_games=1)
    await sea.command(sea.anna, "new")
    await sea.env.advance_time(6 * DAY_S)
    await sea.command(sea.bela, "join", game="1")  # a change
    await sea.restart(after_s=2 * DAY_S)  # nobody could change it
    await sea.env.advance_time(6 * DAY_S)
    assert game(sea)["phase"] == "lobby"
    assert not await is_room_for_another(sea)
    await sea.env.advance_time(1 * DAY_S + 7_200)
    assert (game(sea)["phase"], kinds(sea)) == ("cancelled", ["lobby_over"])
    reason = Localizer(Catalogue.load(language)).say("act.lobby_over", days=7)
    assert reason in text_of(sea.channel.history()[-1])
    assert reason in text_of(sea.dms(sea.anna)[-1])
    assert await is_room_for_another(sea)


async def test_a_manager_ends_a_lobby_whose_host_has_left(sea: Sea) -> None:
    manager = sea.manager()
    await sea.command(manager, "host settings", most_games=1)
    await sea.command(sea.anna, "new")
    assert EN.say("refuse.not_in_charge") in await sea.command(sea.cili, "host end", game="1")
    assert game(sea)["phase"] == "lobby"
    sea.guild.remove_member(sea.anna)
    await sea.settle()
    assert EN.say("say.done") in await sea.command(manager, "host end", game="1")
    assert game(sea)["phase"] == "cancelled"
    assert "cancelled this game before it began" in text_of(sea.channel.history()[-1])
    assert await is_room_for_another(sea)
    assert EN.say("refuse.game_over") in await sea.command(manager, "host end", game="1")


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_game_in_which_nobody_acts_is_called_off_unrated(sea: Sea, language: str) -> None:
    sea.move_to_server(language)
    sea.languages |= {sea.anna.id: language, sea.bela.id: language}
    await sea.command(sea.manager(), "host settings", most_games=1)
    await sea.begin_at(AFAR, sea.bela, missed="hold", phase="7d")
    await sea.env.advance_time(8 * DAY_S)
    await sea.seal(sea.anna, "A1 FFFFF")  # as late as this somebody has acted
    await sea.env.advance_time(29 * DAY_S)
    assert game(sea)["phase"] == "running"
    await sea.env.advance_time(1 * DAY_S + 7_200)
    assert (game(sea)["phase"], game(sea)["rated"]) == ("over", 0)
    catalogue = Catalogue.load(language)
    reason = Localizer(catalogue).say("act.lapsed", days=30)
    assert reason in sea.told()
    assert catalogue.say("reason.called_off") in sea.told()
    assert reason in "\n".join(map(text_of, sea.dms(sea.anna)))
    assert not [row for row in sea.rows("ratings")["ratings"] if row["counted"]]
    assert await is_room_for_another(sea)


async def test_a_game_whose_phases_are_long_may_rest_for_two_of_them(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold", phase="29d")
    await sea.env.advance_time(57 * DAY_S)
    assert game(sea)["phase"] == "running"
    await sea.env.advance_time(2 * DAY_S)
    assert game(sea)["phase"] == "over"


async def test_a_deserted_game_is_called_off_and_a_manager_can_end_it_at_once(sea: Sea) -> None:
    manager = sea.manager()
    for number in (1, 2):
        await sea.command(sea.anna, "new")
        await sea.command(sea.anna, "start", game=str(number))
    await sea.env.advance_time(3 * DAY_S)
    assert kinds(sea) == ["deserted", "deserted"]
    assert EN.say("refuse.not_in_charge") in await sea.command(sea.cili, "host end", game="1")
    assert EN.say("refuse.ends_by_draw") in await sea.command(sea.anna, "host end", game="1")
    await sea.command(manager, "host end", game="1")
    assert (game(sea, 1)["phase"], game(sea, 2)["phase"]) == ("over", "running")
    await sea.env.advance_time(30 * DAY_S + 7_200)
    assert game(sea, 2)["phase"] == "over"
    assert kinds(sea).count("lapsed") == 1


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_an_agreed_pause_ends_by_itself(sea: Sea, language: str) -> None:
    sea.move_to_server(language)
    sea.languages |= {sea.anna.id: language, sea.bela.id: language}
    await sea.begin_at(AFAR, sea.bela)
    await pause_by_agreement(sea)
    await sea.env.advance_time(29 * DAY_S)
    assert game(sea)["paused_at"]
    await sea.env.advance_time(1 * DAY_S + 7_200)
    assert game(sea)["paused_at"] is None
    assert game(sea)["phase"] == "running"
    assert game(sea)["deadline"] > sea.bot.services.now(), "everybody has the time that was left"
    begin_of_reason = Catalogue.load(language).template("act.pause_over").partition("{")[0].strip()
    assert begin_of_reason in sea.told()
    assert begin_of_reason in "\n".join(map(text_of, sea.dms(sea.anna)))


@pytest.mark.begun
async def test_a_manager_ends_no_game_that_people_play(sea: Sea) -> None:
    manager = sea.manager()
    assert EN.say("refuse.not_idle") in await sea.command(manager, "host end", game="1")
    await pause_by_agreement(sea)
    await sea.env.advance_time(5 * DAY_S)
    assert EN.say("refuse.ends_after_pause") in await sea.command(manager, "host end", game="1")
    await sea.command(manager, "host resume", game="1")
    assert EN.say("refuse.not_idle") in await sea.command(manager, "host end", game="1")
    assert game(sea)["phase"] == "running"
    await sea.env.advance_time(DAY_S + 1)
    await sea.command(manager, "host end", game="1")
    assert (game(sea)["phase"], game(sea)["rated"]) == ("over", 0)


async def test_no_pause_holds_crews_for_ever(sea: Sea) -> None:
    given(sea, sea.anna, 1, "Argo", xp=9, promotions="rm")
    given(sea, sea.bela, 1, "Hydra", xp=9, promotions="rm")
    await opened(sea, sea.bela)
    await sea.seal(sea.anna, "c1")
    await sea.seal(sea.bela, "c1")
    assert kept(sea, sea.anna)[1]["game_id"] == 1
    await sea.bot.services.channels.note_lost_server(sea.guild.id)
    assert game(sea)["paused_at"]
    await sea.env.advance_time(30 * DAY_S + 7_200)
    assert game(sea)["phase"] == "over"
    assert kept(sea, sea.anna)[1]["game_id"] is None
    assert kept(sea, sea.bela)[1]["game_id"] is None
    assert kinds(sea)[-2:] == ["sent_home", "lapsed"]

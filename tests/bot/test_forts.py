"""Naval Battle through the real bot: its turn limit in lobby and panel, and a game without one."""

from __future__ import annotations

import pytest

from bot.texts.i18n import Catalogue, Localizer
from tests.fuzz.forger import Forger
from tests.sea import Sea, refs, text_of

DAY_S = 86_400
AFAR = (
    "two_forts 41 white none - 8 white=west BB/BB ; wBB@D5 0 s3 ; wGA@D6 0 s2 ; wFR@C5 0 s1 ; wBR@C7 0 s1 ; "
    "rBB@R6 0 ; rGA@R5 0 ; rFR@S7 0 ; rBR@S5 0"
)


async def begin_in(sea: Sea, language: str, **options: str) -> Localizer:
    """Begin a game whose first request is White's, and return its texts."""
    sea.move_to_server(language)
    sea.languages |= {sea.anna.id: language, sea.bela.id: language}
    await sea.command(sea.anna, "new", system="forts", missed="hold", phase="1d", colours="first", **options)
    await sea.command(sea.bela, "join")
    query = "UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'"
    sea.change_rows(query, AFAR)
    return Localizer(Catalogue.load(language, "forts"))


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_the_panel_shows_the_turn_limit_and_the_turns_without_a_hit(sea: Sea, language: str) -> None:
    say = (await begin_in(sea, language)).say
    await sea.command(sea.anna, "start")
    asked = await sea.asked(sea.anna)
    assert asked is not None
    params = asked.row.body.params
    assert params["limit"] == "60"
    panel = text_of(sea.panel(sea.anna))
    assert say("request.act.again", round=41, **params) in panel
    assert "41" in panel
    assert "60" in panel
    assert say("score.quiet", quiet=9, most=16) in panel
    assert say("request.act.more.limited", **params) in await sea.read(sea.anna)
    assert say("score.quiet", quiet=9, most=16) in text_of(sea.panel(sea.bela))


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_without_a_limit_the_lobby_warns_and_only_a_game_that_nobody_plays_is_ended(
    sea: Sea, language: str
) -> None:
    say = (await begin_in(sea, language, limit="none")).say
    name = say("option.limit.none").partition(": ")[0]
    assert f"{say('option.limit')}: {name}" in text_of(sea.channel.last_message)
    await sea.command(sea.anna, "start")
    panel = text_of(sea.panel(sea.anna))
    assert say("limit.none") in panel
    assert say("score.quiet", quiet=9, most=16) not in panel
    assert say("request.act.more.unlimited") in await sea.read(sea.anna)
    await sea.env.advance_time(25 * DAY_S)
    (game,) = sea.rows("games")["games"]
    assert game["phase"] == "running", "66 turns, and 33 without a hit"
    await sea.env.advance_time(6 * DAY_S)
    (game,) = sea.rows("games")["games"]
    assert (game["phase"], game["rated"]) == ("over", 0)
    assert Localizer(Catalogue.load(language)).say("act.lapsed", days=30) in sea.told()


async def test_no_other_limit_can_be_chosen(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="forts")
    refusal = Catalogue.load("en").say("refuse.option", option="limit", value="0", allowed="60, 30, none")
    lobby = await sea.turned_by_host(sea.channel.last_message, "option limit")
    assert refusal in await Forger(sea, sea.anna).press(refs(lobby)["option limit"].pack(), values=["0"])


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_the_panel_says_how_many_hits_sink_the_flagship_even_where_there_is_no_room_above(
    sea: Sea, language: str
) -> None:
    sea.move_to_server(language)
    sea.languages |= {sea.anna.id: language, sea.bela.id: language}
    position = (
        "two_forts 7 white wind - 0 white=east BB/BB ; wBB@H6 4 s3 ; wGA@J6 0 s2 ; wFR@H7 0 s1 ; wBR@I4 1 s1 ; "
        "rBB@G7 0 ; rGA@G6 1 ; rFR@H3 0 ; rBR@C9 0"
    )
    await sea.begin_at(position, sea.bela, system="forts", colours="first", limit="30")
    danger = Localizer(Catalogue.load(language, "forts")).say("score.flagship", ship="BB", hits=4, left=1)
    assert danger in text_of(sea.panel(sea.anna))

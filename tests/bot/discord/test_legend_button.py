"""The legend of a panel's picture, and of the table: in a first game on the panel's first page, later under More."""

from __future__ import annotations

from bot.texts.i18n import Catalogue, Localizer
from tests.bot.discord.test_pictures_in_chat import picture_of, story
from tests.sea import AFAR, Sea, refs, text_of

WORDS = Localizer(Catalogue.load("en", "matchbox"), {})


async def test_a_first_game_explains_the_picture_in_a_line_and_one_press_shows_all_marks(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    panel = sea.panel(sea.anna)
    assert f"**In the picture** · {WORDS.say('mark.plate')}" in text_of(panel)
    said = await sea.press(sea.anna, panel, "legend")
    assert "### Legend" in said
    answer = sea.answers[-1]
    assert picture_of(sea, answer).width > 200
    (attached,) = answer.attachments
    lines = attached.description.split("\n")
    assert lines[:2] == [WORDS.say("mark.plate"), WORDS.say("mark.galley")]
    assert WORDS.say("mark.ghost") not in lines  # nothing is ordered yet
    await sea.write(sea.anna, "A1 FFFFF")
    await sea.press(sea.anna, sea.panel(sea.anna), "legend")
    assert WORDS.say("mark.ghost") in sea.answers[-1].attachments[0].description


async def test_later_the_legend_is_under_more_and_no_line_of_the_panel(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    for orders in ("LLLLL", "LLLLL"):
        for who, galley in ((sea.anna, "A1"), (sea.bela, "B1")):
            await sea.write(who, f"{galley} {orders}")
            await sea.press(who, sea.panel(who), "seal")
    panel = sea.panel(sea.anna)
    assert "In the picture" not in text_of(panel)
    assert "legend" not in refs(panel)
    assert "legend" in refs(await sea.turned(sea.anna, panel, "legend"))


async def test_a_second_game_of_the_kind_explains_nothing_by_itself(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.concede(sea.anna)
    await sea.begin_at(AFAR, sea.bela)
    assert "In the picture" not in text_of(sea.panel(sea.anna))


async def test_my_view_explains_what_the_last_round_left_on_the_table_in_the_readers_language(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal("A1 FFFFF", "B1 FFFFF")
    sea.languages[sea.cili.id] = "hu"
    await sea.press(sea.cili, story(sea, "Round 1"), "view")
    await sea.press(sea.cili, sea.answers[-1], "legend")
    lines = sea.answers[-1].attachments[0].description.split("\n")
    hungarian = Localizer(Catalogue.load("hu", "matchbox"), {})
    assert hungarian.say("mark.track") in lines

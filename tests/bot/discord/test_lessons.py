"""`/galley learn`: lessons for one's own eyes, kept in nothing but their messages."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord.ids import CustomId
from bot.discord.messages.lessons import (
    lay_out_lesson,
    lay_out_lesson_page,
    lay_out_result,
    lesson_custom_id,
    parse_draft,
)
from bot.errors import Refusal
from bot.jobs.values import DescribedPicture, PanelContent
from bot.presenters.lessons import LessonPage, lesson_name, systems_with_lessons, title_keys
from bot.texts.i18n import Catalogue
from rules.core.errors import OrderError
from rules.core.protocol import Choices, Draft
from tests.fuzz.forger import Forger
from tests.sea import Sea, parts, refs, text_of

LESSONS = 7
CHOICES = Choices(groups=(), lines=())
EN, HU = Catalogue.load("en"), Catalogue.load("hu")


async def opened(sea: Sea, who: Any, **fields: Any) -> Any:
    with sea.speaking(who):
        result = await who.slash(sea.channel, "galley learn", **fields)
    await sea.env.settle()
    return result.response.message


async def pressed(sea: Sea, who: Any, message: Any, ref: CustomId) -> Any:
    assert not await sea.click(who, message, ref)
    return sea.again(who, message)


def button(message: Any, verb: str, begins: str = "") -> CustomId:
    return next(ref for ref in refs(message).values() if ref.verb == verb and ref.token.startswith(begins))


async def test_all_lessons_by_pressing_what_is_shown(sea: Sea) -> None:
    message = await opened(sea, sea.anna)
    assert message.flags.ephemeral
    before = sea.rows()
    for number in range(LESSONS):
        assert f"Lesson {number + 1} of {LESSONS}" in text_of(message)
        assert not [ref for ref in refs(message).values() if ref.verb == "lesson_try"]  # there is nothing to try yet
        message = await pressed(sea, sea.anna, message, button(message, "lesson_hint"))
        (picture,) = message.attachments
        assert picture.description
        message = await pressed(sea, sea.anna, message, button(message, "lesson_try"))
        assert "Well done" in text_of(message)
        (film,) = message.attachments
        assert film.description
        onward = [ref for ref in refs(message).values() if ref.version == number + 1]
        if number + 1 < LESSONS:
            message = await pressed(sea, sea.anna, message, onward[0])
        else:
            assert not onward
            assert EN.say("learn.end") in text_of(message)
    assert sea.rows() == before
    assert not sea.channel.threads
    # The last one ends in a game.
    await sea.press(sea.anna, message, "play matchbox")
    assert "press order.F" in refs(sea.answers[0])


async def chosen(sea: Sea, who: Any, message: Any, select: str, token: str) -> Any:
    ref = next(ref for name, ref in refs(message).items() if name == f"lesson_pick {select}")
    result = await who.select(message, [token], custom_id=ref.pack())
    await sea.env.settle()
    assert not sea.said(result, pressed=message.id)
    return sea.again(who, message)


async def test_an_open_turn_is_learned_act_by_act_and_the_last_lesson_ends_in_a_game(sea: Sea) -> None:
    message = await opened(sea, sea.anna, lesson="forts.0")
    before = sea.rows()
    assert not [ref for ref in refs(message).values() if ref.verb == "lesson_try"]  # there is nothing to try yet
    message = await chosen(sea, sea.anna, message, "sail", "to.G7")
    await sea.restart()
    message = await chosen(sea, sea.anna, message, "shoot", "at.FR.0")
    assert parse_draft([text_of(message)]).text == "BB>G7\nBB*FR"
    message = await pressed(sea, sea.anna, message, button(message, "lesson_try"))
    assert EN.say("learn.reached") in text_of(message)
    assert "needed 2+" in text_of(message)
    for number in (1, 2):
        message = await pressed(
            sea, sea.anna, message, lesson_custom_id(LessonPage("en", "anna", "forts", number), "lesson")
        )
        message = await pressed(sea, sea.anna, message, button(message, "lesson_hint"))
        if more := [ref for ref in refs(message).values() if ref.verb == "lesson_page"]:
            message = await pressed(sea, sea.anna, message, more[0])
        assert button(message, "lesson").version == number  # to start over
        message = await pressed(sea, sea.anna, message, button(message, "lesson_try"))
        assert EN.say("learn.reached") in text_of(message)
    assert sea.rows() == before
    assert EN.say("learn.end") in text_of(message)
    await sea.press(sea.anna, message, "play forts")
    assert "press BB" in refs(sea.answers[0])


async def test_orders_one_by_one_and_a_goal_that_is_missed(sea: Sea) -> None:
    message = await opened(sea, sea.anna, lesson="matchbox.2")
    for letter in "RRFFF":
        message = await pressed(sea, sea.anna, message, button(message, "lesson_press", f"order.{letter}"))
    assert "R R F F F" in text_of(message)
    message = await pressed(sea, sea.anna, message, button(message, "lesson_try"))
    assert "Not yet" in text_of(message)
    assert "straight on" in text_of(message)
    message = await pressed(sea, sea.anna, message, button(message, "lesson"))
    assert "no orders yet" in text_of(message)


async def test_what_breaks_a_rule_cannot_be_pressed(sea: Sea) -> None:
    message = await opened(sea, sea.anna)
    labels = [part.label for part in parts(message) if getattr(part, "disabled", False)]
    assert "X 🔥" in labels  # she has no masts
    assert "-# Greyed out: **X 🔥:** She has no masts to fire with." in text_of(message)
    assert "MB-" not in text_of(message)


async def test_a_lesson_outlives_a_restart(sea: Sea) -> None:
    message = await opened(sea, sea.anna)
    await sea.restart()
    message = await pressed(sea, sea.anna, message, button(message, "lesson_press", "order.F"))
    assert "**A1** F" in text_of(message)
    assert "Missing: A1: 2 more orders" in text_of(message)  # why it can't be tried yet
    assert parse_draft([text_of(message)]).text == "A1 F"
    await sea.restart()
    message = await pressed(sea, sea.anna, message, button(message, "lesson_press", "order.F"))
    assert parse_draft([text_of(message)]).text == "A1 FF"


async def test_what_breaks_a_rule_is_refused_though_a_button_was_forged(sea: Sea) -> None:
    forger = Forger(sea, sea.anna)
    assert "MB-3.5" in await forger.press(
        lesson_custom_id(LessonPage("en", "anna", "matchbox", 0), "lesson_press", "order.X").pack()
    )
    for token in ("", "nonsense", "order.F=A1 FFFFF"):
        assert await forger.press(
            lesson_custom_id(LessonPage("en", "anna", "matchbox", 0), "lesson_press", token).pack()
        )
    assert not sea.faults


def test_orders_of_any_length_and_of_many_lines_stand_in_a_lesson() -> None:
    draft = "\n".join(f"A{number} FFXFF" for number in range(1, 111))
    assert len(draft) > 1000
    page = LessonPage("en", "anna", "matchbox", 0)
    panel = PanelContent(choices=CHOICES, picture=DescribedPicture(data=b"", format="png", alt_text="x"))
    (lesson_page,) = [lay_out_lesson_page(page, Draft(draft, "A1"), panel, 0)]
    texts = [
        part["content"] for box in lesson_page.view.to_components() for part in box["components"] if part["type"] == 10
    ]
    assert parse_draft(texts) == Draft(draft, "A1")


async def test_there_is_no_such_lesson_and_no_orders_but_legal_ones_of_ones_own(sea: Sea) -> None:
    reader = sea.bot.services.reader
    for system, number in (("matchbox", 7), ("matchbox", -1), ("forts", 3), ("chess", 0)):
        page = LessonPage("en", "anna", system, number)
        with pytest.raises(Refusal, match="no_such_lesson"):
            await lay_out_lesson(reader, page)
        with pytest.raises(Refusal, match="no_such_lesson"):
            await lay_out_result(reader, page, Draft("A1 FFFFF"))
    for orders in ("", "A1 FF", "A1 FFFFFF", "A1 XFFFF", "B1 FFFFF", "nonsense"):
        with pytest.raises(OrderError):
            await lay_out_result(reader, LessonPage("en", "anna", "matchbox", 0), Draft(orders))


async def test_lessons_speak_hungarian(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    message = await opened(sea, sea.bela)
    assert Catalogue.load("hu", "matchbox").say("lesson.row.title") in text_of(message)
    message = await pressed(sea, sea.bela, message, button(message, "lesson_hint"))
    message = await pressed(sea, sea.bela, message, button(message, "lesson_try"))
    assert HU.say("learn.reached") in text_of(message)


@pytest.mark.parametrize(("language", "first"), [("en", "War Galley 1: Rowing"), ("hu", "War Galley 1: Evezés")])
def test_lessons_of_several_games_are_listed_with_the_name_of_the_game(language: str, first: str) -> None:
    named = [
        lesson_name(Catalogue.load(language, system), title, number)
        for system in systems_with_lessons()
        for number, title in enumerate(title_keys(system))
    ]
    assert first in named
    assert len({*named}) == len(named)
    for system in systems_with_lessons():
        short = Catalogue.load(language, system).say_game()
        assert sum(name.startswith(f"{short} ") for name in named) == len(title_keys(system))

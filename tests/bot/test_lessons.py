"""`/galley learn`: five lessons for one's own eyes, kept in nothing but their buttons."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord.ids import Ref
from bot.discord.panels.lessons import Page, lesson, outcome
from bot.errors import Refusal
from bot.words.i18n import Catalogue
from rules.errors import OrderError
from tests.sea import Sea, parts, refs, text_of

LESSONS = 5
HU = Catalogue.load("hu")


async def opened(sea: Sea, who: Any, **given: Any) -> Any:
    """The message in which somebody learns."""
    with sea.speaking(who):
        result = await who.slash(sea.channel, "galley learn", **given)
    await sea.env.settle()
    return result.response.message


async def pressed(sea: Sea, who: Any, message: Any, ref: Ref) -> Any:
    """The same message after a button of it was pressed."""
    assert not await sea.click(who, message, ref)
    return sea.again(who, message)


def button(message: Any, verb: str, begins: str = "") -> Ref:
    return next(ref for ref in refs(message).values() if ref.verb == verb and ref.token.startswith(begins))


async def test_all_lessons_by_pressing_what_is_shown(sea: Sea) -> None:
    message = await opened(sea, sea.anna)
    assert message.flags.ephemeral
    before = sea.rows()
    for number in range(LESSONS):
        assert f"Lesson {number + 1} of {LESSONS}" in text_of(message)
        assert not [ref for ref in refs(message).values() if ref.verb == "lesson_try"]  # there is nothing to try yet
        message = await pressed(sea, sea.anna, message, button(message, "lesson", "hint="))
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
            assert "/galley new" in text_of(message)
    assert sea.rows() == before
    assert not sea.channel.threads


async def test_orders_one_by_one_and_a_goal_that_is_missed(sea: Sea) -> None:
    message = await opened(sea, sea.anna, lesson="matchbox.2")
    for letter in "RRFFF":
        message = await pressed(sea, sea.anna, message, button(message, "lesson", f"order.{letter}="))
    assert "R R F F F" in text_of(message)
    message = await pressed(sea, sea.anna, message, button(message, "lesson_try"))
    assert "Not yet" in text_of(message)
    assert "straight on" in text_of(message)
    message = await pressed(sea, sea.anna, message, button(message, "lesson"))
    assert "· · · · ·" in text_of(message)


async def test_what_breaks_a_rule_cannot_be_pressed(sea: Sea) -> None:
    message = await opened(sea, sea.anna)
    labels = [part.label for part in parts(message) if getattr(part, "disabled", False)]
    assert any("MB-3.5" in (label or "") for label in labels)  # she has no masts


async def test_a_lesson_outlives_a_restart(sea: Sea) -> None:
    message = await opened(sea, sea.anna)
    await sea.restart()
    message = await pressed(sea, sea.anna, message, button(message, "lesson", "order.F="))
    assert "F · · · ·" in text_of(message)


@pytest.mark.parametrize(("system", "number"), [("matchbox", 5), ("matchbox", -1), ("forts", 0), ("chess", 0)])
async def test_there_is_no_such_lesson(sea: Sea, system: str, number: int) -> None:
    page = Page("en", "anna", system, number)
    with pytest.raises(Refusal, match="no_such_lesson"):
        await lesson(sea.bot.table, page)
    with pytest.raises(Refusal, match="no_such_lesson"):
        await outcome(sea.bot.table, page, "A1 FFFFF")


@pytest.mark.parametrize("orders", ["", "A1 FFF", "A1 FFFFFF", "A1 XFFFF", "B1 FFFFF", "nonsense"])
async def test_no_orders_are_carried_out_but_legal_ones_of_ones_own(sea: Sea, orders: str) -> None:
    with pytest.raises(OrderError):
        await outcome(sea.bot.table, Page("en", "anna", "matchbox", 0), orders)


async def test_lessons_speak_hungarian(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    message = await opened(sea, sea.bela)
    assert Catalogue.load("hu", "matchbox").say("lesson.row.title") in text_of(message)
    message = await pressed(sea, sea.bela, message, button(message, "lesson", "hint="))
    message = await pressed(sea, sea.bela, message, button(message, "lesson_try"))
    assert HU.say("learn.reached") in text_of(message)

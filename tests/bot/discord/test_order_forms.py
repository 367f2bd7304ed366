"""Whole fleets ordered in few presses: forms of lists, courses, what is typed for all; and what is warned of."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import discord
import pytest

from bot.texts.i18n import Catalogue
from tests.fuzz.forger import Forger
from tests.sea import AFAR, Sea, parts, refs, text_of

EN, HU = Catalogue.load("en", "matchbox"), Catalogue.load("hu", "matchbox")


def fleets(each: int, foes: int) -> str:
    mine = [f"A{n}:south 5-5+3/5 @{70 * n},80^0" for n in range(1, each + 1)]
    theirs = [f"B{n}:north 5-5+3/5 @{70 * n},920^180" for n in range(1, foes + 1)]
    return " ; ".join(["2400x1000", *mine, *theirs])


async def opened(sea: Sea, who: Any, token: str) -> Any:
    panel = await sea.turned(who, sea.panel(who), f"form {token}")
    return await sea.click_only(who, panel, refs(panel)[f"form {token}"])


async def sent(sea: Sea, who: Any, form: Any, *chosen: str) -> str:
    with sea.speaking(who):
        values = {f"{number}": [token] for number, token in enumerate(chosen)}
        panel = sea.panel(who)
        result = await who.user.submit_modal(form, values)
    await sea.env.settle()
    return sea.said(result, pressed=panel.id)


def lists(form: Any) -> list[dict[str, Any]]:
    return [label["component"] for label in form.modal["components"]]


def games_of(sea: Sea) -> Any:
    """Return all rows but those of people, whose language follows their Discord's."""
    return {name: rows for name, rows in sea.rows().items() if name != "players"}


async def test_eight_galleys_are_ordered_by_forms_courses_and_one_line(sea: Sea) -> None:
    await sea.begin_at(fleets(8, 1), computer=1)

    # One by one: a form of five courses, then one of three.
    first = await opened(sea, sea.anna, "courses.1")
    assert [len(select["options"]) >= 8 for select in lists(first)] == [True] * 5
    assert [label["label"] for label in first.modal["components"]] == ["A1", "A2", "A3", "A4", "A5"]
    assert not await sent(sea, sea.anna, first, "hard_port", "ahead", "ahead", "pass", "starboard")
    assert "**A1** L L F F F" in text_of(sea.panel(sea.anna))
    second = await opened(sea, sea.anna, "courses.2")
    assert not await sent(sea, sea.anna, second, "ahead", "ahead", "about_port")
    assert "seal" in refs(sea.panel(sea.anna))

    # One galley's five orders in a form, and the same for all.
    form = await opened(sea, sea.anna, "orders.A1")
    assert [next(o["value"] for o in select["options"] if o.get("default")) for select in lists(form)] == [*"LLFFF"]
    assert not await sent(sea, sea.anna, form, *"FFXRX")
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.all")
    said = await sea.read(sea.anna)
    assert [f"**A{n}** F F X R X" in said for n in range(1, 9)] == [True] * 8

    # A standard course for the whole fleet; then the round after is as the one before.
    await sea.pick(sea.anna, sea.panel(sea.anna), "course", "all.ahead")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    assert "**A8** F F F F F" not in await sea.read(sea.anna)
    await sea.pick(sea.anna, sea.panel(sea.anna), "course", "all.again")
    assert "**A8** F F F F F" in await sea.read(sea.anna)
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.clear")
    assert "**A1**: no orders yet" in text_of(sea.panel(sea.anna))
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.again")
    assert "**A1** F F F F F" in text_of(sea.panel(sea.anna))
    await sea.write(sea.anna, "* LLFFF; A3 again")
    assert "**A8** L L F F F" in await sea.read(sea.anna)
    assert "**A3** F F F F F" in await sea.read(sea.anna)
    # A hint for all of them.
    await sea.press(sea.anna, sea.panel(sea.anna), "hint")
    hint = sea.panel(sea.anna)
    await sea.press(sea.anna, hint, next(key for key in refs(hint) if key.startswith("take")))
    assert (await sea.asked(sea.anna)).row.draft.count(";") >= 7
    assert "seal" in refs(sea.panel(sea.anna))


async def test_a_form_that_comes_late_or_is_wrong_changes_nothing_and_says_why(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.begin_at(AFAR, sea.bela)
    form = await opened(sea, sea.bela, "orders.B1")
    assert form.modal["title"] == HU.say("form.orders", galley="B1")
    assert lists(form)[0]["options"][0]["label"] == HU.say("choice.order.F")
    await sea.restart()  # the custom id alone tells what a form sends
    assert "legfeljebb" in await sent(sea, sea.bela, form, "F", "L", "R", "F", "ZZ")  # one order too many
    assert "**B1**: még nincs parancsa" in await sea.read(sea.bela)
    assert not await sent(sea, sea.bela, await opened(sea, sea.bela, "orders.B1"), *"FFXRX")
    panel = await sea.read(sea.bela)
    assert "**B1** E E T J T" in panel
    assert HU.say("warn.fire", galley="B1", steps=(3, 5), reach_mm=135.0) in panel
    assert HU.say("why.too_many_orders") in panel
    assert "MB-" not in panel

    # Opened, then the draft changes elsewhere: what was chosen counts. Sealed meanwhile: it breaks the seal.
    form = await opened(sea, sea.bela, "orders.B1")
    await sea.press(sea.bela, sea.panel(sea.bela), "press order.back")
    assert not await sent(sea, sea.bela, form, *"LLFFF")
    assert "**B1** B B E E E" in text_of(sea.panel(sea.bela))
    form = await opened(sea, sea.bela, "orders.B1")
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    assert "unseal" in refs(sea.panel(sea.bela))
    await sent(sea, sea.bela, form, *"RRFFF")
    assert "**B1** J J E E E" in text_of(sea.panel(sea.bela))
    assert "seal" in refs(sea.panel(sea.bela))

    # The round has gone on, and the panel of the form is gone.
    (old,) = [row["id"] for row in sea.rows("requests")["requests"] if row["seat"] == 1]
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    await sea.seal(sea.anna, "A1 FFFFF")
    before = games_of(sea)
    forger = Forger(sea, sea.bela)
    await forger.press(f"wg/form_sent/1/1/{old}/orders.B1")
    assert EN.say("say.moved_on") in forger.shown()  # in the message that was pressed; this client is an English one
    assert games_of(sea) == before

    # Buttons that no panel has: a form sent with nothing chosen, one that there is not, another captain's.
    before = games_of(sea)
    for who in (sea.bela, sea.anna):
        forger = Forger(sea, who)
        for verb, token in (("form_sent", "orders.B1"), ("form", "orders.B9"), ("form", "x"), ("form_sent", "")):
            said = await forger.press(f"wg/{verb}/1/1/r2.orders.1/{token}")
            assert said or EN.say("say.moved_on") in forger.shown(), (verb, token)
    assert games_of(sea) == before
    shown = await sea.turned(sea.bela, sea.panel(sea.bela), "form orders.B1")
    labels = [getattr(part, "label", None) for part in parts(shown)]
    assert f"{HU.say('form.orders', galley='B1')} …" in labels


@pytest.mark.begun
async def test_three_hundred_opened_forms_leave_no_form_and_no_timer(sea: Sea) -> None:
    forms = [await sea.open_form(sea.anna, sea.panel(sea.anna)) for _ in range(300)]
    gc.collect()
    assert not [thing for thing in gc.get_objects() if isinstance(thing, discord.ui.Modal)]
    assert not [task for task in asyncio.all_tasks() if "timeout_task" in repr(task)]

    # Each of them can still be sent.
    await sea.send_form(sea.anna, sea.panel(sea.anna), forms[0], "A1 FFF")
    assert "**A1** F F F" in await sea.read(sea.anna)

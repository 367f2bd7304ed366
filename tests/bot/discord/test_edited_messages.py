"""Direct messages that their writers edit: orders are read again until they are sealed."""

from __future__ import annotations

from typing import Any

from bot.discord.interactions.writing import MAX_EDIT_REPORT_DELAY_S
from bot.texts.i18n import Catalogue
from tests.bot.rows import bot_messages
from tests.bot.services.test_open_turns import active, at_sea
from tests.sea import AFAR, Sea, parts, refs, text_of

EN = Catalogue.load("en")


def written(sea: Sea, who: Any) -> Any:
    return [message for message in sea.dms(who) if not message.author.bot][-1]


async def draft(sea: Sea, who: Any) -> str:
    pending = await sea.asked(who, 1)
    return pending.row.draft


async def test_the_panel_below_shows_the_orders_of_the_edited_text(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "A1 FFFFF")
    (panel,) = bot_messages(sea, sea.anna)
    await sea.edit(sea.anna, written(sea, sea.anna), "A1 LLLLL")
    assert "LLLLL" in await draft(sea, sea.anna)
    (again,) = bot_messages(sea, sea.anna)
    assert again.id == panel.id, "it is edited where it stands"
    assert "**A1** L L L L L" in text_of(again)


async def test_a_corrected_text_is_taken_and_its_refusal_goes(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    assert "I don't understand “Q”" in await sea.write(sea.anna, "A1 FFQ")
    refusal = bot_messages(sea, sea.anna)[-1]
    await sea.edit(sea.anna, written(sea, sea.anna), "A1 FFW")
    assert len(bot_messages(sea, sea.anna)) == 2
    assert bot_messages(sea, sea.anna)[-1].id == refusal.id, "the answer to the old text is edited"
    assert "“W”" in text_of(bot_messages(sea, sea.anna)[-1])
    assert "“Q”" not in text_of(bot_messages(sea, sea.anna)[-1])
    await sea.edit(sea.anna, written(sea, sea.anna), "A1 FFFFF")
    (panel,) = bot_messages(sea, sea.anna)
    assert panel.id > written(sea, sea.anna).id
    assert "**A1** F F F F F" in text_of(panel)


async def test_sealed_orders_stay_and_the_captain_learns_how_to_change_them(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    await sea.begin_at(AFAR, sea.bela)
    await sea.seal(sea.anna, "A1 FFFFF")
    before = sea.rows("requests", "answers")
    await sea.edit(sea.anna, written(sea, sea.anna), "A1 LLLLL")
    assert sea.rows("requests", "answers") == before
    panel, reply = bot_messages(sea, sea.anna)
    assert "unseal" in refs(panel)
    assert panel.jump_url in text_of(reply)
    assert Catalogue.load("hu").say("button.unseal") in text_of(reply)
    await sea.edit(sea.anna, written(sea, sea.anna), "A1 RRRRR")
    assert [message.id for message in bot_messages(sea, sea.anna)] == [panel.id, reply.id], "it is not said twice"
    await sea.press(sea.anna, panel, "unseal")
    await sea.edit(sea.anna, written(sea, sea.anna), "A1 RRRRR")
    assert "RRRRR" in await draft(sea, sea.anna)


async def test_a_message_of_an_earlier_round_orders_nothing(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    for who, text in ((sea.anna, "A1 FFFFF"), (sea.bela, "B1 FFFFF")):
        await sea.write(who, text)
        await sea.env.advance_time(2)
        await sea.press(who, sea.panel(who), "seal")
    assert not await draft(sea, sea.anna)
    await sea.edit(sea.anna, written(sea, sea.anna), "A1 LLLLL")
    assert not await draft(sea, sea.anna)
    assert EN.say("refuse.edited_late") in text_of(bot_messages(sea, sea.anna)[-1])


async def test_what_was_carried_out_at_once_is_not_carried_out_again(sea: Sea) -> None:
    await at_sea(sea)
    who, _ = await active(sea)
    targets = await sails(sea, who, "BR")
    await sea.write(who, f"BR>{targets[0]}")
    assert f"to {targets[0]}" in sea.told()
    before = sea.rows("steps", "answers")
    await sea.edit(who, written(sea, who), "end")
    assert sea.rows("steps", "answers") == before
    assert EN.say("refuse.edited_late") in text_of(bot_messages(sea, who)[-1])


async def sails(sea: Sea, who: Any, ship: str) -> list[str]:
    await sea.press(who, sea.panel(who), f"press ship.{ship}")
    lists = [part for part in parts(sea.panel(who)) if hasattr(part, "options") and "sail" in (part.custom_id or "")]
    return [option.value.split(".")[-1].split(">")[-1] for part in lists for option in part.options]


async def edited_before_newer_orders(sea: Sea) -> Any:
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "A1 FFFFF")
    first = written(sea, sea.anna)
    await sea.edit(sea.anna, first, "A1 LLLLL")
    await sea.write(sea.anna, "A1 RRRRR")
    return first


async def test_other_changes_of_a_message_are_no_edits(sea: Sea) -> None:
    first = await edited_before_newer_orders(sea)
    last = written(sea, sea.anna)
    for message in (first, last):  # as after a pin: one was edited just now, one never
        sea.env.backend.crosspost_message(message.channel.id, message.id)
    await sea.env.settle()
    assert "RRRRR" in await draft(sea, sea.anna)


async def test_a_change_long_after_an_edit_is_no_edit_either(sea: Sea) -> None:
    first = await edited_before_newer_orders(sea)
    await sea.restart(after_s=MAX_EDIT_REPORT_DELAY_S + 1)
    sea.env.backend.crosspost_message(first.channel.id, first.id)
    await sea.env.settle()
    assert "RRRRR" in await draft(sea, sea.anna)


async def test_orders_are_typed_as_a_panel_shows_them_in_any_language_and_refused_in_the_captains_own_words(
    sea: Sea,
) -> None:
    await sea.begin_at(AFAR, sea.bela)
    for language, slots in (("en", "F L R X F"), ("hu", "E B J T E")):
        await sea.write(sea.anna, "A1 FFXFX")
        standing = Catalogue.load(language, "matchbox").say(
            "line.standing", target="weakest", aim="safe", casualties="fighting", reorganize="even"
        )
        await sea.write(sea.anna, str(standing))
        assert "target weakest; aim safe; casualties fighting" in await draft(sea, sea.anna)
        hold = Catalogue.load(language, "matchbox").say("line.hold")
        assert "every galley must have orders" in await sea.write(sea.anna, str(hold)), "it is understood"
        await sea.write(sea.anna, f"**A1** {slots}.")
        assert "A1 FLRXF" in await draft(sea, sea.anna)
    assert "“Ahóy”" in await sea.write(sea.anna, "A1 Ahóy!")

"""Somebody who takes no direct messages plays from the thread."""

from __future__ import annotations

import pytest

from bot.texts.i18n import Catalogue
from tests.sea import AFAR, Sea, refs, text_of

EN = Catalogue.load("en")


async def test_who_takes_no_direct_messages_plays_from_the_thread(sea: Sea) -> None:
    direct = sea.bela.user.dm_channel.id
    sea.env.inject_error(
        "POST", f"/channels/{direct}/messages", status=403, code=50007, message="Cannot send", times=None
    )
    await sea.begin_at(AFAR, sea.bela)
    notices = [message for message in sea.thread.history() if "can't send you direct messages" in text_of(message)]
    assert len(notices) == 1
    assert notices[0].content or f"<@{sea.bela.id}>" in text_of(notices[0])

    await sea.press(sea.bela, notices[0], "orders")
    (panel,) = sea.answers
    assert panel.flags.ephemeral
    for letter in ("F", "F", "R", "F", "F"):
        await sea.press(sea.bela, panel, f"press order.{letter}")
        panel = sea.again(sea.bela, panel)
    assert "F F R F F" in text_of(panel)
    await sea.press(sea.bela, panel, "seal")
    assert "Sealed" in text_of(sea.again(sea.bela, panel))
    await sea.seal(sea.anna, "A1 FFFFF")
    assert "B1 (bela): `FFRFF`" in sea.told()

    # The next round: the same way in, and no second notice.
    listed = [message for message in sea.thread.history() if "orders" in refs(message)]
    await sea.press(sea.bela, listed[-1], "orders")
    assert "press order.F" in refs(sea.answers[0])
    assert sea.told().count("can't send you direct messages") == 1


@pytest.mark.begun
async def test_a_panel_that_was_closed_meanwhile_shows_what_is_asked_now(sea: Sea) -> None:
    listed = next(message for message in sea.thread.history() if "orders" in refs(message))
    await sea.press(sea.bela, listed, "orders")
    (panel,) = sea.answers
    await sea.seal(sea.bela, "B1 FFFFF")
    await sea.seal(sea.anna, "A1 FFFFF")
    assert not await sea.press(sea.bela, panel, "press order.F")
    # It is said where how it stands is shown, and nowhere else.
    assert EN.say("say.moved_on") in text_of(sea.again(sea.bela, panel))
    assert "Round 2" in text_of(sea.again(sea.bela, panel))
    assert "press order.F" in refs(sea.again(sea.bela, panel))


@pytest.mark.begun
async def test_a_sealed_panel_that_cannot_be_shown_again_says_so_and_looks_when_it_is_pressed(sea: Sea) -> None:
    await sea.write(sea.bela, "B1 FFFFF")
    await sea.command(sea.bela, "orders")
    (panel,) = sea.answers
    await sea.press(sea.bela, panel, "seal")
    assert EN.say("panel.still") in text_of(sea.again(sea.bela, panel))
    assert EN.say("panel.still") not in text_of(sea.panel(sea.bela))
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.press(sea.bela, sea.again(sea.bela, panel), "page")
    assert "Round 2" in text_of(sea.again(sea.bela, panel))

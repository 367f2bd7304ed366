"""Everybody is spoken to in his own language; a server's thread is in the server's."""

from __future__ import annotations

import pytest

from bot.words.i18n import Catalogue, languages
from rules.matchbox.table import orders
from tests.sea import AFAR, Sea, parts, refs, text_of

HU = Catalogue.load("hu", "matchbox")


@pytest.mark.parametrize("language", languages())
def test_orders_can_be_typed_as_they_are_shown(language: str) -> None:
    shown = Catalogue.load(language, "matchbox").spelt("FLRXZZ")
    assert orders.read(shown) == orders.read("FLRXZZ")


async def test_a_hungarian_is_answered_in_hungarian(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.command(sea.anna, "new", galleys="1")
    assert HU.say("say.joined") in await sea.command(sea.bela, "join")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?)", AFAR)
    assert HU.say("refuse.not_host") in await sea.command(sea.bela, "start", game="1")
    await sea.command(sea.anna, "start")

    asked = HU.say("request.orders", round=1)
    assert asked in text_of(sea.panel(sea.bela))
    assert asked not in text_of(sea.panel(sea.anna))
    assert "begins" in sea.told()
    # Hungarian orders, typed: E előre, B balra, J jobbra, T tűz.
    assert asked in await sea.write(sea.bela, "B1 EBJEE; célzás: biztonságos")  # the panel comes below it
    panel = sea.panel(sea.bela)
    shown, (picture,) = text_of(panel), panel.attachments
    assert "E B J E E" in shown
    assert "F L R" not in shown
    assert "B1 EBJEE:" in str(picture.description)
    refused = await sea.write(sea.bela, "B1 EEEEEE")
    assert "B1 EEEEEE" in refused
    assert "MB-3.3" in refused
    (grey,) = [
        line for line in text_of(sea.panel(sea.bela)).splitlines() if line == f"-# {HU.say('why.too_many_orders')}"
    ]
    assert "MB" not in grey
    await sea.press(sea.bela, sea.panel(sea.bela), "press order.back")
    assert asked in text_of(sea.panel(sea.bela))
    story = next(message for message in sea.thread.history() if "view" in refs(message))
    await sea.press(sea.bela, story, "view")
    assert HU.say("phase.orders", round=1) in text_of(sea.answers[0])
    assert HU.say("help.title") in await sea.command(sea.bela, "help")
    assert (await sea.command(sea.anna, "help")) != (await sea.command(sea.bela, "help"))


async def test_a_hungarian_server_has_hungarian_threads(sea: Sea) -> None:
    guild = sea.env.create_guild("Tenger", preferred_locale="hu")
    sea.channel = guild.create_text_channel("hadiszoba")
    sea.guild = guild
    sea.anna, sea.bela = guild.add_member(sea.anna.user), guild.add_member(sea.bela.user)
    await sea.begin_at(AFAR, sea.bela)
    assert HU.say("button.my_orders") in _labels(sea)
    assert HU.say("thread.waiting_line", who="anna") in sea.told()
    assert "begins" not in sea.told()
    assert Catalogue.load("en", "matchbox").say("request.orders", round=1) in text_of(sea.panel(sea.anna))
    await sea.write(sea.anna, "A1 FFFFF")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.env.advance_time(86_401)
    told = sea.told()
    assert HU.say("round", round=1) in told
    assert "A1 (anna): `EEEEE`" in told
    assert "FFFFF" not in told


def _labels(sea: Sea) -> set[str]:
    buttons = [part for message in sea.thread.history() for part in parts(message)]
    return {button.label for button in buttons if getattr(button, "label", None)}

"""The bot speaks to everybody in their own language; a server's thread is in the server's."""

from __future__ import annotations

import pytest
from simcord.backend.serializers import guild_create_payload

from bot.texts.i18n import Catalogue, languages
from rules.matchbox.engine import orders
from tests.sea import AFAR, Sea, parts, refs, text_of

EN, HU = Catalogue.load("en", "matchbox"), Catalogue.load("hu", "matchbox")
EN_WAITS, HU_WAITS = (words.template("thread.asked").partition("{")[0] for words in (EN, HU))
"""The beginning of a thread's line that says who is awaited."""


@pytest.mark.parametrize("language", languages())
def test_orders_can_be_typed_as_they_are_shown(language: str) -> None:
    written = Catalogue.load(language, "matchbox").localise_orders("FLRXZZ")
    assert orders.parse_orders(written) == orders.parse_orders("FLRXZZ")


async def test_a_hungarian_is_answered_in_hungarian(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.command(sea.anna, "new", galleys="1")
    assert HU.say("say.joined") in await sea.command(sea.bela, "join")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?)", AFAR)
    assert HU.say("refuse.not_host") in await sea.command(sea.bela, "start", game="1")
    await sea.command(sea.anna, "start")

    request_text = HU.say("request.orders", round=1)
    assert request_text in text_of(sea.panel(sea.bela))
    assert request_text not in text_of(sea.panel(sea.anna))
    assert "begins" in sea.told()
    # Hungarian orders, typed: E előre, B balra, J jobbra, T tűz.
    assert request_text in await sea.write(sea.bela, "B1 EBJEE; célzás: biztonságos")  # the panel comes below it
    panel = sea.panel(sea.bela)
    text, (picture,) = text_of(panel), panel.attachments
    assert "E B J E E" in text
    assert "F L R" not in text
    assert "B1 EBJEE:" in str(picture.description)
    refused = await sea.write(sea.bela, "B1 EEEEEE")
    assert "B1 EEEEEE" in refused
    assert "MB-3.3" in refused
    (grey,) = [
        line
        for line in text_of(sea.panel(sea.bela)).splitlines()
        if line == f"-# {HU.say('panel.grey', why=HU.say('why.too_many_orders'))}"
    ]
    assert "MB" not in grey
    await sea.press(sea.bela, sea.panel(sea.bela), "press order.back")
    assert request_text in text_of(sea.panel(sea.bela))
    story = next(message for message in sea.thread.history() if "view" in refs(message))
    await sea.press(sea.bela, story, "view")
    assert HU.say("phase.orders", round=1) in text_of(sea.answers[0])
    assert HU.say("help.title") in await sea.command(sea.bela, "help")
    assert (await sea.command(sea.anna, "help")) != (await sea.command(sea.bela, "help"))


async def test_a_hungarian_server_has_hungarian_threads(sea: Sea) -> None:
    sea.move_to_server("hu")
    await sea.begin_at(AFAR, sea.bela)
    assert HU.say("button.my_orders") in _labels(sea)
    assert HU_WAITS in sea.told()
    assert "begins" not in sea.told()
    assert Catalogue.load("en", "matchbox").say("request.orders", round=1) in text_of(sea.panel(sea.anna))
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.env.advance_time(86_401)
    thread = sea.told()
    assert HU.say("round", round=1) in thread
    assert "A1 (anna): `EEEEE`" in thread
    assert "FFFFF" not in thread


def _labels(sea: Sea) -> set[str]:
    buttons = [part for message in sea.thread.history() for part in parts(message)]
    return {button.label for button in buttons if getattr(button, "label", None)}


@pytest.mark.begun
async def test_one_who_changes_their_language_has_all_that_is_shown_next_in_it(sea: Sea) -> None:
    """Their panels and pictures in it, at once; threads and lobbies in the server's, whatever their captains speak."""
    await sea.write(sea.anna, "A1 FFXRF")
    request_text, spoken = HU.say("request.orders", round=1), EN.say("request.orders", round=1)
    assert spoken in text_of(sea.panel(sea.anna))
    await sea.command(sea.anna, "me", language="hu")
    panel = sea.panel(sea.anna)
    assert request_text in text_of(panel)
    assert spoken not in text_of(panel)
    assert "E E T J E" in text_of(panel)
    assert "A1 EETJE:" in str(panel.attachments[0].description)
    assert spoken in text_of(sea.panel(sea.bela))
    assert HU_WAITS not in sea.told()
    # The answer to a later press is in it too, though Anna's Discord speaks English.
    await sea.press(sea.anna, panel, "press order.back")
    assert "E E T J" in text_of(sea.panel(sea.anna))
    assert spoken not in text_of(sea.panel(sea.anna))
    # The server: what waits in the thread now, its lobby, and the next round.
    await sea.command(sea.cili, "new", name="later")
    lobby = sea.channel.history()[-1]
    await sea.command(sea.manager(), "host settings", threads="hu")
    assert HU_WAITS in sea.told()
    assert EN_WAITS not in sea.told()
    assert HU.say("button.join") in [getattr(part, "label", None) for part in parts(sea.again(sea.cili, lobby))]
    await sea.env.advance_time(86_401)
    texts = text_of(sea.thread.history()[-2]) + text_of(sea.thread.last_message)
    assert HU.say("round", round=1) in texts
    assert EN.say("round", round=1) not in texts
    # By its Discord's own setting, where its managers leave it to that.
    await sea.command(sea.manager("eva"), "host settings", threads="server")
    assert EN_WAITS in sea.told()
    assert HU_WAITS not in sea.told()
    backend = sea.env.backend
    guild = backend.guilds[sea.guild.id]
    guild.preferred_locale = "hu"
    backend.emit("GUILD_UPDATE", guild_create_payload(backend, guild))
    await sea.env.settle()
    assert HU_WAITS in sea.told()


async def test_whose_discord_speaks_another_language_by_now_is_asked_in_it(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    assert EN.say("request.orders", round=1) in text_of(sea.panel(sea.bela))
    sea.languages[sea.bela.id] = "hu"
    await sea.press(sea.bela, sea.panel(sea.bela), "press order.F")
    await sea.settle()
    assert HU.say("request.orders", round=1) in text_of(sea.panel(sea.bela))
    await sea.both_seal("A1 FFFFF", "B1 EEEEE")
    await sea.settle()
    assert HU.say("request.orders.again", round=2) in text_of(sea.panel(sea.bela))
    assert EN.say("request.orders.again", round=2) in text_of(sea.panel(sea.anna))

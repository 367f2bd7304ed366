"""The context menus of people and messages."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from bot.texts.i18n import Catalogue, languages
from tests.bot.discord.test_commands import OF_A_MESSAGE, OF_A_PERSON, TYPED, said, told
from tests.bot.services.test_which_game import buttons, two_games
from tests.sea import AFAR, Sea, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
CHALLENGE, ORDERS = EN.say("command_name.menu.challenge"), EN.say("command_name.menu.orders")
NAME_MOST = 32
"""Characters of a name in a menu (Discord)."""


async def use(sea: Sea, who: Any, name: str, target: Any, *, at: Any = None) -> str:
    with sea.speaking(who):
        result = await who.context_menu(at or sea.channel, name, target)
    await sea.env.settle()
    return sea.said(result)


async def test_menus_are_named_in_every_language(sea: Sea) -> None:
    menus = [spec for spec in told(sea) if spec["type"] != TYPED]
    assert sorted(spec["type"] for spec in menus) == [OF_A_PERSON, OF_A_MESSAGE]
    for language in languages():
        assert all(1 <= len(said(spec, "name", language)) <= NAME_MOST for spec in menus)
    assert {said(spec, "name", "hu") for spec in menus} == {
        HU.say("command_name.menu.challenge"),
        HU.say("command_name.menu.orders"),
    }


async def test_a_person_is_challenged_where_one_is(sea: Sea) -> None:
    assert "challenge yourself" in await use(sea, sea.anna, CHALLENGE, sea.anna)
    assert not sea.rows("games")["games"]
    sea.languages[sea.anna.id] = "hu"
    assert HU.say("say.created", number=1)[:10] in await use(sea, sea.anna, CHALLENGE, sea.bela)
    (game,) = sea.rows("games")["games"]
    assert game["channel_id"] == sea.channel.id
    lobby = sea.channel.last_message
    assert f"<@{sea.bela.id}>" in text_of(lobby)
    assert [seat["kept_for"] for seat in sea.rows("seats")["seats"]] == [None, sea.bela.id]
    assert await sea.command(sea.cili, "join", game="1") != EN.say("say.joined")
    assert EN.say("say.joined") in await sea.command(sea.bela, "join", game="1")
    await sea.command(sea.anna, "start")
    assert "text channel" in await use(sea, sea.bela, CHALLENGE, sea.cili, at=sea.thread)


async def test_a_message_of_a_game_leads_to_ones_orders_in_it(sea: Sea) -> None:
    await two_games(sea, AFAR, AFAR)
    lobbies = [message for message in sea.channel.history() if "has started" in text_of(message)]
    for number, lobby in enumerate(lobbies, start=1):
        await use(sea, sea.bela, ORDERS, lobby)
        (panel,) = sea.answers
        assert panel.flags.ephemeral
        assert f"#{number} War Galley" in text_of(panel)
        assert "type" in refs(panel)
    told_in_thread = sea.thread.history()[0]
    await use(sea, sea.bela, ORDERS, told_in_thread, at=sea.thread)
    assert "#2 War Galley" in text_of(sea.answers[0])
    assert "aren't a captain" in await use(sea, sea.cili, ORDERS, lobbies[0])
    # A message that belongs to no game: the captain's only game, or a button for each.
    chat = await sea.cili.send(sea.channel, "Ahoy!")
    assert "Which game" in await use(sea, sea.bela, ORDERS, chat)
    (question,) = sea.answers
    await sea.click(sea.bela, question, next(ref for ref in buttons(question) if ref.game == 1))
    assert "#1 War Galley" in text_of(sea.answers[0])


@pytest.mark.begun
async def test_somebody_elses_panel_leads_to_ones_own_orders_alone(sea: Sea) -> None:
    """Discord shows nobody the direct messages of others; if it did, their menu would tell nothing of them."""
    await sea.write(sea.anna, "A1 RFLRF")
    panel = sea.panel(sea.anna)
    messages = sea.env.backend.messages
    copied = copy.copy(messages[panel.channel.id][panel.id])
    copied.channel_id = sea.channel.id
    messages[sea.channel.id][panel.id] = copied
    panel = next(message for message in sea.channel.history() if message.id == panel.id)
    assert "R F L R F" in text_of(panel)
    before = sea.rows("games", "requests", "answers", "outbox")
    await use(sea, sea.bela, ORDERS, panel)
    (own,) = sea.answers
    assert "B1" in text_of(own)
    assert "R F L R F" not in text_of(own)
    assert {ref.request for ref in refs(own).values() if ref.verb == "seal"} <= {"r1.orders.1"}
    assert "aren't a captain" in await use(sea, sea.cili, ORDERS, panel)
    assert sea.rows("games", "requests", "answers", "outbox") == before
    assert "R F L R F" in text_of(sea.panel(sea.anna))

"""`/galley new` without a game asks which, and the button that is pressed takes all else along."""

from __future__ import annotations

from typing import Any

from bot.discord.ids import CustomId
from bot.presenters.cards import game_cards
from bot.texts.i18n import Catalogue
from tests.fuzz.forger import Forger
from tests.sea import Sea, parts, refs, text_of

HU = Catalogue.load("hu")


async def asked(sea: Sea, who: Any, **options: Any) -> Any:
    with sea.speaking(who):
        result = await who.slash(sea.channel, "galley new", **options)
    await sea.env.settle()
    sea.said(result)
    (question,) = sea.answers
    assert question.flags.ephemeral
    return question


async def test_a_host_who_names_no_game_is_shown_all_and_opens_one_with_a_press(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    question = await asked(sea, sea.anna)
    assert not sea.rows("games")["games"]
    assert HU.say("new.which") in text_of(question)
    for card in game_cards("hu"):
        assert f"**{card.name}**" in text_of(question)
        assert card.terms in text_of(question)
    labels = [part.label for part in parts(question) if getattr(part, "label", None)]
    assert labels == [card.name for card in game_cards("hu")]
    await sea.restart()
    await sea.press(sea.anna, question, "new ramspeed")
    (game,) = sea.rows("games")["games"]
    assert game["system"] == "ramspeed"
    assert HU.say("say.created", number=1) in text_of(sea.again(sea.anna, question))
    assert "start" in refs(sea.channel.last_message)


async def test_opponents_and_settings_go_with_the_button(sea: Sea) -> None:
    given = {"opponent": sea.bela.user, "extensions": 3, "private": True, "rated": False, "early": False}
    question = await asked(sea, sea.anna, **given, computer=0, missed="hold")
    await sea.press(sea.anna, question, "new matchbox")
    (game,) = sea.rows("games")["games"]
    assert (game["extensions"], game["private"], game["rated"], game["early"]) == (3, True, False, False)
    assert '"missed":"hold"' in game["setup"]
    assert [seat["kept_for"] for seat in sea.rows("seats")["seats"]] == [None, sea.bela.id]


async def test_what_no_button_carries_opens_the_usual_game_whose_host_can_change_it(sea: Sea) -> None:
    with sea.speaking(sea.anna):
        await sea.anna.slash(sea.channel, "galley new", name="Regatta", phase="2h")
    await sea.env.settle()
    (game,) = sea.rows("games")["games"]
    assert (game["name"], game["system"]) == ("Regatta", "matchbox")
    assert "lobby_game" in refs(sea.channel.last_message)


async def test_forged_buttons_open_nothing(sea: Sea) -> None:
    forger = Forger(sea, sea.anna)
    for carried in ("oz", "o1", "q1", "mz", "o1.o1.o1.o1", "c", f"c{'f' * 16}"):
        assert await forger.press(CustomId(verb="new", game=0, request=carried, token="matchbox").pack())
    assert await forger.press(CustomId(verb="new", game=0, token="chess").pack())
    assert not sea.rows("games")["games"]

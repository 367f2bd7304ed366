"""Opening, joining, leaving and starting games; `/galley new` without a game asks which."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord.ids import CustomId
from bot.presenters.cards import game_cards
from bot.texts.i18n import Catalogue
from bot.texts.style import Markup
from rules.core.registry import RULESETS
from tests.fuzz.forger import Forger
from tests.sea import Sea, parts, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")


def leaves(lobby: Any) -> str | None:
    key = refs(lobby)["leave"].pack()
    return next(one.label for one in parts(lobby) if getattr(one, "custom_id", None) == key)


async def test_a_lobby_shows_who_sits_where(sea: Sea) -> None:
    said = await sea.command(sea.anna, "new", galleys="1")
    assert "#1" in said
    lobby = sea.channel.last_message
    assert f"<@{sea.anna.id}>" in text_of(lobby)
    assert "1 free seat" in text_of(lobby)
    assert leaves(lobby) == "Cancel game"
    await sea.press(sea.bela, lobby, "join 1")
    assert f"<@{sea.bela.id}>" in text_of(sea.channel.last_message)
    assert "free seat" not in text_of(sea.channel.last_message)
    assert leaves(sea.channel.last_message) == "Leave"
    await sea.press(sea.bela, sea.channel.last_message, "leave")
    assert "1 free seat" in text_of(sea.channel.last_message)


async def test_nobody_joins_twice_or_a_full_game(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    assert "already in" in await sea.command(sea.anna, "join")
    await sea.command(sea.bela, "join")
    assert "taken" in await sea.command(sea.cili, "join", game="1")


async def test_only_the_host_starts_or_calls_off(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    lobby = sea.channel.last_message
    assert "Only the game's host" in await sea.press(sea.bela, lobby, "start")
    assert "Only the game's host" in await sea.command(sea.bela, "cancel", game="1")
    assert EN.say("say.cancel_sure") in await sea.command(sea.anna, "cancel")
    question = sea.answers[-1]
    await sea.press(sea.anna, question, "leave keep")
    assert "Cancel this game?" in await sea.press(sea.anna, lobby, "leave")
    assert sea.rows("games")["games"][0]["phase"] == "lobby"
    assert "cancelled" in await sea.press(sea.anna, sea.answers[-1], "leave sure")
    assert "was cancelled" in text_of(sea.channel.last_message)
    assert not refs(sea.channel.last_message)
    assert "over" in await sea.command(sea.bela, "join", game="1")


@pytest.mark.proves("F1")
async def test_starting_opens_a_thread_with_the_fingerprint_of_the_dice(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1")
    assert len(sea.channel.threads) == 1
    assert "Dice fingerprint" in sea.told()
    lobby = next(iter(sea.channel.history()))
    said, words = text_of(lobby), Catalogue.load("en", "matchbox")
    assert f"<#{sea.thread.id}>" in said
    # What is played is stated where no lists say it any more.
    assert "lists below" not in said
    assert f"{words.say('option.galleys')}: {words.say('option.galleys.1')} · {words.say('lobby.else_usual')}" in said
    assert f"{words.say('option.table')}: " not in said


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_lobby_says_in_short_lines_what_is_agreed_and_what_to_press(sea: Sea, language: str) -> None:
    words = Catalogue.load(language, "matchbox")
    await sea.command(sea.manager(), "host settings", threads=language)
    await sea.command(sea.anna, "new", phase="2d", early=False, rated=False)
    text = text_of(sea.channel.last_message)
    settings = [line for line in text.splitlines() if line.startswith("- ")]
    assert 2 <= len(settings) <= 4
    assert words.say("lobby.as_it_comes") in settings[1]
    assert f" {words.say('lobby.unrated')}" in settings[-1]
    assert sum(len(line.split()) for line in settings) < 60
    first = words.say("team.0")
    assert f"{first[:1].upper()}{first[1:]}: <@{sea.anna.id}>" in text
    start = words.say("button.start_with_computer", n=1)  # the only button that starts it as long as a seat is free
    assert start in [part.label for part in parts(sea.channel.last_message) if hasattr(part, "label")]
    assert words.say("lobby.hint", who=Markup(f"<@{sea.anna.id}>"), start=start) in text
    # A kept seat is not a taken seat, and the lobby says who it is kept for.
    await sea.command(sea.anna, "new", opponent=sea.bela)
    assert words.say("lobby.awaited", who=Markup(f"<@{sea.bela.id}>")) in text_of(sea.channel.last_message)
    sea.languages[sea.cili.id] = language
    said = await sea.command(sea.cili, "join", game="2")
    assert said == words.say("refuse.kept", who=Markup(f"<@{sea.bela.id}>"))
    # Without a Join button the lobby tells nobody to press it; the computer has a rank and a name.
    await sea.command(sea.anna, "new", computer=1)
    text = text_of(sea.channel.last_message)
    assert words.say("button.join") not in text
    assert words.say("lobby.full", who=Markup(f"<@{sea.anna.id}>")) in text
    assert (
        words.say("computer.named", rank=words.say("rank.mate"), name="Jack" if language == "en" else "Jankó") in text
    )
    await sea.command(sea.anna, "start", game="3")
    assert words.say("thread.begin", number=3, players=Markup("@"), hash="#").split("@")[0] in sea.told()


async def answer_to_new(sea: Sea, who: Any, **options: Any) -> Any:
    with sea.speaking(who):
        result = await who.slash(sea.channel, "galley new", **options)
    await sea.env.settle()
    sea.said(result)
    (question,) = sea.answers
    assert question.flags.ephemeral
    return question


async def test_a_host_who_names_no_game_is_shown_all_and_opens_one_with_a_press(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    question = await answer_to_new(sea, sea.anna)
    assert not sea.rows("games")["games"]
    assert HU.say("new.which") in text_of(question)
    assert len(question.attachments) == len(RULESETS)
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
    question = await answer_to_new(sea, sea.anna, **given, computer=0, missed="hold")
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

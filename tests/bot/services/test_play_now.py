"""From an invitation to the first order: the bot greets a server, somebody presses Play now, and gets a panel."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import discord
import pytest
from simcord.backend.serializers import guild_create_payload

from bot.discord.ids import CustomId
from bot.presenters.cards import game_cards
from bot.services import first, options
from bot.texts.i18n import Catalogue
from bot.texts.style import Markup
from rules.core.registry import RULESETS
from tests.fuzz.forger import Forger
from tests.sea import Sea, parts, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
PHONE = 1_100
"""Characters that a phone shows on about one screen."""
PLAY = CustomId(verb="play", game=0, token="matchbox")


def _seen(said: str) -> str:
    return re.sub(r"<(/[^:>]+):\d+>", r"\1", said)


async def join(sea: Sea, guild: Any) -> None:
    backend = sea.env.backend
    backend.emit("GUILD_DELETE", {"id": str(guild.id)})
    await sea.env.settle()
    payload = guild_create_payload(backend, backend.guilds[guild.id])
    # Only of a server that was known before does Discord say whether it is there.
    backend.emit("GUILD_CREATE", {key: value for key, value in payload.items() if key != "unavailable"})
    await sea.env.settle()


async def test_from_help_to_the_first_order_in_three_acts_with_one_game_however_often_it_is_pressed(sea: Sea) -> None:
    said = await sea.command(sea.anna, "help")  # 1
    (page,) = sea.answers
    assert len(_seen(said)) < PHONE
    await sea.press(sea.anna, page, "play matchbox")  # 2
    (panel,) = sea.answers
    assert panel.flags.ephemeral
    assert panel.attachments
    await sea.press(sea.anna, panel, "press order.F")  # 3
    pending = await sea.asked(sea.anna)
    assert pending.row.draft.startswith("A1 F")
    assert pending.row.body.round == 1
    game = pending.seated_game.game
    assert game.setup.options == options.check_options(
        RULESETS["matchbox"], RULESETS["matchbox"].first_game_options or {}
    )
    assert [seat.computer for seat in pending.seated_game.seats] == [False, True]
    assert not game.rated
    # The panel is in Anna's direct messages, too, and the thread tells of it.
    assert "press order.F" in refs(sea.panel(sea.anna))
    assert "**Game #1 begins:**" in sea.told()
    # A second press offers to take Anna back to it, with her orders; this works for nobody else.
    said = await sea.press(sea.anna, page, "play matchbox")
    assert said == EN.say("say.going", game=Markup("War Galley"))
    (offered,) = sea.answers
    await sea.press(sea.anna, offered, "orders")
    assert "press order.back" in refs(sea.answers[0])
    assert len(sea.rows("games")["games"]) == 1
    greeting = await greeted(sea)
    with sea.at_once():
        await asyncio.gather(*(sea.bela.click(greeting, custom_id=PLAY.pack()) for _ in range(3)))
    await sea.settle()
    assert [row["host_id"] for row in sea.rows("games")["games"]] == [sea.anna.id, sea.bela.id]
    # A player who gives it up may begin again, or begin a new one beside it: one, however often it is pressed.
    await sea.bot.services.concede_game(sea.anna.id, 1)
    await sea.settle()
    await sea.press(sea.anna, page, "play matchbox")
    assert len(sea.rows("games")["games"]) == 3
    await sea.press(sea.anna, page, "play matchbox")
    (offered,) = sea.answers
    anew = CustomId(verb="play", game=3, request="new", token="matchbox").pack()
    with sea.at_once():
        await asyncio.gather(*(sea.anna.click(offered, custom_id=anew) for _ in range(3)))
    await sea.settle()
    assert len(sea.rows("games")["games"]) == 4


async def greeted(sea: Sea) -> Any:
    await join(sea, sea.guild)
    return next(message for message in sea.channel.history() if text_of(message).startswith(EN.say("greeting")))


async def test_a_server_is_greeted_once_in_its_language_where_one_may_write(sea: Sea) -> None:
    pond = sea.env.create_guild("Tó", preferred_locale="hu")
    closed = pond.create_text_channel(
        "zárt", overwrites={pond.default_role: discord.PermissionOverwrite(send_messages=False)}
    )
    hall = pond.create_text_channel("csarnok")
    await join(sea, pond)
    assert not list(closed.history())
    (greeting,) = hall.history()
    # A picture, a line and a button for each game.
    said = text_of(greeting)
    assert said.startswith(HU.say("greeting"))
    assert len(_seen(said)) < PHONE
    invited = [card for card in game_cards("hu") if card.has_first_game]
    assert len(greeting.attachments) == len(invited)
    assert {card.system for card in invited} == {*RULESETS}
    for card in invited:
        assert f"**{card.name}** · {card.terms}" in said
    # Its buttons answer privately to the one who presses, and leave it as it is.
    cili = pond.add_member(sea.cili.user)
    sea.languages[cili.id] = "hu"
    await sea.press(cili, greeting, "learn matchbox")
    assert sea.answers[0].flags.ephemeral
    assert "lesson_try" in str(refs(sea.answers[0])) or "lesson_hint" in refs(sea.answers[0])
    await sea.press(cili, greeting, "play matchbox")
    assert "press order.F" in refs(sea.answers[0])
    assert [part.label for part in parts(greeting) if getattr(part, "custom_id", None)] == [
        *(HU.say("button.play_game", game=card.name) for card in invited),
        HU.say("button.lesson_1"),
    ]
    # A server where nobody lets us write is not greeted, and nothing fails.
    mute = sea.env.create_guild("Mute")
    mute.create_text_channel("m", overwrites={mute.default_role: discord.PermissionOverwrite(view_channel=False)})
    await join(sea, mute)
    sea.env.inject_error("POST", f"/channels/{hall.id}/messages", status=403, code=50013, message="no", times=1)
    await join(sea, pond)
    assert sum(text_of(message).startswith(HU.say("greeting")) for message in hall.history()) == 1


async def test_whose_direct_messages_are_closed_plays_right_there(sea: Sea) -> None:
    direct = sea.bela.user.dm_channel.id
    sea.env.inject_error("POST", f"/channels/{direct}/messages", status=403, code=50007, message="no", times=None)
    await Forger(sea, sea.bela).press(PLAY.pack())
    panel = sea.answers[0]
    assert panel.flags.ephemeral
    for letter in "FFFFF":
        await sea.press(sea.bela, panel, f"press order.{letter}")
        panel = sea.again(sea.bela, panel)
    await sea.press(sea.bela, panel, "seal")
    assert refs(sea.again(sea.bela, panel))["type"].request.startswith("r2.")  # the next round is asked right there
    assert "A1 (bela): `FFFFF`" in sea.told()


async def test_it_finds_a_place_or_says_in_words_why_there_is_none(sea: Sea) -> None:
    chief = sea.manager()
    forger = Forger(sea, sea.anna)
    # In a thread: beside it, in its channel.
    await sea.begin(sea.bela, galleys="1")
    result = await sea.anna.slash(sea.thread, "galley help")
    await sea.env.settle()
    await sea.press(sea.anna, result.response.message, "play matchbox")
    assert "press order.F" in refs(sea.answers[0])
    assert sea.rows("games")["games"][1]["channel_id"] == sea.channel.id
    # Where games are not allowed: where they are.
    tavern = sea.guild.create_text_channel("tavern")
    await sea.command(chief, "host settings", allow=tavern)
    await Forger(sea, sea.bela).press(PLAY.pack())
    assert sea.rows("games")["games"][2]["channel_id"] == tavern.id
    # The bot tells people who may not open games so, in their language; also those who have too many.
    await sea.command(chief, "host settings", anywhere=True)
    captains = sea.guild.create_role("captains")
    await sea.command(chief, "host settings", creators=captains)
    sea.languages[sea.cili.id] = "hu"
    with sea.speaking(sea.cili):
        said = await Forger(sea, sea.cili).press(PLAY.pack())
    assert said == HU.say("refuse.not_a_creator", role=Markup(f"<@&{captains.id}>"))
    await sea.command(chief, "host settings", everybody=True, most_games=3)
    with sea.speaking(sea.cili):
        assert await Forger(sea, sea.cili).press(PLAY.pack()) == HU.say("refuse.server_full", most=3)
    # Games that are not there, or propose none, are refused; so is a place without a server.
    for token in ("kraken", ""):
        assert await forger.press(CustomId(verb="play", game=0, token=token).pack()) == EN.say("refuse.no_first")
        assert await forger.press(CustomId(verb="about", game=0, token=token).pack()) == EN.say("refuse.no_first")
        assert await forger.press(CustomId(verb="learn", game=0, token=token).pack()) == EN.say("refuse.no_such_lesson")
    with sea.speaking(sea.cili):
        result = await sea.cili.user.slash("galley help")
    assert await sea.press(sea.cili, result.response.message, "play matchbox") == HU.say("refuse.play_where")
    assert len(sea.rows("games")["games"]) == 3


async def test_a_channel_without_threads_gives_way_to_another_or_says_what_is_missing(sea: Sea) -> None:
    bare = sea.env.create_guild("Bare")
    no_threads = discord.PermissionOverwrite(create_public_threads=False)
    hall = bare.create_text_channel("hall", overwrites={bare.default_role: no_threads})
    anna = bare.add_member(sea.anna.user)
    result = await anna.slash(hall, "galley help")
    await sea.env.settle()
    said = await sea.press(anna, result.response.message, "play matchbox")
    assert said == EN.say("refuse.no_send", permission="create_public_threads", channel=Markup(f"<#{hall.id}>"))
    deck = bare.create_text_channel("deck")
    await sea.press(anna, result.response.message, "play matchbox")
    assert "press order.F" in refs(sea.answers[0])
    assert [row["channel_id"] for row in sea.rows("games")["games"]] == [deck.id]


@pytest.mark.parametrize("settings", [{"most_games": 2}])
async def test_who_has_as_many_games_as_they_may_have_is_told_so(sea: Sea) -> None:
    for _ in range(2):
        await sea.command(sea.anna, "new")
    assert await Forger(sea, sea.anna).press(PLAY.pack()) == EN.say("refuse.too_many_games", most=2)
    assert len(sea.rows("games")["games"]) == 2


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_help_names_every_command_and_the_games_rules_are_one_press_away(sea: Sea, language: str) -> None:
    words = Catalogue.load(language)
    sea.languages[sea.anna.id] = language
    said = await sea.command(sea.anna, "help")
    assert len(_seen(said)) < PHONE
    (page,) = sea.answers
    await sea.press(sea.anna, page, "help")
    every = sea.again(sea.anna, page)
    group = sea.bot.tree.get_command("galley")
    for command in group.walk_commands():  # type: ignore[union-attr]
        assert f"/{command.qualified_name}" in _seen(text_of(every))
    assert "/galley-host" in _seen(text_of(every))
    await sea.press(sea.anna, every, "help")
    page = sea.again(sea.anna, page)
    assert text_of(page) == said
    assert f": {Catalogue.load(language, first.games_with_first_game()[0]).say('game')}." in said, (
        "which game Play now begins"
    )
    # A row of buttons, and a list of all games.
    assert len([part for part in parts(page) if getattr(part, "custom_id", None)]) == 5
    lines = {option.value: option.description for part in parts(page) for option in getattr(part, "options", ())}
    assert lines == {card.system: card.menu_line for card in game_cards(language)}, "how large, long and hard it is"
    assert all(card.terms in card.menu_line and card.terms for card in game_cards(language))
    for system in RULESETS:
        games = refs(sea.again(sea.anna, page))["about"]  # the pick before has reset this list
        with sea.speaking(sea.anna):
            result = await sea.anna.select(page, [system], custom_id=games.pack())
        await sea.env.settle()
        assert not sea.said(result, pressed=page.id) or sea.answers
        assert Catalogue.load(language, system).say("about") in text_of(sea.answers[0])
        assert f"play {system}" in refs(sea.answers[0])
        assert f"learn {system}" in refs(sea.answers[0])
    assert words.say("say.no_games") in await sea.press(sea.anna, page, "my_games")
    assert "play matchbox" in refs(sea.answers[0])


@pytest.mark.parametrize("system", RULESETS)
def test_what_a_game_proposes_for_a_first_one_can_be_played(system: str) -> None:
    if system in first.games_with_first_game():
        request = first.first_game_request(system, guild_id=1, channel_id=1, locale="en", pace=None)
        assert request.computers == len(RULESETS[system].seats(request.options)) - 1


async def test_a_pause_makes_no_second_first_game(sea: Sea) -> None:
    """Nor does another server: a press takes people back to the game that they have begun, in whatever state it is."""
    forger = Forger(sea, sea.anna)
    await forger.press(PLAY.pack())
    await sea.command(sea.anna, "extend", game="1", pause=True)
    assert sea.rows("games")["games"][0]["paused_at"]
    assert await forger.press(PLAY.pack()) == EN.say("say.going", game=Markup("War Galley"))
    await sea.press(sea.anna, sea.answers[0], "orders")
    assert "press order.F" in refs(sea.answers[0])
    pond = sea.env.create_guild("Pond")
    hall = pond.create_text_channel("hall")
    there = pond.add_member(sea.anna.user)
    result = await there.slash(hall, "galley help")
    await sea.env.settle()
    await sea.press(there, result.response.message, "play matchbox")
    assert "orders" in refs(sea.answers[0])
    assert len(sea.rows("games")["games"]) == 1
    assert not hall.threads
    assert len(sea.channel.threads) == 1

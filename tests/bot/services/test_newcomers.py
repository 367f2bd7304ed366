"""A first game between people: unrated, small and with hints, unless its host chooses that it is rated."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord.ids import CustomId
from bot.lifecycle.ratings.newcomers import GAMES_AS_NEWCOMER
from bot.texts.i18n import Catalogue
from tests.fuzz.forger import Forger
from tests.sea import Sea, parts, refs, text_of

EN = Catalogue.load("en")


def game(sea: Sea) -> dict[str, Any]:
    return dict(sea.rows("games")["games"][-1])


def lobby_of(sea: Sea) -> Any:
    return next(message for message in reversed(sea.channel.history()) if "start" in refs(message))


def labels(message: Any) -> list[str]:
    return [part.label for part in parts(message) if getattr(part, "label", None)]


async def finish_games(sea: Sea, who: Any, count: int) -> None:
    """Let somebody begin and give up this many games against the computer."""
    for _ in range(count):
        await sea.command(who, "new", computer=1)
        number = game(sea)["id"]
        await sea.command(who, "start", game=str(number))
        await sea.concede(who, number)


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_first_game_with_a_friend_is_small_unrated_and_has_hints(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language
    await sea.command(sea.anna, "new", as_newcomers=True)
    assert not game(sea)["rated"]
    assert EN.say("lobby.unrated") in text_of(lobby_of(sea))
    await sea.command(sea.bela, "join", game="1")
    await sea.command(sea.anna, "start", game="1")
    assert [len(sea.rows("seats")["seats"]), game(sea)["rated"]] == [2, 0]
    panel = sea.panel(sea.anna)
    assert Catalogue.load(language).say("button.hint") in labels(panel)
    assert "press order.F" in refs(panel), "galleys are placed automatically"


async def test_the_host_may_choose_on_the_first_page_that_it_is_rated_and_whoever_joins_changes_nothing(
    sea: Sea,
) -> None:
    await sea.command(sea.anna, "new", as_newcomers=True)
    assert EN.say("button.rating.rated") in labels(lobby_of(sea))
    await sea.click(sea.anna, lobby_of(sea), refs(lobby_of(sea))["rating 1"])
    assert EN.say("lobby.rated") in text_of(lobby_of(sea))
    await sea.command(sea.bela, "join", game="1")
    await sea.command(sea.anna, "start", game="1")
    assert game(sea)["rated"]
    assert "hint" not in refs(sea.panel(sea.anna))
    # Nobody else may choose, and nothing changes after the start.
    forged = CustomId(verb="rating", game=1, token="0")
    assert await Forger(sea, sea.bela).press(forged.pack())
    assert await Forger(sea, sea.anna).press(forged.pack())
    assert game(sea)["rated"]


async def test_captains_of_three_games_play_rated_until_somebody_new_joins(sea: Sea) -> None:
    await finish_games(sea, sea.anna, GAMES_AS_NEWCOMER)
    await finish_games(sea, sea.bela, GAMES_AS_NEWCOMER)
    await sea.command(sea.anna, "new", as_newcomers=True)
    number = str(game(sea)["id"])
    assert game(sea)["rated"]
    await sea.command(sea.bela, "join", game=number)
    assert game(sea)["rated"]
    await sea.command(sea.bela, "leave", game=number)
    await sea.command(sea.cili, "join", game=number)
    assert not game(sea)["rated"]
    await sea.command(sea.cili, "leave", game=number)
    assert game(sea)["rated"], "a newcomer who has left makes nothing unrated"
    assert EN.say("lobby.rated") in text_of(lobby_of(sea))
    await sea.bot.services.lobbies.choose_option(sea.anna.id, int(number), "captains", "2")
    await sea.command(sea.bela, "join", game=number)
    for name in ("join", "leave"):
        await sea.command(sea.cili, name, game=number)
    refused = EN.say("refuse.terms_changed", who="bela")
    assert refused in await sea.command(sea.anna, "start", game=number), "it was unrated meanwhile"
    await sea.bot.services.lobbies.choose_option(sea.anna.id, int(number), "captains", "1")
    await sea.bot.services.lobbies.choose_game(sea.anna.id, int(number), "forts")
    assert not game(sea)["rated"], "both are new to that game"
    await sea.bot.services.lobbies.choose_game(sea.anna.id, int(number), "matchbox")
    assert game(sea)["rated"]
    await sea.bot.services.lobbies.choose_rating(sea.anna.id, int(number), rated=False)
    await sea.command(sea.bela, "leave", game=number)
    assert not game(sea)["rated"], "its host has chosen"

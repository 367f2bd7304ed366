"""Each captain is asked for a word before they sit down: no host can start a game first because its dice suit."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Refusal
from bot.store.models.records import Player
from bot.texts.i18n import Catalogue
from tests.sea import AFAR, Sea, refs

EN, HU = Catalogue.load("en"), Catalogue.load("hu")


def words(sea: Sea, game: int) -> list[str | None]:
    return [row["word"] for row in sea.rows("seats")["seats"] if row["game_id"] == game]


def holders(sea: Sea, game: int) -> list[int | None]:
    return [row["user_id"] for row in sea.rows("seats")["seats"] if row["game_id"] == game]


def phase(sea: Sea, game: int) -> str:
    return str(sea.rows("games")["games"][game - 1]["phase"])


async def asked_for_word(sea: Sea, who: Any, message: Any, key: str) -> Any:
    form = await sea.click_only(who, message, refs(message)[key])
    assert form.modal, "they sat down without being asked for a word"
    return form


@pytest.mark.proves("F2")
@pytest.mark.parametrize("language", ["en-US", "hu"])
async def test_who_joins_is_asked_for_a_word_before_the_host_can_start(sea: Sea, language: str) -> None:
    """A host who knew the seed started the game in the moment in which the guest sat down."""
    await sea.command(sea.anna, "new")
    lobby = sea.channel.last_message
    sea.languages[sea.bela.id] = language
    with sea.speaking(sea.bela):
        form = await asked_for_word(sea, sea.bela, lobby, "join 1")
    assert (HU if language == "hu" else EN).say("dice.join_hint") in str(form.modal)
    assert holders(sea, 1) == [sea.anna.id, None]
    await sea.send_form(sea.bela, lobby, form, "sodrás")
    assert (holders(sea, 1), words(sea, 1)) == ([sea.anna.id, sea.bela.id], [None, "sodrás"])
    await sea.command(sea.anna, "start", game="1")
    assert phase(sea, 1) == "running"
    assert "`sodrás`" in sea.told()


@pytest.mark.proves("F2")
async def test_the_command_takes_a_word_as_well(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    refused = await sea.command(sea.bela, "join", game="1", word="a`b")
    assert holders(sea, 1) == [sea.anna.id, None], refused
    await sea.command(sea.bela, "join", game="1", word="current")
    assert words(sea, 1) == [None, "current"]


async def test_no_seat_is_taken_with_a_word_that_is_refused(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    lobby = sea.channel.last_message
    form = await asked_for_word(sea, sea.bela, lobby, "join 1")
    said = await sea.send_form(sea.bela, lobby, form, "a`b")
    assert said == EN.say("refuse.word", most=60)
    assert holders(sea, 1) == [sea.anna.id, None]


async def rematch_of_one(sea: Sea) -> Any:
    """Let Anna ask Béla for a rematch, and return Béla's invitation."""
    await sea.begin_at(AFAR, sea.bela)
    await sea.concede(sea.bela)
    end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    await sea.press(sea.anna, end, "rematch")
    return next(message for message in reversed(sea.dms(sea.bela)) if "decline_rematch" in refs(message))


@pytest.mark.proves("F2")
async def test_who_accepts_a_rematch_is_asked_for_a_word_and_the_opener_starts_it_then(sea: Sea) -> None:
    """The opener reopened it until the seed suited; the acceptance began it, without any word."""
    invitation = await rematch_of_one(sea)
    form = await asked_for_word(sea, sea.bela, invitation, "rematch")
    assert phase(sea, 2) == "lobby"
    await sea.send_form(sea.bela, invitation, form, "current")
    assert (phase(sea, 2), sorted(words(sea, 2), key=str)) == ("lobby", [None, "current"])
    await sea.command(sea.anna, "start", game="2")
    assert phase(sea, 2) == "running"


@pytest.mark.proves("F2")
async def test_a_rematch_whose_last_captain_adds_no_word_begins_at_once(sea: Sea) -> None:
    invitation = await rematch_of_one(sea)
    await sea.press(sea.bela, invitation, "rematch")
    assert phase(sea, 2) == "running"


async def test_two_who_ask_for_a_rematch_at_once_do_not_begin_it_unasked(sea: Sea) -> None:
    await rematch_of_one(sea)
    bela = Player(user_id=sea.bela.id, name="bela", locale="en")
    with pytest.raises(Refusal, match="busy"):
        await sea.bot.services.lobbies.open_or_join_rematch(bela, 1, roles=(), manager=False)
    assert phase(sea, 2) == "lobby"

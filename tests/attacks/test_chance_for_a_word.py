"""Each captain is asked for a word before they sit down: no host can start a game first because its dice suit."""

from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.proves("F2")
async def test_the_command_without_a_word_asks_for_one(sea: Sea) -> None:
    """It sat them down, and a host whose dice suited could start the game in that moment."""
    await sea.command(sea.anna, "new")
    form = await sea.bela.slash(sea.channel, sea.full_name("join"), game="1")
    assert form.modal, "they sat down without being asked for a word"
    assert holders(sea, 1) == [sea.anna.id, None]
    await sea.bela.submit_modal(form, {"text": "current"})
    await sea.settle()
    assert (holders(sea, 1), words(sea, 1)) == ([sea.anna.id, sea.bela.id], [None, "current"])


async def test_the_command_asks_for_a_word_after_a_choice_of_games_as_well(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    await sea.command(sea.cili, "new")
    await sea.command(sea.bela, "join")
    choice = sea.answers[-1]
    (ref,) = (ref for ref in refs(choice).values() if ref.verb == "again" and ref.game == 2)
    form = await sea.click_only(sea.bela, choice, ref)
    assert form.modal
    await sea.send_form(sea.bela, choice, form, "current")
    assert (holders(sea, 2), words(sea, 2)) == ([sea.cili.id, sea.bela.id], [None, "current"])


@pytest.mark.proves("F2")
@pytest.mark.parametrize("language", ["en-US", "hu"])
async def test_a_word_agrees_to_nothing_that_has_changed_while_it_was_typed(sea: Sea, language: str) -> None:
    """A host who knew the seed changed the settings, while somebody typed a word, until the dice suited."""
    await sea.command(sea.anna, "new")
    lobby = sea.channel.last_message
    sea.languages[sea.bela.id] = language
    with sea.speaking(sea.bela):
        form = await asked_for_word(sea, sea.bela, lobby, "join 1")
    await sea.bot.services.lobbies.choose_match(sea.anna.id, 1, is_match=True)
    await sea.settle()
    said = await sea.send_form(sea.bela, lobby, form, "current")
    assert (HU if language == "hu" else EN).say("say.joined_unseen") in said
    assert holders(sea, 1) == [sea.anna.id, sea.bela.id]
    assert "after bela added a word" in await sea.press(sea.anna, sea.channel.last_message, "start")
    assert phase(sea, 1) == "lobby"
    lobby = sea.channel.last_message
    form = await sea.click_only(sea.bela, lobby, refs(lobby)["word"])
    await sea.send_form(sea.bela, lobby, form, "current")
    await sea.press(sea.anna, sea.channel.last_message, "start")
    assert phase(sea, 1) == "running"


@pytest.mark.proves("F2")
async def test_the_first_word_of_a_lobby_agrees_to_nothing_that_has_changed_either(sea: Sea) -> None:
    """Only the words of others made the form notice a change of settings."""
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "join")
    lobby = sea.channel.last_message
    form = await sea.click_only(sea.bela, lobby, refs(lobby)["word"])
    await sea.bot.services.lobbies.choose_match(sea.anna.id, 1, is_match=True)
    await sea.settle()
    assert EN.say("refuse.words_unseen", words="–") in await sea.send_form(sea.bela, lobby, form, "current")
    assert words(sea, 1) == [None, None]


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


async def end_of_one(sea: Sea) -> Any:
    await sea.begin_at(AFAR, sea.bela)
    await sea.concede(sea.bela)
    return next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))


@pytest.mark.proves("F2")
async def test_who_opens_a_rematch_is_asked_for_a_word_before_it_can_begin(sea: Sea) -> None:
    """A captain who knew the seeds accepted only rematches whose dice suited; the opener had no chance for a word."""
    end = await end_of_one(sea)
    form = await asked_for_word(sea, sea.anna, end, "rematch")
    assert len(sea.rows("games")["games"]) == 1
    await sea.send_form(sea.anna, end, form, "current")
    assert "current" in words(sea, 2)
    await sea.press(sea.bela, end, "rematch")
    assert phase(sea, 2) == "lobby", "Béla's acceptance came after Anna's word"
    await sea.press(sea.anna, sea.channel.last_message, "start")
    assert phase(sea, 2) == "running"


async def test_only_captains_of_a_game_are_asked_for_a_word_for_its_rematch(sea: Sea) -> None:
    end = await end_of_one(sea)
    assert EN.say("refuse.not_seated") in await sea.press(sea.cili, end, "rematch")
    assert len(sea.rows("games")["games"]) == 1


async def test_two_who_ask_for_a_rematch_at_once_have_both_been_asked(sea: Sea) -> None:
    end = await end_of_one(sea)
    annas, belas = [await asked_for_word(sea, who, end, "rematch") for who in (sea.anna, sea.bela)]
    await sea.send_form(sea.anna, end, annas, "")
    said = await sea.send_form(sea.bela, end, belas, "current")
    assert EN.say("say.joined_unseen") in said, "the rematch was not open when the form was"
    assert phase(sea, 2) == "lobby"

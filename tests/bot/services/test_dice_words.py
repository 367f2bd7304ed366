"""Words that captains add to the dice: given in the lobby, seen by all, and part of every throw."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from bot.errors import Refusal
from bot.record.export import RunningGame, check_export, decode_export
from bot.services.lobby import refuse_unagreed_words
from bot.texts.i18n import Catalogue
from rules.chance import fairness
from tests.bot.papers import exported
from tests.bot.records import assert_holds
from tests.sea import AFAR, Sea, refs, text_of

HOSTILE = "<@1> @everyone **b** [x](https://x.y) ||s|| # h"


async def add(sea: Sea, who: Any, text: str) -> str:
    lobby = sea.channel.last_message
    form = await sea.click_only(who, lobby, refs(lobby)["word"])
    return await sea.send_form(who, lobby, form, text)


async def in_a_lobby(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    await sea.command(sea.bela, "join")


async def start(sea: Sea) -> str:
    return await sea.press(sea.anna, sea.channel.last_message, "start")


def words(sea: Sea) -> list[str | None]:
    return [row["word"] for row in sea.rows("seats")["seats"]]


async def test_captains_add_words_and_all_see_them(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.command(sea.anna, "new", galleys="1")
    (game,) = sea.rows("games")["games"]
    hashed = fairness.hash_seed(game["seed"])
    assert hashed in text_of(sea.channel.last_message)  # before anybody has said a word
    lobby = sea.channel.last_message
    assert "Nem vagy benne" in await sea.press(sea.bela, lobby, "word")
    await sea.command(sea.bela, "join")
    said = await add(sea, sea.bela, f"  {HOSTILE}\n")
    assert "Megkaptam" in said
    assert words(sea) == [None, HOSTILE]
    text = text_of(sea.channel.last_message)
    unpinging = HOSTILE.replace("@", "@\u200b")
    quoted = f"`{unpinging}`"
    assert quoted in text
    assert quoted in said
    for bad in ("a\u200bb", "\u202eabc", "\u3164", "a`b"):
        assert "mind látható" in await add(sea, sea.bela, bad)
    assert words(sea) == [None, HOSTILE]
    await add(sea, sea.bela, "tide")
    await start(sea)
    assert "`tide`" in sea.told()
    text = text_of(sea.again(sea.anna, lobby))
    assert "`tide`" in text
    assert hashed in text
    paper = decode_export(await exported(sea, sea.cili))
    assert isinstance(paper, RunningGame)
    assert paper.words == (None, "tide")
    with pytest.raises(Refusal, match="already_started"):
        await sea.bot.services.lobbies.add_word(sea.bela.id, 1, "late")
    await sea.concede(sea.bela)
    record = await assert_holds(sea)
    assert record.words == (None, "tide")
    assert record.dice_seed == fairness.derive_dice_seed(game["seed"], (None, "tide"))


@pytest.mark.proves("F4")
async def test_nobody_has_the_last_word_unless_the_others_agree(sea: Sea) -> None:
    """Somebody who knows the seed could choose the word that makes the dice fall as they like."""
    await in_a_lobby(sea)
    await add(sea, sea.bela, "tide")
    await add(sea, sea.anna, "chosen by who knows the seed")
    assert "bela added a word" in text_of(sea.channel.last_message)
    for refused in (await start(sea), await sea.command(sea.anna, "start")):
        assert "after bela added a word" in refused
    # Béla looks, and answers with another: now the host must have seen that.
    await add(sea, sea.bela, "ebb")
    with pytest.raises(Refusal, match="words_changed"):  # as a press of the lobby as it was before
        await sea.bot.services.lobbies.start_game(sea.anna.id, 1, seen="")
    assert "after anna added a word" in await sea.command(sea.anna, "start")
    # To take a word away changes the dice as well, and so does to leave; but the same word changes nothing.
    await add(sea, sea.anna, "")
    assert words(sea) == [None, "ebb"]
    assert "after bela added a word" in await start(sea)
    await add(sea, sea.bela, "ebb")
    await add(sea, sea.anna, "wind")
    await sea.command(sea.bela, "leave")
    assert words(sea) == ["wind", None]
    await sea.command(sea.bela, "join")
    assert "after anna added a word" in await sea.command(sea.anna, "start")
    # Who presses Start where the words stand has seen them, and the lobby says that this accepts them.
    await add(sea, sea.bela, "")
    text = text_of(sea.channel.last_message)
    assert Catalogue.load("en").say("dice.host_agrees", who="anna") in text
    assert "again" not in text
    await start(sea)
    assert sea.rows("games")["games"][0]["phase"] == "running"
    assert "`wind`" in sea.told()


async def test_other_words_throw_other_dice_also_after_going_back(sea: Sea) -> None:
    """Games of one seed; a restart keeps the words, and a substitute's seat keeps the word of who sat there."""
    dice = []
    for number, word in enumerate(("tide", "ebb"), 1):
        await sea.command(sea.anna, "new", galleys="1")
        await sea.command(sea.bela, "join", game=str(number))
        await add(sea, sea.bela, word)
        sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?), seed = ?", AFAR, "5e" * 32)
        sea.change_rows("DELETE FROM published")  # of the seed that was drawn
        await sea.restart()
        await sea.command(sea.anna, "start", game=str(number))
        async with sea.bot.services.store.read() as tx:
            step = await tx.steps.find(number, 0)
        assert step is not None
        assert fairness.derive_dice_seed("5e" * 32, (None, word)) in step.state
        dice.append(step.state)
    assert dice[0] != dice[1]
    chief = sea.manager()
    for who, text in ((sea.anna, "A1 FFFFF"), (sea.bela, "B1 FFFFF")):
        await sea.seal(who, f"#2 {text}")
    await sea.command(sea.anna, "host undo", game="2", to_round=1)
    (act_id,) = [row["id"] for row in sea.rows("acts")["acts"] if row["kind"] == "undo_asked"]
    message = next(message for message in sea.thread.history() if f"agree_act {act_id}" in refs(message))
    await sea.press(sea.bela, message, f"agree_act {act_id}")
    await sea.command(chief, "host replace", game="2", whose="bela", substitute=sea.cili)
    await sea.concede(sea.anna, 2)
    data = await exported(sea, sea.cili, 2)
    assert check_export(data) is None
    assert b'"words":[null,"ebb"]' in data


async def all_agree(sea: Sea) -> None:
    for who, word in ((sea.anna, "amphora"), (sea.bela, "rostrum"), (sea.anna, "amphora")):
        await sea.bot.services.lobbies.add_word(who.id, 1, word)
    await sea.settle()
    assert [bool(seat["word_agreed"]) for seat in sea.rows("seats")["seats"] if seat["word"]] == [True, True]


@pytest.mark.proves("F4")
async def test_one_who_gave_a_word_is_asked_again_when_seats_and_so_the_dice_change(sea: Sea) -> None:
    await sea.command(sea.anna, "new", captains=2)
    await sea.press(sea.cili, sea.channel.last_message, "join 1")
    await sea.press(sea.bela, sea.channel.last_message, "join 1")
    await sea.command(sea.cili, "leave")
    await all_agree(sea)
    before = (await sea.bot.services.reader.games.seated_game(1)).dice_seed
    await sea.choose(sea.anna, "captains", "1")
    await sea.choose(sea.anna, "captains", "2")
    seats = sea.rows("seats")["seats"]
    agreed = {seat["user_id"]: bool(seat["word_agreed"]) for seat in seats}
    after = (await sea.bot.services.reader.games.seated_game(1)).dice_seed
    # Same game, same words, same setup, other dice: her word stands in another seat, and nobody asked her.
    assert after == before or not agreed[sea.bela.id]


async def test_one_who_gave_a_word_is_asked_again_when_somebody_changes_sides(sea: Sea) -> None:
    """Cili knows the seed: when the words are settled she sits down on the side on which the dice smile."""
    await sea.command(sea.anna, "new", captains=2)
    await sea.press(sea.cili, sea.channel.last_message, "join 0")
    await sea.press(sea.bela, sea.channel.last_message, "join 1")
    await all_agree(sea)
    seen = refs(sea.channel.last_message)["start"].request
    await sea.command(sea.cili, "leave")
    await sea.press(sea.cili, sea.channel.last_message, "join 1")
    agreed = {seat["user_id"]: bool(seat["word_agreed"]) for seat in sea.rows("seats")["seats"]}
    assert not agreed[sea.bela.id]
    assert refs(sea.channel.last_message)["start"].request != seen, "by an old Start the host would agree to it unseen"


# Sending one's word again agrees only to the words that one has seen.
async def test_a_form_agrees_to_words_that_came_after_it_was_opened(sea: Sea) -> None:
    """Anna knows the seed (as the operator or a friend): she hears of the opened form, and then changes her word."""
    await in_a_lobby(sea)
    await add(sea, sea.bela, "tide")
    await add(sea, sea.anna, "harmless")
    lobby = sea.channel.last_message
    form = await sea.click_only(sea.bela, lobby, refs(lobby)["word"])  # Béla sees `harmless`, and agrees
    await add(sea, sea.anna, "chosen by who knows the seed")
    await sea.send_form(sea.bela, lobby, form, "tide")
    await start(sea)
    assert sea.rows("games")["games"][0]["phase"] == "lobby"


def twins(other: str) -> tuple[str, str]:
    """Find two words whose token, beside another's word, is equal: 28 bits, so some 20,000 tries."""
    seen: dict[str, str] = {}
    for number in itertools.count():
        word = f"tide {number}"
        token = fairness.hash_words((other, word))[:7]
        if token in seen:
            return seen[token], word
        seen[token] = word
    raise AssertionError


async def test_the_host_agrees_to_words_with_the_token_of_those_that_they_have_seen(sea: Sea) -> None:
    """Béla is the operator's friend: of many such pairs Béla takes one whose second word throws the dice Béla wants."""
    await in_a_lobby(sea)
    await add(sea, sea.anna, "reef")
    visible_word, chosen = twins("reef")
    await add(sea, sea.bela, visible_word)
    lobby = sea.channel.last_message
    seen = refs(lobby)["start"]
    with sea.at_once():  # Béla changes the word while Anna presses Start under the one before
        await sea.bot.services.lobbies.add_word(sea.bela.id, 1, chosen)
        await sea.click_only(sea.anna, lobby, seen)
    await sea.settle()
    assert words(sea) == ["reef", chosen]
    assert sea.rows("games")["games"][0]["phase"] == "lobby"


async def test_options_are_not_chosen_by_what_the_dice_that_all_have_agreed_to_do_in_them(sea: Sea) -> None:
    """Anna knows the seed: when the words are settled she chooses what falls best for her."""
    await in_a_lobby(sea)
    await add(sea, sea.bela, "tide")
    await sea.choose(sea.anna, "deployment", "turns")
    assert "Something changed after" in await start(sea)
    assert sea.rows("games")["games"][0]["phase"] == "lobby"
    await add(sea, sea.bela, "another tide")
    await sea.command(sea.anna, "start")
    assert sea.rows("games")["games"][0]["phase"] == "running"


CHANGES = ("anna reef", "bela tide", "anna wind", "bela ebb", "anna", "bela", "anna galleys")
"""Words that captains give, change or take back (no word), and the option `galleys`, which the host changes."""
SAYS = {"refused": "press **Add to the dice** again", "accepts": "By pressing **Start**, anna accepts", "begins": ""}


@pytest.mark.parametrize("first", CHANGES[:2])
async def test_what_the_lobby_says_of_words_is_what_a_press_of_start_does(sea: Sea, first: str) -> None:
    await in_a_lobby(sea)
    who, seen, galleys = {"anna": sea.anna, "bela": sea.bela}, set[str](), itertools.cycle("345")
    lobbies, done = sea.bot.services.lobbies, ""
    for order in itertools.permutations([change for change in CHANGES if change != first], 2):
        sea.change_rows("DELETE FROM tallies")  # so many changes would be refused
        for captain in who.values():
            await lobbies.add_word(captain.id, 1, "")
        for step in (first, *order):
            name, _, word = step.partition(" ")
            if word == "galleys":
                await lobbies.choose_option(sea.anna.id, 1, word, next(galleys))
            else:
                await lobbies.add_word(who[name].id, 1, word)
        await sea.settle()
        message = sea.channel.last_message
        said = next(what for what, line in SAYS.items() if line in text_of(message))
        playing = await sea.bot.services.reader.games.seated_game(1)
        try:
            refuse_unagreed_words(playing, refs(message)["start"].request)  # as a press of this very button does
            done = "begins"
        except Refusal:
            done = "refused"
        assert done == ("refused" if said == "refused" else "begins"), (first, order)
        seen.add(said)
    assert seen == {*SAYS}
    await start(sea)
    assert (sea.rows("games")["games"][0]["phase"] == "lobby") == (done == "refused")


@pytest.mark.proves("F4")
@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_guest_without_a_word_agrees_before_a_friendly_game_that_became_rated_or_a_match_begins(
    sea: Sea, language: str
) -> None:
    if language == "hu":
        sea.move_to_server("hu")
    sea.languages |= {sea.anna.id: language, sea.bela.id: language}
    say, lobbies = Catalogue.load(language).say, sea.bot.services.lobbies
    asked = say("lobby.terms_changed", who="bela").partition("bela")[2].partition("bela")[0]
    await sea.command(sea.anna, "new", rated=False)
    await sea.command(sea.bela, "join")

    async def is_refused() -> bool:
        await sea.settle()
        refused = say("refuse.terms_changed", who="bela") in await start(sea)
        phase = sea.rows("games")["games"][0]["phase"]
        assert (refused, asked in text_of(sea.again(sea.anna, sea.channel.last_message))) == ((phase == "lobby"),) * 2
        return refused

    await lobbies.choose_rating(sea.anna.id, 1, rated=True)
    assert await is_refused()
    stale = sea.channel.last_message
    form = await sea.click_only(sea.bela, stale, refs(stale)["word"])
    await lobbies.choose_match(sea.anna.id, 1, is_match=True)
    await sea.send_form(sea.bela, stale, form, "")
    assert await is_refused(), "he has not seen that it's a match"
    assert say("say.word_taken_back") in await add(sea, sea.bela, "")
    assert asked not in text_of(sea.channel.last_message)
    for is_match in (False, True):
        await lobbies.choose_match(sea.anna.id, 1, is_match=is_match)
    assert await is_refused()
    await lobbies.choose_match(sea.anna.id, 1, is_match=False)
    await lobbies.choose_rating(sea.anna.id, 1, rated=False)
    assert not await is_refused(), "it's what he joined"

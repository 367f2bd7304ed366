"""Attack: a captain sends his word again for words that he has seen, and so agrees to another that he has not."""

from __future__ import annotations

import itertools

from rules import fairness
from tests.bot.doors.test_dice_words import add, start, words
from tests.sea import Sea, refs


async def test_a_form_agrees_to_words_that_came_after_it_was_opened(sea: Sea) -> None:
    """Anna knows the seed (the operator's friend, or he): she hears of the opened form, and changes her word then."""
    await sea.command(sea.anna, "new", galleys="1")
    await sea.command(sea.bela, "join")
    await add(sea, sea.bela, "tide")
    await add(sea, sea.anna, "harmless")
    lobby = sea.channel.last_message
    shown = await sea.click_only(sea.bela, lobby, refs(lobby)["word"])  # he sees `harmless`, and agrees
    await add(sea, sea.anna, "chosen by who knows the seed")
    await sea.send_form(sea.bela, lobby, shown, "tide")
    await start(sea)
    assert sea.rows("games")["games"][0]["phase"] == "lobby"


def twins(other: str) -> tuple[str, str]:
    """Two words beside another's that have the same token: 28 bits, so some 20,000 tries."""
    seen: dict[str, str] = {}
    for number in itertools.count():
        word = f"tide {number}"
        token = fairness.words_hash((other, word))[:7]
        if token in seen:
            return seen[token], word
        seen[token] = word
    raise AssertionError


async def test_the_host_agrees_to_words_with_the_token_of_those_that_he_has_seen(sea: Sea) -> None:
    """Béla is the operator's friend: of many such pairs he takes one whose second word throws his dice."""
    await sea.command(sea.anna, "new", galleys="1")
    await sea.command(sea.bela, "join")
    await add(sea, sea.anna, "reef")
    shown, chosen = twins("reef")
    await add(sea, sea.bela, shown)
    lobby = sea.channel.last_message
    seen = refs(lobby)["start"]
    with sea.at_once():  # he changes his word while she presses Start under the one before
        await sea.bot.table.add_word(sea.bela.id, 1, chosen)
        await sea.click_only(sea.anna, lobby, seen)
    await sea.settle()
    assert words(sea) == ["reef", chosen]
    assert sea.rows("games")["games"][0]["phase"] == "lobby"


async def test_options_are_not_chosen_by_what_the_dice_that_all_have_agreed_to_do_in_them(sea: Sea) -> None:
    """Anna knows the seed: when the words are settled she chooses what falls best for her."""
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "join")
    await add(sea, sea.bela, "tide")
    await sea.choose(sea.anna, "deployment", "turns")
    assert "what is played was changed" in await start(sea)
    assert sea.rows("games")["games"][0]["phase"] == "lobby"
    await add(sea, sea.bela, "another tide")
    await sea.command(sea.anna, "start")
    assert sea.rows("games")["games"][0]["phase"] == "running"

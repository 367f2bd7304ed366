"""`/galley help rule:` and the button **Rule**: any rule, privately, in the reader's language, as their game has it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord.limits import MAX_TEXT_CHARS
from bot.discord.messages.rules import lay_out_rule
from bot.presenters import rules
from bot.texts.rule_text import describe_rule
from bot.texts.rulebooks import Book, load_rulebook, rulebook_languages
from rules.core.registry import RULESETS
from tests.sea import Sea, parts, refs, text_of

WITH_BOOK = [system for system in RULESETS if rulebook_languages(system)]
ILLEGAL = {
    "matchbox": ("A1 @300,300", "MB-2.2"),
    "forts": ("BB A1", "NB-02.2"),
    "ramspeed": ("A1: fwd 99", "RS-21.4"),
    "squadrons": ("B1: F\nR1: F", "SQ-24.2"),
    "campaign": ("A1: ZZZ", "CA-3.3"),
}
"""Orders that each game's first question forbids, and the rule that does so."""


def book_of(system: str, language: str = "en") -> Book:
    book = load_rulebook(system, language)
    assert book
    return book


def first_rule_with(book: Book, attribute: str) -> Any:
    return next(rule for rule in book.rules.values() if getattr(rule.facts, attribute))


async def begin(sea: Sea, system: str) -> None:
    """Begin Anna's game against the computer, and answer its first question if that is which ship is the flagship."""
    await sea.begin(system=system, computer=1)
    if system == "forts":
        await sea.press(sea.anna, sea.panel(sea.anna), "seal")


def shows_rule(text: str, book: Book, number: str) -> bool:
    """Return whether a text shows a rule: number, title, chapter and the beginning of its text."""
    rule = describe_rule(book, book.rules[number])
    return text.startswith(f"### {number} · {rule.title}\n") and rule.chapter in text and rule.paragraphs[0] in text


def menu(message: Any) -> list[str]:
    return [option.value for part in parts(message) for option in getattr(part, "options", [])]


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", WITH_BOOK)
@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_rule_is_shown_privately_in_the_readers_language(sea: Sea, system: str, language: str) -> None:
    sea.languages[sea.anna.id] = language
    book = book_of(system, language)
    number = next(iter(book.rules))
    before = len(sea.channel.history())
    said = await sea.command(sea.anna, "help", rule=number)
    assert shows_rule(said, book, number)
    assert all(answer.flags.ephemeral for answer in sea.answers)
    assert len([message for message in sea.channel.history() if not message.flags.ephemeral]) == before
    assert shows_rule(await sea.direct_command(sea.bela, "help", rule=number), book_of(system), number)


@pytest.mark.parametrize("system", WITH_BOOK)
async def test_each_rule_of_each_book_is_found_and_fits_a_message(sea: Sea, system: str) -> None:
    for language in ("en", "hu"):
        for number in book_of(system, language).rules:
            assert rules.look_up_rule(language, number, None).rule is not None, number
            page = rules.read_rule(language, number, None)
            shown = []
            for page_no in range(9):
                message = lay_out_rule(language, page, 0, page_no)
                text = "\n".join(part.content for part in message.view.walk_children() if hasattr(part, "content"))
                assert 0 < len(text) <= MAX_TEXT_CHARS, number
                if text in shown:
                    break
                shown.append(text)
            assert page.description.paragraphs[-1] in "\n".join(shown), number
            assert page.description.source[0] in "\n".join(shown), number


@pytest.mark.skipif(not WITH_BOOK, reason="no game has a rulebook")
async def test_related_rules_replace_the_message_also_after_a_restart(sea: Sea) -> None:
    book = book_of(WITH_BOOK[0])
    rule = first_rule_with(book, "related")
    await sea.command(sea.anna, "help", rule=rule.number)
    (message,) = sea.answers
    assert menu(message)[: len(rule.facts.related)] == [*rule.facts.related]
    await sea.restart()
    number = rule.facts.related[0]
    result = await sea.anna.select(message, [number], custom_id=refs(message)["rule"].pack())
    await sea.env.settle()
    assert sea.said(result, pressed=message.id) == ""
    assert shows_rule(text_of(sea.again(sea.anna, message)), book, number)


async def suggestions(sea: Sea, who: Any, typed: str, *, at: Any = None) -> list[str]:
    choices = await who.autocomplete(at or sea.channel, "galley help", "rule", typed)
    assert all(len(choice["name"]) <= 100 for choice in choices)
    return [choice["value"] for choice in choices]


@pytest.mark.parametrize("system", WITH_BOOK)
async def test_suggestions_are_found_by_number_title_and_words(sea: Sea, system: str) -> None:
    book = book_of(system)
    number, rule = list(book.rules.items())[-1]
    for typed in (number, number.lower(), rule.texts.title):
        assert (await suggestions(sea, sea.anna, typed))[0] == number, typed
    tag = book.texts.tags[rule.facts.tags[0]]
    tagged = {other.number for other in book.rules.values() if rule.facts.tags[0] in other.facts.tags}
    assert tagged & {*await suggestions(sea, sea.anna, tag)}
    assert len(await suggestions(sea, sea.anna, "")) == 25
    assert await suggestions(sea, sea.anna, "x" * 101) == []


@pytest.mark.parametrize("system", WITH_BOOK)
async def test_in_a_lobby_and_a_game_its_own_rules_come_first_and_those_of_options_that_are_off_are_left_out(
    sea: Sea, system: str
) -> None:
    book = book_of(system)
    await sea.command(sea.anna, "new", system=system, computer=1)
    (seated_game,) = await sea.bot.services.reader.games.seated_games(
        await sea.bot.services.reader.games.games_of_user(sea.anna.id)
    )
    options = rules.chosen_options(seated_game)
    unused = [number for number, rule in book.rules.items() if not rule.facts.applies(options)]
    own = [number for number in book.rules if number not in unused]
    assert await suggestions(sea, sea.bela, "") == own[:25]
    for number in unused[:1]:
        assert number not in await suggestions(sea, sea.anna, number)
        said = await sea.command(sea.anna, "help", rule=number)
        assert shows_rule(said, book, number)
        assert "This game does not use it." in said
    await sea.command(sea.anna, "start")
    assert await suggestions(sea, sea.bela, "", at=sea.thread) == own[:25]
    said = await sea.command(sea.bela, "help", at=sea.thread, rule=own[0])
    assert "#1" in said.splitlines()[1]
    assert "does not use it" not in said


@pytest.mark.parametrize("system", WITH_BOOK)
async def test_in_a_game_a_rule_says_what_its_options_change(sea: Sea, system: str) -> None:
    book = book_of(system)
    changed = [rule for rule in book.rules.values() if rule.texts.changes]
    if not changed:
        return
    key, texts = next(iter(changed[0].texts.changes.items()))
    value, text = next(iter(texts.items()))
    if value not in next(spec.values for spec in RULESETS[system].options if spec.key == key):
        return  # of an earlier edition
    await sea.command(sea.anna, "new", system=system, computer=1, **{key: value})
    said = await sea.command(sea.anna, "help", rule=changed[0].number)
    assert "**In this game**" in said
    assert text.split("`")[0].split("**")[0] in said
    outside = await sea.direct_command(sea.bela, "help", rule=changed[0].number)
    assert "**In this game**" not in outside
    assert outside.count("\nWith **") >= len(changed[0].texts.changes)


@pytest.mark.skipif(not WITH_BOOK, reason="no game has a rulebook")
async def test_what_is_unknown_or_ambiguous_is_refused_with_the_nearest_rules(sea: Sea) -> None:
    system = WITH_BOOK[0]
    book = book_of(system)
    family = next(iter(book.rules))[:2]
    before = sea.rows()
    said = await sea.command(sea.anna, "help", rule=f"{family}-999.9")
    assert f"no rule `{family}-999.9`" in said
    (message,) = sea.answers
    assert menu(message)
    assert menu(message)[0] in book.rules
    said = await sea.command(sea.anna, "help", rule=f"{family}-")
    assert "Several rules fit" in said
    (message,) = sea.answers
    number = menu(message)[1]
    result = await sea.anna.select(message, [number], custom_id=refs(message)["rule"].pack())
    await sea.env.settle()
    assert sea.said(result, pressed=message.id) == ""
    assert shows_rule(text_of(sea.again(sea.anna, message)), book, number)
    sea.languages[sea.anna.id] = "hu"
    for nonsense in ("`@everyone` **x**", "🔥", "((", "-"):
        said = await sea.command(sea.anna, "help", rule=nonsense)
        assert "Nincs ilyen szabály" in said
        assert "@everyone" not in said
    assert {name: rows for name, rows in sea.rows().items() if name != "players"} == {
        name: rows for name, rows in before.items() if name != "players"
    }


# --- the button of a refusal -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", WITH_BOOK)
@pytest.mark.parametrize("language", ["en", "hu"])
async def test_one_press_leads_from_refused_orders_to_the_rule(sea: Sea, system: str, language: str) -> None:
    await begin(sea, system)
    sea.languages[sea.anna.id] = language
    await sea.command(sea.anna, "me", language=language)
    text, number = ILLEGAL[system]
    assert f"({number})" in await sea.write(sea.anna, text)
    refusal = next(message for message in reversed(sea.dms(sea.anna)) if f"rule {number}" in refs(message))
    await sea.restart()
    before = text_of(refusal)
    assert shows_rule(await sea.press(sea.anna, refusal, f"rule {number}"), book_of(system, language), number)
    assert all(answer.flags.ephemeral for answer in sea.answers)
    assert "#1" in text_of(sea.answers[0]).splitlines()[1]
    assert text_of(sea.again(sea.anna, refusal)) == before


@pytest.mark.parametrize("system", WITH_BOOK)
async def test_one_press_leads_from_a_refused_form_or_command_to_the_rule(sea: Sea, system: str) -> None:
    await begin(sea, system)
    text, number = ILLEGAL[system]
    panel = sea.panel(sea.anna)
    said = await sea.send_form(sea.anna, panel, await sea.open_form(sea.anna, panel), text)
    assert f"({number})" in said
    assert shows_rule(await sea.press(sea.anna, sea.answers[0], f"rule {number}"), book_of(system), number)
    said = await sea.command(sea.anna, "orders", text=text)
    assert f"({number})" in said
    assert shows_rule(await sea.press(sea.anna, sea.answers[0], f"rule {number}"), book_of(system), number)


async def test_a_refusal_without_a_rule_has_no_such_button(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    await sea.command(sea.anna, "join", game="99")
    assert not any(key.startswith("rule") for answer in sea.answers for key in refs(answer))

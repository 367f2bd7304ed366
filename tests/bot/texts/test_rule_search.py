"""Rules are found by number, title and words, as people type them."""

from __future__ import annotations

import msgspec
import pytest

from bot.texts.rule_search import MAX_NEAREST, fold, nearest_rules, search_rules
from bot.texts.rulebooks import Book, BookRule, RulebookTexts
from rules.core.rulebook import Rulebook

RULES = {
    "AB-1.1": ("Rowing ahead", "A galley moves one length.", "speed"),
    "AB-1.2": ("Rowing astern", "A galley backs half a length.", "speed"),
    "AB-1.10": ("Ramming", "Whoever is rammed takes damage.", "damage"),
    "AB-5.8": ("Döfés oldalba", "Az evezők törnek.", "damage"),
}
OTHERS = {
    "CD-01.1": ("Ramming", "A ship rams.", "damage"),
    "CD-08.0": ("Sky", "It is blue.", "weather"),
    "CD-05.8": ("Wind", "The wind blows.", "weather"),
}
EXAMPLE = {"position": "", "play": []}


def made_book(system: str, rules: dict[str, tuple[str, str, str]]) -> Book:
    facts = {number: {"source": "printed", "tags": [tag]} for number, (_, _, tag) in rules.items()}
    chapters = [{"key": "sea", "rules": [*rules]}]
    texts = {number: {"title": title, "text": text} for number, (title, text, _) in rules.items()}
    tags = {tag: f"{tag} sign" for *_, tag in rules.values()}
    rulebook = msgspec.convert({"chapters": chapters, "rules": facts, "example": EXAMPLE}, Rulebook)
    example = {"title": "", "text": [], "picture": ""}
    said = {"turn": [], "example": example, "chapters": {"sea": "Sea"}, "tags": tags, "rules": texts}
    words = msgspec.convert(said, RulebookTexts)
    entries = {number: BookRule(system, number, "sea", rulebook.rules[number], words.rules[number]) for number in rules}
    return Book(system, "en", rulebook, words, entries, {})


@pytest.fixture(scope="module")
def books():
    return [made_book("first", RULES), made_book("second", OTHERS)]


def numbers(rules) -> list[str]:
    return [rule.number for rule in rules]


@pytest.mark.parametrize("typed", ["AB-5.8", "ab-5.8", " AB 5.8 ", "ab5.8", "AB-05.8", "AB–5.8", "ab-5.8."])
def test_a_number_is_read_as_people_write_it(books, typed):
    matches = search_rules(books, typed)
    assert matches.is_certain
    assert numbers(matches.rules)[0] == "AB-5.8"


@pytest.mark.parametrize("typed", ["CD-08.0", "cd-8.0", "8.0", "8.00"])
def test_an_item_may_be_zero(books, typed):
    assert numbers(search_rules(books, typed).rules) == ["CD-08.0"]


def test_a_number_without_its_game_is_that_games_in_which_it_is_typed(books):
    assert not search_rules(books, "5.8").is_certain
    assert {*numbers(search_rules(books, "5.8").rules)} == {"AB-5.8", "CD-05.8"}
    matches = search_rules(books, "5.8", "second")
    assert (matches.is_certain, numbers(matches.rules)[0]) == (True, "CD-05.8")


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("1", ["AB-1.1", "CD-01.1", "AB-1.2", "AB-1.10"]),
        ("ab-1.", ["AB-1.1", "AB-1.2", "AB-1.10"]),
        ("ab-1.1", ["AB-1.1", "AB-1.10"]),
        ("cd", ["CD-01.1", "CD-08.0", "CD-05.8"]),
        ("row", ["AB-1.1", "AB-1.2"]),
        ("astern row", ["AB-1.2"]),
        ("dofes", ["AB-5.8"]),
        ("EVEZŐK", ["AB-5.8"]),
        ("weather", ["CD-08.0", "CD-05.8"]),
        ("wind sign", ["CD-05.8"]),
        ("half a length", ["AB-1.2"]),
        ("damage", ["CD-01.1", "AB-1.10", "AB-5.8"]),
        ("ZZZ", []),
        ("-", []),
        ("…", []),
    ],
)
def test_words_are_found_in_titles_first_then_in_tags_and_texts(books, typed, wanted):
    assert numbers(search_rules(books, typed).rules) == wanted


def test_of_two_titles_alike_neither_is_certain_but_the_own_games_is(books):
    assert not search_rules(books, "Ramming").is_certain
    assert search_rules(books, "ramming", "second").is_certain


def test_the_only_match_is_certain_and_no_query_is_none(books):
    assert search_rules(books, "wind").is_certain
    assert not search_rules(books, "weather").is_certain
    assert not search_rules(books, "").is_certain
    assert not search_rules([], "").rules
    assert numbers(search_rules(books, "").rules)[:2] == ["AB-1.1", "CD-01.1"]
    assert numbers(search_rules(books, "", "second").rules)[:4] == ["CD-01.1", "CD-08.0", "CD-05.8", "AB-1.1"]


@pytest.mark.parametrize(
    ("typed", "nearest"),
    [("AB-1.3", "AB-1.2"), ("AB-9.9", "AB-5.8"), ("9.9", "CD-08.0"), ("ZZ-1.1", "AB-1.1"), ("raming", "AB-1.10")],
)
def test_an_unknown_rule_has_near_ones(books, typed, nearest):
    rules = nearest_rules(books, typed)
    assert numbers(rules)[0] == nearest
    assert len(rules) <= MAX_NEAREST


@pytest.mark.parametrize("typed", ["x" * 5000, "\0", "((((", "9" * 90, "MB-" + "9" * 90, "🔥", "a " * 2000])
def test_nonsense_finds_nothing_certain(books, typed):
    assert not search_rules(books, typed).is_certain
    nearest_rules(books, typed)


def test_accents_capitals_and_blanks_do_not_matter():
    assert fold("  Döfés   A‑Ő ") == "dofes a-o"

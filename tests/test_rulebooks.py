"""The rulebook of each game has all rules, alike in every language, in words of our own."""

from __future__ import annotations

import re

import pytest

from bot.texts.rulebooks import FACTS_FILE, RulebookError, load_rulebook, rulebook_languages, text_file
from rules.core.registry import RULESETS
from rules.core.rulebook import RuleFacts, RuleTable
from tests import games
from tests.english import ROOT, docstrings, modules, prose
from tests.rulebooks import LAWS, SEEDS, nothing_is_copied_from_the_printed_rules


@pytest.mark.parametrize("system", games.tested)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law, system):
    if law is nothing_is_copied_from_the_printed_rules and not SEEDS.exists():
        pytest.skip("the printed rules lie beside the repository where it was made")
    assert law(system) == []


RULES = frozenset(
    rule for game in RULESETS if (book := load_rulebook(game, "en")) for rule in book.rules
)  # such as MB-5.8
CHAPTERS = frozenset(rule.partition(".")[0] for rule in RULES)  # such as MB-5
PREFIXES = "|".join(sorted({rule[:2] for rule in RULES}))
CITATION = re.compile(rf"\b({PREFIXES})-([0-9]+(?:\.[0-9]+)?)((?:(?:, | and | to | or |/)[0-9]+\.[0-9]+)*)")
UNKNOWN_SOURCE = re.compile(
    rf"""\b(?:part|section|chapter)s?\ [0-9]
    |\b(?:{PREFIXES}),?\ (?:part|section|chapter|[0-9])
    |(?<![-\w])(?:[AD]-|D|U)[0-9]{{1,2}}(?=\s*(?:[,;:)]|to\b|$))
    |(?<![-\w.])[0-9]{{1,2}}\.[A-H]\b|\b[A-H]\.[0-9]
    |(?:(?<=\()|(?<=[,;]\ )|(?<=\bof\ )|(?<=^\#\ ))[1-9][0-9]?\.[0-9]{{1,2}}(?=\s*(?:[,;:)]|$|[A-H]\b|that\b))""",
    re.VERBOSE | re.MULTILINE,
)  # numbers of a document that nobody can open, such as `10.3`, `D-4` or `MB part 9`


def wrong_citations(text: str) -> list[str]:
    """Return what a comment cites that is no rule or chapter of a rulebook."""
    cited = [
        f"{prefix}-{number}"
        for prefix, first, more in CITATION.findall(text)
        for number in (first, *re.findall(r"[0-9.]+", more))
    ]
    unknown = [number for number in cited if number not in (RULES if "." in number else CHAPTERS)]
    return unknown + UNKNOWN_SOURCE.findall(CITATION.sub("", text))


@pytest.mark.parametrize("folder", ["bot", "render", "rules", "tests"])
def test_comments_cite_only_rules_that_a_rulebook_has(folder):
    wrong = {
        f"{path.relative_to(ROOT)}:{line}": citations
        for path in modules(folder)
        for line, text in docstrings(path)
        if (citations := wrong_citations(prose(text)))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "text",
    [
        *("Fire (MB-99.1).", "Fire (MB-6.3, 6.99).", "Fire (SQ-11).", "Orders (SQ 9.5).", "Masts (MX part 7)."),
        *("# 10.5, SQ-14.4", "# D-4", "a bought Crew (6.D)", "# in the order of 10.3", "(RS-07 to RS-10, part 10.3)"),
    ],
)
def test_a_citation_that_leads_nowhere_is_noticed(text):
    assert wrong_citations(text)


def test_citations_of_rules_and_other_numbers_are_let_be():
    assert not wrong_citations("Rams of vessels (MB-5.8, 5.9, MX-2.1) and SQ-13, within 0.05 mm, 1.5 times, A1 and B2.")


FACTS = """
[example]
position = "two_forts 7 white wind - 0 white=west BB/BB"
play = ["0: end"]
[[chapters]]
key = "sea"
rules = ["TO-1.1", "TO-1.2"]
[rules."TO-1.1"]
source = "printed"
tags = ["ship"]
when = { rounds = ["3"] }
[rules."TO-1.2"]
source = "ruling"
"""
TEXTS = """
turn = ["Sail."]
[example]
title = "A round"
text = ["She sails (TO-1.1)."]
picture = "A ship"
[chapters]
sea = "At sea"
[tags]
ship = "ship"
[rules."TO-1.1"]
title = "Sail"
text = "A ship sails."
[rules."TO-1.2"]
title = "Stop"
text = ["A ship stops.", "She rests."]
why = "Nobody says."
changes.rounds.6 = "She never stops."
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return a function that loads a book for a game from a pair of texts."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(RULESETS["forts"], "data_package", "book_of_a_test", raising=False)
    monkeypatch.setattr("bot.texts.rulebooks.rulebook_languages", rulebook_languages.__wrapped__)

    def load(facts: str, english: str, language: str = "en"):
        folder = tmp_path / "book_of_a_test"
        folder.mkdir(exist_ok=True)
        (folder / FACTS_FILE).write_text(facts, "utf-8")
        (folder / text_file("en")).write_text(english, "utf-8")
        return load_rulebook.__wrapped__("forts", language)

    return load


def test_a_book_is_read(load):
    book = load(FACTS, TEXTS)
    assert list(book.rules) == ["TO-1.1", "TO-1.2"]
    sail, stop = book.rules.values()
    assert (sail.chapter, sail.texts.paragraphs, stop.texts.paragraphs) == (
        *("sea", ("A ship sails.",)),
        ("A ship stops.", "She rests."),
    )
    assert stop.texts.changes["rounds"]["6"] == "She never stops."


@pytest.mark.parametrize(
    ("facts", "texts", "problem"),
    [
        (
            FACTS.replace("printed", "prnted"),
            TEXTS,
            "rulebook.toml: TO-1.1: Invalid enum value 'prnted' - at `$.source`",
        ),
        (FACTS.replace("tags", "tag"), TEXTS, "rulebook.toml: TO-1.1: Object contains unknown field `tag`"),
        (FACTS.replace('["3"]', '"3"'), TEXTS, "rulebook.toml: TO-1.1: Expected `array`, got `str` - at `$.when[...]`"),
        (FACTS.replace(', "TO-1.2"', ""), TEXTS, "rulebook.en.toml: no chapter for TO-1.2"),
        (FACTS.replace(', "TO-1.2"]', ', "TO-1.2", "TO-1.1"]'), TEXTS, "several chapters for TO-1.1"),
        (FACTS.replace('["ship"]', '["sail"]'), TEXTS, "no word for tag sail"),
        (FACTS.replace("play", "played"), TEXTS, "rulebook.toml: Object contains unknown field `played`"),
        (FACTS + "[", TEXTS, "rulebook.toml: "),
        (FACTS, TEXTS.replace('title = "Sail"', ""), "rulebook.en.toml: TO-1.1: Object missing required field `title`"),
        (FACTS, TEXTS.replace("sea =", "see ="), "no title of chapter sea"),
        (FACTS, TEXTS.replace('"A ship sails."', "3"), "rulebook.en.toml: TO-1.1: Expected `str | array`, got `int`"),
        (FACTS, TEXTS.partition('[rules."TO-1.2"]')[0], "no text for TO-1.2"),
    ],
)
def test_a_malformed_book_says_where(load, facts, texts, problem):
    with pytest.raises(RulebookError) as raised:
        load(facts, texts)
    assert problem in str(raised.value)
    assert str(raised.value).startswith("book_of_a_test: ")


def test_a_language_without_a_book_borrows_the_english_one(load):
    assert load(FACTS, TEXTS, "hu").language == "en"


def test_a_game_without_a_book_has_none(load, tmp_path):
    load(FACTS, TEXTS)
    (tmp_path / "book_of_a_test" / FACTS_FILE).unlink()
    assert load_rulebook.__wrapped__("forts", "en") is None


def test_a_rule_applies_with_its_options():
    rule = RuleFacts(source="printed", when={"wind": ("on", "steady"), "land": ("on",)})
    assert rule.applies({"wind": "steady", "land": "on", "more": "x"})
    assert not rule.applies({"wind": "off", "land": "on"})
    assert RuleFacts(source="ours").applies({})


def test_a_table_has_rows_of_one_length():
    assert RuleTable(("a", "b"), ((1, 2),)).rows == ((1, 2),)
    with pytest.raises(ValueError, match="a row has not 2 cells"):
        RuleTable(("a", "b"), ((1,),))

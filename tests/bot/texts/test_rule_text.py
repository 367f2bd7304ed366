"""A rule is said in the reader's language, with what the game's options make of it."""

from __future__ import annotations

from string import Template

import msgspec
import pytest

from bot.texts.rule_text import MAX_TABLE_CHARS, describe_rule, monospace_lines, row_lines, rule_localizer
from bot.texts.rulebooks import Book, BookRule, RulebookTexts
from bot.texts.style import PLAIN_STYLE
from rules.core.registry import RULESETS
from rules.core.rulebook import Rulebook, RuleTable
from rules.core.view import Text

FACTS = """
[example]
position = ""
play = []
[[chapters]]
key = "sea"
rules = ["NB-01.1", "NB-01.2", "NB-01.3"]
[rules."NB-01.1"]
source = "printed"
place = "II"
related = ["NB-01.3"]
[rules."NB-01.2"]
source = "ruling"
when = { $option = ["$value"] }
[rules."NB-01.3"]
source = "ours"
table = "ranges"
"""
TEXTS = """
turn = []
[example]
title = ""
text = []
picture = ""
[chapters]
sea = "At sea"
[tags]
[rules."NB-01.1"]
title = "Sail"
text = "A ship **sails** `A1>B2`."
changes.$option.$value = "She may stop (NB-01.2)."
changes.$option.$other = "She never stops."
[rules."NB-01.2"]
title = "Stop"
text = ["A ship stops.", "She rests."]
why = "Nobody says."
other = "She sinks."
[rules."NB-01.3"]
title = "Rest"
text = "She rests."
"""
SPEC = RULESETS["forts"].options[0]
OPTION = {"option": SPEC.key, "value": SPEC.values[0], "other": SPEC.values[1]}
TABLE = RuleTable((Text("option.colours"), "d6"), (("A–C", 1.5), (Text("side.white"), 12)))


def made_book(language: str) -> Book:
    facts = msgspec.toml.decode(Template(FACTS).substitute(OPTION), type=Rulebook)
    texts = msgspec.toml.decode(Template(TEXTS).substitute(OPTION), type=RulebookTexts)
    rules = {
        number: BookRule("forts", number, "sea", facts.rules[number], texts.rules[number]) for number in facts.numbers
    }
    return Book("forts", language, facts, texts, rules, {"ranges": TABLE})


def plain(book: Book, number: str, options: dict[str, str] | None = None):
    return describe_rule(book, book.rules[number], options, PLAIN_STYLE)


@pytest.mark.parametrize(
    ("language", "source"),
    [("en", "The printed rules say so: II."), ("hu", "A nyomtatott szabályokból való: II.")],
)
def test_a_printed_rule_says_where_it_stands(language, source):
    rule = plain(made_book(language), "NB-01.1")
    assert (rule.number, rule.title, rule.chapter) == ("NB-01.1", "Sail", "At sea")
    assert rule.paragraphs == ("A ship sails A1>B2.",)
    assert rule.source == (source,)


def test_a_ruling_says_why_and_how_else_it_could_be_read():
    rule = plain(made_book("en"), "NB-01.2")
    assert rule.paragraphs == ("(a) A ship stops.", "(b) She rests.")
    assert rule.source == ("Our ruling. Nobody says.", "It could also be read like this: She sinks.")


def test_outside_a_game_all_options_that_change_a_rule_are_named():
    first, second = plain(made_book("en"), "NB-01.1").changes
    assert first.startswith("With ")
    assert first.endswith(": She may stop (NB-01.2).")
    assert second.endswith(": She never stops.")


def test_in_a_game_only_what_it_has_chosen_is_named():
    (change,) = plain(made_book("en"), "NB-01.1", {SPEC.key: SPEC.values[1]}).changes
    assert change.startswith("In this game (")
    assert change.endswith(": She never stops.")


def test_a_rule_that_the_game_does_not_use_says_so():
    book = made_book("en")
    (only_with,) = plain(book, "NB-01.2").terms
    assert only_with.startswith("It applies only with ")
    assert plain(book, "NB-01.2", {SPEC.key: SPEC.values[0]}).terms == (only_with,)
    assert plain(book, "NB-01.2", {SPEC.key: SPEC.values[1]}).terms == (only_with, "This game does not use it.")


def test_related_rules_are_those_of_the_facts_and_those_that_the_texts_name():
    assert plain(made_book("en"), "NB-01.1").related == ("NB-01.3", "NB-01.2")


def test_a_table_has_words_and_figures_of_the_language():
    assert plain(made_book("hu"), "NB-01.3").table[1:] == (("A–C", "1,5"), ("fehér", "12"))
    assert plain(made_book("en"), "NB-01.3").table[1] == ("A–C", "1.5")


def test_a_narrow_table_stands_in_columns():
    assert monospace_lines([("ship", "d6"), ("frigate", "1–3"), ("brig", "12")]) == [
        "ship      d6",
        "frigate  1–3",
        "brig      12",
    ]


def test_a_wide_table_stands_in_lines():
    cells = [("ship", "x" * MAX_TABLE_CHARS, "range"), ("*brig*", "2", "3")]
    assert monospace_lines(cells) is None
    assert row_lines(rule_localizer(made_book("en")), cells) == [
        f"**\\*brig\\*** · {'x' * MAX_TABLE_CHARS} 2 · range 3"
    ]

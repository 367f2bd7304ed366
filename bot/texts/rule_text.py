"""A rule of the rulebook in words, for one reader: its text, table, source, and what a game's options make of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Final

from msgspec import Struct

from bot.texts.i18n import Catalogue, Localizer
from bot.texts.rulebooks import Book, BookRule
from bot.texts.style import DISCORD_STYLE, PLAIN_STYLE, Markup, MarkupStyle
from rules.core.registry import RULESETS
from rules.core.rulebook import RULE_NUMBER, Cell, RuleTable

MAX_TABLE_CHARS: Final = 36
"""Width of a table in characters of equal width that a phone 400 pixels wide shows without wrapping."""


_COLUMN_GAPS: Final = ("  ", " ")
_NUMBER_PATTERN: Final = re.compile(r"[-+−–]?[0-9.,/+–-]*%?")


class RuleDescription(Struct, frozen=True):
    """A rule in words."""

    number: str
    title: Markup
    chapter: Markup
    paragraphs: tuple[Markup, ...]  # lettered if there are several
    table: tuple[tuple[str, ...], ...] = ()  # its headings, then its rows; empty: it has none
    terms: tuple[Markup, ...] = ()  # with which options it applies
    changes: tuple[Markup, ...] = ()  # how options change it: in a game those that it has chosen, else all
    source: tuple[Markup, ...] = ()  # who says so, and of a ruling why
    related: tuple[str, ...] = ()  # numbers of rules that it names, also of other games


def rule_localizer(book: Book, style: MarkupStyle = DISCORD_STYLE) -> Localizer:
    """Return a localizer for a book's language and its game's own sentences."""
    return Localizer(Catalogue.load(book.language, book.system), style=style)


def describe_rule(
    book: Book, rule: BookRule, options: Mapping[str, str] | None = None, style: MarkupStyle = DISCORD_STYLE
) -> RuleDescription:
    """Return a rule in words.

    `options` are those of a game that the reader plays or looks at, with a value for each; None: no game.
    """
    localizer = rule_localizer(book, style)
    texts, facts = rule.texts, rule.facts
    paragraphs = [format_rule_text(localizer, text) for text in texts.paragraphs]
    if len(paragraphs) > 1:
        paragraphs = [
            localizer.to_markup(f"({letter}) {text}") for letter, text in zip(ascii_lowercase, paragraphs, strict=False)
        ]
    return RuleDescription(
        rule.number,
        format_rule_text(localizer, texts.title),
        format_rule_text(localizer, book.texts.chapters[rule.chapter]),
        tuple(paragraphs),
        table=table_cells(book, book.tables[facts.table]) if facts.table else (),
        terms=tuple(_terms(localizer, rule, options)),
        changes=tuple(_changes(localizer, rule, options)),
        source=tuple(_source(localizer, rule)),
        related=related_numbers(rule),
    )


def format_rule_text(localizer: Localizer, text: str) -> Markup:
    """Return a text of a rulebook, whose marks are those of a catalogue's sentences, in the localizer's style."""
    return localizer.style.fill_sentence(text, ())


def related_numbers(rule: BookRule) -> tuple[str, ...]:
    """Return the numbers of related rules, then of others that the rule's text names."""
    texts = rule.texts
    changes = [text for values in texts.changes.values() for text in values.values()]
    named = RULE_NUMBER.findall("\n".join([*texts.paragraphs, texts.why, texts.other, *changes]))
    return tuple(number for number in dict.fromkeys([*rule.facts.related, *named]) if number != rule.number)


def _terms(localizer: Localizer, rule: BookRule, options: Mapping[str, str] | None) -> list[Markup]:
    terms = [
        localizer.say(
            "rule.term", option=localizer.say(f"option.{key}"), values=_value_names(localizer, rule, key, values)
        )
        for key, values in rule.facts.when.items()
    ]
    lines = [localizer.say("rule.only_with", terms=terms)] if terms else []
    if options is not None and not rule.facts.applies(options):
        lines.append(localizer.say("rule.not_here"))
    return lines


def _changes(localizer: Localizer, rule: BookRule, options: Mapping[str, str] | None) -> list[Markup]:
    key_of_sentence = "rule.changed" if options is None else "rule.changed_here"
    return [
        localizer.say(
            key_of_sentence,
            option=localizer.say(f"option.{key}"),
            value=_value_names(localizer, rule, key, [value]),
            text=format_rule_text(localizer, text),
        )
        for key, texts in rule.texts.changes.items()
        for value, text in texts.items()
        if options is None or options.get(key) == value
    ]


def _source(localizer: Localizer, rule: BookRule) -> list[Markup]:
    facts, texts = rule.facts, rule.texts
    place = {"place": facts.place} if facts.place else {}
    match facts.source:
        case "printed":
            return [localizer.say("rule.printed_at" if place else "rule.printed", **place)]
        case "ours":
            return [localizer.say("rule.ours")]
    why = format_rule_text(localizer, texts.why)
    lines = [localizer.say("rule.ruling_at" if place else "rule.ruling", why=why, **place)]
    if texts.other:
        lines.append(localizer.say("rule.other", other=format_rule_text(localizer, texts.other)))
    return lines


def _value_names(localizer: Localizer, rule: BookRule, key: str, values: Sequence[str]) -> Markup:
    """Return the names of an option's values: their texts up to a colon, or all of them if that tells two apart."""
    spec = next((spec for spec in RULESETS[rule.system].options if spec.key == key), None)
    texts = {value: _value_text(localizer, key, value) for value in (*(spec.values if spec else ()), *values)}
    names = {value: text.partition(": ")[0] for value, text in texts.items()}
    counts = Counter(names.values())
    chosen = (names[value] if counts[names[value]] == 1 else texts[value] for value in values)
    return localizer.to_markup(" / ".join(chosen))


def _value_text(localizer: Localizer, key: str, value: str) -> str:
    text_key = f"option.{key}.{value}"
    return localizer.say(text_key) if localizer.catalogue.has(text_key) else value


# --- tables ------------------------------------------------------------------------------------------------------


def table_cells(book: Book, table: RuleTable) -> tuple[tuple[str, ...], ...]:
    """Return the cells of a table as plain text, its headings first."""
    localizer = rule_localizer(book, PLAIN_STYLE)
    return tuple(tuple(_cell_text(localizer, cell) for cell in row) for row in (table.columns, *table.rows))


def _cell_text(localizer: Localizer, cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int | float):
        return localizer.say("rule.figure", n=cell)
    return localizer.say_text(cell)


def monospace_lines(cells: Sequence[Sequence[str]]) -> list[str] | None:
    """Return a table's lines for characters of equal width, or None if a phone would wrap them."""
    columns = [*zip(*cells, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    are_numbers = [all(_NUMBER_PATTERN.fullmatch(cell) for cell in column[1:]) for column in columns]
    room = MAX_TABLE_CHARS - sum(widths)
    gap = next((gap for gap in _COLUMN_GAPS if len(gap) * (len(widths) - 1) <= room), None)
    if gap is None:
        return None
    return [
        gap.join(
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, are_numbers, strict=True)
        ).rstrip()
        for row in cells
    ]


def row_lines(localizer: Localizer, cells: Sequence[Sequence[str]]) -> list[Markup]:
    """Return a line for each row of a table: its first cell in bold, then each other cell with its heading."""
    headings, *rows = cells
    escape = localizer.style.escape_text
    return [
        localizer.to_markup(
            " · ".join(
                [
                    localizer.style.bold(escape(first)),
                    *(f"{escape(heading)} {escape(cell)}" for heading, cell in zip(headings[1:], others, strict=True)),
                ]
            )
        )
        for first, *others in rows
    ]

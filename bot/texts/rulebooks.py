"""Rulebooks: the rules of each game as players read them, from three files beside the game's texts.

`rulebook.toml` holds facts without language, `rulebook.<language>.toml` the texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from bot.texts.i18n import DEFAULT_LANGUAGE, languages
from rules.core.registry import RULESETS
from rules.core.rulebook import Rulebook, RuleFacts, RuleTable

FACTS_FILE: Final = "rulebook.toml"


class RulebookError(ValueError):
    """Raised for a file of a rulebook that cannot be read, with the file, the rule and the field."""


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """A worked round."""

    title: str
    text: tuple[str, ...]  # paragraphs
    picture: str  # what the picture shows


class RuleTexts(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    title: str
    text: str | tuple[str, ...]  # several paragraphs are lettered
    why: str = ""  # of a ruling: what is silent or contradictory, and why we decided so
    other: str = ""  # of a ruling: the other possible reading
    changes: Mapping[str, Mapping[str, str]] = {}  # by option and value: how they change the rule

    @property
    def paragraphs(self) -> tuple[str, ...]:
        return (self.text,) if isinstance(self.text, str) else self.text


class RulebookTexts(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    turn: tuple[str, ...]  # the turn in a few lines
    example: Example
    chapters: Mapping[str, str]  # titles by key
    tags: Mapping[str, str]  # words by key
    rules: Mapping[str, RuleTexts]  # by number


T = TypeVar("T")


def _read(system: str, name: str, kind: type[T], rule_kind: type[Struct]) -> T | None:
    """Return a file of a game's rulebook, or None if there is none. Raises `RulebookError` if it is malformed."""
    package = RULESETS[system].data_package
    path = files(package) / name
    if not path.is_file():
        return None
    where = f"{package}: {name}"
    try:
        content = msgspec.toml.decode(path.read_bytes())
        for number, rule in content.get("rules", {}).items():  # one by one, as an error names no key of a table
            where = f"{package}: {name}: {number}"
            msgspec.convert(rule, rule_kind)
        where = f"{package}: {name}"
        return msgspec.convert(content, kind)
    except (msgspec.MsgspecError, ValueError) as error:
        raise RulebookError(f"{where}: {error}") from error


@cache
def rulebook_languages(system: str) -> tuple[str, ...]:
    """Return the codes of the languages in which a game has a rulebook, English first if possible."""
    package = files(RULESETS[system].data_package)
    with_book = [language for language in languages() if (package / text_file(language)).is_file()]
    return tuple(sorted(with_book, key=lambda language: language != DEFAULT_LANGUAGE))


def text_file(language: str) -> str:
    return f"rulebook.{language}.toml"


@dataclass(frozen=True, eq=False)
class BookRule:
    """A numbered rule in one language."""

    system: str
    number: str  # such as `MB-5.8`
    chapter: str  # key of its chapter
    facts: RuleFacts
    texts: RuleTexts


@dataclass(frozen=True, eq=False)
class Book:
    """A game's rulebook in one language."""

    system: str
    language: str
    facts: Rulebook
    texts: RulebookTexts
    rules: Mapping[str, BookRule]  # by number, in the order of the chapters
    tables: Mapping[str, RuleTable]  # by key


@cache
def load_rulebook(system: str, language: str) -> Book | None:
    """Return a game's rulebook, in another language if there is none in `language`; None if the game has none.

    Raises `RulebookError` if a file is malformed or contradicts another one.
    """
    facts = _read(system, FACTS_FILE, Rulebook, RuleFacts)
    with_book = rulebook_languages(system)
    if facts is None or not with_book:
        return None
    language = language if language in with_book else with_book[0]
    texts = _read(system, text_file(language), RulebookTexts, RuleTexts)
    assert texts is not None  # noqa: S101 - the file is among those that were found
    if problem := _find_gap(facts, texts):
        raise RulebookError(f"{RULESETS[system].data_package}: {text_file(language)}: {problem}")
    rules = {
        number: BookRule(system, number, chapter.key, facts.rules[number], texts.rules[number])
        for chapter in facts.chapters
        for number in chapter.rules
    }
    return Book(system, language, facts, texts, rules, RULESETS[system].rule_tables())


def _find_gap(facts: Rulebook, texts: RulebookTexts) -> str:
    """Return what the texts or the chapters lack, so that a reader never meets a gap; empty: nothing."""
    numbers = facts.numbers
    named_tags = {tag for rule in facts.rules.values() for tag in rule.tags}
    gaps = {
        "no rules in": {*numbers} - facts.rules.keys(),
        "no chapter for": facts.rules.keys() - {*numbers},
        "several chapters for": {number for number in numbers if numbers.count(number) > 1},
        "no text for": facts.rules.keys() - texts.rules.keys(),
        "no facts for": texts.rules.keys() - facts.rules.keys(),
        "no title of chapter": {chapter.key for chapter in facts.chapters} - texts.chapters.keys(),
        "no word for tag": named_tags - texts.tags.keys(),
    }
    return "; ".join(f"{what} {', '.join(sorted(keys))}" for what, keys in gaps.items() if keys)

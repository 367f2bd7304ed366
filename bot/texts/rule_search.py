"""Finding rules by number, title and words, in one language, with or without accents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import combining, normalize

from bot.texts.rulebooks import Book, BookRule

MAX_QUERY_CHARS: Final = 100
MAX_NEAREST: Final = 10
MAX_WORDS: Final = 6
"""Words of a query that are searched; the others are ignored."""
_NUMBER_PATTERN: Final = re.compile(r"(?:([a-z]{2})[- ]?)?0*([0-9]{1,4})(?:\.([0-9]{0,4}))?")
"""A rule's number as people type it: family, part and item; the beginning of one, too."""
_WORD_PATTERN: Final = re.compile(r"[^\W_]+")
_HYPHENS: Final = str.maketrans(dict.fromkeys("‐‑–—−", "-"))


class _Rank(IntEnum):
    """Degrees to which a rule fits a query, the best first."""

    EXACT = 0  # the rule's number or its whole title
    NUMBER = 1  # the beginning of its number
    TITLE = 2  # the beginning of its title
    TITLE_WORDS = 3  # beginnings of words of its title
    TAGS = 4  # beginnings of words of its title or its tags
    TEXT = 5  # parts of its title, tags or text


class _RuleWords(NamedTuple):
    """The words of a rule, without accents and capitals."""

    rule: BookRule
    family: str  # letters of its number
    part: str  # the number before the point, without leading zeros
    item: str  # the number after the point
    title: str
    title_words: tuple[str, ...]
    tag_words: tuple[str, ...]
    all_text: str


class RuleMatches(NamedTuple):
    rules: tuple[BookRule, ...]  # the best match first
    is_certain: bool
    """Whether nothing but the first can be meant: it fits exactly and no other does, or it is the only match."""


def search_rules(books: Sequence[Book], query: str, own_system: str = "") -> RuleMatches:
    """Return the rules that a query fits; an empty query fits all.

    Those of `own_system`, the game in which somebody asks, come before all others.
    """
    is_empty, query = not query.strip(), fold(query[:MAX_QUERY_CHARS])
    matches = [
        (words.rule.system != own_system, rank, position, words.rule)
        for book in books
        for position, words in enumerate(_words_of(book))
        if (rank := _Rank.TEXT if is_empty else _rank(words, query)) is not None
    ]
    matches.sort(key=lambda match: match[:3])
    rules = tuple(rule for *_, rule in matches)
    exact = [(is_other, rule) for is_other, rank, _, rule in matches if rank is _Rank.EXACT]
    exact_own = [rule for is_other, rule in exact if not is_other]
    candidates = exact_own or [rule for _, rule in exact] or rules
    if is_empty or len(candidates) != 1:
        return RuleMatches(rules, is_certain=False)
    (certain,) = candidates
    return RuleMatches((certain, *(rule for rule in rules if rule is not certain)), is_certain=True)


def nearest_rules(books: Sequence[Book], query: str, own_system: str = "") -> tuple[BookRule, ...]:
    """Return rules that a query that fits none may mean: with near numbers, or with some of its words or like ones."""
    query = fold(query[:MAX_QUERY_CHARS])
    entries = [words for book in books for words in _words_of(book)]
    if number := _NUMBER_PATTERN.fullmatch(query):
        family, part, item = number[1] or "", int(number[2]), int(number[3] or 0)
        of_family = [words for words in entries if not family or words.family == family] or entries
        distances = [
            (words.rule.system != own_system, abs(int(words.part) - part), abs(int(words.item) - item), words.rule)
            for words in of_family
        ]
        distances.sort(key=lambda entry: entry[:3])
        return tuple(rule for *_, rule in distances[:MAX_NEAREST])
    known_words = {word for words in entries for word in (*words.title_words, *words.tag_words)}
    scores: Counter[int] = Counter()
    for word in _WORD_PATTERN.findall(query)[:MAX_WORDS]:
        like_words = get_close_matches(word, known_words, n=3) if len(word) > 1 else []
        for entry_no, words in enumerate(entries):
            likeness = next((3 - no for no, like in enumerate(like_words) if _begins_word(like, words)), 0)
            scores[entry_no] += likeness + 2 * (word in words.all_text)
    ranked = sorted(scores, key=lambda no: (-scores[no], entries[no].rule.system != own_system, no))
    return tuple(entries[no].rule for no in ranked[:MAX_NEAREST] if scores[no])


def fold(text: str) -> str:
    """Return text in small letters, without accents and double blanks, for comparison."""
    plain = "".join(letter for letter in normalize("NFKD", text.casefold()) if not combining(letter))
    return " ".join(plain.translate(_HYPHENS).split()).strip(" .")


@lru_cache(maxsize=100)
def _words_of(book: Book) -> tuple[_RuleWords, ...]:
    return tuple(_fold_rule(book, rule) for rule in book.rules.values())


def _fold_rule(book: Book, rule: BookRule) -> _RuleWords:
    family, _, number = rule.number.partition("-")
    part, _, item = number.partition(".")
    tags = fold(" ".join(book.texts.tags[tag] for tag in rule.facts.tags))
    title = fold(rule.texts.title)
    text = fold("\n".join(rule.texts.paragraphs))
    return _RuleWords(
        rule,
        family.lower(),
        str(int(part)),
        str(int(item)),
        title,
        tuple(_WORD_PATTERN.findall(title)),
        tuple(_WORD_PATTERN.findall(tags)),
        "\n".join([title, tags, text]),
    )


def _rank(words: _RuleWords, query: str) -> _Rank | None:
    typed_words = _WORD_PATTERN.findall(query)[:MAX_WORDS]
    if not typed_words:
        return None
    fits = {
        _Rank.EXACT: words.title == query,
        _Rank.TITLE: words.title.startswith(query),
        _Rank.TITLE_WORDS: all(any(word.startswith(typed) for word in words.title_words) for typed in typed_words),
        _Rank.TAGS: all(_begins_word(typed, words) for typed in typed_words),
        _Rank.TEXT: all(typed in words.all_text for typed in typed_words),
    }
    number_rank = _rank_of_number(words, query)
    return next((rank for rank, is_fitting in fits.items() if is_fitting), None) if number_rank is None else number_rank


def _rank_of_number(words: _RuleWords, query: str) -> _Rank | None:
    """Return how well the query fits a rule's number, such as `mb 5.8`, `5.8`, `MB-05.` or `MB`; None: not at all."""
    if query in (words.family, f"{words.family}-"):
        return _Rank.NUMBER
    match = _NUMBER_PATTERN.fullmatch(query)
    if not match or match[1] not in (None, words.family) or match[2] != words.part:
        return None
    item = _without_zeros(match[3] or "")
    if item == words.item:
        return _Rank.EXACT
    return _Rank.NUMBER if words.item.startswith(item) else None


def _without_zeros(digits: str) -> str:
    return digits.lstrip("0") or digits[-1:]


def _begins_word(beginning: str, words: _RuleWords) -> bool:
    return any(word.startswith(beginning) for word in (*words.title_words, *words.tag_words))

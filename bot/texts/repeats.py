"""Sentences that are said already: what stands in sight isn't told once more.

Two are the same if they differ only in markup, in dice and names in brackets, or in who acts before a colon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_SENTENCE_PATTERN: Final = re.compile(r"\S.*?(?:(?!(?<=\d)\. [a-záéíóöőúüű])[.!?](?: \([^()]*\))*(?=\s|$)|(?= · )|$)")
"""A sentence with the dice that follow it, or what stands before a point between two: none ends within "1. raj"."""
_BRACKETS_PATTERN: Final = re.compile(r"\([^()]*\)")
_MARKUP_PATTERN: Final = re.compile(r"[*_`>#\\]")
_LEADING_PATTERN: Final = re.compile(r"^[\s·-]+")
_WORD_PATTERN: Final = re.compile(r"\w+")
_MIN_WORDS: Final = 2
"""What has fewer words is a name, and no sentence."""


def drop_repeated(lines: Iterable[str], told: Iterable[str]) -> Iterator[str]:
    """Lines without the sentences that were `told` already, also where who acts stands before these."""
    said = _ToldSentences.from_lines(told)
    for line in lines:
        parts = _split_sentences(line)
        kept = [one for one in parts if not said.contains(one)]
        if len(kept) == len(parts):
            yield line
        elif any(map(_core, kept)):
            yield _drop_unpaired_marks(" ".join(kept).removeprefix("· "))


def says_all_of(lines: Iterable[str], text: str) -> bool:
    """Return whether some lines say all of a text."""
    return not any(drop_repeated([text], lines))


def find_fuller(lines: Iterable[str], sentence: str) -> str:
    """The sentence of some lines that says the same, and its dice, too; empty: there is none."""
    said = _ToldSentences.from_lines([sentence])
    return next(
        (one for line in lines for one in _split_sentences(line) if said.contains(one) and one.endswith((")", ")."))),
        "",
    )


class _ToldSentences(NamedTuple):
    """Sentences that were told."""

    full_sentences: frozenset[str]
    without_actors: frozenset[str]
    """The same without who acts in them, where that stands before a colon."""

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> _ToldSentences:
        whole = frozenset(bare for line in lines for one in _split_sentences(line) if (bare := _core(one)))
        return cls(whole, frozenset(end for one in whole for end in _without_actor(one)))

    def contains(self, sentence: str) -> bool:
        """Return whether a sentence is one of these, with or without who acts in it."""
        bare = _core(sentence)
        return (
            bare in self.full_sentences
            or bare in self.without_actors
            or not self.full_sentences.isdisjoint(_without_actor(bare))
        )


def _without_actor(bare: str) -> list[str]:
    parts = bare.split(": ")
    return [": ".join(parts[n:]) for n in range(1, len(parts))]


def _drop_unpaired_marks(text: str) -> str:
    """A text without the marks of what stands out if one of them has lost its other half."""
    return text.replace("**", "") if text.count("**") % 2 else text


def _split_sentences(line: str) -> list[str]:
    return [found[0] for text in line.split("\n") for found in _SENTENCE_PATTERN.finditer(text)]


def _core(sentence: str) -> str:
    """What a sentence says; empty if that is no more than a name."""
    plain = _LEADING_PATTERN.sub("", _MARKUP_PATTERN.sub("", _BRACKETS_PATTERN.sub("", sentence)))
    found = " ".join(plain.replace(" :", ":").casefold().split()).strip(" .!?;")
    return found if len(_WORD_PATTERN.findall(found)) >= _MIN_WORDS else ""

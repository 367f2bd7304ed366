"""Removes sentences that are already visible elsewhere in a message.

Sentences are equal if they differ only in markup, in brackets (dice and names), or in the actor before a colon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_SENTENCE_PATTERN: Final = re.compile(
    r"\S.*?(?:(?!(?:(?<=\d)|(?<=\d\\))\. [a-záéíóöőúüű])[.!?](?: \([^()]*\))*(?=\s|$)|(?= · )|$)"
)
"""A sentence with the dice after it, or a part between points ("·"); an ordinal ("1. raj", escaped too) ends none."""
_BRACKETS_PATTERN: Final = re.compile(r"\([^()]*\)")
_MARKUP_PATTERN: Final = re.compile(r"[*_`>#\\]")
_LEADING_PATTERN: Final = re.compile(r"^[\s·-]+")
_WORD_PATTERN: Final = re.compile(r"\w+")
_MIN_WORDS: Final = 2
"""Texts with fewer words are names, not sentences."""


def drop_repeated(lines: Iterable[str], known_lines: Iterable[str]) -> Iterator[str]:
    """Yield lines without the sentences that occur in `known_lines`."""
    known_sentences = _KnownSentences.from_lines(known_lines)
    for line in lines:
        parts = _split_sentences(line)
        new_parts = [part for part in parts if not known_sentences.contains(part)]
        if len(new_parts) == len(parts):
            yield line
        elif any(map(_normalise, new_parts)):
            yield _drop_unpaired_marks(" ".join(new_parts).removeprefix("· "))


def says_all_of(lines: Iterable[str], text: str) -> bool:
    return not any(drop_repeated([text], lines))


def find_fuller(lines: Iterable[str], sentence: str) -> str:
    """Return the sentence of the lines that repeats `sentence` with its dice; empty if there is none."""
    known_sentences = _KnownSentences.from_lines([sentence])
    sentences = (other for line in lines for other in _split_sentences(line))
    fuller = (other for other in sentences if known_sentences.contains(other) and other.endswith((")", ").")))  # dice
    return next(fuller, "")


class _KnownSentences(NamedTuple):
    full_sentences: frozenset[str]  # sentences of a text, normalised for comparison
    without_actors: frozenset[str]  # the part of such sentences after a colon

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> _KnownSentences:
        sentences = frozenset(
            normalised for line in lines for sentence in _split_sentences(line) if (normalised := _normalise(sentence))
        )
        return cls(sentences, frozenset(end for sentence in sentences for end in _without_actors(sentence)))

    def contains(self, sentence: str) -> bool:
        normalised = _normalise(sentence)
        return (
            normalised in self.full_sentences
            or normalised in self.without_actors
            or not self.full_sentences.isdisjoint(_without_actors(normalised))
        )


def _without_actors(sentence: str) -> list[str]:
    """Return what follows each colon: "a1: rams" and "rams" for "anna: a1: rams"."""
    parts = sentence.split(": ")
    return [": ".join(parts[n:]) for n in range(1, len(parts))]


def _drop_unpaired_marks(text: str) -> str:
    return text.replace("**", "") if text.count("**") % 2 else text


def _split_sentences(line: str) -> list[str]:
    return [match[0] for text in line.split("\n") for match in _SENTENCE_PATTERN.finditer(text)]


def _normalise(sentence: str) -> str:
    """Return a sentence in a form to compare; empty if it is only a name."""
    plain = _LEADING_PATTERN.sub("", _MARKUP_PATTERN.sub("", _BRACKETS_PATTERN.sub("", sentence)))
    words = " ".join(plain.replace(" :", ":").casefold().split()).strip(" .!?;")
    return words if len(_WORD_PATTERN.findall(words)) >= _MIN_WORDS else ""

"""Sentences that are said already: what stands in sight isn't told once more.

Two are the same if they differ only in markup, in dice and names in brackets, or in who acts before a colon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_SENTENCE: Final = re.compile(r"\S.*?(?:(?!(?<=\d)\. [a-záéíóöőúüű])[.!?](?: \([^()]*\))*(?=\s|$)|(?= · )|$)")
"""A sentence with the dice that follow it, or what stands before a point between two: none ends within "1. raj"."""
_BRACKETS: Final = re.compile(r"\([^()]*\)")
_MARKUP: Final = re.compile(r"[*_`>#\\]")
_BEFORE: Final = re.compile(r"^[\s·-]+")
_WORD: Final = re.compile(r"\w+")
_WORDS_LEAST: Final = 2
"""What has fewer words is a name, and no sentence."""


def unsaid(lines: Iterable[str], told: Iterable[str]) -> Iterator[str]:
    """Lines without the sentences that were `told` already, also where who acts stands before these."""
    said = _Said.of(told)
    for line in lines:
        parts = _parts(line)
        kept = [one for one in parts if not said.has(one)]
        if len(kept) == len(parts):
            yield line
        elif any(map(_bare, kept)):
            yield _whole_marks(" ".join(kept).removeprefix("· "))


def says(lines: Iterable[str], text: str) -> bool:
    """Return whether some lines say all of a text."""
    return not any(unsaid([text], lines))


def fuller(lines: Iterable[str], sentence: str) -> str:
    """The sentence of some lines that says the same, and its dice, too; empty: there is none."""
    said = _Said.of([sentence])
    return next((one for line in lines for one in _parts(line) if said.has(one) and one.endswith((")", ")."))), "")


class _Said(NamedTuple):
    """Sentences that were told."""

    whole: frozenset[str]
    ends: frozenset[str]
    """The same without who acts in them, where that stands before a colon."""

    @classmethod
    def of(cls, lines: Iterable[str]) -> _Said:
        whole = frozenset(bare for line in lines for one in _parts(line) if (bare := _bare(one)))
        return cls(whole, frozenset(end for one in whole for end in _ends(one)))

    def has(self, sentence: str) -> bool:
        """Return whether a sentence is one of these, with or without who acts in it."""
        bare = _bare(sentence)
        return bare in self.whole or bare in self.ends or not self.whole.isdisjoint(_ends(bare))


def _ends(bare: str) -> list[str]:
    parts = bare.split(": ")
    return [": ".join(parts[n:]) for n in range(1, len(parts))]


def _whole_marks(text: str) -> str:
    """A text without the marks of what stands out if one of them has lost its other half."""
    return text.replace("**", "") if text.count("**") % 2 else text


def _parts(line: str) -> list[str]:
    return [found[0] for text in line.split("\n") for found in _SENTENCE.finditer(text)]


def _bare(sentence: str) -> str:
    """What a sentence says; empty if that is no more than a name."""
    plain = _BEFORE.sub("", _MARKUP.sub("", _BRACKETS.sub("", sentence)))
    found = " ".join(plain.replace(" :", ":").casefold().split()).strip(" .!?;")
    return found if len(_WORD.findall(found)) >= _WORDS_LEAST else ""

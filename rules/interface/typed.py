"""What captains type: pieces of a text, and words of several languages for those of a notation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

_SENTENCE_ENDS: Final = ".!… \t\r"
"""Signs after the last order of a line: how sentences end, also those that a phone has ended by itself."""


def fold_text(text: str) -> str:
    """The text in lower case, without accents and with single blanks; lines stay lines."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char))
    return "\n".join(" ".join(line.split()) for line in bare.split("\n"))


def typed_meanings(words: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """By each word that may be typed the word of the notation that it means; what the notation writes means itself."""
    return {typed: meant for meant, others in words.items() for typed in (meant, *others)}


def strip_sentence_ends(text: str) -> str:
    """Return a text without full stops and the like at the ends of its lines; a text of nothing else is unchanged."""
    bare = "\n".join(line.rstrip(_SENTENCE_ENDS) for line in text.split("\n"))
    return bare if bare.strip() else text


def split_pieces(text: str, breaks: str = ";\n\r") -> list[str]:
    """The pieces of a text between these signs, without blanks and commas around them; empty ones are left out."""
    return [piece for part in re.split(f"[{re.escape(breaks)}]+", text) if (piece := part.strip(" \t,"))]

"""Typed text: its pieces, and words of several languages that mean words of a notation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

_SENTENCE_ENDS: Final = ".!… \t\r"  # characters that end a sentence, including those that phones insert


def fold_text(text: str) -> str:
    """Return the text in lower case, without accents and with single blanks. Line breaks remain."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char))
    return "\n".join(" ".join(line.split()) for line in bare.split("\n"))


def typed_meanings(words: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the notation's word for each word that may be typed, including the notation's words themselves."""
    return {typed: meant for meant, others in words.items() for typed in (meant, *others)}


def strip_sentence_ends(text: str) -> str:
    """Return the text without full stops at line ends. A text of nothing else is unchanged."""
    bare = "\n".join(line.rstrip(_SENTENCE_ENDS) for line in text.split("\n"))
    return bare if bare.strip() else text


def split_pieces(text: str, breaks: str = ";\n\r") -> list[str]:
    """Return the pieces between these separators, without surrounding blanks and commas and without empty ones."""
    return [piece for part in re.split(f"[{re.escape(breaks)}]+", text) if (piece := part.strip(" \t,"))]

"""What captains type: pieces of a text, and words of several languages for those of a notation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping


def fold(text: str) -> str:
    """The text in lower case, without accents and with single blanks; lines stay lines."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char))
    return "\n".join(" ".join(line.split()) for line in bare.split("\n"))


def meanings(words: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """By each word that may be typed the word of the notation that it means; what the notation writes means itself."""
    return {typed: meant for meant, others in words.items() for typed in (meant, *others)}


def pieces(text: str, breaks: str = ";\n\r") -> list[str]:
    """The pieces of a text between these signs, without blanks and commas around them; empty ones are left out."""
    return [piece for part in re.split(f"[{re.escape(breaks)}]+", text) if (piece := part.strip(" \t,"))]

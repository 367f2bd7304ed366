"""Words that captains may type in any supported language, and their notation (NB part 8)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_WORDS: Final = {
    "end": ("vege", "kesz"),
    "undo": ("vissza", "visszavon"),
    "plan": ("terv",),
    "pass": ("passz", "kihagy"),
    "away": ("tavol",),
    "claim": ("kovetel", "igenyel"),
    "none": ("nincs", "semmi"),
    "auto": ("azonnal", "magatol"),
    "any": ("barmikor", "mindig"),
    "wind": ("szel", "szelben"),
    "calm": ("szelcsend", "szelcsendben"),
}
_MEANING_BY_WORD: Final = {word: meant for meant, words in _WORDS.items() for word in words}


def to_notation_words(text: str) -> str:
    """Return text in lower case without accents, with its words translated to the notation; line breaks stay."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char))
    return re.sub("[a-z]+", lambda word: _MEANING_BY_WORD.get(word[0], word[0]), bare)

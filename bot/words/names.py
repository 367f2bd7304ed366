"""Names that people have given themselves, or their games, made fit to be shown."""

from __future__ import annotations

import unicodedata
from typing import Final

NAME_MOST: Final = 80
"""Characters of a name that are kept."""
_JOINER: Final = "\u200d"
"""Holds emoji together; the only format character that a name may keep."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols, by Unicode's classes, that show nothing."""


def usable_name(*wished: str) -> str:
    """The first of some names in which there is something to see, without what cannot be seen; else a dash."""
    return next((name for name in map(_cleaned, wished) if _shows(name)), "–")


def _cleaned(name: str) -> str:
    """Without control and format characters, which could also turn the text around it, and without needless room."""
    kept = (char if char == _JOINER or unicodedata.category(char)[0] != "C" else " " for char in name)
    return " ".join("".join(kept).split())[:NAME_MOST].strip()


def _shows(name: str) -> bool:
    return any(unicodedata.category(char)[0] in "LNPS" and char not in _BLANK for char in name)

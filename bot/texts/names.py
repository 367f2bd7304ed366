"""Cleans the names that people give themselves or their games."""

from __future__ import annotations

import unicodedata
from typing import Final

MAX_NAME_CHARS: Final = 80
"""How many characters of a name are kept."""
_JOINER: Final = "\u200d"
"""Holds emoji together; the only format character that a name may keep."""
_BLANK_CHARS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that Unicode classes as letters or symbols, but that show nothing."""


def usable_name(*wished: str) -> str:
    """Return the first name with anything visible, without invisible characters; otherwise a dash."""
    return next(filter(None, map(visible_name, wished)), "–")


def visible_name(wished: str) -> str:
    """Return a name without invisible characters; empty if nothing of it is visible."""
    name = _clean(wished)
    return name if _is_visible(name) else ""


def _clean(name: str) -> str:
    """Return text without control and format characters, which could reverse the text around it, or extra spaces."""
    kept = (char if char == _JOINER or unicodedata.category(char)[0] != "C" else " " for char in name)
    return " ".join("".join(kept).split())[:MAX_NAME_CHARS].strip()


def _is_visible(name: str) -> bool:
    return any(unicodedata.category(char)[0] in "LNPS" and char not in _BLANK_CHARS for char in name)

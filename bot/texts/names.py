"""Cleaning of names that people give to themselves or their games."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from itertools import count
from typing import Final

from bot.texts.lookalikes import TO_LATIN

MAX_NAME_CHARS: Final = 80
_JOINER: Final = "\u200d"
"""The zero-width joiner of emoji, the only format character that a name keeps."""
_BLANK_CHARS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols that show nothing
_SELECTORS: Final = (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_UNSEEN_CHARS: Final = frozenset({_JOINER, "\u034f", "\u17b4", "\u17b5", *map(chr, _SELECTORS)})
"""Characters that change others in a name, or nothing; nobody sees them by themselves."""


def usable_name(*names: str) -> str:
    """Return the first of the names that is visible, cleaned, else a dash."""
    return next(filter(None, map(visible_name, names)), "–")


def visible_name(name: str) -> str:
    """Return a name cleaned, or an empty text if nothing of it is visible."""
    cleaned = _clean(name)
    return cleaned if _is_visible(cleaned) else ""


def numbered_name(name: str, number: int | None) -> str:
    """Return a name with the number that tells it from others' like names, if it has one."""
    if number is None:
        return name
    mark = f" ({number})"
    return name[: MAX_NAME_CHARS - len(mark)].rstrip() + mark


def number_namesakes(names: Mapping[int, str]) -> dict[int, int]:
    """Return a number for each name that others have, too, by the same keys.

    Case, width, characters that nobody sees and letters that look like Latin ones do not matter.
    """
    folded_names = {key: _fold(name) for key, name in names.items()}
    counts = Counter(folded_names.values())
    taken = set(folded_names.values())
    numbers: dict[int, int] = {}
    for key, name in names.items():
        if counts[folded_names[key]] > 1:
            free = (number for number in count(1) if _fold(numbered_name(name, number)) not in taken)
            numbers[key] = next(free)
            taken.add(_fold(numbered_name(name, numbers[key])))
    return numbers


def _fold(name: str) -> str:
    """Return a text that names have in common if readers cannot tell them apart."""
    seen = "".join(char for char in name if char not in _UNSEEN_CHARS)
    return unicodedata.normalize("NFKC", seen).translate(TO_LATIN).casefold()


def _clean(name: str) -> str:
    """Return a name without blanks, control and format characters, which could reverse the text around it."""
    chars = (char if char == _JOINER or not _is_blank(char) else " " for char in name)
    return " ".join("".join(chars).split())[:MAX_NAME_CHARS].strip()


def _is_blank(char: str) -> bool:
    return unicodedata.category(char)[0] == "C" or char in _BLANK_CHARS


def _is_visible(name: str) -> bool:
    return any(unicodedata.category(char)[0] in "LNPS" for char in name)

"""Names in letters that the fonts have: others are transliterated, so that no picture shows an empty box."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from anyascii import anyascii

from render.drawing.style import load_font

_NO_CHARACTER: Final = "\U0010ffff"  # no font has it, so it looks like every missing letter
_SIZE_PX: Final = 24  # at which letters are compared
_BLANKS: Final = " \n\u00a0"
_NAMELESS: Final = "–"  # instead of a name of which nothing can be shown


@lru_cache(maxsize=1024)
def legible_text(text: str) -> str:
    """Return a text whose letters all have a glyph; a dash if nothing of it can be shown."""
    letters = unicodedata.normalize("NFC", text)
    legible_text = "".join(letter if has_glyph(letter) else anyascii(letter) for letter in letters)
    return legible_text if legible_text.strip() or not text.strip() else _NAMELESS


@lru_cache(maxsize=4096)
def has_glyph(letter: str) -> bool:
    """Return whether both fonts have a visible glyph for a letter, or whether it is a blank that they have."""
    if letter in _BLANKS:
        return True
    drawings = [
        (_draw_letter(letter, heavy=heavy), _draw_letter(_NO_CHARACTER, heavy=heavy)) for heavy in (True, False)
    ]
    return all(any(drawn[1]) and drawn != missing for drawn, missing in drawings)


def _draw_letter(letter: str, *, heavy: bool) -> tuple[tuple[int, int], bytes]:
    mask = load_font(_SIZE_PX, heavy=heavy).getmask(letter)
    return mask.size, bytes(mask)

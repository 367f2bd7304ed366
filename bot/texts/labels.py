"""How much of a button or a list a phone shows."""

from __future__ import annotations

from typing import Final

MAX_LABEL_CHARS: Final = 34
"""Characters of a button's label or a list's line. Discord takes 80 and 100, but a phone shows no more."""
MAX_NOTE_CHARS: Final = 60
"""Characters of the small print below a list's line that continue its label."""


def split_label(label: str) -> tuple[str, str]:
    """Return the part of a label that a phone shows, cut at a colon, semicolon or comma, and the rest."""
    if len(label) <= MAX_LABEL_CHARS:
        return label, ""
    at = max(label.rfind(mark, 0, MAX_LABEL_CHARS + len(mark)) for mark in (": ", "; ", ", "))
    return (label[:at], label[at + 2 :]) if at > 0 else (label, "")

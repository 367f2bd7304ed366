from __future__ import annotations

from typing import Final

MAX_LABEL_CHARS: Final = 34
"""Characters of a button's or list entry's label that a phone shows; Discord allows 80 and 100."""
MAX_NOTE_CHARS: Final = 60  # of a list entry's description that a phone shows


def split_label(label: str) -> tuple[str, str]:
    """Return the part of a label that a phone shows, cut at a colon, semicolon or comma, and the rest."""
    if len(label) <= MAX_LABEL_CHARS:
        return label, ""
    cut_at = max(label.rfind(mark, 0, MAX_LABEL_CHARS + len(mark)) for mark in (": ", "; ", ", "))
    return (label[:cut_at], label[cut_at + 2 :]) if cut_at > 0 else (label, "")

"""How much a phone shows of what is pressed and chosen."""

from __future__ import annotations

from typing import Final

LABEL_MOST: Final = 34
"""Characters of a button's label or of a list's line: Discord takes 80 and 100, but a phone shows no more."""
NOTE_MOST: Final = 60
"""Characters of the small line below a list's line, as far as it says more of the label."""


def parted(label: str) -> tuple[str, str]:
    """A label as far as a phone shows it, up to a colon, semicolon or comma; and the rest."""
    if len(label) <= LABEL_MOST:
        return label, ""
    at = max(label.rfind(mark, 0, LABEL_MOST + len(mark)) for mark in (": ", "; ", ", "))
    return (label[:at], label[at + 2 :]) if at > 0 else (label, "")

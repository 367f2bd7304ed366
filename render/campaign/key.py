"""The marks of this game's pictures, the most important first. Each has a sentence `mark.<name>` for legends."""

from __future__ import annotations

from typing import Final

MARKS: Final = (
    "fleet",
    "captain",
    "port.1",
    "port.2",
    "port.3",
    "sea",
    "route",
    "siege",
    "fought",
    "fell",
    "battle",
    "fog",
    "laurels",
    "turn",
    "caption",
)

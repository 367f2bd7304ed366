"""Rosters in words, as texts of the catalogue for panels and stories."""

from __future__ import annotations

from rules.core.view import Text
from rules.squadrons.engine.sea import fleets
from rules.squadrons.engine.sea.fleets import ADMIRALS


def roster_texts(text: str) -> tuple[Text | str, ...]:
    """Return a roster in words: a text for each class, then the Admiral. Any other text is returned unchanged."""
    ships, _, admiral = text.partition("; ")
    pieces = [piece.partition("x") for piece in ships.split(", ")]
    if admiral not in ADMIRALS or not all(count.isdecimal() for count, _, _ in pieces):
        return (text,)
    return (*(class_text(code, int(count)) for count, _, code in pieces), Text("admiral.short", {"name": admiral}))


def class_text(code: str, count: int) -> Text:
    """Return the text for `count` ships of a class. A code ending in `+` or `-` mentions the better or worse crew."""
    kind, more = fleets.class_and_crew_change(code)
    crew = {0: "usual", 1: "better", -1: "worse"}[more]
    return Text(f"roster.{crew}", {"count": count, "code": code, "kind": kind})

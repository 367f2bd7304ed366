"""Fleets in words: a written roster as sentences of the catalogue, for panels and stories."""

from __future__ import annotations

from rules.core.view import Text
from rules.squadrons.engine.sea import fleets
from rules.squadrons.engine.sea.fleets import ADMIRALS


def roster_texts(text: str) -> tuple[Text | str, ...]:
    """A written roster in words, a class a piece, the Admiral last; what is none as it is."""
    ships, _, admiral = text.partition("; ")
    pieces = [piece.partition("x") for piece in ships.split(", ")]
    if admiral not in ADMIRALS or not all(count.isdecimal() for count, _, _ in pieces):
        return (text,)
    return (*(class_text(code, int(count)) for count, _, code in pieces), Text("admiral.short", {"name": admiral}))


def class_text(code: str, count: int) -> Text:
    """So many ships of a class, with the crew that they are bought with."""
    kind, more = fleets.class_and_crew_change(code)
    crew = {0: "usual", 1: "better", -1: "worse"}[more]
    return Text(f"roster.{crew}", {"count": count, "code": code, "kind": kind})

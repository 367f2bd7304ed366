"""Keepsakes: possessions that captains take from one game to the next, such as crews. Only the game reads them."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from rules.core.view import Text

MAX_KEEPSAKES: Final = 24  # per captain and game
MAX_BODY_CHARS: Final = 1000
OWN_NOTE_NUMBER: Final = 0  # the number of a captain's unnamed note, such as their last choice
FIRST_NAME_NUMBER: Final = 1000  # numbers of names from here on are those of keepsakes. Smaller ones are seats.


class Keepsake(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An item that a captain brings to a game. Its number is unique among the captain's keepsakes of that game."""

    number: Annotated[int, Meta(ge=OWN_NOTE_NUMBER, le=999)]  # 0 for the captain's own note
    body: Annotated[str, Meta(max_length=MAX_BODY_CHARS)]  # the keepsake's contents, which only the game reads
    name: str = ""
    """The name that the captain gave it. No state or event contains it, and sentences refer to it by `name_number`."""
    elsewhere: bool = False  # whether another game is using it, so that this one cannot


class KeepsakeUpdate(Struct, frozen=True, kw_only=True):
    """A change of a keepsake by a finished game. A new keepsake has no number."""

    number: int | None  # number of the changed keepsake; None: a new one
    body: str  # the keepsake's new contents
    sentences: tuple[Text, ...] = ()  # what is said of the change; empty: nothing


def name_number(seat: int, number: int) -> int:
    """Return the number that represents a keepsake in a sentence's `{x:name}`, as a seat's number does."""
    return FIRST_NAME_NUMBER * (seat + 1) + number

"""What captains keep from one game to the next, such as the crews of their ships. Only the game reads what it is."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from rules.core.view import Text

MAX_KEEPSAKES: Final = 24
"""That a captain keeps of one game."""
MAX_BODY_CHARS: Final = 1000
"""Characters of one."""
OWN_NOTE_NUMBER: Final = 0
"""The number of what a game notes of a captain's own, such as what they chose last: it has no name."""
FIRST_NAME_NUMBER: Final = 1000
"""Numbers of names from here on are of keepsakes; those of seats are less."""


class Keepsake(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that a captain keeps, as they bring it to a game."""

    number: Annotated[int, Meta(ge=OWN_NOTE_NUMBER, le=999)]
    """Among what its captain keeps of the game."""
    body: Annotated[str, Meta(max_length=MAX_BODY_CHARS)]
    name: str = ""
    """As its captain calls it. No state and no event has it: sentences name it by `name_number`."""
    elsewhere: bool = False
    """Another game has it just now, and so this one can't."""


class KeepsakeUpdate(Struct, frozen=True, kw_only=True):
    """What a finished game has made of a keepsake."""

    number: int | None
    """None: it is a new one."""
    body: str
    sentences: tuple[Text, ...] = ()
    """In a sentence; empty: there is nothing to tell."""


def name_number(seat: int, number: int) -> int:
    """What stands for a keepsake in a sentence's `{x:name}`, as a seat's number does for its captain."""
    return FIRST_NAME_NUMBER * (seat + 1) + number

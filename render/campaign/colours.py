"""Colours of the sea chart."""

from __future__ import annotations

from typing import Final

from render.drawing.style import Colour
from render.seas.parchment import INK, PAPER

CAPTAIN_COLOURS: Final[dict[str, Colour]] = {
    "A": (0, 114, 178),
    "B": (213, 94, 0),
    "C": (0, 158, 115),
    "D": (240, 228, 66),
    "E": (204, 121, 167),
    "F": (86, 180, 233),
    "G": (110, 60, 20),
    "H": (245, 245, 245),
}
"""Colours that colour-blind people can distinguish (after Okabe and Ito). A letter always repeats the information."""
FREE_PORT_COLOUR: Final[Colour] = (176, 160, 128)
SIEGE_COLOUR: Final[Colour] = (178, 24, 24)
_DARK_CAPTAINS: Final = frozenset("ABCEG")  # their colour needs pale letters


def captain_colour(captain: str) -> Colour:
    """Return a captain's colour; of an empty letter that of nobody."""
    return CAPTAIN_COLOURS.get(captain, FREE_PORT_COLOUR)


def letter_colour(captain: str) -> Colour:
    return PAPER if captain in _DARK_CAPTAINS else INK

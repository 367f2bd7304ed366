"""Colours of the fleets and squadrons. Blue is pale and striped along, Red is dark and banded across."""

from __future__ import annotations

from typing import Final

from render.drawing.style import Colour, Livery
from render.marks.signs import FAIR, GOLD, WOUND

BLUE_LIVERY: Final = Livery(
    base=(238, 242, 250), mark=(22, 66, 176), letter=(226, 238, 255), on_base=(8, 26, 84), pattern="stripes"
)
RED_LIVERY: Final = Livery(
    base=(128, 12, 20), mark=(255, 206, 150), letter=(255, 190, 176), on_base=(255, 240, 222), pattern="bands"
)
LIVERIES: Final = (BLUE_LIVERY, RED_LIVERY)
SQUADRON_COLOURS: Final[tuple[tuple[Colour, ...], tuple[Colour, ...]]] = (
    ((126, 236, 190), (190, 240, 96), (150, 214, 255), (240, 244, 220), (120, 220, 230)),
    ((255, 214, 90), (255, 156, 104), (232, 166, 255), (255, 176, 204), (226, 200, 150)),
)
BRONZE: Final[Colour] = (206, 142, 62)
OAR: Final[Colour] = (240, 220, 174)
PALETTE_COLOURS: Final = (
    BLUE_LIVERY.base,
    BLUE_LIVERY.mark,
    RED_LIVERY.base,
    RED_LIVERY.mark,
    GOLD,
    FAIR,
    WOUND,
    *SQUADRON_COLOURS[0],
    *SQUADRON_COLOURS[1],
)


def squadron_colour(side: int, number: int) -> Colour:
    """Return the colour of a squadron of side 0 or 1. Numbers count from 1; colours repeat after the fifth."""
    colours = SQUADRON_COLOURS[side]
    return colours[(number - 1) % len(colours)]

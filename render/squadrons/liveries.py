"""How the fleets and their squadrons are told apart: Blue is pale and striped along, Red is dark and banded across."""

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
"""Of the first side and of the second."""
SQUADRON_COLOURS: Final[tuple[tuple[Colour, ...], tuple[Colour, ...]]] = (
    ((126, 236, 190), (190, 240, 96), (150, 214, 255), (240, 244, 220), (120, 220, 230)),
    ((255, 214, 90), (255, 156, 104), (232, 166, 255), (255, 176, 204), (226, 200, 150)),
)
"""Of each side's squadrons by number, Blue's cool, Red's warm; later ones begin again."""
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
"""Colours of small things, which a film must not mix with others."""


def squadron_colour(side: int, number: int) -> Colour:
    """The colour of a squadron of the first side (0) or the second (1)."""
    some = SQUADRON_COLOURS[side]
    return some[(number - 1) % len(some)]

"""How the fleets and their squadrons are told apart: Blue is pale and striped along, Red is dark and banded across."""

from __future__ import annotations

from typing import Final

from render.signs import FAIR, GOLD, WOUND
from render.style import Colour, Livery

BLUE: Final = Livery(
    base=(238, 242, 250), mark=(22, 66, 176), letter=(226, 238, 255), on_base=(8, 26, 84), pattern="stripes"
)
RED: Final = Livery(
    base=(128, 12, 20), mark=(255, 206, 150), letter=(255, 190, 176), on_base=(255, 240, 222), pattern="bands"
)
LIVERIES: Final = (BLUE, RED)
"""Of the first side and of the second."""
SQUADRONS: Final[tuple[Colour, ...]] = (
    (255, 214, 90),
    (126, 236, 190),
    (226, 160, 255),
    (255, 150, 96),
    (190, 240, 96),
    (255, 170, 200),
    (150, 214, 255),
    (222, 200, 160),
)
"""Of squadrons by number; later ones begin again."""
BRONZE: Final[Colour] = (206, 142, 62)
OAR: Final[Colour] = (240, 220, 174)
PURE: Final = (BLUE.base, BLUE.mark, RED.base, RED.mark, GOLD, FAIR, WOUND)
"""Colours of small things, which a film must not mix with others."""


def squadron(number: int) -> Colour:
    """The colour of a squadron."""
    return SQUADRONS[(number - 1) % len(SQUADRONS)]

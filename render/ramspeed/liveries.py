"""Colours of sides and nations. The first side is pale and striped along, the second dark and banded across."""

from __future__ import annotations

from typing import Final, NamedTuple

from render.drawing.style import Colour, Livery
from render.marks.signs import FAIR, GOLD, WOUND
from render.seas.water import SeaStyle
from rules.ramspeed.engine.tables import Nation

IVORY: Final[Colour] = (246, 234, 204)
WINE: Final[Colour] = (72, 16, 26)
BRONZE: Final[Colour] = (206, 142, 62)
OAR: Final[Colour] = (236, 212, 160)
SEA: Final[Colour] = (26, 91, 101)
FOAM: Final[Colour] = (226, 240, 232)
SAND: Final[Colour] = (222, 200, 150)
FLOOR: Final[Colour] = (16, 22, 26)
SEA_STYLE: Final = SeaStyle(
    depths=(
        (0.0, (10, 52, 68)),
        (0.2, (18, 74, 88)),
        (0.4, (30, 100, 108)),
        (0.6, (52, 134, 132)),
        (0.8, (106, 174, 158)),
        (1.0, (182, 204, 164)),
    ),
    heights=(
        (0.0, (150, 136, 78)),
        (0.3, (126, 128, 66)),
        (0.6, (104, 116, 60)),
        (0.85, (146, 134, 88)),
        (1.0, (186, 172, 132)),
    ),
    depth=0.24,
    clouds=0.16,
    swell=(0.15, 0.07),
    shallows=((1.5, 0.55), (0.45, 0.5)),
    foam=FOAM,
    sand=SAND,
)


class _NationColours(NamedTuple):
    on_ivory: Colour  # of marks on the first side's ivory ships
    on_wine: Colour  # of marks on the second side's wine-red ships


_NATION_COLOURS: Final[dict[Nation, _NationColours]] = {
    "greek": _NationColours((16, 72, 156), (146, 200, 255)),
    "persian": _NationColours((112, 30, 132), (232, 170, 244)),
    "athenian": _NationColours((0, 84, 168), (128, 208, 255)),
    "spartan": _NationColours((168, 18, 28), (255, 168, 144)),
    "roman": _NationColours((176, 26, 16), (255, 176, 120)),
    "carthaginian": _NationColours((122, 18, 96), (244, 166, 222)),
    "pirate": _NationColours((24, 84, 44), (168, 226, 140)),
    "other": _NationColours((120, 72, 6), (244, 204, 112)),
}


def livery_of(side: int, nation: Nation) -> Livery:
    """Return the colours of a nation's ships on the first (0) or second (1) side."""
    hues = _NATION_COLOURS[nation]
    if side == 0:
        return Livery(base=IVORY, mark=hues.on_ivory, letter=IVORY, on_base=(34, 22, 24), pattern="stripes")
    return Livery(base=WINE, mark=hues.on_wine, letter=(255, 190, 176), on_base=(255, 240, 222), pattern="bands")


PALETTE_COLOURS: Final = (
    IVORY,
    WINE,
    GOLD,
    BRONZE,
    FAIR,
    WOUND,
    *(hue for hues in _NATION_COLOURS.values() for hue in hues),
)

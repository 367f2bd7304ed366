"""Colours and patterns of the sides, and the colour of matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from render.drawing.style import Colour, Livery

MATCH_WOOD: Final[Colour] = (240, 209, 152)


@dataclass(frozen=True)
class MatchLivery(Livery):
    match_head: Colour  # of the side's order matches


SOUTH_LIVERY: Final = MatchLivery(
    base=(24, 74, 148),
    mark=(243, 236, 214),
    letter=(214, 232, 255),
    on_base=(246, 240, 222),
    match_head=(45, 120, 226),
    pattern="stripes",
)
NORTH_LIVERY: Final = MatchLivery(
    base=(246, 186, 52),
    mark=(98, 16, 20),
    letter=(255, 212, 110),
    on_base=(62, 14, 12),
    match_head=(214, 44, 30),
    pattern="bands",
)
LIVERIES: Final = {"south": SOUTH_LIVERY, "north": NORTH_LIVERY}
PALETTE_COLOURS: Final = (
    MATCH_WOOD,
    NORTH_LIVERY.base,
    NORTH_LIVERY.match_head,
    SOUTH_LIVERY.base,
    SOUTH_LIVERY.match_head,
)

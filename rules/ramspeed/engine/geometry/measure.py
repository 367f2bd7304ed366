"""How numbers are rounded, so that every machine agrees (RS-01.4), and the angles between headings (RS-07)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, Literal, NamedTuple

ApproachZone = Literal["dead_on", "oblique", "bow_on", "stern_on"]
"""How an attacker comes up (RS-07.2)."""
ROUNDING_TOLERANCE: Final = 1e-6
"""Added before a number is cut: far above the noise of floating point."""


class UnitVector(NamedTuple):
    """A unit vector, x east and y north."""

    x: float
    y: float


def floor_inches(inches: float) -> float:
    """Cut to 0.01 (RS-01.4)."""
    return math.floor(100 * (inches + ROUNDING_TOLERANCE)) / 100


def round_inches(inches: float) -> float:
    """Round to the nearest 0.01 (RS-01.4)."""
    return floor_inches(inches + 0.005)


def round_place(inches: float) -> float:
    """Round to 0.001, as places are stored (RS-01.4)."""
    return math.floor(1000 * (inches + 0.0005 + ROUNDING_TOLERANCE)) / 1000


@lru_cache(maxsize=720)
def forward_vector(heading: int) -> UnitVector:
    """The forward unit vector; exact at quarter turns (RS-01.1)."""
    if heading % 90 == 0:
        return (UnitVector(0.0, 1.0), UnitVector(1.0, 0.0), UnitVector(0.0, -1.0), UnitVector(-1.0, 0.0))[
            heading // 90 % 4
        ]
    angle = math.radians(heading % 360)
    return UnitVector(math.sin(angle), math.cos(angle))


def signed_degrees(degrees: int) -> int:
    """An angle between -180, exclusive, and 180."""
    turned = degrees % 360
    return turned - 360 if turned > 180 else turned


def bearing_deg(from_x: float, from_y: float, to_x: float, to_y: float) -> int:
    """The bearing of a point from another in whole degrees, half up (part 8.2)."""
    return math.floor(math.degrees(math.atan2(to_x - from_x, to_y - from_y)) + 0.5 + ROUNDING_TOLERANCE) % 360

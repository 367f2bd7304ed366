"""Rounding that is equal on every machine (RS-01.4), and angles between headings (RS-07)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, Literal, NamedTuple

ApproachZone = Literal["dead_on", "oblique", "bow_on", "stern_on"]
ROUNDING_TOLERANCE: Final = 1e-6  # inches added before a number is cut, far above floating point errors


class UnitVector(NamedTuple):
    x: float
    y: float


def floor_inches(inches: float) -> float:
    """Cut to 0.01 inch (RS-01.4)."""
    return math.floor(100 * (inches + ROUNDING_TOLERANCE)) / 100


def round_inches(inches: float) -> float:
    """Round to 0.01 inch (RS-01.4)."""
    return floor_inches(inches + 0.005)


def round_place(inches: float) -> float:
    """Round a coordinate to 0.001 inch, as positions are stored (RS-01.4)."""
    return math.floor(1000 * (inches + 0.0005 + ROUNDING_TOLERANCE)) / 1000


@lru_cache(maxsize=720)
def forward_vector(heading: int) -> UnitVector:
    """Return the unit vector of a heading, exact at quarter turns (RS-01.1)."""
    if heading % 90 == 0:
        return (UnitVector(0.0, 1.0), UnitVector(1.0, 0.0), UnitVector(0.0, -1.0), UnitVector(-1.0, 0.0))[
            heading // 90 % 4
        ]
    angle = math.radians(heading % 360)
    return UnitVector(math.sin(angle), math.cos(angle))


def signed_degrees(degrees: int) -> int:
    """Return the equivalent angle above -180 and up to 180."""
    turned = degrees % 360
    return turned - 360 if turned > 180 else turned


def bearing_deg(from_x: float, from_y: float, to_x: float, to_y: float) -> int:
    """Return the bearing from one point to another in whole degrees, half rounded up (part 8.2)."""
    return math.floor(math.degrees(math.atan2(to_x - from_x, to_y - from_y)) + 0.5 + ROUNDING_TOLERANCE) % 360

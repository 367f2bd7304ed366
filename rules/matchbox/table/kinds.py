"""Kinds of vessels: how large their hulls are, and how far an order takes them (MB-1.2, 5.2, 5.3)."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Final, Literal

from msgspec import Struct


class Kind(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """What all vessels of a kind have in common. There is one value of each, told from others by identity."""

    length_mm: float = 60.0
    width_mm: float = 35.0
    move_mm: float = 45.0
    """How far `F`, `L` and `R` take her: a match, if nothing else is said."""
    turn_deg: float = 60.0
    """By how much `L` and `R` turn her."""
    draught: Literal["light", "normal", "deep"] = "normal"
    """What reefs cost her (MX-1.15)."""
    clearance_mm: float = 10.0
    """How far land must be off her sides, or she is poled off it (MX-1.12)."""

    @cached_property
    def half_length_mm(self) -> float:
        """From the middle of a hull to its bow."""
        return self.length_mm / 2

    @cached_property
    def half_width_mm(self) -> float:
        """From the middle of a hull to its side."""
        return self.width_mm / 2

    @cached_property
    def reach_mm(self) -> float:
        """From the middle of a hull to its corners."""
        return math.hypot(self.half_length_mm, self.half_width_mm)

    @cached_property
    def prow_reach_mm(self) -> float:
        """From the prow to the farthest corner."""
        return math.hypot(self.length_mm, self.half_width_mm)

    @cached_property
    def turns_deg(self) -> dict[str, float]:
        """By how much each order that moves her turns her, positive to starboard."""
        return {"F": 0.0, "L": -self.turn_deg, "R": self.turn_deg}


GALLEY: Final = Kind()
"""MB-1.2: one box."""

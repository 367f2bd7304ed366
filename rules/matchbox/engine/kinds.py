"""Kinds of vessels: hulls, crews, moves and bows (MB-1.2, 1.3, MX-2.1).

Wherever a rule mentions the hull, it means that of the vessel's own kind (MX-0.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Final, Literal

from msgspec import Struct

from rules.geometry.boxes import Box
from rules.matchbox.engine.pose import Pose


class VesselKind(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """Properties of all vessels of a kind. There is one instance of each, compared by identity."""

    letter: str = ""  # follows the number of oar holes in a position (MX-6.2)
    masts_by_holes: Mapping[int, int]  # mast holes by oar holes on each side
    points_by_holes: Mapping[int, int]  # points in a fleet by oar holes on each side (MX-2.1)
    length_mm: float = 60.0  # length of the hull
    width_mm: float = 35.0  # width of the hull
    move_mm: float = 45.0  # distance of an `F`, `L` or `R`. The default is one match.
    turn_deg: float = 60.0  # how far an `L` or `R` turns
    max_moves: int = 5  # maximum number of `F`, `L` and `R` in a round (MX-2.3)
    bow: Literal["ram", "none", "fire"] = "ram"  # `none`: no ram (MX-2.6); `fire`: it lights the other vessel (MX-2.7)
    ram_bonus: int = 0  # difference of its ram damage from a galley's (MX-2.2, 2.4)
    has_tower: bool = False  # whether it drops one match more, and sees and is seen over islands (MX-2.5)
    is_fighting: bool = True  # whether its side fights on while it is afloat (MX-2.9)
    draught: Literal["light", "normal", "deep"] = "normal"  # determines damage by reefs (MX-1.15)
    clearance_mm: float = 10.0  # if land is nearer to a side, the vessel is poled off (MX-1.12)
    strip_depth_mm: float = 90.0  # depth of its deployment strip. The default is two matches (MB-2.2, MX-2.2).

    @cached_property
    def half_length_mm(self) -> float:
        return self.length_mm / 2

    @cached_property
    def half_width_mm(self) -> float:
        return self.width_mm / 2

    @cached_property
    def reach_mm(self) -> float:
        return math.hypot(self.half_length_mm, self.half_width_mm)

    @cached_property
    def prow_reach_mm(self) -> float:
        return math.hypot(self.length_mm, self.half_width_mm)

    @cached_property
    def make_box(self) -> Callable[[Pose], Box]:
        """A cached function that returns the hull as a box for a pose."""
        half_length, half_width = self.half_length_mm, self.half_width_mm

        @lru_cache(maxsize=2048)
        def box(pose: Pose) -> Box:
            angle = math.radians(pose.heading_deg)
            ux, uy = math.sin(angle), math.cos(angle)
            return Box(pose.x_mm - half_length * ux, pose.y_mm - half_length * uy, ux, uy, half_length, half_width)

        return box

    @cached_property
    def turn_by_order_deg(self) -> dict[str, float]:  # positive to starboard
        return {"F": 0.0, "L": -self.turn_deg, "R": self.turn_deg}


GALLEY: Final = VesselKind(masts_by_holes={6: 2, 5: 3, 4: 4}, points_by_holes={6: 10, 5: 12, 4: 13})
"""Its hull is one matchbox (MB-1.2)."""
KindName = Literal["galley", "heavy", "scout", "towered", "merchant", "fire"]
KINDS: Final[Mapping[KindName, VesselKind]] = {  # MX-2.1
    "galley": GALLEY,
    "heavy": VesselKind(
        letter="h",
        masts_by_holes={8: 4},
        points_by_holes={8: 18},
        length_mm=120.0,
        turn_deg=30.0,
        max_moves=4,
        ram_bonus=1,
        draught="deep",
        clearance_mm=40.0,
        strip_depth_mm=135.0,
    ),
    "scout": VesselKind(
        letter="s",
        masts_by_holes={5: 2},
        points_by_holes={5: 8},
        length_mm=45.0,
        width_mm=25.0,
        move_mm=60.0,
        ram_bonus=-1,
        draught="light",
    ),
    "towered": VesselKind(letter="t", masts_by_holes={4: 4}, points_by_holes={4: 15}, max_moves=3, has_tower=True),
    "merchant": VesselKind(
        letter="m", masts_by_holes={3: 1}, points_by_holes={3: 2}, bow="none", is_fighting=False, draught="deep"
    ),
    "fire": VesselKind(letter="f", masts_by_holes={4: 0}, points_by_holes={4: 5}, bow="fire", is_fighting=False),
}
NAME_BY_LETTER: Final[Mapping[str, KindName]] = {kind.letter: name for name, kind in KINDS.items()}
MAX_MOVE_MM: Final = max(kind.move_mm for kind in KINDS.values())
"""Length of the longest order match, that of a scout's move (MX-2.4)."""

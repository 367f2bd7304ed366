"""What can happen under the extra rules alone: on land and reefs, with fire, by crews (MX parts 1, 2 and 4).

These join the game's `Happening` when chat and pictures can tell them; no game that is opened from chat has them.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from rules.matchbox.table.state import Edge, Pose
from rules.protocol import Event


class _Incident(Event, frozen=True, kw_only=True):
    befell: ClassVar[tuple[str, ...]] = ("galley",)

    step: int = 0
    """The order step within the round; 0: after the last."""
    galley: str


class RanAground(_Incident, frozen=True, kw_only=True):
    """A galley ran on to land, bow first (MX-1.10)."""

    damage: int
    """0: a gentle beaching."""


class StruckReef(_Incident, frozen=True, kw_only=True):
    """A galley went over a reef too fast or too deep (MX-1.15): 1 damage."""


class PoledOff(_Incident, frozen=True, kw_only=True):
    """A galley was poled sideways off land at the end of the round (MX-1.12)."""

    start: Pose
    end: Pose
    to: Literal["port", "starboard"]
    distance_mm: float


class Torched(_Incident, frozen=True, kw_only=True):
    """A fire ship struck a galley with her bow (MX-2.7)."""

    befell = ("galley", "by")

    by: str
    edge: Edge
    """The edge of the hull that was struck."""


class CaughtFire(_Incident, frozen=True, kw_only=True):
    """A galley began to burn (MX-2.8)."""


class BurntOut(_Incident, frozen=True, kw_only=True):
    """A fire ship was spent, and left the table (MX-2.7)."""


class FirePutOut(_Incident, frozen=True, kw_only=True):
    """Rowers put the fire out in place of changing benches (MX-2.8)."""


class Mended(_Incident, frozen=True, kw_only=True):
    """Carpenters brought an oar back (MX-4.5)."""

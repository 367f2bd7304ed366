"""The view of a captain or a spectator (CA part 12)."""

from __future__ import annotations

from rules.campaign.engine.orders import FleetOrder
from rules.campaign.engine.sea.maps import Home
from rules.campaign.engine.sea.sight import SeenGalleys
from rules.campaign.engine.sea.state import Galley, Position, SeaBattle
from rules.core.view import View


class SeasonView(View, frozen=True, kw_only=True):
    """The campaign as one seat sees it, independent of who holds the seat (CA-14.2).

    Fields about the captain's own affairs are empty for a spectator.
    """

    map: str
    captains: str
    teams: tuple[int, ...]
    homes: tuple[Home, ...]
    turns: int
    ports: dict[str, str]
    trophies: dict[str, int]
    laurels: dict[str, int]
    battles: tuple[SeaBattle, ...]
    captain: str  # the viewer's letter; empty: a spectator
    galleys: tuple[Galley, ...]
    talents: int
    spares: str
    settled_for_dice: bool  # whether the captain agreed to dice (CA-6.2d)
    seen_places: tuple[str, ...]
    others_galleys: dict[str, tuple[SeenGalleys, ...]]
    sieges: dict[str, tuple[str, int]]
    planned_orders: tuple[FleetOrder, ...] = ()
    focus: str = ""

    @property
    def known_position(self) -> Position:
        """Return a position of what the seat knows, without other captains' galleys and talents."""
        return Position(
            map=self.map,
            captains=self.captains,
            teams=self.teams,
            homes=self.homes,
            turn=self.round,
            turns=self.turns,
            ports=self.ports,
            trophies=self.trophies,
            spares={self.captain: self.spares} if self.spares else {},
            talents={self.captain: self.talents} if self.captain else {},
            galleys=self.galleys,
            sieges=self.sieges,
            battles=self.battles,
        )

"""What a captain, or a spectator, may see of a campaign (CA part 12)."""

from __future__ import annotations

from rules.campaign.engine.orders import FleetOrder
from rules.campaign.engine.sea.maps import Home
from rules.campaign.engine.sea.sight import SeenGalleys
from rules.campaign.engine.sea.state import Galley, Position, SeaBattle
from rules.core.view import View


class SeasonView(View, frozen=True, kw_only=True):
    """The campaign as one seat sees it, no matter who has it (CA-14.2).

    What is empty to a spectator is the captain's own.
    """

    map: str
    captains: str
    teams: tuple[int, ...]
    homes: tuple[Home, ...]
    turns: int
    ports: dict[str, str]
    """The owner of each port that has one."""
    trophies: dict[str, int]
    laurels: dict[str, int]
    battles: tuple[SeaBattle, ...]
    """Those that are being played."""
    captain: str
    """The viewer's letter; empty: a spectator."""
    galleys: tuple[Galley, ...]
    """The captain's own."""
    talents: int
    spares: str
    settled_for_dice: bool
    """Whether the captain has settled for dice (CA-6.2d)."""
    seen_places: tuple[str, ...]
    """Codes of the places seen, in order."""
    others_galleys: dict[str, tuple[SeenGalleys, ...]]
    """Others' galleys in the places seen."""
    sieges: dict[str, tuple[str, int]]
    """Of ports in the places seen, who besieges them, and galley-nights."""
    planned_orders: tuple[FleetOrder, ...] = ()
    """Of the captain's unfinished orders."""
    focus: str = ""
    """What the captain's panel looks at."""

    @property
    def known_position(self) -> Position:
        """A position of all that is known here: others' galleys and talents are missing."""
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

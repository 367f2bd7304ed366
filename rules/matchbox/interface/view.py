"""What may be seen of a game of War Galley with matchboxes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType

from rules.core.view import View
from rules.geometry.boxes import Pair
from rules.matchbox.engine import aim
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import (
    Galley,
    LaidMatch,
    Level,
    PendingDecision,
    ScenarioTitle,
    ScoreKey,
    StandingOrders,
    TableSide,
)
from rules.matchbox.engine.terrain import LandPiece
from rules.matchbox.interface.fleets import FleetContext


class PlannedMove(Struct, frozen=True, kw_only=True):
    """The viewer's own unfinished orders for a galley, laid on the table."""

    galley: str
    orders: str
    matches: tuple[LaidMatch, ...]
    """As they would lie at the beginning of the round."""
    ghosts: tuple[Pose, ...]
    """Where she would be after each of her orders, if nothing is in the way."""


class Reach(Struct, frozen=True, kw_only=True):
    """Where a galley may get to in a round."""

    galley: str
    max_distance_mm: float
    """All the moves that she may be ordered, one after another."""
    outline: tuple[Pair, ...]
    """A convex shape, in mm, that she does not leave."""


class TableView(View, frozen=True, kw_only=True):
    """The table as one seat sees it. Everything on it is open but the viewer's own plans."""

    width_mm: float
    height_mm: float
    land: tuple[LandPiece, ...] = ()
    """Islands, moles and reefs on it (MX-1.1)."""
    sides: tuple[TableSide, ...]
    """The side of each seat."""
    galleys: tuple[Galley, ...]
    """Afloat, in galley order. A galley that its captain is about to place is here, too, in the captain's own view."""
    lost: tuple[Galley, ...] = ()
    laid_matches: tuple[LaidMatch, ...] = ()
    """Order matches that lie on the table, for all to see."""
    planned_moves: tuple[PlannedMove, ...] = ()
    current_galley: str = ""
    """The galley that the viewer gives orders to just now, or places, or is asked about."""
    reaches: tuple[Reach, ...] = ()
    """Where enemies may get to in a round, while the viewer looks at that."""
    standing_orders: StandingOrders = StandingOrders()
    """The viewer's own standing orders."""
    decisions: tuple[PendingDecision, ...] = ()
    """All that the viewer is asked in mid-round."""
    to_place: tuple[str, ...] = ()
    """The viewer's galleys still to be placed."""
    fleet_context: FleetContext | UnsetType = UNSET
    """While fleets are chosen: what the viewer may bring."""
    builds: tuple[tuple[str, str], ...] = ()
    """Every vessel of the fleets that captains brought, with her build (MX-4.1); empty: types are chosen in placing."""
    strip: tuple[float, float] | None = None
    """While placing: the viewer's strip of the table, from y to y in mm (MB-2.2)."""
    placement_span: tuple[float, float] | None = None
    """While placing: the captain's share of the strip, from x to x in mm; all of it unless allies place in secret."""
    scenario: ScenarioTitle | UnsetType = UNSET
    """What is played for; not set: to sink the enemy (MX part 5)."""
    score_so_far: Mapping[ScoreKey, int] | UnsetType = UNSET
    """Of the scenario, up to now."""
    quiet_rounds: int = 0
    captain_level: Level = "mate"
    """How well the game's computer captains play: everybody may know."""

    @property
    def allows_boarding(self) -> bool:
        """Whether galleys may be boarded (MX part 3), as a captain's own view tells: standing orders name prizes."""
        return self.standing_orders.prize is not UNSET

    @property
    def first_decision(self) -> PendingDecision | None:
        """The first of what the viewer is asked in mid-round."""
        return self.decisions[0] if self.decisions else None

    @property
    def shot_to_aim(self) -> aim.AimedVolley | None:
        """The volley that the viewer is asked to aim, if any."""
        question, ships = self.first_decision, {ship.id for ship in self.galleys}
        if question is None or question.kind != "aim" or not {question.galley, question.about} <= ships:
            return None
        shot = aim.volley_of_decision(question, self.galleys, self.laid_matches, self.sea)
        return shot if shot.match_count else None

    @property
    def aim_map(self) -> aim.AimMap | None:
        """Where that volley may be expected to hit: worked out each time, and so for nobody who does not draw it."""
        shot = self.shot_to_aim
        return aim.near_map(shot) if shot else None

    @property
    def sea(self) -> Sea:
        """The table, and the land on it."""
        return Sea(self.width_mm, self.height_mm, self.land)

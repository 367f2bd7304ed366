"""What may be seen of a game of War Galley with matchboxes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType

from rules.geometry import Pair
from rules.matchbox.desk.fleets import FleetContext
from rules.matchbox.table import aim
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.sea import Sea
from rules.matchbox.table.state import (
    Galley,
    LaidMatch,
    Level,
    PendingDecision,
    ScenarioTitle,
    ScoreKey,
    StandingOrders,
    TableSide,
)
from rules.matchbox.table.terrain import LandPiece
from rules.view import View


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
    far_mm: float
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
    lying: tuple[LaidMatch, ...] = ()
    """Order matches that lie on the table, for all to see."""
    plans: tuple[PlannedMove, ...] = ()
    current: str = ""
    """The galley that the viewer gives orders to just now, or places, or is asked about."""
    reach: tuple[Reach, ...] = ()
    """Where enemies may get to in a round, while the viewer looks at that."""
    standing: StandingOrders = StandingOrders()
    """The viewer's own standing orders."""
    questions: tuple[PendingDecision, ...] = ()
    """All that the viewer is asked in mid-round."""
    to_place: tuple[str, ...] = ()
    """The viewer's galleys still to be placed."""
    muster: FleetContext | UnsetType = UNSET
    """While fleets are chosen: what the viewer may bring."""
    builds: tuple[tuple[str, str], ...] = ()
    """Every vessel of the fleets that captains brought, with her build (MX-4.1); empty: types are chosen in placing."""
    zone: tuple[float, float] | None = None
    """While placing: the viewer's strip of the table, from y to y in mm (MB-2.2)."""
    berth: tuple[float, float] | None = None
    """While placing: the captain's share of the strip, from x to x in mm; all of it unless allies place in secret."""
    scenario: ScenarioTitle | UnsetType = UNSET
    """What is played for; not set: to sink the enemy (MX part 5)."""
    scored: Mapping[ScoreKey, int] | UnsetType = UNSET
    """Of the scenario, up to now."""
    quiet_rounds: int = 0
    captain: Level = "mate"
    """How well the game's computer captains play: everybody may know."""

    @property
    def boarding(self) -> bool:
        """Whether galleys may be boarded (MX part 3), as a captain's own view tells: standing orders name prizes."""
        return self.standing.prize is not UNSET

    @property
    def question(self) -> PendingDecision | None:
        """The first of what the viewer is asked in mid-round."""
        return self.questions[0] if self.questions else None

    @property
    def aimed(self) -> aim.AimedVolley | None:
        """The volley that the viewer is asked to aim, if any."""
        question, ships = self.question, {ship.id for ship in self.galleys}
        if question is None or question.kind != "aim" or not {question.galley, question.about} <= ships:
            return None
        shot = aim.volley_of_decision(question, self.galleys, self.lying, self.sea)
        return shot if shot.matches else None

    @property
    def chart(self) -> aim.AimMap | None:
        """Where that volley may be expected to hit: worked out each time, and so for nobody who does not draw it."""
        shot = self.aimed
        return aim.near_map(shot) if shot else None

    @property
    def sea(self) -> Sea:
        """The table, and the land on it."""
        return Sea(self.width_mm, self.height_mm, self.land)

"""The view of a game of War Galley with matchboxes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

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
    SinkRule,
    StandingOrders,
    TableSide,
)
from rules.matchbox.engine.terrain import LandPiece
from rules.matchbox.interface.fleets import FleetContext


class PlannedMove(Struct, frozen=True, kw_only=True):
    galley: str  # id of the galley
    orders: str  # letters of its planned orders, such as `ZZFX`
    matches: tuple[LaidMatch, ...]  # where the matches of these orders lie at the beginning of the round
    ghosts: tuple[Pose, ...]  # poses after each order if nothing is in the way


class PlannedShot(Struct, frozen=True, kw_only=True):
    """A volley of the viewer's draft, if other galleys neither move nor fire."""

    by: str  # id of the galley that fires
    to: str  # id of her target
    start: Pose  # of the galley when she fires
    end: Pose  # of the target then
    steps: tuple[int, ...]  # in which she fires from there, from 1
    matches: int  # that are dropped each time
    gap_mm: float  # the range


class Reach(Struct, frozen=True, kw_only=True):
    galley: str  # id of the galley
    max_distance_mm: float  # the farthest that its prow can go in a round
    outline: tuple[Pair, ...]  # a convex shape, in mm, that the galley cannot leave in a round


class TableView(View, frozen=True, kw_only=True):
    """The table as one seat sees it. Everything is public except the viewer's own plans."""

    width_mm: float  # from the table's western to its eastern edge
    height_mm: float  # from the table's southern to its northern edge
    land: tuple[LandPiece, ...] = ()  # islands, moles and reefs; empty: open water
    sides: tuple[TableSide, ...]  # each seat's side
    galleys: tuple[Galley, ...]  # galleys afloat and, in the viewer's own view, those being placed
    lost: tuple[Galley, ...] = ()  # galleys sunk or struck, in their last state
    struck: tuple[str, ...] = ()  # ids of galleys in `lost` that are afloat, because their captains gave up (MB-8.1)
    laid_matches: tuple[LaidMatch, ...] = ()  # order matches on the table
    planned_moves: tuple[PlannedMove, ...] = ()  # moves of the viewer's draft
    planned_shots: tuple[PlannedShot, ...] = ()  # volleys of the viewer's draft
    current_galley: str = ""  # the galley that the viewer gives orders to, places, or is asked about
    reaches: tuple[Reach, ...] = ()  # the reach of enemies, while the viewer has it shown
    standing_orders: StandingOrders = StandingOrders()  # the viewer's standing orders
    decisions: tuple[PendingDecision, ...] = ()  # questions that the viewer must answer in the middle of a round
    to_place: tuple[str, ...] = ()  # ids of the viewer's galleys that are not placed yet
    fleet_context: FleetContext | UnsetType = UNSET  # while fleets are chosen: the viewer's limits
    builds: tuple[tuple[str, str], ...] = ()
    """Vessels of all fleets with their builds (MX-4.1); empty: types are chosen in deployment."""
    strip: tuple[float, float] | None = None  # in deployment: the viewer's strip, a range of y in mm (MB-2.2)
    placement_span: tuple[float, float] | None = None
    """In deployment: the captain's share of the strip, a range of x in mm."""
    scenario: ScenarioTitle | UnsetType = UNSET  # the scenario (MX-5); unset: the goal is to sink the enemy
    score_so_far: Mapping[ScoreKey, int] | UnsetType = UNSET  # the scenario's score; unset: no scenario
    quiet_rounds: int = 0  # consecutive rounds without any loss
    sinks: Literal["both_sides"] | UnsetType = UNSET
    """Sides of a galley that are empty of oars when it sinks (MB-7.2); unset: one."""
    captain_level: Level = "mate"  # the public level of computer captains

    @property
    def sink_rule(self) -> SinkRule:
        return self.sinks or "one_side"

    @property
    def allows_boarding(self) -> bool:
        """Whether boarding is allowed (MX-3). Only a captain's own view knows it."""
        return self.standing_orders.prize is not UNSET

    @property
    def first_decision(self) -> PendingDecision | None:
        return self.decisions[0] if self.decisions else None

    @property
    def shot_to_aim(self) -> aim.AimedVolley | None:
        """The volley that the viewer must aim, or None."""
        question, ships = self.first_decision, {ship.id for ship in self.galleys}
        if question is None or question.kind != "aim" or not {question.galley, question.about} <= ships:
            return None
        shot = aim.volley_of_decision(question, self.galleys, self.laid_matches, self.sea)
        return shot if shot.match_count else None

    @property
    def aim_map(self) -> aim.AimMap | None:
        """The expected results of that volley. It is expensive to compute, and not cached."""
        shot = self.shot_to_aim
        return aim.near_map(shot) if shot else None

    @property
    def sea(self) -> Sea:
        return Sea(self.width_mm, self.height_mm, self.land)

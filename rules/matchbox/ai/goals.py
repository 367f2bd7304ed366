"""Scenario goals for computer captains: who has a destination, how far it is, and what it is worth to get there.

Scenarios differ only in a row of `_GOAL_PLANS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import shapely

from rules.matchbox.ai import fairway, foresight
from rules.matchbox.ai.foresight import HullTracks
from rules.matchbox.ai.many_hulls import Bools, Floats
from rules.matchbox.ai.many_rounds import FleetTables
from rules.matchbox.engine import hull, scenarios
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, ScenarioTitle
from rules.matchbox.interface.view import TableView

_WAY_WEIGHT_PER_MM: Final = 0.012  # cost in oars of a remaining millimetre, for the rough estimate of lists
_MAX_BACKED_MM: Final = 60.0
"""A galley this near to its goal after running on to land ran on to the goal, although it backed off (MX-1.11)."""
_LANDING_REACH_MM: Final = 75.0  # distance of a hull's middle from the town from which the next move lands
_LANDING_WORTH: Final = 3.0  # worth in oars of a list that lands
_ARRIVING_WORTH: Final = 3.0  # worth in oars of a list that reaches the edge over which the vessel leaves


class _GoalPlan(NamedTuple):
    around_mm: float  # how far outside the zone a hull's middle counts as arrived
    way_weight: float  # log odds for each metre of the way
    arrival_weight: float  # log odds for having arrived at the end of a round
    arrives_by_landing: bool = False  # whether only running on to the zone counts as arrival


_GOAL_PLANS: Final[Mapping[ScenarioTitle, _GoalPlan]] = {
    "escort": _GoalPlan(30.0, way_weight=7.0, arrival_weight=5.0),
    "break-out": _GoalPlan(30.0, way_weight=7.0, arrival_weight=5.0),
    "harbour": _GoalPlan(-20.0, way_weight=4.0, arrival_weight=2.0),
    "raid": _GoalPlan(45.0, way_weight=5.0, arrival_weight=4.0, arrives_by_landing=True),
}


class ScenarioGoal(NamedTuple):
    title: ScenarioTitle  # the scenario
    sea: Sea  # the table with its land

    def has_destination(self, galley: Galley) -> bool:
        return scenarios.can_contribute(self.title, galley)

    def wants_to_beach(self, galley: Galley) -> bool:
        return _GOAL_PLANS[self.title].arrives_by_landing and self.has_destination(galley)

    def way_to_goal(self, x: Floats, y: Floats) -> fairway.RemainingWay:  # from middles of hulls
        return _zone_chart(self.sea, self.title).look_up(x, y)

    def list_worth(self, galley: Galley, orders: Sequence[str], track: HullTracks) -> Floats:
        """Return the worth of each list for the scenario's goal, in oars: less for each mm of way left after it."""
        distance_left = self.way_to_goal(track.x[:, -1], track.y[:, -1]).left_mm
        worth = -_WAY_WEIGHT_PER_MM * distance_left
        if scenarios.SCENARIOS[self.title].may_leave_over_edge:
            prow = track.y[:, -1] + galley.kind.half_length_mm * np.cos(track.heading[:, -1])
            worth += _ARRIVING_WORTH * (self.sea.height_mm - prow <= scenarios.NEAR_EDGE_MM)
        if _GOAL_PLANS[self.title].arrives_by_landing:
            is_stopped = (foresight.step_letters(orders) == "F") & (track.pushed_back[:, 1:] >= galley.kind.move_mm)
            distance_to_town = shapely.distance(
                _town_polygon(self.sea), shapely.points(track.x[:, :-1], track.y[:, :-1])
            )
            worth += _LANDING_WORTH * (is_stopped & (distance_to_town <= _LANDING_REACH_MM)).any(axis=1)
        return np.asarray(worth)

    def straight_list(self, galley: Galley) -> str:
        """Return the orders that bring a galley nearest to its destination, with as few shots as possible."""
        orders = foresight.legal_lists(galley)
        track = foresight.pool_tracks(galley, orders, self.sea)
        fires = np.array([order_letters.count("X") for order_letters in orders])
        is_pushed_back = (track.pushed_back[:, 1:] > foresight.PUSHED_MM).any(axis=1)
        worth = self.list_worth(galley, orders, track) - foresight.EDGE_WEIGHT * is_pushed_back
        fires_least = fires == fires.min()
        return orders[int(np.where(fires_least, np.round(worth, 6), -np.inf).argmax())]

    def log_odds(self, tables: FleetTables, beached: Bools, galleys: Sequence[Galley], enemy: Bools) -> Floats:
        """Return how much nearer the own side is to its goal than the enemy, in log odds, [round].

        `beached` says which galleys ran on to land, [galley, round].
        """
        plan = _GOAL_PLANS[self.title]
        total = np.zeros(tables.x.shape[1])
        for number, galley in enumerate(galleys):
            if not self.has_destination(galley):
                continue
            half_length = galley.kind.half_length_mm
            heading = np.radians(tables.heading[number])
            x, y = tables.x[number] - half_length * np.sin(heading), tables.y[number] - half_length * np.cos(heading)
            distance_left = self.way_to_goal(x, y).left_mm
            sign = -1.0 if enemy[number] else 1.0
            worth = (
                plan.arrival_weight * self._has_arrived(tables, number, beached[number], distance_left)
                - plan.way_weight * distance_left / 1000.0
            )
            # A sunk vessel counts as having the whole way ahead.
            worth_if_sunk = -plan.way_weight * max(self.sea.size_mm) / 1000.0
            total += sign * np.where(tables.afloat[number], worth, worth_if_sunk)
        return total

    def _has_arrived(self, tables: FleetTables, number: int, beached: Bools, left_mm: Floats) -> Bools:
        if _GOAL_PLANS[self.title].arrives_by_landing:
            return np.asarray(beached & (tables.masts[number] > 0) & (left_mm <= _MAX_BACKED_MM))
        if scenarios.SCENARIOS[self.title].may_leave_over_edge:
            return np.asarray(self.sea.height_mm - tables.y[number] <= scenarios.NEAR_EDGE_MM)
        return np.asarray(left_mm <= 0.0)


def scenario_goal(view: TableView) -> ScenarioGoal | None:
    return ScenarioGoal(view.scenario, view.sea) if view.scenario else None


def is_near_goal(goal: ScenarioGoal | None, galley: Galley, most_mm: float) -> bool:
    if goal is None or not goal.has_destination(galley):
        return False
    x, y = hull.hull_middle(galley.pose, galley.kind)
    return float(goal.way_to_goal(np.array([x]), np.array([y])).left_mm[0]) <= most_mm


@lru_cache(maxsize=8)
def _town_polygon(sea: Sea) -> shapely.Polygon:
    return shapely.Polygon(scenarios.goal_zone("raid", sea))


@lru_cache(maxsize=8)
def _zone_chart(sea: Sea, title: ScenarioTitle) -> fairway.RouteChart:
    return fairway.route_chart(
        sea, shapely.Polygon(scenarios.goal_zone(title, sea)).buffer(_GOAL_PLANS[title].around_mm)
    )

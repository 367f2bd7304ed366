"""Reasons from a scenario's goal: a house burnt, the edge or basin reached, or an approach to them.

Each galley is simulated alone on the table, so a reason holds if nobody gets in the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import shapely
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import Scalar
from rules.core.finding import find_by_id
from rules.core.view import Text
from rules.matchbox.engine import hull, scenarios
from rules.matchbox.engine.incidents import HouseBurnt
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.stages import Decisions, RoundInProgress
from rules.matchbox.engine.state import SLOTS, Galley, OrderList, ScenarioTitle
from rules.matchbox.interface.view import TableView

DONE_RANK: Final = -1  # the rank of burning a house or leaving, above a ram
_ARRIVED_RANK: Final = 3
_ON_THE_WAY_RANK: Final = 5
_MIN_PROGRESS_MM: Final = 1.0


def scenario_reasons(view: TableView, lists: Sequence[OrderList]) -> Iterator[tuple[int, Text]]:
    if not view.scenario:
        return
    approaches: list[tuple[float, Text]] = []
    for order_list in lists:
        galley = find_by_id(view.galleys, order_list.galley)
        if not scenarios.can_contribute(view.scenario, galley):
            continue
        end, landed = _sail_alone(view, galley, order_list)
        if landed:
            yield DONE_RANK, Text("reason.errand.burn", {"galley": galley.id, "step": landed})
        elif scenarios.leaves_table(view.scenario, end, view.sea):
            yield DONE_RANK, Text("reason.errand.leave", {"galley": galley.id})
        elif view.scenario == "harbour" and scenarios.is_in_basin(end):
            yield _ARRIVED_RANK, Text("reason.errand.basin", {"galley": galley.id})
        else:
            before, after = (_remaining_mm(view.scenario, view.sea, each) for each in (galley, end))
            if after <= before - _MIN_PROGRESS_MM:
                params: dict[str, Scalar] = {"galley": galley.id, "from_mm": before, "gap_mm": after}
                approaches.append((after, Text(f"reason.errand.way.{view.scenario}", params)))
    if approaches:
        yield _ON_THE_WAY_RANK, min(approaches, key=lambda approach: approach[0])[1]


def _sail_alone(view: TableView, galley: Galley, order_list: OrderList) -> tuple[Galley, int]:
    """Return the galley after its orders, and the step in which it lands at the town (0: never)."""
    play = RoundInProgress(
        view.sea, (galley,), [order_list], Decisions({}, {}, None, {}), Dice("00"), scenario=view.scenario or None
    )
    landed = 0
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        play.move_all()
        if view.scenario == "raid":
            play.burn_houses()
            landed = landed or next((event.step for event in play.events if isinstance(event, HouseBurnt)), 0)
    return structs.replace(galley, pose=play.galleys[galley.id].pose), landed


def _remaining_mm(title: ScenarioTitle, sea: Sea, galley: Galley) -> float:
    zone = shapely.Polygon(scenarios.goal_zone(title, sea))
    at = hull.hull_middle(galley.pose, galley.kind) if title == "harbour" else (galley.pose.x_mm, galley.pose.y_mm)
    return float(shapely.distance(zone, shapely.Point(*at)))

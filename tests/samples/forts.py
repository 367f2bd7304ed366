"""Representative answers: enough to reach every kind of event, few enough to try them all."""

from __future__ import annotations

from itertools import permutations

from rules.forts.engine import sailing
from rules.forts.engine.boards import Harbour
from rules.forts.engine.state import (
    CODES,
    ActionList,
    ClaimWin,
    EndOrder,
    FlagshipChoice,
    MoveOrder,
    PassTurn,
    Placement,
    PlanBlock,
    RunPlan,
    ShootOrder,
    State,
    StoredPlan,
    Target,
    UndoMove,
)
from rules.forts.interface import game_flow, placing
from rules.forts.interface.orders import ActiveOrder
from rules.forts.interface.plans import PlanContext
from rules.forts.interface.questions import moves_of_ships, shots_of_ships


def sample_placements(berths: Harbour) -> tuple[Placement, ...]:
    ways = [Placement(way) for way in permutations(berths.start)]
    return tuple(dict.fromkeys((placing.default_placement(berths), *ways[::5])))


def sample_orders(state: State) -> tuple[ActiveOrder, ...]:
    moves, shots = moves_of_ships(state), shots_of_ships(state)
    orders: list[ActiveOrder] = [ActionList((EndOrder(),))]
    orders += [ActionList((action,)) for action in (*moves, *shots)]
    if moves and shots:
        orders.append(ActionList((shots[0], moves[-1], EndOrder())))
    orders += [ActionList((*moves[:1], EndOrder()))] if moves else []
    orders += [UndoMove()] if game_flow.may_undo(state) else []
    orders += [RunPlan()] if state.plan_of(state.position.active_colour).blocks else []
    orders += [ClaimWin()] if game_flow.may_claim(state) else []
    return (*dict.fromkeys(orders), PassTurn())


def sample_plans(context: PlanContext) -> tuple[StoredPlan, ...]:
    position, colour = context.position, context.colour
    mine = position.ships_of(colour)
    enemies = tuple(Target(ship.code) for ship in position.ships if ship.colour != colour)
    plans = [StoredPlan(), StoredPlan((PlanBlock("any", (EndOrder(),)),), auto=True)]
    if mine and enemies:
        fire_all = tuple(ShootOrder(ship.code, enemies) for ship in mine)
        sail = tuple(
            MoveOrder(ship.code, label) for ship in mine for label in [*sailing.shortest_ways(position, ship)][-1:]
        )
        plans.append(StoredPlan((PlanBlock("any", (*fire_all, *sail, *fire_all)),)))
        plans.append(StoredPlan((PlanBlock("wind", (*sail, EndOrder())), PlanBlock("calm", fire_all)), auto=True))
    return tuple(dict.fromkeys(plans))


SAMPLES = {
    "flagship": lambda _: [FlagshipChoice(code) for code in CODES],
    "berths": sample_placements,
    "plan": sample_plans,
    "act": sample_orders,
}

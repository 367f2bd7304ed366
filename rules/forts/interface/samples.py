"""Representative answers: enough to reach every kind of event, few enough to try them all."""

from __future__ import annotations

from itertools import permutations

from rules.core.finding import find_by_id
from rules.forts.engine import actions, fire, sailing, turn
from rules.forts.engine.boards import Harbour
from rules.forts.engine.state import (
    Action,
    ActionList,
    ClaimWin,
    EndOrder,
    MoveOrder,
    PassTurn,
    Placement,
    PlanBlock,
    PlayerColour,
    Position,
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


def sample_placements(berths: Harbour) -> tuple[Placement, ...]:
    ways = [Placement(way) for way in permutations(berths.start)]
    return tuple(dict.fromkeys((placing.default_placement(berths), *ways[::5])))


def possible_actions_text(state: State) -> str:
    moves, shots = _sample_moves(state), _sample_shots(state)
    shots = [action for action in shots if turn.find_hindrance(state.position, action) is None]
    return actions.format_actions([*shots[:1], *moves[:1]] or [EndOrder()])


def future_shot_text(position: Position, colour: PlayerColour) -> str:
    mine, foe = (next(s.code for s in position.ships if (s.colour == colour) is own) for own in (True, False))
    return actions.format_action(ShootOrder(mine, (Target(foe),)))


def sample_orders(state: State) -> tuple[ActiveOrder, ...]:
    moves, shots = _sample_moves(state), _sample_shots(state)
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


def _sample_moves(state: State) -> list[Action]:
    moves: list[Action] = []
    for ship in state.position.ships_of(state.position.active_colour):
        reach = sailing.current_reach(state.position, ship).hexes
        moves += [MoveOrder(ship.code, label) for label in dict.fromkeys((*reach[:1], *reach[-1:], *reach[-6:-5]))]
    return moves


def _sample_shots(state: State) -> list[Action]:
    shots: list[Action] = []
    for ship in state.position.ships_of(state.position.active_colour):
        for line in fire.fire_lines(state.position, ship):
            code = find_by_id(state.position.ships, line.to).code
            shots += [ShootOrder(ship.code, (Target(code, most),)) for most in (1, 0) if line.need]
    return shots

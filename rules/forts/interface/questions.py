"""The kinds of questions to captains, each with its notation, options and default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.finding import find_by_id
from rules.forts.engine import actions, fire, sailing, turn
from rules.forts.engine.state import Action, EndOrder, MoveOrder, PlayerColour, Position, ShootOrder, State, Target
from rules.forts.interface import orders, placing, plans
from rules.interface.question import Question


def _possible_actions_text(state: State) -> str:
    moves, shots = moves_of_ships(state), shots_of_ships(state)
    shots = [action for action in shots if turn.find_hindrance(state.position, action) is None]
    return actions.format_actions([*shots[:1], *moves[:1]] or [EndOrder()])


def _future_shot_text(position: Position, colour: PlayerColour) -> str:
    own_code = next(ship.code for ship in position.ships if ship.colour == colour)
    enemy_code = next(ship.code for ship in position.ships if ship.colour != colour)
    return actions.format_action(ShootOrder(own_code, (Target(enemy_code),)))


def moves_of_ships(state: State) -> list[Action]:
    moves: list[Action] = []
    for ship in state.position.ships_of(state.position.active_colour):
        reach = sailing.current_reach(state.position, ship).hexes
        # the nearest hex, the farthest, and a far one
        moves += [MoveOrder(ship.code, label) for label in dict.fromkeys((*reach[:1], *reach[-1:], *reach[-6:-5]))]
    return moves


def shots_of_ships(state: State) -> list[Action]:
    shots: list[Action] = []
    for ship in state.position.ships_of(state.position.active_colour):
        for line in fire.fire_lines(state.position, ship):
            code = find_by_id(state.position.ships, line.to).code
            shots += [ShootOrder(ship.code, (Target(code, most),)) for most in (1, 0) if line.need]
    return shots


QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "flagship": Question(
        notation=placing.FLAGSHIP_NOTATION,
        draft_choices=placing.flagship_choices,
        default_answer=lambda _: placing.DEFAULT_FLAGSHIP,
    ),
    "berths": Question(
        notation=placing.PLACEMENT_NOTATION,
        draft_choices=placing.placement_choices,
        example_values=lambda berths: {"places": placing.format_placement(placing.default_placement(berths))},
        default_answer=placing.default_placement,
    ),
    "plan": Question(
        notation=plans.PLAN_NOTATION,
        draft_choices=plans.draft_choices,
        example_values=lambda context: {"orders": _future_shot_text(context.position, context.colour)},
        default_answer=lambda context: context.stored_plan,
    ),
    "act": Question(
        notation=orders.ORDER_NOTATION,
        draft_choices=orders.draft_choices,
        example_values=lambda state: {"orders": _possible_actions_text(state)},
        default_answer=orders.default_order,
        excused_default=lambda state: orders.default_order(state, excused=True),
        is_claim=lambda line: line == "claim",
    ),
}
"""By `Request.kind`: flagship (NB-02.3), placement (NB-02.2), plan and actions (NB-10)."""

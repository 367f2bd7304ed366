"""Representative answers: enough to reach every kind of event, few enough to count."""

from __future__ import annotations

from itertools import permutations

from rules.finding import by_id
from rules.forts.desk import game_flow, placing
from rules.forts.desk.orders import Order
from rules.forts.desk.plans import PlanContext
from rules.forts.table import actions, fire, sailing, turn
from rules.forts.table.boards import Harbour
from rules.forts.table.state import (
    Action,
    Actions,
    Block,
    Claim,
    Colour,
    End,
    Move,
    Pass,
    Placement,
    Plan,
    Position,
    RunPlan,
    Shots,
    State,
    Target,
    Undo,
)


def placements(berths: Harbour) -> tuple[Placement, ...]:
    """Some of the ways to lie on the start hexes, the proposal first."""
    ways = [Placement(way) for way in permutations(berths.start)]
    return tuple(dict.fromkeys((placing.proposal(berths), *ways[::5])))


def now(state: State) -> str:
    """A move and a shot that can be carried out now, or one of them; if there is neither, the end."""
    moves, shots = _moves(state), _shots(state)
    shots = [action for action in shots if turn.hindrance(state.position, action) is None]
    return actions.write([*shots[:1], *moves[:1]] or [End()])


def shot_to_come(position: Position, colour: Colour) -> str:
    """A shot of a colour's first ship at the enemy's first."""
    mine, foe = (next(s.code for s in position.ships if (s.colour == colour) is own) for own in (True, False))
    return actions.write_one(Shots(mine, (Target(foe),)))


def orders(state: State) -> tuple[Order, ...]:
    """Moves near and far for every ship, shots at every target, lists of them, and every other order."""
    moves, shots = _moves(state), _shots(state)
    found: list[Order] = [Actions((End(),))]
    found += [Actions((action,)) for action in (*moves, *shots)]
    if moves and shots:
        found.append(Actions((shots[0], moves[-1], End())))
    found += [Actions((*moves[:1], End()))] if moves else []
    found += [Undo()] if game_flow.may_undo(state) else []
    found += [RunPlan()] if state.plan(state.position.active).blocks else []
    found += [Claim()] if game_flow.may_claim(state) else []
    return (*dict.fromkeys(found), Pass())


def plans(context: PlanContext) -> tuple[Plan, ...]:
    """No plan, and plans for each kind of wind, to be carried out at once and later."""
    position, colour = context.position, context.colour
    mine = position.of(colour)
    enemies = tuple(Target(ship.code) for ship in position.ships if ship.colour != colour)
    found = [Plan(), Plan((Block("any", (End(),)),), auto=True)]
    if mine and enemies:
        fire_all = tuple(Shots(ship.code, enemies) for ship in mine)
        sail = tuple(Move(ship.code, label) for ship in mine for label in [*sailing.ways(position, ship)][-1:])
        found.append(Plan((Block("any", (*fire_all, *sail, *fire_all)),)))
        found.append(Plan((Block("wind", (*sail, End())), Block("calm", fire_all)), auto=True))
    return tuple(dict.fromkeys(found))


def _moves(state: State) -> list[Action]:
    """For each ship of the active captain's the nearest hex that she can reach, the farthest, and one near that."""
    found: list[Action] = []
    for ship in state.position.of(state.position.active):
        reach = sailing.reach(state.position, ship).hexes
        found += [Move(ship.code, label) for label in dict.fromkeys((*reach[:1], *reach[-1:], *reach[-6:-5]))]
    return found


def _shots(state: State) -> list[Action]:
    """One shot, and all, of each ship of the active captain's at each enemy that she may hit."""
    found: list[Action] = []
    for ship in state.position.of(state.position.active):
        for line in fire.lines(state.position, ship):
            code = by_id(state.position.ships, line.to).code
            found += [Shots(ship.code, (Target(code, most),)) for most in (1, 0) if line.need]
    return found

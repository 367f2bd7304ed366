"""Representative answers: enough to reach every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Iterator
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
    Ship,
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
    position = state.position
    mine = [ship for ship in position.ships if ship.colour == position.active]
    moves = [action for ship in mine for action in _moves(state, ship)]
    shots = [action for ship in mine for action in _shots(state, ship) if turn.hindrance(position, action) is None]
    return actions.write([*shots[:1], *moves[:1]] or [End()])


def shot_to_come(position: Position, colour: Colour) -> str:
    """A shot of a colour's first ship at the enemy's first."""
    mine, foe = (next(s.code for s in position.ships if (s.colour == colour) is own) for own in (True, False))
    return actions.write_one(Shots(mine, (Target(foe),)))


def orders(state: State) -> tuple[Order, ...]:
    """Moves near and far for every ship, shots at every target, lists of them, and every other order."""
    position = state.position
    mine = [ship for ship in position.ships if ship.colour == position.active]
    moves = [action for ship in mine for action in _moves(state, ship)]
    shots = [action for ship in mine for action in _shots(state, ship)]
    found: list[Order] = [Actions((End(),))]
    found += [Actions((action,)) for action in (*moves, *shots)]
    if moves and shots:
        found.append(Actions((shots[0], moves[-1], End())))
    found += [Actions((*moves[:1], End()))] if moves else []
    found += [Undo()] if game_flow.may_undo(state) else []
    found += [RunPlan()] if state.plan(position.active).blocks else []
    found += [Claim()] if game_flow.may_claim(state) else []
    return (*dict.fromkeys(found), Pass())


def plans(context: PlanContext) -> tuple[Plan, ...]:
    """No plan, and plans for each kind of wind, to be carried out at once and later."""
    position, colour = context.position, context.colour
    mine = [ship for ship in position.ships if ship.colour == colour]
    enemies = tuple(Target(ship.code) for ship in position.ships if ship.colour != colour)
    found = [Plan(), Plan((Block("any", (End(),)),), auto=True)]
    if mine and enemies:
        fire_all = tuple(Shots(ship.code, enemies) for ship in mine)
        sail = tuple(Move(ship.code, label) for ship in mine for label in [*sailing.ways(position, ship)][-1:])
        found.append(Plan((Block("any", (*fire_all, *sail, *fire_all)),)))
        found.append(Plan((Block("wind", (*sail, End())), Block("calm", fire_all)), auto=True))
    return tuple(dict.fromkeys(found))


def _moves(state: State, ship: Ship) -> Iterator[Action]:
    reach = sailing.reach(state.position, ship).hexes
    yield from (Move(ship.code, label) for label in dict.fromkeys((*reach[:1], *reach[-1:], *reach[-6:-5])))


def _shots(state: State, ship: Ship) -> Iterator[Action]:
    for line in fire.lines(state.position, ship):
        if line.need:
            code = by_id(state.position.ships, line.to).code
            yield Shots(ship.code, (Target(code, 1),))
            yield Shots(ship.code, (Target(code),))

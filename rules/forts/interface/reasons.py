"""A reason for an answer in one sentence, from its direct effect on the present board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import structs

from rules.core.errors import Scalar
from rules.core.view import Text
from rules.forts.engine import fire, turn
from rules.forts.engine.fire import FireLine
from rules.forts.engine.state import (
    CLASSES,
    Action,
    ActionList,
    Answer,
    ClassCode,
    EndOrder,
    FlagshipChoice,
    MoveOrder,
    Position,
    Ship,
    ShootOrder,
    StoredPlan,
    Target,
)
from rules.forts.interface.make_view import position_of
from rules.forts.interface.view import HexView


def reason_for(view: HexView, answer: Answer) -> Text:
    """Return the reason of an answer's first action that has one, or a reason for a flagship or for no plan."""
    reason = _first_reason(view, answer)
    if danger := _greatest_danger(view, answer):
        reason = Text("reason.danger", {"first": (reason,), **danger})
    if besieger := _unanswered_besieger(view, answer):
        return Text("reason.besieged", {"first": (reason,), "foe": besieger})
    match answer:
        case ActionList(actions=(*_, ShootOrder(targets=(Target(code=code, most=0), *_)))):
            return Text("reason.then_see", {"first": (reason,), "foe": code})
    return reason


def _greatest_danger(view: HexView, answer: Answer) -> dict[str, Scalar]:
    """Return the move that ends before most enemies, of those after which they may sink the ship; empty: none."""
    if not isinstance(answer, ActionList):
        return {}
    position = position_of(view)
    enemies = [ship for ship in position.ships if ship.colour != position.active_colour]
    dangers: list[tuple[int, MoveOrder]] = []  # enemies that may shoot, and the move that ends before them
    for move in (action for action in answer.actions if isinstance(action, MoveOrder)):
        ship = turn.find_ship(position, position.active_colour, move.ship)
        shooters = [enemy for enemy in enemies if move.hex in fire.max_fire(position, enemy)]
        if ship and sum(enemy.ship_class.shots for enemy in shooters) >= ship.hits_left:
            dangers.append((len(shooters), move))
    if not dangers:
        return {}
    count, move = max(dangers, key=lambda danger: danger[0])
    return {"ship": move.ship, "end": move.hex, "foes": count}


def _unanswered_besieger(view: HexView, answer: Answer) -> ClassCode | None:
    """Return the enemy who captures the fort at the end of this player-turn, unless an action shoots at it."""
    position = position_of(view)
    if not isinstance(answer, ActionList) or position.siege is None or position.siege.by == position.active_colour:
        return None
    flagship = turn.flagship_of(position, position.siege.by)
    aimed = {target.code for action in answer.actions if isinstance(action, ShootOrder) for target in action.targets}
    return flagship.code if flagship and flagship.code not in aimed else None


def _first_reason(view: HexView, answer: Answer) -> Text:
    position = position_of(view)
    match answer:
        case ActionList(actions=(EndOrder(), *_)):
            own_ships = position.ships_of(position.active_colour)
            can_shoot = any(_open_fire_lines(position, ship) for ship in own_ships)
            return Text("reason.usual" if can_shoot else "reason.end")
        case ActionList(actions):
            return next(_action_reasons(position, actions), Text("reason.usual"))
        case FlagshipChoice(code=code):
            return Text("reason.lead", {"ship": code, "hits": CLASSES[code].margin})
        case StoredPlan(blocks=()):
            return Text("reason.no_plan")
    return Text("reason.usual")


def _action_reasons(position: Position, actions: Sequence[Action]) -> Iterator[Text]:
    for number, action in enumerate(actions):
        match action:
            case ShootOrder(ship=code, targets=(target, *_)):
                yield _shot_reason(position, code, target.code)
            case MoveOrder(ship=code, hex=end) if ship := turn.find_ship(position, position.active_colour, code):
                # a move is explained by the target that the ship then shoots at, not by another in range
                later_targets = (
                    later_action.targets[0].code
                    for later_action in actions[number:]
                    if isinstance(later_action, ShootOrder) and later_action.ship == code
                )
                if reason := _move_reason(position, ship, end, next(later_targets, None)):
                    yield reason
                position = turn.with_ship(position, structs.replace(ship, hex=end, moved=True))


def _shot_reason(position: Position, code: ClassCode, target: ClassCode) -> Text:
    ship = turn.find_ship(position, position.active_colour, code)
    lines = _open_fire_lines(position, ship) if ship else []
    fire_line = next((line for line in lines if line.to[1:] == target), None)  # an id ends in the code of the class
    if not fire_line:
        return Text("reason.usual")
    return Text("reason.shot", {"ship": code, "foe": target, "at": fire_line.end, "faces": fire_line.hit_faces})


def _move_reason(position: Position, ship: Ship, end: str, target: ClassCode | None) -> Text | None:
    """Return the most important reason: siege, fire at this target or another, approach, guard, or less danger."""
    board, foe_colour = position.board, turn.other_colour(ship.colour)
    moved = structs.replace(ship, hex=end, moved=True)
    params: dict[str, Scalar] = {"ship": ship.code, "end": end}
    enemy_fort = board.harbour_of(turn.fort_side_of(position, foe_colour)).fort
    if turn.flagship_of(position, ship.colour) == ship and fire.hex_distance(board, end, enemy_fort) == 1:
        return Text("reason.besiege", {**params, "fort": enemy_fort})
    if lines := _open_fire_lines(turn.with_ship(position, moved), moved):
        line = min(lines, key=lambda line: (line.to[1:] != target, line.need, line.to))
        return Text("reason.bear", {**params, "foe": line.to[1:], "at": line.end, "faces": line.hit_faces})
    foes = [other for other in position.ships if other.colour == foe_colour]
    nearest = min(foes, key=lambda foe: (fire.hex_distance(board, ship.hex, foe.hex), foe.id), default=None)
    enemy_flagship = turn.flagship_of(position, foe_colour)
    for foe in filter(None, (nearest, enemy_flagship)):
        before, after = (fire.hex_distance(board, label, foe.hex) for label in (ship.hex, end))
        if after < before:
            return Text("reason.sail", {**params, "foe": foe.code, "at": foe.hex, "from": before, "hexes": after})
    own_fort = board.harbour_of(turn.fort_side_of(position, ship.colour)).fort
    for key, place in (("guard", own_fort), ("approach", enemy_fort)):
        before, after = (fire.hex_distance(board, label, place) for label in (ship.hex, end))
        if after < before:
            return Text(f"reason.{key}", {**params, "from": before, "hexes": after})
    before, after = (_count_enemies_in_reach(position, label, foes) for label in (ship.hex, end))
    return Text("reason.shelter", {**params, "from": before, "ships": after}) if after < before else None


def _count_enemies_in_reach(position: Position, label: str, foes: Sequence[Ship]) -> int:
    return sum(
        fire.hex_distance(position.board, foe.hex, label) <= foe.ship_class.range + foe.ship_class.wind for foe in foes
    )


def _open_fire_lines(position: Position, ship: Ship) -> list[FireLine]:
    return [line for line in fire.fire_lines(position, ship) if line.need]

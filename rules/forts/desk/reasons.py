"""One reason for what is ordered: what comes of it at once, on the board as it lies."""

from __future__ import annotations

from msgspec import structs

from rules.errors import Scalar
from rules.finding import by_id
from rules.forts.desk.make_view import position_of
from rules.forts.desk.view import HexView
from rules.forts.table import fire, turn
from rules.forts.table.fire import Line
from rules.forts.table.state import (
    CLASSES,
    Actions,
    Answer,
    Code,
    End,
    Flagship,
    Move,
    Plan,
    Position,
    Ship,
    Shots,
    Target,
)
from rules.view import Text


def reason(view: HexView, answer: Answer) -> Text:
    """What the first action of an answer leads to, or what speaks for a flagship, or for no plan."""
    found = _of_first(view, answer)
    if besieger := _besieger(view, answer):
        return Text("reason.besieged", {"first": (found,), "foe": besieger})
    match answer:
        case Actions(actions=(*_, Shots(targets=(Target(code=code, most=0), *_)))):
            return Text("reason.then_see", {"first": (found,), "foe": code})
    return found


def _besieger(view: HexView, answer: Answer) -> Code | None:
    """The enemy who takes the fort at the end of this player-turn, if no shot of these actions is aimed at her."""
    position = position_of(view)
    if not isinstance(answer, Actions) or position.siege is None or position.siege.by == position.active:
        return None
    flagship = turn.flagship(position, position.siege.by)
    aimed = {target.code for one in answer.actions if isinstance(one, Shots) for target in one.targets}
    return flagship.code if flagship and flagship.code not in aimed else None


def _of_first(view: HexView, answer: Answer) -> Text:
    position = position_of(view)
    match answer:
        case Actions(actions=(Shots(ship=code, targets=(target, *_)), *_)):
            return _of_shot(position, code, target.code)
        case Actions(actions=(Move(ship=code, hex=end), *_)):
            ship = turn.find(position, position.active, code)
            return _of_move(position, ship, end) if ship else Text("reason.usual")
        case Actions(actions=(End(), *_)):
            mine = position.of(position.active)
            return Text("reason.usual" if any(_open(position, ship) for ship in mine) else "reason.end")
        case Flagship(code=code):
            return Text("reason.lead", {"ship": code, "hits": CLASSES[code].margin})
        case Plan(blocks=()):
            return Text("reason.no_plan")
    return Text("reason.usual")


def _of_shot(position: Position, code: Code, target: Code) -> Text:
    ship = turn.find(position, position.active, code)
    line = next((line for line in _open(position, ship) if line.to[1:] == target), None) if ship else None
    if not line:
        return Text("reason.usual")
    return Text("reason.shot", {"ship": code, "foe": target, "at": line.end, "faces": line.faces})


def _of_move(position: Position, ship: Ship, end: str) -> Text:
    """The weightiest reason: a siege, an enemy under fire, an enemy nearer, the own fort nearer, an enemy away."""
    board, foe_colour = position.board, turn.enemy(ship.colour)
    moved = structs.replace(ship, hex=end, moved=True)
    said: dict[str, Scalar] = {"ship": ship.code, "end": end}
    fort = board.harbour(turn.own_side(position, foe_colour)).fort
    if turn.flagship(position, ship.colour) == ship and fire.distance(board, end, fort) == 1:
        return Text("reason.besiege", {**said, "fort": fort})
    if found := _open(turn.with_ship(position, moved), moved):
        line = min(found, key=lambda one: (one.need, one.to))
        return Text("reason.bear", {**said, "foe": line.to[1:], "at": line.end, "faces": line.faces})
    foes = [other for other in position.ships if other.colour == foe_colour]
    away = [(fire.distance(board, ship.hex, foe.hex), foe.id, fire.distance(board, end, foe.hex)) for foe in foes]
    if not away:
        return Text("reason.usual")
    before, foe, after = min(away)
    at = by_id(foes, foe).hex
    near: dict[str, Scalar] = {**said, "foe": foe[1:], "at": at, "from": before, "hexes": after}
    if after < before:
        return Text("reason.sail", near)
    home = board.harbour(turn.own_side(position, ship.colour)).fort
    from_home, to_home = (fire.distance(board, label, home) for label in (ship.hex, end))
    if to_home < from_home:
        return Text("reason.guard", {**said, "from": from_home, "hexes": to_home})
    return Text("reason.clear" if after > before else "reason.keep", near)


def _open(position: Position, ship: Ship) -> list[Line]:
    """Lines of fire of a ship along which she may hit."""
    return [line for line in fire.lines(position, ship) if line.need]

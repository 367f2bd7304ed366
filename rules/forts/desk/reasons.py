"""One reason for what is ordered: what comes of it at once, on the board as it lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import structs

from rules.errors import Scalar
from rules.forts.desk.make_view import position_of
from rules.forts.desk.view import HexView
from rules.forts.table import fire, turn
from rules.forts.table.fire import Line
from rules.forts.table.state import (
    CLASSES,
    Action,
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
    """What the first action of an answer that has a reason leads to, or what speaks for a flagship, or for no plan."""
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
        case Actions(actions=(End(), *_)):
            mine = position.of(position.active)
            return Text("reason.usual" if any(_open(position, ship) for ship in mine) else "reason.end")
        case Actions(actions):
            return next(_of_actions(position, actions), Text("reason.usual"))
        case Flagship(code=code):
            return Text("reason.lead", {"ship": code, "hits": CLASSES[code].margin})
        case Plan(blocks=()):
            return Text("reason.no_plan")
    return Text("reason.usual")


def _of_actions(position: Position, actions: Sequence[Action]) -> Iterator[Text]:
    """Reasons for actions that have one, in order, as far as no die has fallen yet."""
    for number, action in enumerate(actions):
        match action:
            case Shots(ship=code, targets=(target, *_)):
                yield _of_shot(position, code, target.code)
            case Move(ship=code, hex=end) if ship := turn.find(position, position.active, code):
                # She sails to where she shoots from: at that enemy then, not at another in her range.
                shots = (one.targets[0].code for one in actions[number:] if isinstance(one, Shots) and one.ship == code)
                if found := _of_move(position, ship, end, next(shots, None)):
                    yield found
                position = turn.with_ship(position, structs.replace(ship, hex=end, moved=True))


def _of_shot(position: Position, code: Code, target: Code) -> Text:
    ship = turn.find(position, position.active, code)
    line = next((line for line in _open(position, ship) if line.to[1:] == target), None) if ship else None
    if not line:
        return Text("reason.usual")
    return Text("reason.shot", {"ship": code, "foe": target, "at": line.end, "faces": line.faces})


def _of_move(position: Position, ship: Ship, end: str, target: Code | None) -> Text | None:
    """The weightiest reason: a siege, fire at this target or at another, an enemy or a fort nearer, less danger."""
    board, foe_colour = position.board, turn.enemy(ship.colour)
    moved = structs.replace(ship, hex=end, moved=True)
    said: dict[str, Scalar] = {"ship": ship.code, "end": end}
    fort = board.harbour(turn.own_side(position, foe_colour)).fort
    if turn.flagship(position, ship.colour) == ship and fire.distance(board, end, fort) == 1:
        return Text("reason.besiege", {**said, "fort": fort})
    if found := _open(turn.with_ship(position, moved), moved):
        line = min(found, key=lambda one: (one.to[1:] != target, one.need, one.to))
        return Text("reason.bear", {**said, "foe": line.to[1:], "at": line.end, "faces": line.faces})
    foes = [other for other in position.ships if other.colour == foe_colour]
    nearest = min(foes, key=lambda foe: (fire.distance(board, ship.hex, foe.hex), foe.id), default=None)
    prey = turn.flagship(position, foe_colour)
    for foe in filter(None, (nearest, prey)):
        before, after = (fire.distance(board, label, foe.hex) for label in (ship.hex, end))
        if after < before:
            return Text("reason.sail", {**said, "foe": foe.code, "at": foe.hex, "from": before, "hexes": after})
    home = board.harbour(turn.own_side(position, ship.colour)).fort
    for key, place in (("guard", home), ("approach", fort)):
        before, after = (fire.distance(board, label, place) for label in (ship.hex, end))
        if after < before:
            return Text(f"reason.{key}", {**said, "from": before, "hexes": after})
    before, after = (_in_reach(position, label, foes) for label in (ship.hex, end))
    return Text("reason.shelter", {**said, "from": before, "ships": after}) if after < before else None


def _in_reach(position: Position, label: str, foes: Sequence[Ship]) -> int:
    """How many enemies may come near enough to fire at a hex in their next player-turn."""
    return sum(fire.distance(position.board, foe.hex, label) <= foe.kind.range + foe.kind.wind for foe in foes)


def _open(position: Position, ship: Ship) -> list[Line]:
    """Lines of fire of a ship along which she may hit."""
    return [line for line in fire.lines(position, ship) if line.need]

"""One reason for what is ordered: what it promises just now."""

from __future__ import annotations

from rules.forts import fire
from rules.forts.seen import position_of
from rules.forts.state import Actions, Answer, End, Move, Shots
from rules.forts.view import HexView
from rules.view import Text

_FACES = 6


def reason(view: HexView, answer: Answer) -> Text:
    """Say what the first action of an answer promises."""
    if not (isinstance(answer, Actions) and answer.actions):
        return Text("reason.usual")
    position = position_of(view)
    ships = {ship.code: ship for ship in position.ships if ship.colour == position.active}
    match answer.actions[0]:
        case Shots(ship=code, targets=(target, *_)):
            need = next((line.need for line in fire.lines(position, ships[code]) if line.to[1:] == target.code), None)
            if need:
                return Text("reason.shot", {"ship": code, "foe": target.code, "faces": _FACES + 1 - need})
        case Move(ship=code, hex=end):
            foes = [ship for ship in position.ships if ship.colour != position.active]
            away = min((fire.distance(position.board, end, foe.hex), foe.code) for foe in foes)
            return Text("reason.sail", {"ship": code, "end": end, "foe": away[1], "hexes": away[0]})
        case End():
            return Text("reason.end")
    return Text("reason.usual")

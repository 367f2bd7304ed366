"""The questions of the toy game: the wind, orders, and the end of a fight."""

from __future__ import annotations

from math import hypot
from typing import Any, Final

from rules.core.errors import Fault, illegal_fault
from rules.core.protocol import Request
from rules.core.view import Text, accepts_any_view
from rules.interface.order_lines import ShipOrder, ShipOrderList, ship_order_question
from rules.interface.question import BATTLE_QUESTION, Question, choice_question
from tests.toygame.rules.state import WAYS, State, ToyView

WINDS: Final = {name: Text(f"wind.{name}") for name in ("calm", "breeze")}


def on_land(state: State, ship: str, word: str) -> Fault | None:
    """Return why a ship cannot sail half a square that way (TG-2)."""
    free = state.ship(ship).reach(word[0], 0.5, state.sea.land) >= 0.5
    return None if free else illegal_fault("on_land", "TG-2", piece=f"{ship} {word}")


def orders(view: ToyView, request: Request, _: str) -> ShipOrderList:
    """Let a computer captain sail at the nearest enemy that it sees, or to the other side of the sea."""
    lines = []
    for ship in (ship for ship in view.ships if ship.seat == request.seat):
        foes = [(foe.x - ship.x, foe.y - ship.y) for foe in view.ships if foe.team != ship.team]
        east, north = min(foes, key=lambda to: hypot(*to), default=(view.sea.size[0] - 2 * ship.x, 0))
        far, way = max((east * x + north * y, way) for way, (x, y, _) in WAYS.items())
        lines.append(ShipOrder(ship.id, f"{way}{min(3, max(1, round(far / 2)))}"))
    return tuple(lines)


QUESTIONS: Final[dict[str, Question[State, Any, Any, Any]]] = {
    "wind": choice_question(lambda _: WINDS, rule="TG", default=lambda _: "calm", code="no_wind"),
    "orders": ship_order_question(
        lambda state, seat: [ship.id for ship in state.own(seat)],
        {f"way.{way}": [f"{way}{steps}" for steps in (1, 2, 3)] for way in WAYS},
        rule="TG-1",
        barred=on_land,
        captain=accepts_any_view(ToyView, orders),
    ),
    "fight": BATTLE_QUESTION,
}

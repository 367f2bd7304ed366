"""What a computer captain of the level that the view names answers, from what the seat sees."""

from __future__ import annotations

from msgspec import structs

from rules.choosing import Choice
from rules.protocol import Request
from rules.ramspeed.captains import admiral, deckhand, mate, promise
from rules.ramspeed.desk.answers import Act, Answer, Done, Orders, Standing
from rules.ramspeed.desk.interrupts import OFFERED
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.table.orders import Line, Sheet


def answer(view: SeaView, request: Request, seed: str) -> Answer:
    """The answer to a request. The seed (hex) is for chance choices, and the admiral's own dice."""
    match request.kind:
        case "orders":
            return Orders(Sheet(_lines(view, request, seed)))
        case "act":
            line = next(iter(_lines(view, request, seed)), None)
            return Act(line) if line else Done()
        case "doctrine":
            return Standing()
    return Choice(OFFERED[str(request.params["key"])][0])


def advice(view: SeaView, request: Request, seed: str) -> Answer:
    """The admiral's answer, at whatever level the empty seats play, without shots that hardly ever find anybody."""
    return promise.without_vain_shots(view, answer(structs.replace(view, captain="admiral"), request, seed), seed)


def _lines(view: SeaView, request: Request, seed: str) -> tuple[Line, ...]:
    """Orders for all of the captain's ships that have not acted."""
    position = view.position
    player = position.players[view.seats.index(request.seat)]
    if view.captain == "deckhand":
        return tuple(deckhand.lines(position, player, view.acted, seed))
    if view.captain == "mate":
        return tuple(mate.lines(position, player, view.acted, seed))
    order: tuple[str, ...] = ()
    if request.kind == "act":
        sequence = [position.players[view.seats.index(seat)] for seat in view.sequence]
        order = tuple(sequence[sequence.index(player) :])
    return admiral.lines(position, player, seed, order=order, acted=view.acted)

"""What a computer captain of the level that the view names answers, from what the seat sees."""

from __future__ import annotations

from msgspec import structs

from rules.choosing import Choice
from rules.protocol import Request
from rules.ramspeed.captains import admiral, deckhand, mate, promise
from rules.ramspeed.desk import preview
from rules.ramspeed.desk.answers import Act, Answer, Done, Orders, Standing
from rules.ramspeed.desk.interrupts import OFFERED
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.table.orders import Alternative, Line, Sheet, Stay
from rules.ramspeed.table.phases import ending


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
    """The admiral's answer, at whatever level the empty seats play, without shots and ways that come to nothing.

    That is shots that hardly ever find anybody, attacks that are never possible, and ways that are barred as things
    stand: such a ship stays. An admiral who would only wait hunts instead, unless waiting wins.
    """
    found = _sound(view, answer(structs.replace(view, captain="admiral"), request, seed), seed)
    if isinstance(found, Orders) and _waits(view, found) and not _wins_by_waiting(view):
        return _sound(view, answer(structs.replace(view, captain="mate"), request, seed), seed)
    return found


def _sound(view: SeaView, found: Answer, seed: str) -> Answer:
    return _without_barred_ways(view, promise.without_vain_deeds(view, found, seed))


def _waits(view: SeaView, found: Orders) -> bool:
    """Whether every ship stays where she is, and does nothing."""
    planned = preview.planned(view.position, found.sheet.lines).lines
    return all(preview.idle(way) and not way.to for plan in planned for way in plan.ways)


def _wins_by_waiting(view: SeaView) -> bool:
    """Whether the captain's side, the weaker in men, would win on points if nobody attacked any more (RS-20.2)."""
    position, seat = view.position, view.seat
    if seat is None:
        return False
    side = position.side(position.players[view.seats.index(seat)])
    points = dict(zip(position.sides, ending.score(position), strict=True))
    men = dict.fromkeys(position.sides, 0)
    for ship in position.ships:
        if ship.afloat:
            men[position.side_of(ship)] += ship.crew
    return all(points[side] > points[one] and men[side] < men[one] for one in position.sides if one != side)


def _without_barred_ways(view: SeaView, found: Answer) -> Answer:
    if not isinstance(found, Orders):
        return found
    planned = preview.planned(view.position, found.sheet.lines).lines
    lines = (
        structs.replace(line, alternatives=(Alternative((Stay(),)),)) if all(map(preview.idle, plan.ways)) else line
        for line, plan in zip(found.sheet.lines, planned, strict=True)
    )
    return Orders(structs.replace(found.sheet, lines=tuple(lines)))


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

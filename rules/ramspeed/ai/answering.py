"""Answers of a computer captain, at the level that the view names."""

from __future__ import annotations

from msgspec import structs

from rules.core.protocol import Request
from rules.interface.choosing import Choice
from rules.ramspeed.ai import admiral, mate, promise
from rules.ramspeed.engine.orders import Alternative, OrderLine, OrderSheet, StayOrder
from rules.ramspeed.engine.phases import ending
from rules.ramspeed.interface import preview
from rules.ramspeed.interface.answers import Answer, EndPlayerTurn, LiveOrder, SheetOrders, StandingChange
from rules.ramspeed.interface.interrupts import CHOICES_BY_KEY
from rules.ramspeed.interface.view import SeaView


def computer_answer(view: SeaView, request: Request, seed: str) -> Answer:
    """Return the answer to a request. The seed (hex) decides random choices and the admiral's dice."""
    match request.kind:
        case "orders":
            return SheetOrders(OrderSheet(_choose_lines(view, request, seed)))
        case "act":
            line = next(iter(_choose_lines(view, request, seed)), None)
            return LiveOrder(line) if line else EndPlayerTurn()
        case "doctrine":
            return StandingChange()
    return Choice(CHOICES_BY_KEY[str(request.params["key"])][0])


def advise(view: SeaView, request: Request, seed: str) -> Answer:
    """Return the admiral's answer, at any level of the empty seats, without shots and ways that have no effect.

    These are shots that hardly ever find a target, attacks that are never possible, and ways that are blocked now; such
    a ship stays. An admiral who would only wait plays like a mate instead, unless waiting wins.
    """
    answer = _remove_vain_orders(view, computer_answer(structs.replace(view, captain="admiral"), request, seed), seed)
    if isinstance(answer, SheetOrders) and _is_waiting(view, answer) and not _would_win_by_waiting(view):
        return _remove_vain_orders(view, computer_answer(structs.replace(view, captain="mate"), request, seed), seed)
    return answer


def _remove_vain_orders(view: SeaView, answer: Answer, seed: str) -> Answer:
    return _drop_barred_ways(view, promise.without_vain_attacks(view, answer, seed))


def _is_waiting(view: SeaView, answer: SheetOrders) -> bool:
    planned = preview.plan_lines(view.position, answer.sheet.lines).lines
    return all(preview.is_idle(way) and not way.target for plan in planned for way in plan.courses)


def _would_win_by_waiting(view: SeaView) -> bool:
    """Return whether the captain's side has fewer men, but wins on points if nobody attacks any more (RS-20.2)."""
    position, seat = view.position, view.seat
    if seat is None:
        return False
    side = position.side_of_player(position.players[view.seats.index(seat)])
    points = dict(zip(position.sides, ending.side_scores(position), strict=True))
    men = dict.fromkeys(position.sides, 0)
    for ship in position.ships:
        if ship.is_afloat:
            men[position.side_of_ship(ship)] += ship.crew
    return all(points[side] > points[other] and men[side] < men[other] for other in position.sides if other != side)


def _drop_barred_ways(view: SeaView, answer: Answer) -> Answer:
    if not isinstance(answer, SheetOrders):
        return answer
    planned = preview.plan_lines(view.position, answer.sheet.lines).lines
    lines = (
        structs.replace(line, alternatives=(Alternative((StayOrder(),)),))
        if all(map(preview.is_idle, plan.courses))
        else line
        for line, plan in zip(answer.sheet.lines, planned, strict=True)
    )
    return SheetOrders(structs.replace(answer.sheet, lines=tuple(lines)))


def _choose_lines(view: SeaView, request: Request, seed: str) -> tuple[OrderLine, ...]:
    position = view.position
    player = position.players[view.seats.index(request.seat)]
    if view.captain == "deckhand":
        return tuple(mate.deckhand_lines(position, player, view.acted, seed))
    if view.captain == "mate":
        return tuple(mate.choose_lines(position, player, view.acted, seed))
    order: tuple[str, ...] = ()
    if request.kind == "act":
        sequence = [position.players[view.seats.index(seat)] for seat in view.sequence]
        order = tuple(sequence[sequence.index(player) :])
    return admiral.choose_lines(position, player, seed, order=order, acted=view.acted)

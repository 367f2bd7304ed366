"""The order of activations: whose turn it is, which squadron acts next, and what the sheets order (SQ-03, SQ-05)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.squadrons.engine.notation.orders import SIDES, FleetSide, SquadronActivation, SquadronOrders, TurnSheet
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea.state import Squadron, State


def squadrons_left(state: State, side: str) -> list[Squadron]:
    is_single_ship_phase = state.position.phase == "F"
    return [
        squadron
        for squadron in state.squadrons
        if squadron.side == side
        and not squadron.activated
        and (squadron.number == 0) == is_single_ship_phase
        and _has_ready_ship(state, squadron)
    ]


def squadrons_able(state: State, side: str) -> list[Squadron]:
    """Return the squadrons of a side that may act next.

    If a side with several Admirals won the initiative and goes first, it begins with a squadron of the Admiral whose
    rating counted (SQ-03.3).
    """
    remaining = squadrons_left(state, side)
    position = state.position
    admirals = position.admirals(side)
    is_first_activation = position.phase == "E" and not any(squadron.activated for squadron in state.squadrons)
    won_and_goes_first = state.initiative == side and state.first == side
    if len(admirals) < 2 or not is_first_activation or not won_and_goes_first:
        return remaining
    best_rating = max(admiral.rating.initiative for admiral in admirals)
    best_admirals = {admiral.id for admiral in admirals if admiral.rating.initiative == best_rating}
    return [squadron for squadron in remaining if squadron.leader in best_admirals] or remaining


def _has_ready_ship(state: State, squadron: Squadron) -> bool:
    ships = (state.position.ship_by_id(name) for name in squadron.ships)
    return any(ship.is_afloat and ship.side == squadron.side and not ship.done for ship in ships)


def active_side(state: State) -> FleetSide | None:
    """Return the side that acts next: the side in turn, or the other one if it has no squadrons left (SQ-03.4)."""
    squadron_counts: dict[str, int] = {side: len(squadrons_left(state, side)) for side in SIDES}
    side_in_turn = state.active or state.first or "B"
    return next_side(squadron_counts, side_in_turn, None)


def next_squadron(state: State, side: str) -> Squadron | None:
    """Return the next squadron in the sheet's sequence, else the one with the lowest number or id."""
    candidates = squadrons_able(state, side)
    sheet = state.sheets[SIDES.index("B" if side == "B" else "R")]
    for flagship in sheet.sequence if sheet else ():
        for squadron in candidates:
            if flagship == squadron.flagship:
                return squadron
    return candidates[0] if candidates else None


def has_orders(state: State, squadron: Squadron) -> bool:
    sheet = state.sheets[SIDES.index(squadron.side)]
    ordered = {line.ship for line in sheet.orders.lines} if sheet else set()
    return any(name in ordered for name in squadron.ships)


def sheet_activation(state: State, squadron: Squadron) -> SquadronActivation:
    """Return what the side's sheet orders for a squadron, and for its partner in a Double Activation."""
    sheet = state.sheets[SIDES.index(squadron.side)] or TurnSheet()
    partner = double_partner(state, squadron, sheet.double)
    ships = {*squadron.ships, *(partner.ships if partner else ())}
    lines = moves.with_entry_lines(state.position, [line for line in sheet.orders.lines if line.ship in ships], ships)
    boards = tuple(board for board in sheet.orders.boards if any(share.ship in ships for share in board.shares))
    return SquadronActivation(
        squadron=squadron.flagship, orders=SquadronOrders(lines, boards), double=partner.flagship if partner else ""
    )


def double_partner(state: State, squadron: Squadron, flagship: str) -> Squadron | None:  # SQ-05.11
    if not flagship or state.doubled[SIDES.index(squadron.side)]:
        return None
    is_led_by_admiral = any(leader.id == squadron.leader for leader in state.position.admirals(squadron.side))
    partner = next((each for each in squadrons_left(state, squadron.side) if each.flagship == flagship), None)
    return partner if partner and is_led_by_admiral and partner != squadron else None


def next_side(left: Mapping[str, int], first: FleetSide, last: FleetSide | None) -> FleetSide | None:
    """Return which side activates a squadron next in a phase; None if no side has any left (SQ-03.4).

    Sides alternate, beginning with `first`. `left` counts the squadrons that may still act. A side without any is
    skipped.
    """
    in_turn: FleetSide = first if last is None else "R" if last == "B" else "B"
    if left.get(in_turn):
        return in_turn
    other: FleetSide = "R" if in_turn == "B" else "B"
    return other if left.get(other) else None

"""Whose go it is, which squadron acts next, and what the sheets order it to do (SQ-03, SQ-05)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.squadrons.engine.notation.orders import SIDES, FleetSide, SquadronActivation, SquadronOrders, TurnSheet
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea.state import Squadron, State


def squadrons_left(state: State, side: str) -> list[Squadron]:
    """Squadrons of a side that may act in this phase and have not."""
    individual = state.position.phase == "F"
    return [
        one
        for one in state.squadrons
        if one.side == side and not one.activated and (one.number == 0) == individual and _has_ready_ship(state, one)
    ]


def squadrons_able(state: State, side: str) -> list[Squadron]:
    """Those of them of which one may act next.

    A side with several Admirals that has won the initiative and goes first begins with the squadron of the one whose
    rating it used (SQ-03.3).
    """
    found, position = squadrons_left(state, side), state.position
    admirals = position.admirals(side)
    begins = position.phase == "E" and not any(one.activated for one in state.squadrons)
    if len(admirals) < 2 or not begins or not state.initiative == state.first == side:
        return found
    best = max(one.rating.initiative for one in admirals)
    leaders = {one.id for one in admirals if one.rating.initiative == best}
    return [one for one in found if one.leader in leaders] or found


def _has_ready_ship(state: State, squadron: Squadron) -> bool:
    """Whether any of its ships is there to act."""
    ships = (state.position.ship_by_id(name) for name in squadron.ships)
    return any(ship.is_afloat and ship.side == squadron.side and not ship.done for ship in ships)


def active_side(state: State) -> FleetSide | None:
    """Whose go it is: the side whose go it should be, or the other one if it has none left (SQ-03.4)."""
    return next_side(
        {side: len(squadrons_left(state, side)) for side in SIDES}, state.active or state.first or "B", None
    )


def next_squadron(state: State, side: str) -> Squadron | None:
    """The next squadron by the sheet's sequence; else the one with the lowest number, or id."""
    may = squadrons_able(state, side)
    sheet = state.sheets[SIDES.index("B" if side == "B" else "R")]
    for flagship in sheet.sequence if sheet else ():
        for one in may:
            if flagship == one.flagship:
                return one
    return may[0] if may else None


def has_orders(state: State, squadron: Squadron) -> bool:
    """Whether the sheet orders anything for any of its ships."""
    sheet = state.sheets[SIDES.index(squadron.side)]
    named = {line.ship for line in sheet.orders.lines} if sheet else set()
    return any(name in named for name in squadron.ships)


def sheet_activation(state: State, squadron: Squadron) -> SquadronActivation:
    """What the sheet says for a squadron; of a double activation for both."""
    sheet = state.sheets[SIDES.index(squadron.side)] or TurnSheet()
    double = double_partner(state, squadron, sheet.double)
    named = {*squadron.ships, *(double.ships if double else ())}
    lines = moves.with_entry_lines(state.position, [line for line in sheet.orders.lines if line.ship in named], named)
    boards = tuple(one for one in sheet.orders.boards if any(share.ship in named for share in one.shares))
    return SquadronActivation(
        squadron=squadron.flagship, orders=SquadronOrders(lines, boards), double=double.flagship if double else ""
    )


def double_partner(state: State, squadron: Squadron, flagship: str) -> Squadron | None:
    """The squadron that acts with the Admiral's, if it is the Admiral's turn and both may act (SQ-05.11)."""
    if not flagship or state.doubled[SIDES.index(squadron.side)]:
        return None
    admiral = next((one.id for one in state.position.admirals(squadron.side)), "")
    other_one = next((one for one in squadrons_left(state, squadron.side) if one.flagship == flagship), None)
    return other_one if other_one and squadron.leader == admiral and other_one != squadron else None


def next_side(left: Mapping[str, int], first: FleetSide, last: FleetSide | None) -> FleetSide | None:
    """Whose activation is next in a phase: sides alternate, the first one begins; who has no squadron left is skipped.

    `squadrons_left` counts squadrons that may still act; None: nobody has any (SQ-03.4).
    """
    wanted: FleetSide = first if last is None else "R" if last == "B" else "B"
    if left.get(wanted):
        return wanted
    other: FleetSide = "R" if wanted == "B" else "B"
    return other if left.get(other) else None

"""Merging the sheets of a side's captains into its orders and doctrines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rules.core.protocol import Seat
from rules.squadrons.engine.notation import doctrine_text
from rules.squadrons.engine.notation.orders import (
    SIDES,
    BoardingOrder,
    DoctrineLine,
    Doctrines,
    FleetSide,
    OrderLine,
    SquadronForm,
    SquadronOrders,
    TurnSheet,
)
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea.state import State, other_side
from rules.squadrons.interface.drafts import sheets
from rules.squadrons.interface.drafts.answers import OrderSheet


def is_idle(state: State, side: FleetSide, by_seat: Mapping[Seat, OrderSheet]) -> bool:
    """Return whether nobody of a side answered, so that all its sheets are stand-ins."""
    return all(sheet.is_stand_in for seat, sheet in by_seat.items() if state.captains[seat].side == side)


def claiming_side(state: State, by_seat: Mapping[Seat, OrderSheet]) -> FleetSide | None:
    """Return the side that claims the win from a side absent for two turns and in this one, if any (SQ-24.1)."""
    for side_number, side in enumerate(SIDES):
        has_claim = any(sheet.claims_win for seat, sheet in by_seat.items() if state.captains[seat].side == side)
        if (
            has_claim
            and state.idle[1 - side_number] >= sheets.MAX_IDLE_TURNS
            and is_idle(state, other_side(side), by_seat)
        ):
            return side
    return None


def merge_sheets(state: State, side: FleetSide, by_seat: Mapping[Seat, OrderSheet]) -> TurnSheet:
    """Return one sheet for a side, from those of its captains."""
    forms: list[SquadronForm] = []
    lines: list[OrderLine] = []
    boards: list[BoardingOrder] = []
    speeds: dict[str, Any] = {}
    sequence: list[str] = []
    double = ""
    for seat, sheet in by_seat.items():
        if state.captains[seat].side != side:
            continue
        context = sheets.order_context(state, seat)
        flagships = sheets.flagship_by_squadron(context, sheet)
        forms += sheets.forms_of_sheet(context, sheet)
        lines += sheets.lines_of_sheet(context, sheet)
        boards += sheet.boards
        speeds.update(sheets.speeds_of_sheet(context, sheet))
        sequence += [flagships.get(name, name) for name in sheet.sequence]
        double = flagships.get(sheet.double, sheet.double) or double
    orders = SquadronOrders(tuple(lines), tuple(boards))
    return TurnSheet(
        forms=tuple(forms), speeds=speeds, sequence=tuple(dict.fromkeys(sequence)), double=double, orders=orders
    )


def merge_doctrines(state: State, side: FleetSide, by_seat: Mapping[Seat, OrderSheet]) -> Doctrines:
    lines = [*state.doctrines[SIDES.index(side)].lines]
    for seat, sheet in by_seat.items():
        if state.captains[seat].side == side:
            lines = [*doctrine_text.merge_lines((*lines, *own_doctrines(state, seat, sheet)))]
    return Doctrines(doctrine_text.merge_lines(lines))


def own_doctrines(state: State, seat: Seat, sheet: OrderSheet) -> Iterable[DoctrineLine]:
    """Return a captain's changes of doctrine. If allies share the side, "all" means only the captain's ships."""
    if len(command.captains_of_side(state, state.captains[seat].side)) == 1:
        return sheet.doctrines
    return doctrine_text.lines_for_ships(sheet.doctrines, command.ships_of(state, seat))

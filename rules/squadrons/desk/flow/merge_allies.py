"""What the sheets of a side's captains come to together: its orders, its doctrines, and what nobody said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rules.protocol import Seat
from rules.squadrons.desk.drafts import sheets
from rules.squadrons.desk.drafts.answers import Sheet
from rules.squadrons.table.notation import doctrine_text
from rules.squadrons.table.notation.orders import (
    SIDES,
    Board,
    DoctrineLine,
    Doctrines,
    Form,
    Line,
    Orders,
    Side,
    Turnsheet,
)
from rules.squadrons.table.phases.command import ownership
from rules.squadrons.table.sea.state import State, other


def idle(state: State, side: Side, by_seat: Mapping[Seat, Sheet]) -> bool:
    """Whether all that is said for a side was said in its captains' place."""
    return all(sheet.absent for seat, sheet in by_seat.items() if state.captains[seat].side == side)


def claimed(state: State, by_seat: Mapping[Seat, Sheet]) -> Side | None:
    """Who claims the win from a side that let two turns pass and is not back now (9.3)."""
    for at, side in enumerate(SIDES):
        wanted = any(sheet.claim for seat, sheet in by_seat.items() if state.captains[seat].side == side)
        if wanted and state.idle[1 - at] >= sheets.IDLE_MOST and idle(state, other(side), by_seat):
            return side
    return None


def joined(state: State, side: Side, by_seat: Mapping[Seat, Sheet]) -> Turnsheet:
    """One side's orders out of its captains' sheets, squadrons and `all` written out ship by ship."""
    forms: list[Form] = []
    lines: list[Line] = []
    boards: list[Board] = []
    speeds: dict[str, Any] = {}
    sequence: list[str] = []
    double = ""
    for seat, sheet in by_seat.items():
        if state.captains[seat].side != side:
            continue
        context = sheets.order_context(state, seat)
        flags = sheets.flagships(context, sheet)
        forms += sheets.forms(context, sheet)
        lines += sheets.lines(context, sheet)
        boards += sheet.boards
        speeds.update(sheets.speeds(context, sheet))
        sequence += [flags.get(name, name) for name in sheet.sequence]
        double = flags.get(sheet.double, sheet.double) or double
    orders = Orders(tuple(lines), tuple(boards))
    return Turnsheet(
        forms=tuple(forms), speeds=speeds, sequence=tuple(dict.fromkeys(sequence)), double=double, orders=orders
    )


def doctrines(state: State, side: Side, by_seat: Mapping[Seat, Sheet]) -> Doctrines:
    """What holds for a side from now on: what held, as its captains' sheets change it."""
    stand = [*state.doctrines[SIDES.index(side)].lines]
    for seat, sheet in by_seat.items():
        if state.captains[seat].side == side:
            stand = [*doctrine_text.merged((*stand, *own_doctrines(state, seat, sheet)))]
    return Doctrines(doctrine_text.merged(stand))


def own_doctrines(state: State, seat: Seat, sheet: Sheet) -> Iterable[DoctrineLine]:
    """What a captain's doctrine means: if allies share the side, "all" is that captain's ships alone."""
    if len(ownership.of_side(state, state.captains[seat].side)) == 1:
        return sheet.doctrines
    return doctrine_text.of_ships(sheet.doctrines, ownership.ships_of(state, seat))

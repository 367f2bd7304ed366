"""Three lessons: a ram with a run, a line with something else to do, and boarding (RS-08, RS-21.1, RS-10 to 12)."""

from __future__ import annotations

from typing import Final

from rules.lessons import Lesson, Verdict, first_by, happened, missed, reached
from rules.protocol import Event
from rules.ramspeed.table.events import Acts, Linked, Moved, Prize, Rammed, Skipped
from rules.ramspeed.table.notation import order_words
from rules.ramspeed.table.state import State
from rules.ramspeed.table.tables import TABLES

PUPIL: Final = "A1"
_LONG: Final = TABLES.ram.modifiers.long_run
"""Inches of a run that adds to the dice."""
_TABLE: Final = "30x24 open turn=1/20 phase=orders quiet=0 seats=you@Athens,dummy@Sparta"


def _ram(_: State, events: tuple[Event, ...]) -> Verdict:
    """Ram her after a run that adds to the dice."""
    ram = first_by(events, Rammed, PUPIL)
    if not ram:
        return missed("none")
    if ram.run < _LONG:
        return missed("short", run=ram.run)
    return reached(run=ram.run, modifier=ram.modifier, total=ram.total)


def _chain(_: State, events: tuple[Event, ...]) -> Verdict:
    """Try to ram an enemy who is too far away, and do something else then."""
    tried = [skipped for skipped in happened(events, Skipped) if skipped.ship == PUPIL and "ram" in skipped.order]
    moved = any(move.ship == PUPIL for move in happened(events, Moved))
    if not tried:
        return missed("no_ram")
    if not moved:
        return missed("stayed")
    done = next(acted.order for acted in happened(events, Acts) if acted.ship == PUPIL)
    return reached(order=order_words.written(done))


def _board(_: State, events: tuple[Event, ...]) -> Verdict:
    """Take her."""
    prizes = [prize for prize in happened(events, Prize) if prize.ship != PUPIL]
    if prizes:
        return reached(crew=prizes[0].crew)
    return missed("fighting" if happened(events, Linked) else "none")


LESSONS: Final = (
    Lesson(
        key="ram",
        position=f"{_TABLE} ; A1 T you athenian @8,5^0 20 ; S1 T dummy spartan @9.5,12.5^90 20",
        script={"t1.orders.1": "stay"},
        hint="A1: ram S1",
        judge=_ram,
    ),
    Lesson(
        key="chain",
        position=f"{_TABLE} ; A1 T you athenian @15,3^0 20 ; S1 T dummy spartan @15.5,19^180 20",
        script={"t1.orders.1": "S1: turn 90L"},
        hint="A1: ram S1 or fwd 6",
        judge=_chain,
    ),
    Lesson(
        key="board",
        position=f"{_TABLE} ; A1 T you athenian @10,7^0 20 ; S1 B dummy spartan @10.6,12^180 4 dead",
        script={"t1.orders.1": "stay"},
        hint="A1: grapple S1",
        judge=_board,
    ),
)

"""Three lessons: a ram with a long run, a line with two alternatives, and boarding (RS-08, RS-21.1, RS-10 to 12)."""

from __future__ import annotations

from typing import Final

from rules.core.protocol import Event
from rules.interface.lessons import Lesson, LessonVerdict, events_of_type, first_event_by, goal_missed, goal_reached
from rules.ramspeed.engine.events import OrderSkipped, ShipActivated, ShipCaptured, ShipMoved, ShipRammed, ShipsLinked
from rules.ramspeed.engine.notation import order_words
from rules.ramspeed.engine.state import State
from rules.ramspeed.engine.tables import TABLES

PUPIL: Final = "A1"
_LONG_RUN_IN: Final = TABLES.ram.modifiers.long_run  # inches of a run that adds to the dice
_TABLE_POSITION: Final = "30x24 open turn=1/20 phase=orders quiet=0 seats=you@Athens,dummy@Sparta"


def _judge_ram(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    ram = first_event_by(events, ShipRammed, PUPIL)
    if not ram:
        return goal_missed("none")
    if ram.run < _LONG_RUN_IN:
        return goal_missed("short", run=ram.run)
    return goal_reached(run=ram.run, modifier=ram.modifier, total=ram.total)


def _judge_chain(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    skipped_rams = [
        skipped for skipped in events_of_type(events, OrderSkipped) if skipped.ship == PUPIL and "ram" in skipped.order
    ]
    moved = any(move.ship == PUPIL for move in events_of_type(events, ShipMoved))
    if not skipped_rams:
        return goal_missed("no_ram")
    if not moved:
        return goal_missed("stayed")
    order = next(acted.order for acted in events_of_type(events, ShipActivated) if acted.ship == PUPIL)
    return goal_reached(order=order_words.order_sentences(order))


def _judge_board(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    prizes = [prize for prize in events_of_type(events, ShipCaptured) if prize.ship != PUPIL]
    if prizes:
        return goal_reached(crew=prizes[0].crew)
    return goal_missed("fighting" if events_of_type(events, ShipsLinked) else "none")


LESSONS: Final = (
    Lesson(
        key="ram",
        position=f"{_TABLE_POSITION} ; A1 T you athenian @8,5^0 20 ; S1 T dummy spartan @9.5,12.5^90 20",
        script={"t1.orders.1": "stay"},
        solution="A1: ram S1",
        judge=_judge_ram,
    ),
    Lesson(
        key="chain",
        position=f"{_TABLE_POSITION} ; A1 T you athenian @15,3^0 20 ; S1 T dummy spartan @15.5,19^180 20",
        script={"t1.orders.1": "S1: turn 90L"},
        solution="A1: ram S1 or fwd 6",
        judge=_judge_chain,
    ),
    Lesson(
        key="board",
        position=f"{_TABLE_POSITION} ; A1 T you athenian @10,7^0 20 ; S1 B dummy spartan @10.6,12^180 4 dead",
        script={"t1.orders.1": "stay"},
        solution="A1: grapple S1",
        judge=_judge_board,
    ),
)

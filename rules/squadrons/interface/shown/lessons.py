"""Three lessons: a ram, a squadron with an exception, and a rake (SQ-13, SQ-14, SQ-24.2)."""

from __future__ import annotations

from typing import Final

from rules.core.protocol import Event
from rules.interface.lessons import Lesson, LessonVerdict, events_of_type, first_event_by, goal_missed, goal_reached
from rules.squadrons.engine.events import ShipMoved, ShipRaked, ShipRammed, natural_roll, needed_roll
from rules.squadrons.engine.sea.state import State

PUPIL: Final = "B1"
# equal to the points of one enemy, so that a battle never ends as unreachable
_POSITION_HEAD: Final = "squadrons 1 A 22x20 - vp=6 limit=8 bonus=0/0 lost=-/-"
_STAY_ANSWER: Final = "pass\ndoctrine all: avoid=off fire=off"


def _judge_ram(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    ram = first_event_by(events, ShipRammed, PUPIL)
    if not ram:
        return goal_missed("none")
    word = "reached" if ram.result == "rammed" else "glanced"
    return goal_reached(word, total=natural_roll(ram), need=needed_roll(ram))


def _judge_squadron(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    points_used = {
        name: max((event.mp for event in events_of_type(events, ShipMoved) if event.ship == name), default=0)
        for name in _SQUADRON
    }
    if any(points_used[name] < _WHOLE_HEXES for name in _SQUADRON[:2]):
        return goal_missed("short")
    if points_used[_SQUADRON[2]] != _EXCEPTION_HEXES:
        return goal_missed("same", hexes=points_used[_SQUADRON[2]])
    return goal_reached()


def _judge_rake(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    rake = first_event_by(events, ShipRaked, PUPIL)
    if not rake:
        return goal_missed("none")
    return goal_reached("reached" if rake.ok else "held", total=natural_roll(rake), need=needed_roll(rake))


_SQUADRON: Final = ("B1", "B2", "B3")
_WHOLE_HEXES: Final = 4  # for the squadron to row
_EXCEPTION_HEXES: Final = 2  # for its last ship


LESSONS: Final = (
    Lesson(
        key="ram",
        position=f"{_POSITION_HEAD} ; B1 5@1014N C ; R1 3@1110NE C ; lead BL1 Steady@B1 ; lead RL1 Steady@R1",
        script={"t1.orders.1": _STAY_ANSWER},
        hidden_tokens=("doctrine", f"doctrine.{PUPIL}", "habits", "squadron"),
        solution="B1: F2 ram R1",
        judge=_judge_ram,
    ),
    Lesson(
        key="squadron",
        position=(
            f"{_POSITION_HEAD} ; B1 3@0815N C ; B2 3@1015N C ; B3 3@1215N C ; R1 5@1104S C ; "
            "lead BL1 Steady@B2 ; lead RL1 Steady@R1"
        ),
        script={"t1.orders.1": _STAY_ANSWER},
        solution="all: F4\nB3: F2",
        judge=_judge_squadron,
    ),
    Lesson(
        key="rake",
        position=f"{_POSITION_HEAD} ; B1 3v@1114N C ; R1 3g@1211N C ; lead BL1 Steady@B1 ; lead RL1 Steady@R1",
        script={"t1.orders.1": _STAY_ANSWER},
        solution="B1: F3 rake R1",
        judge=_judge_rake,
    ),
)

"""Three lessons: sailing and shooting, a brig's plunging fire in a calm, and a siege (NB-04 to NB-06, NB-08)."""

from __future__ import annotations

from typing import Final

from rules.core.protocol import Event
from rules.forts.engine.events import FortCaptured, ShipMoved, ShotFired, SiegeOpened
from rules.forts.engine.fire import MIN_HIT_ADJACENT
from rules.forts.engine.state import State
from rules.interface.lessons import Lesson, LessonVerdict, events_of_type, goal_missed, goal_reached

_OPTIONS: Final = {"colours": "first"}
HIDDEN_TOKENS: Final = ("look", "end", "plan", "claim")
"""Options that first lessons leave out: the reach of enemies, and the end of a turn."""


def _judge_shoot(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    shots = events_of_type(events, ShotFired)
    if not shots:
        return goal_missed("none")
    if all(shot.need > MIN_HIT_ADJACENT for shot in shots):
        return goal_missed("far", need=shots[0].need)
    return goal_reached(shots=len(shots), hits=sum(shot.hit for shot in shots))


def _judge_calm(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    shots = events_of_type(events, ShotFired)
    if not shots:
        return goal_missed("sailed" if events_of_type(events, ShipMoved) else "none")
    return goal_reached(need=shots[0].need, die=shots[0].die)


def _judge_siege(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    if events_of_type(events, FortCaptured):
        return goal_reached()
    if events_of_type(events, SiegeOpened):
        return goal_missed("waits")
    return goal_missed("none")


LESSONS: Final = (
    Lesson(
        key="shoot",
        position="two_forts 1 white wind - 0 white=west BB/BB ; wBB@D7 0 s3 ; rFR@H6 0",
        options=_OPTIONS,
        hidden_tokens=HIDDEN_TOKENS,
        solution="BB>G7\nBB*FR",
        judge=_judge_shoot,
    ),
    Lesson(
        key="calm",
        position="two_forts 1 white calm - 0 white=west BB/BB ; wBB@D5 0 s3 ; wBR@E6 0 s1 ; rGA@I5 0",
        options=_OPTIONS,
        hidden_tokens=HIDDEN_TOKENS,
        solution="BR>G5\nBR*GA",
        judge=_judge_calm,
    ),
    Lesson(
        key="siege",
        position="two_forts 1 white wind - 0 white=west BB/BB ; wBB@P6 0 s3 ; rBB@T9 0",
        options=_OPTIONS,
        script={"t2.act.0": "end"},
        hidden_tokens=("look",),
        solution="BB>R6\nend",
        judge=_judge_siege,
    ),
)

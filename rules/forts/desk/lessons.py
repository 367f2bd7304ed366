"""Three lessons: sailing and shooting, a brig's plunging fire in a calm, and a siege (NB-04 to NB-06, NB-08)."""

from __future__ import annotations

from typing import Final

from rules.forts.table.events import FortCaptured, Sailed, ShotFired, SiegeOpened
from rules.forts.table.fire import NEED_BESIDE
from rules.forts.table.state import State
from rules.lessons import Lesson, Verdict, happened, missed, reached
from rules.protocol import Event

_FIRST: Final = {"colours": "first"}
LATER: Final = ("look", "end", "plan", "claim")
"""What is kept for later: where enemies may get to, and how a turn ends."""


def _shoot(_: State, events: tuple[Event, ...]) -> Verdict:
    """Shoot from beside the enemy."""
    shots = happened(events, ShotFired)
    if not shots:
        return missed("none")
    if all(shot.need > NEED_BESIDE for shot in shots):
        return missed("far", need=shots[0].need)
    return reached(shots=len(shots), hits=sum(shot.hit for shot in shots))


def _calm(_: State, events: tuple[Event, ...]) -> Verdict:
    """Shoot: over the island, as from nowhere else anybody is within range."""
    shots = happened(events, ShotFired)
    if not shots:
        return missed("sailed" if happened(events, Sailed) else "none")
    return reached(need=shots[0].need, die=shots[0].die)


def _siege(_: State, events: tuple[Event, ...]) -> Verdict:
    """Take the fort."""
    if happened(events, FortCaptured):
        return reached()
    if happened(events, SiegeOpened):
        return missed("waits")
    return missed("none")


LESSONS: Final = (
    Lesson(
        key="shoot",
        position="two_forts 1 white wind - 0 white=west BB/BB ; wBB@D7 0 s3 ; rFR@H6 0",
        options=_FIRST,
        hides=LATER,
        hint="BB>G7\nBB*FR",
        judge=_shoot,
    ),
    Lesson(
        key="calm",
        position="two_forts 1 white calm - 0 white=west BB/BB ; wBB@D5 0 s3 ; wBR@E6 0 s1 ; rGA@I5 0",
        options=_FIRST,
        hides=LATER,
        hint="BR>G5\nBR*GA",
        judge=_calm,
    ),
    Lesson(
        key="siege",
        position="two_forts 1 white wind - 0 white=west BB/BB ; wBB@P6 0 s3 ; rBB@T9 0",
        options=_FIRST,
        script={"t2.act.0": "end"},
        hides=("look",),
        hint="BB>R6\nend",
        judge=_siege,
    ),
)

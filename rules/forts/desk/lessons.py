"""Three lessons: sailing and shooting, a brig's plunging fire in a calm, and a siege (NB-04 to NB-06, NB-08)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from rules.forts.table.events import FortCaptured, Sailed, ShotFired, SiegeOpened
from rules.forts.table.fire import NEED_BESIDE
from rules.forts.table.state import State
from rules.lessons import Lesson, Verdict, happened, missed, reached
from rules.protocol import Event

_FIRST: Final = {"colours": "first"}
LATER: Final = ("look", "end", "plan", "claim")
"""What is kept for later: where enemies may get to, and how a turn ends."""

LESSONS: Final = (
    Lesson(
        key="shoot",
        position="two_forts 1 white wind - 0 white=west BB/BB ; wBB@D7 0 s3 ; rFR@H6 0",
        options=_FIRST,
        script={},
        hides=LATER,
        hint="BB>G7\nBB*FR",
    ),
    Lesson(
        key="calm",
        position="two_forts 1 white calm - 0 white=west BB/BB ; wBB@D5 0 s3 ; wBR@E6 0 s1 ; rGA@I5 0",
        options=_FIRST,
        script={},
        hides=LATER,
        hint="BR>G5\nBR*GA",
    ),
    Lesson(
        key="siege",
        position="two_forts 1 white wind - 0 white=west BB/BB ; wBB@P6 0 s3 ; rBB@T9 0",
        options=_FIRST,
        script={"t2.act.0": "end"},
        hides=("look",),
        hint="BB>R6\nend",
    ),
)


def judge(key: str, _: State, events: Iterable[Event]) -> Verdict:
    """What came of a lesson, from all that happened in it. Raises `KeyError` for an unknown lesson."""
    return _JUDGES[key](tuple(events))


def _shoot(events: tuple[Event, ...]) -> Verdict:
    """Shoot from beside the enemy."""
    shots = happened(events, ShotFired)
    if not shots:
        return missed("shoot", "none")
    if all(shot.need > NEED_BESIDE for shot in shots):
        return missed("shoot", "far", need=shots[0].need)
    return reached("shoot", shots=len(shots), hits=sum(shot.hit for shot in shots))


def _calm(events: tuple[Event, ...]) -> Verdict:
    """Shoot: over the island, as from nowhere else anybody is within range."""
    shots = happened(events, ShotFired)
    if not shots:
        return missed("calm", "sailed" if happened(events, Sailed) else "none")
    return reached("calm", need=shots[0].need, die=shots[0].die)


def _siege(events: tuple[Event, ...]) -> Verdict:
    """Take the fort."""
    if happened(events, FortCaptured):
        return reached("siege")
    if happened(events, SiegeOpened):
        return missed("siege", "waits")
    return missed("siege", "none")


_JUDGES: Final[dict[str, Callable[[tuple[Event, ...]], Verdict]]] = {"shoot": _shoot, "calm": _calm, "siege": _siege}

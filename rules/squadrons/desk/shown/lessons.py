"""Three lessons: a ram, a squadron with an exception, and oars broken in passing (SQ-13, 9.5, SQ-14)."""

from __future__ import annotations

from typing import Final

from rules.lessons import Lesson, Verdict, first_by, happened, missed, reached
from rules.protocol import Event
from rules.squadrons.table.events import Moved, Raked, Rammed
from rules.squadrons.table.events.fighting import needed, rolled
from rules.squadrons.table.sea.state import State

PUPIL: Final = "B1"
# as many points as one enemy is worth, so that no battle ends because nobody can reach them
_HEAD: Final = "squadrons 1 A 22x20 - vp=6 limit=8 bonus=0/0 lost=-/-"
_STAY: Final = "pass\ndoctrine all: avoid=off fire=off"


def _ram(_: State, events: tuple[Event, ...]) -> Verdict:
    """Ram her; whether the dice were kind is another matter."""
    ram = first_by(events, Rammed, PUPIL)
    if not ram:
        return missed("none")
    word = "reached" if ram.result == "rammed" else "glanced"
    return reached(word, total=rolled(ram), need=needed(ram))


def _squadron(_: State, events: tuple[Event, ...]) -> Verdict:
    """Two ships go four hexes, the third but two."""
    rowed = {
        name: max((one.mp for one in happened(events, Moved) if one.ship == name), default=0) for name in _SQUADRON
    }
    if any(rowed[name] < _WHOLE_HEXES for name in _SQUADRON[:2]):
        return missed("short")
    if rowed[_SQUADRON[2]] != _EXCEPTION_HEXES:
        return missed("same", hexes=rowed[_SQUADRON[2]])
    return reached()


def _rake(_: State, events: tuple[Event, ...]) -> Verdict:
    """Try to break her oars."""
    rake = first_by(events, Raked, PUPIL)
    if not rake:
        return missed("none")
    return reached("reached" if rake.ok else "held", total=rolled(rake), need=needed(rake))


_SQUADRON: Final = ("B1", "B2", "B3")
_WHOLE_HEXES: Final = 4
_EXCEPTION_HEXES: Final = 2


LESSONS: Final = (
    Lesson(
        key="ram",
        position=f"{_HEAD} ; B1 5@1014N C ; R1 3@1110NE C ; lead BL1 Steady@B1 ; lead RL1 Steady@R1",
        script={"t1.orders.1": _STAY},
        hides=("doctrine", f"doctrine.{PUPIL}", "habits", "squadron"),
        hint="B1: F2 ram R1",
        judge=_ram,
    ),
    Lesson(
        key="squadron",
        position=(
            f"{_HEAD} ; B1 3@0815N C ; B2 3@1015N C ; B3 3@1215N C ; R1 5@1104S C ; "
            "lead BL1 Steady@B2 ; lead RL1 Steady@R1"
        ),
        script={"t1.orders.1": _STAY},
        hint="all: F4\nB3: F2",
        judge=_squadron,
    ),
    Lesson(
        key="rake",
        position=f"{_HEAD} ; B1 3v@1114N C ; R1 3g@1211N C ; lead BL1 Steady@B1 ; lead RL1 Steady@R1",
        script={"t1.orders.1": _STAY},
        hint="B1: F3 rake R1",
        judge=_rake,
    ),
)

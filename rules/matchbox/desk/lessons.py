"""Lessons in rowing, turning, ramming, firing, mending, in land and in boarding (MB parts 5 to 7, MX 1 and 3)."""

from __future__ import annotations

from typing import Final

from rules.finding import by_id
from rules.lessons import Lesson, Verdict, first_by, happened, missed, reached
from rules.matchbox.table import hull
from rules.matchbox.table.events import (
    Collided,
    Lost,
    Moved,
    OrdersRevealed,
    Rammed,
    Reorganized,
    VolleyDropped,
    VolleyHeld,
)
from rules.matchbox.table.incidents import Captured, Melee
from rules.matchbox.table.state import MATCH_MM, State
from rules.protocol import Event

PUPIL: Final = "A1"
DUMMY: Final = "B1"
ABOUT_DEG: Final = 180.0
"""The heading of a galley that has turned about."""
RUN: Final = 3
"""Forwards before a ram that is worth its name."""
FULL_VOLLEY: Final = 6
"""Matches of three masts within one match's length (MB-6.3)."""

LATER: Final = ("standing", "look", "course", "order.clear", "order.ZZ")
"""What the lessons before the last keep for later: standing orders, ready courses, moving rowers; and what would do the
same as **Start over**."""
_DRIFTS: Final = {"r1.orders.1": f"{DUMMY} F"}
"""A wreck with an oar to each side can do no more, and may do no less (MB-3.7)."""


def _row(state: State, _events: tuple[Event, ...]) -> Verdict:
    """Come within a match's length of the wreck."""
    gap_mm = hull.gap_mm(by_id(state.galleys, PUPIL), by_id(state.galleys, DUMMY))
    if gap_mm > MATCH_MM:
        return missed("far", gap_mm=gap_mm)
    return reached(gap_mm=gap_mm)


def _turn(state: State, events: tuple[Event, ...]) -> Verdict:
    """Turn about."""
    heading = by_id(state.galleys, PUPIL).pose.heading_deg
    if heading != ABOUT_DEG:
        return missed("heading", heading=round(heading))
    return reached(turns=sum(move.order != "F" for move in happened(events, Moved) if move.galley == PUPIL))


def _ram(_state: State, events: tuple[Event, ...]) -> Verdict:
    """Strike her side with a run of at least three."""
    ram = first_by(events, Rammed, PUPIL)
    if not ram:
        return missed("scraped" if happened(events, Collided) else "none")
    if ram.kind != "side" or ram.run < RUN:
        return missed("slow", run=ram.run, damage=ram.damage)
    return reached(run=ram.run, damage=ram.damage)


def _fire(_state: State, events: tuple[Event, ...]) -> Verdict:
    """Fire a full volley broadside."""
    mine = [volley for volley in happened(events, VolleyDropped) if volley.by == PUPIL]
    if not mine:
        return missed("out_of_range" if happened(events, VolleyHeld) else "none")
    best = max(mine, key=lambda volley: (volley.broadside, volley.matches))
    if not best.broadside:
        return missed("ahead", matches=best.matches)
    if best.matches < FULL_VOLLEY:
        return missed("far", matches=best.matches, gap_mm=best.gap_mm)
    return reached(matches=best.matches, hits=sum(volley.hits for volley in mine))


def _mend(state: State, events: tuple[Event, ...]) -> Verdict:
    """Take a blow, and end with the same number of oars on either side."""
    losses = [loss for loss in happened(events, Lost) if loss.galley == PUPIL]
    galley = by_id(state.galleys, PUPIL)
    if not losses:
        return missed("unhurt")
    oars = {"port": galley.port, "starboard": galley.starboard}
    if not any(mended.galley == PUPIL for mended in happened(events, Reorganized)):
        return missed("not_mended", **oars)
    if abs(galley.port - galley.starboard) > 1:
        return missed("uneven", **oars)
    return reached(damage=sum(loss.port + loss.starboard + loss.masts for loss in losses), **oars)


def _land(_state: State, events: tuple[Event, ...]) -> Verdict:
    """Cross the reef unhurt, and fire at the wreck behind the island."""
    if any(loss.galley == PUPIL for loss in happened(events, Lost)):
        return missed("hurt")
    shot = first_by(events, VolleyDropped, PUPIL)
    if not shot:
        hidden = any(held.reason == "sight" for held in happened(events, VolleyHeld))
        return missed("hidden" if hidden else "none")
    return reached(step=shot.step, matches=shot.matches)


def _board(_state: State, events: tuple[Event, ...]) -> Verdict:
    """Take the wreck."""
    taken = first_by(events, Captured, PUPIL)
    fights = [fight for fight in happened(events, Melee) if fight.by == PUPIL]
    if taken:
        return reached(hits=fights[-1].hits[0], crew=taken.crew)
    if fights:
        return missed("beaten", hits=fights[-1].hits[0])
    ordered = any("G" in one.orders for one in happened(events, OrdersRevealed))
    return missed("far" if ordered else "none")


LESSONS: Final = (
    Lesson(
        key="row",
        position="900x600 ; A1:south 3-3+0/6 @450,110^0 ; B1:north 1-1+0/6 @450,275^0",
        script=_DRIFTS,
        hides=LATER,
        hint="A1 FFF",
        judge=_row,
    ),
    Lesson(
        key="turn",
        position="900x600 ; A1:south 6-6+0/6 @400,330^0 ; B1:north 1-1+0/6 @700,300^180",
        script=_DRIFTS,
        hides=LATER,
        hint="A1 RRRFF",
        judge=_turn,
    ),
    Lesson(
        key="ram",
        position="900x600 ; A1:south 6-6+2/6 @450,110^0 ; B1:north 1-1+0/6 @435,300^90",
        script=_DRIFTS,
        hides=LATER,
        hint="A1 FFFFF",
        judge=_ram,
    ),
    Lesson(
        key="fire",
        position="900x600 ; A1:south 5-5+3/5 @400,200^0 ; B1:north 1-1+0/6 @475,290^0",
        script=_DRIFTS,
        hides=LATER,
        hint="A1 FFFXF",
        luck="0" * 64,
        judge=_fire,
    ),
    Lesson(
        key="mend",
        position="900x600 ; A1:south 4-6+2/6 @450,300^0 ; B1:north 1-1+0/6 @390,270^90",
        script=_DRIFTS,
        hides=LATER[:4],
        hint="A1 ZZFFX",
        judge=_mend,
    ),
    Lesson(
        key="land",
        position=(
            "900x600 ; island:505,195 535,195 535,232 505,232 ; reef:400,205 495,205 495,265 400,265 ; "
            "A1:south 6-6+2/6 @450,150^0 ; B1:north 1-1+0/6 @590,260^0"
        ),
        script=_DRIFTS,
        hides=LATER,
        hint="A1 LRFRX",
        judge=_land,
    ),
    Lesson(
        key="board",
        position="900x600 ; A1:south 4-4+4/4 @450,150^0 ; B1:north 1-1+0/6 @500,235^0",
        options={"boarding": "on"},
        script=_DRIFTS,
        hides=LATER,
        hint="A1 FFGGG",
        luck="2".zfill(64),
        judge=_board,
    ),
)

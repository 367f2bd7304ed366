"""Lessons in rowing, turning, ramming, firing, mending, land and boarding (MB-5 to MB-7, MX-1, MX-3)."""

from __future__ import annotations

from functools import partial
from typing import Final

from rules.core.finding import find_by_id
from rules.core.protocol import Event
from rules.interface.lessons import Lesson, LessonVerdict, events_of_type, first_event_by, goal_missed, goal_reached
from rules.matchbox.engine import hull
from rules.matchbox.engine.events import (
    HullsCollided,
    MeleeFought,
    OrdersRevealed,
    PartsLost,
    RowersReseated,
    ShipCaptured,
    ShipMoved,
    ShipRammed,
    VolleyDropped,
    VolleyHeld,
)
from rules.matchbox.engine.state import MATCH_MM, State

PUPIL: Final = "A1"  # id of the pupil's galley
DUMMY: Final = "B1"  # id of the wreck
TURNED_HEADING_DEG: Final = 180.0
MIN_RAM_RUN: Final = 3
FULL_VOLLEY_MATCHES: Final = 6  # matches of three masts within one match's length (MB-6.3)

HIDDEN_TOKENS: Final = ("standing", "look", "course", "order.clear", "order.ZZ")
"""Hidden until the last lessons: standing orders, ready courses, moving rowers, and a duplicate of **Start over**."""
_DRIFT_SCRIPT: Final = {"r1.orders.1": f"{DUMMY} F"}  # by request: round 1, seat 1
"""A wreck with one oar on each side can, and must, do exactly this (MB-3.7)."""


def _judge_row(state: State, _events: tuple[Event, ...]) -> LessonVerdict:
    # The goal is to come within a match's length of the wreck.
    gap_mm = hull.hull_gap_mm(find_by_id(state.galleys, PUPIL), find_by_id(state.galleys, DUMMY))
    if gap_mm > MATCH_MM:
        return goal_missed("far", gap_mm=gap_mm)
    return goal_reached(gap_mm=gap_mm)


def _judge_turn(state: State, events: tuple[Event, ...]) -> LessonVerdict:
    # The goal is to turn round.
    heading = find_by_id(state.galleys, PUPIL).pose.heading_deg
    if heading != TURNED_HEADING_DEG:
        return goal_missed("heading", heading=round(heading))
    return goal_reached(
        turns=sum(move.order != "F" for move in events_of_type(events, ShipMoved) if move.galley == PUPIL)
    )


def _judge_ram(_state: State, events: tuple[Event, ...]) -> LessonVerdict:
    # The goal is to ram the wreck's side after a run of at least three.
    ram = first_event_by(events, ShipRammed, PUPIL)
    if not ram:
        return goal_missed("scraped" if events_of_type(events, HullsCollided) else "none")
    if ram.kind != "side" or ram.run < MIN_RAM_RUN:
        return goal_missed("slow", run=ram.run, damage=ram.damage)
    return goal_reached(run=ram.run, damage=ram.damage)


def _judge_fire(_state: State, events: tuple[Event, ...]) -> LessonVerdict:
    # The goal is to fire a full broadside.
    volleys = [volley for volley in events_of_type(events, VolleyDropped) if volley.by == PUPIL]
    if not volleys:
        return goal_missed("out_of_range" if events_of_type(events, VolleyHeld) else "none")
    best = max(volleys, key=lambda volley: (volley.broadside, volley.matches))
    if not best.broadside:
        return goal_missed("ahead", matches=best.matches)
    if best.matches < FULL_VOLLEY_MATCHES:
        return goal_missed("far", matches=best.matches, gap_mm=best.gap_mm)
    return goal_reached(matches=best.matches, hits=sum(volley.hits for volley in volleys))


def _judge_mend(state: State, events: tuple[Event, ...]) -> LessonVerdict:
    # The goal is to take a blow and end with equal oars on both sides.
    losses = [loss for loss in events_of_type(events, PartsLost) if loss.galley == PUPIL]
    galley = find_by_id(state.galleys, PUPIL)
    if not losses:
        return goal_missed("unhurt")
    oars = {"port": galley.port, "starboard": galley.starboard}
    if not any(mended.galley == PUPIL for mended in events_of_type(events, RowersReseated)):
        return goal_missed("not_mended", **oars)
    if abs(galley.port - galley.starboard) > 1:
        return goal_missed("uneven", **oars)
    return goal_reached(damage=sum(loss.port + loss.starboard + loss.masts for loss in losses), **oars)


def _judge_land(_state: State, events: tuple[Event, ...]) -> LessonVerdict:
    # The goal is to cross the reef undamaged and fire at the wreck behind the island.
    if any(loss.galley == PUPIL for loss in events_of_type(events, PartsLost)):
        return goal_missed("hurt")
    shot = first_event_by(events, VolleyDropped, PUPIL)
    if not shot:
        hidden = any(held.reason == "sight" for held in events_of_type(events, VolleyHeld))
        return goal_missed("hidden" if hidden else "none")
    return goal_reached(step=shot.step, matches=shot.matches)


def _judge_board(_state: State, events: tuple[Event, ...]) -> LessonVerdict:
    # The goal is to capture the wreck.
    capture = first_event_by(events, ShipCaptured, PUPIL)
    fights = [fight for fight in events_of_type(events, MeleeFought) if fight.by == PUPIL]
    if capture:
        return goal_reached(hits=fights[-1].hits[0], crew=capture.crew)
    if fights:
        return goal_missed("beaten", hits=fights[-1].hits[0])
    ordered = any("G" in event.orders for event in events_of_type(events, OrdersRevealed))
    return goal_missed("far" if ordered else "none")


_wreck_lesson = partial(Lesson, script=_DRIFT_SCRIPT, hidden_tokens=HIDDEN_TOKENS)

LESSONS: Final = (
    _wreck_lesson(
        key="row",
        position="900x600 ; A1:south 3-3+0/6 @450,110^0 ; B1:north 1-1+0/6 @450,275^0",
        solution="A1 FFF",
        judge=_judge_row,
    ),
    _wreck_lesson(
        key="turn",
        position="900x600 ; A1:south 6-6+0/6 @400,330^0 ; B1:north 1-1+0/6 @700,300^180",
        solution="A1 RRRFF",
        judge=_judge_turn,
    ),
    _wreck_lesson(
        key="ram",
        position="900x600 ; A1:south 6-6+2/6 @450,110^0 ; B1:north 1-1+0/6 @435,300^90",
        solution="A1 FFFFF",
        judge=_judge_ram,
    ),
    _wreck_lesson(
        key="fire",
        position="900x600 ; A1:south 5-5+3/5 @400,200^0 ; B1:north 1-1+0/6 @475,290^0",
        solution="A1 FFFXF",
        solution_seed="0" * 64,
        judge=_judge_fire,
    ),
    _wreck_lesson(
        key="mend",
        position="900x600 ; A1:south 4-6+2/6 @450,300^0 ; B1:north 1-1+0/6 @390,270^90",
        hidden_tokens=HIDDEN_TOKENS[:4],
        solution="A1 ZZFFX",
        judge=_judge_mend,
    ),
    _wreck_lesson(
        key="land",
        position=(
            "900x600 ; island:505,195 535,195 535,232 505,232 ; reef:400,205 495,205 495,265 400,265 ; "
            "A1:south 6-6+2/6 @450,150^0 ; B1:north 1-1+0/6 @590,260^0"
        ),
        solution="A1 LRFRX",
        judge=_judge_land,
    ),
    _wreck_lesson(
        key="board",
        position="900x600 ; A1:south 4-4+4/4 @450,150^0 ; B1:north 1-1+0/6 @500,235^0",
        options={"boarding": "on"},
        solution="A1 FFGGG",
        solution_seed="2".zfill(64),
        judge=_judge_board,
    ),
)

"""Two lessons: a fleet that attacks, and a village that falls in one night (CA-3, CA-5, CA-9)."""

from __future__ import annotations

import json
from typing import Final

from rules.campaign.engine.events import BattleMet, FleetMustered, PortBesieged, PortFell
from rules.campaign.engine.sea.state import State
from rules.core.protocol import Event
from rules.interface.lessons import Lesson, LessonVerdict, events_of_type, goal_missed, goal_reached

_GULF_OPTIONS: Final = {"map": "gulf"}
HIDDEN_TOKENS: Final = ("chase", "port", "pay", "spare", "settle")
"""Options that lessons leave out: money, treaties and how battles are settled."""


def _lesson_position(*galleys: str) -> str:
    ports = {"A": "PIR", "B": "EPI CAL"}
    sound_galleys = [f"{galley} 5-5+3/5 r0 n0" for galley in galleys]
    return json.dumps({"map": "gulf", "captains": "AB", "ports": ports, "galleys": sound_galleys})


def _judge_attack(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    for met in events_of_type(events, BattleMet):
        if "A" in met.attackers:
            return goal_reached() if len(met.galleys[0]) > 2 else goal_missed("few")
    own_places = {
        galley.place
        for mustered in events_of_type(events, FleetMustered)
        for galley in mustered.galleys
        if galley.captain == "A"
    }
    return goal_missed("held" if "EGU" in own_places else "none")


def _judge_siege(_: State, events: tuple[Event, ...]) -> LessonVerdict:
    if any(fell.by == "A" for fell in events_of_type(events, PortFell)):
        return goal_reached()
    return goal_missed("slow" if any(siege.by == "A" for siege in events_of_type(events, PortBesieged)) else "none")


LESSONS: Final = (
    Lesson(
        key="attack",
        position=_lesson_position("A1 WGU", "A2 WGU", "A3 WGU", "B1 EGU"),
        options=_GULF_OPTIONS,
        script={"t1.orders.B": ""},
        hidden_tokens=HIDDEN_TOKENS,
        solution="A1 A2 A3: EGU attack",
        judge=_judge_attack,
    ),
    Lesson(
        key="siege",
        position=_lesson_position("A1 PIR", "A2 PIR", "B1 EPI"),
        options=_GULF_OPTIONS,
        script={"t1.orders.B": ""},
        hidden_tokens=HIDDEN_TOKENS,
        solution="A1 A2: SOU > SUN",
        judge=_judge_siege,
    ),
)

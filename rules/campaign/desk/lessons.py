"""Two lessons: a fleet that attacks, and a village that falls in one night (CA parts 3, 5 and 9)."""

from __future__ import annotations

import json
from typing import Final

from rules.campaign.table.events import BattleMet, Besieged, Mustered, PortFell
from rules.campaign.table.sea.state import State
from rules.lessons import Lesson, Verdict, happened, missed, reached
from rules.protocol import Event

_GULF: Final = {"map": "gulf"}
LATER: Final = ("chase", "port", "pay", "spare", "settle")
"""What is kept for later: money, treaties, how battles are settled."""


def _position(*galleys: str) -> str:
    ports = {"A": "PIR", "B": "EPI CAL"}
    lying = [f"{galley} 5-5+3/5 r0 n0" for galley in galleys]
    return json.dumps({"map": "gulf", "captains": "AB", "ports": ports, "galleys": lying})


def _attack(_: State, events: tuple[Event, ...]) -> Verdict:
    """Meet the enemy with all three galleys, and attack."""
    for met in happened(events, BattleMet):
        if "A" in met.attackers:
            return reached() if len(met.galleys[0]) > 2 else missed("few")
    lies = {galley.place for told in happened(events, Mustered) for galley in told.galleys if galley.captain == "A"}
    return missed("held" if "EGU" in lies else "none")


def _siege(_: State, events: tuple[Event, ...]) -> Verdict:
    """Take the village in one night."""
    if any(fell.by == "A" for fell in happened(events, PortFell)):
        return reached()
    return missed("slow" if any(one.by == "A" for one in happened(events, Besieged)) else "none")


LESSONS: Final = (
    Lesson(
        key="attack",
        position=_position("A1 WGU", "A2 WGU", "A3 WGU", "B1 EGU"),
        options=_GULF,
        script={"t1.orders.B": ""},
        hides=LATER,
        hint="A1 A2 A3: EGU attack",
        judge=_attack,
    ),
    Lesson(
        key="siege",
        position=_position("A1 PIR", "A2 PIR", "B1 EPI"),
        options=_GULF,
        script={"t1.orders.B": ""},
        hides=LATER,
        hint="A1 A2: SOU > SUN",
        judge=_siege,
    ),
)

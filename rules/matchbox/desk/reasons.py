"""One reason for what is ordered, read off the table: what it leads to if the enemies lie still."""

from __future__ import annotations

from collections.abc import Iterator

from rules.matchbox.desk.view import TableView
from rules.matchbox.table import hull, laying
from rules.matchbox.table.state import MATCH_MM, SLOTS, Answer, FleetOrders, Galley, OrderList
from rules.matchbox.table.volley import RANGE_MM
from rules.view import Text


def reason(view: TableView, answer: Answer) -> Text:
    """Say the weightiest thing that an answer leads to: a ram, a volley, rowers at work, an ambush, or a way."""
    if not isinstance(answer, FleetOrders):
        return Text("reason.usual")
    there = {galley.id: galley for galley in view.galleys}
    found = [each for drawn in answer.lists for each in _reasons(view, there[drawn.galley], drawn)]
    return min(found, key=lambda each: each[0])[1] if found else Text("reason.usual")


def _reasons(view: TableView, galley: Galley, drawn: OrderList) -> Iterator[tuple[int, Text]]:
    """Give the reasons for one galley's orders, each with its rank: 0 is the best."""
    foes = [other for other in view.galleys if other.side != galley.side]
    if not foes:
        return
    pose, run = galley.pose, 0
    letters = drawn.orders.replace("ZZ", "Z-")
    for step, order in enumerate(letters, start=1):
        near = min(foes, key=lambda foe: (hull.gap_mm(pose, foe.pose), foe.id))
        if order == "X" and (gap := hull.gap_mm(pose, near.pose)) <= RANGE_MM:
            yield 1, Text("reason.fire", {"galley": galley.id, "foe": near.id, "step": step, "gap_mm": gap})
        after = hull.pushed_back(laying.moved(pose, order), view.width_mm, view.height_mm)
        run = run + 1 if order == "F" else 0
        struck = next((foe for foe in foes if order in "FLR" and hull.overlap_mm(after, foe.pose) > 0), None)
        if struck:
            yield 0, Text("reason.meet", {"galley": galley.id, "foe": struck.id, "step": step, "run": run})
            return
        pose = after
    if "Z" in letters:
        yield 2, Text("reason.mend", {"galley": galley.id})
    near = min(foes, key=lambda foe: (hull.gap_mm(galley.pose, foe.pose), foe.id))
    gap = hull.gap_mm(pose, near.pose)
    if "X" in letters and gap <= RANGE_MM + SLOTS * MATCH_MM:
        yield 3, Text("reason.wait", {"galley": galley.id, "foe": near.id, "gap_mm": gap})
    key = "reason.nearer" if gap < hull.gap_mm(galley.pose, near.pose) else "reason.away"
    yield 4, Text(key, {"galley": galley.id, "foe": near.id, "gap_mm": gap})

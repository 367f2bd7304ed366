"""What in a captain's orders has no effect as things stand, said while they are written.

The captain's galleys carry out what is written so far; all others lie still and don't fire. The rules themselves follow
this up to the first blow, or to the first shot that may sink a galley: what comes after depends on more than the
captain can know. No dice are rolled, and only what the seat sees is used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import structs

from rules.dice import Dice
from rules.matchbox.desk.sheets import Desk, Sheet
from rules.matchbox.table import orders, volley
from rules.matchbox.table.events import Collided, Moved
from rules.matchbox.table.stages import Decisions, Play
from rules.matchbox.table.state import SLOTS, State
from rules.protocol import Seat
from rules.view import Text


class _Foreseen:
    """Steps with an order that has no effect, by galley."""

    def __init__(self) -> None:
        self.edge: defaultdict[str, list[int]] = defaultdict(list)
        self.fire: defaultdict[str, list[int]] = defaultdict(list)
        self.masts: defaultdict[str, list[int]] = defaultdict(list)
        self.met: list[tuple[int, str, str]] = []
        """Step, and two galleys of one side that come into contact."""


def warnings(desk: Desk, sheet: Sheet) -> tuple[Text, ...]:
    """Return what has no effect, in the order of galleys; at most one line of each kind for each."""
    if not any(ordered.orders for ordered in sheet.lists):
        return ()
    mine = {galley.id for galley in desk.waters.mine}
    return tuple(_said(desk.state, mine, sheet, _foreseen(desk.state, desk.seat, mine, sheet)))


def _foreseen(state: State, seat: Seat, mine: set[str], sheet: Sheet) -> _Foreseen:
    found = _Foreseen()
    target = "nearest" if sheet.standing.target == "ask" else sheet.standing.target
    standing = {seat: structs.replace(sheet.standing, target=target, reorganize="even")}
    table = (state.width_mm, state.height_mm)
    play = Play(table, state.galleys, sheet.lists, Decisions(standing, {}, None, {}), Dice("00"))
    fired_at: defaultdict[str, int] = defaultdict(int)
    for step in range(1, SLOTS + 1):
        play.begin(step)
        told = len(play.events)
        play.move()
        for event in play.events[told:]:
            # Who turns at the edge has turned.
            if isinstance(event, Moved) and event.at_edge and event.order == "F" and event.galley in mine:
                found.edge[event.galley].append(step)
            if isinstance(event, Collided) and play.galleys[event.a].side == play.galleys[event.b].side:
                found.met += [(step, event.a, event.b)] if {event.a, event.b} & mine else []
        if play.blows:
            _lose(play, mine, found)
            return found
        play.target()
        shooting = {shot.by.id for shot in play.shots}
        for galley in play.doing("X"):
            if galley.id in mine and galley.id not in shooting:
                found.fire[galley.id].append(step)
        for shot in play.shots:
            fired_at[shot.at.id] += volley.matches(shot.by.masts, shot.gap_mm)
        if any(hits >= min(play.galleys[foe].port, play.galleys[foe].starboard) for foe, hits in fired_at.items()):
            return found
        play.reorganize()
    return found


def _lose(play: Play, mine: set[str], found: _Foreseen) -> None:
    """Deal the first blows: who has no mast left by them fires no more."""
    if play.suffer():
        return  # the captain wants to be asked what to lose
    for galley in play.afloat:
        later = [step for step in range(play.step + 1, SLOTS + 1) if play.steps[galley.id][step - 1] == "X"]
        if galley.id in mine and not galley.masts and later:
            found.masts[galley.id] = later


def _forced(state: State, sheet: Sheet, name: str, step: int) -> bool:
    """Whether she must fire, as late as she does: her oars allow no more moves, and no list may be shorter (MB-3.7)."""
    letters = next(ordered.orders for ordered in sheet.lists if ordered.galley == name)
    galley = next(galley for galley in state.galleys if galley.id == name)
    rest = letters[step - 1 :]
    return rest.strip("X") == "" and orders.list_fault(galley, f"{letters[: step - 1]}F{rest[1:]}") is not None


def _said(state: State, mine: set[str], sheet: Sheet, found: _Foreseen) -> Iterator[Text]:
    for galley in (one.id for one in state.galleys if one.id in mine):
        if steps := found.edge.get(galley):
            yield Text("warn.edge", {"galley": galley, "steps": _listed(steps)})
        for step, a, b in found.met:
            if galley == a or (galley == b and a not in mine):
                yield Text("warn.friend", {"galley": galley, "friend": b if galley == a else a, "step": step})
        if steps := [step for step in found.fire.get(galley, ()) if not _forced(state, sheet, galley, step)]:
            yield Text("warn.fire", {"galley": galley, "steps": _listed(steps), "reach_mm": volley.RANGE_MM})
        if steps := found.masts.get(galley):
            yield Text("warn.masts", {"galley": galley, "steps": _listed(steps)})


def _listed(steps: list[int]) -> str:
    return ", ".join(map(str, steps))

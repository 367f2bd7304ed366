"""Invariants of every step of War Galley with matchboxes, measured without the rules' own geometry."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import structs
from shapely.geometry import Polygon

from rules.core.keepsakes import Keepsake
from rules.core.protocol import Event, Setup
from rules.matchbox.engine import notation, points
from rules.matchbox.engine.events import (
    CaptainConceded,
    FireShipSpent,
    MeleeFought,
    OarRepaired,
    PartsLost,
    RoundEnded,
    RowersReseated,
    ShipCaptured,
    ShipLeft,
    ShipStruck,
    ShipSunk,
)
from rules.matchbox.engine.state import BroughtCrew, CaptainRecord, Galley, StandingOrders, State
from tests.laws.outlines import overlap_depth
from tests.rules.matchbox.sea_room import TABLE, fleet

OFF_LAND_MM = 0.04
ROUNDING_MM = 0.0025
"""Poses are written to 0.001 mm and 0.001 degrees."""


def _crowd(seed: int, count: int, **options: str) -> Setup:
    position = notation.format_position(TABLE, fleet(random.Random(seed), count))
    return Setup(system="matchbox", teams=(0, 1), position=position, options=options)


_KEPT = (
    Keepsake(number=1, body='{"build":"5","xp":9,"promotions":"r","battered":true}'),
    Keepsake(number=2, body='{"build":"8h","xp":3,"promotions":"rc"}', name="Argo"),
    Keepsake(number=0, body='{"fleet":"c1 5","wishes":"bp"}'),
)
"""Crews that are due a promotion, or must lose some; and what their captain brought last."""
SETUPS = (
    Setup(system="matchbox", teams=(0, 1), options={"galleys": "1", "table": "coffee", "captain": "admiral"}),
    _crowd(1, 4),
    Setup(
        system="matchbox",
        teams=(0, 1, 1, 0),
        options={"galleys": "1", "deployment": "sealed", "table": "coffee", "boarding": "on"},
    ),
    _crowd(2, 2),
    Setup(system="matchbox", teams=(1, 0), options={"galleys": "2", "deployment": "sealed"}, missed="hold"),
    _crowd(3, 5),
    _crowd(4, 4, boarding="on", sinks="both_sides"),
    Setup(
        system="matchbox",
        teams=(0, 0, 1),
        options={"galleys": "1", "map": "skerry", "captain": "deckhand", "deployment": "turns"},
    ),
    Setup(system="matchbox", teams=(0, 0, 0, 1, 1, 1), options={"galleys": "1", "table": "dining"}, missed="hold"),
    Setup(
        system="matchbox",
        teams=(0, 1),
        options={"points": "36", "vessels": "on", "crews": "kept", "boarding": "on", "deployment": "ready"},
        keepsakes=(_KEPT, _KEPT[:2]),
    ),
    Setup(
        system="matchbox",
        teams=(1, 0),
        options={"galleys": "3", "vessels": "on", "deployment": "turns", "sinks": "both_sides"},
    ),
    Setup(system="matchbox", teams=(0, 1), options={"scenario": "raid", "captain": "deckhand", "deployment": "ready"}),
)


def teams(state: State) -> tuple[str, ...]:
    return state.sides


def most_steps(state: State) -> int:
    """MB-8.2: at most 20 rounds in a row without a loss; in a round, questions by step, galley and kind.

    Where captains choose their fleets first, these may be the greatest (MX-4.1).
    """
    count = len(state.galleys) + len(state.to_place) or len(state.sides) * points.MAX_VESSELS
    return count + 20 * (count * 14 + 1) * (1 + 5 * 4 * count)


def twins(state: State, seat: int | None) -> Iterator[State]:
    """Yield states with other standing orders and other crews at home of the others."""
    strange = StandingOrders(target="weakest", aim="safe", casualties="fighting", reorganize="ask")
    if state.allows_boarding:
        strange = structs.replace(strange, prize="ask")
    for other in range(len(state.sides)):
        if other != seat:
            orders = (*state.standing[:other], strange, *state.standing[other + 1 :])
            yield structs.replace(state, standing=orders)
            if state.kept and not state.result:
                stranger = CaptainRecord(
                    crews=(BroughtCrew(number=7, build="4t", xp=16, promotions="rmb"),), last="c7", wishes="c"
                )
                yield structs.replace(state, kept=(*state.kept[:other], stranger, *state.kept[other + 1 :]))


def check(before: State | None, events: Sequence[Event], after: State) -> None:
    _hulls(after)
    for galley in after.galleys:
        oars = galley.port, galley.starboard
        assert (any if after.sinks else all)(oars)  # MB-7.2
        assert 0 <= min(oars) <= max(oars) <= galley.holes
        assert 0 <= galley.masts <= max(1, galley.mast_holes)  # MX-3.5: a fire ship's prize crew
    if before is None:
        return
    assert after.dice.seed == before.dice.seed
    assert after.round - before.round in {0, 1}
    assert (after.sea, after.sides) == (before.sea, before.sides)
    _fleet(before, events, after)
    if before.phase in {"orders", "asking"}:
        _books(before, events, after)
    if any(isinstance(event, RoundEnded) for event in events):
        assert after.quiet_rounds in {0, before.quiet_rounds + 1}
        assert after.quiet_rounds == 0 or not any(isinstance(event, PartsLost) for event in events)


def _hulls(state: State) -> None:
    """Check that no hull leaves the table, overlaps another, or comes on to land (MX-1.8)."""
    outlines = {galley.id: _corners(galley) for galley in state.galleys}
    for piece in state.land or ():
        for name, outline in outlines.items() if piece.kind != "reef" else ():
            assert Polygon(piece.corners).distance(Polygon(outline)) >= OFF_LAND_MM, name
    for name, outline in outlines.items():
        for x, y in outline:
            assert -ROUNDING_MM <= x <= state.width_mm + ROUNDING_MM, name
            assert -ROUNDING_MM <= y <= state.height_mm + ROUNDING_MM, name
    for (a, one), (b, other) in combinations(outlines.items(), 2):
        assert overlap_depth(one, other) <= ROUNDING_MM, (a, b)


def _fleet(before: State, events: Sequence[Event], after: State) -> None:
    """Check that galleys neither come from nowhere nor vanish: they are placed, sail, and are lost."""

    def names(state: State) -> set[str]:
        return {galley.id for galley in (*state.galleys, *state.lost, *state.before, *(state.left or ()))}

    quitters = {event.seat for event in events if isinstance(event, CaptainConceded)}
    unplaced = {name for name in before.to_place if after.phase == "over" or ord(name[0]) - ord("A") in quitters}
    chosen = set(after.builds or {}) if before.phase == "choosing" else set()
    assert names(before) | set(before.to_place) | chosen == names(after) | set(after.to_place) | unplaced
    ids = [galley.id for galley in (*after.galleys, *after.lost)]
    assert len(ids) == len(set(ids))
    assert {galley.id for galley in before.lost} <= {galley.id for galley in after.lost}
    if before.phase == "orders":
        gone = {galley.id for galley in before.galleys} - {galley.id for galley in after.galleys}
        reported = _sunk(events) | {event.galley for event in events if isinstance(event, ShipStruck | ShipLeft)}
        assert gone == reported


def _books(before: State, events: Sequence[Event], after: State) -> None:
    """Check that oars and masts only fall, as events say; a side gains oars only when they are reorganized."""
    left = {galley.id: galley for galley in (*after.galleys, *after.lost)}
    moved = {event.galley for event in events if isinstance(event, RowersReseated)}
    lost: Counter[tuple[str, str]] = Counter()
    owner = {galley.id: (galley.seat, galley.side) for galley in before.galleys}
    for event in events:
        match event:
            case PartsLost():
                lost[event.galley, "oars"] += event.port + event.starboard
                lost[event.galley, "masts"] += event.masts
            case MeleeFought():
                lost[event.by, "masts"] += event.lost[0]
                lost[event.galley, "masts"] += event.lost[1]
            case OarRepaired():  # MX-4.5
                lost[event.galley, "oars"] -= 1
            case ShipCaptured():  # MX-3.5: masts go over with the prize crew
                assert before.allows_boarding
                lost[event.by, "masts"] += event.crew
                lost[event.galley, "masts"] -= event.crew
                owner[event.galley] = (event.seat, event.side)
    for galley in before.galleys:
        now = left.get(galley.id)
        if now is None:
            continue  # sunk in a round that is still in hand: told, but not yet written off
        assert (now.seat, now.side, now.holes) == (*owner[galley.id], galley.holes)
        assert galley.port + galley.starboard - now.port - now.starboard == lost[galley.id, "oars"]
        assert galley.masts - now.masts == lost[galley.id, "masts"]
        if galley.id not in moved:
            assert now.port <= galley.port
            assert now.starboard <= galley.starboard


def _sunk(events: Sequence[Event]) -> set[str]:
    return {event.galley for event in events if isinstance(event, ShipSunk | FireShipSpent)}


HULLS_MM = {"heavy": (120, 35), "scout": (45, 25)}
"""MX-2.1: length and width; all other hulls are 60 × 35 mm (MB-1.2)."""


def _corners(galley: Galley) -> list[tuple[float, float]]:
    """Return the corners of a hull, from its prow and heading."""
    pose, (length, width) = galley.pose, HULLS_MM.get(galley.vessel or "", (60, 35))
    ahead = math.radians(90 - pose.heading_deg)
    ux, uy = math.cos(ahead), math.sin(ahead)
    return [
        (pose.x_mm - along * ux + across * uy, pose.y_mm - along * uy - across * ux)
        for along, across in ((0, -width / 2), (0, width / 2), (length, width / 2), (length, -width / 2))
    ]

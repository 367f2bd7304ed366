"""Boarding: who can be grappled, the melee, and what a captured galley becomes (MX part 3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from rules.chance.dice import Dice
from rules.matchbox.engine import hull
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, Galley

GRAPPLE_REACH_MM: Final = MATCH_MM / 2
"""MX-3.2: half a match."""
MAX_LAND_MM: Final = 0.1
"""MX-3.2: the line between the middles may run so far within land."""
ROWER_MATCHES: Final = 2
"""MX-3.4: matches that the rowers of a galley that is boarded throw."""
_HALF_TURN_DEG: Final = 90.0


class GrappleLink(NamedTuple):
    """One galley has grappled another."""

    by: str
    target: str


class MeleeResult(NamedTuple):
    """What came of a melee."""

    hits: tuple[int, int]
    """Of the boarder, of the other."""
    boarder: Galley
    """After it."""
    other: Galley
    captured: str
    """The id of the one that is taken, or empty."""


def enemies_in_reach(boarder: Galley, galleys: Iterable[Galley], sea: Sea) -> tuple[tuple[Galley, float], ...]:
    """Enemies that a galley can grapple, and the gaps to them in mm, in galley order (MX-3.2)."""
    if not boarder.masts or boarder.burning:
        return ()
    found = []
    for galley in galleys:
        if galley.side == boarder.side or galley.burning:
            continue
        gap = hull.hull_gap_mm(boarder, galley)
        if hull.compared_gap_mm(gap) <= GRAPPLE_REACH_MM and not _is_barred(boarder, galley, sea):
            found.append((galley, gap))
    return tuple(found)


def _is_barred(a: Galley, b: Galley, sea: Sea) -> bool:
    return bool(sea.shore and sea.shore.hides_line(hull.hull_of(a)[:2], hull.hull_of(b)[:2], MAX_LAND_MM))


def matches_thrown(boarder: Galley, other: Galley, *, both: bool) -> tuple[int, int]:
    """How many matches each drops; `both` board each other, so that nobody's rowers do (MX-3.4, 3.6, 4.5)."""
    own, theirs = (galley.masts + ("b" in galley.crew) for galley in (boarder, other))
    return own, theirs if both else theirs + ROWER_MATCHES


def throw_bearings(dice: Dice, count: int) -> tuple[tuple[float, ...], Dice]:
    """The bearings of so many matches, and the dice after them: one block of the dice for each."""
    bearings = []
    for _ in range(count):
        (bearing, *_), dice = dice.draw_block()
        bearings.append(round(360 * bearing, 3) % 360)
    return tuple(bearings), dice


def resolve_melee(
    boarder: Galley, other: Galley, bearings: tuple[Sequence[float], Sequence[float]], *, both: bool
) -> MeleeResult:
    """Let two crews fight: each hit takes a mast; more hits than the other had take the galley (MX-3.4 to 3.6)."""
    hits = _count_hits(boarder, other, bearings[0]), _count_hits(other, boarder, bearings[1])
    left = (
        structs.replace(boarder, masts=max(0, boarder.masts - hits[1])),
        structs.replace(other, masts=max(0, other.masts - hits[0])),
    )
    taken = ""
    if hits[0] > other.masts and left[0].masts:
        taken = other.id
    elif both and hits[1] > boarder.masts and left[1].masts:
        taken = boarder.id
    return MeleeResult(hits, *left, taken)


def _count_hits(by: Galley, to: Galley, bearings: Iterable[float]) -> int:
    """How many matches point at the enemy: within a quarter turn of where the enemy's hull lies."""
    here, there = hull.hull_of(by), hull.hull_of(to)
    ahead = math.degrees(math.atan2(there.x - here.x, there.y - here.y))
    off = (abs((bearing - ahead + 180) % 360 - 180) for bearing in bearings)
    return sum(one <= _HALF_TURN_DEG + hull.LENGTH_TOLERANCE_MM for one in off)


def prize_crew_sizes(taker: Galley, taken: Galley) -> range:
    """How many masts a prize crew may bring over (MX-3.5)."""
    return range(1, min(taker.masts, max(1, taken.mast_holes)) + 1)


def choose_prize_crew(taker: Galley, allowed: range, *, half: bool) -> int:
    """The masts of a prize crew by standing orders: one, or half of the taker's, rounded down (part 7)."""
    return min(max(taker.masts // 2 if half else 1, allowed[0]), allowed[-1])


def capture_galley(taker: Galley, taken: Galley, crew: int) -> tuple[Galley, Galley]:
    """Both galleys after one is taken: it has changed sides, and lost its crew and what that could do (MX-3.5)."""
    prize = structs.replace(taken, side=taker.side, seat=taker.seat, masts=crew, crew="", worn=False)
    return structs.replace(taker, masts=taker.masts - crew), prize


def held_galleys(grapples: Iterable[GrappleLink], galleys: Iterable[Galley]) -> frozenset[str]:
    """Who is held fast: both of a grapple while both float on different sides (MX-3.3)."""
    sides = {galley.id: galley.side for galley in galleys}
    held = [one for one in grapples if one.by in sides and one.target in sides and sides[one.by] != sides[one.target]]
    return frozenset(name for one in held for name in one)

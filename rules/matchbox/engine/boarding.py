"""Boarding: grappling, melees and captured galleys (MX-3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from rules.chance.dice import Dice
from rules.matchbox.engine import hull
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, Galley

GRAPPLE_REACH_MM: Final = MATCH_MM / 2  # half a match (MX-3.2)
MAX_LAND_MM: Final = 0.1  # length of the line between the middles that may run over land (MX-3.2)
ROWER_MATCHES: Final = 2  # matches that the rowers of a boarded galley throw (MX-3.4)
_HALF_TURN_DEG: Final = 90.0


class GrappleLink(NamedTuple):
    by: str  # id of the boarder
    target: str  # id of the grappled galley


class MeleeResult(NamedTuple):
    hits: tuple[int, int]  # matches of the boarder that hit, and of the other
    boarder: Galley  # the boarder afterwards
    other: Galley  # the boarded galley afterwards
    captured: str  # the id of the captured galley; empty: none


def enemies_in_reach(boarder: Galley, galleys: Iterable[Galley], sea: Sea) -> tuple[tuple[Galley, float], ...]:
    """Return enemies that a galley can grapple, and the gaps in mm, in galley order (MX-3.2)."""
    if not boarder.masts or boarder.burning:
        return ()
    enemies = []
    for galley in galleys:
        if galley.side == boarder.side or galley.burning:
            continue
        gap = hull.hull_gap_mm(boarder, galley)
        if hull.round_thousandths(gap) <= GRAPPLE_REACH_MM and not _is_barred(boarder, galley, sea):
            enemies.append((galley, gap))
    return tuple(enemies)


def _is_barred(a: Galley, b: Galley, sea: Sea) -> bool:
    return bool(sea.shore and sea.shore.hides_line(hull.hull_of(a)[:2], hull.hull_of(b)[:2], MAX_LAND_MM))


def matches_thrown(boarder: Galley, other: Galley, *, both: bool) -> tuple[int, int]:
    """Return how many matches each side throws. If `both` board, no rowers take part (MX-3.4, 3.6, 4.5)."""
    boarder_matches, other_matches = (galley.masts + ("b" in galley.crew) for galley in (boarder, other))
    return boarder_matches, other_matches if both else other_matches + ROWER_MATCHES


def throw_bearings(dice: Dice, count: int) -> tuple[tuple[float, ...], Dice]:
    """Return bearings of thrown matches, and the next dice. Each match takes one block of dice."""
    bearings = []
    for _ in range(count):
        (bearing, *_), dice = dice.draw_block()
        bearings.append(round(360 * bearing, 3) % 360)
    return tuple(bearings), dice


def resolve_melee(
    boarder: Galley, other: Galley, bearings: tuple[Sequence[float], Sequence[float]], *, both: bool
) -> MeleeResult:
    """Return the result of a fight. Each hit takes a mast, and more hits than enemy masts capture (MX-3.4 to 3.6)."""
    hits = _count_hits(boarder, other, bearings[0]), _count_hits(other, boarder, bearings[1])
    survivors = (
        structs.replace(boarder, masts=max(0, boarder.masts - hits[1])),
        structs.replace(other, masts=max(0, other.masts - hits[0])),
    )
    captured = ""
    if hits[0] > other.masts and survivors[0].masts:
        captured = other.id
    elif both and hits[1] > boarder.masts and survivors[1].masts:
        captured = boarder.id
    return MeleeResult(hits, *survivors, captured)


def _count_hits(by: Galley, to: Galley, bearings: Iterable[float]) -> int:  # matches that point towards the enemy
    own_hull, enemy_hull = hull.hull_of(by), hull.hull_of(to)
    bearing_to_enemy = math.degrees(math.atan2(enemy_hull.x - own_hull.x, enemy_hull.y - own_hull.y))
    angles = (abs((bearing - bearing_to_enemy + 180) % 360 - 180) for bearing in bearings)
    return sum(angle <= _HALF_TURN_DEG + hull.LENGTH_TOLERANCE_MM for angle in angles)


def prize_crew_sizes(captor: Galley, prize: Galley) -> range:  # in masts (MX-3.5)
    return range(1, min(captor.masts, max(1, prize.mast_holes)) + 1)


def choose_prize_crew(taker: Galley, allowed: range, *, half: bool) -> int:
    """Return a prize crew by standing orders: one mast, or half of the captor's, rounded down."""
    return min(max(taker.masts // 2 if half else 1, allowed[0]), allowed[-1])


def capture_galley(taker: Galley, taken: Galley, crew: int) -> tuple[Galley, Galley]:
    """Return captor and prize. The prize changes sides, and has `crew` masts of the captor without skills (MX-3.5)."""
    prize = structs.replace(taken, side=taker.side, seat=taker.seat, masts=crew, crew="", worn=False)
    return structs.replace(taker, masts=taker.masts - crew), prize


def held_galleys(grapples: Iterable[GrappleLink], galleys: Iterable[Galley]) -> frozenset[str]:
    """Return ids of galleys held by a grapple: both, while they float on different sides (MX-3.3)."""
    sides = {galley.id: galley.side for galley in galleys}
    active = [
        link for link in grapples if link.by in sides and link.target in sides and sides[link.by] != sides[link.target]
    ]
    return frozenset(name for link in active for name in link)

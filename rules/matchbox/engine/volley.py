"""One volley of dropped matches (MB-6)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from rules.chance.dice import Dice, to_normal
from rules.geometry import boxes
from rules.geometry.boxes import Box, Pair
from rules.matchbox.engine import hull, laying
from rules.matchbox.engine.events import DroppedMatch
from rules.matchbox.engine.kinds import MAX_MOVE_MM
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, Galley, LaidMatch

RANGE_MM: Final = 3 * MATCH_MM  # MB-6.2
MARKSMEN_RANGE_MM: Final = 2 * MATCH_MM  # range within which marksmen drop one match more (MX-4.5)
MAX_HIDDEN_MM: Final = 0.1  # length of a line of sight that may run inside islands (MX-1.13)
SCATTER_MM: Final = 20.0  # standard deviation of a drop in x and in y (MB-6.6)
_HULL_TOUCH_MM: Final = MATCH_MM / 2 + 1.0
"""A match cannot touch a hull whose corners are all farther from the match's middle."""
_MATCH_TOUCH_2_MM: Final = MATCH_MM + MAX_MOVE_MM + 1.0  # twice the distance of middles within which matches may touch

Landing = tuple[float, float, float]  # middle of a dropped match, x and y in mm, and the bearing of its head in degrees


def matches_at(masts: int, gap_mm: float) -> int:
    """Return how many matches are dropped over a gap between hulls (MB-6.3); 0: out of range (MB-6.2)."""
    gap = hull.round_thousandths(gap_mm)
    if gap <= MATCH_MM:
        return masts * 2
    if gap <= 2 * MATCH_MM:
        return masts
    return (masts + 1) // 2 if gap <= RANGE_MM else 0


def volley_size(firer: Galley, gap_mm: float) -> int:
    """Return how many matches a galley drops over a gap, with those for a tower and marksmen (MX-2.5, 4.5)."""
    count = matches_at(firer.masts, gap_mm)
    if not count:
        return 0
    marksmen = "m" in firer.crew and hull.round_thousandths(gap_mm) <= MARKSMEN_RANGE_MM
    return count + firer.kind.has_tower + marksmen


def enemies_in_range(firer: Galley, galleys: Iterable[Galley]) -> tuple[tuple[Galley, float], ...]:
    """Return enemies in range and the gaps to them in mm, in galley order (MB-6.1, 6.2)."""
    # `reach` is how far from the firer's middle a hull can be in range, with a margin.
    own_hull, reach = hull.hull_of(firer), RANGE_MM + firer.kind.reach_mm + 1.0
    enemies = []
    for galley in galleys:
        if galley.side == firer.side:
            continue
        kind = galley.kind
        enemy_hull, max_offset = kind.make_box(galley.pose), reach + kind.reach_mm
        if abs(enemy_hull.x - own_hull.x) > max_offset or abs(enemy_hull.y - own_hull.y) > max_offset:
            continue
        gap = boxes.box_gap(own_hull, enemy_hull)
        if hull.round_thousandths(gap) <= RANGE_MM:
            enemies.append((galley, gap))
    return tuple(enemies)


def is_in_sight(firer: Galley, target: Galley, sea: Sea) -> bool:
    """Return whether no island hides one galley from another: the line between masts crosses none (MX-1.13, 2.5)."""
    land = sea.shore
    if not land or firer.kind.has_tower or target.kind.has_tower:
        return True
    own_middle, target_middle = hull.hull_of(firer)[:2], hull.hull_of(target)[:2]
    return land.is_surely_clear(own_middle, target_middle) or not sea.terrain.islands.hides_line(
        own_middle, target_middle, MAX_HIDDEN_MM
    )


def drop_matches(dice: Dice, aim: tuple[float, float], count: int) -> tuple[tuple[Landing, ...], Dice]:
    """Return where matches dropped over a point land, and the next dice (MB-6.6).

    Each takes one block of dice: x, y, bearing, and an unused number. Results are rounded to 0.001 mm and degrees.
    """
    landed = []
    for _ in range(count):
        (x, y, bearing, _), dice = dice.draw_block()
        landed.append(
            (
                hull.round_thousandths(aim[0] + to_normal(x, deviation=SCATTER_MM)),
                hull.round_thousandths(aim[1] + to_normal(y, deviation=SCATTER_MM)),
                hull.round_thousandths(360 * bearing) % 360,
            )
        )
    return tuple(landed), dice


def judge_drops(
    firer: Galley,
    target: Galley,
    galleys: Sequence[Galley],
    lying: Sequence[LaidMatch],
    *,
    sea: Sea,
    landed: Iterable[Landing],
) -> tuple[DroppedMatch, ...]:
    """Return the effect of each match: a hit with head or tail, a touch, or nothing (MB-6.6 to 6.9, MX-1.14)."""
    # Each hull with the square of the distance beyond which a match cannot touch it.
    hulls = [
        (galley.id, galley.kind.make_box(galley.pose), (galley.kind.reach_mm + _HULL_TOUCH_MM) ** 2)
        for galley in galleys
    ]
    target_hull = hull.hull_of(target)
    broadside = hull.is_abeam(firer, target)
    return tuple(_judge_drop(landing, target_hull, hulls, lying, sea, broadside=broadside) for landing in landed)


def _judge_drop(
    landing: Landing,
    target: Box,
    hulls: Sequence[tuple[str, Box, float]],
    lying: Sequence[LaidMatch],
    sea: Sea,
    *,
    broadside: bool,
) -> DroppedMatch:
    """Return the effect of one match. `hulls` are as in `_touched_galley`. `broadside` lets the tail hit, too."""
    x, y, bearing = landing
    is_off_table = not (0 <= x <= sea.width_mm and 0 <= y <= sea.height_mm)
    land = sea.shore
    if is_off_table or (land and land.distance_bound(x, y) <= 0 and land.contains(x, y)):
        return DroppedMatch(x_mm=x, y_mm=y, bearing_deg=bearing, on_table=False)
    angle, half = math.radians(bearing), MATCH_MM / 2
    ux, uy = math.sin(angle), math.cos(angle)
    head, tail = (x + half * ux, y + half * uy), (x - half * ux, y - half * uy)
    hit: Literal["", "head", "tail"] = ""
    if boxes.ray_meets_box(head, (ux, uy), target):
        hit = "head"
    elif broadside and boxes.ray_meets_box(tail, (-ux, -uy), target):
        hit = "tail"
    touches = _touched_galley(landing, (tail, head), hulls, lying)
    return DroppedMatch(x_mm=x, y_mm=y, bearing_deg=bearing, hit=hit, touches=touches)


def _touched_galley(
    landing: Landing, ends: tuple[Pair, Pair], hulls: Sequence[tuple[str, Box, float]], lying: Sequence[LaidMatch]
) -> str:
    """Return the galley whose hull or order match a dropped match touches (MB-6.7), or an empty string.

    Hulls come with the square of the distance beyond which a match cannot touch them.
    """
    x, y, _ = landing
    tail, head = ends
    for galley, box, max_squared in hulls:
        east, north = box.x - x, box.y - y
        if east * east + north * north <= max_squared and boxes.segment_meets_box(tail, head, box):
            return galley
    for match in lying:
        # Twice the distance between the middles of both matches.
        east, north = match.tail_x_mm + match.head_x_mm - 2 * x, match.tail_y_mm + match.head_y_mm - 2 * y
        is_near = east * east + north * north <= _MATCH_TOUCH_2_MM * _MATCH_TOUCH_2_MM
        if is_near and boxes.segments_meet(tail, head, *laying.match_ends(match)):
            return match.galley
    return ""

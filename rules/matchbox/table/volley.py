"""One volley of dropped matches (MB-6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from rules import geometry
from rules.dice import Dice, normal
from rules.geometry import Box, Pair
from rules.matchbox.table import hull, laying
from rules.matchbox.table.events import Drop
from rules.matchbox.table.state import MATCH_MM, Galley, LaidMatch

RANGE_MM: Final = 3 * MATCH_MM
"""MB-6.2."""
SCATTER_MM: Final = 20.0
"""MB-6.6: standard deviation of a drop, in x and in y."""
_NEAR_HULL_MM: Final = MATCH_MM + hull.REACH_MM + 1.0
"""A match does not touch a hull whose middle is farther from its tail, east or north."""
_NEAR_MATCH_MM: Final = 2 * MATCH_MM + 1.0
"""Matches whose tails are farther apart do not meet."""

Landing = tuple[float, float, float]
"""Where a match landed: its middle, x and y in mm, and the bearing of its head in degrees."""


def matches(masts: int, gap_mm: float) -> int:
    """How many matches are dropped over a gap between hulls (MB-6.3); 0 out of range (MB-6.2)."""
    gap = gap_mm - hull.NOISE_MM
    if gap <= MATCH_MM:
        return masts * 2
    if gap <= 2 * MATCH_MM:
        return masts
    return (masts + 1) // 2 if gap <= RANGE_MM else 0


def in_range(firer: Galley, galleys: Iterable[Galley]) -> tuple[tuple[Galley, float], ...]:
    """Enemies at which a galley may fire, and the gaps to them in mm, in galley order (MB-6.1, 6.2)."""
    near = RANGE_MM + 2 * hull.REACH_MM + 1.0
    here = hull.box(firer.pose)
    found = []
    for galley in galleys:
        there = hull.box(galley.pose)
        if galley.side == firer.side or abs(there.x - here.x) > near or abs(there.y - here.y) > near:
            continue
        gap = geometry.gap(here, there)
        if gap <= RANGE_MM + hull.NOISE_MM:
            found.append((galley, gap))
    return tuple(found)


def drop(dice: Dice, aim: tuple[float, float], count: int) -> tuple[tuple[Landing, ...], Dice]:
    """Drop matches over a point in mm: where they land, and the dice after them (MB-6.6).

    Each takes one block of the dice: x, y, bearing, and one number not used. Results are to 0.001 mm and degrees.
    """
    landed = []
    for _ in range(count):
        (x, y, bearing, _), dice = dice.block()
        landed.append(
            (
                round(aim[0] + normal(x, deviation=SCATTER_MM), 3),
                round(aim[1] + normal(y, deviation=SCATTER_MM), 3),
                round(360 * bearing, 3) % 360,
            )
        )
    return tuple(landed), dice


def judge(
    firer: Galley,
    target: Galley,
    galleys: Sequence[Galley],
    lying: Sequence[LaidMatch],
    *,
    table: tuple[float, float],
    landed: Iterable[Landing],
) -> tuple[Drop, ...]:
    """What each match does: hits with its head or tail, touches something, or lies off the table (MB-6.6 to 6.9)."""
    hulls = [(galley.id, hull.box(galley.pose)) for galley in galleys]
    aimed_at = hull.box(target.pose)
    broadside = hull.abeam(firer.pose, target.pose)
    return tuple(_judge(landing, aimed_at, hulls, lying, table, broadside=broadside) for landing in landed)


def _judge(
    landing: Landing,
    target: Box,
    hulls: Sequence[tuple[str, Box]],
    lying: Sequence[LaidMatch],
    table: tuple[float, float],
    *,
    broadside: bool,
) -> Drop:
    x, y, bearing = landing
    if not (0 <= x <= table[0] and 0 <= y <= table[1]):
        return Drop(x_mm=x, y_mm=y, bearing_deg=bearing, on_table=False)
    ux, uy = geometry.direction(bearing)
    half = MATCH_MM / 2
    head, tail = (x + half * ux, y + half * uy), (x - half * ux, y - half * uy)
    hit: Literal["", "head", "tail"] = (
        "head"
        if geometry.ray_meets_box(head, (ux, uy), target)
        else "tail"
        if broadside and geometry.ray_meets_box(tail, (-ux, -uy), target)
        else ""
    )
    touches = _touches(tail, head, hulls, lying)
    return Drop(x_mm=x, y_mm=y, bearing_deg=bearing, hit=hit, touches=touches)


def _touches(tail: Pair, head: Pair, hulls: Sequence[tuple[str, Box]], lying: Sequence[LaidMatch]) -> str:
    """The galley whose hull or order match a dropped match touches (MB-6.7)."""
    x, y = tail
    for galley, box in hulls:
        near = abs(box.x - x) <= _NEAR_HULL_MM and abs(box.y - y) <= _NEAR_HULL_MM
        if near and geometry.segment_meets_box(tail, head, box):
            return galley
    for match in lying:
        near = abs(match.tail_x_mm - x) <= _NEAR_MATCH_MM and abs(match.tail_y_mm - y) <= _NEAR_MATCH_MM
        if near and geometry.segments_meet(tail, head, *laying.ends(match)):
            return match.galley
    return ""

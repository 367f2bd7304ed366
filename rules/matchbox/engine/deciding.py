"""Captains' choices in the middle of a round: standing orders, and parsed decisions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rules.core.blows import PartCounts
from rules.core.errors import IllegalOrder, UnreadableOrder
from rules.matchbox.engine import hull
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, StandingOrders

EQUAL_GAP_MM: Final = 0.01  # smaller gaps count as equal
TargetOption = tuple[Galley, float]  # an enemy in range, and the gap to it in mm


def standing_target(standing: StandingOrders, options: Sequence[TargetOption]) -> TargetOption:
    """Return the target by standing orders. Ties go to the first in galley order."""
    named = [option for option in options if option[0].id == standing.target]
    if named:
        return named[0]
    if standing.target == "weakest":
        return min(options, key=_weakness_key)
    return min(options, key=lambda option: compared_gap_mm(option[1]))


def compared_gap_mm(gap_mm: float) -> float:
    """Return a gap for comparisons, with tiny gaps as 0."""
    gap = hull.round_thousandths(gap_mm)
    return gap if gap >= EQUAL_GAP_MM else 0.0


def _weakness_key(option: TargetOption) -> tuple[int, int, float]:
    galley, gap = option
    weaker = min(galley.port, galley.starboard)
    return weaker, galley.port + galley.starboard + galley.masts, compared_gap_mm(gap)


def parse_target(choice: str, options: Sequence[TargetOption], piece: str) -> TargetOption:
    """Return the galley to fire at. Raises `IllegalOrder` if it is not an enemy in range (MB-6.1, 6.2)."""
    for option in options:
        if option[0].id == choice:
            return option
    raise IllegalOrder(
        "no_such_target", "MB-6.2", piece=piece, given=choice, expected=", ".join(g.id for g, _ in options)
    )


def parse_aim(choice: str, sea: Sea, piece: str) -> tuple[float, float]:
    """Return a point on the table from `x,y` in mm, rounded to 0.001. Raises `OrderError` (MB-6.5)."""
    match = re.fullmatch(r"\s*(-?[0-9]{1,6}(?:\.[0-9]{1,9})?)\s*[,;]\s*(-?[0-9]{1,6}(?:\.[0-9]{1,9})?)\s*", choice)
    if not match:
        raise UnreadableOrder("bad_aim", piece=piece, given=choice)
    return require_on_table((round(float(match[1]), 3), round(float(match[2]), 3)), sea, piece)


def require_on_table(aim: tuple[float, float], sea: Sea, piece: str) -> tuple[float, float]:
    """Return the aim point. Raises `IllegalOrder` if it is off the table (MB-6.5)."""
    if not (0 <= aim[0] <= sea.width_mm and 0 <= aim[1] <= sea.height_mm):
        raise IllegalOrder("aim_off_table", "MB-6.5", piece=piece, width_mm=sea.width_mm, height_mm=sea.height_mm)
    return aim


def format_split(split: PartCounts) -> str:
    return f"{split[0]}-{split[1]}+{split[2]}"


def parse_split(choice: str, options: Sequence[PartCounts], piece: str) -> PartCounts:
    """Return the loss chosen among the legal ones. Raises `IllegalOrder` (MB-7.1)."""
    for split in options:
        if format_split(split) == choice:
            return split
    legal = ", ".join(map(format_split, options))
    raise IllegalOrder("no_such_loss", "MB-7.1", piece=piece, given=choice, expected=legal)


def parse_bench(choice: str, options: Sequence[tuple[int, int]], piece: str) -> tuple[int, int]:
    """Return the port and starboard oars chosen among the possible ones. Raises `IllegalOrder` (MB-7.3)."""
    for port, starboard in options:
        if f"{port}-{starboard}" == choice:
            return port, starboard
    legal = ", ".join(f"{port}-{starboard}" for port, starboard in options)
    raise IllegalOrder("no_such_benches", "MB-7.3", piece=piece, given=choice, expected=legal)


def parse_prize(choice: str, allowed: range, piece: str) -> int:
    """Return the masts of a prize crew, clamped to the allowed range (MX-6.3).

    Raises `UnreadableOrder` if the choice is no number.
    """
    if not re.fullmatch(r"-?[0-9]{1,9}", choice):
        raise UnreadableOrder("bad_prize", piece=piece, given=choice, least=allowed[0], most=allowed[-1])
    return min(max(int(choice), allowed[0]), allowed[-1])

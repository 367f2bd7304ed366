"""Where a galley must lie to attack others, for captains who look at hundreds of places at once."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Final, Literal

from msgspec import structs

from rules.hexes import Hex
from rules.squadrons.table.notation.orders import Speed
from rules.squadrons.table.phases.combat import grappling, raking, ramming
from rules.squadrons.table.phases.movement.reach import There
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Ship

Attack = Literal["ram", "rake", "grap", "X"]
Openings = dict[tuple[Hex, int], list[tuple[str, Attack]]]
"""By bow and facing of a galley, which ships she may attack, and how."""


@lru_cache(maxsize=16)
def of(targets: tuple[tuple[str, Place, int], ...], size: int, speed: Speed) -> Openings:
    """Return from where a galley of a size may attack ships (id, place, size), as far as it hangs on how they lie."""
    never = "X" if speed == "C" else "grap"  # SQ-14.11, SQ-16.3
    found: Openings = {}
    for name, (bow, facing), other in targets:
        for off, way, attack in _about(facing, other, size):
            if attack != never:
                found.setdefault((Hex(bow.q + off.q, bow.r + off.r), way), []).append((name, attack))
    return found


@lru_cache(maxsize=24)
def _about(facing: int, other: int, size: int) -> tuple[tuple[Hex, int, Attack], ...]:
    """Return the same about a ship of `other` hexes, her bow at the origin.

    Rules: SQ-13.2, SQ-14.1, SQ-14.2, SQ-14.11, SQ-16.1.
    """
    target = structs.replace(_SHIPS[other], facing=facing)
    around = {there for here in target.hexes for there in grid.neighbours(here)}
    bows = around | {grid.step(stern, way) for stern in around for way in range(6)}
    found: list[tuple[Hex, int, Attack]] = []
    for bow, way in sorted((bow, way) for bow in bows for way in range(6)):
        ship = structs.replace(_SHIPS[size], bow=bow, facing=way)
        possible: dict[Attack, object] = {
            "ram": ramming.points_at(ship, target),
            "rake": raking.side_of(target, grid.step(bow, way + 3), bow),
            "grap": grappling.touch(ship, target),
            "X": raking.in_line(ship, target),
        }
        found += [(bow, way, attack) for attack, can in possible.items() if can]
    return tuple(found)


_SHIPS: Final = {1: Ship(id="B1", code="L"), 2: Ship(id="B1", code="5")}
"""A galley of each size."""


def odds_hang_on(attack: Attack, there: There, codes: str) -> Hashable:
    """Return all of a way ahead by which the odds of an attack on a certain ship differ."""
    match attack:
        case "ram":
            return len(codes), there.turns  # SQ-13.5
        case "grap":
            return there.facing  # SQ-16.6
        case _:
            return None

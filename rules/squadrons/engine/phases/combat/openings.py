"""Places from which galleys can attack, precomputed for computer captains who examine hundreds of places."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Final, Literal

from msgspec import structs

from rules.geometry.hexes import Hex
from rules.squadrons.engine.notation.orders import Speed
from rules.squadrons.engine.phases.combat import grappling, raking, ramming
from rules.squadrons.engine.phases.movement.reach import ReachedPlace
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Ship

OpeningAttack = Literal["ram", "rake", "grap", "X"]
AttacksByPlace = dict[tuple[Hex, int], list[tuple[str, OpeningAttack]]]
"""For each bow and facing of a galley, the ships that she may attack and the kind of attack."""


@lru_cache(maxsize=16)
def find_openings(targets: tuple[tuple[str, HexPose, int], ...], size: int, speed: Speed) -> AttacksByPlace:
    """Return from where a galley of this size may attack targets (id, place, size), judged only by their places."""
    illegal_attack = "X" if speed == "C" else "grap"  # SQ-14.11, SQ-16.3
    attacks: AttacksByPlace = {}
    for name, (bow, facing), other in targets:
        for offset, way, attack in _openings_about(facing, other, size):
            if attack != illegal_attack:
                attacks.setdefault((Hex(bow.q + offset.q, bow.r + offset.r), way), []).append((name, attack))
    return attacks


@lru_cache(maxsize=24)
def _openings_about(facing: int, other: int, size: int) -> tuple[tuple[Hex, int, OpeningAttack], ...]:
    """Return the places and attacks against a ship of `other` hexes with her bow at the origin.

    Rules: SQ-13.2, SQ-14.1, SQ-14.2, SQ-14.11, SQ-16.1.
    """
    target = structs.replace(_SHIP_BY_SIZE[other], facing=facing)
    around = {there for here in target.hexes for there in grid.neighbours(here)}
    bows = around | {grid.next_hex(stern, way) for stern in around for way in range(6)}
    openings: list[tuple[Hex, int, OpeningAttack]] = []
    for bow, way in sorted((bow, way) for bow in bows for way in range(6)):
        ship = structs.replace(_SHIP_BY_SIZE[size], bow=bow, facing=way)
        possible: dict[OpeningAttack, object] = {
            "ram": ramming.is_pointing_at(ship, target),
            "rake": raking.passed_side(target, grid.next_hex(bow, way + 3), bow),
            "grap": grappling.share_flank_side(ship, target),
            "X": raking.is_in_line(ship, target),
        }
        openings += [(bow, way, attack) for attack, is_possible in possible.items() if is_possible]
    return tuple(openings)


_SHIP_BY_SIZE: Final = {1: Ship(id="B1", code="L"), 2: Ship(id="B1", code="5")}


def odds_key(attack: OpeningAttack, place: ReachedPlace, codes: str) -> Hashable:
    """Return a key of the odds of an attack on one ship. Paths with equal keys have equal odds."""
    match attack:
        case "ram":
            return len(codes), place.turns  # SQ-13.5
        case "grap":
            return place.facing  # SQ-16.6
        case _:
            return None

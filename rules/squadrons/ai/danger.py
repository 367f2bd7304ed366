"""What the enemy could do to a galley at a place: the rams that enemy galleys can reach."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import structs

from rules.geometry.hexes import Hex
from rules.squadrons.engine.odds import RollModifier, RollOdds
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import reach
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.engine.tables import ram_need

NEXT_TURN_WEIGHT: Final = 0.5
"""How much a ram counts that can come no sooner than in the next turn."""


class RamThreat(NamedTuple):
    """A ram that an enemy could make from a place."""

    ship: str
    attack: int
    """The enemy's Ram Attack."""
    bonus: int
    """The enemy's own modifiers: speed, towers."""
    crew: int
    weight: float
    """How much it counts."""


ThreatsByPlace = dict[tuple[Hex, int], list[RamThreat]]
"""By bow hex and facing."""


def find_threats(position: Position, side: str, *, speeds_set: bool) -> ThreatsByPlace:
    """From where the enemies of a side could ram; `speeds_set`: the speeds of this turn are known."""
    found: ThreatsByPlace = {}
    for ship in position.ships:
        if ship.is_afloat and ship.side != side:
            for place, beak in _ram_threats(position, ship, speeds_set=speeds_set):
                found.setdefault(place, []).append(beak)
    return found


def _ram_threats(position: Position, ship: Ship, *, speeds_set: bool) -> Iterable[tuple[tuple[Hex, int], RamThreat]]:
    later = ship.done or not speeds_set
    if later:
        ship = _ship_next_turn(position, ship)
    if not ship.ram_attack or ship.is_slowed:
        return ()
    weight = NEXT_TURN_WEIGHT if ship.done else 1.0
    best: dict[tuple[Hex, int], int] = {}
    for used, layer in enumerate(
        reach.layers_ahead(ship, reach.free_points(position, ship), reach.free_hexes(position, ship))
    ):
        for there in layer:
            bonus = max(0, used - ship.ship_class.cruise) if there.turns < reach.MAX_COUNTED_TURNS else 0
            key = (there.bow, there.facing)
            if bonus > best.get(key, -1):
                best[key] = bonus
    towers = int(ship.has_towers)
    return [
        (key, RamThreat(ship.id, ship.ram_attack, bonus - towers, ship.crew_quality, weight))
        for key, bonus in best.items()
    ]


def _ship_next_turn(position: Position, ship: Ship) -> Ship:
    """As she may be in the next speed phase: at Max, if her crew has recovered."""
    ship = structs.replace(ship, fatigue=max(0, ship.fatigue - 1))
    hard = turn_start.why_max_barred(position, ship) is None
    return structs.replace(ship, speed="M" if hard else "C")


@lru_cache(maxsize=1024)
def success_chance(need: int, drm: int) -> float:
    """How likely two dice, modified, come to what is needed; 0: no attempt is possible."""
    return RollOdds(need, 2, (RollModifier("speed", drm),)).chance


@lru_cache(maxsize=4096)
def ram_chance(attack: int, defence: int, drm: int) -> float:
    """How likely a ram succeeds."""
    return success_chance(ram_need(attack, defence), drm)


def ram_loss(found: ThreatsByPlace, ship: Ship, place: HexPose, *, helpless: bool, spared: str = "") -> float:
    """The chance that a galley is rammed at a place, each enemy trying its best ram; one of them may be left out.

    `helpless`: she will be tired, slow, or held there.
    """
    beaks = [beak for key in reach.ram_places_at(place, ship.ship_class.size) for beak in found.get(key, ())]
    if not beaks:
        return 0.0
    worst: dict[str, float] = {}
    drm, crew, defence = helpless - (ship.speed == "M" and not helpless), ship.crew_quality, ship.ship_class.rd
    for beak in beaks:
        bonus = beak.bonus + drm + (beak.crew > crew) - (beak.crew < crew)
        likely = beak.weight * ram_chance(beak.attack, defence, bonus)
        if likely > worst.get(beak.ship, 0.0):
            worst[beak.ship] = likely
    worst.pop(spared, None)
    avoids = 0.0 if helpless or ship.is_slowed or ship.is_crippled else crew / 6
    safe = 1.0
    for number, likely in enumerate(sorted(worst.values(), reverse=True)):
        safe *= 1 - likely * (1 - avoids if number == 0 else 1)
    return 1 - safe

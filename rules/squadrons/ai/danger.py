"""Danger to a galley at a place: the rams that enemy galleys can reach."""

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


class RamThreat(NamedTuple):
    ship: str
    attack: int
    bonus: int
    crew: int
    weight: float


ThreatsByPlace = dict[tuple[Hex, int], list[RamThreat]]


def find_threats(position: Position, side: str, *, speeds_set: bool) -> ThreatsByPlace:
    """Return the places from which enemies of a side could ram. `speeds_set`: this turn's speeds are final."""
    threats: ThreatsByPlace = {}
    for ship in position.ships:
        if ship.is_afloat and ship.side != side:
            for place, threat in _ram_threats(position, ship, speeds_set=speeds_set):
                threats.setdefault(place, []).append(threat)
    return threats


def _ram_threats(position: Position, ship: Ship, *, speeds_set: bool) -> Iterable[tuple[tuple[Hex, int], RamThreat]]:
    is_next_turn = ship.done or not speeds_set
    if is_next_turn:
        ship = _ship_next_turn(position, ship)
    if not ship.ram_attack or ship.is_slowed:
        return ()
    weight = NEXT_TURN_WEIGHT if ship.done else 1.0
    best: dict[tuple[Hex, int], int] = {}
    for used, layer in enumerate(
        reach.layers_ahead(ship, reach.free_points(position, ship), reach.free_hexes(position, ship))
    ):
        for reached in layer:
            bonus = max(0, used - ship.ship_class.cruise) if reached.turns < reach.MAX_COUNTED_TURNS else 0
            key = (reached.bow, reached.facing)
            if bonus > best.get(key, -1):
                best[key] = bonus
    towers = int(ship.has_towers)
    return [
        (key, RamThreat(ship.id, ship.ram_attack, bonus - towers, ship.crew_quality, weight))
        for key, bonus in best.items()
    ]


def _ship_next_turn(position: Position, ship: Ship) -> Ship:
    ship = structs.replace(ship, fatigue=max(0, ship.fatigue - 1))
    may_row_at_max = turn_start.why_max_barred(position, ship) is None
    return structs.replace(ship, speed="M" if may_row_at_max else "C")


@lru_cache(maxsize=1024)
def success_chance(need: int, drm: int) -> float:
    """Return the probability that two modified dice reach the need; 0 if no attempt is possible."""
    return RollOdds(need, 2, (RollModifier("speed", drm),)).chance


@lru_cache(maxsize=4096)
def ram_chance(attack: int, defence: int, drm: int) -> float:
    return success_chance(ram_need(attack, defence), drm)


def ram_loss(
    threats_by_place: ThreatsByPlace, ship: Ship, place: HexPose, *, helpless: bool, spared: str = ""
) -> float:
    """Return the probability that a galley is rammed at a place, with the best ram of each enemy.

    `helpless` galleys are tired, slow, or held there. The enemy `spared` is left out.
    """
    threats = [
        threat for key in reach.ram_places_at(place, ship.ship_class.size) for threat in threats_by_place.get(key, ())
    ]
    if not threats:
        return 0.0
    worst: dict[str, float] = {}
    drm, crew, defence = helpless - (ship.speed == "M" and not helpless), ship.crew_quality, ship.ship_class.rd
    for threat in threats:
        bonus = threat.bonus + drm + (threat.crew > crew) - (threat.crew < crew)
        chance = threat.weight * ram_chance(threat.attack, defence, bonus)
        if chance > worst.get(threat.ship, 0.0):
            worst[threat.ship] = chance
    worst.pop(spared, None)
    avoid_chance = 0.0 if helpless or ship.is_slowed or ship.is_crippled else crew / 6
    survival_chance = 1.0
    for number, chance in enumerate(sorted(worst.values(), reverse=True)):
        survival_chance *= 1 - chance * (1 - avoid_chance if number == 0 else 1)
    return 1 - survival_chance

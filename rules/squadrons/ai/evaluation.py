"""Value of a position between two turns for a side, in victory points: score, damage, danger, and expected attacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import structs

from rules.geometry.hexes import Hex, hex_distance
from rules.squadrons.engine.odds import RollModifier, RollOdds
from rules.squadrons.engine.phases.aftermath import victory
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import avoidance, reach
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.engine.tables import board_need, ram_need

NEXT_TURN_WEIGHT: Final = 0.5


class RamThreat(NamedTuple):
    ship: str  # id of the enemy that could ram
    attack: int  # her ram attack
    bonus: int  # added to her roll: movement points beyond cruise, less her towers
    crew: int  # her Crew
    weight: float  # part of the chance that counts: less if she rams only next turn


ThreatsByPlace = dict[tuple[Hex, int], list[RamThreat]]  # by the rammer's bow hex and facing


def find_threats(position: Position, side: str, *, speeds_set: bool) -> ThreatsByPlace:
    """Return the places from which enemies of a side could ram. `speeds_set`: this turn's speeds are final."""
    threats: ThreatsByPlace = {}
    for ship in position.ships:
        if ship.is_afloat and ship.side != side:
            for place, threat in _ram_threats(position, ship, speeds_set=speeds_set):
                threats.setdefault(place, []).append(threat)
    return threats


def _ram_threats(position: Position, ship: Ship, *, speeds_set: bool) -> Iterable[tuple[tuple[Hex, int], RamThreat]]:
    """Return the bow hexes and facings from which a ship could ram, each with her best ram from there."""
    is_next_turn = ship.done or not speeds_set
    if is_next_turn:
        ship = _ship_next_turn(position, ship)
    if not ship.ram_attack or ship.is_slowed:
        return ()
    weight = NEXT_TURN_WEIGHT if ship.done else 1.0
    best_bonuses: dict[tuple[Hex, int], int] = {}
    layers = reach.layers_ahead(ship, reach.free_points(position, ship), reach.free_hexes(position, ship))
    for points_used, layer in enumerate(layers):
        for reached in layer:
            # after too many turns her speed adds nothing
            bonus = max(0, points_used - ship.ship_class.cruise) if reached.turns < reach.MAX_COUNTED_TURNS else 0
            place = (reached.bow, reached.facing)
            if bonus > best_bonuses.get(place, -1):
                best_bonuses[place] = bonus
    towers = int(ship.has_towers)
    return [
        (place, RamThreat(ship.id, ship.ram_attack, bonus - towers, ship.crew_quality, weight))
        for place, bonus in best_bonuses.items()
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
    chance_by_enemy: dict[str, float] = {}
    crew = ship.crew_quality
    modifier = 0
    if helpless:
        modifier = 1
    elif ship.speed == "M":
        modifier = -1
    for threat in threats:
        crew_modifier = (threat.crew > crew) - (threat.crew < crew)
        drm = threat.bonus + modifier + crew_modifier
        chance = threat.weight * ram_chance(threat.attack, ship.ship_class.rd, drm)
        if chance > chance_by_enemy.get(threat.ship, 0.0):
            chance_by_enemy[threat.ship] = chance
    chance_by_enemy.pop(spared, None)
    avoid_chance = 0.0 if helpless or ship.is_slowed or ship.is_crippled else crew / 6
    survival_chance = 1.0
    # she can avoid only one attack: the most dangerous
    for number, chance in enumerate(sorted(chance_by_enemy.values(), reverse=True)):
        survival_chance *= 1 - chance * (1 - avoid_chance if number == 0 else 1)
    return 1 - survival_chance


WIN_WORTH_VP: Final = 15.0
_NEXT_RAM_WEIGHT: Final = 0.4  # weight of rams expected next turn, since others may act before
_FURTHER_RAM_WEIGHT: Final = 0.5  # weight of each further ram against one galley, relative to the one before
# fractions of a galley's value
CRIPPLED_SIDE_LOSS: Final = 0.22
_FATIGUE_LOSS: Final = 0.02
_HALF_SPEED_LOSS: Final = 0.08
_FOULED_LOSS: Final = 0.12
_NEXT_BOARDING_WEIGHT: Final = 0.5
_LEADER_RISK_VP: Final = 2.5
_MIN_AVOIDING_CREW: Final = 2
"""Lowest Crew that is expected to avoid.

It is lower than `orders.AVOIDING_CREW`, since strong captains order all galleys to avoid. A Crew of 1 would change
little.
"""
_NEAR_HEXES: Final = 6
_FAR_LOSS: Final = 0.04  # cost of each further hex, since a distant galley wins nothing


class RamTarget(NamedTuple):
    ship: Ship  # the enemy that may be rammed
    places: tuple[tuple[Hex, int], ...]  # bow hexes and facings from which she can be rammed
    places_after_avoiding: frozenset[tuple[Hex, int]]
    """Bow hexes and facings from which she can still be rammed after avoiding."""
    avoid_chance: float  # 0 to 1


@lru_cache(maxsize=256)
def ram_places(facing: int, points: int, cruise: int) -> dict[tuple[int, int, int], int]:
    """Return the bonus of a galley's speed to a ram at each place in reach: q and r from her bow, and the facing."""
    frontier = {(0, 0, facing, 0)}  # q, r, facing, and turns so far
    bonus_by_place: dict[tuple[int, int, int], int] = {(0, 0, facing): 0}
    for used in range(1, points + 1):
        reached = set()
        for q, r, new_facing, turns in frontier:
            for turn in (-1, 0, 1):
                to = (new_facing + turn) % 6
                bow = grid.next_hex(Hex(q, r), to)
                reached.add((bow.q, bow.r, to, min(reach.MAX_COUNTED_TURNS, turns + (turn != 0))))
        for q, r, new_facing, turns in reached:
            bonus = max(0, used - cruise) if turns < reach.MAX_COUNTED_TURNS else 0
            if bonus >= bonus_by_place.get((q, r, new_facing), -1):
                bonus_by_place[q, r, new_facing] = bonus
        frontier = reached
    return bonus_by_place


def position_value(position: Position, side: str, *, over: bool) -> float:
    """Return the value for a side in victory points; if the game is over, only the score and who has won count."""
    blue, red = victory.victory_points(position)
    value = float(blue - red if side == "B" else red - blue)
    if over and value:
        return value + (WIN_WORTH_VP if value > 0 else -WIN_WORTH_VP)
    if over:
        return value
    afloat = [ship for ship in position.ships if ship.is_afloat]
    fleets = {owner: [ship for ship in afloat if ship.side == owner] for owner in ("B", "R")}
    for owner, ships in fleets.items():
        sign = 1 if owner == side else -1
        value -= sign * sum(_ship_damage_vp(position, ship) for ship in ships)
        enemies = fleets["R" if owner == "B" else "B"]
        value += sign * _NEXT_RAM_WEIGHT * _expected_ram_gain(position, owner, ships, enemies)
        value -= sign * _distance_cost(position, ships, enemies)
    return value + _NEXT_BOARDING_WEIGHT * _boarding_value(position, side)


def has_scored(ship: Ship) -> bool:
    return bool(ship.rammed or ship.aground or ship.held)


def _ship_damage_vp(position: Position, ship: Ship) -> float:
    if has_scored(ship):
        return _LEADER_RISK_VP if ship.rammed and position.leader_aboard(ship.id) else 0.0
    lost_share = (
        CRIPPLED_SIDE_LOSS * (ship.crippled_port + ship.crippled_starboard)
        + _FATIGUE_LOSS * ship.fatigue
        + _HALF_SPEED_LOSS * ship.half_speed
    )
    if any(position.ship_by_id(name).rammed for name in position.linked_to(ship.id)):
        lost_share += _FOULED_LOSS
    return ship.ram_defence * lost_share


def _expected_ram_gain(position: Position, side: str, ships: Sequence[Ship], enemies: Sequence[Ship]) -> float:
    """Return what a side's rams of next turn promise, in victory points; each ship makes her best one.

    Further rams of a target count less.
    """
    targets = [_ram_target(position, ship) for ship in enemies if not has_scored(ship)]
    leaders = [
        (position.ship_by_id(leader.ship).bow, leader.rating.range)
        for leader in position.leaders
        if leader.side == side
    ]
    gains_by_target: dict[str, list[float]] = {}
    for ship in ships:
        if not ship.ship_class.ram[1] or ship.is_slowed or ship.held or not position.is_mobile(ship):
            continue
        best_gain, best_target = _best_ram(position, ship, targets)
        if best_target:
            is_led = any(hex_distance(ship.bow, bow) <= leader_range for bow, leader_range in leaders)
            control_chance = 1 if is_led else max(ship.crew_quality, 1) / 6
            gains_by_target.setdefault(best_target, []).append(best_gain * control_chance)
    total = 0.0
    for expected_gains in gains_by_target.values():
        for number, expected in enumerate(sorted(expected_gains, reverse=True)):
            total += expected * _FURTHER_RAM_WEIGHT**number
    return total


def _best_ram(position: Position, ship: Ship, targets: Iterable[RamTarget]) -> tuple[float, str]:
    """Return the highest expected gain of a ship's ram (victory points) and its target; 0.0, "" if none is possible."""
    may_row_at_max = turn_start.why_max_barred(position, ship) is None
    points = ship.max_speed if may_row_at_max else ship.ship_class.cruise
    bonus_by_place = ram_places(ship.facing, points, ship.ship_class.cruise)
    cruise_attack, max_attack = ship.ship_class.ram
    attack = max_attack if may_row_at_max else cruise_attack
    max_distance = points + 2  # beyond it no part of the target is in reach
    best = (0.0, "")
    for target in targets:
        if hex_distance(ship.bow, target.ship.bow) <= max_distance:
            gain = _best_ram_chance(ship, attack, target, bonus_by_place) * target.ship.ram_defence
            best = max(best, (gain, target.ship.id))
    return best


def _ram_target(position: Position, ship: Ship) -> RamTarget:
    places = reach.ram_places_of(ship)
    if (
        not avoidance.is_fit_to_avoid(position, ship)
        or ship.crew_quality < _MIN_AVOIDING_CREW
        or not position.is_free(ship.place.hex_ahead)
    ):
        return RamTarget(ship, places, frozenset(places), 0.0)
    places_after_avoiding = reach.ram_places_at(HexPose(ship.place.hex_ahead, ship.facing), ship.size)
    return RamTarget(ship, places, frozenset(places_after_avoiding), min(ship.crew_quality, 6) / 6)


def _best_ram_chance(
    ship: Ship, attack: int, ram_target: RamTarget, bonus_by_place: dict[tuple[int, int, int], int]
) -> float:
    """Return the chance of a ram from the best place in reach, allowing for the target's avoidance."""
    target = ram_target.ship
    drm = (
        (ship.crew_quality > target.crew_quality)
        - (ship.crew_quality < target.crew_quality)
        - ship.has_towers
        + (target.is_slowed or target.is_crippled)
    )
    best = 0.0
    for bow, facing in ram_target.places:
        bonus = bonus_by_place.get((bow.q - ship.bow.q, bow.r - ship.bow.r, facing))
        if bonus is None:
            continue
        chance = (1 - ram_target.avoid_chance) * ram_chance(attack, target.ram_defence, drm + bonus)
        if ram_target.avoid_chance and (bow, facing) in ram_target.places_after_avoiding:
            chance += ram_target.avoid_chance * ram_chance(attack, target.ram_defence, drm + bonus + 1)
        best = max(best, chance)
    return best


def _distance_cost(position: Position, ships: Sequence[Ship], enemies: Sequence[Ship]) -> float:
    """Return the cost of ships that could ram, but are far from the nearest enemy."""
    bows = [ship.bow for ship in enemies]
    if not bows:
        return 0.0
    fighters = [ship for ship in ships if position.is_mobile(ship) and not ship.held and ship.ship_class.ram[1]]
    distances = [min(hex_distance(ship.bow, bow) for bow in bows) for ship in fighters]
    return _FAR_LOSS * sum(max(0, distance - _NEAR_HEXES) for distance in distances)


def _boarding_value(position: Position, side: str) -> float:
    """Return the expected value of grappled pairs for a side: each ship boards the other when she can."""
    total = 0.0
    for a, b in position.grapples:
        first, second = position.ship_by_id(a), position.ship_by_id(b)
        if first.side == second.side:
            continue
        own, enemy = (first, second) if first.side == side else (second, first)
        total += _capture_chance(own, enemy) - _capture_chance(enemy, own)
    return total


def _capture_chance(by: Ship, target: Ship) -> float:
    need = board_need(by.manpower, target.manpower) if by.manpower else 0
    return RollOdds(need, 2).chance * (1.0 if has_scored(target) else target.ram_defence + 1.0)

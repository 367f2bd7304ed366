"""What a position between two turns is worth to a side, in victory points: won, hurt, who may strike next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rules.geometry.hexes import Hex, hex_distance
from rules.squadrons.ai import danger
from rules.squadrons.engine.odds import RollOdds
from rules.squadrons.engine.phases.aftermath import victory
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import avoidance, reach
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.engine.tables import board_need

WIN_WORTH_VP: Final = 15.0
"""Victory points that a battle won is worth beyond its score."""
_NEXT_RAM_WEIGHT: Final = 0.4
"""Weight of the rams expected next turn: others may act before."""
_FURTHER_RAM_WEIGHT: Final = 0.5
"""Weight of each further ram against the same galley, relative to the one before."""
CRIPPLED_SIDE_LOSS: Final = 0.22
"""Part of a galley's value that each crippled side costs her."""
_FATIGUE_LOSS: Final = 0.02
"""Part of a galley's value that each level of fatigue costs."""
_HALF_SPEED_LOSS: Final = 0.08
"""Part of a galley's value that half speed costs."""
_FOULED_LOSS: Final = 0.12
"""Part of a galley's value that it costs to be linked with one that may sink."""
_NEXT_BOARDING_WEIGHT: Final = 0.5
"""Weight of the boardings expected next turn."""
_LEADER_RISK_VP: Final = 2.5
"""Victory points for a leader on a rammed galley."""
_MIN_AVOIDING_CREW: Final = 2
"""The least Crew that is expected to avoid. Lower than `orders.AVOIDING_CREW`, as captains worth planning against order
all their galleys to avoid; of a Crew of 1 that would change little."""
_NEAR_HEXES: Final = 6
"""Hexes from the nearest enemy within which a galley is in the fight."""
_FAR_LOSS: Final = 0.04
"""Victory points for each hex farther than that: a galley that keeps away wins nothing."""


class RamTarget(NamedTuple):
    """A galley that may be rammed."""

    ship: Ship
    places: tuple[tuple[Hex, int], ...]
    """From where: bow hexes and facings."""
    places_after_avoiding: frozenset[tuple[Hex, int]]
    """From where still when she has avoided."""
    avoid_chance: float
    """How likely she does."""


@lru_cache(maxsize=256)
def ram_places(facing: int, points: int, cruise: int) -> dict[tuple[int, int, int], int]:
    """Where a galley can row, from her bow, and what her speed adds to a ram there."""
    edge = {(0, 0, facing, 0)}
    found: dict[tuple[int, int, int], int] = {(0, 0, facing): 0}
    for used in range(1, points + 1):
        after = set()
        for q, r, way, turns in edge:
            for turn in (-1, 0, 1):
                to = (way + turn) % 6
                bow = grid.next_hex(Hex(q, r), to)
                after.add((bow.q, bow.r, to, min(reach.MAX_COUNTED_TURNS, turns + (turn != 0))))
        for q, r, way, turns in after:
            bonus = max(0, used - cruise) if turns < reach.MAX_COUNTED_TURNS else 0
            if bonus >= found.get((q, r, way), -1):
                found[q, r, way] = bonus
        edge = after
    return found


def position_value(position: Position, side: str, *, over: bool) -> float:
    """What a position at the beginning of a turn is worth to a side."""
    blue, red = victory.victory_points(position)
    ahead = float(blue - red if side == "B" else red - blue)
    if over:
        return ahead + (WIN_WORTH_VP if ahead > 0 else -WIN_WORTH_VP if ahead < 0 else 0.0)
    afloat = [ship for ship in position.ships if ship.is_afloat]
    fleets = {one: [ship for ship in afloat if ship.side == one] for one in ("B", "R")}
    for one, ships in fleets.items():
        sign = 1 if one == side else -1
        ahead -= sign * sum(_ship_damage_vp(position, ship) for ship in ships)
        enemies = fleets["R" if one == "B" else "B"]
        ahead += sign * _NEXT_RAM_WEIGHT * _expected_ram_gain(position, one, ships, enemies)
        ahead -= sign * _distance_cost(position, ships, enemies)
    return ahead + _NEXT_BOARDING_WEIGHT * _boarding_value(position, side)


def has_scored(ship: Ship) -> bool:
    """Whether a galley has brought the enemy of her builder all that she can."""
    return bool(ship.rammed or ship.aground or ship.held)


def _ship_damage_vp(position: Position, ship: Ship) -> float:
    """What a galley has lost besides victory points."""
    if has_scored(ship):
        return _LEADER_RISK_VP if ship.rammed and position.leader_aboard(ship.id) else 0.0
    lost = (
        CRIPPLED_SIDE_LOSS * (ship.crippled_port + ship.crippled_starboard)
        + _FATIGUE_LOSS * ship.fatigue
        + _HALF_SPEED_LOSS * ship.half_speed
    )
    if any(position.ship_by_id(name).rammed for name in position.linked_to(ship.id)):
        lost += _FOULED_LOSS
    return ship.ram_defence * lost


def _expected_ram_gain(position: Position, side: str, ships: Sequence[Ship], enemies: Sequence[Ship]) -> float:
    """What rams may bring these galleys next turn: each by her best."""
    marks = [_ram_target(position, ship) for ship in enemies if not has_scored(ship)]
    leaders = [(position.ship_by_id(one.ship).bow, one.rating.range) for one in position.leaders if one.side == side]
    struck: dict[str, list[float]] = {}
    for ship in ships:
        if not ship.ship_class.ram[1] or ship.is_slowed or ship.held or not position.is_mobile(ship):
            continue
        hard = turn_start.why_max_barred(position, ship) is None
        table = ram_places(ship.facing, ship.max_speed if hard else ship.ship_class.cruise, ship.ship_class.cruise)
        attack = ship.ship_class.ram[hard]
        far = (ship.max_speed if hard else ship.ship_class.cruise) + 2
        best = (0.0, "")
        for mark in marks:
            if hex_distance(ship.bow, mark.ship.bow) <= far:
                hope = _best_ram_chance(ship, attack, mark, table) * mark.ship.ram_defence
                best = max(best, (hope, mark.ship.id))
        if best[1]:
            led = any(hex_distance(ship.bow, bow) <= far for bow, far in leaders)
            struck.setdefault(best[1], []).append(best[0] * (1 if led else max(ship.crew_quality, 1) / 6))
    hoped = 0.0
    for hopes in struck.values():
        for number, hope in enumerate(sorted(hopes, reverse=True)):
            hoped += hope * _FURTHER_RAM_WEIGHT**number
    return hoped


def _ram_target(position: Position, ship: Ship) -> RamTarget:
    places = reach.ram_places_of(ship)
    if (
        not avoidance.is_fit_to_avoid(position, ship)
        or ship.crew_quality < _MIN_AVOIDING_CREW
        or not position.is_free(ship.place.hex_ahead)
    ):
        return RamTarget(ship, places, frozenset(places), 0.0)
    slipped = reach.ram_places_at(HexPose(ship.place.hex_ahead, ship.facing), ship.size)
    return RamTarget(ship, places, frozenset(slipped), min(ship.crew_quality, 6) / 6)


def _best_ram_chance(ship: Ship, attack: int, mark: RamTarget, table: dict[tuple[int, int, int], int]) -> float:
    """How likely she rams a galley, from the best place."""
    target = mark.ship
    drm = (
        (ship.crew_quality > target.crew_quality)
        - (ship.crew_quality < target.crew_quality)
        - ship.has_towers
        + (target.is_slowed or target.is_crippled)
    )
    best = 0.0
    for bow, way in mark.places:
        bonus = table.get((bow.q - ship.bow.q, bow.r - ship.bow.r, way))
        if bonus is None:
            continue
        chance = (1 - mark.avoid_chance) * danger.ram_chance(attack, target.ram_defence, drm + bonus)
        if mark.avoid_chance and (bow, way) in mark.places_after_avoiding:
            chance += mark.avoid_chance * danger.ram_chance(attack, target.ram_defence, drm + bonus + 1)
        best = max(best, chance)
    return best


def _distance_cost(position: Position, ships: Sequence[Ship], enemies: Sequence[Ship]) -> float:
    """What is lost by galleys that are fit to fight and far from everybody."""
    bows = [ship.bow for ship in enemies]
    if not bows:
        return 0.0
    fit = [ship for ship in ships if position.is_mobile(ship) and not ship.held and ship.ship_class.ram[1]]
    return _FAR_LOSS * sum(max(0, min(hex_distance(ship.bow, bow) for bow in bows) - _NEAR_HEXES) for ship in fit)


def _boarding_value(position: Position, side: str) -> float:
    """What galleys that hang together promise to a side: each boards the other when she can."""
    hoped = 0.0
    for a, b in position.grapples:
        one, other = position.ship_by_id(a), position.ship_by_id(b)
        if one.side == other.side:
            continue
        own, foe = (one, other) if one.side == side else (other, one)
        hoped += _capture_chance(own, foe) - _capture_chance(foe, own)
    return hoped


def _capture_chance(by: Ship, target: Ship) -> float:
    need = board_need(by.manpower, target.manpower) if by.manpower else 0
    return RollOdds(need, 2).chance * (1.0 if has_scored(target) else target.ram_defence + 1.0)

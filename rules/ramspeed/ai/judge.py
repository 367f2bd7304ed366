"""Values of positions for a side in victory points: gains and damage so far, and what both sides may expect next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.ramspeed.ai import passage, reach, worth
from rules.ramspeed.ai.reach import TargetPair
from rules.ramspeed.engine.phases import melee, turn
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import TABLES

_VICTORY_VP: Final = 6.0  # value of winning, beyond the score
_NEXT_TURN_SHARE: Final = 0.5
"""The part of next turn's expected attacks that counts, as initiative and orders may prevent them."""
_FURTHER_ATTACK_SHARE: Final = 0.4
"""The part that each further attack on the same ship adds, compared with the previous one."""
_MELEE_SHARE: Final = 0.9  # the part of a melee's expected result that counts, as the melee may be broken up
_DEAD_SHARE: Final = 0.45  # part of a ship's value that is lost with all its oars
_BANK_SHARE: Final = 0.25  # part lost with one bank of oars
_FIRE_SHARE: Final = 0.2  # part lost with each fire marker
_CREW_SHARE: Final = 0.5  # part lost with the whole crew
_MAX_DAMAGE_SHARE: Final = 0.9  # the part of a ship's value beyond which damage short of a loss does not count
ENGAGED_INCHES: Final = 6.0  # a ship at most this far by sea from the nearest enemy is in the fight
_VP_PER_INCH_AWAY: Final = 0.03  # the cost of each further inch, since ships that keep away win nothing

QUIET_TURN_FACTOR: Final = 1.0  # the increase of that cost with each quiet turn, as five of them end the game (RS-20.2)


def position_values(positions: Sequence[Position], side: str) -> list[float]:
    """Return the value of each position for a side. All positions must have the same land."""
    values = [_current_balance(position, side) for position in positions]
    pairs = [list(_strike_pairs(position)) if position.phase != "over" else [] for position in positions]
    land = positions[0].land if positions else ()
    # one call for all positions, since numpy is fast only with many pairs at once
    all_pairs = [pair for position_pairs in pairs for pair in position_pairs]
    attack_values = iter(reach.best_attack_values(all_pairs, land).tolist())
    for number, (position, position_pairs) in enumerate(zip(positions, pairs, strict=True)):
        strikes = [(next(attack_values), pair) for pair in position_pairs]
        values[number] += _NEXT_TURN_SHARE * _expected_gain(position, side, strikes)
    return values


def _strike_pairs(position: Position) -> Iterator[TargetPair]:
    """Yield each pair of a ship that can row and an enemy that may be within its reach."""
    ships = [
        (ship, position.side_of_ship(ship), position.is_immobile(ship)) for ship in position.ships if ship.is_afloat
    ]
    for ship, side, immobile in ships:
        if immobile or not ship.crew or (ship.fire and not ship.fireship):
            continue
        max_inches = ship.forward_allowance + ship.ram_run_bonus + ship.ship_class.length
        for other, other_side, is_other_immobile in ships:
            if side != other_side and abs(ship.x - other.x) < max_inches and abs(ship.y - other.y) < max_inches:
                yield TargetPair(ship, other, is_other_immobile)


def _expected_gain(position: Position, side: str, strikes: Sequence[tuple[float, TargetPair]]) -> float:
    """Return what a side's attacks promise less what the enemies' do; each ship makes its best attack."""
    best_strikes: dict[str, tuple[float, TargetPair]] = {}
    for value, pair in strikes:
        best_value, _ = best_strikes.get(pair.ship.id, (0.0, pair))
        if value > best_value:
            best_strikes[pair.ship.id] = (value, pair)
    attacks_by_target: dict[str, list[tuple[float, Ship]]] = {}
    for value, pair in best_strikes.values():
        attacks_by_target.setdefault(pair.target.id, []).append((value, pair.ship))
    gain = 0.0
    for attacks in attacks_by_target.values():
        # the best attack on a target counts in full, each further one less
        attacks.sort(key=lambda attack: -attack[0])
        for number, (value, ship) in enumerate(attacks):
            sign = 1 if position.side_of_ship(ship) == side else -1
            gain += sign * value * _FURTHER_ATTACK_SHARE**number
    return gain


def _current_balance(position: Position, side: str) -> float:
    """Return a side's lead in victory points: score, damage, melees, and the cost of keeping away."""
    first, second = turn.side_scores(position)
    lead = float(first - second) if side == position.sides[0] else float(second - first)
    alive = turn.fighting_sides(position)
    if position.phase == "over":
        # the only side left wins, else the side that leads
        has_won = side == alive[0] if len(alive) == 1 else lead > 0
        is_draw = len(alive) != 1 and not lead
        if is_draw:
            return lead
        return lead + (_VICTORY_VP if has_won else -_VICTORY_VP)
    crewed_ships = [ship for ship in position.ships if ship.is_afloat and ship.crew]
    own_ships = [ship for ship in crewed_ships if position.side_of_ship(ship) == side]
    enemies = [ship for ship in crewed_ships if position.side_of_ship(ship) != side]
    lead += sum(map(_damage_vp, enemies)) - sum(map(_damage_vp, own_ships))
    lead += _MELEE_SHARE * sum(_melee_vp(position, names, side) for names in melee.find_clusters(position))
    if own_ships and enemies:
        distances = [passage.rowing_distance(position, ship, enemies) for ship in own_ships]
        urgency = 1 + QUIET_TURN_FACTOR * position.quiet
        lead -= urgency * _VP_PER_INCH_AWAY * sum(max(0.0, inches - ENGAGED_INCHES) for inches in distances)
    return lead


def _damage_vp(ship: Ship) -> float:
    lost_share = _DEAD_SHARE if ship.dead else _BANK_SHARE if ship.halved else 0.0
    lost_share += _FIRE_SHARE * ship.fire + _CREW_SHARE * (1 - ship.crew / ship.ship_class.crew_max)
    return ship.ship_class.value * min(_MAX_DAMAGE_SHARE, lost_share)


def _melee_vp(position: Position, names: Sequence[str], side: str) -> float:
    """Return a side's expected gain from a melee; stuck victims sink in any case (RS-12.5, RS-12.6)."""
    ships = [position.ship_by_id(name) for name in names]
    own = [ship for ship in ships if position.side_of_ship(ship) == side]
    foes = [ship for ship in ships if position.side_of_ship(ship) != side]
    bonuses = [melee.melee_bonus(position, ships, side_name) for side_name in position.sides]
    own_bonus, enemy_bonus = bonuses if side == position.sides[0] else bonuses[::-1]
    own_men, enemy_men = sum(ship.crew for ship in own), sum(ship.crew for ship in foes)
    odds = worth.odds_of_crews(own_men, enemy_men, own_bonus, enemy_bonus)
    victims = {link.b for link in position.links if link.kind == "stuck"}
    gain = 0.0
    for side_ships, sign, capture_chance in ((own, -1, odds.loss_chance), (foes, 1, odds.win_chance)):
        for ship in side_ships:
            share = 1.0 if ship.id in victims else TABLES.score.captured * capture_chance
            gain += sign * ship.ship_class.value * share
    return gain

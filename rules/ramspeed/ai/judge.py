"""Values of positions for a side in victory points: gains and damage so far, and what both sides may expect next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.ramspeed.ai import passage, reach, worth
from rules.ramspeed.ai.reach import TargetPair
from rules.ramspeed.engine.phases import melee, turn
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import TABLES

_VICTORY_VP: Final = 6.0
_NEXT_TURN_SHARE: Final = 0.5
"""The part of next turn's expected attacks that counts, as initiative and orders may prevent them."""
_FURTHER_ATTACK_SHARE: Final = 0.4
"""The part that each further attack on the same ship adds, compared with the previous one."""
_MELEE_SHARE: Final = 0.9  # the part of a melee's expected result that counts, as the melee may be broken up
_DEAD_SHARE: Final = 0.45
_BANK_SHARE: Final = 0.25
_FIRE_SHARE: Final = 0.2
_CREW_SHARE: Final = 0.5
"""Parts of a ship's value for the loss of all oars, for a bank, for each fire marker and for the whole crew."""
_MAX_DAMAGE_SHARE: Final = 0.9  # the part of a ship's value beyond which damage short of a loss does not count
ENGAGED_INCHES: Final = 6.0  # a ship at most this far by sea from the nearest enemy is in the fight
_VP_PER_INCH_AWAY: Final = 0.03  # the cost of each further inch, since ships that keep away win nothing

QUIET_TURN_FACTOR: Final = 1.0  # the increase of that cost with each quiet turn, as five of them end the game (RS-20.2)


def position_values(positions: Sequence[Position], side: str) -> list[float]:
    """Return the value of each position for a side. All positions must have the same land."""
    values = [_current_balance(position, side) for position in positions]
    pairs = [list(_strike_pairs(position)) if position.phase != "over" else [] for position in positions]
    land = positions[0].land if positions else ()
    hopes = iter(reach.best_attack_values([pair for position_pairs in pairs for pair in position_pairs], land).tolist())
    for number, (position, position_pairs) in enumerate(zip(positions, pairs, strict=True)):
        values[number] += _NEXT_TURN_SHARE * _expected_gain(
            position, side, [(next(hopes), pair) for pair in position_pairs]
        )
    return values


def _strike_pairs(position: Position) -> Iterator[TargetPair]:
    ships = [
        (ship, position.side_of_ship(ship), position.is_immobile(ship)) for ship in position.ships if ship.is_afloat
    ]
    for ship, side, immobile in ships:
        if immobile or not ship.crew or (ship.fire and not ship.fireship):
            continue
        most = ship.forward_allowance + ship.ram_run_bonus + ship.ship_class.length
        for other, enemy, held in ships:
            if side != enemy and abs(ship.x - other.x) < most and abs(ship.y - other.y) < most:
                yield TargetPair(ship, other, held)


def _expected_gain(position: Position, side: str, strikes: Sequence[tuple[float, TargetPair]]) -> float:
    """Return what a side's attacks promise less what the enemies' do; each ship makes its best attack."""
    best: dict[str, tuple[float, TargetPair]] = {}
    for hope, pair in strikes:
        if hope > best.get(pair.ship.id, (0.0, pair))[0]:
            best[pair.ship.id] = (hope, pair)
    struck: dict[str, list[tuple[float, Ship]]] = {}
    for hope, pair in best.values():
        struck.setdefault(pair.target.id, []).append((hope, pair.ship))
    hoped = 0.0
    for attacks in struck.values():
        attacks.sort(key=lambda attack: -attack[0])
        for number, (hope, ship) in enumerate(attacks):
            hoped += (1 if position.side_of_ship(ship) == side else -1) * hope * _FURTHER_ATTACK_SHARE**number
    return hoped


def _current_balance(position: Position, side: str) -> float:
    first, second = turn.side_scores(position)
    ahead = float(first - second) if side == position.sides[0] else float(second - first)
    alive = turn.fighting_sides(position)
    if position.phase == "over":
        won = side == alive[0] if len(alive) == 1 else ahead > 0
        is_draw = len(alive) != 1 and not ahead
        return ahead + (0.0 if is_draw else _VICTORY_VP if won else -_VICTORY_VP)
    fleets: dict[bool, list[Ship]] = {True: [], False: []}
    for ship in position.ships:
        if ship.is_afloat and ship.crew:
            fleets[position.side_of_ship(ship) == side].append(ship)
    ahead += sum(map(_broken_vp, fleets[False])) - sum(map(_broken_vp, fleets[True]))
    ahead += _MELEE_SHARE * sum(_melee_vp(position, names, side) for names in melee.find_clusters(position))
    if all(fleets.values()):
        away = [passage.rowing_distance(position, ship, fleets[False]) for ship in fleets[True]]
        press = 1 + QUIET_TURN_FACTOR * position.quiet
        ahead -= press * _VP_PER_INCH_AWAY * sum(max(0.0, inches - ENGAGED_INCHES) for inches in away)
    return ahead


def _broken_vp(ship: Ship) -> float:
    lost = _DEAD_SHARE if ship.dead else _BANK_SHARE if ship.halved else 0.0
    lost += _FIRE_SHARE * ship.fire + _CREW_SHARE * (1 - ship.crew / ship.ship_class.crew_max)
    return ship.ship_class.value * min(_MAX_DAMAGE_SHARE, lost)


def _melee_vp(position: Position, names: Sequence[str], side: str) -> float:
    """Return what a melee promises; stuck victims sink in any case (RS-12.5, RS-12.6)."""
    ships = [position.ship_by_id(name) for name in names]
    own = [ship for ship in ships if position.side_of_ship(ship) == side]
    foes = [ship for ship in ships if position.side_of_ship(ship) != side]
    bonuses = [melee.melee_bonus(position, ships, side_name) for side_name in position.sides]
    mine, theirs = bonuses if side == position.sides[0] else bonuses[::-1]
    odds = worth.odds_of_crews(sum(ship.crew for ship in own), sum(ship.crew for ship in foes), mine, theirs)
    victims = {link.b for link in position.links if link.kind == "stuck"}
    hoped = 0.0
    for ships_of, sign, taken in ((own, -1, odds.loss_chance), (foes, 1, odds.win_chance)):
        for ship in ships_of:
            hoped += sign * ship.ship_class.value * (1.0 if ship.id in victims else TABLES.score.captured * taken)
    return hoped

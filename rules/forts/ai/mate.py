"""The computer captain, who hunts, guards and besieges, and sees no more than the seat does.

The captain repeats the most valuable shot or move until none is worth more than a minimum. The value of a hex is that
of the shots from it, minus the enemy's likely answers, plus the progress towards a goal. Most ships chase the enemy
flagship, or a ship that threatens the own fort. The flagship sails for the enemy fort when few ships can stop it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec import structs

from rules.chance.dice import Dice
from rules.core.protocol import Request
from rules.forts.engine import fire, sailing, turn
from rules.forts.engine.state import (
    Action,
    ActionList,
    Answer,
    EndOrder,
    FlagshipChoice,
    MoveOrder,
    Placement,
    Position,
    Ship,
    ShootOrder,
    StoredPlan,
    Target,
)
from rules.forts.interface.make_view import position_of
from rules.forts.interface.view import HexView

_FLAGSHIP_HIT_WEIGHT: Final = 3.0  # the value of a hit on a flagship, in hits on another ship
_SINKING_BONUS: Final = 1.5  # added to the value of a hit that sinks
_OWN_HIT_WEIGHT: Final = 0.35  # the cost of an expected hit on an own ship, in hits on an enemy
_CLOSER_HEX_WORTH: Final = 0.2  # the value of each hex nearer to the goal
_SIEGE_WORTH: Final = 12.0
"""The value of ending a player-turn beside the enemy fort, times the chance to survive the next."""
_MIN_WORTH: Final = 0.1  # of an action; below it the player-turn ends
_TIE_WIDTH: Final = 0.05
"""The range of random bonuses that decide between nearly equal moves, so that the captain is not predictable."""
_FORT_THREAT_HEXES: Final = 6  # an enemy this near to a fort threatens it


def computer_answer(view: HexView, request: Request, seed: str) -> Answer:
    """Return the answer to a request, from what the seat sees. The seed (hex) decides random choices."""
    dice = Dice(seed)
    match request.kind:
        case "flagship":
            face, _ = dice.throw_die(6)
            return FlagshipChoice("GA" if face == 1 else "BB")
        case "berths":
            return _proposed_placement(view)
        case "plan":
            return StoredPlan()
    return ActionList((best_action(position_of(view), dice),))


def _proposed_placement(view: HexView) -> Placement:
    assert view.seat is not None  # noqa: S101 - somebody is asked
    own_colour = view.colours[view.seat]
    return Placement(tuple(ship.hex for ship in view.ships if ship.colour == own_colour))


def best_action(position: Position, dice: Dice | None = None) -> Action:
    """Return the best next action of the active captain; dice, if given, decide between nearly equal moves."""
    own_ships = position.ships_of(position.active_colour)
    best_worth = _MIN_WORTH
    best: Action = EndOrder()
    for ship in own_ships:
        present_worth = _hex_worth(position, ship, ship.hex)
        shot = _best_shot(position, ship)
        if shot and shot.worth > best_worth:
            best_worth, best = shot.worth, ShootOrder(ship.code, (Target(shot.target.code, 1),))
        if not ship.moved:
            for label in sailing.shortest_ways(position, ship):
                gain = _hex_worth(position, ship, label) - present_worth
                if dice:
                    chance, dice = dice.throw_die(100)
                    gain += _TIE_WIDTH * chance / 100
                if gain > best_worth:
                    best_worth, best = gain, MoveOrder(ship.code, label)
    return _shot_before(position, best) or best


class ShotOption(NamedTuple):
    worth: float  # in hits on an ordinary enemy ship
    target: Ship  # the enemy ship
    chance: float  # the chance of a hit


def shot_options(position: Position, ship: Ship) -> list[ShotOption]:
    """Return the shots that a ship can fire now, most valuable first."""
    ships_by_id = {target.id: target for target in position.ships}
    shots = []
    for line in fire.fire_lines(position, ship):
        if line.need:
            target, chance = ships_by_id[line.to], line.hit_faces / 6
            shots.append(ShotOption(_worth_of_hit(position, target) * chance, target, chance))
    return sorted(shots, key=lambda shot: -shot.worth)


def _shot_before(position: Position, action: Action) -> ShootOrder | None:
    """Return a shot that a ship should fire before this move, as no better one awaits her; None: it can move now."""
    if not isinstance(action, MoveOrder):
        return None
    ship = next(ship for ship in position.ships_of(position.active_colour) if ship.code == action.ship)
    moved = structs.replace(ship, hex=action.hex)
    now, later = _best_shot(position, ship), _best_shot(turn.with_ship(position, moved), moved)
    if now is None or (later and later.worth > now.worth):
        return None
    return ShootOrder(ship.code, (Target(now.target.code, 1),))


def _best_shot(position: Position, ship: Ship) -> ShotOption | None:
    return next(iter(shot_options(position, ship)), None)


def _worth_of_hit(position: Position, target: Ship) -> float:
    is_flagship = turn.flagship_of(position, target.colour) == target
    besieges = position.siege is not None and position.siege.by == target.colour and is_flagship
    worth = _FLAGSHIP_HIT_WEIGHT if is_flagship else 1.0
    if target.hits_left == 1:
        worth += _SINKING_BONUS
    return worth + _SIEGE_WORTH if besieges else worth


def _hex_worth(position: Position, ship: Ship, label: str) -> float:
    """Return the value of ending the player-turn in a hex, with all remaining shots fired from there."""
    position_after = turn.with_ship(position, structs.replace(ship, hex=label))
    moved_ship = next(other for other in position_after.ships if other.id == ship.id)
    shot = _best_shot(position_after, moved_ship)
    shots_worth = shot.worth * ship.shots if shot else 0.0
    is_flagship = turn.flagship_of(position, ship.colour) == ship
    danger = _expected_hits(position_after, moved_ship)
    ship_weight = _FLAGSHIP_HIT_WEIGHT if is_flagship else 1.0
    damage_weight = 2.0 if ship.hits_left <= 2 else 1.0  # a badly hit ship is more careful
    danger_cost = danger * ship_weight * _OWN_HIT_WEIGHT * damage_weight
    goal = _goal_hex(position, ship, is_flagship=is_flagship)
    distance_cost = _CLOSER_HEX_WORTH * fire.hex_distance(position.board, label, goal)
    siege_worth = _siege_worth(position_after, moved_ship, danger) if is_flagship else 0.0
    return shots_worth - danger_cost - distance_cost + siege_worth


def _siege_worth(position: Position, flagship: Ship, danger: float) -> float:
    fort = position.board.harbour_of(turn.fort_side_of(position, turn.other_colour(flagship.colour))).fort
    if fire.hex_distance(position.board, flagship.hex, fort) != 1:
        return 0.0
    return _SIEGE_WORTH * max(0.0, 1.0 - danger / flagship.hits_left)


def _expected_hits(position: Position, ship: Ship) -> float:
    """Return expected hits from enemies that can come within range in their next player-turn.

    Enemies that must sail first count less, as they may be becalmed or blocked.
    """
    expected = 0.0
    for enemy in position.ships:
        if enemy.colour != ship.colour:
            hexes_out_of_range = fire.hex_distance(position.board, enemy.hex, ship.hex) - enemy.ship_class.range
            if hexes_out_of_range <= 0:
                chance = 0.67  # of each shot to hit
            elif hexes_out_of_range <= enemy.ship_class.wind:
                chance = 0.4  # it must sail first
            else:
                chance = 0.0
            expected += chance * enemy.ship_class.shots
    return expected


def _goal_hex(position: Position, ship: Ship, *, is_flagship: bool) -> str:
    """Return the hex that a ship heads for: the flagship the enemy fort or home, the others their prey."""
    board, foe = position.board, turn.other_colour(ship.colour)
    own_fort = board.harbour_of(turn.fort_side_of(position, ship.colour)).fort
    enemy_flagship = turn.flagship_of(position, foe)
    enemies = [other for other in position.ships if other.colour == foe]
    if is_flagship:
        enemy_fort = board.harbour_of(turn.fort_side_of(position, foe)).fort
        return enemy_fort if _can_besiege(position, ship, enemy_fort, enemies) else own_fort
    threats = [enemy for enemy in enemies if fire.hex_distance(board, enemy.hex, own_fort) <= _FORT_THREAT_HEXES]
    if enemy_flagship and (enemy_flagship in threats or not threats):
        return enemy_flagship.hex
    nearest = min(
        threats or enemies, key=lambda enemy: (fire.hex_distance(board, enemy.hex, ship.hex), enemy.id), default=ship
    )
    return nearest.hex


def _can_besiege(position: Position, flagship: Ship, fort: str, enemies: list[Ship]) -> bool:
    guards = [enemy for enemy in enemies if fire.hex_distance(position.board, enemy.hex, fort) <= _FORT_THREAT_HEXES]
    expected_hits = 0.5 * sum(guard.ship_class.shots for guard in guards)  # half of their shots
    return expected_hits < flagship.hits_left - 1 or position.quiet > turn.MAX_QUIET_TURNS // 2

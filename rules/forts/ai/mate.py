"""The computer captain, who sees no more than their seat does: hunts, guards and besieges.

One thing at a time: of all shots and moves the one that promises most, until nothing is worth doing. A hex is
worth the shots from it, less the shots that the enemy can answer with, and the way that it gains: hunters sail for the
enemy flagship, or for a ship that threatens the own fort, and the flagship for the enemy fort when few can stop her.
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

_FLAGSHIP_HIT_WEIGHT: Final = 3.0
"""A hit on a flagship, in hits on another ship."""
_SINKING_BONUS: Final = 1.5
"""What a hit that sinks is worth besides."""
_OWN_HIT_WEIGHT: Final = 0.35
"""What an expected hit on an own ship costs, in hits on an enemy."""
_CLOSER_HEX_WORTH: Final = 0.2
"""What a hex nearer to where a ship wants to be is worth."""
_SIEGE_WORTH: Final = 12.0
"""What it is worth to end a player-turn beside the enemy fort, if she is likely to live through the next."""
_MIN_WORTH: Final = 0.1
_TIE_WIDTH: Final = 0.05
"""Moves whose worth differs by less than this are equal, so that the captain cannot be predicted."""
_FORT_THREAT_HEXES: Final = 6
"""An enemy this near to the own fort is a threat to it."""


def computer_answer(view: HexView, request: Request, seed: str) -> Answer:
    """The answer to a request, from what the seat sees. The seed (hex) is for chance choices."""
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
    """Ships as the view proposes: the seat's own stand in it."""
    assert view.seat is not None  # noqa: S101 - somebody is asked
    mine = view.colours[view.seat]
    return Placement(tuple(ship.hex for ship in view.ships if ship.colour == mine))


def best_action(position: Position, dice: Dice | None = None) -> Action:
    """Choose the next action of the active captain; dice, if there are any, decide between equals."""
    mine = position.ships_of(position.active_colour)
    found: tuple[float, Action] = (_MIN_WORTH, EndOrder())
    for ship in mine:
        here = _hex_worth(position, ship, ship.hex)
        if (shot := _best_shot(position, ship)) and shot.worth > found[0]:
            found = shot.worth, ShootOrder(ship.code, (Target(shot.target.code, 1),))
        if not ship.moved:
            for label in sailing.shortest_ways(position, ship):
                gain = _hex_worth(position, ship, label) - here
                if dice:
                    chance, dice = dice.throw_die(100)
                    gain += _TIE_WIDTH * chance / 100
                if gain > found[0]:
                    found = gain, MoveOrder(ship.code, label)
    return found[1]


class ShotOption(NamedTuple):
    """A shot that a ship has where she lies."""

    worth: float
    """In hits on an enemy that is no flagship."""
    target: Ship
    chance: float
    """That it hits."""


def shot_options(position: Position, ship: Ship) -> list[ShotOption]:
    """The enemies that a ship can shoot at where she lies, those first that a shot is worth most at."""
    by_id = {target.id: target for target in position.ships}
    found = []
    for line in fire.fire_lines(position, ship):
        if line.need:
            target, chance = by_id[line.to], (7 - line.need) / 6
            found.append(ShotOption(_worth_of_hit(position, target) * chance, target, chance))
    return sorted(found, key=lambda aim: -aim.worth)


def _best_shot(position: Position, ship: Ship) -> ShotOption | None:
    return next(iter(shot_options(position, ship)), None)


def _worth_of_hit(position: Position, target: Ship) -> float:
    leads = turn.flagship_of(position, target.colour) == target
    besieges = position.siege is not None and position.siege.by == target.colour and leads
    worth = (_FLAGSHIP_HIT_WEIGHT if leads else 1.0) + (_SINKING_BONUS if target.hits_left == 1 else 0.0)
    return worth + (_SIEGE_WORTH if besieges else 0.0)


def _hex_worth(position: Position, ship: Ship, label: str) -> float:
    """What it is worth for a ship to end the player-turn in a hex; shots not yet fired count as if fired from there."""
    there = turn.with_ship(position, structs.replace(ship, hex=label))
    after = next(other for other in there.ships if other.id == ship.id)
    shot = _best_shot(there, after)
    fire_from = shot.worth * ship.shots if shot else 0.0
    leads = turn.flagship_of(position, ship.colour) == ship
    danger = _expected_hits(there, after)
    fear = danger * (_FLAGSHIP_HIT_WEIGHT if leads else 1.0) * _OWN_HIT_WEIGHT * (2.0 if ship.hits_left <= 2 else 1.0)
    way = _CLOSER_HEX_WORTH * fire.hex_distance(position.board, label, _goal_hex(position, ship, leads=leads))
    return fire_from - fear - way + (_siege_worth(there, after, danger) if leads else 0.0)


def _siege_worth(there: Position, flagship: Ship, danger: float) -> float:
    """What the siege that a flagship opens from her hex is worth: more, the likelier she lives through it."""
    fort = there.board.harbour_of(turn.fort_side_of(there, turn.other_colour(flagship.colour))).fort
    if fire.hex_distance(there.board, flagship.hex, fort) != 1:
        return 0.0
    return _SIEGE_WORTH * max(0.0, 1.0 - danger / flagship.hits_left)


def _expected_hits(there: Position, ship: Ship) -> float:
    """Hits to be expected from the enemies that can come within range in their next player-turn.

    Those that need to sail first may lie in a calm, or find the line barred.
    """
    expected = 0.0
    for enemy in there.ships:
        if enemy.colour != ship.colour:
            away = fire.hex_distance(there.board, enemy.hex, ship.hex) - enemy.ship_class.range
            chance = 0.67 if away <= 0 else 0.4 if away <= enemy.ship_class.wind else 0.0
            expected += chance * enemy.ship_class.shots
    return expected


def _goal_hex(position: Position, ship: Ship, *, leads: bool) -> str:
    """Where a ship wants to be: the flagship at the enemy fort or at home, the others at their prey."""
    board, foe = position.board, turn.other_colour(ship.colour)
    home = board.harbour_of(turn.fort_side_of(position, ship.colour)).fort
    prey = turn.flagship_of(position, foe)
    enemies = [other for other in position.ships if other.colour == foe]
    if leads:
        fort = board.harbour_of(turn.fort_side_of(position, foe)).fort
        return fort if _can_besiege(position, ship, fort, enemies) else home
    threats = [enemy for enemy in enemies if fire.hex_distance(board, enemy.hex, home) <= _FORT_THREAT_HEXES]
    if prey and (prey in threats or not threats):
        return prey.hex
    nearest = min(
        threats or enemies, key=lambda enemy: (fire.hex_distance(board, enemy.hex, ship.hex), enemy.id), default=ship
    )
    return nearest.hex


def _can_besiege(position: Position, flagship: Ship, fort: str, enemies: list[Ship]) -> bool:
    """Whether few enough enemies guard their fort for a flagship to sail for it."""
    guards = [enemy for enemy in enemies if fire.hex_distance(position.board, enemy.hex, fort) <= _FORT_THREAT_HEXES]
    expected = 0.5 * sum(guard.ship_class.shots for guard in guards)
    return expected < flagship.hits_left - 1 or position.quiet > turn.MAX_QUIET_TURNS // 2

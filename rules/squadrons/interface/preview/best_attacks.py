"""Orders that send every galley at the nearest enemies, with her best attack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from rules.chance.dice import Dice, derive_seed
from rules.squadrons.engine.notation.orders import (
    CutOrder,
    MoveOrder,
    OrderLine,
    OrderStep,
    SailOrder,
    Speed,
    VolleyOrder,
    VolleyTarget,
)
from rules.squadrons.engine.phases.activation import rehearsal
from rules.squadrons.engine.phases.combat import missiles
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.drafts.answers import OrderSheet, SheetLine, SpeedChoice
from rules.squadrons.interface.preview import attack_plans, track_preview
from rules.squadrons.interface.preview.attack_plans import AttackPlan

_FAR_HEXES: Final = 9  # distance from the nearest enemy beyond which a galley rows as far as she can
_SAIL_HEXES: Final = 12  # distance from the nearest enemy within which sails are lowered
_MIN_CHANCE: Final = 0.3  # of an attack that is worth a try
_MAX_OUTNUMBERING: Final = 2.0  # boarders for each defender, beyond which a grapple is worth no more
_ATTACK_VALUE: Final = {"ram": 1.0, "X": 0.55, "rake": 0.55, "grap": 0.5}
"""Value of a successful attack as a fraction of the enemy's value."""


class PlannedActivation(NamedTuple):
    speed: Speed  # at which she rows
    line: OrderLine  # of one ship
    plan: AttackPlan | None = None  # the attack; None if she only approaches, or cannot move


def fleet_sheet(position: Position, ships: Sequence[str], seed: str, *, fixed: bool = False) -> OrderSheet:
    plans = list(plan_each(position, ships, seed, fixed=fixed))
    entries = tuple(SheetLine(plan.line.ship, plan.line) for plan in plans if plan.line.steps)
    return OrderSheet(speed_choices=speed_choices({plan.line.ship: plan.speed for plan in plans}), lines=entries)


def lower_sails(position: Position, line: OrderLine) -> OrderLine:
    """Return the line of a galley under sail that lowers her sails before she meets the enemy.

    She rows less far then. Lines with attacks, and those of tremiolas, which fight under sail, stay as they are.
    """
    ship = position.ship_by_id(line.ship)
    is_approach = all(isinstance(step, MoveOrder) for step in line.steps)
    if not ship.sails or ship.ship_class.tremiola or not is_approach or _enemy_distance(position, ship) > _SAIL_HEXES:
        return line
    steps: tuple[OrderStep, ...] = (SailOrder(up=False), *line.steps)
    rowing = position.with_ship(structs.replace(ship, speed="C", sails=False))
    points = moves.movement_allowance(rowing, rowing.ship_by_id(ship.id))
    while sum(moves.step_cost(position, ship, step) for step in steps) > points:
        steps = steps[:-1]
    return structs.replace(line, steps=steps)


def speed_choices(speeds: Mapping[str, Speed]) -> tuple[SpeedChoice, ...]:
    """Return a choice of the commoner speed for all, then one for each other ship; empty without ships."""
    max_count = sum(speed == "M" for speed in speeds.values())
    common: Speed = "M" if 2 * max_count > len(speeds) else "C"
    exceptions = (SpeedChoice(name, speed) for name, speed in speeds.items() if speed != common)
    return (SpeedChoice("all", common), *exceptions) if speeds else ()


def plan_each(
    position: Position,
    ships: Sequence[str],
    seed: str,
    *,
    fixed: bool = False,
    places: Mapping[str, int] | None = None,
    wary: bool = False,
) -> Iterator[PlannedActivation]:
    """Yield what each of these ships does, those with the best attacks first.

    `fixed` keeps their present speeds. `places` gives their order of activation. `wary` accepts only attacks that are
    possible both before and after the enemy acts.
    """
    own_ships = [position.ship_by_id(name) for name in ships if position.ship_by_id(name).is_afloat]
    dice = Dice(seed=derive_seed(seed, "whims"))
    tie_breaks: dict[str, int] = {}
    for ship in own_ships:
        tie_breaks[ship.id], dice = dice.throw_die(1000)
    positions: tuple[Position, ...] = (position,)
    if wary and own_ships:
        positions = (position, _expected_position(position, own_ships[0]))
    initial_plans = {ship.id: _plan_galley(positions, ship, fixed=fixed) for ship in own_ships}

    def rank(ship: Ship) -> tuple[float, ...]:
        place = (places or {}).get(ship.id, 0)
        worth = _attack_worth(position, initial_plans[ship.id].plan)
        return place, -worth, _enemy_distance(position, ship), tie_breaks[ship.id]

    for number, ship in enumerate(sorted(own_ships, key=rank)):
        # the first ship's plan still holds; the others plan again after those before them
        planned = initial_plans[ship.id] if number == 0 else _plan_galley(positions, ship, fixed=fixed)
        planned = planned._replace(line=lower_sails(position, planned.line))
        yield planned
        positions = tuple(_position_after(position_before, ship, planned) for position_before in positions)


def _expected_position(position: Position, ship: Ship) -> Position:
    """Return the position after all enemies of a ship that can still act have made their best attacks."""
    enemies = [enemy.id for enemy in position.ships if enemy.is_afloat and not enemy.done and enemy.side != ship.side]
    for planned in list(plan_each(position, enemies, "00")):
        position = _position_after(position, position.ship_by_id(planned.line.ship), planned)
    return position


def _plan_galley(positions: tuple[Position, ...], ship: Ship, *, fixed: bool) -> PlannedActivation:
    position = positions[0]
    if position.is_immobile(ship):
        return PlannedActivation("C", _stuck_line(position, ship))
    speeds: tuple[Speed, ...] = (ship.speed,) if fixed else turn_start.legal_speeds(position, ship)
    plans = [
        plan
        for possible_position in positions
        for speed in speeds
        for plan in attack_plans.best_attacks(possible_position, ship.id, speed)
    ]
    likely_plans = [plan for plan in plans if plan.odds.chance >= _MIN_CHANCE]
    for plan in sorted(likely_plans, key=lambda candidate: -_attack_worth(position, candidate)):
        line = plan.to_line
        is_certain = rehearsal.certain_part(positions, plan.speed, line) == line
        if is_certain:
            return PlannedActivation(plan.speed, line, plan)
    approach = _approach_activation(positions[-1], positions[-1].ship_by_id(ship.id), speeds)
    return approach._replace(line=rehearsal.certain_part(positions, approach.speed, approach.line))


def _approach_activation(position: Position, ship: Ship, speeds: Sequence[Speed]) -> PlannedActivation:
    enemies = attack_plans.enemies_by_distance(position, ship)
    if not enemies:
        return PlannedActivation("C", OrderLine(ship.id))
    is_far = _enemy_distance(position, ship) > _FAR_HEXES + ship.max_speed
    speed: Speed = speeds[-1] if is_far and ship.crew_quality > 2 else speeds[0]
    return PlannedActivation(speed, attack_plans.line_towards(position, ship, enemies[0], speed))


def _stuck_line(position: Position, ship: Ship) -> OrderLine:
    """Return the line of an immobile galley: cut loose from stronger ships, then shoot at the likeliest target."""
    stronger_ships = tuple(
        name
        for name in position.grappled_to(ship.id)
        if position.ship_by_id(name).manpower > ship.manpower and not ship.rammed
    )
    steps = (CutOrder(stronger_ships),) if stronger_ships else ()
    position_after = track_preview.walk_line(position, OrderLine(ship.id, steps)).position
    targets = [
        enemy.id
        for enemy in attack_plans.enemies_by_distance(position_after, ship)
        if not missiles.why_shot_barred(position_after, ship, enemy.id)
    ]
    chances = {target: missiles.shot_odds(position_after, ship.id, target, ship.manpower).chance for target in targets}
    likeliest = max(targets, key=chances.__getitem__, default="")
    if not likeliest or not chances[likeliest]:
        return OrderLine(ship.id, steps)
    return OrderLine(ship.id, (*steps, VolleyOrder((VolleyTarget(likeliest),))))


def _attack_worth(position: Position, plan: AttackPlan | None) -> float:
    """Return a number to compare attacks with, about the victory points to be expected; 0 without a plan."""
    if plan is None:
        return 0.0
    ship, target = position.ship_by_id(plan.ship), position.ship_by_id(plan.target)
    value = _ATTACK_VALUE[plan.attack] * plan.odds.chance * (target.ram_defence + 1)
    if plan.attack == "grap":  # a grapple is worth as much as the boarders outnumber the defenders
        value *= min(_MAX_OUTNUMBERING, ship.manpower / max(1, target.manpower)) * (0.6 if target.rammed else 1.0)
    if plan.attack == "ram" and target.rammed:
        value *= 0.1  # she is out of action already
    if target.is_crippled and plan.attack in ("rake", "X"):
        value *= 0.3  # a rake cripples
    return value - (0.2 if plan.speed == "M" else 0.0)  # Max tires the crew


def _enemy_distance(position: Position, ship: Ship) -> int:
    enemies = (enemy for enemy in position.ships if enemy.is_afloat and enemy.side != ship.side)
    return min((grid.hex_distance(ship.hexes, enemy.hexes) for enemy in enemies), default=0)


def _position_after(position: Position, ship: Ship, planned: PlannedActivation) -> Position:
    if any(isinstance(step, CutOrder) for step in planned.line.steps):
        return track_preview.walk_line(position, planned.line).position
    place = attack_plans.end_place(position, ship, planned.line)
    return position.with_ship(structs.replace(ship, bow=place.bow, facing=place.facing))

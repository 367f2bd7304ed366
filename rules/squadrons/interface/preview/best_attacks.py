"""Orders that send every galley at the nearest enemies, by the best attack that she has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from rules.chance.dice import Dice, derive_seed
from rules.squadrons.engine.notation.orders import CutOrder, OrderLine, Speed, VolleyOrder, VolleyTarget
from rules.squadrons.engine.phases.activation import rehearsal
from rules.squadrons.engine.phases.combat import missiles
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.drafts.answers import OrderSheet, SheetLine, SpeedChoice
from rules.squadrons.interface.preview import attack_plans, track_preview
from rules.squadrons.interface.preview.attack_plans import AttackPlan

_FAR_HEXES: Final = 9
"""Hexes from the nearest enemy beyond which a galley rows as far as she can."""
_MIN_CHANCE: Final = 0.3
"""The least chance with which an attack is worth what it exposes."""
_ATTACK_VALUE: Final = {"ram": 1.0, "X": 0.55, "rake": 0.55, "grap": 0.5}
"""What an attack that tells is worth, as a part of the enemy's value."""


class PlannedActivation(NamedTuple):
    """What a galley is to do."""

    speed: Speed
    line: OrderLine
    plan: AttackPlan | None = None


def fleet_sheet(position: Position, ships: Sequence[str], seed: str, *, fixed: bool = False) -> OrderSheet:
    """A sheet for these ships; `fixed`: at the speeds that they have."""
    doings = list(plan_each(position, ships, seed, fixed=fixed))
    entries = tuple(SheetLine(doing.line.ship, doing.line) for doing in doings if doing.line.steps)
    return OrderSheet(speed_choices=speed_choices({doing.line.ship: doing.speed for doing in doings}), lines=entries)


def speed_choices(speeds: Mapping[str, Speed]) -> tuple[SpeedChoice, ...]:
    """The speeds of ships as a sheet says them: the commoner one for all, then those of ships that have the other."""
    hard = sum(speed == "M" for speed in speeds.values())
    common: Speed = "M" if 2 * hard > len(speeds) else "C"
    rest = (SpeedChoice(name, speed) for name, speed in speeds.items() if speed != common)
    return (SpeedChoice("all", common), *rest) if speeds else ()


def plan_each(
    position: Position,
    ships: Sequence[str],
    seed: str,
    *,
    fixed: bool = False,
    places: Mapping[str, int] | None = None,
    wary: bool = False,
) -> Iterator[PlannedActivation]:
    """What each of these ships does: those that can do most act first.

    `fixed`: at their speeds; `places`: when each acts; `wary`: what can be done before the enemy acts and after.
    """
    mine = [position.ship_by_id(name) for name in ships if position.ship_by_id(name).is_afloat]
    ties, dice = {}, Dice(seed=derive_seed(seed, "whims"))
    for ship in mine:
        ties[ship.id], dice = dice.throw_die(1000)
    lies: tuple[Position, ...] = (position, _expected_position(position, mine[0])) if wary and mine else (position,)
    begun, found = lies, {ship.id: _plan_galley(lies, ship, fixed=fixed) for ship in mine}

    def rank(ship: Ship) -> tuple[float, ...]:
        when = (places or {}).get(ship.id, 0)
        return when, -_attack_worth(position, found[ship.id].plan), _enemy_distance(position, ship), ties[ship.id]

    for ship in sorted(mine, key=rank):
        doing = found[ship.id] if lies is begun else _plan_galley(lies, ship, fixed=fixed)
        yield doing
        lies = tuple(_position_after(one, ship, doing) for one in lies)


def _expected_position(position: Position, ship: Ship) -> Position:
    """Where the enemy will be who acts first, and does the likeliest."""
    enemies = [one.id for one in position.ships if one.is_afloat and not one.done and one.side != ship.side]
    for doing in [*plan_each(position, enemies, "00")]:
        position = _position_after(position, position.ship_by_id(doing.line.ship), doing)
    return position


def _plan_galley(lies: tuple[Position, ...], ship: Ship, *, fixed: bool) -> PlannedActivation:
    position = lies[0]
    if position.is_immobile(ship):
        return PlannedActivation("C", _stuck_line(position, ship))
    speeds: tuple[Speed, ...] = (ship.speed,) if fixed else turn_start.legal_speeds(position, ship)
    every = [plan for one in lies for speed in speeds for plan in attack_plans.best_attacks(one, ship.id, speed)]
    likely = [plan for plan in every if plan.odds.chance >= _MIN_CHANCE]
    wanted = sorted(likely, key=lambda plan: -_attack_worth(position, plan))
    best = next(
        (plan for plan in wanted if rehearsal.certain_part(lies, plan.speed, plan.to_line) == plan.to_line), None
    )
    if best is not None:
        return PlannedActivation(best.speed, best.to_line, best)
    there = _approach_activation(lies[-1], lies[-1].ship_by_id(ship.id), speeds)
    return there._replace(line=rehearsal.certain_part(lies, there.speed, there.line))


def _approach_activation(position: Position, ship: Ship, speeds: Sequence[Speed]) -> PlannedActivation:
    """Towards the nearest enemy; from afar at full speed, near by with something left in her crew."""
    enemies = attack_plans.enemies_by_distance(position, ship)
    if not enemies:
        return PlannedActivation("C", OrderLine(ship.id))
    far = _enemy_distance(position, ship) > _FAR_HEXES + ship.max_speed and ship.crew_quality > 2
    speed: Speed = speeds[-1 if far else 0]
    return PlannedActivation(speed, attack_plans.line_towards(position, ship, enemies[0], speed))


def _stuck_line(position: Position, ship: Ship) -> OrderLine:
    """A galley that cannot move cuts herself loose of stronger ones, and shoots where she may hit once she is loose."""
    stronger = tuple(
        name
        for name in position.grappled_to(ship.id)
        if position.ship_by_id(name).manpower > ship.manpower and not ship.rammed
    )
    steps = (CutOrder(stronger),) if stronger else ()
    loose = track_preview.walk_line(position, OrderLine(ship.id, steps)).position
    marks = [
        one.id
        for one in attack_plans.enemies_by_distance(loose, ship)
        if not missiles.why_shot_barred(loose, ship, one.id)
    ]
    chances = {mark: missiles.shot_odds(loose, ship.id, mark, ship.manpower).chance for mark in marks}
    mark = max(marks, key=chances.__getitem__, default="")
    return OrderLine(ship.id, (*steps, VolleyOrder((VolleyTarget(mark),))) if mark and chances[mark] else steps)


def _attack_worth(position: Position, plan: AttackPlan | None) -> float:
    """What is to be hoped from an attack, in victory points."""
    if plan is None:
        return 0.0
    ship, target = position.ship_by_id(plan.ship), position.ship_by_id(plan.target)
    hope = _ATTACK_VALUE[plan.attack] * plan.odds.chance * (target.ram_defence + 1)
    if plan.attack == "grap":  # hooks are worth what the boarders outnumber
        hope *= min(2.0, ship.manpower / max(1, target.manpower)) * (0.6 if target.rammed else 1.0)
    if plan.attack == "ram" and target.rammed:
        hope *= 0.1
    if target.is_crippled and plan.attack in ("rake", "X"):
        hope *= 0.3
    return hope - (0.2 if plan.speed == "M" else 0.0)


def _enemy_distance(position: Position, ship: Ship) -> int:
    enemies = (one for one in position.ships if one.is_afloat and one.side != ship.side)
    return min((grid.hex_distance(ship.hexes, one.hexes) for one in enemies), default=0)


def _position_after(position: Position, ship: Ship, doing: PlannedActivation) -> Position:
    """The position in which others act after her: she has rowed there, or cut herself loose."""
    if any(isinstance(step, CutOrder) for step in doing.line.steps):
        return track_preview.walk_line(position, doing.line).position
    place = attack_plans.end_place(position, ship, doing.line)
    return position.with_ship(structs.replace(ship, bow=place.bow, facing=place.facing))

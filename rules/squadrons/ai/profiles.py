"""What each galley of a side does under a captain's profile, which weighs gains against risks.

Galleys get their orders one after the other, those first that can win most; later ones find the others where
they will be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import structs

from rules.geometry.hexes import Hex, hex_distance
from rules.squadrons.ai.side_options import SINGLE_MOVES, GalleyOption, SideOptions
from rules.squadrons.engine.notation.orders import (
    AnastropheOrder,
    CutOrder,
    OrderLine,
    OrderStep,
    PassThroughOrder,
    VolleyOrder,
    VolleyTarget,
)
from rules.squadrons.engine.phases.combat import missiles
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, Ship, id_sort_key

_OUT_OF_RANGE_STEP: Final = 0.25
"""How much more each hex costs by which a galley is out of a leader's range."""


class CaptainProfile(NamedTuple):
    """How a captain weighs gains against risks."""

    risk_weight: float
    """Weight of a point that the captain's own galleys may lose."""
    advance_weight: float = 0.22
    """Victory points for each hex that a fit galley gets nearer to the enemy."""
    attack_weight: float = 1.0
    """Weight of a point that an attack may win."""
    fatigue_weight: float = 1.0
    """Weight of what rowing at Max costs a crew."""
    cohesion_weight: float = 0.8
    """Victory points lost by a galley outside every leader's range."""


class PlannedOption(NamedTuple):
    """What a galley does in this turn: the option that was chosen, and its line."""

    ship: str
    option: GalleyOption
    line: OrderLine


def decide_side(
    side_options: SideOptions, squadrons: Sequence[Sequence[str]], profile: CaptainProfile
) -> list[list[PlannedOption]]:
    """What the galleys of one side's squadrons do: those squadrons first that can win most, and so of their galleys."""
    first = _ProfileDecision(side_options, profile)
    found = first.decide_all(squadrons)
    if not profile.cohesion_weight:
        return found
    return _ProfileDecision(side_options, profile, first.leader_places()).decide_all(squadrons)


class _ProfileDecision:
    def __init__(
        self, side_options: SideOptions, profile: CaptainProfile, leaders: Sequence[tuple[Hex, int]] = ()
    ) -> None:
        self.side_options = side_options
        self.profile = profile
        self.taken = {here: ship.id for here, ship in side_options.position.ships_by_hex.items()}
        self.attacked: dict[str, float] = {}
        """How likely each enemy is already rammed or taken by those who act before."""
        self._leaders = leaders
        """Where leaders will be, and how far they command."""
        self._beyond: dict[Hex, int] = {}
        """How far each hex that was looked at lies out of every leader's range."""

    def leader_places(self) -> tuple[tuple[Hex, int], ...]:
        """Where leaders are to be as is decided."""
        position = self.side_options.position
        where = {name: here for here, name in self.taken.items()}
        mine = (one for one in position.leaders if one.side == self.side_options.side)
        return tuple((where[one.ship], one.rating.range) for one in mine if one.ship in where)

    def decide_all(self, squadrons: Sequence[Sequence[str]]) -> list[list[PlannedOption]]:
        position = self.side_options.position
        groups = [[name for name in names if position.ship_by_id(name).is_afloat] for names in squadrons]
        groups = [names for names in groups if names]
        hopes = {
            name: max((option.gain for option in self.side_options.options_of(name)), default=0.0)
            for names in groups
            for name in names
        }
        groups.sort(key=lambda names: -sum(hopes[name] for name in names))
        return [
            [
                self.decide_galley(name)
                for name in sorted(names, key=lambda one: (-hopes[one], self._enemy_distance(one), id_sort_key(one)))
            ]
            for names in groups
        ]

    def _enemy_distance(self, name: str) -> int:
        ship = self.side_options.position.ship_by_id(name)
        return min((grid.hex_distance(ship.hexes, one.hexes) for one in self.side_options.targets), default=0)

    def option_worth(self, option: GalleyOption) -> float:
        """What an option is worth, as others have decided."""
        profile = self.profile
        worth = (
            -profile.risk_weight * option.peril
            - profile.fatigue_weight * option.fatigue_cost
            - profile.advance_weight * option.enemy_distance
        )
        attack = option.attack
        if profile.cohesion_weight and self._leaders:
            out = self._hexes_out_of_range(option.place.bow)
            if out > 0:
                worth -= profile.cohesion_weight * (1 + _OUT_OF_RANGE_STEP * out)
        if attack is not None:
            worth += profile.attack_weight * option.gain * (1 - self.attacked.get(attack.target, 0.0))
        return worth

    def _hexes_out_of_range(self, bow: Hex) -> int:
        """How many hexes a bow is out of every leader's range."""
        if bow not in self._beyond:
            self._beyond[bow] = min(hex_distance(bow, here) - far for here, far in self._leaders)
        return self._beyond[bow]

    def decide_galley(self, name: str) -> PlannedOption:
        """What a galley does; from then on the others know of it."""
        side_options, ship = self.side_options, self.side_options.position.ship_by_id(name)
        options = sorted(side_options.options_of(name), key=lambda one: (-self.option_worth(one), len(one.move_codes)))
        option = next((one for one in options if self._is_way_open(ship, one)), None)
        if option is None:
            option = GalleyOption(ship.speed, "", ship.place, 0.0, 0.0, 0.0, 0.0)
        for here in ship.hexes:
            self.taken.pop(here, None)
        for here in option.place.covered_hexes(ship.size):
            self.taken[here] = name
        if option.attack is not None:
            before = self.attacked.get(option.attack.target, 0.0)
            self.attacked[option.attack.target] = before + (1 - before) * option.hit_chance
        steps = option.line_steps
        if not steps and side_options.position.is_immobile(ship):
            steps = _cut_steps(side_options.position, ship)
        return PlannedOption(name, option, OrderLine(name, steps))

    def _is_way_open(self, ship: Ship, option: GalleyOption) -> bool:
        """Whether nobody lies in the way."""
        taken = self.taken
        if isinstance(option.attack, PassThroughOrder | AnastropheOrder):
            return all(taken.get(here, ship.id) == ship.id for here in option.place.covered_hexes(ship.size))
        if option.move_codes in SINGLE_MOVES:
            return all(taken.get(here, ship.id) == ship.id for here in option.place.covered_hexes(ship.size))
        bow, facing = ship.place
        for code in option.move_codes:
            facing = (facing + moves.TURN_BY_CODE[code]) % 6
            bow = grid.next_hex(bow, facing)
            if taken.get(bow, ship.id) != ship.id:
                return False
        return True


def _cut_steps(position: Position, ship: Ship) -> tuple[OrderStep, ...]:
    """A galley that cannot move cuts herself loose of stronger ones."""
    stronger = tuple(
        name
        for name in position.grappled_to(ship.id)
        if not ship.rammed
        and (position.ship_by_id(name).side == ship.side or position.ship_by_id(name).manpower > ship.manpower)
    )
    return (CutOrder(stronger),) if stronger else ()


def replace_by_shots(position: Position, plans: Sequence[Sequence[PlannedOption]]) -> list[list[PlannedOption]]:
    """The same with a shot instead of an attack, where one is to be had that hurts no less than its answer."""
    for plan in (plan for plans_ in plans for plan in plans_):
        ship = position.ship_by_id(plan.ship)
        place = plan.option.place
        there = structs.replace(ship, bow=place.bow, facing=place.facing, speed=plan.option.speed)
        position = position.with_ship(there)
    return [[_replace_by_shot(position, plan) for plan in group] for group in plans]


def _replace_by_shot(lying: Position, plan: PlannedOption) -> PlannedOption:
    if plan.option.attack:
        return plan
    there = lying.ship_by_id(plan.ship)
    best: tuple[float, str] | None = None
    for target in lying.ships:
        if not target.is_afloat or target.side == there.side or missiles.why_shot_barred(lying, there, target.id):
            continue
        mine = missiles.shot_odds(lying, there.id, target.id, there.manpower).chance
        answered = missiles.why_shot_barred(lying, target, there.id) is None
        theirs = missiles.shot_odds(lying, target.id, there.id, target.manpower).chance if answered else 0.0
        if mine > 0 and mine >= theirs and (best is None or mine > best[0]):
            best = (mine, target.id)
    if best is None:
        return plan
    return plan._replace(line=OrderLine(plan.ship, (*plan.line.steps, VolleyOrder((VolleyTarget(best[1]),)))))

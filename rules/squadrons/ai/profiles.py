"""Decisions for each galley of a side under a captain's profile, which weighs gains against risks.

Galleys decide one after the other, beginning with those that can win most. Later ones know where the earlier ones
will be.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

from msgspec import structs

from rules.geometry.hexes import Hex, hex_distance
from rules.squadrons.ai.side_options import SINGLE_MOVES, GalleyOption, SideOptions
from rules.squadrons.engine.notation import orders
from rules.squadrons.engine.phases.combat import missiles
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, Ship, id_sort_key

_OUT_OF_RANGE_STEP: Final = 0.25  # added to the factor of `cohesion_weight` for each hex out of range


class CaptainProfile(NamedTuple):
    risk_weight: float  # factor of the expected loss
    advance_weight: float = 0.22  # victory points for each hex that a fit galley gets closer to the enemy
    attack_weight: float = 1.0  # factor of the expected gain of attacks
    fatigue_weight: float = 1.0  # factor of the cost of getting tired
    cohesion_weight: float = 0.8  # victory points that a galley outside every leader's range costs


class PlannedOption(NamedTuple):
    ship: str  # id
    option: GalleyOption
    line: orders.OrderLine  # the option as an order, perhaps with a shot


def decide_side(
    side_options: SideOptions, squadrons: Sequence[Sequence[str]], profile: CaptainProfile
) -> list[list[PlannedOption]]:
    """Return the decisions for a side, squadrons and galleys that can win most first.

    If the profile values cohesion, a second pass uses the places that leaders have after the first one.
    """
    first = _ProfileDecision(side_options, profile)
    plans = first.decide_all(squadrons)
    if not profile.cohesion_weight:
        return plans
    return _ProfileDecision(side_options, profile, first.leader_places()).decide_all(squadrons)


class _ProfileDecision:
    def __init__(
        self, side_options: SideOptions, profile: CaptainProfile, leaders: Sequence[tuple[Hex, int]] = ()
    ) -> None:
        self.side_options = side_options
        self.profile = profile
        self.ship_by_hex = {here: ship.id for here, ship in side_options.position.ships_by_hex.items()}
        self.attacked: dict[str, float] = {}
        """Probability that each enemy is already rammed or captured by galleys that act before."""
        self._leaders = leaders  # bow hex and range of each
        self._hexes_out_by_bow: dict[Hex, int] = {}  # cache of `_hexes_out_of_range`

    def leader_places(self) -> tuple[tuple[Hex, int], ...]:
        position = self.side_options.position
        hex_by_ship = {name: here for here, name in self.ship_by_hex.items()}
        own_leaders = (leader for leader in position.leaders if leader.side == self.side_options.side)
        return tuple(
            (hex_by_ship[leader.ship], leader.rating.range) for leader in own_leaders if leader.ship in hex_by_ship
        )

    def decide_all(self, squadrons: Sequence[Sequence[str]]) -> list[list[PlannedOption]]:
        """Decide for all galleys in turn. Each keeps clear of the places that earlier ones have chosen."""
        position = self.side_options.position
        groups = [[name for name in names if position.ship_by_id(name).is_afloat] for names in squadrons]
        groups = [names for names in groups if names]
        gains = {
            name: max((option.gain for option in self.side_options.options_of(name)), default=0.0)
            for names in groups
            for name in names
        }
        groups.sort(key=lambda names: -sum(gains[name] for name in names))

        def decision_order(name: str) -> tuple[float, int, tuple[str, int]]:
            return -gains[name], self._enemy_distance(name), id_sort_key(name)

        return [[self.decide_galley(name) for name in sorted(names, key=decision_order)] for names in groups]

    def _enemy_distance(self, name: str) -> int:
        ship = self.side_options.position.ship_by_id(name)
        return min((grid.hex_distance(ship.hexes, target.hexes) for target in self.side_options.targets), default=0)

    def option_worth(self, option: GalleyOption) -> float:
        """Return the worth of an option to this captain (victory points). A target of earlier galleys counts less."""
        profile = self.profile
        worth = (
            -profile.risk_weight * option.peril
            - profile.fatigue_weight * option.fatigue_cost
            - profile.advance_weight * option.enemy_distance
        )
        attack = option.attack
        if profile.cohesion_weight and self._leaders:
            hexes_out = self._hexes_out_of_range(option.place.bow)
            if hexes_out > 0:
                worth -= profile.cohesion_weight * (1 + _OUT_OF_RANGE_STEP * hexes_out)
        if attack is not None:
            worth += profile.attack_weight * option.gain * (1 - self.attacked.get(attack.target, 0.0))
        return worth

    def _hexes_out_of_range(self, bow: Hex) -> int:
        if bow not in self._hexes_out_by_bow:
            self._hexes_out_by_bow[bow] = min(hex_distance(bow, here) - reach for here, reach in self._leaders)
        return self._hexes_out_by_bow[bow]

    def decide_galley(self, name: str) -> PlannedOption:
        """Return what a galley does, and record her new place and her attack for the galleys that decide later."""
        side_options = self.side_options
        ship = side_options.position.ship_by_id(name)
        options = sorted(
            side_options.options_of(name),
            key=lambda candidate: (-self.option_worth(candidate), len(candidate.move_codes)),
        )
        option = next((candidate for candidate in options if self._is_way_open(ship, candidate)), None)
        if option is None:
            option = GalleyOption(ship.speed, "", ship.place, 0.0, 0.0, 0.0, 0.0)  # she stays
        for here in ship.hexes:
            self.ship_by_hex.pop(here, None)
        for here in option.place.covered_hexes(ship.size):
            self.ship_by_hex[here] = name
        if option.attack is not None:
            chance_before = self.attacked.get(option.attack.target, 0.0)
            self.attacked[option.attack.target] = chance_before + (1 - chance_before) * option.hit_chance
        steps = option.line_steps
        if not steps and side_options.position.is_immobile(ship):
            steps = _cut_loose_steps(side_options.position, ship)
        return PlannedOption(name, option, orders.OrderLine(name, steps))

    def _is_way_open(self, ship: Ship, option: GalleyOption) -> bool:
        """Return whether no other ship, at the place decided for it, is in the way of an option."""
        ship_by_hex = self.ship_by_hex
        is_jump = isinstance(option.attack, orders.PassThroughOrder | orders.AnastropheOrder)
        if is_jump or option.move_codes in SINGLE_MOVES:
            return all(ship_by_hex.get(here, ship.id) == ship.id for here in option.place.covered_hexes(ship.size))
        bow, facing = ship.place
        for code in option.move_codes:
            facing = (facing + moves.TURN_OF_MOVE_AHEAD[code]) % 6
            bow = grid.next_hex(bow, facing)
            if ship_by_hex.get(bow, ship.id) != ship.id:
                return False
        return True


def _cut_loose_steps(position: Position, ship: Ship) -> tuple[orders.OrderStep, ...]:
    """Return an order to cut loose from grappled ships of her own side and from stronger enemies, or no step."""
    ships_to_cut = tuple(
        name
        for name in position.grappled_to(ship.id)
        if not ship.rammed
        and (position.ship_by_id(name).side == ship.side or position.ship_by_id(name).manpower > ship.manpower)
    )
    return (orders.CutOrder(ships_to_cut),) if ships_to_cut else ()


def add_shots(position: Position, plans: Sequence[Sequence[PlannedOption]]) -> list[list[PlannedOption]]:
    """Return the plans with a shot added where no attack is planned and the return fire is no likelier to hit."""
    for plan in chain.from_iterable(plans):  # with all these ships where they end their moves
        ship = position.ship_by_id(plan.ship)
        place = plan.option.place
        moved = structs.replace(ship, bow=place.bow, facing=place.facing, speed=plan.option.speed)
        position = position.with_ship(moved)
    return [[_add_shot(position, plan) for plan in group] for group in plans]


def _add_shot(position: Position, plan: PlannedOption) -> PlannedOption:
    """Return the plan with a shot at the likeliest target, unless she attacks or a better shot would come back."""
    if plan.option.attack:
        return plan
    shooter = position.ship_by_id(plan.ship)
    best: tuple[float, str] | None = None  # chance to hit, and target
    for target in position.ships:
        if (
            not target.is_afloat
            or target.side == shooter.side
            or missiles.why_shot_barred(position, shooter, target.id)
        ):
            continue
        hit_chance = missiles.shot_odds(position, shooter.id, target.id, shooter.manpower).chance
        return_chance = 0.0
        if missiles.why_shot_barred(position, target, shooter.id) is None:
            return_chance = missiles.shot_odds(position, target.id, shooter.id, target.manpower).chance
        if hit_chance > 0 and hit_chance >= return_chance and (best is None or hit_chance > best[0]):
            best = (hit_chance, target.id)
    if best is None:
        return plan
    volley = orders.VolleyOrder((orders.VolleyTarget(best[1]),))
    return plan._replace(line=orders.OrderLine(plan.ship, (*plan.line.steps, volley)))

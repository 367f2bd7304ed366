"""The admiral: a computer captain that simulates the turn before ordering it, against two kinds of enemies.

It makes orders under several profiles, from reckless to cautious. The rules carry out each of them with equal dice and
either side first, and the best is kept. Then it tries variants of one squadron each: the orders of another profile,
another squadron first, and Double Activation (SQ-05.11). `rules.ai.search` limits the number of simulated turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from msgspec import structs

from rules.ai.search import DiceSamples, SampleDice, Search
from rules.ai.thinking import is_enough
from rules.squadrons.ai import evaluation, profiles, side_options, simulation
from rules.squadrons.ai.profiles import CaptainProfile, PlannedOption
from rules.squadrons.ai.side_options import SideOptions
from rules.squadrons.ai.simulation import TurnResult, TurnStart
from rules.squadrons.engine.events import FleetEvent
from rules.squadrons.engine.notation import orders
from rules.squadrons.engine.phases.activation import activation
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea.state import Position, Squadron, other_side

RECKLESS_PROFILE: Final = CaptainProfile(risk_weight=0.0, fatigue_weight=0.3, cohesion_weight=0.0)
"""Ignores every risk: attacks at once if possible, else rows straight at the enemy."""
OWN_PROFILES: Final = (
    CaptainProfile(risk_weight=0.25),
    RECKLESS_PROFILE,
    CaptainProfile(risk_weight=0.5),
    CaptainProfile(risk_weight=0.9, cohesion_weight=1.5),
    CaptainProfile(risk_weight=0.15, cohesion_weight=2.0, fatigue_weight=0.5),
    CaptainProfile(risk_weight=1.5, advance_weight=0.12, attack_weight=0.7),
)
ENEMY_PROFILES: Final = (CaptainProfile(risk_weight=0.1, cohesion_weight=0.0), CaptainProfile(risk_weight=0.5))
TURN_BUDGET: Final = 2400  # maximum of simulated turns for an answer, multiplied by the ships afloat; about one second
MAX_TURNS: Final = 90  # of simulated turns for an answer, however few ships are afloat
CROWDED_SHIPS: Final = 44  # with more ships afloat only `_CROWDED_PROFILES` profiles are tried
_CROWDED_PROFILES: Final = 3
SAMPLE_COUNT: Final = 8  # number of dice samples: two for each expected enemy with either side first
_MIN_GAIN_VP: Final = 0.3
_SHELTER_WORTH_VP: Final = 0.5
"""Victory points that a hint gives up for each enemy fewer next to the captain's admirals."""

SquadronPlans = tuple[tuple[PlannedOption, ...], ...]  # a squadron each, with a plan for each of its galleys


class SideOrders(NamedTuple):
    groups: SquadronPlans  # the plans of each squadron, in the order of activation
    double: str = ""  # Command Ship of the squadron for Double Activation (SQ-05.11); empty: none


def to_turnsheet(side_orders: SideOrders, flagship_by_ship: Mapping[str, str]) -> orders.TurnSheet:
    groups = side_orders.groups
    return orders.TurnSheet(
        speeds={plan.ship: plan.option.speed for group in groups for plan in group},
        sequence=tuple(flagship_by_ship[group[0].ship] for group in groups),
        double=side_orders.double,
        orders=orders.SquadronOrders(tuple(plan.line for group in groups for plan in group)),
    )


def plan_side(side_options: SideOptions, squadrons: Sequence[Squadron], profile: CaptainProfile) -> SquadronPlans:
    plans = profiles.decide_side(side_options, [squadron.ships for squadron in squadrons], profile)
    return tuple(tuple(group) for group in profiles.add_shots(side_options.position, plans))


def _flagship_by_ship(squadrons: Iterable[Squadron]) -> dict[str, str]:
    return {name: squadron.flagship for squadron in squadrons for name in squadron.ships}


def trial_budget(afloat: int) -> tuple[Sequence[CaptainProfile], int]:
    """Return the profiles to try and the number of turns to simulate, for this number of ships afloat."""
    own_profiles = OWN_PROFILES if afloat <= CROWDED_SHIPS else OWN_PROFILES[:_CROWDED_PROFILES]
    max_turns = TURN_BUDGET // max(1, afloat)
    return own_profiles, max_turns


class SideSearch:
    def __init__(
        self,
        start: TurnStart,
        side: orders.FleetSide,
        seed: str,
        doctrines: orders.Doctrines,
        *,
        first: orders.FleetSide | None = None,
        work: int = MAX_TURNS,
        rounds: int = 1,
        sheltered: bool = False,
    ) -> None:
        """Prepare a search that simulates at most `work` turns.

        `first` is the side that goes first, if known. The dice have `rounds` times `SAMPLE_COUNT` samples. With
        `sheltered`, each enemy next to the captain's admirals lowers the value of orders.
        """
        self._sheltered = sheltered
        self._sample_count = rounds * SAMPLE_COUNT
        self._side = side
        self._position = start.position
        self._doctrines = doctrines
        squadrons_to_act = [squadron for squadron in start.squadrons if not squadron.activated]
        self._own_squadrons = [squadron for squadron in squadrons_to_act if squadron.side == side]
        self._enemy_squadrons = [squadron for squadron in squadrons_to_act if squadron.side != side]
        self._squadrons = start.squadrons
        self.flagship_by_ship = _flagship_by_ship(start.squadrons)
        starting_sides = (first, first) if first else (side, other_side(side))
        self._starts = [structs.replace(start, first=starting_side) for starting_side in starting_sides]
        self._speeds_set = start.speeds_set
        self._luck = DiceSamples(self._sample_count, len(self._starts) * len(ENEMY_PROFILES), seed)
        self._profiles, max_turns = trial_budget(sum(ship.is_afloat for ship in start.position.ships))
        self._search = Search(
            self._sample_values, budget=min(work, max_turns), samples=SAMPLE_COUNT, margin=_MIN_GAIN_VP
        )

    def best_orders(self) -> SideOrders:
        # first the best profile's orders, then mixed with other profiles' orders, then in another sequence
        best, *others = self._search.rank(self._orders_by_profile())
        for unit in self._trial_units():
            for other in others:
                best = self._search.improve(best, (_merge_orders(best, other, unit),))
        for variant in self._sequence_variants(best):
            best = self._search.improve(best, (variant,))
        return best

    def _orders_by_profile(self) -> Iterator[SideOrders]:
        options = self._side_options(self._side)
        for profile in self._profiles:
            yield SideOrders(plan_side(options, self._own_squadrons, profile))
            _ = self._turn_variants  # makes and caches the enemy's sheets before the other profiles' orders

    @cached_property
    def _turn_variants(self) -> list[tuple[TurnStart, orders.TurnSheet]]:
        """Return each possible start of the turn with each sheet expected of the enemy."""
        options = self._side_options(other_side(self._side))
        enemy_sheets = [
            to_turnsheet(SideOrders(plan_side(options, self._enemy_squadrons, profile)), self.flagship_by_ship)
            for profile in ENEMY_PROFILES
        ]
        return [(start, enemy_sheet) for start in self._starts for enemy_sheet in enemy_sheets]

    def _side_options(self, side: orders.FleetSide) -> SideOptions:
        return side_options.cached_side_options(self._position, side, speeds_set=self._speeds_set).limited_in_time()

    def sample_outcomes(self, sheet: orders.TurnSheet) -> Iterator[tuple[FleetEvent, ...]]:
        """Yield the events of a simulated turn for each dice sample, until time is up."""
        for sample in range(self._sample_count):
            if is_enough():
                return
            yield self._run_turn(sheet, sample).events

    def _trial_units(self) -> list[frozenset[str]]:
        """Return the ships whose orders are exchanged together: each squadron, and all single ships."""
        led = [frozenset(squadron.ships) for squadron in self._own_squadrons if squadron.number]
        single = frozenset(name for squadron in self._own_squadrons if not squadron.number for name in squadron.ships)
        return [*led, single] if single else led

    def _sequence_variants(self, best: SideOrders) -> Iterator[SideOrders]:
        """Yield the best orders with another squadron first, or with Double Activation."""
        led = [group for group in best.groups if self._squadron_number(group)]  # groups with a leader
        for group in led[1:]:
            yield best._replace(groups=(group, *(other for other in best.groups if other != group)))
        admiral_ids = {leader.id for leader in self._position.admirals(self._side)}
        led_by_admiral = [squadron for squadron in self._own_squadrons if squadron.leader in admiral_ids]
        if not led_by_admiral:
            return
        admirals_squadron = led_by_admiral[0]
        position_in_phase_e = structs.replace(self._position, phase="E")
        for group in led:
            order = orders.SquadronActivation(
                squadron=admirals_squadron.flagship, double=self.flagship_by_ship[group[0].ship]
            )
            if not activation.double_barred_by(position_in_phase_e, self._squadrons, order):
                admirals_group = [
                    other for other in led if self.flagship_by_ship[other[0].ship] == admirals_squadron.flagship
                ]
                other_groups = [other for other in best.groups if other not in admirals_group]
                yield SideOrders((*admirals_group, *other_groups), order.double)

    def _squadron_number(self, group: Sequence[PlannedOption]) -> int:
        return next(squadron.number for squadron in self._own_squadrons if group[0].ship in squadron.ships)

    def _sample_values(self, side_orders: SideOrders, samples: Sequence[int]) -> Iterator[float]:
        """Yield the value of orders for each sample, corrected for the luck of rams and boardings."""
        sheet = to_turnsheet(side_orders, self.flagship_by_ship)
        for sample in samples:
            result = self._run_turn(sheet, sample)
            luck = result.luck if self._side == "B" else -result.luck  # `result.luck` is Blue's
            value = evaluation.position_value(result.position, self._side, over=result.is_over) - luck
            if self._sheltered and not result.is_over:
                value -= _SHELTER_WORTH_VP * _count_besiegers(result.position, self._side)
            yield value

    def _run_turn(self, sheet: orders.TurnSheet, sample: int) -> TurnResult:
        start, enemy_sheet = self._turn_variants[sample % len(self._turn_variants)]
        turnsheets = {self._side: sheet, other_side(self._side): enemy_sheet}
        return simulation.run_turn(start, turnsheets, SampleDice(self._luck, sample), self._doctrines)


def _count_besiegers(position: Position, side: orders.FleetSide) -> int:
    """Return the number of mobile enemies next to the ships of a side's admirals."""
    flagships = [position.ship_by_id(admiral.ship) for admiral in position.admirals(side)]
    enemies = [enemy for flagship in flagships for enemy in position.enemies_beside(flagship)]
    return sum(position.is_mobile(enemy) for enemy in enemies)


def _merge_orders(best: SideOrders, other_orders: SideOrders, ships_to_change: frozenset[str]) -> SideOrders:
    # the best orders, but with the other plans for `ships_to_change`
    replacements = {plan.ship: plan for group in other_orders.groups for plan in group}
    groups = tuple(
        tuple(replacements[plan.ship] if plan.ship in ships_to_change else plan for plan in group)
        for group in best.groups
    )
    return best._replace(groups=groups)


def turn_start(position: Position, squadrons: tuple[Squadron, ...] = ()) -> TurnStart:
    """Return the start of a turn. If squadrons are not formed yet, they form by default."""
    formed_squadrons = squadrons or tuple(
        squadron for side in orders.SIDES for squadron in command.form_squadrons(position, side, ())
    )
    position = command.with_squadron_numbers(position, [squadron for squadron in formed_squadrons if squadron.number])
    return TurnStart(position=position, squadrons=formed_squadrons, speeds_set=False, first="B")


def admiral_doctrine(side: orders.FleetSide) -> orders.DoctrineLine:
    return orders.DoctrineLine(who=side, values={"avoid": "threat"})

"""The admiral: plays the turn out before ordering it, against the orders of two kinds of enemies.

Orders are drawn up under several profiles, from reckless to cautious. Each is played out by the rules, with either
side first and the same dice, and the best is kept. Then variants are tried, squadron by squadron: what the next best
would have done, another squadron first, and two at once (SQ-05.11). `rules.ai.search` counts the turns played out.
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
from rules.squadrons.engine.notation.orders import (
    SIDES,
    DoctrineLine,
    Doctrines,
    FleetSide,
    SquadronActivation,
    SquadronOrders,
    TurnSheet,
)
from rules.squadrons.engine.phases.activation import activation
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea.state import Position, Squadron, other_side

RECKLESS_PROFILE: Final = CaptainProfile(risk_weight=0.0, fatigue_weight=0.3, cohesion_weight=0.0)
"""Ignores every risk: the best attack at once, else straight at the enemy."""
OWN_PROFILES: Final = (
    CaptainProfile(risk_weight=0.25),
    RECKLESS_PROFILE,
    CaptainProfile(risk_weight=0.5),
    CaptainProfile(risk_weight=0.9, cohesion_weight=1.5),
    CaptainProfile(risk_weight=0.15, cohesion_weight=2.0, fatigue_weight=0.5),
    CaptainProfile(risk_weight=1.5, advance_weight=0.12, attack_weight=0.7),
)
"""Profiles for the admiral's own orders."""
ENEMY_PROFILES: Final = (CaptainProfile(risk_weight=0.1, cohesion_weight=0.0), CaptainProfile(risk_weight=0.5))
"""Profiles of the enemies that the admiral expects."""
TURN_BUDGET: Final = 2400
"""Turns that are carried out for one answer, times the ships afloat: about a second."""
MAX_TURNS: Final = 90
"""Turns that are carried out for one answer at most."""
CROWDED_SHIPS: Final = 44
"""Up to so many ships afloat all profiles are tried; with more, for speed, `_CROWDED_PROFILES`."""
_CROWDED_PROFILES: Final = 3
SAMPLE_COUNT: Final = 8
"""Of luck with which orders are tried: twice with each expected enemy and either side first."""
_MIN_GAIN_VP: Final = 0.3
"""Victory points by which a variant must be better."""
_SHELTER_WORTH_VP: Final = 0.5
"""Victory points that a hint gives up for each enemy fewer who can board the captain's admiral next."""

SquadronPlans = tuple[tuple[PlannedOption, ...], ...]
"""What squadrons do, in the order in which they act; so of their galleys."""


class SideOrders(NamedTuple):
    """All that a side orders for a turn, or for the rest of it."""

    groups: SquadronPlans
    double: str = ""
    """The Command Ship of the squadron that acts with the Admiral's."""


def to_turnsheet(message: SideOrders, flags: Mapping[str, str]) -> TurnSheet:
    """The same as the rules carry it out; `flags`: each ship's Command Ship."""
    groups = message.groups
    return TurnSheet(
        speeds={plan.ship: plan.option.speed for group in groups for plan in group},
        sequence=tuple(flags[group[0].ship] for group in groups),
        double=message.double,
        orders=SquadronOrders(tuple(plan.line for group in groups for plan in group)),
    )


def plan_side(side_options: SideOptions, squadrons: Sequence[Squadron], profile: CaptainProfile) -> SquadronPlans:
    """What a side does under a captain of a profile."""
    found = profiles.decide_side(side_options, [one.ships for one in squadrons], profile)
    return tuple(tuple(group) for group in profiles.replace_by_shots(side_options.position, found))


def _flagship_by_ship(squadrons: Iterable[Squadron]) -> dict[str, str]:
    """Each ship's Command Ship."""
    return {name: one.flagship for one in squadrons for name in one.ships}


def trial_budget(afloat: int) -> tuple[Sequence[CaptainProfile], int]:
    """Which profiles are tried, and how many turns are carried out for an answer, by how many ships are afloat."""
    return (OWN_PROFILES if afloat <= CROWDED_SHIPS else OWN_PROFILES[:_CROWDED_PROFILES]), TURN_BUDGET // max(
        1, afloat
    )


class SideSearch:
    """One captain's search for the best orders."""

    def __init__(
        self,
        begun: TurnStart,
        side: FleetSide,
        seed: str,
        doctrines: Doctrines,
        *,
        first: FleetSide | None = None,
        work: int = MAX_TURNS,
        rounds: int = 1,
        sheltered: bool = False,
    ) -> None:
        """`first`: who goes first, where that is known; `work`: how many turns are carried out at most.

        `rounds`: how many times `SAMPLE_COUNT` there are of luck; `sheltered`: of nearly equal orders those are better
        that leave fewer enemies beside the captain's admiral.
        """
        self._sheltered = sheltered
        self._samples = rounds * SAMPLE_COUNT
        self._side = side
        self._position = begun.position
        self._doctrines = doctrines
        self._own, self._foes = (
            [one for one in begun.squadrons if one.side == whose and not one.activated]
            for whose in (side, other_side(side))
        )
        self._squadrons = begun.squadrons
        self.flags = _flagship_by_ship(begun.squadrons)
        self._begun = [
            structs.replace(begun, first=one) for one in ((first, first) if first else (side, other_side(side)))
        ]
        self._speeds_set = begun.speeds_set
        self._luck = DiceSamples(self._samples, len(self._begun) * len(ENEMY_PROFILES), seed)
        self._profiles, most = trial_budget(sum(ship.is_afloat for ship in begun.position.ships))
        self._search = Search(self._sample_values, budget=min(work, most), samples=SAMPLE_COUNT, margin=_MIN_GAIN_VP)

    def best_orders(self) -> SideOrders:
        """The orders with the highest value of all that were tried."""
        best, *others = self._search.rank(self._orders_by_profile())
        for unit in self._trial_units():
            for one in others:
                best = self._search.improve(best, (_merge_orders(best, one, unit),))
        for variant in self._reordered(best):
            best = self._search.improve(best, (variant,))
        return best

    def _orders_by_profile(self) -> Iterator[SideOrders]:
        """Orders under each profile. What the enemy will do comes after the first of them, and before any is tried."""
        options = self._side_options(self._side)
        for profile in self._profiles:
            yield SideOrders(plan_side(options, self._own, profile))
            _ = self._turn_variants

    @cached_property
    def _turn_variants(self) -> list[tuple[TurnStart, TurnSheet]]:
        """How the turn may begin, and what enemies are expected to order; so far as there is time."""
        options = self._side_options(other_side(self._side))
        found = [
            to_turnsheet(SideOrders(plan_side(options, self._foes, profile)), self.flags) for profile in ENEMY_PROFILES
        ]
        return [(begun, enemy) for begun in self._begun for enemy in found]

    def _side_options(self, side: FleetSide) -> SideOptions:
        return side_options.cached_side_options(self._position, side, speeds_set=self._speeds_set).limited_in_time()

    def sample_outcomes(self, sheet: TurnSheet) -> Iterator[tuple[FleetEvent, ...]]:
        """What happens if a turnsheet is carried out, once with each sample of luck, as long as there is time."""
        for sample in range(self._samples):
            if is_enough():
                return
            yield self._run_turn(sheet, sample).events

    def _trial_units(self) -> list[frozenset[str]]:
        """Those whose orders are tried together: each squadron, and all single ships."""
        led = [frozenset(one.ships) for one in self._own if one.number]
        single = frozenset(name for one in self._own if not one.number for name in one.ships)
        return [*led, single] if single else led

    def _reordered(self, best: SideOrders) -> Iterator[SideOrders]:
        """The same in another order: another squadron first, or with the Admiral's."""
        led = [group for group in best.groups if self._squadron_number(group)]
        for group in led[1:]:
            yield best._replace(groups=(group, *(one for one in best.groups if one != group)))
        flag = next(
            (one for one in self._own if (leader := self._position.find_leader(one.leader)) and leader.is_admiral), None
        )
        if flag is None:
            return
        lying = structs.replace(self._position, phase="E")
        for group in led:
            order = SquadronActivation(squadron=flag.flagship, double=self.flags[group[0].ship])
            if not activation.double_barred_by(lying, self._squadrons, order):
                ahead = [one for one in led if self.flags[one[0].ship] == flag.flagship]
                rest = [one for one in best.groups if one not in ahead]
                yield SideOrders((*ahead, *rest), order.double)

    def _squadron_number(self, group: Sequence[PlannedOption]) -> int:
        return next(one.number for one in self._own if group[0].ship in one.ships)

    def _sample_values(self, message: SideOrders, samples: Sequence[int]) -> Iterator[float]:
        """What orders are worth in each of some samples, the luck of rams and boardings taken out."""
        sheet = to_turnsheet(message, self.flags)
        for sample in samples:
            end = self._run_turn(sheet, sample)
            luck = end.luck if self._side == "B" else -end.luck
            exposed = _count_besiegers(end.position, self._side) if self._sheltered and not end.is_over else 0
            yield (
                evaluation.position_value(end.position, self._side, over=end.is_over)
                - luck
                - _SHELTER_WORTH_VP * exposed
            )

    def _run_turn(self, sheet: TurnSheet, sample: int) -> TurnResult:
        begun, enemy = self._turn_variants[sample % len(self._turn_variants)]
        turnsheets = {self._side: sheet, other_side(self._side): enemy}
        return simulation.run_turn(begun, turnsheets, SampleDice(self._luck, sample), self._doctrines)


def _count_besiegers(position: Position, side: FleetSide) -> int:
    """How many enemies who can still row lie beside a side's admirals, so that they may grapple and board them."""
    flagships = (position.ship_by_id(one.ship) for one in position.admirals(side))
    return sum(map(position.is_mobile, (foe for one in flagships for foe in position.enemies_beside(one))))


def _merge_orders(best: SideOrders, other_one: SideOrders, unit: frozenset[str]) -> SideOrders:
    """The best, but for some galleys, that do what they do in the other."""
    instead = {plan.ship: plan for group in other_one.groups for plan in group}
    groups = tuple(tuple(instead[plan.ship] if plan.ship in unit else plan for plan in group) for group in best.groups)
    return best._replace(groups=groups)


def turn_start(position: Position, squadrons: tuple[Squadron, ...] = ()) -> TurnStart:
    """A turn before anything happens in it; where squadrons are not formed yet, by themselves."""
    formed = squadrons or tuple(one for side in SIDES for one in command.form_squadrons(position, side, ()))
    position = command.with_squadron_numbers(position, [one for one in formed if one.number])
    return TurnStart(position=position, squadrons=formed, speeds_set=False, first="B")


def admiral_doctrine(side: FleetSide) -> DoctrineLine:
    """The admiral's doctrine: all galleys try to avoid enemies that threaten them."""
    return DoctrineLine(who=side, values={"avoid": "threat"})

"""Options of each galley of a side in the present position: what she could win, and the danger to her afterwards.

Every place in reach is examined, ahead or by turning, with every attack from it. Values are in victory points. Only
the position counts, no dice are rolled, and ships of her own side are not in her way.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Final, NamedTuple, cast

from msgspec import structs

from rules.ai.thinking import is_enough
from rules.geometry.hexes import Hex
from rules.squadrons.ai import evaluation
from rules.squadrons.ai.evaluation import ThreatsByPlace
from rules.squadrons.engine.notation import orders
from rules.squadrons.engine.odds import RollOdds
from rules.squadrons.engine.phases.combat import anastrophe, grappling, raking, ramming
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import avoidance, moves, reach
from rules.squadrons.engine.phases.play import ActivationInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.engine.tables import board_need, fatigue_level

CRIPPLING_GAIN: Final = 0.35
"""Gain of a rake that cripples, as a fraction of the target's value.

It includes the rams that become easier afterwards. The target's own loss is less (`evaluation.CRIPPLED_SIDE_LOSS`).
"""
RAMMED_GAIN: Final = 0.3
"""Gain of a ram beyond its victory points, as a fraction of the target's value: she can do no more harm."""
TIRED_GAIN: Final = 0.12  # gain of tiring a galley, as a fraction of her value: she cannot ram or avoid for a turn
COLLISION_COST: Final = 0.8  # victory points, if a ram fails and the ships collide
LEADER_VALUE: Final = 3.0  # victory points of a leader, beyond the leader's ship
_SAFE_HEXES: Final = 8  # beyond this distance, galleys unfit to ram do not keep farther from enemies

AttackOrder = (
    orders.RamOrder | orders.RakeOrder | orders.GrappleOrder | orders.PassThroughOrder | orders.AnastropheOrder
)


class GalleyOption(NamedTuple):
    speed: orders.Speed
    move_codes: str  # moves ahead, one letter each; or one of `SINGLE_MOVES`
    place: HexPose  # where she ends
    gain: float  # expected victory points of the attack
    peril: float  # expected victory points that the enemy could win from her there
    fatigue_cost: float  # expected victory points lost by getting tired
    enemy_distance: float  # hexes to the enemy; a galley unfit to ram keeps away
    attack: AttackOrder | None = None  # None: she only moves
    odds: RollOdds | None = None  # of the attack; None without one
    hit_chance: float = 0.0  # chance that the attack puts the target out of action, 0 to 1

    @property
    def line_steps(self) -> tuple[orders.OrderStep, ...]:
        codes = (self.move_codes,) if self.move_codes in SINGLE_MOVES else tuple(self.move_codes)
        steps: tuple[orders.OrderStep, ...] = tuple(orders.MoveOrder(cast("Any", code)) for code in codes)
        return (*steps, self.attack) if self.attack else steps


SINGLE_MOVES: Final = ("ts", "tp", "ws", "wp", "B", "TA")  # moves other than ahead. An option has only one of them.


class SideOptions:
    def __init__(self, position: Position, side: str, *, speeds_set: bool) -> None:
        self.position = position
        self.side = side
        self.speeds_set = speeds_set
        self.dangers: ThreatsByPlace = evaluation.find_threats(position, side, speeds_set=speeds_set)
        self.targets = [target for target in position.ships if target.is_afloat and target.side != side]
        unscored_targets = [target for target in self.targets if self.ship_value(target) > 1.0]
        goals = unscored_targets or self.targets
        self._distance_by_hex = reach.distances_from(position, frozenset(here for goal in goals for here in goal.hexes))
        immobile_ships = [ship for ship in position.ships if ship.is_afloat and position.is_immobile(ship)]
        self._blocked_hexes = frozenset(here for ship in (*immobile_ships, *self.targets) for here in ship.hexes)
        flagships = {leader.ship for leader in position.leaders}
        self._victory_points_at_stake = {
            ship.id: 0.0 if ship.rammed else ship.ram_defence + (LEADER_VALUE if ship.id in flagships else 0.0)
            for ship in position.ships_of(side)
        }
        self._options: dict[str, list[GalleyOption]] = {}
        self._examined: dict[str, list[GalleyOption]] | None = None
        """Options of galleys already examined under a time limit; None without a limit."""
        self._losses: dict[tuple[object, ...], float] = {}  # cache of `peril_at`

    def ship_value(self, ship: Ship) -> float:
        """Return the victory points that taking a ship would win; 1 or less if she has already been scored."""
        has_scored = ship.rammed or ship.held in ("CAP", "CAP0")
        leader_value = LEADER_VALUE if self.position.leader_aboard(ship.id) else 0.0
        worth = 1.0 if has_scored else ship.ram_defence + leader_value
        return worth if ship.side == ship.builder else max(1.0, worth)

    def limited_in_time(self) -> SideOptions:
        """Return a copy with a time limit: once time is up, galleys not yet examined only stay.

        The copy checks the time for each galley, even if another copy has examined her. A repeated search that gets
        equally far therefore has equal results.
        """
        limited = copy.copy(self)
        limited._examined = {}  # noqa: SLF001 - of the same class
        return limited

    def options_of(self, name: str) -> list[GalleyOption]:
        """Return the options of a galley, as if ships of her own side were not in her way."""
        if self._examined is None:
            return self._all_options(name)
        if name not in self._examined:
            time_is_up = is_enough()
            stay_only = [self._stay_option(self.position.ship_by_id(name))]
            self._examined[name] = stay_only if time_is_up else self._all_options(name)
        return self._examined[name]

    def _all_options(self, name: str) -> list[GalleyOption]:
        if name not in self._options:
            self._options[name] = list(self._options_of(self.position.ship_by_id(name)))
        return self._options[name]

    def _stay_option(self, ship: Ship) -> GalleyOption:
        return GalleyOption(ship.speed if self.speeds_set else "C", "", ship.place, 0.0, 0.0, 0.0, 0.0)

    def _options_of(self, ship: Ship) -> Iterator[GalleyOption]:
        position = self.position
        if position.is_immobile(ship):
            yield self._stay_option(ship)
            return
        speeds: tuple[orders.Speed, ...] = (ship.speed,)
        if not self.speeds_set:
            speeds = turn_start.legal_speeds(position, ship)
        for speed in speeds:
            yield from self._options_at_speed(structs.replace(ship, speed=speed))

    def _options_at_speed(self, ship: Ship) -> Iterator[GalleyOption]:
        position = self.position.with_ship(ship)
        open_sea = reach.sea_hexes(position.width, position.height, position.land) - self._blocked_hexes
        layers = reach.layers_ahead(ship, reach.free_points(position, ship), open_sea)
        yield from self._ram_options(position, ship, layers)
        yield from self._rake_options(position, ship, layers)
        if ship.speed == "C":
            yield from self._grapple_options(position, ship, layers)
        else:
            yield from self._anastrophe_options(position, ship)
        yield from self._row_options(position, ship, layers)

    # --- what things are worth -----------------------------------------------------------------------------------

    def peril_at(self, ship: Ship, place: HexPose, *, helpless: bool = False, spared: str = "") -> float:
        """Return the expected loss of a galley at a place, in victory points; flags as in `evaluation.ram_loss`."""
        ship_class = ship.ship_class
        cannot_avoid = ship.is_slowed or ship.is_crippled
        is_max = ship.speed == "M"
        # ships of one class reach many common places, so the cache key has all that the chance depends on
        key = (place, ship_class.size, ship_class.rd, ship.crew_quality, is_max, cannot_avoid, helpless, spared)
        chance = self._losses.get(key)
        if chance is None:
            chance = evaluation.ram_loss(self.dangers, ship, place, helpless=helpless, spared=spared)
            self._losses[key] = chance
        return self._victory_points_at_stake[ship.id] * chance

    def avoid_chance(self, target: Ship) -> float:
        if not avoidance.is_fit_to_avoid(self.position, target) or target.crew_quality < orders.AVOIDING_CREW:
            return 0.0
        return min(1.0, target.crew_quality / 6)

    def _make_option(
        self,
        ship: Ship,
        codes: str,
        place: HexPose,
        attack: AttackOrder,
        *,
        odds: RollOdds,
        gain: float,
        peril: float,
        hit_chance: float = 0.0,
    ) -> GalleyOption:
        is_tiring = isinstance(attack, orders.RamOrder | orders.RakeOrder | orders.PassThroughOrder)
        return GalleyOption(
            speed=ship.speed,
            move_codes=codes,
            place=place,
            gain=gain,
            peril=peril,
            fatigue_cost=_fatigue_cost(ship, len(codes), attacks=is_tiring),
            enemy_distance=0.0,
            attack=attack,
            odds=odds,
            hit_chance=hit_chance,
        )

    # --- attacks -------------------------------------------------------------------------------------------------

    def _ram_options(
        self, position: Position, ship: Ship, layers: Sequence[reach.ReachLayer]
    ) -> Iterator[GalleyOption]:
        """Yield the likeliest ram from each place in reach where she points at an enemy."""
        if ramming.why_unfit_to_ram(position, ActivationInProgress(ship.id), ship):
            return
        for target in self.targets:
            is_too_far = grid.hex_distance(ship.hexes, target.hexes) > len(layers)
            if self.ship_value(target) <= 1.0 or target.aground or is_too_far:
                continue
            can_avoid = self.avoid_chance(target) > 0
            places_after_avoiding = _ram_places_after_avoiding(position, target) if can_avoid else frozenset()
            for bow, facing in reach.ram_places_of(target):
                best_codes = ""
                best_odds: RollOdds | None = None
                for used, turns, codes in _ways_to(layers, bow, facing):
                    run = ActivationInProgress(ship.id, used=used, turns=turns)
                    odds = ramming.ram_odds(position, run, target.id)
                    if odds.min_total and (best_odds is None or odds.chance > best_odds.chance):
                        best_codes, best_odds = codes, odds
                if best_odds is not None:
                    still_points = (bow, facing) in places_after_avoiding
                    place = HexPose(bow, facing)
                    yield self._ram_option(ship, best_codes, place, target, best_odds, still_points=still_points)

    def _ram_option(
        self, ship: Ship, codes: str, place: HexPose, target: Ship, odds: RollOdds, *, still_points: bool
    ) -> GalleyOption:
        """Return the option of a ram. `still_points`: she points at the target even after it has avoided her."""
        avoid_chance = self.avoid_chance(target)
        hit_chance = (1 - avoid_chance) * odds.chance
        miss_chance = avoid_chance
        if still_points:
            # avoiding slows the target, and takes from her the advantage of Max
            modifier_after_avoiding = odds.total_modifier + 1 + (target.speed == "M")
            hit_chance += avoid_chance * evaluation.success_chance(odds.min_total, modifier_after_avoiding)
            miss_chance = 0.0
        gain = (
            hit_chance * self.ship_value(target) * (1 + RAMMED_GAIN)
            - (1 - miss_chance - hit_chance) * COLLISION_COST
            + avoid_chance * TIRED_GAIN * target.ram_defence
        )
        # a target that is probably rammed will not ram back
        peril = self.peril_at(ship, place, helpless=True, spared=target.id if hit_chance > 1 / 2 else "")
        order = orders.RamOrder(target.id)
        return self._make_option(ship, codes, place, order, odds=odds, gain=gain, peril=peril, hit_chance=hit_chance)

    def _rake_options(
        self, position: Position, ship: Ship, layers: Sequence[reach.ReachLayer]
    ) -> Iterator[GalleyOption]:
        """Yield each way to rake an enemy by a move straight ahead along her side and, at Max, through her."""
        if raking.why_unfit_to_rake(position, ship):
            return
        for target in self.targets:
            value = self.ship_value(target)
            if target.is_crippled or value <= 1.0 or grid.hex_distance(ship.hexes, target.hexes) > len(layers):
                continue
            meeting_chance = 1 - self.avoid_chance(target)
            for bow, facing in reach.rake_places(target):
                hex_before = grid.next_hex(bow, facing + 3)
                for used, turns, codes in _ways_to(layers[:-1], hex_before, facing):
                    if reach.ReachedPlace(bow, facing, turns) not in layers[used + 1]:
                        continue
                    odds = raking.rake_odds(position, ActivationInProgress(ship.id), target.id)
                    place = HexPose(bow, facing)
                    gain = (
                        meeting_chance * odds.chance * value * CRIPPLING_GAIN
                        + (1 - meeting_chance) * TIRED_GAIN * target.ram_defence
                    )
                    peril = self.peril_at(ship, place)
                    yield self._make_option(
                        ship, codes + "F", place, orders.RakeOrder(target.id), odds=odds, gain=gain, peril=peril
                    )
            if ship.speed == "M":
                yield from self._pass_options(position, ship, layers, target)

    def _pass_options(
        self, position: Position, ship: Ship, layers: Sequence[reach.ReachLayer], target: Ship
    ) -> Iterator[GalleyOption]:
        """Yield each way to pass through an enemy, from ahead or astern of her, and to rake either side."""
        around = target.adjacent_hexes
        # bow hex and facing before the pass-through: ahead of the target, or astern of her
        starts = ((around.bow, (target.facing + 3) % 6), (around.stern, target.facing))
        for used, layer in enumerate(layers):
            for bow, facing in starts:
                for turns in range(reach.MAX_COUNTED_TURNS + 1):
                    codes = layer.get(reach.ReachedPlace(bow, facing, turns))
                    if codes is None:
                        continue
                    moved = structs.replace(ship, bow=bow, facing=facing)
                    run = ActivationInProgress(ship.id, announced=ship.max_speed, used=used)
                    run.last_move = cast("Any", codes[-1:])
                    moved_position = position.with_ship(moved)
                    for side in orders.FLANKS:
                        order = orders.PassThroughOrder(target.id, side)
                        if raking.why_pass_barred(moved_position, run, order):
                            continue
                        odds = raking.rake_odds(moved_position, run, target.id)
                        gain = (1 - self.avoid_chance(target)) * odds.chance * self.ship_value(target) * CRIPPLING_GAIN
                        place = raking.place_after_pass(moved, target)
                        peril = self.peril_at(ship, place)
                        yield self._make_option(ship, codes, place, order, odds=odds, gain=gain, peril=peril)

    def _anastrophe_options(self, position: Position, ship: Ship) -> Iterator[GalleyOption]:
        """Yield each legal anastrophe: the galley rakes an enemy, turns behind her and rams her."""
        if not ship.ship_class.asterisk:
            return
        run = ActivationInProgress(ship.id, announced=ship.max_speed)
        for target, side, goes_through in product(self.targets, orders.FLANKS, (False, True)):
            order = orders.AnastropheOrder(target.id, side, goes_through)
            if anastrophe.why_barred(position, run, order):
                continue
            rake = raking.rake_odds(position, run, target.id)
            run_at_full_speed = ActivationInProgress(ship.id, used=ship.max_speed)
            odds = ramming.ram_odds(position, run_at_full_speed, target.id, anastrophe=True)
            value = self.ship_value(target)
            meeting_chance = 1 - self.avoid_chance(target)
            hit_chance = meeting_chance * odds.chance
            ram_gain = hit_chance * value * (1 + RAMMED_GAIN)
            rake_gain = meeting_chance * rake.chance * CRIPPLING_GAIN * value * (1 - hit_chance)
            place = anastrophe.ram_place(target, side)
            # a target that is probably rammed will not ram back
            peril = self.peril_at(ship, place, helpless=True, spared=target.id if hit_chance > 1 / 2 else "")
            yield self._make_option(
                ship, "", place, order, odds=odds, gain=ram_gain + rake_gain, peril=peril, hit_chance=hit_chance
            )

    def _grapple_options(
        self, position: Position, ship: Ship, layers: Sequence[reach.ReachLayer]
    ) -> Iterator[GalleyOption]:
        """Yield each way to grapple an enemy that could then be boarded, also by own ships that hold it already."""
        if ship.manpower < 1:
            return
        for target in self.targets:
            if grid.hex_distance(ship.hexes, target.hexes) > len(layers):
                continue
            # manpower of ships of her own side that hold the target already
            helpers = sum(
                position.ship_by_id(name).manpower
                for name in position.grappled_to(target.id)
                if position.ship_by_id(name).side == ship.side
            )
            need = board_need(ship.manpower + helpers, target.manpower)
            value = self.ship_value(target)
            if not need or value <= 1.0:
                continue
            board_chance = RollOdds(need, 2).chance
            meeting_chance = 1 - self.avoid_chance(target)
            near = {reached for here in target.hexes for reached in grid.neighbours(here)}
            seen: set[HexPose] = set()
            for used, layer in enumerate(layers):
                for reached, codes in layer.items():
                    if reached.place in seen or near.isdisjoint(reached.place.covered_hexes(ship.size)):
                        continue
                    seen.add(reached.place)
                    moved = structs.replace(ship, bow=reached.bow, facing=reached.facing)
                    if not grappling.share_flank_side(moved, target):
                        continue
                    odds = grappling.grapple_odds(
                        position.with_ship(moved), ActivationInProgress(ship.id, used=used), target.id
                    )
                    chance = meeting_chance * odds.chance
                    return_loss = (  # victory points, if the boarding fails and the enemy boards her in return
                        (1 - board_chance)
                        * evaluation.success_chance(board_need(target.manpower, ship.manpower), 0)
                        * self.ship_value(ship)
                    )
                    gain = chance * (board_chance * (value + 1) - return_loss)
                    peril = self.peril_at(ship, reached.place, helpless=True)
                    yield self._make_option(
                        ship, codes, reached.place, orders.GrappleOrder(target.id), odds=odds, gain=gain, peril=peril
                    )

    # --- rowing --------------------------------------------------------------------------------------------------

    def _row_options(
        self, position: Position, ship: Ship, layers: Sequence[reach.ReachLayer]
    ) -> Iterator[GalleyOption]:
        """Yield each place in reach without an attack; at Cruise also single turns on the spot and moves astern."""
        is_fit = ramming.why_unfit_to_ram(position, ActivationInProgress(ship.id), ship) is None
        fatigue_costs = [_fatigue_cost(ship, used, attacks=False) for used in range(len(layers))]
        seen: set[tuple[Hex, int]] = set()
        for used, layer in enumerate(layers):
            for (bow, facing, _), codes in layer.items():
                if (bow, facing) not in seen:
                    seen.add((bow, facing))
                    yield self._row_option(ship, codes, HexPose(bow, facing), fatigue_costs[used], fit=is_fit)
        if ship.speed == "C":
            for code in SINGLE_MOVES:
                run = ActivationInProgress(ship.id, announced=moves.movement_allowance(position, ship))
                if moves.why_move_barred(position, run, cast("Any", code)) is None:
                    place = moves.place_after_move(ship, cast("Any", code))
                    yield self._row_option(ship, code, place, 0.0, fit=is_fit)

    def _row_option(self, ship: Ship, codes: str, place: HexPose, fatigue_cost: float, *, fit: bool) -> GalleyOption:
        """Return an option without an attack. A galley `fit` to ram seeks the enemy, any other one keeps away."""
        distance = self._distance_by_hex.get(place.bow, _SAFE_HEXES)
        if fit:
            distance_ahead = self._distance_by_hex.get(place.hex_ahead, distance + 1)
            distance_cost = (distance + distance_ahead) / 2
        else:
            distance_cost = -min(distance, _SAFE_HEXES) / 3
        return GalleyOption(ship.speed, codes, place, 0.0, self.peril_at(ship, place), fatigue_cost, distance_cost)


def _fatigue_cost(ship: Ship, points_used: int, *, attacks: bool) -> float:
    if ship.speed != "M":
        return 0.0
    points_beyond_cruise = max(0, points_used - ship.ship_class.cruise)
    return ship.ram_defence * TIRED_GAIN * _fatigue_chance(points_beyond_cruise + attacks, ship.crew_quality)


@lru_cache(maxsize=256)
def _fatigue_chance(drm: int, crew: int) -> float:
    return sum(fatigue_level(die + drm, crew) > 0 for die in range(1, 7)) / 6


def _ram_places_after_avoiding(position: Position, target: Ship) -> frozenset[tuple[Hex, int]]:
    avoidance_places = avoidance.avoidance_places(position, target)
    if not avoidance_places:
        return frozenset(reach.ram_places_of(target))
    _, place = avoidance_places[0]
    moved = structs.replace(target, bow=place.bow, facing=place.facing)
    return frozenset(reach.ram_places_of(moved))


@lru_cache(maxsize=2)
def cached_side_options(position: Position, side: str, *, speeds_set: bool) -> SideOptions:
    """Return a side's options, with the last two results cached. A hint and its odds ask for equal ones."""
    return SideOptions(position, side, speeds_set=speeds_set)


def _ways_to(layers: Sequence[reach.ReachLayer], bow: Hex, facing: int) -> Iterator[tuple[int, int, str]]:
    """Yield the movement points, the turns and the move codes of each way to a place."""
    for used, layer in enumerate(layers):
        for turns in range(reach.MAX_COUNTED_TURNS + 1):
            codes = layer.get(reach.ReachedPlace(bow, facing, turns))
            if codes is not None:
                yield used, turns, codes

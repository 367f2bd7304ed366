"""A few galleys and the enemies near them, with simulated results of orders, for computer captains that search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from rules.matchbox.ai import fairway, foresight, grapples, many_rounds, prospects
from rules.matchbox.ai.goals import ScenarioGoal
from rules.matchbox.ai.many_hulls import Bools, Floats, Ints
from rules.matchbox.ai.many_rounds import NEAREST, WEAKEST, FleetTables, RoundSetup, RoundsOutcome
from rules.matchbox.engine import hull, reach
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import SLOTS, Galley, SinkRule, StandingOrders

PartyOrders = tuple[str, ...]  # a list of orders for each galley of one party
OrderPool = tuple[str, ...]  # lists from which one galley may choose
WorthFunction = Callable[[FleetTables, Floats, Bools, prospects.DetourFunction | None, Floats | float], Floats]
"""Values tables for the own side, from 0 to 1: a function of `prospects`."""

_MAX_GROUP: Final = 2  # own galleys in a battle
_MAX_ENEMIES: Final = 3  # enemies in a battle
_APPROACH_WORTH: Final = 0.02  # the worth of coming near the enemy, so that no captain waits for ever
_AVOIDANCE_WORTH: Final = 3.0  # the worth of avoiding enemies to a merchant, relative to approaching
_LISTS_PER_GRAPPLE: Final = 3  # likely lists for each list that grapples
_MAX_BATCH: Final = 4096  # rounds simulated at once
_DEFAULT_STANDING: Final = StandingOrders()
ANY_LISTS: Final[Mapping[int, OrderPool]] = {}  # empty pools, for captains that consider all legal lists


class Gains(NamedTuple):
    """The gains of each party for own orders against enemy orders, [own orders, enemy orders]."""

    own: Floats  # the own party's gains from its orders, from 0 to 1
    enemy: Floats  # the enemy's gains from its orders, from 0 to 1


def parts_left(tables: FleetTables) -> Ints:
    """Return oars and masts of each galley afloat, [galley, round]."""
    return np.asarray((tables.port + tables.starboard + tables.masts) * tables.afloat)


class ApproachWeights(NamedTuple):
    turning_mm: float = 0.0  # the cost of a right-angle turn, in mm of way
    pressing_worth: float = 0.0  # further worth of an approach for a side that has nearly won


_NO_HASTE: Final = ApproachWeights()


class LocalBattle(NamedTuple):
    """The own galleys that are considered, and the galleys near them, by number."""

    galleys: tuple[Galley, ...]  # all galleys that are considered
    sea: Sea  # the table with its land
    own: tuple[int, ...]  # numbers of own galleys
    enemies: tuple[int, ...]  # numbers of enemy galleys
    friends: tuple[int, ...]  # friends whose orders are known or guessed
    friends_orders: PartyOrders  # orders of `friends`
    start: FleetTables  # a single table with the galleys as they are
    worth_function: WorthFunction  # judges the end of a round
    haste: ApproachWeights  # how much an approach is worth
    allows_boarding: bool = False  # whether galleys may grapple
    goal: ScenarioGoal | None = None  # the scenario's goal; None: to sink the enemy (MX-5)
    reserves: tuple[bool, bool] = (True, True)
    """Whether the own side and the enemy have fighting vessels that are not considered here."""

    @property
    def is_enemy(self) -> Bools:
        return np.array([number in self.enemies for number in range(len(self.galleys))])

    @property
    def is_timid(self) -> Bools:
        return np.array(
            [
                foresight.is_timid(galley) and not (self.goal and self.goal.has_destination(galley))
                for galley in self.galleys
            ]
        )

    def order_numbers(self, own_orders: Sequence[PartyOrders], enemy_orders: Sequence[PartyOrders]) -> Ints:
        """Return all orders as indices of `ORDER_CODES`, by pair of own and enemy orders, [step, galley, pair]."""
        order_codes = np.zeros((SLOTS, len(self.galleys), len(own_orders), len(enemy_orders)), np.int64)
        for place, number in enumerate(self.own):
            own_codes = np.array([many_rounds.order_numbers(party_orders[place]) for party_orders in own_orders]).T
            order_codes[:, number] = own_codes[:, :, None]
        for place, number in enumerate(self.enemies):
            enemy_codes = np.array([many_rounds.order_numbers(party_orders[place]) for party_orders in enemy_orders]).T
            order_codes[:, number] = enemy_codes[:, None, :]
        for place, number in enumerate(self.friends):
            order_codes[:, number] = np.array(many_rounds.order_numbers(self.friends_orders[place]))[:, None, None]
        return order_codes.reshape(SLOTS, len(self.galleys), -1)

    def run_rounds(
        self, start: FleetTables, order_codes: Ints, standing: Sequence[StandingOrders] = (_DEFAULT_STANDING,)
    ) -> list[RoundsOutcome]:
        """Simulate rounds in batches. `standing` has one set of own standing orders for all rounds, or one for each."""
        numbers = {"nearest": NEAREST, "weakest": WEAKEST, **{self.galleys[foe].id: foe for foe in self.enemies}}
        target = np.full((len(self.galleys), len(standing)), NEAREST)
        prefers_masts = np.zeros(target.shape, bool)
        # A preferred target that is too far away to be in this battle is replaced by the nearest enemy.
        target[list(self.own)] = [numbers.get(standing_orders.target, NEAREST) for standing_orders in standing]
        prefers_masts[list(self.own)] = [standing_orders.casualties == "fighting" for standing_orders in standing]
        sides = tuple(self.is_enemy.tolist())
        outcomes = []
        for begin in range(0, order_codes.shape[2], _MAX_BATCH):
            batch = slice(begin, begin + _MAX_BATCH)
            # A single set of standing orders is one column, which numpy applies to all rounds.
            columns = batch if len(standing) > 1 else slice(None)
            setup = RoundSetup(
                self.sea, sides, target[:, columns], prefers_masts[:, columns], self.allows_boarding, self.galleys
            )
            outcomes.append(many_rounds.run_rounds(start.pick_rounds(batch), order_codes[:, :, batch], setup))
        return outcomes

    def judge_outcomes(self, outcomes: Sequence[RoundsOutcome]) -> Floats:
        """Return the worth of each round's end for the own side, from 0 to 1."""
        return np.concatenate([self._table_worth(end.fleets, end.hits, end.beached) for end in outcomes])

    def _table_worth(self, tables: FleetTables, hits: Floats, beached: Bools) -> Floats:
        """Return the worth of tables for the own side. In a scenario, it includes progress since the round's start."""
        if self.goal is None:
            return self.worth_function(self._without_hopeless(tables), hits, self.is_enemy, self.round_land, 0.0)
        no_hits, nobody_beached = self._nothing_yet
        odds_now = prospects.win_log_odds(self.start, no_hits, self.is_enemy, self.round_land)
        odds_now = odds_now + self.goal.log_odds(self.start, nobody_beached, self.galleys, self.is_enemy)
        goal_odds = self.goal.log_odds(tables, beached, self.galleys, self.is_enemy)
        return self.worth_function(tables, hits, self.is_enemy, self.round_land, goal_odds - odds_now[0])

    def _without_hopeless(self, tables: FleetTables) -> FleetTables:
        """Return the tables without the other vessels of a side that has no fighting vessel left (MX-2.9)."""
        fights = np.array([galley.kind.is_fighting for galley in self.galleys])
        if fights.all():
            return tables
        afloat = tables.afloat.copy()
        for side, has_more in zip((~self.is_enemy, self.is_enemy), self.reserves, strict=True):
            if not has_more:
                afloat[side & ~fights] &= tables.afloat[side & fights].any(axis=0)
        return tables._replace(afloat=afloat)

    def distances_mm(self, tables: FleetTables, turning_mm: float) -> Floats:
        """Return how far each galley is from its destination or nearest enemy, in mm, [galley, round].

        `turning_mm` is added for a right-angle turn. A timid galley's distance is how much farther it must flee.
        """
        distances = prospects.distance_to_enemy(tables, self.is_enemy, turning_mm, self.round_land)
        for number in np.flatnonzero(self.is_timid).tolist():
            distances[number] = np.maximum(
                foresight.SAFE_DISTANCE_MM - prospects.middle_distance(tables, self.is_enemy, number), 0.0
            )
        for number, galley in enumerate(self.galleys):
            if self.goal is not None and self.goal.has_destination(galley):
                heading, half_length = np.radians(tables.heading[number]), galley.kind.half_length_mm
                sin, cos = np.sin(heading), np.cos(heading)
                way = self.goal.way_to_goal(tables.x[number] - half_length * sin, tables.y[number] - half_length * cos)
                # 0 if the galley heads along the way, and 1 at right angles to it.
                off_course = np.where(way.left_mm > 0, 1.0 - sin * way.ux - cos * way.uy, 0.0)
                distances[number] = way.left_mm + turning_mm * off_course
        return distances

    def compute_gains(
        self,
        own_orders: Sequence[PartyOrders],
        enemy_orders: Sequence[PartyOrders],
        standing: StandingOrders = _DEFAULT_STANDING,
        *,
        caution: float = 0.0,
    ) -> Gains:
        """Simulate all own orders against all enemy orders, and return how good each pair is for either party.

        A gain is the worth of the table after the round, and more if the party ends near its enemies. `caution` is what
        the own party deducts for losing everything, regardless of the enemy's losses.
        """
        order_codes = self.order_numbers(own_orders, enemy_orders)
        outcomes = self.run_rounds(self.start.repeat(order_codes.shape[2]), order_codes, (standing,))
        shape = len(own_orders), len(enemy_orders)
        worth = self.judge_outcomes(outcomes).reshape(shape)
        turning = self.haste.turning_mm
        nearness = np.concatenate(
            [prospects.enemy_nearness(end.fleets, self.is_enemy, turning, self.round_land) for end in outcomes], axis=1
        )
        nearness = np.where(self.is_timid[:, None], -_AVOIDANCE_WORTH * nearness, nearness)
        own_nearness, enemy_nearness = (
            nearness[list(party)].mean(axis=0).reshape(shape) for party in (self.own, self.enemies)
        )
        own_lead = float(self._table_worth(self.start, *self._nothing_yet)[0])
        # A lead is from 0 to 1: 0.5 in an open game, where the fourth power makes an approach worth little.
        approach_worths = [
            _APPROACH_WORTH + self.haste.pressing_worth * max(0.0, 2.0 * lead - 1.0) ** 4
            for lead in (own_lead, 1.0 - own_lead)
        ]
        deduction = caution * self._lost_share(outcomes).reshape(shape) if caution else 0.0
        return Gains(
            own=worth + approach_worths[0] * own_nearness - deduction,
            enemy=1.0 - worth + approach_worths[1] * enemy_nearness,
        )

    @property
    def _nothing_yet(self) -> tuple[Floats, Bools]:
        """No hits, and no galley that ran on to land, for a table at the start of a round."""
        return np.zeros((2, len(self.galleys), 1)), np.zeros((len(self.galleys), 1), bool)

    def _lost_share(self, outcomes: Sequence[RoundsOutcome]) -> Floats:  # of the own party's oars and masts
        own_numbers = list(self.own)
        parts_after = np.concatenate([parts_left(end.fleets)[own_numbers].sum(axis=0) for end in outcomes])
        return np.asarray(1.0 - parts_after / parts_left(self.start)[own_numbers].sum())

    @property
    def round_land(self) -> prospects.DetourFunction | None:
        """The ways round land to each galley's present place; None on open water."""
        if not self.sea.shore:
            return None
        goals = [hull.hull_middle(galley.pose, galley.kind) for galley in self.galleys]
        return lambda number, x, y: fairway.find_detours(self.sea, goals[number], x, y)

    def advance_orders(self, party: Sequence[int]) -> PartyOrders:
        # Orders straight to each galley's destination or at the nearest enemy.
        opponents = [galley for galley in self.galleys if galley.side != self.galleys[party[0]].side]
        return tuple(self._advance_list(self.galleys[number], opponents) for number in party)

    def _advance_list(self, galley: Galley, opponents: Sequence[Galley]) -> str:
        if self.goal is not None and self.goal.has_destination(galley):
            return self.goal.straight_list(galley)
        return foresight.plain_list(galley, opponents, self.sea)

    def likely_lists(
        self, party: Sequence[int], most: int, pools: Mapping[int, OrderPool] = ANY_LISTS
    ) -> list[OrderPool]:
        """Return up to `most` lists for each galley of a party, best by rough estimate, plus lists that grapple.

        Only every second list is taken, because neighbours in the ranking are alike. `pools` has lists by galley
        number. Galleys without a pool choose from all legal lists.
        """
        opponents = self.own if party[0] in self.enemies else self.enemies
        guesses = [foresight.guessed_tracks(self.galleys[foe], self.sea) for foe in opponents]
        lists_by_galley = []
        for number in party:
            galley = self.galleys[number]
            pool = pools.get(number) or foresight.legal_lists(galley)
            track = foresight.pool_tracks(galley, pool, self.sea)
            value = foresight.list_worth(galley, pool, track, guesses) - foresight.reef_damage(galley, pool, self.sea)
            if self.goal is not None and self.goal.has_destination(galley):
                value = value + self.goal.list_worth(galley, pool, track)
            every_second_best = np.argsort(-np.round(value, 6), kind="stable")[: 2 * most : 2]
            grappling = self.grappling_lists(number, pool)[: max(1, most // _LISTS_PER_GRAPPLE)]
            lists_by_galley.append((*(pool[k] for k in every_second_best), *grappling))
        return lists_by_galley

    def grappling_lists(self, number: int, pool: OrderPool) -> OrderPool:
        galley = self.galleys[number]
        foes = [other for other in self.galleys if other.side != galley.side]
        return grapples.grappling_variants(galley, pool, foes, self.sea) if self.allows_boarding else ()


def split_groups(fleet: Sequence[Galley]) -> list[tuple[Galley, ...]]:  # of neighbours
    remaining, groups = list(fleet), []
    while remaining:
        companions = _nearest_galleys(remaining[:1], remaining[1:], _MAX_GROUP - 1)
        group = tuple(galley for galley in remaining if galley is remaining[0] or galley in companions)
        remaining = [galley for galley in remaining if galley not in group]
        groups.append(group)
    return groups


def local_battle(
    group: Sequence[Galley],
    galleys: Sequence[Galley],
    sea: Sea,
    decided: Mapping[str, str],  # lists of orders by galley id
    worth: WorthFunction,
    *,
    haste: ApproachWeights = _NO_HASTE,
    boarding: bool = False,
    sinks: SinkRule = "one_side",
    goal: ScenarioGoal | None = None,
) -> LocalBattle:
    """Return the battle around a group: the nearest enemies, and the nearest friend, who rows on unless `decided`."""
    side = group[0].side
    enemies = _nearest_galleys(group, [galley for galley in galleys if galley.side != side], _MAX_ENEMIES)
    friends = _nearest_galleys(group, [galley for galley in galleys if galley.side == side and galley not in group], 1)
    nearby = tuple(galley for galley in galleys if galley in (*group, *enemies, *friends))
    own_numbers, enemy_numbers, friend_numbers = (
        tuple(number for number, galley in enumerate(nearby) if galley in party) for party in (group, enemies, friends)
    )
    friends_orders = tuple(
        decided.get(galley.id) or make_legal("FFFFF", reach.max_moves(galley), galley.masts) for galley in friends
    )
    # Whether each fighting vessel outside the battle is an own one.
    are_own_reserves = [galley.side == side for galley in galleys if galley.kind.is_fighting and galley not in nearby]
    reserves = any(are_own_reserves), not all(are_own_reserves)
    start = many_rounds.fleet_table(nearby, sinks)
    return LocalBattle(
        nearby,
        sea,
        own_numbers,
        enemy_numbers,
        friend_numbers,
        friends_orders,
        start,
        worth,
        haste,
        boarding,
        goal,
        reserves,
    )


def _nearest_galleys(group: Sequence[Galley], candidates: Sequence[Galley], most: int) -> list[Galley]:
    def gap_and_id(galley: Galley) -> tuple[float, str]:
        return min(round(hull.hull_gap_mm(own, galley), 6) for own in group), galley.id

    return sorted(candidates, key=gap_and_id)[:most]


@cache
def make_legal(wanted: str, weaker: int, masts: int) -> str:
    """Return a list made legal: impossible orders are omitted, and required ones added (MB-3.4, 3.5, 3.7).

    `weaker` is the number of oars on the weaker side. A galley has that many moves, and a shot for each mast.
    """
    legal_orders = ""
    shots_left, moves_left = masts, weaker
    # A list that is too short is filled with moves, or with shots if no moves are left.
    for letter in wanted + "F" * SLOTS + "X" * SLOTS:
        if len(legal_orders) == SLOTS:
            break
        if letter == "X" and shots_left > 0:
            legal_orders += letter
            shots_left -= 1
        elif letter != "X" and moves_left > 0:
            legal_orders += letter
            moves_left -= 1
    return legal_orders

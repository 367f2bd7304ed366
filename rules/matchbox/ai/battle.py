"""A few galleys, the enemies near them, and what comes of orders: for computer captains who think before they order."""

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
from rules.matchbox.engine.state import SLOTS, Galley, StandingOrders

PartyOrders = tuple[str, ...]
"""A list of orders for each galley of one party."""
OrderPool = tuple[str, ...]
"""Lists of orders that one galley may be given."""
WorthFunction = Callable[[FleetTables, Floats, Bools, prospects.DetourFunction | None, Floats | float], Floats]
"""What tables are worth to the southern side, from 0 to 1: a function of `prospects`."""

_MAX_GROUP: Final = 2
"""Own galleys that are thought of together."""
_MAX_ENEMIES: Final = 3
"""Enemies that are minded, the nearest."""
_APPROACH_WORTH: Final = 0.02
"""What coming near the enemy is worth beside winning: nobody waits for ever."""
_AVOIDANCE_WORTH: Final = 3.0
"""And what keeping off the enemy is worth to a merchant, in such parts."""
_LISTS_PER_GRAPPLE: Final = 3
"""For so many likely lists one that grapples is thought of, too."""
_MAX_BATCH: Final = 4096
"""Simulated at a time."""
_DEFAULT_STANDING: Final = StandingOrders()
ANY_LISTS: Final[Mapping[int, OrderPool]] = {}
"""Pools of lists by galley for who makes no difference between all that are legal."""


class Gains(NamedTuple):
    """What each party gains by each of one's own orders against each of the enemy's: [mine, theirs]."""

    own: Floats
    enemy: Floats


def parts_left(of: FleetTables) -> Ints:
    """Oars and masts of each galley that is afloat: [galley, round]."""
    return np.asarray((of.port + of.starboard + of.masts) * of.afloat)


class ApproachWeights(NamedTuple):
    """How strongly a captain is drawn to the enemy, besides what rounds are worth."""

    turning_mm: float = 0.0
    """What a turn by a right angle costs, in mm."""
    pressing_worth: float = 0.0
    """What coming near is worth besides to who has as good as won."""


_NO_HASTE: Final = ApproachWeights()


class LocalBattle(NamedTuple):
    """The own galleys that are considered, and the galleys near them, by number."""

    galleys: tuple[Galley, ...]
    sea: Sea
    own: tuple[int, ...]
    enemies: tuple[int, ...]
    friends: tuple[int, ...]
    """Friends whose orders are known, or guessed."""
    friends_orders: PartyOrders
    """Orders of these."""
    start: FleetTables
    worth_function: WorthFunction
    """By which one judges how rounds end."""
    haste: ApproachWeights
    allows_boarding: bool = False
    """Whether galleys may be boarded (MX part 3)."""
    goal: ScenarioGoal | None = None
    """What is played for, if not to sink the enemy (MX part 5)."""
    reserves: tuple[bool, bool] = (True, True)
    """Whether the own side, and the enemy, has vessels that fight besides those considered."""

    @property
    def is_enemy(self) -> Bools:
        """Which of them are enemies."""
        return np.array([number in self.enemies for number in range(len(self.galleys))])

    @property
    def is_timid(self) -> Bools:
        """Which of them keep away from enemies, and have nowhere to go past them."""
        return np.array(
            [foresight.is_timid(one) and not (self.goal and self.goal.has_destination(one)) for one in self.galleys]
        )

    def order_numbers(self, mine: Sequence[PartyOrders], theirs: Sequence[PartyOrders]) -> Ints:
        """Every pair of orders: [step, galley, pair]."""
        doing = np.zeros((SLOTS, len(self.galleys), len(mine), len(theirs)), np.int64)
        for place, number in enumerate(self.own):
            doing[:, number] = np.array([many_rounds.order_numbers(joint[place]) for joint in mine]).T[:, :, None]
        for place, number in enumerate(self.enemies):
            doing[:, number] = np.array([many_rounds.order_numbers(joint[place]) for joint in theirs]).T[:, None, :]
        for place, number in enumerate(self.friends):
            doing[:, number] = np.array(many_rounds.order_numbers(self.friends_orders[place]))[:, None, None]
        return doing.reshape(SLOTS, len(self.galleys), -1)

    def run_rounds(
        self, start: FleetTables, doing: Ints, standing: Sequence[StandingOrders] = (_DEFAULT_STANDING,)
    ) -> list[RoundsOutcome]:
        """Carry out rounds, a part of them at a time, under one's own standing orders: the same in all, or one each."""
        names = {"nearest": NEAREST, "weakest": WEAKEST, **{self.galleys[foe].id: foe for foe in self.enemies}}
        target = np.full((len(self.galleys), len(standing)), NEAREST)
        fighting = np.zeros(target.shape, bool)
        # The preferred target may be too far off to be considered here.
        target[list(self.own)] = [names.get(one.target, NEAREST) for one in standing]
        fighting[list(self.own)] = [one.casualties == "fighting" for one in standing]
        sides, found = tuple(self.is_enemy.tolist()), []
        for begin in range(0, doing.shape[2], _MAX_BATCH):
            part = slice(begin, begin + _MAX_BATCH)
            under = part if len(standing) > 1 else slice(None)
            waters = RoundSetup(
                self.sea, sides, target[:, under], fighting[:, under], self.allows_boarding, self.galleys
            )
            found.append(many_rounds.run_rounds(start.pick_rounds(part), doing[:, :, part], waters))
        return found

    def judge_outcomes(self, outcomes: Sequence[RoundsOutcome]) -> Floats:
        """What each round's end is worth to one's own side, from 0 to 1."""
        return np.concatenate([self._table_worth(end.fleets, end.hits, end.beached) for end in outcomes])

    def _table_worth(self, of: FleetTables, hits: Floats, beached: Bools) -> Floats:
        """What tables are worth to one's own side; in a scenario, beside how things stand now."""
        if self.goal is None:
            return self.worth_function(self._without_hopeless(of), hits, self.is_enemy, self.round_land, 0.0)
        nobody, nothing = np.zeros((len(self.galleys), 1), bool), np.zeros((2, len(self.galleys), 1))
        now = prospects.win_log_odds(self.start, nothing, self.is_enemy, self.round_land)
        now = now + self.goal.log_odds(self.start, nobody, self.galleys, self.is_enemy)
        then = self.goal.log_odds(of, beached, self.galleys, self.is_enemy)
        return self.worth_function(of, hits, self.is_enemy, self.round_land, then - now[0])

    def _without_hopeless(self, of: FleetTables) -> FleetTables:
        """The tables as they count: the last of a side that fights takes with her all that don't (MX-2.9)."""
        fights = np.array([galley.kind.is_fighting for galley in self.galleys])
        if fights.all():
            return of
        afloat = of.afloat.copy()
        for side, has_more in zip((~self.is_enemy, self.is_enemy), self.reserves, strict=True):
            if not has_more:
                afloat[side & ~fights] &= of.afloat[side & fights].any(axis=0)
        return of._replace(afloat=afloat)

    def distances_mm(self, of: FleetTables, turning_mm: float) -> Floats:
        """How far each galley has to go to where she wants to be, or else to her nearest enemy, in mm: [galley, round].

        `turning_mm` is added for a turn by a right angle.
        """
        found = prospects.distance_to_enemy(of, self.is_enemy, turning_mm, self.round_land)
        for number in np.flatnonzero(self.is_timid).tolist():
            found[number] = np.maximum(
                foresight.SAFE_DISTANCE_MM - prospects.middle_distance(of, self.is_enemy, number), 0.0
            )
        for number, galley in enumerate(self.galleys):
            if self.goal is not None and self.goal.has_destination(galley):
                turned, half = np.radians(of.heading[number]), galley.kind.half_length_mm
                sin, cos = np.sin(turned), np.cos(turned)
                left = self.goal.way_to_goal(of.x[number] - half * sin, of.y[number] - half * cos)
                astray = np.where(left.left_mm > 0, 1.0 - sin * left.ux - cos * left.uy, 0.0)
                found[number] = left.left_mm + turning_mm * astray
        return found

    def compute_gains(
        self,
        mine: Sequence[PartyOrders],
        theirs: Sequence[PartyOrders],
        standing: StandingOrders = _DEFAULT_STANDING,
        *,
        caution: float = 0.0,
    ) -> Gains:
        """Carry out all orders against all, and see who is better off.

        `caution`: what one's own party takes off for the loss of all that it has, whatever that costs the enemy.
        """
        doing = self.order_numbers(mine, theirs)
        outcomes = self.run_rounds(self.start.repeat(doing.shape[2]), doing, (standing,))
        shape = len(mine), len(theirs)
        worth = self.judge_outcomes(outcomes).reshape(shape)
        turning = self.haste.turning_mm
        near = np.concatenate(
            [prospects.enemy_nearness(end.fleets, self.is_enemy, turning, self.round_land) for end in outcomes], axis=1
        )
        near = np.where(self.is_timid[:, None], -_AVOIDANCE_WORTH * near, near)
        mine_near, theirs_near = (near[list(party)].mean(axis=0).reshape(shape) for party in (self.own, self.enemies))
        nothing = np.zeros((2, len(self.galleys), 1))
        ahead = float(self._table_worth(self.start, nothing, np.zeros((len(self.galleys), 1), bool))[0])
        # By the fourth power, so that it hardly counts as long as anything is open.
        eager = [
            _APPROACH_WORTH + self.haste.pressing_worth * max(0.0, 2.0 * lead - 1.0) ** 4
            for lead in (ahead, 1.0 - ahead)
        ]
        wary = caution * self._lost_share(outcomes).reshape(shape) if caution else 0.0
        return Gains(worth + eager[0] * mine_near - wary, 1.0 - worth + eager[1] * theirs_near)

    def _lost_share(self, outcomes: Sequence[RoundsOutcome]) -> Floats:
        """The share of its oars and masts that one's own party has lost by each round's end, from 0 to 1."""
        mine = list(self.own)
        left = np.concatenate([parts_left(end.fleets)[mine].sum(axis=0) for end in outcomes])
        return np.asarray(1.0 - left / parts_left(self.start)[mine].sum())

    @property
    def round_land(self) -> prospects.DetourFunction | None:
        """The ways round land to where each galley is now; None on open water."""
        if not self.sea.shore:
            return None
        goals = [hull.hull_middle(galley.pose, galley.kind) for galley in self.galleys]
        return lambda number, x, y: fairway.find_detours(self.sea, goals[number], x, y)

    def advance_orders(self, party: Sequence[int]) -> PartyOrders:
        """The orders of a party that comes straight on, and fires when in range."""
        against = [galley for galley in self.galleys if galley.side != self.galleys[party[0]].side]
        return tuple(self._advance_list(self.galleys[number], against) for number in party)

    def _advance_list(self, galley: Galley, against: Sequence[Galley]) -> str:
        """Orders straight to where she wants to be, or else at the enemy."""
        if self.goal is not None and self.goal.has_destination(galley):
            return self.goal.straight_list(galley)
        return foresight.plain_list(galley, against, self.sea)

    def likely_lists(
        self, party: Sequence[int], most: int, pools: Mapping[int, OrderPool] = ANY_LISTS
    ) -> list[OrderPool]:
        """As many lists for each galley of a party, the best by rough measure; no two that are nearly the same.

        They come from pools by galley, or from all lists there are.
        """
        against = self.enemies if party[0] not in self.enemies else self.own
        guesses = [foresight.guessed_tracks(self.galleys[foe], self.sea) for foe in against]
        found = []
        for number in party:
            galley = self.galleys[number]
            pool = pools.get(number) or foresight.legal_lists(galley)
            track = foresight.pool_tracks(galley, pool, self.sea)
            value = foresight.list_worth(galley, pool, track, guesses) - foresight.reef_damage(galley, pool, self.sea)
            if self.goal is not None and self.goal.has_destination(galley):
                value = value + self.goal.list_worth(galley, pool, track)
            best = np.argsort(-np.round(value, 6), kind="stable")[: 2 * most : 2]
            found.append(
                (*(pool[k] for k in best), *self.grappling_lists(number, pool)[: max(1, most // _LISTS_PER_GRAPPLE)])
            )
        return found

    def grappling_lists(self, number: int, pool: OrderPool) -> OrderPool:
        """Lists of a galley that grapple, made of some that fire; the most promising first."""
        galley = self.galleys[number]
        foes = [one for one in self.galleys if one.side != galley.side]
        return grapples.grappling_variants(galley, pool, foes, self.sea) if self.allows_boarding else ()


def split_groups(fleet: Sequence[Galley]) -> list[tuple[Galley, ...]]:
    """Part a fleet into small groups of neighbours, each in galley order."""
    left, found = list(fleet), []
    while left:
        near = _nearest_galleys(left[:1], left[1:], _MAX_GROUP - 1)
        group = tuple(galley for galley in left if galley is left[0] or galley in near)
        left = [galley for galley in left if galley not in group]
        found.append(group)
    return found


def local_battle(
    group: Sequence[Galley],
    galleys: Sequence[Galley],
    sea: Sea,
    decided: Mapping[str, str],
    worth: WorthFunction,
    *,
    haste: ApproachWeights = _NO_HASTE,
    boarding: bool = False,
    goal: ScenarioGoal | None = None,
) -> LocalBattle:
    """See who is near a group; friends whose orders are not known are taken to row on."""
    side = group[0].side
    foes = _nearest_galleys(group, [one for one in galleys if one.side != side], _MAX_ENEMIES)
    friends = _nearest_galleys(group, [one for one in galleys if one.side == side and one not in group], 1)
    there = tuple(one for one in galleys if one in (*group, *foes, *friends))
    mine, against, others = (
        tuple(number for number, one in enumerate(there) if one in party) for party in (group, foes, friends)
    )
    given = tuple(decided.get(one.id) or make_legal("FFFFF", reach.max_moves(one), one.masts) for one in friends)
    more = [one.side == side for one in galleys if one.kind.is_fighting and one not in there]
    reserves = any(more), not all(more)
    start = many_rounds.fleet_table(there)
    return LocalBattle(there, sea, mine, against, others, given, start, worth, haste, boarding, goal, reserves)


def _nearest_galleys(to: Sequence[Galley], of: Sequence[Galley], most: int) -> list[Galley]:
    return sorted(of, key=lambda one: (min(round(hull.hull_gap_mm(own, one), 6) for own in to), one.id))[:most]


@cache
def make_legal(wanted: str, weaker: int, masts: int) -> str:
    """Make a list legal: leave out what cannot be done, and add what must be (MB-3.4, 3.5, 3.7)."""
    drawn, left = "", {True: masts, False: weaker}
    for letter in wanted + "F" * SLOTS + "X" * SLOTS:
        if left[letter == "X"] > 0 and len(drawn) < SLOTS:
            drawn += letter
            left[letter == "X"] -= 1
    return drawn

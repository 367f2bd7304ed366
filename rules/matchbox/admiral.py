"""The admiral: plays a round as what it is, a game in which both sides choose at once.

He gathers orders for his galleys and for those of the enemy near them, carries out all against all (`simulator`), and
mixes both sides' orders so that neither would depart from its mixture (`mixing`). Then he looks for better replies to
these mixtures, adds them, and mixes anew; of the orders that are left he looks a second round ahead. He reckons, to a
part, with an enemy who plays the first that comes to mind. What he orders is drawn from his own mixture, so that he
cannot be read. How much he thinks is counted, never timed: his answer depends on nothing but what he sees and his seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, Literal, NamedTuple

import numpy as np

from rules.matchbox import damage, foresight, hull, mixing, placing, prospects, simulator
from rules.matchbox.hulls import Bools, Floats, Ints
from rules.matchbox.simulator import NEAREST, WEAKEST, Fleets, Outcome, Waters
from rules.matchbox.state import SLOTS, FleetOrders, Galley, OrderList, Placement, Question, Standing
from rules.matchbox.view import TableView

Joint = tuple[str, ...]
"""A list of orders for each galley of one party."""

_GROUP: Final = 2
"""Own galleys that are thought of together."""
_FOES: Final = 3
"""Enemies that are minded, the nearest."""
_FIRST: Final = 14
"""Orders of each party to begin with."""
_SEARCHES: Final = 2
_TRIED: Final = (400, 90)
"""Lists that are tried as better replies: for the galley of a party of one, and for each of a greater one."""
_AGAINST: Final = 4
"""The enemy's orders that they are tried against, the likeliest."""
_ADDED: Final = 4
_DEEP: Final = 5
"""Orders of each party of which a second round is looked at."""
_TURNS: Final = (300, 100)
"""Of regret matching, in the first round and the second."""
_TRUST: Final = 0.5
"""How much the second round counts beside the first."""
_RARE: Final = 0.06
"""Orders that are hardly ever to be given are not given."""
_PLAIN: Final = 0.35
"""How much he reckons with an enemy who plays the first that comes to mind, and not as the mixture has it."""
_EAGER: Final = 0.02
"""What coming near the enemy is worth beside winning: nobody waits for ever."""
_ROUNDS: Final = 4096
"""Simulated at a time."""
_SECOND: Final = ("FFFFF", "LFFFF", "RFFFF", "XXXXF", "FXXXX", "LLFFF", "RRFFF", "FFXXX", "LFXXX", "RFXXX")
"""Orders of a second round."""
_CASUALTIES: Final[tuple[Literal["seaworthy", "fighting"], ...]] = ("seaworthy", "fighting")


_USUAL: Final = Standing()
_TYPES: Final = (5, 5, 4, 4)
"""Oar holes of the types that he takes, equally often: 6/2 have lost to either in most games (docs/balance.md)."""


class _Battle(NamedTuple):
    """One's own galleys that are thought of, and whoever is near them. Galleys go by their numbers."""

    galleys: tuple[Galley, ...]
    table: tuple[float, float]
    mine: tuple[int, ...]
    foes: tuple[int, ...]
    others: tuple[int, ...]
    """Friends whose orders are known, or guessed."""
    given: Joint
    """Orders of these."""
    start: Fleets

    @property
    def enemy(self) -> Bools:
        """Which of them are enemies."""
        return np.array([number in self.foes for number in range(len(self.galleys))])

    def run(self, start: Fleets, doing: Ints, standing: Standing = _USUAL) -> list[Outcome]:
        """Carry out rounds, a part of them at a time, under one's own standing orders."""
        count = len(self.galleys)
        names = {"nearest": NEAREST, "weakest": WEAKEST, **{self.galleys[foe].id: foe for foe in self.foes}}
        target, fighting = np.full((count, 1), NEAREST), np.zeros((count, 1), bool)
        target[list(self.mine)], fighting[list(self.mine)] = names[standing.target], standing.casualties == "fighting"
        waters = Waters(self.table, tuple(self.enemy.tolist()), target, fighting)
        parts = [slice(begin, begin + _ROUNDS) for begin in range(0, doing.shape[2], _ROUNDS)]
        return [simulator.run(start.pick(part), doing[:, :, part], waters) for part in parts]

    def chances(self, outcomes: Sequence[Outcome]) -> Floats:
        """How likely one's own side wins after each round."""
        return np.concatenate([prospects.chances(end.fleets, end.hits, self.enemy) for end in outcomes])


class _Mix(NamedTuple):
    """What a party might order, and how often it should."""

    orders: Sequence[Joint]
    weights: Floats


class _Gains(NamedTuple):
    """What each party gains by each of one's own orders against each of the enemy's: [mine, theirs]."""

    mine: Floats
    theirs: Floats

    def mixed(self) -> tuple[Floats, Floats]:
        """The mixtures of both parties."""
        mix = mixing.equilibria(self.mine[None], self.theirs[None], _TURNS[0])
        return mix.first[0], mix.second[0]


def placement(view: TableView, seat: int, rng: np.random.Generator) -> Placement:
    """Set galleys down side by side, so that they meet the enemy together; where allies are to come, as proposed."""
    side = view.sides[seat]
    asked = [galley for galley in view.galleys if galley.id in view.to_place]
    fleet = [galley for galley in view.galleys if galley.side == side and galley not in asked]
    alone = view.sides.count(side) == 1 and view.berth is not None
    placed = []
    for number, galley in enumerate(asked):
        holes = int(rng.choice(_TYPES))
        new = placing.new_galley(galley.id, seat, side, holes, galley.pose)
        if alone and view.berth is not None and fleet:
            where = placing.Berth(side, *view.berth, view.width_mm, view.height_mm)
            beside = sum(other.pose.x_mm for other in fleet) / len(fleet)
            to_come = len(view.to_place) - number - 1
            new = placing.propose(galley.id, seat, holes, fleet, where, to_come=to_come, wish_x_mm=round(beside, 3))
        placed.append(new)
        fleet.append(new)
    return Placement(tuple(placed))


def decision(view: TableView, question: Question) -> str | None:
    """Choose whom to fire at, and what to lose, as it leaves him best; None: he has no opinion of his own."""
    side = view.sides[question.seat]
    names = [galley.id for galley in view.galleys]
    tables: list[tuple[tuple[Galley, ...], int | None]] = []
    if question.kind == "target":
        tables = [(view.galleys, names.index(choice)) for choice in question.choices]
    elif question.kind == "casualties":
        hurt = names.index(question.galley)
        for choice in question.choices:
            port, starboard, masts = map(int, choice.replace("+", "-").split("-"))
            lost = damage.lose(view.galleys[hurt], (port, starboard, masts))
            tables.append(((*view.galleys[:hurt], lost, *view.galleys[hurt + 1 :]), None))
    if not tables:
        return None
    enemy = np.array([galley.side != side for galley in view.galleys])
    worth = []
    for galleys, target in tables:
        hits = np.zeros((2, len(galleys), 1))
        if target is not None:
            hits[:, target] = 0.5
        worth.append(round(float(prospects.chances(simulator.fleets(galleys), hits, enemy)[0]), 9))
    return question.choices[worth.index(max(worth))]


def fleet_orders(view: TableView, seat: int, rng: np.random.Generator) -> FleetOrders:
    """Give orders to a captain's galleys, a few at a time, and standing orders to go with them."""
    decided: dict[str, str] = {}
    standing = Standing()
    fleet = [galley for galley in view.galleys if galley.seat == seat]
    for group in _groups(fleet):
        battle = _battle(view, group, decided)
        mine, theirs = _think(battle, rng)
        drawn = _draw(mine, rng)
        decided.update(zip((galley.id for galley in group), drawn, strict=True))
        standing = _standing(battle, drawn, theirs)
    lists = [OrderList(one.id, decided[one.id], ((0, 0),) * decided[one.id].count("ZZ")) for one in fleet]
    return FleetOrders(tuple(lists), standing)


def _groups(fleet: Sequence[Galley]) -> list[tuple[Galley, ...]]:
    """Part a fleet into small groups of neighbours, each in galley order."""
    left, groups = list(fleet), []
    while left:
        near = _nearest(left[:1], left[1:], _GROUP - 1)
        group = tuple(galley for galley in left if galley is left[0] or galley in near)
        left = [galley for galley in left if galley not in group]
        groups.append(group)
    return groups


def _nearest(to: Sequence[Galley], of: Sequence[Galley], most: int) -> list[Galley]:
    return sorted(of, key=lambda one: (min(round(hull.gap_mm(own.pose, one.pose), 6) for own in to), one.id))[:most]


def _battle(view: TableView, group: Sequence[Galley], decided: dict[str, str]) -> _Battle:
    """See who is near a group; friends whose orders are not known are taken to row on."""
    side = group[0].side
    foes = _nearest(group, [one for one in view.galleys if one.side != side], _FOES)
    friends = _nearest(group, [one for one in view.galleys if one.side == side and one not in group], 1)
    galleys = tuple(one for one in view.galleys if one in (*group, *foes, *friends))
    mine, against, others = (
        tuple(number for number, one in enumerate(galleys) if one in party) for party in (group, foes, friends)
    )
    given = tuple(decided.get(one.id) or _cut("FFFFF", min(one.port, one.starboard), one.masts) for one in friends)
    return _Battle(galleys, (view.width_mm, view.height_mm), mine, against, others, given, simulator.fleets(galleys))


# --- thinking --------------------------------------------------------------------------------------------------------


def _think(battle: _Battle, rng: np.random.Generator) -> tuple[_Mix, _Mix]:
    """Find both parties' mixtures of orders."""
    mine = _first(battle, battle.mine, battle.foes, rng)
    theirs = _first(battle, battle.foes, battle.mine, rng)
    plain = len(theirs)
    gains = _humbled(_gains(battle, mine, theirs), plain)
    for _ in range(_SEARCHES):
        for_me, for_them = gains.mixed()
        mix, against = _Mix(tuple(mine), for_me), _Mix(tuple(theirs), for_them)
        mine += _better(mine, _replies(battle, battle.mine, mix, against, rng))
        theirs += _better(theirs, _replies(battle, battle.foes, against, mix, rng))
        gains = _humbled(_gains(battle, mine, theirs), plain)
    kept = [np.sort(np.argsort(-weights, kind="stable")[:_DEEP]) for weights in gains.mixed()]
    mine, theirs = [mine[k] for k in kept[0]], [theirs[k] for k in kept[1]]
    now, later = _Gains(*(gain[np.ix_(*kept)] for gain in gains)), _later(battle, mine, theirs)
    gains = _Gains(now.mine + _TRUST * (later - now.mine), now.theirs + _TRUST * (1.0 - later - now.theirs))
    return _Mix(mine, gains.mixed()[0]), _Mix(theirs, gains.mixed()[1])


def _draw(mix: _Mix, rng: np.random.Generator) -> Joint:
    kept = np.where(mix.weights >= min(_RARE, mix.weights.max()), mix.weights, 0.0)
    return mix.orders[int(rng.choice(len(kept), p=kept / kept.sum()))]


def _better(known: Sequence[Joint], found: Sequence[tuple[float, Joint]]) -> list[Joint]:
    """The best of the replies that are not known yet."""
    ranked = sorted(found, key=lambda reply: -round(reply[0], 9))
    return [joint for joint in dict.fromkeys(joint for _, joint in ranked) if joint not in known][:_ADDED]


def _humbled(gains: _Gains, plain: int) -> _Gains:
    """Reckon with an enemy who may play any of the first `plain` orders, which came to mind."""
    likely = gains.mine[:, :plain].mean(axis=1, keepdims=True)
    return gains._replace(mine=gains.mine + _PLAIN * (likely - gains.mine))


def _first(battle: _Battle, party: Sequence[int], others: Sequence[int], rng: np.random.Generator) -> list[Joint]:
    """Orders to begin with: straight at the enemy, and whatever is best by rough measure."""
    foes = [battle.galleys[other] for other in others]
    guesses = [foresight.guesses(foe, battle.table) for foe in foes]
    short = []
    for number in party:
        galley = battle.galleys[number]
        pool = foresight.lists(galley)
        value = foresight.worth(galley, pool, foresight.track(galley, pool, battle.table), guesses, [])
        best = np.argsort(-np.round(value, 6), kind="stable")[: 2 * _FIRST : 2]
        short.append([pool[k] for k in best])
    joints = [tuple(foresight.advance(battle.galleys[number], foes, battle.table) for number in party)]
    joints += [tuple(lists[k % len(lists)] for lists in short) for k in range(2)]
    joints += [tuple(lists[int(rng.integers(len(lists)))] for lists in short) for _ in range(_FIRST - len(joints))]
    return list(dict.fromkeys(joints))


def _replies(
    battle: _Battle, party: Sequence[int], own: _Mix, against: _Mix, rng: np.random.Generator
) -> list[tuple[float, Joint]]:
    """Try other lists for one galley at a time; each with what it gains against the enemy's mixture."""
    top = np.argsort(-against.weights, kind="stable")[:_AGAINST]
    weights, enemy = against.weights[top] / against.weights[top].sum(), [against.orders[k] for k in top]
    tried: list[Joint] = []
    for place, number in enumerate(party):
        pool = foresight.lists(battle.galleys[number])
        base = own.orders[int(rng.choice(len(own.orders), p=own.weights))]
        picked = rng.choice(len(pool), min(len(pool), _TRIED[len(party) > 1]), replace=False)
        tried += [(*base[:place], pool[k], *base[place + 1 :]) for k in picked]
    if party is battle.mine:
        value = _gains(battle, tried, enemy).mine @ weights
    else:
        value = weights @ _gains(battle, enemy, tried).theirs
    return list(zip(value.tolist(), tried, strict=True))


def _gains(battle: _Battle, mine: Sequence[Joint], theirs: Sequence[Joint]) -> _Gains:
    """Carry out all orders against all, and see who is better off."""
    doing = _doing(battle, mine, theirs)
    outcomes = battle.run(battle.start.spread(doing.shape[2]), doing)
    shape = len(mine), len(theirs)
    chance = battle.chances(outcomes).reshape(shape)
    near = np.concatenate([prospects.nearness(end.fleets, battle.enemy) for end in outcomes], axis=1)
    mine_near, theirs_near = (near[list(party)].mean(axis=0).reshape(shape) for party in (battle.mine, battle.foes))
    return _Gains(chance + _EAGER * mine_near, 1.0 - chance + _EAGER * theirs_near)


def _doing(battle: _Battle, mine: Sequence[Joint], theirs: Sequence[Joint]) -> Ints:
    """Lay out every pair of orders: [step, galley, pair]."""
    doing = np.zeros((SLOTS, len(battle.galleys), len(mine), len(theirs)), np.int64)
    for place, number in enumerate(battle.mine):
        doing[:, number] = np.array([simulator.doings(joint[place]) for joint in mine]).T[:, :, None]
    for place, number in enumerate(battle.foes):
        doing[:, number] = np.array([simulator.doings(joint[place]) for joint in theirs]).T[:, None, :]
    for place, number in enumerate(battle.others):
        doing[:, number] = np.array(simulator.doings(battle.given[place]))[:, None, None]
    return doing.reshape(SLOTS, len(battle.galleys), -1)


# --- the second round ------------------------------------------------------------------------------------------------


def _later(battle: _Battle, mine: Sequence[Joint], theirs: Sequence[Joint]) -> Floats:
    """How likely one's own side wins if a second round follows each pair of orders: [mine, theirs].

    In it every galley of a side has a plan of the same number, but plans are handed round from galley to galley.
    """
    doing = _doing(battle, mine, theirs)
    ends = battle.run(battle.start.spread(doing.shape[2]), doing)
    tables = [prospects.settled(end.fleets, end.hits) for end in ends]
    after = Fleets._make(np.concatenate(columns, axis=1) for columns in zip(*tables, strict=True))
    count, cells, plans = len(battle.galleys), doing.shape[2], len(_SECOND)
    second = np.zeros((SLOTS, count, cells, plans, plans), np.int64)
    weaker = np.maximum(np.minimum(after.port, after.starboard), 0)
    for number in range(count):
        own = np.stack(
            [_plans(int(oars), int(masts)) for oars, masts in zip(weaker[number], after.masts[number], strict=True)],
            axis=1,
        )
        turned = np.roll(own, 3 * number, axis=2)
        second[:, number] = turned[:, :, None, :] if battle.enemy[number] else turned[:, :, :, None]
    start = after.pick(np.repeat(np.arange(cells), plans * plans))
    chance = battle.chances(battle.run(start, second.reshape(SLOTS, count, -1)))
    worth = mixing.values(chance.reshape(cells, plans, plans), _TURNS[1])
    return worth.reshape(len(mine), len(theirs))


@cache
def _plans(weaker: int, masts: int) -> Ints:
    """What a galley can still do of each plan: [step, plan]."""
    plans = np.array([simulator.doings(_cut(plan, weaker, masts)) for plan in _SECOND]).T
    plans.setflags(write=False)
    return plans


@cache
def _cut(wanted: str, weaker: int, masts: int) -> str:
    """Make a list legal: leave out what cannot be done, and add what must be (MB-3.4, 3.5, 3.7)."""
    drawn, left = "", {True: masts, False: weaker}
    for letter in wanted + "F" * SLOTS + "X" * SLOTS:
        if left[letter == "X"] > 0 and len(drawn) < SLOTS:
            drawn += letter
            left[letter == "X"] -= 1
    return drawn


# --- standing orders -------------------------------------------------------------------------------------------------


def _standing(battle: _Battle, drawn: Joint, theirs: _Mix) -> Standing:
    """Choose the standing orders that go best with what was drawn, against the enemy's mixture."""
    doing = _doing(battle, [drawn], theirs.orders)
    start = battle.start.spread(doing.shape[2])
    targets = ("nearest", "weakest", *(battle.galleys[foe].id for foe in battle.foes))
    found = [
        Standing(target=target, casualties=casualties)
        for target in (targets if len(battle.foes) > 1 else targets[:1])
        for casualties in _CASUALTIES
    ]
    worth = [round(float(battle.chances(battle.run(start, doing, one)) @ theirs.weights), 6) for one in found]
    return found[worth.index(max(worth))]

"""A good captain: rams when the odds pay, keeps out of reach of beaks, keeps the line, withdraws the crippled.

Of each galley he looks at every place that she can reach, ahead or by turning, and at every attack from there. What is
to be won is weighed against what the enemy could do to her there, both in victory points; between equals the way is
shorter. Galleys are given their orders one after the other, those first that can win most; whoever follows finds the
others where they will be. He knows nothing but the position, and throws no dice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, cast

from msgspec import structs

from rules.hexes import Hex
from rules.squadrons import anastrophe, avoiding, grappling, grid, missiles, moves, phases, raking, ramming
from rules.squadrons.captains import danger, reach
from rules.squadrons.captains.danger import Dangers
from rules.squadrons.grid import Place
from rules.squadrons.odds import Odds
from rules.squadrons.orders import (
    Anastrophe,
    Cut,
    Fire,
    Flank,
    Grapple,
    Line,
    Move,
    Rake,
    Ram,
    Shot,
    Speed,
    Step,
    Through,
)
from rules.squadrons.play import Run
from rules.squadrons.state import Position, Ship, order_of
from rules.squadrons.tables import board_need

Attack = Literal["ram", "rake", "grap", "X", "ana", ""]

CRIPPLED: Final = 0.35
"""What crippling a galley is worth, as a part of her value."""
HELD: Final = 0.3
"""What it is worth besides that a rammed galley can do no more harm."""
TIRED: Final = 0.12
"""What it is worth that a galley has avoided: she is tired, and cannot ram in this turn."""
COLLISION: Final = 0.8
"""Victory points that a failed ram costs."""
PULL: Final = 0.22
"""Victory points for each hex that a fit galley comes nearer."""
HARD: Final = 0.25
"""Victory points that rowing at Max costs, as the crew may tire."""
FEAR: Final = 0.9
"""How much an own galley that may be rammed counts, at first; it falls with the turns, so that battles end."""
BOLDER: Final = 0.05
LEAST_FEAR: Final = 0.35
FLAG: Final = 3.0
"""Victory points that a leader aboard is worth."""
_OUT: Final = 8
"""Hexes from the enemy at which a galley that cannot fight is far enough."""


class Plan(NamedTuple):
    """What a galley could do, and what it is worth."""

    worth: float
    speed: Speed
    line: Line
    place: Place
    attack: Attack = ""
    target: str = ""
    odds: Odds | None = None
    gain: float = 0.0
    """Of the attack alone."""


Decided = list[tuple[Ship, Plan]]
"""What the galleys of a squadron do, in the order in which they act."""


class Mind:
    """What a captain thinks of a position while he gives his orders."""

    def __init__(self, position: Position, side: str, *, speeds_set: bool) -> None:
        self.position = position
        self.side = side
        self.speeds_set = speeds_set
        self.dangers: Dangers = danger.dangers(position, side, speeds_set=speeds_set)
        self.fear = max(LEAST_FEAR, FEAR - BOLDER * position.turn)
        self.attacked: dict[str, float] = {}
        """How likely each enemy is already rammed or taken by those who act before."""
        self._far: dict[tuple[Hex, ...], dict[Hex, int]] = {}
        self.warned: set[str] = set()
        """Enemies who have had a chance to avoid somebody."""

    # --- what things are worth -----------------------------------------------------------------------------------

    def value(self, ship: Ship) -> float:
        """The victory points that a galley would bring who rams or takes her."""
        scored = ship.rammed or ship.held in ("CAP", "CAP0")
        flag = FLAG if self.position.aboard(ship.id) else 0.0
        worth = (1.0 if scored else ship.rd + flag) * (1 - self.attacked.get(ship.id, 0.0))
        return worth if ship.side == ship.builder else max(1.0, worth)

    def hits(self, target: Ship, chance: float) -> float:
        """What a declared attack is worth by the chance that it meets its target at all."""
        if not avoiding.fit(self.position, target) or target.id in self.warned:
            return chance
        return chance * (1 - target.crew / 6)

    def loss(self, ship: Ship, place: Place, *, helpless: bool = False, spared: str = "") -> float:
        """What is to be feared for a galley at a place."""
        if ship.rammed:
            return 0.0
        flag = FLAG if self.position.aboard(ship.id) else 0.0
        return self.fear * (ship.rd + flag) * danger.loss(self.dangers, ship, place, helpless=helpless, spared=spared)

    # --- one galley ----------------------------------------------------------------------------------------------

    def best(self, ship: Ship, *, fixed: bool) -> Plan:
        """The best that a galley can do; `fixed`: at the speed that she has."""
        if self.position.immobile(ship):
            return self.held(ship)
        speeds: tuple[Speed, ...] = (ship.speed,)
        if not fixed:
            speeds = ("C",) if phases.max_barred(self.position, ship) else ("C", "M")
        return max(
            (plan for speed in speeds for plan in self.plans(structs.replace(ship, speed=speed))),
            key=lambda plan: (plan.worth, -len(plan.line.steps)),
        )

    def plans(self, ship: Ship) -> Iterator[Plan]:
        """All that a galley can do at her speed."""
        position = with_ship(self.position, ship)
        layers = reach.ahead(ship, reach.points(position, ship), reach.free(position, ship))
        cost = HARD if ship.speed == "M" else 0.0
        targets = [one for one in position.ships if one.afloat and one.side != ship.side]
        for plan in (*self.rams(position, ship, layers, targets), *self.rakes(position, ship, layers, targets)):
            yield plan._replace(worth=plan.worth - cost)
        if ship.speed == "C":
            yield from self.grapples(position, ship, layers, targets)
        else:
            for plan in self.turning_rams(position, ship, targets):
                yield plan._replace(worth=plan.worth - cost)
        yield from (plan._replace(worth=plan.worth - cost) for plan in self.rows(position, ship, layers, targets))

    def rams(
        self, position: Position, ship: Ship, layers: Sequence[reach.Layer], targets: Sequence[Ship]
    ) -> Iterator[Plan]:
        """The best ram upon each enemy."""
        if ramming.unfit(position, Run(ship.id), ship):
            return
        for target in targets:
            value = self.value(target)
            if value <= 1.0 or target.aground:
                continue
            best: Plan | None = None
            for bow, facing in reach.ram_places(target):
                for used, layer in enumerate(layers):
                    for turns in range(reach.MANY + 1):
                        codes = layer.get(reach.There(bow, facing, turns))
                        if codes is None:
                            continue
                        run = Run(ship.id, used=used, turns=turns)
                        odds = ramming.odds(position, run, target.id)
                        hit = self.hits(target, odds.chance)
                        if not odds.need or (best and best.odds and odds.chance < best.odds.chance):
                            continue
                        met = hit / odds.chance if odds.chance else 0.0
                        gain = hit * value * (1 + HELD) - (met - hit) * COLLISION + (1 - met) * TIRED * target.rd
                        place = Place(bow, facing)
                        spared = target.id if hit > 1 / 2 else ""
                        risk = self.loss(ship, place, helpless=True, spared=spared)
                        plan = _attack(ship, codes, place, Ram(target.id), odds=odds, gain=gain, risk=risk)
                        if best is None or plan.worth > best.worth:
                            best = plan
            if best:
                yield best

    def rakes(
        self, position: Position, ship: Ship, layers: Sequence[reach.Layer], targets: Sequence[Ship]
    ) -> Iterator[Plan]:
        """Rakes at the end of a way, and passes from where she lies or comes to lie."""
        if raking.unfit(position, ship):
            return
        for target in targets:
            value = self.value(target)
            if target.crippled or value <= 1.0:
                continue
            for bow, facing in reach.rake_places(target):
                before = grid.step(bow, facing + 3)
                for used, layer in enumerate(layers[:-1]):
                    for turns in range(reach.MANY + 1):
                        codes = layer.get(reach.There(before, facing, turns))
                        if codes is None or reach.There(bow, facing, turns) not in layers[used + 1]:
                            continue
                        odds = raking.odds(position, Run(ship.id), target.id)
                        gain = self.hits(target, odds.chance) * value * CRIPPLED
                        place = Place(bow, facing)
                        risk = self.loss(ship, place)
                        yield _attack(ship, codes + "F", place, Rake(target.id), odds=odds, gain=gain, risk=risk)
            if ship.speed == "M":
                yield from self._passes(position, ship, layers, target)

    def _passes(self, position: Position, ship: Ship, layers: Sequence[reach.Layer], target: Ship) -> Iterator[Plan]:
        around = target.beside
        doors = ((around.bow, (target.facing + 3) % 6), (around.stern, target.facing))
        for used, layer in enumerate(layers):
            for bow, facing in doors:
                for turns in range(reach.MANY + 1):
                    codes = layer.get(reach.There(bow, facing, turns))
                    if codes is None:
                        continue
                    there = structs.replace(ship, bow=bow, facing=facing)
                    run = Run(ship.id, announced=ship.max, used=used)
                    run.last = cast("Any", codes[-1:])
                    lying = with_ship(position, there)
                    for side in cast("tuple[Flank, ...]", ("p", "s")):
                        order = Through(target.id, side)
                        if raking.through_barred(lying, run, order):
                            continue
                        odds = raking.odds(lying, run, target.id)
                        gain = self.hits(target, odds.chance) * self.value(target) * CRIPPLED
                        place = raking.passed(there, target)
                        risk = self.loss(ship, place)
                        yield _attack(ship, codes, place, order, odds=odds, gain=gain, risk=risk)

    def turning_rams(self, position: Position, ship: Ship, targets: Sequence[Ship]) -> Iterator[Plan]:
        """Anastrophes from where she lies."""
        if not ship.kind.asterisk:
            return
        run = Run(ship.id, announced=ship.max)
        for target in targets:
            for side in cast("tuple[Flank, ...]", ("p", "s")):
                for through in (False, True):
                    order = Anastrophe(target.id, side, through)
                    if anastrophe.barred(position, run, order):
                        continue
                    rake = raking.odds(position, run, target.id)
                    full = Run(ship.id, used=ship.max)
                    odds = ramming.odds(position, full, target.id, anastrophe=True)
                    value = self.value(target)
                    chance = self.hits(target, odds.chance)
                    gain = chance * value * (1 + HELD) + self.hits(target, rake.chance) * CRIPPLED * value * (
                        1 - chance
                    )
                    place = anastrophe.placed(target, side)
                    spared = target.id if chance > 1 / 2 else ""
                    risk = self.loss(ship, place, helpless=True, spared=spared)
                    yield _attack(ship, "", place, order, odds=odds, gain=gain, risk=risk)

    def grapples(
        self, position: Position, ship: Ship, layers: Sequence[reach.Layer], targets: Sequence[Ship]
    ) -> Iterator[Plan]:
        """Grapples by a galley whose men outnumber the enemy's."""
        if ship.m < 1:
            return
        for target in targets:
            helpers = sum(
                position.ship(name).m
                for name in position.grappled_to(target.id)
                if position.ship(name).side == ship.side
            )
            need = board_need(ship.m + helpers, target.m)
            value = self.value(target)
            if not need or value <= 1.0:
                continue
            board = Odds(need, 2).chance
            near = {there for here in target.hexes for there in grid.neighbours(here)}
            seen: set[Place] = set()
            for used, layer in enumerate(layers):
                for there, codes in layer.items():
                    if there.place in seen or near.isdisjoint(there.place.hexes(ship.size)):
                        continue
                    seen.add(there.place)
                    lying = structs.replace(ship, bow=there.bow, facing=there.facing)
                    if not grappling.touch(lying, target):
                        continue
                    odds = grappling.odds(with_ship(position, lying), Run(ship.id, used=used), target.id)
                    chance = self.hits(target, odds.chance)
                    gain = chance * board * (value + 1) - chance * (1 - board) * ship.m / 2
                    risk = self.loss(ship, there.place, helpless=True)
                    yield _attack(ship, codes, there.place, Grapple(target.id), odds=odds, gain=gain, risk=risk)

    def rows(
        self, position: Position, ship: Ship, layers: Sequence[reach.Layer], targets: Sequence[Ship]
    ) -> Iterator[Plan]:
        """Rowing without an attack: nearer, if she is fit to fight, out of reach of beaks, her bow to the enemy."""
        goals = [one for one in targets if self.value(one) > 1.0] or list(targets)
        far = self.far(tuple(sorted(here for goal in goals for here in goal.hexes)))
        fit = ramming.unfit(position, Run(ship.id), ship) is None
        seen: set[Place] = set()
        for layer in layers:
            for there, codes in layer.items():
                if there.place not in seen:
                    seen.add(there.place)
                    yield self._row(ship, codes, there.place, far, fit=fit)
        if ship.speed == "C":
            for code in ("ts", "tp", "ws", "wp", "B", "TA"):
                run = Run(ship.id, announced=moves.allowance(position, ship))
                if moves.barred(position, run, cast("Any", code)) is None:
                    place = moves.reached(ship, cast("Any", code))
                    yield self._row(ship, code, place, far, fit=fit)

    def far(self, goals: tuple[Hex, ...]) -> dict[Hex, int]:
        """How far each hex of the map is from the nearest of these."""
        if goals not in self._far:
            self._far[goals] = reach.far(self.position, goals)
        return self._far[goals]

    def _row(self, ship: Ship, codes: str, place: Place, far: dict[Hex, int], *, fit: bool) -> Plan:
        worth = -self.loss(ship, place)
        away = min(far.get(here, _OUT) for here in place.hexes(ship.size))
        if far:
            worth -= PULL * (away + far.get(place.ahead, away + 1)) / 2 if fit else -PULL * min(away, _OUT) / 3
        steps = (Move(cast("Any", codes)),) if codes in _SINGLE else _moves(codes)
        return Plan(worth, ship.speed, Line(ship.id, steps), place)

    def held(self, ship: Ship) -> Plan:
        """A galley that cannot move cuts herself loose of stronger ones."""
        stronger = tuple(
            name
            for name in self.position.grappled_to(ship.id)
            if not ship.rammed and (self.position.ship(name).side == ship.side or self.position.ship(name).m > ship.m)
        )
        return Plan(0.0, "C", Line(ship.id, (Cut(stronger),) if stronger else ()), ship.place)

    def decide(self, ship: Ship, *, fixed: bool) -> Plan:
        """What a galley does; from then on the others know of it."""
        plan = self.best(ship, fixed=fixed)
        self._note(ship, plan)
        return _with_fire(self.position, ship, plan)

    # --- afterwards ----------------------------------------------------------------------------------------------

    def _note(self, ship: Ship, plan: Plan) -> None:
        """A galley has her orders: the others find her where she will be, and her target as she may leave it."""
        there = structs.replace(ship, bow=plan.place.bow, facing=plan.place.facing, speed=plan.speed)
        self.position = with_ship(self.position, there)
        freed = {name for step in plan.line.steps if isinstance(step, Cut) for name in step.ships}
        if freed:
            held = tuple(pair for pair in self.position.grapples if ship.id not in pair or freed.isdisjoint(pair))
            self.position = structs.replace(self.position, grapples=held)
        if plan.target and plan.odds:
            target = self.position.ship(plan.target)
            self.warned.add(plan.target)
            if plan.attack in ("ram", "ana"):
                hit = self.hits(target, plan.odds.chance)
                before = self.attacked.get(plan.target, 0.0)
                self.attacked[plan.target] = before + (1 - before) * hit


Last = Ram | Rake | Grapple | Through | Anastrophe
_NAMES: Final[dict[type[Last], Attack]] = {Ram: "ram", Rake: "rake", Grapple: "grap", Through: "X", Anastrophe: "ana"}


def _attack(ship: Ship, codes: str, place: Place, last: Last, *, odds: Odds, gain: float, risk: float) -> Plan:
    line = Line(ship.id, (*_moves(codes), last))
    return Plan(gain - risk, ship.speed, line, place, _NAMES[type(last)], last.target, odds, gain)


_SINGLE: Final = ("ts", "tp", "ws", "wp", "B", "TA")


def _moves(codes: str) -> tuple[Step, ...]:
    return tuple(Move(cast("Any", code)) for code in codes)


def with_ship(position: Position, ship: Ship) -> Position:
    """The position with a ship as she is now."""
    return structs.replace(position, ships=tuple(ship if one.id == ship.id else one for one in position.ships))


def plans(position: Position, names: Iterable[str], *, fixed: bool, mind: type[Mind] = Mind) -> Decided:
    """What each of these galleys of one side does, in the order in which they act.

    `fixed`: at the speeds that they have, as the speeds of this turn are set. `mind`: who thinks.
    """
    return [one for squadron in commanded(position, [tuple(names)], fixed=fixed, mind=mind) for one in squadron]


def commanded(
    position: Position, squadrons: Sequence[Sequence[str]], *, fixed: bool, mind: type[Mind] = Mind
) -> list[Decided]:
    """What the galleys of one side's squadrons do: those squadrons first that can win most, and so of their galleys."""
    groups = [[position.ship(name) for name in names if position.ship(name).afloat] for names in squadrons]
    groups = [ships for ships in groups if ships]
    if not groups:
        return []
    thinks = mind(position, groups[0][0].side, speeds_set=fixed)
    gains = {ship.id: thinks.best(ship, fixed=fixed).gain for ships in groups for ship in ships}
    groups.sort(key=lambda ships: -sum(gains[ship.id] for ship in ships))
    return [
        [
            (ship, thinks.decide(ship, fixed=fixed))
            for ship in sorted(ships, key=lambda one: (-gains[one.id], _away(position, one), order_of(one.id)))
        ]
        for ships in groups
    ]


def _away(position: Position, ship: Ship) -> int:
    enemies = [one.hexes for one in position.ships if one.afloat and one.side != ship.side]
    return min((grid.distance(ship.hexes, hexes) for hexes in enemies), default=0)


def _with_fire(position: Position, ship: Ship, plan: Plan) -> Plan:
    """A shot instead of an attack, if one is to be had that hurts no less than its answer."""
    if plan.attack:
        return plan
    there = structs.replace(ship, bow=plan.place.bow, facing=plan.place.facing, speed=plan.speed)
    lying = with_ship(position, there)
    best: tuple[float, str] | None = None
    for target in lying.ships:
        if not target.afloat or target.side == ship.side or missiles.shot_barred(lying, there, target.id):
            continue
        mine = missiles.odds(lying, ship.id, target.id, there.m).chance
        answered = missiles.shot_barred(lying, target, ship.id) is None
        theirs = missiles.odds(lying, target.id, ship.id, target.m).chance if answered else 0.0
        if mine > 0 and mine >= theirs and (best is None or mine > best[0]):
            best = (mine, target.id)
    if best is None:
        return plan
    steps = (*plan.line.steps, Fire((Shot(best[1]),)))
    return plan._replace(line=Line(ship.id, steps))

"""The first mate's advice for a whole player-turn: what to do in turn, and its end, as far as no die changes it.

The plan supposes that enemies which may be sunk stay afloat. Where it would go on otherwise if one sank, the first plan
of a player-turn ends there: its captain asks again once the dice have fallen. A later plan always goes on to the end,
and leaves out shots whose every target may be gone by then. So two plans are enough for a player-turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec import structs

from rules.forts.captains import mate
from rules.forts.desk.make_view import position_of
from rules.forts.desk.view import HexView
from rules.forts.table import turn
from rules.forts.table.state import (
    Action,
    ActionList,
    Answer,
    ClassCode,
    EndOrder,
    MoveOrder,
    Position,
    Ship,
    ShootOrder,
    Target,
)
from rules.protocol import Request

_MIN_SINKING_CHANCE: Final = 0.15
"""With less than this chance of it, nobody waits to see whether a ship sinks."""

PlannedActions = tuple[Action, ...]


class _PlannedShots(NamedTuple):
    """Shots that a plan has had at a ship."""

    most: int = 0
    """As many as there may have been."""
    hits: tuple[float, ...] = (1.0,)
    """The chance of each number of hits."""

    def also(self, shots: int, chance: float) -> _PlannedShots:
        """With more shots, each of which hits with this chance."""
        hits = self.hits
        for _ in range(shots):
            hits = tuple(a * (1 - chance) + b * chance for a, b in zip((*hits, 0.0), (0.0, *hits), strict=True))
        return _PlannedShots(self.most + shots, hits)

    @property
    def expected(self) -> int:
        """Whole hits to be expected."""
        return int(sum(number * chance for number, chance in enumerate(self.hits)))


class _TurnPlan(NamedTuple):
    """How a plan goes on."""

    begun: Position
    """Where it began."""
    now: Position
    """As it is supposed to lie by now."""
    fired: Mapping[ClassCode, _PlannedShots]

    def may_be_gone(self, code: ClassCode) -> bool:
        """Whether an enemy may have been sunk and the game goes on, as she isn't the flagship."""
        return not self._leads(code) and self._sure(code) <= 0

    def sinking(self, code: ClassCode) -> float:
        """The chance that an enemy was sunk and the player-turn goes on."""
        found = self.fired.get(code, _PlannedShots())
        return 0.0 if self._leads(code) else sum(found.hits[self._enemy(code).margin :])

    def sailed(self, action: MoveOrder) -> _TurnPlan:
        ship = self._own(action.ship)
        return self._replace(now=turn.with_ship(self.now, structs.replace(ship, hex=action.hex, moved=True)))

    def spent(self, code: ClassCode) -> _TurnPlan:
        """With no shots left to a ship."""
        return self._replace(now=turn.with_ship(self.now, structs.replace(self._own(code), shots=0)))

    def shot(self, volley: ShootOrder) -> _TurnPlan:
        """After all shots of a ship: hits at the first target are supposed as expected, but not that they sink her."""
        ship = self._own(volley.ship)
        aims = {aim.target.code: aim for aim in mate.shot_options(self.now, ship)}
        fired, left = dict(self.fired), ship.shots
        for number, target in enumerate(volley.targets):
            found = fired.get(target.code, _PlannedShots())
            hit = found.also(left, aims[target.code].chance)
            fired[target.code] = hit if number == 0 else found._replace(most=hit.most)
            left = max(0, left - max(0, self._sure(target.code)))
        first = self._enemy(volley.targets[0].code)
        hits = first.hits + min(fired[first.code].expected, first.margin - 1)
        hurt = structs.replace(turn.find_ship(self.now, first.colour, first.code) or first, hits=hits)
        return self._replace(now=turn.with_ship(self.now, hurt), fired=fired).spent(volley.ship)

    def without(self, code: ClassCode) -> _TurnPlan:
        """As if an enemy had been sunk."""
        gone = self._enemy(code).id
        ships = tuple(ship for ship in self.now.ships if ship.id != gone)
        return self._replace(now=structs.replace(self.now, ships=ships))

    def volley(self, code: ClassCode) -> ShootOrder:
        """All shots of a ship: at the enemy that promises most, and at others for what she may leave."""
        ship = self._own(code)
        targets, left = [], ship.shots
        for aim in mate.shot_options(self.now, ship):
            if left <= 0:
                break
            targets.append(Target(aim.target.code))
            left = 0 if self._leads(aim.target.code) else left - max(0, self._sure(aim.target.code))
        return ShootOrder(code, tuple(targets))

    def _own(self, code: ClassCode) -> Ship:
        return next(ship for ship in self.now.of(self.now.active) if ship.code == code)

    def _enemy(self, code: ClassCode) -> Ship:
        return next(ship for ship in self.begun.of(self.begun.waiting) if ship.code == code)

    def _leads(self, code: ClassCode) -> bool:
        return turn.flagship_of(self.begun, self.begun.waiting) == self._enemy(code)

    def _sure(self, code: ClassCode) -> int:
        """Hits that an enemy can still take for certain."""
        return self._enemy(code).margin - self.fired.get(code, _PlannedShots()).most


def advise(view: HexView, request: Request, seed: str) -> Answer:
    """The answer that a first mate advises: in a player-turn the whole of it, or what is left."""
    if request.kind != "act":
        return mate.computer_answer(view, request, seed)
    position = position_of(view)
    return ActionList(_plan_rest(_TurnPlan(position, position, {}), waits=not request.live))


def _plan_rest(plan: _TurnPlan, *, waits: bool) -> PlannedActions:
    """What is still to be done; `waits`: it may end before the player-turn does."""
    told: list[Action] = []
    while (action := mate.best_action(plan.now)) != EndOrder():
        match action:
            case MoveOrder():
                told.append(action)
                plan = plan.sailed(action)
            case ShootOrder():
                volley = plan.volley(action.ship)
                if not waits and all(plan.may_be_gone(target.code) for target in volley.targets):
                    plan = plan.spent(action.ship)
                    continue
                told.append(volley)
                plan = plan.shot(volley)
                if waits and _depends_on_sinking(plan, volley.targets[0].code):
                    return tuple(told)
    return (*told, EndOrder())


def _depends_on_sinking(plan: _TurnPlan, code: ClassCode) -> bool:
    """Whether what is still to be done is another if an enemy was sunk, which is not unlikely."""
    if plan.sinking(code) < _MIN_SINKING_CHANCE:
        return False
    afloat, sunk = _plan_rest(plan, waits=False), _plan_rest(plan.without(code), waits=False)
    return _without_shots_at(afloat, code) != _without_shots_at(sunk, code)


def _without_shots_at(told: PlannedActions, code: ClassCode) -> PlannedActions:
    """Actions without shots at an enemy."""
    found: list[Action] = []
    for action in told:
        if not isinstance(action, ShootOrder):
            found.append(action)
        elif targets := tuple(target for target in action.targets if target.code != code):
            found.append(structs.replace(action, targets=targets))
    return tuple(found)

"""The first mate's advice for a whole player-turn, as far as dice do not change it.

The plan assumes that enemies which may sink stay afloat. If a sinking would change the rest, the first plan of a
player-turn ends there, and its captain asks again after the dice. A later plan goes on to the end, without shots whose
targets may all be gone. Two plans are therefore enough for a player-turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec import structs

from rules.core.protocol import Request
from rules.forts.ai import mate
from rules.forts.engine import turn
from rules.forts.engine.state import (
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
from rules.forts.interface.make_view import position_of
from rules.forts.interface.view import HexView

_MIN_SINKING_CHANCE: Final = 0.15  # the chance of a sinking below which the plan does not wait for the dice

PlannedActions = tuple[Action, ...]


class _PlannedShots(NamedTuple):
    max_shots: int = 0  # the most shots that may be fired at the enemy
    hit_chances: tuple[float, ...] = (1.0,)  # the chance of 0, 1, 2, … hits on the enemy

    def with_shots(self, shots: int, chance: float) -> _PlannedShots:
        """Return the sum after more shots, each of which hits with this chance."""
        chances = self.hit_chances
        for _ in range(shots):
            # the last shot either missed after as many hits, or hit after one hit less
            after_miss, after_hit = (*chances, 0.0), (0.0, *chances)
            chances = tuple(
                missed * (1 - chance) + hit * chance for missed, hit in zip(after_miss, after_hit, strict=True)
            )
        return _PlannedShots(self.max_shots + shots, chances)

    @property
    def expected_hits(self) -> int:
        return int(sum(number * chance for number, chance in enumerate(self.hit_chances)))


class _TurnPlan(NamedTuple):
    start: Position  # the position before the plan
    position: Position  # the position expected after the planned actions
    shots_at: Mapping[ClassCode, _PlannedShots]  # planned shots by class of the enemy

    def may_be_gone(self, code: ClassCode) -> bool:
        """Return whether an enemy other than the flagship may have been sunk."""
        return not self._is_flagship(code) and self._certain_margin(code) <= 0

    def sinking_chance(self, code: ClassCode) -> float:
        """Return the chance that an enemy was sunk and the game goes on."""
        planned = self.shots_at.get(code, _PlannedShots())
        return 0.0 if self._is_flagship(code) else sum(planned.hit_chances[self._enemy_ship(code).hits_left :])

    def after_move(self, action: MoveOrder) -> _TurnPlan:
        ship = self._own_ship(action.ship)
        return self._replace(position=turn.with_ship(self.position, structs.replace(ship, hex=action.hex, moved=True)))

    def without_shots(self, code: ClassCode) -> _TurnPlan:
        return self._replace(position=turn.with_ship(self.position, structs.replace(self._own_ship(code), shots=0)))

    def after_volley(self, volley: ShootOrder) -> _TurnPlan:
        """Return the plan after all shots of a ship, with the shots and hits that each target may get."""
        ship = self._own_ship(volley.ship)
        options = {option.target.code: option for option in mate.shot_options(self.position, ship)}
        shots_at = dict(self.shots_at)
        max_shots_left = ship.shots  # the most shots that may be left for the next target
        for number, target in enumerate(volley.targets):
            planned = shots_at.get(target.code, _PlannedShots())
            all_shots = planned.with_shots(max_shots_left, options[target.code].chance)
            shots_at[target.code] = all_shots if number == 0 else planned._replace(max_shots=all_shots.max_shots)
            max_shots_left = max(0, max_shots_left - max(0, self._certain_margin(target.code)))
        # the first target takes the expected hits, but at least one hit less than sinks it
        first = self._enemy_ship(volley.targets[0].code)
        hits = first.hits + min(shots_at[first.code].expected_hits, first.hits_left - 1)
        damaged = structs.replace(turn.find_ship(self.position, first.colour, first.code) or first, hits=hits)
        position = turn.with_ship(self.position, damaged)
        return self._replace(position=position, shots_at=shots_at).without_shots(volley.ship)

    def without_enemy(self, code: ClassCode) -> _TurnPlan:
        sunk_id = self._enemy_ship(code).id
        ships = tuple(ship for ship in self.position.ships if ship.id != sunk_id)
        return self._replace(position=structs.replace(self.position, ships=ships))

    def best_volley(self, code: ClassCode) -> ShootOrder:
        """Return all shots of a ship: at the most valuable enemy, then at others for the shots that are left."""
        ship = self._own_ship(code)
        targets, shots_left = [], ship.shots
        for shot in mate.shot_options(self.position, ship):
            if shots_left <= 0:
                break
            targets.append(Target(shot.target.code))
            if self._is_flagship(shot.target.code):
                break  # its loss ends the game, so no shots will be left over
            shots_left -= max(0, self._certain_margin(shot.target.code))
        return ShootOrder(code, tuple(targets))

    def _own_ship(self, code: ClassCode) -> Ship:
        return next(ship for ship in self.position.ships_of(self.position.active_colour) if ship.code == code)

    def _enemy_ship(self, code: ClassCode) -> Ship:
        return next(ship for ship in self.start.ships_of(self.start.waiting_colour) if ship.code == code)

    def _is_flagship(self, code: ClassCode) -> bool:
        return turn.flagship_of(self.start, self.start.waiting_colour) == self._enemy_ship(code)

    def _certain_margin(self, code: ClassCode) -> int:
        """Return the hits that an enemy can still take even if all planned shots hit."""
        return self._enemy_ship(code).hits_left - self.shots_at.get(code, _PlannedShots()).max_shots


def advise(view: HexView, request: Request, seed: str) -> Answer:
    """Return the advised answer; in a player-turn, the actions for the rest of it."""
    if request.kind != "act":
        return mate.computer_answer(view, request, seed)
    position = position_of(view)
    return ActionList(_plan_rest(_TurnPlan(position, position, {}), waits=not request.live))


def _plan_rest(plan: _TurnPlan, *, waits: bool) -> PlannedActions:
    """Return the remaining actions; if `waits`, they may end at a shot on which the rest depends."""
    planned: list[Action] = []
    while (action := mate.best_action(plan.position)) != EndOrder():
        match action:
            case MoveOrder():
                planned.append(action)
                plan = plan.after_move(action)
            case ShootOrder():
                volley = plan.best_volley(action.ship)
                if not waits and all(plan.may_be_gone(target.code) for target in volley.targets):
                    plan = plan.without_shots(action.ship)
                    continue
                planned.append(volley)
                plan = plan.after_volley(volley)
                if waits and _depends_on_sinking(plan, volley.targets[0].code):
                    return tuple(planned)
    return (*planned, EndOrder())


def _depends_on_sinking(plan: _TurnPlan, code: ClassCode) -> bool:
    if plan.sinking_chance(code) < _MIN_SINKING_CHANCE:
        return False
    afloat, sunk = _plan_rest(plan, waits=False), _plan_rest(plan.without_enemy(code), waits=False)
    return _without_shots_at(afloat, code) != _without_shots_at(sunk, code)


def _without_shots_at(planned: PlannedActions, code: ClassCode) -> PlannedActions:
    kept_actions: list[Action] = []
    for action in planned:
        if not isinstance(action, ShootOrder):
            kept_actions.append(action)
        elif targets := tuple(target for target in action.targets if target.code != code):
            kept_actions.append(structs.replace(action, targets=targets))
    return tuple(kept_actions)

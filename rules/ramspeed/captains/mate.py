"""The first mate: every ship at the nearest enemy, by the best attack that she has just now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.dice import Dice, subseed
from rules.ramspeed import moves, plans
from rules.ramspeed.orders import (
    Alternative,
    Face,
    Line,
    Manoeuvre,
    Shoot,
    Stay,
    Steer,
)
from rules.ramspeed.state import Position, Ship
from rules.ramspeed.view import Aim

_WORTH: Final = {"sunk": 1.0, "stuck": 0.8, "dead": 0.6, "immobilised": 0.25, "bank": 0.5, "linked": 0.45}
"""Of what may come of an attack, as parts of the enemy ship's value."""
_TEETH: Final = 0.3
"""An attack worth less is not made: a ship that attacks lies where the enemy will attack her."""
_ANGLE_MOST: Final = 60
"""Degrees; a trireme that has the enemy farther abaft turns first, as no veer brings him into reach."""


def lines(position: Position, player: str, acted: Sequence[str], seed: str) -> Iterator[Line]:
    """Give every ship of a player her orders, unless she has acted: those that can do most act first."""
    mine = [ship for ship in position.owned(player) if ship.crew and ship.id not in acted]
    seen = {ship.id: plans.aims(position, ship) for ship in mine}
    wanted = {name: _best(position, aims) for name, aims in seen.items()}
    whims, dice = {}, Dice(seed=subseed(seed, "whims"))
    for ship in mine:
        whims[ship.id], dice = dice.die(1000)
    for ship in sorted(mine, key=lambda ship: (-_worth(position, wanted[ship.id]), whims[ship.id])):
        aim, approach = wanted[ship.id], _approach(position, ship, seen[ship.id])
        yield Line(ship.id, (plans.attack_of(ship, aim), approach) if aim else (approach,))


def _best(position: Position, aims: Sequence[Aim]) -> Aim | None:
    """The attack from which most is to be hoped."""
    found = [one for one in aims if one.fault is None and one.kind != "shot"]
    best = max(found, key=lambda one: _worth(position, one), default=None)
    return best if best and _worth(position, best) >= _TEETH else None


def _worth(position: Position, aim: Aim | None) -> float:
    """What is to be hoped from an attack, in victory points."""
    if aim is None:
        return 0.0
    enemy, ship = position.ship(aim.to), position.ship(aim.by)
    hope = sum(_WORTH.get(odd.result, 0.0) * odd.percent / 100 for odd in aim.odds)
    if aim.kind == "grapple":  # boarders are worth what they outnumber
        hope *= min(2.0, ship.crew / max(1, enemy.crew))
    return hope * enemy.kind.value


def _approach(position: Position, ship: Ship, aims: Sequence[Aim]) -> Alternative:
    """Towards the nearest enemy; then a shot, if one is in reach already."""
    side = position.side_of(ship)
    enemies = [other for other in position.ships if other.afloat and position.side_of(other) != side]
    shot = next((one.to for one in aims if one.kind == "shot" and one.fault is None), None)
    if position.immobile(ship) or not enemies:
        return Alternative((Shoot(shot, "crew"),)) if shot else Alternative((Stay(),))
    goal = min(enemies, key=lambda other: (plans.gap(position, ship, other.id), other.id))
    off = abs(moves.towards(ship, goal))
    move: Manoeuvre = Steer(goal.id, ship.kind.fwd) if off <= _ANGLE_MOST else Face(goal.id)
    return Alternative((move, Shoot(shot, "crew"))) if shot else Alternative((move,))

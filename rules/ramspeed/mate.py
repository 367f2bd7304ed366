"""A plain computer captain: every ship at the nearest enemy, by the best attack that she has just now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.dice import Dice, subseed
from rules.protocol import Request
from rules.ramspeed import moves, plans
from rules.ramspeed.answers import Act, Answer, Choice, Done, Orders, Standing
from rules.ramspeed.asking import OFFERED
from rules.ramspeed.orders import (
    Alternative,
    Attack,
    Face,
    Grapple,
    Line,
    Manoeuvre,
    Ram,
    Sheet,
    Shoot,
    Stay,
    Steer,
    Swipe,
    Turn,
)
from rules.ramspeed.state import Position, Ship
from rules.ramspeed.tables import CONSTANTS
from rules.ramspeed.view import Aim, SeaView

_WORTH: Final = {"sunk": 1.0, "stuck": 0.8, "dead": 0.6, "immobilised": 0.25, "bank": 0.5, "linked": 0.45}
"""Of what may come of an attack, as parts of the enemy ship's value."""
_TEETH: Final = 0.3
"""An attack worth less is not made: a ship that attacks lies where the enemy will attack her."""
_ANGLE_MOST: Final = 60
"""Degrees; a trireme that has the enemy farther abaft turns first, as no veer brings him into reach."""


def answer(view: SeaView, request: Request, seed: str) -> Answer:
    """Answer what a seat is asked, from what it sees; the seed (hex) settles what is equally good."""
    match request.kind:
        case "orders":
            return Orders(Sheet(tuple(lines(view, request.seat, seed))))
        case "act":
            return _act(view, request.seat, seed)
        case "doctrine":
            return Standing()
    return Choice(OFFERED[str(request.params["key"])][0])


def lines(view: SeaView, seat: int, seed: str) -> Iterator[Line]:
    """Give every ship of a captain her orders, unless she has acted: those that can do most act first."""
    position = view.position
    player = position.players[view.seats.index(seat)]
    mine = [ship for ship in position.owned(player) if ship.crew and ship.id not in view.acted]
    seen = {ship.id: plans.aims(position, ship) for ship in mine}
    wanted = {name: _best(position, aims) for name, aims in seen.items()}
    whims, dice = {}, Dice(seed=subseed(seed, "whims"))
    for ship in mine:
        whims[ship.id], dice = dice.die(1000)
    for ship in sorted(mine, key=lambda ship: (-_worth(position, wanted[ship.id]), whims[ship.id])):
        aim, approach = wanted[ship.id], _approach(position, ship, seen[ship.id])
        yield Line(ship.id, (attack_of(ship, aim), approach) if aim else (approach,))


def _act(view: SeaView, seat: int, seed: str) -> Act | Done:
    """One ship after another; then he has done."""
    line = next(iter(lines(view, seat, seed)), None)
    return Act(line) if line else Done()


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


def attack_of(ship: Ship, aim: Aim) -> Alternative:
    """The alternative that an aim stands for: its pivot is left to the moment, unless it is a bireme's opening turn."""
    attack: Attack = {"ram": Ram, "swipe": Swipe, "grapple": Grapple}[aim.kind](aim.to)
    turned = (aim.start.heading - ship.heading + 180) % 360 - 180
    if abs(turned) > CONSTANTS.veer_max:
        return Alternative((Turn(abs(turned), "R" if turned > 0 else "L"), attack))
    return Alternative((attack,))


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

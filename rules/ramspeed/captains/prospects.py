"""What a ship might be ordered: attacks that promise something, and places where she lies well."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from rules.ramspeed.captains import judge, mate, passage, reach, worth
from rules.ramspeed.captains.reach import Pair
from rules.ramspeed.desk import aims
from rules.ramspeed.table.geometry import aim, hulls, moves
from rules.ramspeed.table.geometry.aim import AUTO
from rules.ramspeed.table.geometry.hulls import Floats
from rules.ramspeed.table.orders import (
    Alternative,
    Back,
    Face,
    Fwd,
    Grapple,
    Manoeuvre,
    Ram,
    Shoot,
    Side,
    Stay,
    Steer,
    Swipe,
    Turn,
    Veer,
)
from rules.ramspeed.table.phases import missiles
from rules.ramspeed.table.state import Position, Ship
from rules.ramspeed.table.tables import CONSTANTS

Chain = tuple[Alternative, ...]

_ENEMIES_MOST: Final = 4
"""Enemies of each ship, the nearest."""
_ATTACK_WITHIN_INCHES: Final = 14.0
"""Inches within which an enemy is thought of as one to be attacked this turn."""
_MIN_ATTACK_VP: Final = 0.25
"""Victory points that an attack must promise to stand in a chain."""
_FORESEEN_SHARE: Final = 0.8
"""What an attack is worth that needs the enemy to come as is foreseen, to one that is legal now."""
_SINGLE_ATTACKS: Final = 5
"""Attacks that are tried each by itself."""
_PLACES_TRIED: Final = 6
"""Places that are tried."""
_AHEAD_SHARES: Final = (0.35, 0.7, 1.0)
_VEER_DEGREES: Final = (8, 16, CONSTANTS.veer_max)
_TURN_DEGREES: Final = (30, 60, 90, 135, 180)
_SIDES: Final[tuple[Side, Side]] = ("L", "R")
_THREAT_WEIGHTS: Final = {"struck": (0.5, 0.4), "striking": (0.2, 0.4)}
"""What enemies could do to her in a place, and she to them: as they lie, and as they are foreseen."""
_LESSER_SHARE: Final = 0.3
"""What the lesser of these two adds to the greater."""
_VP_PER_INCH_AWAY: Final = 0.05
"""Victory points that each inch beyond `judge.ENGAGED_INCHES` costs a place: more than `judge` takes off, which sees a
whole turn."""


class Prospects(NamedTuple):
    """What is worth trying, the likeliest first."""

    attacks: tuple[Chain, ...]
    places: Chain


def of(position: Position, foreseen: Position, ship: Ship) -> Prospects:
    """What a ship might do, as enemies lie and as they are foreseen."""
    near = sorted(position.enemies(ship), key=lambda foe: away(ship, foe))[:_ENEMIES_MOST]
    if position.immobile(ship):
        return Prospects(((),), (_shooting(position, (Stay(),), ship, near),))
    return Prospects(
        _attacks(position, foreseen, ship, near),
        _places(position, foreseen, ship, near),
    )


def away(ship: Ship, other: Ship) -> float:
    """Inches between the middles of two ships."""
    return math.hypot(ship.x - other.x, ship.y - other.y)


def _shooting(position: Position, steps: tuple[Manoeuvre, ...], there: Ship, near: Sequence[Ship]) -> Alternative:
    """A manoeuvre that takes her somewhere, and a shot at the nearest crew if that may be near enough then.

    None if she could not shoot at anybody, as too few men are left to her (RS-14.2).
    """
    if not missiles.ready(position, there):
        return Alternative(steps)
    shot = next((Shoot(foe.id, "crew") for foe in near if foe.crew and _in_shot(there, foe)), None)
    return Alternative((*steps, shot) if shot else steps)


def _in_shot(there: Ship, foe: Ship) -> bool:
    """Whether an enemy may be in shot when she has moved, if the enemy moves first."""
    comes = foe.fwd + foe.ram_bonus + foe.kind.length
    return hulls.apart(there, foe) <= CONSTANTS.missile_range + comes


# --- attacks -----------------------------------------------------------------------------------------------------


def _attacks(position: Position, foreseen: Position, ship: Ship, near: Sequence[Ship]) -> tuple[Chain, ...]:
    hopes: dict[Alternative, float] = {}
    for foe in near:
        if away(ship, foe) > _ATTACK_WITHIN_INCHES:
            continue
        there = foreseen.ship(foe.id)
        for where, share in (
            (position, 1.0),
            *(((foreseen, _FORESEEN_SHARE),) if there != foe else ()),
        ):
            for alternative, hope in _promises(where, ship, where.ship(foe.id)):
                hopes[alternative] = max(hopes.get(alternative, -math.inf), hope * share)
    ranked = sorted(hopes, key=lambda one: -hopes[one])
    good = tuple(one for one in ranked if hopes[one] > _MIN_ATTACK_VP)
    rams = tuple(one for one in good if isinstance(one.attack, Ram))
    return tuple(dict.fromkeys((good, rams, (), *((one,) for one in ranked[:_SINGLE_ATTACKS]))))


def _promises(position: Position, ship: Ship, foe: Ship) -> Iterator[tuple[Alternative, float]]:
    """Every attack on an enemy that is legal, and what it promises."""
    hopes = worth.of_rams(ship, foe)
    for how in (AUTO, aims.OPENING) if ship.kind.turn_and_move else (AUTO,):
        if mark := aim.ram(position, ship, foe.id, how).mark:
            place = min(max(mark.modifier, worth.SUMS[0]), worth.SUMS[-1]) - worth.SUMS[0]
            turned: tuple[Manoeuvre, ...] = ()
            if how is aims.OPENING:
                turned = (Turn(abs(mark.veer), "R" if mark.veer > 0 else "L"),)
            yield Alternative((*turned, Ram(foe.id))), float(hopes[place])
            break
    if aim.grapple(position, ship, Grapple(foe.id)).mark:
        yield (
            Alternative((Grapple(foe.id),)),
            worth.of_grapple(ship, foe, automatic=position.immobile(foe)),
        )
    if aim.swipe(position, ship, Swipe(foe.id)).mark:
        yield Alternative((Swipe(foe.id),)), worth.of_swipe(ship, foe)


# --- places ------------------------------------------------------------------------------------------------------


def _manoeuvres(ship: Ship, near: Sequence[Ship]) -> Iterator[tuple[Manoeuvre, ...]]:
    """All over what she can reach."""
    yield (Stay(),)
    yield (Back(ship.back),)
    for share in _AHEAD_SHARES:
        yield (Fwd(round(ship.fwd * share, 2)),)
    for side in _SIDES:
        for degrees in _VEER_DEGREES:
            for share in (0.5, 1.0):
                yield (Veer(degrees, side, round(ship.fwd * share, 2)),)
        for degrees in _TURN_DEGREES:
            if degrees <= ship.kind.turn:
                yield (Turn(degrees, side),)
            if degrees <= CONSTANTS.opening_turn_max and ship.kind.turn_and_move:
                half = round(moves.HALF * ship.fwd, 2)
                yield (Turn(degrees, side), Fwd(half))
                yield (Fwd(half), Turn(degrees, side))
    for foe in near[:2]:
        yield (Face(foe.id),)
        yield (Steer(foe.id, ship.kind.fwd),)


def _places(position: Position, foreseen: Position, ship: Ship, near: Sequence[Ship]) -> Chain:
    """Where she lies best, and to go straight for the nearest enemy, or to stay."""
    found = []
    for steps in _manoeuvres(ship, near):
        there = moves.manoeuvred(position, ship, steps).ship
        if there.afloat:
            found.append((_shooting(position, steps, there, near), there))
    worths = _judged(position, foreseen, [there for _, there in found], near)
    best = [found[place][0] for place in np.argsort(-worths, kind="stable")[:_PLACES_TRIED]]
    nearer = mate.towards(position, ship, next((foe for foe in near if foe.crew), near[0]))
    there = moves.manoeuvred(position, ship, (nearer,)).ship
    return tuple(
        dict.fromkeys((*best, _shooting(position, (nearer,), there, near), _shooting(position, (Stay(),), ship, near)))
    )


def _judged(position: Position, foreseen: Position, places: Sequence[Ship], near: Sequence[Ship]) -> Floats:
    """What each place is worth: what may be done from there and to her, how far off the enemies are."""
    pairs, tags = [], []
    for number, there in enumerate(places):
        for foe in near:
            held = position.immobile(foe)
            for which, where in enumerate((position, foreseen)):
                other = where.ship(foe.id)
                pairs.append(Pair(there, other, held))
                tags.append((number, "striking", which))
                if not held and foe.crew and (not foe.fire or foe.fireship):
                    pairs.append(Pair(other, there, held=False))
                    tags.append((number, "struck", which))
    most = {kind: np.zeros((2, len(places))) for kind in _THREAT_WEIGHTS}
    for (number, kind, which), hope in zip(tags, reach.strikes(pairs, position.land).tolist(), strict=True):
        now = float(most[kind][which, number])
        most[kind][which, number] = max(now, hope) + _LESSER_SHARE * min(now, hope)
    struck, striking = (np.array(weights) @ most[kind] for kind, weights in _THREAT_WEIGHTS.items())
    crewed = [foe for foe in near if foe.crew] or near
    inches = np.array([passage.rowing(position, there, crewed) for there in places])
    press = 1 + judge.QUIET_TURN_FACTOR * position.quiet
    return np.asarray(striking - struck - press * _VP_PER_INCH_AWAY * np.maximum(0.0, inches - judge.ENGAGED_INCHES))

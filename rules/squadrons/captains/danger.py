"""What the enemy could do to a galley at a place: the rams that enemy galleys can reach."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import structs

from rules.hexes import Hex
from rules.squadrons.table.odds import Odds, Part
from rules.squadrons.table.phases.command import turn_start
from rules.squadrons.table.phases.movement import reach
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Position, Ship
from rules.squadrons.table.tables import ram_need

LATER: Final = 0.5
"""How much a ram counts that can come no sooner than in the next turn."""


class Beak(NamedTuple):
    """A ram that an enemy could make from a place."""

    ship: str
    attack: int
    """The enemy's Ram Attack."""
    bonus: int
    """The enemy's own modifiers: speed, towers."""
    crew: int
    weight: float
    """How much it counts."""


Dangers = dict[tuple[Hex, int], list[Beak]]
"""By bow hex and facing."""


def dangers(position: Position, side: str, *, speeds_set: bool) -> Dangers:
    """From where the enemies of a side could ram; `speeds_set`: the speeds of this turn are known."""
    found: Dangers = {}
    for ship in position.ships:
        if ship.afloat and ship.side != side:
            for place, beak in _beaks(position, ship, speeds_set=speeds_set):
                found.setdefault(place, []).append(beak)
    return found


def _beaks(position: Position, ship: Ship, *, speeds_set: bool) -> Iterable[tuple[tuple[Hex, int], Beak]]:
    later = ship.done or not speeds_set
    if later:
        ship = _next_turn(position, ship)
    if not ship.ra or ship.slowed:
        return ()
    weight = LATER if ship.done else 1.0
    best: dict[tuple[Hex, int], int] = {}
    for used, layer in enumerate(reach.ahead(ship, reach.points(position, ship), reach.free(position, ship))):
        for there in layer:
            bonus = max(0, used - ship.kind.cruise) if there.turns < reach.MANY else 0
            key = (there.bow, there.facing)
            if bonus > best.get(key, -1):
                best[key] = bonus
    towers = int(ship.towers)
    return [(key, Beak(ship.id, ship.ra, bonus - towers, ship.crew, weight)) for key, bonus in best.items()]


def _next_turn(position: Position, ship: Ship) -> Ship:
    """As she may be in the next speed phase: at Max, if her crew has recovered."""
    ship = structs.replace(ship, fatigue=max(0, ship.fatigue - 1))
    hard = turn_start.max_barred(position, ship) is None
    return structs.replace(ship, speed="M" if hard else "C")


@lru_cache(maxsize=1024)
def chance(need: int, drm: int) -> float:
    """How likely two dice, modified, come to what is needed; 0: no attempt is possible."""
    return Odds(need, 2, (Part("speed", drm),)).chance


@lru_cache(maxsize=4096)
def ram_chance(attack: int, defence: int, drm: int) -> float:
    """How likely a ram succeeds."""
    return chance(ram_need(attack, defence), drm)


def loss(found: Dangers, ship: Ship, place: Place, *, helpless: bool, spared: str = "") -> float:
    """The chance that a galley is rammed at a place, each enemy trying its best ram; one of them may be left out.

    `helpless`: she will be tired, slow, or held there.
    """
    beaks = [beak for key in reach.rammed_from(place, ship.kind.size) for beak in found.get(key, ())]
    if not beaks:
        return 0.0
    worst: dict[str, float] = {}
    drm, crew, defence = helpless - (ship.speed == "M" and not helpless), ship.crew, ship.kind.rd
    for beak in beaks:
        bonus = beak.bonus + drm + (beak.crew > crew) - (beak.crew < crew)
        likely = beak.weight * ram_chance(beak.attack, defence, bonus)
        if likely > worst.get(beak.ship, 0.0):
            worst[beak.ship] = likely
    worst.pop(spared, None)
    avoids = 0.0 if helpless or ship.slowed or ship.crippled else crew / 6
    safe = 1.0
    for number, likely in enumerate(sorted(worst.values(), reverse=True)):
        safe *= 1 - likely * (1 - avoids if number == 0 else 1)
    return 1 - safe

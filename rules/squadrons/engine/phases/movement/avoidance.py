"""Avoidance: a galley that is approached or attacked tries to slip away (SQ-10)."""

from __future__ import annotations

from typing import Final, Literal

from rules.geometry.hexes import Hex
from rules.squadrons.engine import events
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship

AvoidableAttack = Literal["ram", "ana", "X", "grap"]
_AVOIDING_FATIGUE: Final = 2  # SQ-10.4


def is_fit_to_avoid(position: Position, ship: Ship) -> bool:  # SQ-10.6, SQ-10.8
    return ship.is_afloat and ship.crew_quality > 0 and not ship.fatigue and position.is_mobile(ship)


def avoidance_places(position: Position, ship: Ship) -> tuple[tuple[str, HexPose], ...]:
    """Return the free places to which she may avoid: `fwd`, and at Cruise `back` (SQ-10.4, SQ-10.7)."""
    open_ways = []
    if position.is_free(ship.place.hex_ahead):
        open_ways.append(("fwd", HexPose(ship.place.hex_ahead, ship.facing)))
    behind = ship.adjacent_hexes.stern
    if ship.speed == "C" and position.is_free(behind):
        bow = ship.stern if ship.size == 2 else behind
        open_ways.append(("back", HexPose(bow, ship.facing)))
    return tuple(open_ways)


def offer_avoidance(play: TurnInProgress, run: ActivationInProgress, target: str, attack: AvoidableAttack) -> bool:
    """Trigger b: Return whether the target avoids a declared attack, and report it if so (SQ-10.2, SQ-10.9)."""
    if target in run.ships_offered_avoidance:
        return False
    run.ships_offered_avoidance.add(target)
    ship = play.ship_now(target)
    if not (will_try(play, ship, run.ship, threatened=True) and attempt_avoidance(play, target, run.ship)):
        return False
    play.add_event(events.AttackAvoided(by=run.ship, target=target, attack=attack, rule="SQ-10.9"))
    return True


def avoid_doctrine(play: TurnInProgress, ship: Ship) -> str:
    return "any" if play.doctrines.is_protected(ship.side, ship.id) else play.doctrine_of(ship, "avoid")


def will_try(play: TurnInProgress, ship: Ship, by: str, *, threatened: bool) -> bool:
    """Return whether a galley may and will try. Raises `DecisionNeeded` if her captain must be asked."""
    position = play.position
    if not is_fit_to_avoid(position, ship) or not (open_ways := avoidance_places(position, ship)):
        return False
    doctrine = avoid_doctrine(play, ship)
    if doctrine == "ask":
        answer = play.ask_captain(ship.id, "avoid", by, (*(way for way, _ in open_ways), "no"))
        play.chosen[ship.id] = answer
        return answer != "no"
    return doctrine == "any" or (doctrine == "threat" and threatened)


def attempt_avoidance(play: TurnInProgress, name: str, by: str) -> bool:
    """Roll for avoidance, move her if it succeeds, and return the success (SQ-09.4, SQ-10.3, SQ-10.4, SQ-10.5)."""
    ship = play.ship_now(name)
    die = play.throw_die("avoid")
    ok = die + ship.half_speed <= ship.crew_quality
    new_place = _chosen_place(play, ship) if ok else None
    if new_place is not None:
        play.change_ship(name, bow=new_place.bow, facing=new_place.facing, fatigue=_AVOIDING_FATIGUE, speed="C")
    play.add_event(
        events.AvoidanceTried(
            ship=name,
            by=by,
            die=die,
            crew=ship.crew_quality,
            ok=ok,
            to=None if new_place is None else str(new_place),
            rule="SQ-10.3",
        )
    )
    return ok


def _chosen_place(play: TurnInProgress, ship: Ship) -> HexPose:  # 10.2
    open_ways = dict(avoidance_places(play.position, ship))
    preferred = play.chosen.pop(ship.id, None) or play.doctrine_of(ship, "avoidDir")
    if preferred == "best":
        return min(open_ways.values(), key=lambda place: _count_enemies_beside(play.position, ship, place))
    return open_ways.get(preferred) or next(iter(open_ways.values()))


def _count_enemies_beside(position: Position, ship: Ship, place: HexPose) -> int:
    near = (position.ships_by_hex.get(here) for here in grid.adjacent_hexes(*place, ship.size).all_neighbours)
    return len({enemy.id for enemy in near if enemy is not None and enemy.side != ship.side})


def enemies_beside(position: Position, mover: Ship, entered: tuple[Hex, ...]) -> tuple[str, ...]:  # 10.5
    near = {
        there.id for here in entered for hex_ in grid.neighbours(here) if (there := position.ships_by_hex.get(hex_))
    }
    enemies = [position.ship_by_id(name) for name in near]
    return tuple(
        ship.id
        for ship in sorted(enemies, key=lambda ship: (grid.hex_distance((mover.bow,), ship.hexes), _id_sort_key(ship)))
        if ship.side != mover.side
    )


def _id_sort_key(ship: Ship) -> tuple[str, int]:
    return ship.id[0], int(ship.id[1:])

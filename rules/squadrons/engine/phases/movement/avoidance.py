"""Avoidance: a galley that is approached or attacked tries to slip away (SQ-10)."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import UNSET

from rules.geometry.hexes import Hex
from rules.squadrons.engine import events
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship, id_sort_key

AvoidableAttack = Literal["ram", "ana", "X", "grap"]
_AVOIDING_FATIGUE: Final = 2  # SQ-10.4


def is_fit_to_avoid(position: Position, ship: Ship) -> bool:  # SQ-10.6, SQ-10.8
    return ship.is_afloat and ship.crew_quality > 0 and not ship.fatigue and position.is_mobile(ship)


def avoidance_places(position: Position, ship: Ship) -> tuple[tuple[str, HexPose], ...]:
    """Return the free places to which she may avoid: `fwd`, and at Cruise `back` (SQ-10.4, SQ-10.7)."""
    places = []
    if position.is_free(ship.place.hex_ahead):
        places.append(("fwd", HexPose(ship.place.hex_ahead, ship.facing)))
    behind = ship.adjacent_hexes.stern
    if ship.speed == "C" and position.is_free(behind):
        bow = ship.stern if ship.size == 2 else behind
        places.append(("back", HexPose(bow, ship.facing)))
    return tuple(places)


def offer_avoidance(play: TurnInProgress, run: ActivationInProgress, target: str, attack: AvoidableAttack) -> bool:
    """Let a target avoid a declared attack, at most once in `run`, and return whether it did (SQ-10.2, SQ-10.9)."""
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
    """Return whether a galley may and will try to avoid; a captain's answer is kept in `play.chosen`.

    Raises `DecisionNeeded` if her captain must be asked.
    """
    position = play.position
    places = avoidance_places(position, ship)
    if not places or not is_fit_to_avoid(position, ship):
        return False
    doctrine = avoid_doctrine(play, ship)
    if doctrine == "ask":
        directions = [direction for direction, _ in places]
        answer = play.ask_captain(ship.id, "avoid", by, (*directions, "no"))
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
            drm=1 if ship.half_speed else UNSET,
            rule="SQ-10.3",
        )
    )
    return ok


def _chosen_place(play: TurnInProgress, ship: Ship) -> HexPose:
    place_by_direction = dict(avoidance_places(play.position, ship))
    preferred = play.chosen.pop(ship.id, None) or play.doctrine_of(ship, "avoidDir")
    if preferred == "best":
        return min(place_by_direction.values(), key=lambda place: _count_enemies_beside(play.position, ship, place))
    return place_by_direction.get(preferred) or next(iter(place_by_direction.values()))


def _count_enemies_beside(position: Position, ship: Ship, place: HexPose) -> int:
    near = (position.ships_by_hex.get(here) for here in grid.adjacent_hexes(*place, ship.size).all_neighbours)
    return len({enemy.id for enemy in near if enemy is not None and enemy.side != ship.side})


def enemies_beside(position: Position, mover: Ship, entered: tuple[Hex, ...]) -> tuple[str, ...]:  # SQ-24.5
    """Return the enemies next to the hexes that a ship has entered, those nearest to her bow first."""
    hexes_beside = {hex_ for here in entered for hex_ in grid.neighbours(here)}
    ships_beside = {there.id: there for hex_ in hexes_beside if (there := position.ships_by_hex.get(hex_))}
    enemies = [ship for ship in ships_beside.values() if ship.side != mover.side]
    enemies.sort(key=lambda ship: (grid.hex_distance((mover.bow,), ship.hexes), id_sort_key(ship.id)))
    return tuple(ship.id for ship in enemies)

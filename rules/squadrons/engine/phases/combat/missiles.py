"""Missiles, return fire, flame and firepots (SQ-19, SQ-20)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import VolleyOrder
from rules.squadrons.engine.odds import BarReason, RollOdds, non_zero
from rules.squadrons.engine.phases.combat import sinking
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.engine.tables import TABLES, missile_result

MAX_RANGE_HEXES = 2  # SQ-19.1


class ShotEffect(NamedTuple):
    """The effect of one shot. It is applied after the last shot of its volley (SQ-19.17)."""

    target: str  # id
    loses_manpower: bool
    catches_fire: bool


def why_volley_barred(position: Position, run: ActivationInProgress, order: VolleyOrder) -> BarReason | None:
    # the first reason that applies is named; ships without marines may not shoot (SQ-19.13)
    ship = position.ship_by_id(run.ship)
    if run.has_fired:
        return BarReason("SQ-19.4", "has_fired")
    manpower_used = sum(ship.manpower if shot.m is None else shot.m for shot in order.shots)
    if manpower_used > ship.manpower:
        return BarReason("SQ-19.7", "too_little_manpower", str(ship.manpower))
    for number, shot in enumerate(order.shots):
        if barred := why_shot_barred(position, ship, shot.target, flame=order.flame and number == 0):
            return barred
    return None


def why_shot_barred(position: Position, ship: Ship, name: str, *, flame: bool = False) -> BarReason | None:  # noqa: PLR0911 - a table of checks
    target = position.ships_by_id.get(name)
    if target is None or not target.is_afloat or target.side == ship.side:
        return BarReason("SQ-19.16", "no_enemy", name)
    if flame and not can_use_flame(position, ship):
        return BarReason("SQ-20.1", "no_flame")
    if ship.rammed and ship.rammed != name:
        return BarReason("SQ-19.14", "fires_at_rammer", ship.rammed)
    distance = grid.hex_distance(ship.hexes, target.hexes)
    if distance > (1 if flame else MAX_RANGE_HEXES):
        return BarReason("SQ-19.1", "out_of_range", str(distance))
    if flame:
        return None
    flanks = ship.adjacent_hexes.all_flanks
    if distance == 1:
        return None if any(here in flanks for here in target.hexes) else BarReason("SQ-19.2", "no_line_of_fire")
    neighbours_of_target = {here for hex_ in target.hexes for here in grid.neighbours(hex_)}
    hexes_between = [here for here in flanks if here in neighbours_of_target]
    is_clear = any(here not in position.ships_by_hex and position.is_on_map(here) for here in hexes_between)
    return None if is_clear else BarReason("SQ-19.3", "line_blocked")


def can_use_flame(position: Position, ship: Ship) -> bool:
    return ship.flame and position.options.flame and not ship.jettisoned


def shot_odds(position: Position, by: str, name: str, m: int) -> RollOdds:
    """Return the present odds of a Depletion by a shot with manpower `m` (SQ-19.8, SQ-19.9, SQ-19.11)."""
    ship, target = position.ship_by_id(by), position.ship_by_id(name)
    need = next(row.d for row in TABLES.missile.rows if m <= row.m)  # `m`: the most manpower of the row
    is_helpless = bool(target.rammed or target.is_crippled or position.linked_to(name))
    is_far = grid.hex_distance(ship.hexes, target.hexes) == MAX_RANGE_HEXES
    return RollOdds(
        need,
        1,
        non_zero(
            ("engines", int(ship.ship_class.engines)),
            ("height", int(ship.has_towers) - int(target.has_towers)),
            ("under_sail", -int(ship.sails)),
            ("no_engines", -int(ship.jettisoned)),
            ("helpless", int(is_helpless)),
            ("range", -int(is_far)),
        ),
    )


def carry_out_volley(play: TurnInProgress, run: ActivationInProgress, order: VolleyOrder) -> None:  # SQ-24.5, SQ-19.6
    run.has_fired = True
    if order.is_split:
        run.end_movement("fire")
    if play.is_rehearsing:
        return
    effects: list[ShotEffect] = []
    for number, shot in enumerate(order.shots):
        manpower = play.ship_now(run.ship).manpower if shot.m is None else shot.m
        is_flame = order.flame and number == 0
        effects.append(_roll_shot(play, run.ship, shot.target, manpower, flame=is_flame, reaction=False))
        effects += _reaction_shots(play, shot.target, run.ship, "return")
    _take_effect(play, effects)


def react_with_fire(play: TurnInProgress, name: str, *, at: str) -> None:
    """Let a ship that is rammed, raked or grappled shoot at her adjacent enemy, if her doctrine says so (SQ-19.5)."""
    if grid.hex_distance(play.ship_now(name).hexes, play.ship_now(at).hexes) == 1:
        _take_effect(play, _reaction_shots(play, name, at, "threat"))


def _reaction_shots(play: TurnInProgress, name: str, at: str, to: Literal["return", "threat"]) -> list[ShotEffect]:
    """Return the effect of a ship's shot in reaction `to` a shot or an attack, or none if she does not shoot.

    She reacts at most once in an enemy activation (SQ-19.15).
    """
    ship = play.ship_now(name)
    flame = can_use_flame(play.position, ship) and grid.hex_distance(ship.hexes, play.ship_now(at).hexes) == 1
    if name in play.fired_back or why_shot_barred(play.position, ship, at, flame=flame):
        return []
    doctrine = play.doctrine_of(ship, "fire")
    if doctrine == "ask":
        doctrine = play.ask_captain(name, "fire", at, (to, "off"))
    if to not in doctrine.split("+"):
        return []
    play.fired_back.add(name)
    return [_roll_shot(play, name, at, ship.manpower, flame=flame, reaction=True)]


def _roll_shot(play: TurnInProgress, by: str, name: str, m: int, *, flame: bool, reaction: bool) -> ShotEffect:
    ship, target = play.ship_now(by), play.ship_now(name)
    chances = shot_odds(play.position, by, name, m)
    die = play.throw_die("fire")
    result = missile_result(m, chances.adjust(die))
    play.add_event(
        events.ShotFired(
            by=by,
            target=name,
            reaction=reaction,
            range=grid.hex_distance(ship.hexes, target.hexes),
            m=m,
            flame=flame,
            drm=chances.total_modifier,
            modifiers=chances.modifiers,
            die=die,
            result=result,
            rule="SQ-19.5" if reaction else "SQ-19.10",
        )
    )
    can_ignite = flame and result == "D/F" and not target.burning
    catches_fire = can_ignite and roll_ignition(play, name, "flame", TABLES.need.ignite)
    return ShotEffect(name, loses_manpower=result != "-", catches_fire=catches_fire)


def roll_ignition(play: TurnInProgress, name: str, cause: Literal["flame", "pots", "spread"], need: int) -> bool:
    """Roll whether a ship catches fire, at `need` or more, and return it. The ship is not changed."""
    die = play.throw_die("ignite")
    catches_fire = die >= need
    rule = {"flame": "SQ-20.2", "pots": "SQ-20.3", "spread": "SQ-20.6"}[cause]
    play.add_event(events.IgnitionRolled(ship=name, cause=cause, die=die, ok=catches_fire, rule=rule))
    return catches_fire


def throw_pots(play: TurnInProgress, name: str) -> None:  # SQ-20.3
    if not play.ship_now(name).burning and roll_ignition(play, name, "pots", TABLES.need.pots):
        play.change_ship(name, burning=True)


def _take_effect(play: TurnInProgress, effects: list[ShotEffect]) -> None:  # all fires before all losses
    for effect in effects:
        if effect.catches_fire:
            play.change_ship(effect.target, burning=True)
    for effect in effects:
        if effect.loses_manpower:
            sinking.remove_manpower(play, effect.target)

"""Rams: legality, odds and resolution (SQ-13)."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import UNSET

from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import RamOrder
from rules.squadrons.engine.odds import BarReason, RollOdds, compare, non_zero
from rules.squadrons.engine.phases.combat import missiles, sinking
from rules.squadrons.engine.phases.movement import avoidance, moves
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.engine.tables import TABLES, ram_need

_MIN_FOULED_ROLL: Final = TABLES.need.fouled


def why_ram_barred(  # noqa: PLR0911 - a table of checks
    position: Position, run: ActivationInProgress, name: str, *, pots: bool = False
) -> BarReason | None:  # SQ-06.15
    ship, target = position.ship_by_id(run.ship), position.ships_by_id.get(name)
    if run.ended_by:
        return BarReason("SQ-13.14", "movement_ended")
    if barred := why_unfit_to_ram(position, run, ship):
        return barred
    if target is not None and target.is_afloat and target.aground:
        return BarReason("SQ-13.3", "target_aground")
    if pots and not (ship.pots and position.options.pots):
        return BarReason("SQ-20.3", "no_pots")
    if target is None or not target.is_afloat or target.side == ship.side:
        return BarReason("SQ-13.2", "no_enemy", name)
    if not is_pointing_at(ship, target):
        return BarReason("SQ-13.2", "not_in_ram_position")
    if not ram_need(ship.ram_attack, target.ram_defence):
        return BarReason("SQ-13.4", "ram_hopeless", f"{ship.ram_attack}:{target.ram_defence}")
    return None


def why_unfit_to_ram(position: Position, run: ActivationInProgress, ship: Ship) -> BarReason | None:
    if not ship.ram_attack:
        return BarReason("SQ-13.3", "no_ram")
    if ship.ram_tried:
        return BarReason("SQ-13.1", "ram_tried")
    if ship.is_crippled or ship.is_slowed or position.is_immobile(ship):
        return BarReason("SQ-13.3", "unfit_to_ram")
    if run.has_swung or run.has_backed:
        return BarReason("SQ-13.3", "turned_or_backed")
    return None


def is_pointing_at(ship: Ship, target: Ship) -> bool:  # SQ-13.2
    return ship.bow in target.adjacent_hexes.all_flanks and ship.place.hex_ahead in target.hexes


def ram_odds(
    position: Position, run: ActivationInProgress, name: str, *, rake_failed: bool = False, anastrophe: bool = False
) -> RollOdds:  # SQ-13.4, SQ-13.5, SQ-13.6, SQ-13.7
    ship, target = position.ship_by_id(run.ship), position.ship_by_id(name)
    counts_speed = anastrophe or run.turns <= 1
    points_beyond_cruise = max(0, run.used - ship.ship_class.cruise) if counts_speed else 0
    is_helpless = bool(target.is_crippled or position.grappled_to(name) or position.fouled_with(name))
    return RollOdds(
        ram_need(ship.ram_attack, target.ram_defence),
        2,
        non_zero(
            ("speed", points_beyond_cruise),
            ("helpless", int(is_helpless)),
            ("slowed", int(target.is_slowed and position.is_mobile(target))),
            ("crew", compare(ship.crew_quality, target.crew_quality)),
            ("at_max", -int(target.speed == "M")),
            ("towers", -int(ship.has_towers)),
            ("rake_failed", -int(rake_failed)),
            ("shaken", -run.strength_loss),
        ),
    )


def carry_out_ram(play: TurnInProgress, run: ActivationInProgress, order: RamOrder) -> bool:
    """Carry out a legal ram and return whether it Missed (SQ-24.5, SQ-10.10).

    The order is: Avoidance, the target's fire, firepots, the roll.
    """
    name = order.target
    if play.is_rehearsing:
        rehearse_ram(play, run, name)
        return False
    if avoidance.offer_avoidance(play, run, name, "ram"):
        return True
    missiles.react_with_fire(play, name, at=run.ship)
    if order.pots:
        missiles.throw_pots(play, name)
    resolve_ram(play, run, name, ram_odds(play.position, run, name))
    return False


def rehearse_ram(play: TurnInProgress, run: ActivationInProgress, name: str) -> None:
    """Assume for a rehearsal that the ram is made; both ships are then at Cruise."""
    run.end_movement("attack")
    run.just_rammed = name
    play.change_ship(run.ship, speed="C")
    play.change_ship(name, speed="C")


def resolve_ram(play: TurnInProgress, run: ActivationInProgress, name: str, chances: RollOdds) -> None:
    # SQ-13.8, SQ-13.9, SQ-13.10, SQ-13.11, SQ-13.12
    run.ram_tried = True
    run.end_movement("attack")
    hit, natural = roll_ram(play, run.ship, name, chances)
    if hit:
        apply_successful_ram(play, run, name, natural)
    else:
        run.has_collided = True
        play.change_ship(name, speed="C")
        sinking.mark_collided(play, run.ship)


def roll_ram(play: TurnInProgress, by: str, name: str, chances: RollOdds) -> tuple[bool, int]:  # SQ-13.4
    """Roll for a ram and return whether it hits, and the dice without modifiers."""
    ship, target = play.ship_now(by), play.ship_now(name)
    dice = play.throw_two_dice("ram")
    adjusted = chances.adjust(sum(dice))
    hit = chances.is_success(adjusted)
    has_dodged = any(
        isinstance(event, events.AvoidanceTried) and event.ok and (event.ship, event.by) == (name, by)
        for event in play.events
    )
    play.add_event(
        events.ShipRammed(
            by=by,
            target=name,
            ra=ship.ram_attack,
            rd=target.ram_defence,
            need=chances.min_total,
            drm=chances.total_modifier,
            modifiers=chances.modifiers,
            dice=dice,
            adjusted=adjusted,
            result="rammed" if hit else "collision",
            dodged=True if has_dodged else UNSET,
            rule="SQ-13.9" if hit else "SQ-13.8",
        )
    )
    return hit, sum(dice)


def apply_successful_ram(play: TurnInProgress, run: ActivationInProgress, name: str, natural: int) -> None:
    # SQ-13.9 to SQ-13.12
    sinking.mark_rammed(play, name, run.ship)
    _retract_or_foul(play, run, name, natural)


def _retract_or_foul(play: TurnInProgress, run: ActivationInProgress, name: str, natural: int) -> None:
    # SQ-01.4, SQ-13.10. A high roll fouls the rammer with her victim; else she may back off
    run.just_rammed = name
    ship = play.change_ship(run.ship, speed="C")
    value = natural - ship.crew_quality
    result: Literal["fouled", "back", "stay"] = "stay"
    if value >= _MIN_FOULED_ROLL:
        play.add_foul(ship.id, name)
        result = "fouled"
    elif place := _retreat_place(play, ship, name):
        ship = play.change_ship(ship.id, bow=place.bow, facing=place.facing)
        result = "back"
    rule = "SQ-13.12" if result == "fouled" else "SQ-13.11"
    play.add_event(
        events.RetractRolled(ship=ship.id, value=value, result=result, to=str(ship.place), target=name, rule=rule)
    )


def _retreat_place(play: TurnInProgress, ship: Ship, name: str) -> HexPose | None:  # SQ-13.11
    """Return the place to which a rammer backs off by her captain's choice or doctrine; None if she stays."""
    places = tuple(place for _, place in moves.backwater_places(play.position, ship))
    doctrine = play.doctrine_of(ship, "retract")
    if doctrine == "ask" and places:
        offered = (*map(str, places), "stay")
        doctrine = play.ask_captain(ship.id, "retract", name, offered)
        return next((place for place in places if str(place) == doctrine), None)
    return places[0] if places and doctrine == "stern" else None

"""Rams: whether one is legal, its odds, and how it is carried out (SQ-13)."""

from __future__ import annotations

from typing import Final, Literal

from rules.squadrons.table import events
from rules.squadrons.table.notation.orders import Ram
from rules.squadrons.table.odds import Barred, Odds, compared, parts
from rules.squadrons.table.phases.combat import damage, missiles
from rules.squadrons.table.phases.movement import avoidance, moves
from rules.squadrons.table.phases.play import Play, Run
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Position, Ship
from rules.squadrons.table.tables import TABLES, ram_need

_FOULED: Final = TABLES.need.fouled


def barred(  # noqa: PLR0911 - a table of checks
    position: Position, run: Run, name: str, *, pots: bool = False
) -> Barred | None:
    """Why the active galley may not ram a ship now; None: she may (10.3; SQ-06.15)."""
    ship, target = position.ship(run.ship), position.by_id.get(name)
    if run.ended:
        return Barred("SQ-13.14", "movement_ended")
    if wrong := unfit(position, run, ship):
        return wrong
    if target is not None and target.afloat and target.aground:
        return Barred("SQ-13.3", "target_aground")
    if pots and not (ship.pots and position.options.pots):
        return Barred("SQ-20.3", "no_pots")
    if target is None or not target.afloat or target.side == ship.side:
        return Barred("SQ-13.2", "no_enemy", name)
    if not points_at(ship, target):
        return Barred("SQ-13.2", "not_in_ram_position")
    if not ram_need(ship.ra, target.rd):
        return Barred("SQ-13.4", "ram_hopeless", f"{ship.ra}:{target.rd}")
    return None


def unfit(position: Position, run: Run, ship: Ship) -> Barred | None:
    """Why a galley may ram nobody now, wherever she stands (SQ-13.3)."""
    if not ship.ra:
        return Barred("SQ-13.3", "no_ram")
    if ship.ram_tried:
        return Barred("SQ-13.1", "ram_tried")
    if ship.crippled or ship.slowed or position.immobile(ship):
        return Barred("SQ-13.3", "unfit_to_ram")
    if run.swung or run.backed:
        return Barred("SQ-13.3", "turned_or_backed")
    return None


def points_at(ship: Ship, target: Ship) -> bool:
    """Whether her bow lies in a flank hex of another, pointing at her (SQ-13.2)."""
    return ship.bow in target.beside.flanks and ship.place.ahead in target.hexes


def odds(position: Position, run: Run, name: str, *, rake_failed: bool = False, anastrophe: bool = False) -> Odds:
    """The odds of a ram, as things stand (SQ-13.4, SQ-13.5, SQ-13.6, SQ-13.7)."""
    ship, target = position.ship(run.ship), position.ship(name)
    above = max(0, run.used - ship.kind.cruise) if anastrophe or run.turns <= 1 else 0
    held = position.grappled_to(name) or position.fouled_with(name)
    return Odds(
        ram_need(ship.ra, target.rd),
        2,
        parts(
            ("speed", above),
            ("helpless", int(bool(target.crippled or held))),
            ("slowed", int(target.slowed and position.mobile(target))),
            ("crew", compared(ship.crew, target.crew)),
            ("at_max", -int(target.speed == "M")),
            ("towers", -int(ship.towers)),
            ("rake_failed", -int(rake_failed)),
            ("shaken", -run.minus),
        ),
    )


def ram(play: Play, run: Run, order: Ram) -> bool:
    """Carry out a legal ram: Avoidance, the target's fire, firepots, the roll; whether it was Missed (10.5).

    Rules: SQ-10.10.
    """
    name = order.target
    if play.rehearsing:
        rehearse(play, run, name)
        return False
    if avoidance.declared(play, run, name, "ram"):
        return True
    missiles.react(play, name, at=run.ship)
    if order.pots:
        missiles.throw_pots(play, name)
    strike(play, run, name, odds(play.position, run, name))
    return False


def rehearse(play: Play, run: Run, name: str) -> None:
    """What is taken for granted of a ram before any die: it is made, and both are at Cruise (10.3)."""
    run.end("attack")
    run.just_rammed = name
    play.change(run.ship, speed="C")
    play.change(name, speed="C")


def strike(play: Play, run: Run, name: str, chances: Odds) -> None:
    """Roll for a ram, and carry out what comes of it (SQ-13.8, SQ-13.9, SQ-13.10, SQ-13.11, SQ-13.12)."""
    run.ram_tried = True
    run.end("attack")
    hit, natural = roll(play, run.ship, name, chances)
    if hit:
        sink_in(play, run, name, natural)
    else:
        run.collided = True
        play.change(name, speed="C")
        damage.collide(play, run.ship)


def roll(play: Play, by: str, name: str, chances: Odds) -> tuple[bool, int]:
    """Roll for a ram: whether it succeeds, and the natural total (SQ-13.4)."""
    ship, target = play.ship(by), play.ship(name)
    dice = play.two("ram")
    adjusted = chances.adjusted(sum(dice))
    hit = chances.succeeds(adjusted)
    play.say(
        events.Rammed(
            by=by,
            target=name,
            ra=ship.ra,
            rd=target.rd,
            need=chances.need,
            drm=chances.drm,
            dice=dice,
            adjusted=adjusted,
            result="rammed" if hit else "collision",
            rule="SQ-13.9" if hit else "SQ-13.8",
        )
    )
    return hit, sum(dice)


def sink_in(play: Play, run: Run, name: str, natural: int) -> None:
    """A ram has succeeded: the target is Rammed, and the rammer comes free, or is Fouled (SQ-13.9 to SQ-13.12)."""
    damage.hole(play, name, run.ship)
    _retract(play, run, name, natural)


def _retract(play: Play, run: Run, name: str, natural: int) -> None:
    """The rammer comes free, or is Fouled (SQ-01.4, SQ-13.10, SQ-13.11, SQ-13.12)."""
    run.just_rammed = name
    ship = play.change(run.ship, speed="C")
    value = natural - ship.crew
    result: Literal["fouled", "back", "stay"] = "stay"
    if value >= _FOULED:
        play.foul(ship.id, name)
        result = "fouled"
    elif place := _retreat(play, ship, name):
        ship = play.change(ship.id, bow=place.bow, facing=place.facing)
        result = "back"
    rule = "SQ-13.12" if result == "fouled" else "SQ-13.11"
    play.say(events.Retracted(ship=ship.id, value=value, result=result, to=str(ship.place), target=name, rule=rule))


def _retreat(play: Play, ship: Ship, name: str) -> Place | None:
    """Where her captain backs her to; None: she stays (D-13)."""
    places = tuple(place for _, place in moves.astern(play.position, ship))
    word = play.doctrine(ship, "retract")
    if word == "ask" and places:
        offered = (*map(str, places), "stay")
        word = play.ask(ship.id, "retract", name, offered)
        return next((place for place in places if str(place) == word), None)
    return places[0] if places and word == "stern" else None

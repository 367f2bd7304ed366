"""Phase G: ships get free of rams, fires are fought, crews recover, rammed ships sink (SQ-03.1)."""

from __future__ import annotations

from msgspec import structs

from rules.squadrons.engine import events
from rules.squadrons.engine.phases.combat import grappling, missiles, sinking
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea.state import Ship
from rules.squadrons.engine.tables import TABLES


def run_phase_g(play: TurnInProgress) -> None:
    unfoul_ships(play)
    fight_fires(play)
    recover_crews(play)
    transfer_leaders(play)
    roll_sinking(play)
    play.position = structs.replace(play.position, phase="H")


def _ships_afloat(play: TurnInProgress) -> list[Ship]:
    return [ship for ship in play.position.ships if ship.is_afloat]


def unfoul_ships(play: TurnInProgress) -> None:
    """G1: Let ships try to get free of rams. All decide before the first die (SQ-18.5, SQ-18.6)."""
    position = play.position
    attempts = [
        (ship.id, position.fouled_with(ship.id)) for ship in _ships_afloat(play) if _wants_to_unfoul(play, ship)
    ]
    for name, others in attempts:
        for other in others:
            if other in play.position.fouled_with(name):
                grappling.roll_unfoul(play, name, other)


def _wants_to_unfoul(play: TurnInProgress, ship: Ship) -> bool:
    word = play.doctrine_of(ship, "unfoul")
    return word == "always" or (word == "auto" and not ship.rammed)


def fight_fires(play: TurnInProgress) -> None:
    """G2: Fight the fires of ships already burning, then clear away fallen masts (SQ-08.4, SQ-20.5, SQ-20.6)."""
    for burning in [ship for ship in _ships_afloat(play) if ship.burning]:
        if play.ship_now(burning.id).is_afloat:
            _fight_fire(play, burning.id)
    for ship in _ships_afloat(play):
        if ship.mast_down:
            play.change_ship(ship.id, mast_down=False)
            play.add_event(events.MastLost(ship=ship.id, cleared=True, rule="SQ-08.4"))


def _fight_fire(play: TurnInProgress, name: str) -> None:
    die = play.throw_die("firefight")
    effect = TABLES.firefight.rows[die - 1]
    play.add_event(events.FireFought(ship=name, die=die, effect=effect, rule="SQ-20.5"))
    if effect == "out":
        play.change_ship(name, burning=False)
    elif effect == "burnt":
        sinking.sink_with_linked(play, name, "burnt", "SQ-20.5")
    elif effect in ("depleted", "spread"):
        sinking.remove_manpower(play, name)
    if effect == "spread":
        for other in play.position.linked_to(name):
            if not play.ship_now(other).burning and missiles.roll_ignition(play, other, "spread", TABLES.need.spread):
                play.change_ship(other, burning=True)


def recover_crews(play: TurnInProgress) -> None:
    for ship in _ships_afloat(play):
        if ship.fatigue:
            play.change_ship(ship.id, fatigue=ship.fatigue - 1)
            play.add_event(events.CrewRecovered(ship=ship.id, fatigue=ship.fatigue - 1, rule="SQ-09.7"))


def transfer_leaders(play: TurnInProgress) -> None:  # SQ-05.15
    for leader in play.position.leaders:
        ship = play.ship_now(leader.ship)
        in_peril = (ship.rammed or ship.burning) and play.doctrine_of(ship, "transfer") == "peril"
        if leader.tried or not in_peril:
            continue
        if havens := command.transfer_targets(play.position, leader):
            command.try_transfer(play, leader.id, havens[0])


def roll_sinking(play: TurnInProgress) -> None:
    for rammed in [ship for ship in _ships_afloat(play) if ship.rammed]:
        if not play.ship_now(rammed.id).is_afloat:
            continue
        die = play.throw_die("sinkRoll")
        sinks = die >= TABLES.need.sinks
        play.add_event(events.SinkRolled(ship=rammed.id, die=die, sinks=sinks, rule="SQ-22.9"))
        if sinks:
            sinking.sink_with_linked(play, rammed.id, "sinks", "SQ-22.9")

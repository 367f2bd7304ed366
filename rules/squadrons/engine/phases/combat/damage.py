"""The effects of attacks on ships, one function for each kind of damage (SQ-13, 14, 20, 21)."""

from __future__ import annotations

from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import Flank
from rules.squadrons.engine.phases.play import TurnInProgress


def mark_rammed(play: TurnInProgress, name: str, by: str) -> None:
    """Mark a ship as Rammed. Her captor loses the Capture Bonus (SQ-13.9, SQ-13.13, SQ-22.2)."""
    held = play.ship_now(name).held
    play.change_ship(name, rammed=by, held="CAP0" if held == "CAP" else held)


def mark_collided(play: TurnInProgress, name: str) -> None:
    """Put a ship whose ram failed at Half Speed. Under sail she also loses her mast (SQ-08.4, SQ-13.8)."""
    ship = play.change_ship(name, half_speed=True, collided=True)
    if ship.sails:
        play.change_ship(name, sails=False, mast_down=True, no_sails=True)
        play.add_event(events.MastLost(ship=name, cleared=False, rule="SQ-08.4"))


def cripple_side(play: TurnInProgress, name: str, side: Flank) -> None:
    """Shear the oars of a side. Fatigue and Half Speed no longer count (SQ-14.7)."""
    ship = play.ship_now(name)
    play.change_ship(
        name,
        crippled_port=ship.crippled_port or side == "p",
        crippled_starboard=ship.crippled_starboard or side == "s",
        half_speed=False,
        fatigue=0,
    )


def remove_manpower(play: TurnInProgress, name: str) -> None:  # SQ-21.2
    ship = play.change_ship(name, depletion=play.ship_now(name).depletion + 1)
    play.add_event(events.ManpowerLost(ship=name, eff_m=ship.manpower, rule="SQ-21.1"))

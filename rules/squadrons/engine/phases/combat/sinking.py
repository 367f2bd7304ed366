"""Damage to ships, ships that sink with all linked to them, and leaders lost with them (SQ-05.18, SQ-13, SQ-22.9)."""

from __future__ import annotations

from typing import Literal

from msgspec import structs

from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import SIDES, Flank
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Leader, Position, Ship, id_sort_key


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


def mark_grounded(play: TurnInProgress, name: str) -> None:
    """Run a ship aground. Her captor loses the Capture Bonus (SQ-06.13, SQ-22.2)."""
    held = play.ship_now(name).held
    play.change_ship(name, aground=play.position.turn, held="CAP0" if held == "CAP" else held)


def break_up(play: TurnInProgress, name: str) -> None:
    """Remove a ship that breaks up ashore. Ships linked to her come free, and her leader is replaced (SQ-06.14)."""
    ship, leader = play.ship_now(name), play.position.leader_aboard(name)
    _remove_ship(play, ship)
    play.add_event(events.ShipSunk(ship=name, cause="wrecked", rule="SQ-06.14"))
    if leader is not None:
        lose_leader(play, leader, ship)


def _remove_ship(play: TurnInProgress, ship: Ship) -> None:
    play.release_all(ship.id)
    play.set_ship(Ship(id=ship.id, code=ship.code, name=ship.name, status="sunk", bow=ship.bow, facing=ship.facing))


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


def sink_with_linked(play: TurnInProgress, name: str, cause: Literal["sinks", "burnt"], rule: str) -> None:
    """Sink a ship and all linked to her, directly or through others. Leaders are replaced afterwards."""
    names = (name, *play.position.chain_of(name))
    lost_ships = [(play.ship_now(member), play.position.leader_aboard(member)) for member in names]
    holders = _holders(play.position, name)
    grapples = {ship: play.position.grappled_to(ship) for ship in names}
    for ship, _ in lost_ships:
        _remove_ship(play, ship)
        if ship.id == name:
            play.add_event(events.ShipSunk(ship=name, cause=cause, rule=rule))
            continue
        holder = holders[ship.id]
        link: Literal["grappled", "fouled"] = "grappled" if holder in grapples[ship.id] else "fouled"
        play.add_event(events.ShipSunk(ship=ship.id, cause="chain", holder=holder, link=link, rule=rule))
    for ship, leader in lost_ships:
        if leader is not None:
            lose_leader(play, leader, ship)


def _holders(position: Position, name: str) -> dict[str, str]:
    """Return the ship that drags down each ship linked to `name`, directly or through others (SQ-22.9)."""
    holders: dict[str, str] = {}
    names = [name]
    for holder in names:  # grows while it is read
        for partner in position.linked_to(holder):
            if partner != name and partner not in holders:
                holders[partner] = holder
                names.append(partner)
    return holders


def lose_leader(play: TurnInProgress, leader: Leader, ship: Ship) -> None:
    """Remove a leader, or let a deputy take over, and record the Initiative of a lost only Admiral.

    `ship` is the leader's ship as she was before her loss (SQ-05.18, SQ-05.19).
    """
    position = play.position
    side_number = SIDES.index(leader.side)
    is_only_admiral = leader.is_admiral and len(position.admirals(leader.side)) == 1
    if is_only_admiral and position.lost[side_number] is None:
        lost_initiatives = list(position.lost)
        lost_initiatives[side_number] = leader.rating.initiative
        play.position = structs.replace(position, lost=(lost_initiatives[0], lost_initiatives[1]))
    candidates = [
        other
        for other in position.ships_of(leader.side)
        if ship.squadron and other.squadron == ship.squadron and position.leader_aboard(other.id) is None
    ]
    nearest = min(
        candidates,
        key=lambda other: (grid.hex_distance(other.hexes, ship.hexes), id_sort_key(other.id)),
        default=None,
    )
    deputy_ship = nearest.id if nearest else None
    play.add_event(events.LeaderLost(leader=leader.id, ship=ship.id, to=deputy_ship, rule="SQ-05.18"))
    if deputy_ship is None:
        play.drop_leader(leader.id)
    else:
        play.put_leader(structs.replace(leader, ship=deputy_ship, reduced="perm"))

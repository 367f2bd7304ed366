"""Missiles; catching, fighting and spreading fire; fireships and their drift (RS-15, RS-16)."""

from __future__ import annotations

from msgspec import structs

from rules.ramspeed.engine import events
from rules.ramspeed.engine.geometry import hulls, modifiers, moves
from rules.ramspeed.engine.geometry.hulls import floor_inches, forward_vector
from rules.ramspeed.engine.geometry.moves import MoveStop
from rules.ramspeed.engine.orders import ShootOrder
from rules.ramspeed.engine.phases.play import TurnInProgress, sink_ship
from rules.ramspeed.engine.state import Link, Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS, TABLES


def shot_forbidden_by(position: Position, ship: Ship, target: Ship) -> str:
    """Return the rule that forbids the shot, or "" if it is legal (RS-14.2, RS-14.3)."""
    if not can_shoot(position, ship):
        return "RS-14.2"
    is_enemy = target.is_afloat and position.side_of_ship(target) != position.side_of_ship(ship)
    is_in_range = is_enemy and hulls.is_within(ship, target, CONSTANTS.missile_range)
    return "" if is_in_range else "RS-14.3"


def can_shoot(position: Position, ship: Ship) -> bool:
    has_crew = ship.is_afloat and ship.crew >= CONSTANTS.missile_crew
    return has_crew and not ship.fire and not position.is_locked(ship.id)


def carry_out_shot(play: TurnInProgress, name: str, order: ShootOrder) -> None:
    """Carry out a legal shot (RS-14.4, RS-14.5)."""
    play.attacked = True
    die = play.throw_die(f"shot {name}>{order.target}")
    distance = hulls.measured_distance(play.ship_now(name), play.ship_now(order.target))
    target = play.ship_now(order.target)
    lost = min(target.crew, die) if order.kind == "crew" else 0
    caught = order.kind == "fire" and die >= TABLES.need.ignite
    if lost:
        target = play.change_ship(target.id, crew=target.crew - lost)
    play.add_event(
        events.ShotFired(
            by=name,
            to=target.id,
            kind=order.kind,
            distance=distance,
            die=die,
            crew=target.crew,
            lost=lost,
            caught=caught,
            rule="RS-14.4",
        )
    )
    if caught:
        catch_fire(play, target.id)


def nearest_target(position: Position, ship: Ship) -> str:
    """Return the nearest enemy with crew in range, of equals the lower id, or "" if no shot is possible."""
    if not can_shoot(position, ship):
        return ""
    targets = [
        other
        for other in position.ships  # sorted by id, so that `min` finds the lower id of equals
        if other.crew and other.id != ship.id and not shot_forbidden_by(position, ship, other)
    ]
    nearest = min(targets, key=lambda other: hulls.measured_distance(ship, other), default=None)
    return nearest.id if nearest else ""


def fight_fires(play: TurnInProgress) -> None:
    """Let each burning ship, by id, put its fire out or burn on (RS-15.2, RS-15.3, RS-15.5)."""
    for name in [ship.id for ship in play.position.ships if ship.is_afloat and ship.fire]:
        ship = play.ship_now(name)
        if not ship.is_afloat:
            continue
        die = None if ship.is_derelict or ship.fireship else play.throw_die(f"fire {name}")
        fire_modifiers = () if die is None else modifiers.firefighting_modifiers(ship.crew)
        is_put_out = die is not None and die + modifiers.total(fire_modifiers) >= TABLES.need.extinguish
        ship = play.change_ship(name, fire=0 if is_put_out else ship.fire + 1)
        rule = "RS-15.5" if ship.is_derelict else "RS-16.1"  # nobody fights the fire
        if die is not None:
            rule = "RS-15.2"
        play.add_event(events.FireFought(ship=name, die=die, modifiers=fire_modifiers, markers=ship.fire, rule=rule))
        if ship.fire >= ship.ship_class.burn_limit:
            sink_ship(play, name, "fire", "RS-15.3")


def ignite_ship(play: TurnInProgress, name: str) -> None:  # RS-16.1: the crew sets fire to its own ship
    ship = play.ship_now(name)
    play.change_ship(name, fireship=True)
    play.add_event(events.FireshipLit(ship=name, rule="RS-16.1"))
    if not ship.fire:
        catch_fire(play, name)


def ship_as_fireship(ship: Ship) -> Ship:
    return structs.replace(ship, fire=max(1, ship.fire), fireship=True)


def catch_fire(play: TurnInProgress, name: str) -> None:
    """Set a ship on fire and check its links (RS-15.1, RS-15.7). A burning ship is left unchanged."""
    if not play.ship_now(name).fire:
        play.change_ship(name, fire=1)
        _spread_along_links(play, name)


def check_new_link(play: TurnInProgress, link: Link) -> None:
    if caught := _check_link(play, link):
        _spread_along_links(play, caught)


def check_contact(play: TurnInProgress, a: str, b: str, rule: str = "RS-15.6") -> None:
    """Check whether fire spreads between two ships after a ram or a drift (RS-15.6, RS-16.4)."""
    burning, other = (a, b) if play.ship_now(a).fire else (b, a)
    can_spread = play.ship_now(burning).fire and not play.ship_now(other).fire
    if can_spread and _roll_spread(play, burning, other, TABLES.need.spread_ram, rule):
        _spread_along_links(play, other)


def _spread_along_links(play: TurnInProgress, name: str) -> None:
    """Check the links of a ship that caught fire, by the other ships' ids, depth first."""
    pairs_to_check = _linked_pairs(play, name)
    while pairs_to_check:
        burning, other = pairs_to_check.pop()
        link = next((link for link in play.links_of(burning) if link.includes(other)), None)
        if link and (caught := _check_link(play, link)):
            pairs_to_check += _linked_pairs(play, caught)


def _linked_pairs(play: TurnInProgress, name: str) -> list[tuple[str, str]]:
    """Return a ship with each ship linked to it, the highest id first, since pairs are taken from the end."""
    return [(name, link.other_ship(name)) for link in reversed(play.links_of(name))]


def _check_link(play: TurnInProgress, link: Link) -> str:
    """Make a link's only check once one of its ships burns; return the ship set alight, or "" (RS-15.7)."""
    a, b = play.ship_now(link.a), play.ship_now(link.b)
    if link.checked or not (a.fire or b.fire):
        return ""
    play.mark_checked(link)
    if a.fire and b.fire:
        return ""
    burning, other = (a, b) if a.fire else (b, a)
    return other.id if _roll_spread(play, burning.id, other.id, TABLES.need.spread_link, "RS-15.7") else ""


def _roll_spread(play: TurnInProgress, burning: str, other: str, need: int, rule: str) -> bool:
    die = play.throw_die(f"spread {burning}>{other}")
    caught = die >= need
    play.add_event(events.FireSpreadChecked(from_=burning, to=other, need=need, die=die, caught=caught, rule=rule))
    if caught:
        play.change_ship(other, fire=1)
    return caught


def is_drifting(play: TurnInProgress, ship: Ship) -> bool:
    """Return whether a crewless fireship is free to drift (RS-16.3). Other derelicts never drift (RS-16.5)."""
    is_held = ship.dead or ship.immob or ship.beached or play.position.is_locked(ship.id)
    return ship.is_afloat and ship.fireship and ship.crew == 0 and not is_held


def drift_fireship(play: TurnInProgress, name: str) -> None:
    """Drift a crewless fireship straight ahead, into an obstacle or off the table (RS-16.3, RS-16.4)."""
    ship = play.ship_now(name)
    forward = forward_vector(ship.heading)
    inches_to_edge = floor_inches(moves.room_to_edge(play.position, ship, forward))
    stops = moves.find_stops(play.position, ship, forward, CONSTANTS.drift)
    # of obstacles at equal distance the ship of the lowest id counts, then land; `find_stops` lists ships first, by id
    first_stop = min(stops, key=lambda stop: stop.distance_in, default=MoveStop(CONSTANTS.drift, ""))
    is_stopped = first_stop.distance_in < CONSTANTS.drift and first_stop.distance_in <= inches_to_edge
    inches = min(first_stop.distance_in, CONSTANTS.drift, inches_to_edge)
    ship = play.set_ship(moves.shift_ship(ship, forward, inches))
    play.add_event(events.ShipDrifted(ship=name, x=ship.x, y=ship.y, rule="RS-16.3"))
    if is_stopped and first_stop.ship:
        check_contact(play, name, first_stop.ship, "RS-16.4")
    elif not is_stopped and inches_to_edge < CONSTANTS.drift:
        sink_ship(play, name, "edge", "RS-16.4")

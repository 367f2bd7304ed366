"""Fire: catching it, putting it out, how it spreads; fireships and their drift (RS-15, RS-16)."""

from __future__ import annotations

from msgspec import structs

from rules.ramspeed import events, moves
from rules.ramspeed.measure import ahead, floored
from rules.ramspeed.moves import Stop
from rules.ramspeed.play import Play, sink
from rules.ramspeed.state import Link, Ship
from rules.ramspeed.tables import CONSTANTS, TABLES


def burn(play: Play) -> None:
    """FIRE: each burning ship, by id, puts it out or burns on (RS-15.2, 15.3, 15.5)."""
    for name in [ship.id for ship in play.position.ships if ship.afloat and ship.fire]:
        ship = play.ship(name)
        if not ship.afloat:
            continue
        die = None if ship.derelict or ship.fireship else play.die(f"fire {name}")
        bonus = TABLES.extinguish.bonus if ship.crew >= TABLES.extinguish.crew else 0
        out = die is not None and die + bonus >= TABLES.need.extinguish
        ship = play.change(name, fire=0 if out else ship.fire + 1)
        rule = "RS-15.2" if die is not None else "RS-15.5" if ship.derelict else "RS-16.1"
        play.say(events.Fire(ship=name, die=die, markers=ship.fire, rule=rule))
        if ship.fire >= ship.kind.burn_limit:
            sink(play, name, "fire", "RS-15.3")


def ignite(play: Play, name: str) -> None:
    """A ship becomes a fireship (RS-16.1)."""
    ship = play.ship(name)
    play.change(name, fireship=True)
    play.say(events.Ignited(ship=name, rule="RS-16.1"))
    if not ship.fire:
        catch(play, name)


def as_fireship(ship: Ship) -> Ship:
    """How she would be, ignited."""
    return structs.replace(ship, fire=max(1, ship.fire), fireship=True)


def catch(play: Play, name: str) -> None:
    """A ship catches fire; her links are checked at once (RS-15.1, 15.7). Fire on a burning ship changes nothing."""
    if play.ship(name).fire:
        return
    play.change(name, fire=1)
    for other in [link.other(name) for link in play.links_of(name)]:
        check(play, next((link for link in play.links_of(name) if link.has(other)), None))


def check(play: Play, link: Link | None) -> None:
    """Whether fire comes over along a link, once, as soon as one of the two burns (RS-15.6, 15.7)."""
    if link is None or link.checked:
        return
    a, b = play.ship(link.a), play.ship(link.b)
    if not (a.fire or b.fire):
        return
    play.mark_checked(link)
    if a.fire and b.fire:
        return
    burning, other = (a, b) if a.fire else (b, a)
    spread(play, burning.id, other.id, TABLES.need.spread_link, "RS-15.7")


def spread(play: Play, burning: str, other: str, need: int, rule: str) -> None:
    """Roll whether a ship catches fire from another."""
    die = play.die(f"spread {burning}>{other}")
    caught = die >= need
    play.say(events.Spread(from_=burning, to=other, need=need, die=die, caught=caught, rule=rule))
    if caught:
        catch(play, other)


def bump(play: Play, a: str, b: str, rule: str = "RS-15.6") -> None:
    """Two ships came together by a ram or a drift: fire may come over from the one that burns (RS-15.6, 16.4)."""
    burning, other = (a, b) if play.ship(a).fire else (b, a)
    if play.ship(burning).fire and not play.ship(other).fire:
        spread(play, burning, other, TABLES.need.spread_ram, rule)


def drifts(play: Play, ship: Ship) -> bool:
    """Whether a ship is a crewless fireship that nothing holds (RS-16.3)."""
    held = ship.dead or ship.immob or ship.beached or play.position.locked(ship.id)
    return ship.afloat and ship.fireship and ship.crew == 0 and not held


def drift(play: Play, name: str) -> None:
    """A crewless fireship drifts straight ahead, into what is in her way or off the table (RS-16.3, 16.4)."""
    ship = play.ship(name)
    way = ahead(ship.heading)
    edge = floored(moves.room(play.position, ship, way))
    found = moves.stops(play.position, ship, way, CONSTANTS.drift)
    # Of what stops her equally near: the ship of the lowest id, then land; ships come first and by id.
    first = min(found, key=lambda stop: stop.inches, default=Stop(CONSTANTS.drift, ""))
    stopped = first.inches < CONSTANTS.drift and first.inches <= edge
    far = min(first.inches, CONSTANTS.drift, edge)
    ship = play.put(moves.along(ship, way, far))
    play.say(events.Drifted(ship=name, x=ship.x, y=ship.y, rule="RS-16.3"))
    if stopped and first.ship:
        bump(play, name, first.ship, "RS-16.4")
    elif not stopped and edge < CONSTANTS.drift:
        sink(play, name, "edge", "RS-16.4")

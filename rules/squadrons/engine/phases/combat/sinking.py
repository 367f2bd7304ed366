"""Ships that go down with all that hang on them, and leaders lost with their ships (SQ-05.18, SQ-22.9)."""

from __future__ import annotations

from typing import Literal

from msgspec import structs

from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import SIDES
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Leader, Ship, id_sort_key


def sink_with_linked(play: TurnInProgress, name: str, cause: Literal["sinks", "burnt"], rule: str) -> None:
    """A ship goes down, and all that are linked with her, directly or through others; then leaders are replaced."""
    names = (name, *play.position.chain_of(name))
    lost = [(play.ship_now(one), play.position.leader_aboard(one)) for one in names]
    for ship, _ in lost:
        play.release_all(ship.id)
        bare = Ship(id=ship.id, code=ship.code, name=ship.name, status="sunk", bow=ship.bow, facing=ship.facing)
        play.set_ship(bare)
        play.add_event(events.ShipSunk(ship=ship.id, cause=cause if ship.id == name else "chain", rule=rule))
    for ship, leader in lost:
        if leader is not None:
            lose_leader(play, leader, ship)


def lose_leader(play: TurnInProgress, leader: Leader, ship: Ship) -> None:
    """A leader is lost with the ship, given as she was; a deputy takes over, if there is one (SQ-05.18, SQ-05.19)."""
    position, number = play.position, SIDES.index(leader.side)
    if leader.is_admiral and len(position.admirals(leader.side)) == 1 and position.lost[number] is None:
        lost = list(position.lost)
        lost[number] = leader.rating.initiative
        play.position = structs.replace(position, lost=(lost[0], lost[1]))
    havens = [
        (grid.hex_distance(other.hexes, ship.hexes), id_sort_key(other.id), other.id)
        for other in position.ships_of(leader.side)
        if ship.squadron and other.squadron == ship.squadron and position.leader_aboard(other.id) is None
    ]
    to = min(havens)[2] if havens else None
    play.add_event(events.LeaderLost(leader=leader.id, ship=ship.id, to=to, rule="SQ-05.18"))
    if to is None:
        play.drop_leader(leader.id)
    else:
        play.put_leader(structs.replace(leader, ship=to, reduced="perm"))
